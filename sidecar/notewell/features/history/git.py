"""Reads the history of a vault that is in a git repository, by the program `git`.

Git is given a folder of settings of our own and only the objects of the repository: so it reads
none of the repository's settings, which can name programs to run (filters, drivers of diffs, hooks,
monitors, ways to fetch) and files to include. Nothing is fetched and nothing is written to it.
"""

from __future__ import annotations

import os
import subprocess
import tempfile
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from itertools import islice
from pathlib import Path

from notewell.api.errors import SourceError
from notewell.api.files import disk
from notewell.features.history.changes import FORMAT, FileChange, read_changes
from notewell.features.history.git_child import find_git, running_git
from notewell.features.history.repository import (
    Repository,
    check_objects,
    find_repository,
    head_commit,
    shallow_commits,
)

MOST_ENTRIES = 2_000_000  # entries of trees that are looked at
MOST_NOTES = 100_000  # of a commit
MOST_DIFF_BYTES = 2 * 1024**3  # of changes that are read for one answer
_MOST_LINE = 16 * 1024 * 1024
_CHUNK = 64 * 1024
_ASKED_AT_ONCE = 200  # ids, whose answers a pipe holds
_ID_OF_SHA1 = 40
_DIFF = (
    *("--patch", "--unified=0", "--no-ext-diff", "--no-textconv", "--no-color"),
    *("--src-prefix=a/", "--dst-prefix=b/"),
)
_MISSING = "The program git is not installed; a vault's history is read by it."


def has_history(folder: Path) -> bool:
    """True if a folder is in a git repository that may be read, and git is here."""
    if find_git(folder) is None:
        return False
    try:
        GitHistory(folder).repository()
    except (SourceError, OSError):
        return False
    return True


