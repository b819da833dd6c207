"""Validates the paths that clients give for notes and folders."""

from __future__ import annotations

import os
import re

from notewell.errors import OutsideVaultError, UsageError
from notewell.types import NOTE_TYPES
from notewell.vault.ignore import is_hidden
from notewell.vault.readers import is_readable

# Limits of common file systems; one with lower limits reports an error of its own.
MAX_NAME_BYTES = 255
MAX_PATH_BYTES = 2000

# A colon names an alternate data stream; Windows refuses the others or changes them silently.
_WINDOWS_REFUSES = re.compile(r'[<>:"|?*\\\x00-\x1f]|[. ]$')
_WINDOWS_DEVICES = re.compile(r"(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\..*)?", re.IGNORECASE)


def check_name(path: str) -> None:
    """Check that a path names exactly one place inside a vault.

    Raises OutsideVaultError if it may lead out of the vault, and UsageError (code "bad_name") if no
    file system can store it.
    """
    parts = path.split("/")
    if any(part in {"", ".", ".."} for part in parts) or "\x00" in path:
        raise OutsideVaultError(
            f"{path[:200]!r} is not a path inside the vault. Give it relative to the vault folder,"
            " with one / between folders, without `.` and `..`."
        )
    try:
        longest = max(len(part.encode()) for part in parts)
        whole = len(path.encode())
    except UnicodeEncodeError as error:
        raise bad_name(path, "it is not valid Unicode") from error
    if longest > MAX_NAME_BYTES:
        raise bad_name(path, f"a name in it has {longest} bytes, more than {MAX_NAME_BYTES}")
    if whole > MAX_PATH_BYTES:
        raise bad_name(path, f"it has {whole} bytes, more than {MAX_PATH_BYTES}")
    if os.name == "nt":
        _check_for_windows(path, parts)


def bad_name(path: str, why: str) -> UsageError:
    """The error for a name that the file system cannot store."""
    shown = ascii(path[:200])
    return UsageError(f"{shown} cannot be kept under this name: {why}.", code="bad_name")


def is_note(path: str, types: tuple[str, ...] = NOTE_TYPES) -> bool:
    """Whether a file of this path becomes a note: one of the `types`, and not hidden."""
    return is_readable(path, types) and not hides(path)


def hides(path: str) -> bool:
    """Whether Obsidian itself hides this path or a folder above it."""
    return any(is_hidden(part) for part in path.split("/"))


def _check_for_windows(path: str, parts: list[str]) -> None:
    for part in parts:
        if _WINDOWS_REFUSES.search(part) or _WINDOWS_DEVICES.fullmatch(part):
            raise bad_name(path, f"Windows does not hold the name {part!r}")
