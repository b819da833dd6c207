"""Lists the files of a vault and reads them as text or notes, never outside of its folder."""

from __future__ import annotations

import errno
import hashlib
import os
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Sequence
from contextlib import closing
from pathlib import Path, PurePosixPath
from stat import S_ISREG

from notewell.base.errors import OutsideVaultError, UnreadableNoteError, VaultError
from notewell.base.types import FileRef, Note, SourceText, VaultRules, Walk
from notewell.base.types.frozen import frozen
from notewell.vault.note_bounds import bounded
from notewell.vault.paths import is_hidden, load_rules
from notewell.vault.readers import described, is_readable, readable, reader_of
from notewell.vault.readers.ocr import Tesseract
from notewell.vault.readers.process import ReaderProcess
from notewell.vault.readers.reader import ORDINARY_BYTES, FileFacts, Reader, decode_text
from notewell.vault.walker import Walker

# Windows has neither flag: there a link is caught by the comparison of real paths alone.
_OPEN_FLAGS = (
    os.O_RDONLY
    | getattr(os, "O_BINARY", 0)
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_NONBLOCK", 0)
)


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
    return walker.result()


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
    return FileRef(key, place, status.st_size, status.st_mtime_ns)


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
            # One more than allowed, in case the file grows while it is read.
            raw = handle.read(max_bytes + 1)
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
    parts = path.replace("\\", "/").split("/") if os.name == "nt" else path.split("/")
    drive = os.path.splitdrive(path)[0]
    if not path or path.startswith("/") or drive or ".." in parts or "\x00" in path:
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
    """Whether `path` is a folder of the vault that no link out of the vault leads to.

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
    return load_rules(root, rules).decide(unicodedata.normalize("NFC", path))


@frozen
class NoteText:
    """A note as read. `text` is what its offsets and lines count in."""

    note: Note
    text: str
    content_hash: bytes  # BLAKE2b-128 of the file's bytes


def read_note(file: FileRef, rules: VaultRules, child: ReaderProcess | None = None) -> NoteText:
    """Read a file with the reader for its ending.

    What may crash or delay its parser is read in the `child`; None: in one for this file alone.

    Raises UnreadableNoteError with code "vanished", "unreadable" (this includes a file that is
    not of its format), "too_slow", "too_large", "binary" or "encrypted".
    """
    reader = _reader(file)
    raw = _bytes(file, rules, reader)
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
    return NoteText(bounded(found.note), found.text, _hash(raw))


def is_ordinary(file: FileRef) -> bool:
    """Whether a file is read in a moment: no child process is needed."""
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


def _bytes(file: FileRef, rules: VaultRules, reader: Reader) -> bytes:
    key = "max_document_bytes" if reader.binary else "max_note_bytes"
    most = rules.max_document_bytes if reader.binary else rules.max_note_bytes
    if reader.max_bytes is not None and reader.max_bytes < most:
        return read_bytes(file, reader.max_bytes, limit=f"for {reader.name}")
    return read_bytes(file, most, limit=f"setting vault.{key}")


def _hash(raw: bytes) -> bytes:
    return hashlib.blake2b(raw, digest_size=16).digest()