class GitHistory:
    """The history of the folder of a vault, which may be a part of its repository."""

    def __init__(self, folder: Path, place: Path | None = None) -> None:
        """Runs nothing yet. `place` is a folder for git's settings; None: a temporary one."""
        self._folder = folder
        self._place = place
        self._ended = threading.Event()

    def again(self) -> GitHistory:
        """The history as it is now; what ends this one ends that too."""
        other = GitHistory(self._folder, self._place)
        other._ended = self._ended
        return other

    def close(self) -> None:
        """End what is being read."""
        self._ended.set()

    def repository(self) -> Repository:
        """The repository. SourceError if there is none, or it may not be read."""
        return find_repository(self._folder, self._setting, self._trusted_folders)

    def head(self) -> str:
        """The commit that is checked out. SourceError if there is no repository, or no commit."""
        if self._program is None:
            raise SourceError(_MISSING)
        return head_commit(self._check_repository)

    def commit_before(self, time: float) -> str | None:
        """The last commit before a time (POSIX seconds); None: there was none yet."""
        commit = self._text("rev-list", "-1", f"--before={time:.0f}", self.head()).strip()
        return commit or None

    def files(self, commit: str, wanted: Callable[[str], bool] = bool) -> Mapping[str, str]:
        """The `wanted` files of a commit, without links: the id of the content by the path."""
        prefix = self._check_repository.prefix
        try:
            tree = self._text("rev-parse", "--verify", "--quiet", f"{commit}:{prefix}").strip()
        except SourceError:
            return {}  # the commit does not have the vault's folder
        by_path: dict[str, str] = {}
        with self._running("ls-tree", "-r", "-z", tree) as child:
            for number, entry in enumerate(_entries(child)):
                if number > MOST_ENTRIES:
                    raise _too_large(f"more than {MOST_ENTRIES:,} files in one commit")
                facts, tab, name = entry.partition(b"\t")
                mode, _, rest = facts.partition(b" ")
                path = name.decode("utf-8", "surrogateescape")
                if tab and mode in {b"100644", b"100755"} and wanted(path):
                    by_path[path] = rest.split()[1].decode()
                if len(by_path) > MOST_NOTES:
                    raise _too_large(f"more than {MOST_NOTES:,} notes in one commit")
            _check_ended(child)
        return by_path

    def sizes(self, ids: Sequence[str]) -> Mapping[str, int]:
        """The sizes in bytes of contents, by their ids; those that are missing have none."""
        by_blob: dict[str, int] = {}
        waiting = iter(ids)
        with self._running("cat-file", "--batch-check") as child:
            if child.stdin is None or child.stdout is None:
                raise SourceError("git does not answer.")
            while asked := list(islice(waiting, _ASKED_AT_ONCE)):
                child.stdin.write("".join(f"{blob}\n" for blob in asked).encode())
                child.stdin.flush()
                for blob in asked:
                    *_, size = child.stdout.readline(_CHUNK).split() or [b""]
                    if size.isdigit():
                        by_blob[blob] = int(size)
        return by_blob

    def contents(self, ids: Iterable[str]) -> Iterator[bytes]:
        """The contents with these ids, in their order."""
        with self.reading() as content:
            yield from map(content, ids)

    @contextmanager
    def reading(self) -> Iterator[Callable[[str], bytes]]:
        """A function that gives the content with an id; SourceError if there is none.

        The sizes are to be known before: a content is read as a whole.
        """
        with self._running("cat-file", "--batch") as child:
            asked, answers = child.stdin, child.stdout
            if asked is None or answers is None:
                raise SourceError("git does not answer.")

            def content(one: str) -> bytes:
                asked.write(f"{one}\n".encode())
                asked.flush()
                *_, size = answers.readline(_CHUNK).split() or [b""]
                if not size.isdigit():
                    raise SourceError(f"git has no content {one}; is the repository whole?")
                body = answers.read(int(size))
                answers.read(1)
                return body

            yield content

    def changes(self, path: str | None = None) -> Iterator[FileChange]:
        """All changes of files, newest first; of one file, also under its former names."""
        head, prefix = self.head(), self._check_repository.prefix
        inside = f"{prefix}/" if prefix else ""
        if path is None:
            wanted = ("--no-renames", f"--relative={inside}", "--", *([inside] if inside else []))
        else:
            wanted = ("--follow", f"--relative={inside}", "--", f"{inside}{path}")
        with self._running("log", FORMAT, *_DIFF, head, *wanted) as child:
            yield from read_changes(_lines(child))
            _check_ended(child)

    @cached_property
    def _program(self) -> str | None:
        return find_git(self._folder)

    @cached_property
    def _check_repository(self) -> Repository:
        repository = self.repository()
        check_objects(repository)
        return repository

    def _setting(self, file: Path, key: str) -> str:
        """A setting in a file of git's settings; those of other files are not included."""
        if self._program is None or not file.is_file() or file.is_symlink():
            return ""
        return self._print({}, "config", "--file", str(file), "--no-includes", "--get", key)

    def _trusted_folders(self) -> tuple[str, ...]:
        """The folders whose repositories the user trusts, by git's own setting."""
        if self._program is None:
            return ()
        own = Path.home() / ".gitconfig"
        listed = self._print(
            {"HOME": str(Path.home()), "GIT_CONFIG_GLOBAL": str(own)},
            *("config", "--global", "--get-all", "safe.directory"),
        )
        return tuple(line.rstrip("/") or "/" for line in listed.splitlines())

    def _print(self, environment: dict[str, str], *arguments: str) -> str:
        """Run git outside of any repository and return what it prints; "" where it fails."""
        with running_git(self._program or "", arguments, environment) as child:
            out = child.stdout.read(_CHUNK) if child.stdout is not None else b""
        return out.decode("utf-8", "replace").strip()

    def _text(self, *arguments: str) -> str:
        with self._running(*arguments) as child:
            out = child.stdout.read(_CHUNK) if child.stdout is not None else b""
            _check_ended(child)
        return out.decode("utf-8", "replace")

    @contextmanager
    def _running(self, *arguments: str) -> Iterator[subprocess.Popen[bytes]]:
        program = self._program
        if program is None:
            raise SourceError(_MISSING)
        with self._settings() as folder:
            own = {
                "GIT_DIR": str(folder),
                "GIT_OBJECT_DIRECTORY": str(self._check_repository.objects),
            }
            with running_git(program, arguments, own, is_ended=self._ended.is_set) as child:
                yield child

    @contextmanager
    def _settings(self) -> Iterator[Path]:
        """A folder that git takes for a repository without settings and branches."""
        if self._place is not None:
            self._write_settings(self._place)
            yield self._place
            return
        with tempfile.TemporaryDirectory(prefix="notewell-git-") as folder:
            self._write_settings(Path(folder))
            yield Path(folder)

    def _write_settings(self, folder: Path) -> None:
        is_sha1 = len(head_commit(self._check_repository)) == _ID_OF_SHA1
        kind = "" if is_sha1 else "[extensions]\n\tobjectformat = sha256\n"
        version = 0 if is_sha1 else 1
        files = {
            "HEAD": "ref: refs/heads/none\n",
            "config": f"[core]\n\trepositoryformatversion = {version}\n\tbare = true\n{kind}",
            "shallow": shallow_commits(self._check_repository),
        }
        disk.make_folder(folder / "refs")
        disk.make_folder(folder / "objects")
        for name, text in files.items():
            place = folder / name
            if not text:
                place.unlink(missing_ok=True)
            elif not place.is_file() or place.read_bytes() != text.encode():
                disk.replace(place, text.encode())


def _entries(child: subprocess.Popen[bytes]) -> Iterator[bytes]:
    """The parts of what git prints that end in a NUL."""
    rest = b""
    while child.stdout is not None and (chunk := os.read(child.stdout.fileno(), _CHUNK)):
        *whole, rest = (rest + chunk).split(b"\0")
        yield from whole
        if len(rest) > _MOST_LINE:
            raise _too_large("a name of more than 16 MB")


def _lines(child: subprocess.Popen[bytes]) -> Iterator[str]:
    read = 0
    while child.stdout is not None and (line := child.stdout.readline(_MOST_LINE)):
        read += len(line)
        if read > MOST_DIFF_BYTES:
            raise _too_large(f"more than {MOST_DIFF_BYTES >> 30} GB of changes")
        yield line.decode("utf-8", "replace")


def _check_ended(child: subprocess.Popen[bytes]) -> None:
    """Raise SourceError if git has failed."""
    if child.wait():
        raise SourceError(
            "git could not read the history of this vault. `git fsck` tells whether the repository"
            " is whole."
        )


def _too_large(what: str) -> SourceError:
    return SourceError(
        f"The history of this vault is not read: it has {what}.", code="history_too_large"
    )
