"""Files that Notewell writes into a vault and that are no part of it: the phone index."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

# Every sync tool has to copy it. Obsidian Sync never copies names that begin with a dot, and of the
# settings folder only what it knows; every other ending is copied with "Sync all other types".
PHONE_INDEX = "notewell-phone-index.bin"
# What `atomic.replacing` leaves of a process that was killed.
_UNFINISHED = re.compile(rf"\.{re.escape(PHONE_INDEX)}-[0-9a-f]{{8}}")


def is_own_file(path: str) -> bool:
    """Whether a vault-relative path is that of a file written here, finished or not."""
    return path == PHONE_INDEX or _UNFINISHED.fullmatch(path) is not None


def unfinished_phone_indexes(root: Path) -> Iterator[Path]:
    """Files of writings that did not end."""
    return (file for file in root.glob(f".{PHONE_INDEX}-*") if is_own_file(file.name))
