"""Reads the history of a vault that is a git repository, by the program `git`.

The settings of a repository can name programs for git to run: filters, drivers of diffs, hooks,
monitors. None is run here: only objects are read, which need no filter, and diffs are git's own.
Nothing is fetched and nothing is written.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from shutil import which

from notewell.base.errors import SourceError

_OWN = (
    "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "-c", "core.quotePath=false",
    "-c", "log.showSignature=false", "--no-pager", "--literal-pathspecs",
)  # fmt: skip
# All of it: settings of the user and of the system are not read either.
_ENVIRONMENT = {
    "PATH": os.defpath,
    "LC_ALL": "C.UTF-8",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
}
_DIFF = ("--patch", "--unified=0", "--no-ext-diff", "--no-textconv", "--no-color", "--relative")
_COMMIT = "\x01"  # begins the line of a commit in a log; no line of a diff begins so
_FORMAT = f"--format={_COMMIT}%H\x1f%ct\x1f%s"


@dataclass(slots=True)
class FileChange:
    """The change of one file by one commit; `at` in POSIX seconds."""

    commit: str
    at: float
    subject: str
    path: str
    added: list[str] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)


def has_history(folder: Path) -> bool:
    """True if a folder is in a git repository, which may have no commit yet, and git is here."""
    return which("git") is not None and any(
        (place / ".git").exists() for place in (folder, *folder.parents)
    )


class GitHistory:
    """The history of the folder of a vault, which may be a part of its repository."""

    def __init__(self, folder: Path) -> None:
        """Runs nothing yet."""
        self._folder = folder

    def head(self) -> str:
        """The commit that is checked out. SourceError if there is no repository, or no commit."""
        if self._program is None:
            raise SourceError("The program git is not installed; a vault's history is read by it.")
        try:
            return self._text("rev-parse", "--verify", "HEAD^{commit}").strip()
        except SourceError as error:
            raise SourceError(
                "This vault has no history: its folder is in no git repository with a commit.",
                code="no_history",
            ) from error

    def commit_before(self, time: float) -> str | None:
        """The last commit before a time (POSIX seconds); None: there was none yet."""
        found = self._text("rev-list", "-1", f"--before={time:.0f}", "HEAD").strip()
        return found or None

    def files(self, commit: str) -> Mapping[str, str]:
        """The files of a commit, without links: the id of the content by the path."""
        listed = self._run("ls-tree", "-r", "-z", commit)
        found: dict[str, str] = {}
        for entry in listed.split(b"\0"):
            facts, tab, path = entry.partition(b"\t")
            mode, _, rest = facts.partition(b" ")
            if tab and mode in {b"100644", b"100755"}:
                found[path.decode("utf-8", "surrogateescape")] = rest.split()[1].decode()
        return found

    def contents(self, ids: Iterable[str]) -> Iterator[bytes]:
        """The contents with these ids, in their order."""
        with self._started("cat-file", "--batch", stdin=subprocess.PIPE) as child:
            asked, answers = child.stdin, child.stdout
            if asked is None or answers is None:
                raise SourceError("git does not answer.")
            for one in ids:
                asked.write(f"{one}\n".encode())
                asked.flush()
                *_, size = answers.readline().split()
                if not size.isdigit():
                    raise SourceError(f"git has no content {one}; is the repository whole?")
                yield answers.read(int(size))
                answers.read(1)
            asked.close()

    def changes(self, path: str | None = None) -> Iterator[FileChange]:
        """All changes of files, newest first; of one file, also under its former names."""
        of_file = () if path is None else ("--follow", "--", path)
        of_all = ("--no-renames",) if path is None else ()
        with self._started("log", _FORMAT, *_DIFF, *of_all, *of_file) as child:
            if child.stdout is not None:
                yield from _parsed(line.decode("utf-8", "replace") for line in child.stdout)
        if child.returncode:
            raise SourceError("git could not read the history of this vault.")

    @cached_property
    def _program(self) -> str | None:
        return which("git")

    def _text(self, *arguments: str) -> str:
        return self._run(*arguments).decode("utf-8", "replace")

    def _run(self, *arguments: str) -> bytes:
        with self._started(*arguments) as child:
            out = child.stdout.read() if child.stdout is not None else b""
        if child.returncode:
            raise SourceError("git could not read the history of this vault.")
        return out

    def _started(self, *arguments: str, stdin: int = subprocess.DEVNULL) -> subprocess.Popen[bytes]:
        program = self._program
        if program is None:
            raise SourceError("The program git is not installed; a vault's history is read by it.")
        return subprocess.Popen(  # noqa: S603 - the program git, and arguments of our own
            [program, *_OWN, "-C", str(self._folder), *arguments],
            stdin=stdin,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=_ENVIRONMENT,
        )


def _parsed(lines: Iterable[str]) -> Iterator[FileChange]:
    commit, subject, at = "", "", 0.0
    diff: list[str] = []
    for raw in lines:
        line = raw.rstrip("\n")
        begins_commit = line.startswith(_COMMIT)
        if begins_commit or line.startswith("diff --git "):
            if diff:
                yield _change(FileChange(commit, at, subject, ""), diff)
            diff = [] if begins_commit else [line]
        elif diff:
            diff.append(line)
        if begins_commit:
            commit, time, subject = line[1:].split("\x1f", 2)
            at = float(time)
    if diff:
        yield _change(FileChange(commit, at, subject, ""), diff)


def _change(change: FileChange, diff: Sequence[str]) -> FileChange:
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
