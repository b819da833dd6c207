"""Read the notes and documents of a vault from its files, each by the reader of its kind."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

from notewell.base.errors import UnreadableNoteError, VaultError
from notewell.base.types import (
    FileRef,
    Note,
    VaultRules,
)
from notewell.base.types.frozen import frozen
from notewell.vault.bounds import cap_note
from notewell.vault.files import hash_of, read, read_bytes, stat
from notewell.vault.normal import normal
from notewell.vault.readers import readable, reader_of
from notewell.vault.readers.process import ReaderProcess, Tesseract
from notewell.vault.readers.reader import ORDINARY_BYTES, FileFacts, Reader


@frozen
class HashedNote:
    """A note as read. `text` is what its offsets and lines count in."""

    note: Note
    text: str
    content_hash: bytes  # BLAKE2b-128 of the file's bytes


_WRITTEN = (".md", ".markdown", ".txt")


def write_text(root: Path, path: str) -> str | None:
    """Raw text of a file; None if it is unreadable or binary."""
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
        content = reader.read(raw, known)
    elif child is not None:
        content = child.read(raw, known)
    else:
        with closing(ReaderProcess()) as own:
            content = own.read(raw, known)
    return HashedNote(cap_note(normal(content.note, content.text)), content.text, hash_of(raw))


def make_note(file: FileRef, raw: bytes, rules: VaultRules) -> HashedNote:
    """A note whose bytes were made here, as `read_note` gives one; `file` names it."""
    known = FileFacts(file.path, modified=file.mtime_ns / 1e9, types=readable(rules.types)[0])
    content = _reader(file).read(raw, known)
    return HashedNote(cap_note(normal(content.note, content.text)), content.text, hash_of(raw))


def is_ordinary(file: FileRef) -> bool:
    """True if a file is read in a moment: no child process is needed."""
    reader = reader_of(file.path)
    return reader is not None and not _in_child(reader, file.size)


def _in_child(reader: Reader, size: int) -> bool:
    return reader.in_child or size > ORDINARY_BYTES


def content_hash(file: FileRef, rules: VaultRules) -> bytes:
    """The hash that tells a file that moved from another; raises what `read_note` raises."""
    return hash_of(_bytes(file, rules, _reader(file)))


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
