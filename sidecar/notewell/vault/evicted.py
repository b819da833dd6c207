"""Tells files whose content a synchroniser keeps elsewhere until somebody opens them.

iCloud Drive of older systems leaves `.A.md.icloud` in the place of `A.md`. Newer ones, and OneDrive
on Windows, leave the file with its size and mark it; to read it fetches it.
"""

from __future__ import annotations

import os
import re
import unicodedata

NOT_HERE = "not_here"  # the rule in the ledger
NOT_HERE_REASON = (
    "It is in iCloud and not on this device: what was read of it before is found. Download it to"
    " have changes found."
)
_PLACEHOLDER = re.compile(r"\.(?P<name>[^/]+)\.icloud")
# Sources: SF_DATALESS of <sys/stat.h>; FILE_ATTRIBUTE_OFFLINE, _RECALL_ON_OPEN and
# _RECALL_ON_DATA_ACCESS of https://learn.microsoft.com/windows/win32/fileio/file-attribute-constants
_DATALESS = 0x40000000
_RECALLED = 0x1000 | 0x40000 | 0x400000


def evicted_name(name: str) -> str | None:
    """The name of the file, in NFC, that a placeholder stands for; None for other names."""
    if not name.endswith(".icloud"):
        return None
    match = _PLACEHOLDER.fullmatch(name)
    return None if match is None else unicodedata.normalize("NFC", match["name"])


def is_elsewhere(status: os.stat_result) -> bool:
    """True if reading a file would fetch it first."""
    flags = getattr(status, "st_flags", 0) & _DATALESS
    return bool(flags or getattr(status, "st_file_attributes", 0) & _RECALLED)
