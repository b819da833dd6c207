"""Reads files of any type, and creates canvases."""

from __future__ import annotations

import json

from notewell.base.types import ChunkSizes
from notewell.vault.chunk import chunk
from notewell.vault.readers.reader import FileFacts, Reader, ReadNote
from tests.vault.notes import check_chunks, check_note, words


def node(id_: str, kind: str = "text", **fields: object) -> dict[str, object]:
    place = {"x": 0, "y": 0, "width": 10, "height": 10}
    return {"id": id_, "type": kind, **place, **fields}


def canvas(*nodes: object, edges: tuple[object, ...] = ()) -> str:
    return json.dumps({"nodes": nodes, "edges": edges}, ensure_ascii=False)


def drawing(*elements: object) -> str:
    whole = {"type": "excalidraw", "version": 2, "elements": elements}
    return json.dumps(whole, ensure_ascii=False)


def read(reader: Reader, raw: bytes, name: str = "Folder/A note") -> ReadNote:
    return reader.read(raw, FileFacts(f"{name}{reader.suffix}", modified=2.0, created=1.0))


def check(found: ReadNote) -> None:
    """All that is promised of places, in the note and in its chunks."""
    check_note(found.note, found.text)
    sizes = ChunkSizes(64, 12, 6)
    chunks = chunk(found.note, count_tokens=words, sizes=sizes)
    check_chunks(found.note, chunks, found.text, sizes, words)
