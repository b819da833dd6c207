"""`~` at the beginning of a path."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path


def expanded(path: str | Path) -> Path:
    """The path with its `~` or `~user` replaced. That of an unknown user stays, as in a shell."""
    with suppress(RuntimeError):
        return Path(path).expanduser()
    return Path(path)
