"""Exports passages with their vectors and texts for other databases: Weaviate and Qdrant.

One JSON object a line, in the form that the database's import takes: a point of Qdrant (`id`,
`vector`, `payload`), or an object of Weaviate's batches (`class`, `id`, `properties`, `vector`).
An id is made of the note's path and the passage's place in it, so that a later export replaces what
an earlier one brought. Unlike a pack, the file holds the text of notes and their paths.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from types import MappingProxyType
from typing import BinaryIO, TypeAlias

import numpy as np
import orjson

from notewell.api.errors import NotFoundError, UsageError
from notewell.api.files import disk
from notewell.api.vault import IndexReader, StoredChunk, StoredNote
from notewell.base.errors import PackError
from notewell.base.types import IndexedModel

CLASS = "NotewellPassage"  # in Weaviate
_IDS = uuid.UUID("6b0d0f2e-5b5c-5f4e-9a53-0d8c5a3f7c11")  # of ids made by `point_id`
_NOTES_AT_ONCE = 200

Properties: TypeAlias = "Mapping[str, str | int | list[str] | None]"
Line: TypeAlias = "Mapping[str, object]"


@dataclass(frozen=True, slots=True)
class PointsReport:
    """The report of an export. `left_out`: passages without a vector. Dimensions of the vectors."""

    format: str
    model: str
    dimensions: int
    points: int
    left_out: int


def point_id(path: str, ordinal: int) -> str:
    """The id of a passage: the same in every export."""
    return str(uuid.uuid5(_IDS, f"{path}#{ordinal}"))


def _qdrant(id_: str, vector: list[float], properties: Properties) -> Line:
    return {"id": id_, "vector": vector, "payload": properties}


def _weaviate(id_: str, vector: list[float], properties: Properties) -> Line:
    """Weaviate takes no null, and has the property `id` for itself."""
    known = {name: value for name, value in properties.items() if value is not None}
    return {"class": CLASS, "id": id_, "properties": known, "vector": vector}


FORMATS: Mapping[str, Callable[[str, list[float], Properties], Line]] = MappingProxyType(
    {"qdrant": _qdrant, "weaviate": _weaviate}
)


def export_points(
    index: IndexReader, file: Path, *, to: str, overwrite: bool = False
) -> PointsReport:
    """Write the passages that have a vector of the model in use, note by note.

    Raises:
        NotFoundError: the index has no vectors.
        UsageError: the file exists and `overwrite` is false.
        PackError: the file cannot be written.

    """
    kept = index.current_model()
    if kept is None or not kept.vectors:
        raise NotFoundError(
            "This index has no vectors to export. Embed the vault first with `notewell index`."
        )
    if file.exists() and not overwrite:
        raise UsageError(f"{file} exists already. Name another file, or replace it with --force.")
    try:
        with disk.replacing(file, durable=True) as stream:
            points, passages = _write(index, kept, to, stream)
    except OSError as error:
        raise PackError(f"{file} cannot be written: {error}. Choose another place.") from error
    return PointsReport(to, str(kept.key), kept.dimensions, points, passages - points)


def _write(index: IndexReader, kept: IndexedModel, to: str, stream: BinaryIO) -> tuple[int, int]:
    """The number of points that were written, and that of passages."""
    points = passages = 0
    notes = index.all_notes()
    for first in range(0, len(notes), _NOTES_AT_ONCE):
        chunks = [
            (note, chunk)
            for note in notes[first : first + _NOTES_AT_ONCE]
            for chunk in index.chunks_of(note.id)
        ]
        passages += len(chunks)
        hashes = {chunk.text_hash for _, chunk in chunks}
        vectors = index.stored_vectors(kept.key, hashes)
        for line in _lines(chunks, vectors, to):
            stream.write(orjson.dumps(line, option=orjson.OPT_APPEND_NEWLINE))
            points += 1
    return points, passages


def _lines(
    chunks: list[tuple[StoredNote, StoredChunk]], vectors: Mapping[bytes, bytes], to: str
) -> Iterator[Line]:
    for note, chunk in chunks:
        packed = vectors.get(chunk.text_hash)
        if packed is not None:
            vector: list[float] = np.frombuffer(packed, "<f2").astype(np.float32).tolist()
            yield FORMATS[to](point_id(note.path, chunk.ordinal), vector, _properties(note, chunk))


def _properties(note: StoredNote, chunk: StoredChunk) -> Properties:
    """The properties of a passage; times are ISO 8601, as both databases read them."""
    return {
        "path": note.path,
        "title": note.title,
        "heading": " > ".join(chunk.headings),
        "text": chunk.text,
        "tags": list(note.tags),
        "line": chunk.lines[0] if chunk.lines else 1,
        "passage": chunk.ordinal,
        "text_hash": chunk.text_hash.hex(),
        "created": _time(note.created),
        "modified": _time(note.modified),
    }


def _time(seconds: float | None) -> str | None:
    return None if seconds is None else datetime.fromtimestamp(seconds, UTC).isoformat()
