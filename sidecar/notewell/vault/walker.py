"""Lists the notes of a vault by its rules.

`Walker` follows symbolic links within the vault and knows names in any Unicode form.
"""

from __future__ import annotations

import errno
import os
import unicodedata
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path, PurePosixPath
from stat import S_ISREG

from notewell.base.errors import OutsideVaultError, VaultError
from notewell.base.types import (
    ExcludedFile,
    FileRef,
    VaultRules,
    Walk,
    WalkWarning,
)
from notewell.vault.conflicts import CONFLICT_COPY, original_names, related_names, set_aside
from notewell.vault.evicted import NOT_HERE, NOT_HERE_REASON, evicted_name
from notewell.vault.files import check_relative, contain_path, file_ref, read_bytes
from notewell.vault.paths import IgnoreRules, is_hidden, is_own_file, load_rules
from notewell.vault.readers import describe_types, is_readable, readable

_LOOP = "A link back to a folder that is already listed is not followed."


class Walker:
    """One walk over a vault, breadth first. `root` is a real path."""

    def __init__(self, root: str, ignore: IgnoreRules) -> None:
        """Prepare a walk; nothing is read yet."""
        self._root = root
        self._ignore = ignore
        self._found: dict[str, FileRef] = {}
        self._excluded: list[ExcludedFile] = []
        self._others: list[ExcludedFile] = []
        self._unread_type = f"Only {describe_types(ignore.types)} become notes."
        self._warnings = [WalkWarning(warning, "") for warning in ignore.warnings]
        self._unread: list[str] = []
        self._beside: list[str] = []
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
        notes, copies = set_aside(self._found, _bytes_to_compare)
        return Walk(
            files=tuple(notes[path] for path in sorted(notes)),
            excluded=tuple(sorted((*self._excluded, *copies), key=lambda item: item.file.path)),
            warnings=tuple(self._warnings),
            unread=tuple(sorted(self._unread)),
            others=tuple(sorted(self._others, key=lambda item: item.file.path)),
            beside=tuple(self._beside),
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
        if names is not None:
            listed = self._select_entries(listed, prefix, names)
        for entry in listed:
            spelled = f"{prefix}{entry.name}"
            try:
                if is_hidden(entry.name):
                    self._record_hidden(entry, spelled)
                elif entry.is_symlink():
                    yield from self._link(entry, prefix)
                elif entry.is_dir():
                    yield entry.path, f"{spelled}/"
                elif is_readable(entry.name, self._ignore.types):
                    self._file(spelled, entry.path, entry.stat())
                else:
                    self._leave_out(spelled, "file_type", self._unread_type)
            except OSError as error:
                self.record_unreadable(spelled, error, link=entry.is_symlink())

    def _select_entries(
        self, listed: Sequence[os.DirEntry[str]], prefix: str, names: Collection[str]
    ) -> list[os.DirEntry[str]]:
        """The entries of some names, and of the conflict copies and originals beside them."""
        related = related_names(names, [_key(entry.name) for entry in listed])
        self._beside += [f"{_key(prefix)}{name}" for name in related if name not in names]
        return [
            entry
            for entry in listed
            if _key(entry.name) in related or evicted_name(entry.name) in related
        ]

    def _record_hidden(self, entry: os.DirEntry[str], spelled: str) -> None:
        """Record a hidden file. A hidden folder, and all below it, is no part of the vault."""
        evicted = evicted_name(entry.name)
        if evicted is not None and is_readable(evicted, self._ignore.types):
            path = spelled.removesuffix(entry.name) + evicted
            self._unread.append(_key(path))
            self._beside.append(_key(path))
            self._leave_out(path, NOT_HERE, NOT_HERE_REASON)
        elif not entry.is_dir():
            self._leave_out(spelled, "hidden", "Obsidian hides names that begin with a dot.")

    def _leave_out(self, spelled: str, rule: str, reason: str, *, is_note: bool = False) -> None:
        """Record a file that is not read. Its size and time are not looked up."""
        (self._excluded if is_note else self._others).append(
            ExcludedFile(FileRef(_key(spelled), Path(self._root, spelled), 0, 0), rule, reason)
        )

    def record_unreadable(self, spelled: str, error: OSError, *, link: bool = False) -> None:
        """Record an unreadable file or folder, so that its notes are not taken for deleted.

        One that was deleted during the walk is not recorded, unless it is the target of a link.
        """
        if isinstance(error, FileNotFoundError) and not link:
            return
        left = f"cannot be read ({error.strerror}); what it holds is left as it was."
        self._unread.append(_key(spelled))
        if isinstance(error, FileNotFoundError):
            self._leave_out(spelled, "broken_link", "A link to a file that is not there.")
        elif error.errno == errno.ELOOP:
            self._leave_out(spelled, "symlink_loop", "A link that leads back to itself.")
        else:
            self._leave_out(spelled, "unreadable", f"It {left}")
        self._warn(spelled, f" {left}")

    def _link(self, entry: os.DirEntry[str], prefix: str) -> Iterator[tuple[str, str]]:
        """Follow a link that stays inside the vault; record one that leaves it."""
        real = os.path.realpath(entry.path)
        spelled = f"{prefix}{entry.name}"
        inside = real == self._root or real.startswith(self._root.rstrip(os.sep) + os.sep)
        if not inside:
            is_note = is_readable(entry.name, self._ignore.types)
            reason = "A link out of the vault is not followed."
            self._leave_out(spelled, "symlink_outside", reason, is_note=is_note)
            if not is_note:
                self._warn(spelled, " is a link out of the vault; it is not followed.")
        elif entry.is_dir():
            above = os.path.realpath(os.path.dirname(entry.path)) + os.sep  # noqa: PTH120 - strings all the way: Path objects triple the walk's time
            if above.startswith(real + os.sep) or real in self._linked:
                self._leave_out(spelled, "symlink_loop", _LOOP)
                self._warn(spelled, " links back to a folder already listed; it is not followed.")
            else:
                self._linked.add(real)
                yield real, f"{spelled}/"
        elif is_readable(entry.name, self._ignore.types):
            self._file(spelled, real, entry.stat())
        else:
            self._leave_out(spelled, "file_type", self._unread_type)

    def _file(self, spelled: str, disk_path: str, status: os.stat_result) -> None:
        if not S_ISREG(status.st_mode):
            self._leave_out(spelled, "not_a_file", "Not a plain file, such as a pipe or a socket.")
            self._warn(spelled, " is not a plain file; skipped.")
            return
        path = _key(spelled)
        file = file_ref(path, Path(disk_path), status)
        if not spelled.isprintable() and _has_broken_bytes(spelled):
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

    def _warn(self, spelled: str, reason: str) -> None:
        printable = spelled.encode("utf-8", "backslashreplace").decode()
        self._warnings.append(WalkWarning(printable, reason))


def _bytes_to_compare(file: FileRef) -> bytes:
    return read_bytes(file, file.size)


def _has_broken_bytes(spelled: str) -> bool:
    """True if a name contains bytes that are not UTF-8 (surrogates in Python)."""
    return any("\ud800" <= char <= "\udfff" for char in spelled)


def _key(spelled: str) -> str:
    """Return the path in NFC, with bytes that are not UTF-8 as escapes. Case is preserved."""
    if spelled.isascii():
        return spelled
    if _has_broken_bytes(spelled):
        spelled = spelled.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
    return unicodedata.normalize("NFC", spelled)


def walk(root: Path, rules: VaultRules, within: Sequence[str] = ()) -> Walk:
    """List all files under `root`, sorted by path.

    `within` limits the walk to these notes and folders; those that do not exist are skipped.
    Files in folders that Obsidian hides are not listed at all. A folder that cannot be read is a
    warning. Raises VaultError when `root` itself cannot be read, OutsideVaultError for a path in
    `within` that leads out of it.
    """
    real_root = os.path.realpath(root)
    walker = Walker(real_root, load_rules(Path(real_root), rules))
    try:
        os.scandir(real_root).close()
        if within:
            _walk_within(walker, Path(real_root), within)
        else:
            walker.run()
    except OSError as error:
        raise VaultError(
            f"The vault folder {root} cannot be read: {error.strerror}. "
            "Check that it exists and that you may read it."
        ) from error
    walk_result = walker.result()
    # A look at the whole vault has listed all places anyway.
    return walk_result if within else replace(walk_result, beside=())


def _walk_within(walker: Walker, root: Path, within: Sequence[str]) -> None:
    by_folder: dict[str, set[str]] = defaultdict(set)
    for path in outermost(within):
        check_relative(path)
        parent, _, name = path.rpartition("/")
        if not any(is_hidden(part) for part in parent.split("/") if part):
            by_folder[parent].add(unicodedata.normalize("NFC", name))
    for parent, names in by_folder.items():
        try:
            folder = contain_path(root, parent) if parent else root
            if folder.is_dir():
                walker.run_within(str(folder), f"{parent}/" if parent else "", names)
        except OSError as error:  # a folder above it may not be searched
            walker.record_unreadable(parent, error)


def outermost(paths: Iterable[str]) -> tuple[str, ...]:
    """Drop every path that lies in a folder which is itself among the paths."""
    kept: list[str] = []
    for path in sorted({path.strip("/") for path in paths}, key=lambda path: path.split("/")):
        if not kept or not path.startswith(f"{kept[-1]}/"):
            kept.append(path)
    return tuple(kept)


def is_folder(root: Path, path: str) -> bool:
    """True if `path` is a folder of the vault that no link out of the vault leads to.

    Raises OutsideVaultError for an absolute path or one with `..`.
    """
    check_relative(path)
    try:
        return os.path.isdir(contain_path(root, path))  # noqa: PTH112 - as above
    except OutsideVaultError:  # through a link: `decide` has a rule for that
        return False


def decide(root: Path, rules: VaultRules, path: str) -> tuple[str, str] | None:
    """Return (rule, reason) of the rule that excludes `path`, or None when it is indexed.

    Covers the rules of `walk` that need only the path, and files hidden by Obsidian. Raises
    OutsideVaultError for a path that is not inside the vault.
    """
    check_relative(path)
    parts = path.split("/")
    hidden = next((part for part in parts if is_hidden(part)), None)
    if hidden is not None:
        return "hidden", f"Obsidian hides {hidden}, and so does Notewell."
    types, _ = readable(rules.types)
    if not is_readable(parts[-1], types):
        return "file_type", f"Only {describe_types(types)} become notes."
    try:
        contain_path(root, path)
    except OutsideVaultError as error:
        return "symlink_outside", error.message
    if any(_leads_back(root / parent) for parent in PurePosixPath(path).parents[:-1]):
        return "symlink_loop", _LOOP
    rule = load_rules(root, rules).decide(unicodedata.normalize("NFC", path))
    return rule or (_as_copy(root, rules, path) if original_names(path) else None)


def _as_copy(root: Path, rules: VaultRules, path: str) -> tuple[str, str] | None:
    excluded = walk(root, rules, [path]).excluded
    copies = (item for item in excluded if item.rule == CONFLICT_COPY and item.file.path == path)
    return next(((item.rule, item.reason) for item in copies), None)


def _leads_back(folder: Path) -> bool:
    """True for a link to a folder that it is in itself."""
    if not os.path.islink(folder):  # noqa: PTH114 - false for names too long for any disk
        return False
    within, target = os.path.realpath(folder.parent), os.path.realpath(folder)
    return Path(within).is_relative_to(target)
