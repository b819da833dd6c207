"""Walks the folders of a vault, with its symbolic links and Unicode spellings of names."""

from __future__ import annotations

import os
import stat
import unicodedata
from collections.abc import Collection, Iterator
from pathlib import Path

from notewell.base.types import ExcludedFile, FileRef, Walk
from notewell.vault.own_files import is_own_file
from notewell.vault.paths import IgnoreRules, is_hidden
from notewell.vault.readers import described, is_readable


class Walker:
    """One walk over a vault, breadth first. `root` is a real path."""

    def __init__(self, root: str, ignore: IgnoreRules) -> None:
        """Prepare a walk; nothing is read yet."""
        self._root = root
        self._ignore = ignore
        self._found: dict[str, FileRef] = {}
        self._excluded: list[ExcludedFile] = []
        self._others: list[ExcludedFile] = []
        self._unread_type = f"Only {described(ignore.types)} become notes."
        self._warnings: list[str] = list(ignore.warnings)
        self._unread: list[str] = []
        # Folders already entered through a link. Each is entered once, so links cannot form a loop.
        self._linked: set[str] = set()

    def run(self) -> None:
        """Visit every folder. Not recursive, because folders may be nested arbitrarily deep."""
        self._visit([(self._root, "")])

    def run_within(self, folder: str, prefix: str, names: Collection[str]) -> None:
        """Visit some files and folders (NFC names) of one folder, and all below them."""
        self._visit(list(self._folder(folder, prefix, names)))

    def _visit(self, pending: list[tuple[str, str]]) -> None:
        while pending:
            folder, prefix = pending.pop()
            pending.extend(self._folder(folder, prefix))

    def result(self) -> Walk:
        """Return what was found, sorted by path."""
        return Walk(
            files=tuple(self._found[path] for path in sorted(self._found)),
            excluded=tuple(sorted(self._excluded, key=lambda item: item.file.path)),
            warnings=tuple(self._warnings),
            unread=tuple(sorted(self._unread)),
            others=tuple(sorted(self._others, key=lambda item: item.file.path)),
        )

    def _folder(
        self, folder: str, prefix: str, names: Collection[str] | None = None
    ) -> Iterator[tuple[str, str]]:
        """Record the files of one folder and yield its subfolders as (real path, prefix)."""
        try:
            with os.scandir(folder) as entries:
                listed = [entry for entry in entries if prefix or not is_own_file(entry.name)]
        except OSError as error:
            if not prefix:
                raise  # the vault itself is gone: that is no empty vault
            self.record_unreadable(prefix.rstrip("/"), error)
            return
        for entry in listed:
            if names is not None and _key(entry.name) not in names:
                continue
            spelled = f"{prefix}{entry.name}"
            try:
                if is_hidden(entry.name):
                    self._hidden(entry, spelled)
                elif entry.is_symlink():
                    yield from self._link(entry, prefix)
                elif entry.is_dir():
                    yield entry.path, f"{spelled}/"
                elif is_readable(entry.name, self._ignore.types):
                    self._file(spelled, entry.path, entry.stat())
                else:
                    self._other(spelled, "file_type", self._unread_type)
            except OSError as error:
                self.record_unreadable(spelled, error, link=entry.is_symlink())

    def _hidden(self, entry: os.DirEntry[str], spelled: str) -> None:
        """Record a hidden file. A hidden folder, and all below it, is no part of the vault."""
        if not entry.is_dir():
            self._other(spelled, "hidden", "Obsidian hides names that begin with a dot.")

    def _other(self, spelled: str, rule: str, reason: str) -> None:
        """Record what is in the vault and is never a note. Its size and time are not looked up."""
        place = Path(self._root, spelled)
        self._others.append(ExcludedFile(FileRef(_key(spelled), place, 0, 0), rule, reason))

    def record_unreadable(self, spelled: str, error: OSError, *, link: bool = False) -> None:
        """Record an unreadable file or folder, so that its notes are not taken for deleted.

        One that was deleted during the walk is not recorded, unless it is the target of a link.
        """
        if isinstance(error, FileNotFoundError) and not link:
            return
        self._unread.append(_key(spelled))
        if isinstance(error, FileNotFoundError):
            self._other(spelled, "broken_link", "A link to a file that is not there.")
        self._warn(f"{spelled} cannot be read ({error.strerror}); what it holds is left as it was.")

    def _link(self, entry: os.DirEntry[str], prefix: str) -> Iterator[tuple[str, str]]:
        """Follow a link that stays inside the vault; record one that leaves it."""
        real = os.path.realpath(entry.path)
        spelled = f"{prefix}{entry.name}"
        inside = real == self._root or real.startswith(self._root.rstrip(os.sep) + os.sep)
        if not inside:
            if is_readable(entry.name, self._ignore.types):
                file = FileRef(_key(spelled), Path(entry.path), 0, 0)
                reason = "A link to a file outside the vault is not followed."
                self._excluded.append(ExcludedFile(file, "symlink_outside", reason))
            else:
                reason = "A link out of the vault is not followed."
                self._other(spelled, "symlink_outside", reason)
                self._warn(f"{spelled} is a link out of the vault; it is not followed.")
        elif entry.is_dir():
            above = os.path.realpath(os.path.dirname(entry.path)) + os.sep  # noqa: PTH120 - strings all the way: Path objects triple the walk's time
            if above.startswith(real + os.sep) or real in self._linked:
                reason = "A link back to a folder that is already listed is not followed."
                self._other(spelled, "symlink_loop", reason)
                self._warn(f"{spelled} links back to a folder already listed; it is not followed.")
            else:
                self._linked.add(real)
                yield real, f"{spelled}/"
        elif is_readable(entry.name, self._ignore.types):
            self._file(spelled, real, entry.stat())
        else:
            self._other(spelled, "file_type", self._unread_type)

    def _file(self, spelled: str, disk_path: str, status: os.stat_result) -> None:
        if not stat.S_ISREG(status.st_mode):
            self._other(spelled, "not_a_file", "Not a plain file, such as a pipe or a socket.")
            self._warn(f"{spelled} is not a plain file; skipped.")
            return
        path = _key(spelled)
        file = FileRef(path, Path(disk_path), status.st_size, status.st_mtime_ns)
        if not spelled.isprintable() and _broken(spelled):
            reason = "Its name is not valid UTF-8. Rename it to have it indexed."
            self._excluded.append(ExcludedFile(file, "bad_name", reason))
            return
        decision = self._ignore.decide(path)
        if decision is not None:
            self._excluded.append(ExcludedFile(file, *decision))
        elif path in self._found:
            self._duplicate(path, spelled, file)
        else:
            self._found[path] = file

    def _duplicate(self, path: str, spelled: str, file: FileRef) -> None:
        """Keep the file whose name is spelled in NFC; list the other under its own spelling."""
        loser = file
        if spelled == path:
            loser, self._found[path] = self._found[path], file
        relative = os.path.relpath(loser.disk_path, self._root).replace(os.sep, "/")
        listed = FileRef(relative, loser.disk_path, loser.size, loser.mtime_ns)
        reason = f"Another file has the same name in another Unicode form: {path}."
        self._excluded.append(ExcludedFile(listed, "duplicate_name", reason))

    def _warn(self, message: str) -> None:
        self._warnings.append(message.encode("utf-8", "backslashreplace").decode())


def _broken(spelled: str) -> bool:
    """Whether a name contains bytes that are not UTF-8 (surrogates in Python)."""
    return any("\ud800" <= char <= "\udfff" for char in spelled)


def _key(spelled: str) -> str:
    """Return the path in NFC, with bytes that are not UTF-8 as escapes. Case is preserved."""
    if spelled.isascii():
        return spelled
    if _broken(spelled):
        spelled = spelled.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
    return unicodedata.normalize("NFC", spelled)
