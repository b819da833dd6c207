"""Lists the files of a vault and reads them as text or notes, never outside of its folder.

`Walker` follows symbolic links within the vault and knows names in any Unicode form.
"""

from __future__ import annotations

import errno
import hashlib
import os
import unicodedata
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path, PurePosixPath
from stat import S_ISREG

from notewell.base.errors import OutsideVaultError, UnreadableNoteError, VaultError
from notewell.base.support.relative_paths import is_inside
from notewell.base.types import (
    ExcludedFile,
    FileRef,
    Note,
    SourceText,
    VaultRules,
    Walk,
    WalkWarning,
)
from notewell.base.types.frozen import frozen
from notewell.vault.bounds import bounded
from notewell.vault.conflicts import CONFLICT_COPY, original_names, related_names, set_aside
from notewell.vault.evicted import NOT_HERE, NOT_HERE_REASON, evicted_name, is_elsewhere
from notewell.vault.normal import normal
from notewell.vault.paths import IgnoreRules, is_hidden, is_own_file, load_rules
from notewell.vault.readers import described, is_readable, readable, reader_of
from notewell.vault.readers.process import ReaderProcess, Tesseract
from notewell.vault.readers.reader import ORDINARY_BYTES, FileFacts, Reader, decode_text

_LOOP = "A link back to a folder that is already listed is not followed."
# Windows has neither flag: there a link is caught by the comparison of real paths alone.
_OPEN_FLAGS = (
    os.O_RDONLY
    | getattr(os, "O_BINARY", 0)
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_NONBLOCK", 0)
)


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
        self._warnings = [WalkWarning(each, "") for each in ignore.warnings]
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
        notes, copies = set_aside(self._found, _compared_bytes)
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
            listed = self._wanted(listed, prefix, names)
        for entry in listed:
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
                    self._leave_out(spelled, "file_type", self._unread_type)
            except OSError as error:
                self.record_unreadable(spelled, error, link=entry.is_symlink())

    def _wanted(
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

    def _hidden(self, entry: os.DirEntry[str], spelled: str) -> None:
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
        file = _file_ref(path, Path(disk_path), status)
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

    def _warn(self, spelled: str, reason: str) -> None:
        printable = spelled.encode("utf-8", "backslashreplace").decode()
        self._warnings.append(WalkWarning(printable, reason))


def _compared_bytes(file: FileRef) -> bytes:
    return read_bytes(file, file.size)


def _broken(spelled: str) -> bool:
    """True if a name contains bytes that are not UTF-8 (surrogates in Python)."""
    return any("\ud800" <= char <= "\udfff" for char in spelled)


def _key(spelled: str) -> str:
    """Return the path in NFC, with bytes that are not UTF-8 as escapes. Case is preserved."""
    if spelled.isascii():
        return spelled
    if _broken(spelled):
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
    found = walker.result()
    # A look at the whole vault has listed all places anyway.
    return found if within else replace(found, beside=())


def _walk_within(walker: Walker, root: Path, within: Sequence[str]) -> None:
    by_folder: dict[str, set[str]] = defaultdict(set)
    for path in outermost(within):
        _check_relative(path)
        parent, _, name = path.rpartition("/")
        if not any(is_hidden(part) for part in parent.split("/") if part):
            by_folder[parent].add(unicodedata.normalize("NFC", name))
    for parent, names in by_folder.items():
        try:
            folder = contained(root, parent) if parent else root
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


def read(file: FileRef, *, max_bytes: int) -> SourceText:
    """Read and decode a text file, at most `max_bytes` of it.

    Raises UnreadableNoteError with code "vanished", "unreadable", "too_large" (checked before
    anything is read) or "binary". A symbolic link that replaced the file since is refused.
    """
    raw = read_bytes(file, max_bytes)
    decoded = decode_text(raw, file.path)
    return SourceText(
        text=decoded.text,
        encoding=decoded.encoding,
        content_hash=_hash(raw),
        warnings=decoded.warnings,
    )


def stat(root: Path, path: str) -> FileRef:
    """Look one note up by its path, as the walk would list it.

    Raises OutsideVaultError, or UnreadableNoteError with code "vanished" or "unreadable".
    """
    place = contained(root, path)
    try:
        status = place.stat()
    except OSError as error:
        # No file system stores a name that is too long, so there is no such file.
        if error.errno in {errno.ENOENT, errno.ENOTDIR, errno.ENAMETOOLONG}:
            raise UnreadableNoteError(f"{path} is not in the vault.", code="vanished") from error
        raise UnreadableNoteError(
            f"{path} cannot be examined: {error.strerror}. Check its permissions.",
            code="unreadable",
        ) from error
    key = unicodedata.normalize("NFC", path)
    return _file_ref(key, place, status)


def _file_ref(path: str, disk_path: Path, status: os.stat_result) -> FileRef:
    # A file that is given up changes its entry: to compare it would fetch it again.
    ctime_ns = 0 if is_elsewhere(status) else status.st_ctime_ns
    return FileRef(path, disk_path, status.st_size, status.st_mtime_ns, ctime_ns)


def read_bytes(
    file: FileRef, max_bytes: int, *, limit: str = "setting vault.max_note_bytes"
) -> bytes:
    """Read a file as it is on disk; raises what `read` raises.

    `limit` says whose limit `max_bytes` is, for the message that it is exceeded.
    """
    try:
        descriptor = os.open(file.disk_path, _OPEN_FLAGS)
        with os.fdopen(descriptor, "rb") as handle:
            _check_opened(file, os.fstat(descriptor), max_bytes, limit)
            # One more than it has, in case it grows meanwhile. Not one more than the limit: that
            # many bytes are reserved before anything is read.
            raw = handle.read(os.fstat(descriptor).st_size + 1)
    except (FileNotFoundError, NotADirectoryError) as error:
        raise UnreadableNoteError(
            f"{file.path} is gone; it was moved or deleted since the vault was listed.",
            code="vanished",
        ) from error
    except OSError as error:
        raise UnreadableNoteError(
            f"{file.path} cannot be read: {error.strerror}. Check its permissions.",
            code="unreadable",
        ) from error
    if len(raw) > max_bytes:
        raise _too_large(file, len(raw), max_bytes, limit)
    return raw


def _check_opened(file: FileRef, status: os.stat_result, max_bytes: int, limit: str) -> None:
    """Raise UnreadableNoteError if this is not the plain file that the walk found."""
    # Path.absolute() would keep `..`, which the real path never has.
    place = os.fspath(file.disk_path)
    named = os.path.abspath(place)  # noqa: PTH100 - see above
    moved = os.path.normcase(os.path.realpath(place)) != os.path.normcase(named)
    if moved or not S_ISREG(status.st_mode):
        raise UnreadableNoteError(
            f"{file.path} is no longer a plain file in the vault; a link to it is not followed.",
            code="unreadable",
        )
    if status.st_size > max_bytes:
        raise _too_large(file, status.st_size, max_bytes, limit)


def _too_large(file: FileRef, size: int, max_bytes: int, limit: str) -> UnreadableNoteError:
    return UnreadableNoteError(
        f"{file.path} has {size / 1e6:.1f} MB, more than the limit of {max_bytes / 1e6:.1f} MB "
        f"({limit}).",
        code="too_large",
    )


def contained(root: Path, path: str) -> Path:
    """Return the real path on disk of a vault-relative path, with links resolved.

    The file need not exist. A name that the disk spells in another Unicode form is found. Raises
    OutsideVaultError for absolute paths, `..`, NUL and links that leave the vault.
    """
    _check_relative(path)
    real_root = Path(os.path.realpath(root))
    place = real_root
    for part in PurePosixPath(path).parts:
        place = _spelled(place, part)
    real = Path(os.path.realpath(place))
    if real != real_root and real_root not in real.parents:
        raise OutsideVaultError(f"{path} leads out of the vault through a link; it is not read.")
    return real


def check_contained(root: Path, paths: Iterable[str]) -> None:
    """Raise OutsideVaultError where `contained` does for one of many vault-relative paths.

    Links are resolved once for each folder, which for many files takes a tenth of the time.
    """
    folders: set[str] = set()
    for path in paths:
        folder, _, name = path.rpartition("/")
        place = os.path.join(root, path)  # noqa: PTH118 - Path objects triple the time
        if folder not in folders and folder:
            contained(root, folder)
            folders.add(folder)
        if not name.isascii() or os.path.islink(place):  # noqa: PTH114 - as above
            contained(root, path)
        else:
            _check_relative(path)


def _check_relative(path: str) -> None:
    if not is_inside(path):
        raise OutsideVaultError(
            f"{path!r} is not a path inside the vault. "
            "Give it relative to the vault folder, without `..`."
        )


def _spelled(folder: Path, name: str) -> Path:
    """Return `folder/name` in the Unicode form used on disk (NFD if a Mac wrote it)."""
    direct = folder / name
    if name.isascii() or os.path.exists(direct):  # noqa: PTH110 - Path's raises for long names
        return direct
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                if unicodedata.normalize("NFC", entry.name) == name:
                    return Path(entry.path)
    except OSError:
        return direct
    return direct


def is_folder(root: Path, path: str) -> bool:
    """True if `path` is a folder of the vault that no link out of the vault leads to.

    Raises OutsideVaultError for an absolute path or one with `..`.
    """
    _check_relative(path)
    try:
        return os.path.isdir(contained(root, path))  # noqa: PTH112 - as above
    except OutsideVaultError:  # through a link: `decide` has a rule for that
        return False


def decide(root: Path, rules: VaultRules, path: str) -> tuple[str, str] | None:
    """Return (rule, reason) of the rule that excludes `path`, or None when it is indexed.

    Covers the rules of `walk` that need only the path, and files hidden by Obsidian. Raises
    OutsideVaultError for a path that is not inside the vault.
    """
    _check_relative(path)
    parts = path.split("/")
    hidden = next((part for part in parts if is_hidden(part)), None)
    if hidden is not None:
        return "hidden", f"Obsidian hides {hidden}, and so does Notewell."
    types, _ = readable(rules.types)
    if not is_readable(parts[-1], types):
        return "file_type", f"Only {described(types)} become notes."
    try:
        contained(root, path)
    except OutsideVaultError as error:
        return "symlink_outside", error.message
    if any(_leads_back(root / one) for one in PurePosixPath(path).parents[:-1]):
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


@frozen
class HashedNote:
    """A note as read. `text` is what its offsets and lines count in."""

    note: Note
    text: str
    content_hash: bytes  # BLAKE2b-128 of the file's bytes


_WRITTEN = (".md", ".markdown", ".txt")


def written_text(root: Path, path: str) -> str | None:
    """The text of a file as it is written; None if it cannot be read, or is no text."""
    if not path.lower().endswith(_WRITTEN):
        return None
    try:
        return read(stat(root, path), max_bytes=VaultRules().max_note_bytes).text
    except VaultError:
        return None


def read_note(file: FileRef, rules: VaultRules, child: ReaderProcess | None = None) -> HashedNote:
    """Read a file with the reader for its ending.

    What may crash or delay its parser is read in the `child`; None: in one for this file alone.

    Raises UnreadableNoteError with code "vanished", "unreadable" (this includes a file that is
    not of its format), "too_slow", "too_large", "binary" or "encrypted".
    """
    return read_bytes_of_note(file, _bytes(file, rules, _reader(file)), rules, child)


def read_bytes_of_note(
    file: FileRef, raw: bytes, rules: VaultRules, child: ReaderProcess | None = None
) -> HashedNote:
    """Read a note from its bytes, as `read_note` does; `file` names it."""
    reader = _reader(file)
    types = readable(rules.types)[0]
    ocr = Tesseract() if rules.ocr else None
    known = FileFacts(file.path, modified=file.mtime_ns / 1e9, types=types, ocr=ocr)
    if not _in_child(reader, len(raw)):
        found = reader.read(raw, known)
    elif child is not None:
        found = child.read(raw, known)
    else:
        with closing(ReaderProcess()) as own:
            found = own.read(raw, known)
    return HashedNote(bounded(normal(found.note, found.text)), found.text, _hash(raw))


def made_note(file: FileRef, raw: bytes, rules: VaultRules) -> HashedNote:
    """A note whose bytes were made here, as `read_note` gives one; `file` names it."""
    known = FileFacts(file.path, modified=file.mtime_ns / 1e9, types=readable(rules.types)[0])
    found = _reader(file).read(raw, known)
    return HashedNote(bounded(normal(found.note, found.text)), found.text, _hash(raw))


def is_ordinary(file: FileRef) -> bool:
    """True if a file is read in a moment: no child process is needed."""
    reader = reader_of(file.path)
    return reader is not None and not _in_child(reader, file.size)


def _in_child(reader: Reader, size: int) -> bool:
    return reader.in_child or size > ORDINARY_BYTES


def content_hash(file: FileRef, rules: VaultRules) -> bytes:
    """The hash that tells a file that moved from another; raises what `read_note` raises."""
    return _hash(_bytes(file, rules, _reader(file)))


def _reader(file: FileRef) -> Reader:
    reader = reader_of(file.path)
    if reader is None:
        raise UnreadableNoteError(f"Nothing reads files like {file.path}.", code="unreadable")
    return reader


def content_limit(file: FileRef, rules: VaultRules) -> int:
    """The most bytes of a file that are read."""
    reader = _reader(file)
    most = rules.max_document_bytes if reader.binary else rules.max_note_bytes
    return most if reader.max_bytes is None else min(most, reader.max_bytes)


def _bytes(file: FileRef, rules: VaultRules, reader: Reader) -> bytes:
    key = "max_document_bytes" if reader.binary else "max_note_bytes"
    most = content_limit(file, rules)
    limit = f"for {reader.name}" if most == reader.max_bytes else f"setting vault.{key}"
    return read_bytes(file, most, limit=limit)


def _hash(raw: bytes) -> bytes:
    return hashlib.blake2b(raw, digest_size=16).digest()
