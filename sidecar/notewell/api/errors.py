"""Errors that a feature raises or meets. Doors show their message, and end with their status."""

from notewell.base.errors import (
    CancelledError,
    ChangedNoteError,
    ConfigError,
    ForbiddenError,
    ModelError,
    NotewellError,
    NotFoundError,
    ProviderError,
    ReadOnlyError,
    SourceError,
    UnreadableNoteError,
    UsageError,
    WriteError,
    on_error,
)

__all__ = [
    "CancelledError",
    "ChangedNoteError",
    "ConfigError",
    "ForbiddenError",
    "ModelError",
    "NotFoundError",
    "NotewellError",
    "ProviderError",
    "ReadOnlyError",
    "SourceError",
    "UnreadableNoteError",
    "UsageError",
    "WriteError",
    "on_error",
]
