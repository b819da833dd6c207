"""`notewell pack`: moves embeddings from one computer to another, or to other databases."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, BinaryIO, TypeAlias

import click
import numpy as np
import orjson

from notewell.base.errors import IndexInUseError, NotFoundError, PackError, UsageError
from notewell.base.support import disk
from notewell.base.types import (
    Embedder,
    IndexedModel,
    Settings,
    StoredChunk,
    StoredNote,
    VaultRecord,
)
from notewell.doors.cli.backend import server_for
from notewell.doors.cli.options import (
    Group,
    Invocation,
    agree,
    current_invocation,
    json_option,
    vault_option,
)
from notewell.doors.cli.output import clean, counted, emit_object
from notewell.doors.cli.vaults import find_or_add
from notewell.engine.feature import engines
from notewell.engine.vaults.known import KnownVaults
from notewell.features import FEATURES
from notewell.index.port import IndexReader

if TYPE_CHECKING:
    from notewell.index.port import Index


@click.group(cls=Group)
def pack() -> None:
    """Move embeddings from a fast computer to a slow one."""


@pack.command("export")
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE")
@click.option("--force", is_flag=True, help="Replace FILE if it exists.")
@click.option(
    "--to",
    type=click.Choice(["qdrant", "weaviate"]),
    help="Write passages with their text for this database instead, one JSON object a line.",
)
@click.option("--yes", is_flag=True, help="Agree to text and paths of notes in FILE (with --to).")
@vault_option
@json_option
def export_file(
    *, file: Path, force: bool, to: str | None, yes: bool, vault: str | None, as_json: bool
) -> None:
    """Write the vault's embeddings into FILE, a .tar.

    It holds a vector for every passage, under a hash of its text: no note text, no titles, no
    paths. With --to, FILE holds these too: it is for a database that you look after.
    """
    from notewell.features.packs.transfer import export_pack  # noqa: PLC0415 - loads numpy and more

    invocation = current_invocation()
    if to is not None:
        agree(
            f"{clean(str(file))} will hold the text of your notes, their titles and paths, for"
            f" {to.capitalize()}. Write it?",
            yes=yes,
        )
        _export_points(invocation, file, to, vault, force=force, as_json=as_json)
        return
    record = invocation.vault(vault)
    known = invocation.known()
    # Reading needs no lock: a server may continue to write meanwhile.
    with closing(_index(known, record, writable=False)) as index:
        report = export_pack(index, file, overwrite=force)
    if as_json:
        emit_object(report)
    else:
        click.echo(f"{counted(report.vectors, 'vector')} of {report.model} in {clean(str(file))}")


@pack.command("import")
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE")
@vault_option
@json_option
def import_file(file: Path, vault: str | None, as_json: bool) -> None:
    """Import embeddings from FILE, which `notewell pack export` wrote for the same notes.

    The vault may be indexed already or not yet. FILE must come from the same model; vectors for
    texts that this vault does not have do no harm.
    """
    from notewell.features.packs.transfer import import_pack  # noqa: PLC0415 - loads numpy and more

    invocation = current_invocation()
    known = invocation.known()
    record = find_or_add(invocation, vault)
    _refuse_if_served(known, record)
    with (
        closing(_embedder(invocation, known.settings(record))) as embedder,
        closing(_index(known, record, writable=True)) as index,
    ):
        report = import_pack(index, file, model=embedder.key, dimensions=embedder.dimensions)
        left = index.pending_count(embedder.key)
    if as_json:
        emit_object(report)
        return
    click.echo(f"{clean(record.name)}: {report.added:,} of {report.vectors:,} vectors were new")
    if left:
        lack = f"{counted(left, 'passage')} without an embedding"
        invocation.say(f"{lack}: `notewell index` makes what is missing.")


def _export_points(
    invocation: Invocation, file: Path, to: str, vault: str | None, *, force: bool, as_json: bool
) -> None:
    from notewell.features.packs.commands import export_points  # noqa: PLC0415 - loads numpy and more

    record = invocation.vault(vault)
    known = invocation.known()
    with closing(_index(known, record, writable=False)) as index:
        report = export_points(index, file, to=to, overwrite=force)
    if as_json:
        emit_object(report)
        return
    click.echo(
        f"{report.points:,} passages in {clean(str(file))}: cosine distance, {report.dimensions}"
        f" dimensions, of {report.model}"
    )
    if report.left_out:
        invocation.say(f"{report.left_out:,} passages without a vector were left out.")


def _index(known: KnownVaults, record: VaultRecord, *, writable: bool) -> Index:
    from notewell.index.engines import open_index  # noqa: PLC0415 - loads numpy and more

    return open_index(known.directory(record), writable=writable, added=engines(FEATURES))


def _refuse_if_served(known: KnownVaults, record: VaultRecord) -> None:
    server = server_for(known, record)
    if server is not None:
        raise IndexInUseError(
            f"{record.name} is being served at {server.info.url}, and an import needs exclusive "
            "access to its index: stop that server, import, and start it again"
        )


def _embedder(invocation: Invocation, settings: Settings) -> Embedder:
    """Load the vault's model, which must be on this computer: the pack must match it."""
    from notewell.models.loading import load_embedder  # noqa: PLC0415 - it loads numpy

    return load_embedder(
        settings.model,
        model_dir=settings.model_dir,
        offline=settings.offline,
        fetch_missing=False,
        say=invocation.say,
    )


# Exports passages with their vectors and texts for other databases: Weaviate and Qdrant.
#
# One JSON object a line, in the form that the database's import takes: a point of Qdrant (`id`,
# `vector`, `payload`), or an object of Weaviate's batches (`class`, `id`, `properties`, `vector`).
# An id is made of the note's path and the passage's place in it, so that a later export replaces
# what an earlier one brought. Unlike a pack, the file holds the text of notes and their paths.

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
