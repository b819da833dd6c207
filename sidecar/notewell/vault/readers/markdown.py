"""Markdown files (`.md`), as Obsidian writes them."""

from __future__ import annotations

import hashlib

from notewell.types import SourceText
from notewell.vault.parse import parse
from notewell.vault.readers.reader import FileFacts, Reader, ReadNote, decode_text


def _read(raw: bytes, file: FileFacts) -> ReadNote:
    decoded = decode_text(raw, file.path)
    source = SourceText(
        decoded.text,
        decoded.encoding,
        hashlib.blake2b(raw, digest_size=16).digest(),
        decoded.warnings,
    )
    note = parse(file.path, source, modified=file.modified, created=file.created, types=file.types)
    return ReadNote(note, decoded.text)


MARKDOWN = Reader(".md", "Markdown files", _read, linked_by_stem=True)
