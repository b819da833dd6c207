r"""Tells whether text from outside names something below a folder, by the rules of each system.

Windows divides folders at `\` too, takes `C:` for a drive and a colon elsewhere for another stream
of a file, drops dots and spaces at the end of a name, and has names that are devices wherever they
stand. Source: https://learn.microsoft.com/windows/win32/fileio/naming-a-file
"""

from __future__ import annotations

import os
import re

_DEVICES = re.compile(
    r"(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[0-9¹²³])(?: *\..*)?[ .]*", re.IGNORECASE
)


def is_device(name: str) -> bool:
    """True if Windows takes a name, with any ending, for a device such as the console."""
    return _DEVICES.fullmatch(name) is not None


def is_inside(path: str, *, windows: bool | None = None) -> bool:
    """True if a relative path names something in the folder that it is relative to.

    `windows`: by the rules of that system, or not; None: by those of this one.
    """
    if not path or "\x00" in path:
        return False
    if not ((os.name == "nt") if windows is None else windows):
        return not path.startswith("/") and ".." not in path.split("/")
    parts = re.split(r"[/\\]", path)
    leads_up = any(part.startswith("..") and not part.strip(". ") for part in parts)
    is_whole = path.startswith(("/", "\\")) or ":" in path
    return not (is_whole or leads_up or any(map(is_device, parts)))
