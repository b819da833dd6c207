"""Reads the changes of files in what `git log --patch` prints."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

COMMIT = "\x01"  # begins the line of a commit; no line of a diff begins so
FORMAT = f"--format={COMMIT}%H\x1f%ct\x1f%s"
_LATEST = 253_402_300_799.0  # the last second of the year 9999
_MOST_SUBJECT = 1_000


@dataclass(slots=True)
class FileChange:
    """The change of one file by one commit; `at` in POSIX seconds, None for no valid time."""

    commit: str
    at: float | None
    subject: str
    path: str
    added: list[str] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)


def read_changes(lines: Iterable[str]) -> Iterator[FileChange]:
    """The changes in the lines of a log, in their order."""
    commit, subject = "", ""
    at: float | None = None
    diff: list[str] = []
    for raw in lines:
        line = raw.rstrip("\n")
        begins_commit = line.startswith(COMMIT)
        if begins_commit or line.startswith("diff --git "):
            if diff:
                yield _with_lines(FileChange(commit, at, subject, ""), diff)
            diff = [] if begins_commit else [line]
        elif diff:
            diff.append(line)
        if begins_commit:
            commit, time, subject = (*line[1:].split("\x1f", 2), "", "")[:3]
            at, subject = _time(time), subject[:_MOST_SUBJECT]
    if diff:
        yield _with_lines(FileChange(commit, at, subject, ""), diff)


def _time(text: str) -> float | None:
    """The time of a commit; anybody can write one that is malformed, or that no calendar has."""
    if not (text.isascii() and text.isdigit()):
        return None
    time = float(text[:20])
    return time if time <= _LATEST else None


def _with_lines(change: FileChange, diff: Sequence[str]) -> FileChange:
    """The change, with the path and the lines of its diff."""
    in_hunk = False
    for line in diff:
        if line.startswith("@@ "):
            in_hunk = True
        elif not in_hunk:
            change.path = _path_in(line) or change.path
        elif line.startswith("+"):
            change.added.append(line[1:])
        elif line.startswith("-"):
            change.removed.append(line[1:])
    return change


def _path_in(line: str) -> str:
    """The path that a line of the head of a diff names: the new one, or that of a deleted file."""
    for mark in ("--- a/", "+++ b/"):
        if line.startswith(mark):
            return line[len(mark) :].rstrip("\t")
    return ""
