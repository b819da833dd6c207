"""Reads a file of a vault as a note, with the reader for its type."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from notewell.errors import UnreadableNoteError
from notewell.types import FileRef, Note, VaultRules
from notewell.vault import files
from notewell.vault.readers import readable, reader_of
from notewell.vault.readers.reader import FileFacts, Reader


@dataclass(frozen=True, slots=True)
class NoteText:
    """A note as read. `text` is what its offsets and lines count in."""

    note: Note
    text: str
    content_hash: bytes  # BLAKE2b-128 of the file's bytes


def read_note(file: FileRef, rules: VaultRules) -> NoteText:
    """Read a file with the reader for its ending.

    Raises UnreadableNoteError with code "vanished", "unreadable" (this includes a file that is
    not of its format), "too_large" or "binary".
    """
    reader = _reader(file)
    raw = _bytes(file, rules, reader)
    known = FileFacts(file.path, modified=file.mtime_ns / 1e9, types=readable(rules.types)[0])
    found = reader.read(raw, known)
    return NoteText(found.note, found.text, _hash(raw))


def content_hash(file: FileRef, rules: VaultRules) -> bytes:
    """The hash that tells a file that moved from another; raises what `read_note` raises."""
    return _hash(_bytes(file, rules, _reader(file)))


def _reader(file: FileRef) -> Reader:
    reader = reader_of(file.path)
    if reader is None:
        raise UnreadableNoteError(f"Nothing reads files like {file.path}.", code="unreadable")
    return reader


def _bytes(file: FileRef, rules: VaultRules, reader: Reader) -> bytes:
    if reader.max_bytes is not None and reader.max_bytes < rules.max_note_bytes:
        return files.read_bytes(file, reader.max_bytes, limit=f"for {reader.name}")
    return files.read_bytes(file, rules.max_note_bytes)


def _hash(raw: bytes) -> bytes:
    return hashlib.blake2b(raw, digest_size=16).digest()
