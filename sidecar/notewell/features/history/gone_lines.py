"""The lines that some commit removed and whose words stand in no note any more."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from notewell.features.history.changes import FileChange

MOST_BYTES = 64 * 1024 * 1024  # of the lines that are gone; the newest are kept
_TEXT = re.compile(r"(?!```|~~~).*\w.*\w.*\w")  # no mark that would make code of all that follows
_WORD = re.compile(r"\w+")
_HEADING = re.compile(r"#{1,6}\s+")  # what stood below a heading that is gone is not known


def gone_lines(present: Iterable[bytes], changes: Iterable[FileChange]) -> Mapping[str, bytes]:
    """A note of the lines that are gone, by the path of the note from which they went last.

    `present` are the contents of the notes now, and `changes` come newest first.
    """
    known = {
        _said(line)
        for content in present
        for line in content.decode("utf-8", "replace").splitlines()
    }
    gone: dict[str, list[str]] = {}
    left = MOST_BYTES
    for path, line in _removed_lines(changes):
        said = _said(line)
        if said in known:
            continue
        left -= len(line)
        if left < 0:
            break
        known.add(said)
        gone.setdefault(path, []).append(_HEADING.sub("", line, count=1))
    return {path: "\n\n".join(lines).encode() for path, lines in gone.items()}


def _removed_lines(changes: Iterable[FileChange]) -> Iterator[tuple[str, str]]:
    for change in changes:
        for line in map(str.strip, change.removed):
            if _TEXT.match(line):
                yield change.path, line


def _said(line: str) -> str:
    """The words of a line: one that had other marks or capitals said the same."""
    return " ".join(_WORD.findall(line.casefold()))
