"""A comparable dump of an index, equal for two indexes of the same folder."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path

from notewell.base.types import Settings, VaultRecord
from notewell.engine.engine import Engine
from notewell.features import FEATURES
from notewell.index.embedded import EmbeddedIndex
from notewell.index.embedded.store import DATABASE
from notewell.vault.chunk import chunk
from notewell.vault.sources import source_of


@dataclass(frozen=True, slots=True)
class PicturedNote:
    """What an index says of a note. Ids and generations belong to a history and are left out."""

    title: str
    tags: tuple[str, ...]
    chunks: tuple[tuple[int, tuple[str, ...], int, int, str, bytes], ...]
    vectors: frozenset[bytes]  # the texts of its chunks whose vector is kept
    links: tuple[tuple[str, str | None], ...]


@dataclass(frozen=True, slots=True)
class Picture:
    """All notes by path, and the state of every file."""

    notes: dict[str, PicturedNote]
    ledger: dict[str, tuple[str, str | None]]


def rows(directory: Path, sql: str, values: Sequence[object] = ()) -> list[tuple[object, ...]]:
    """Ask the database of an index directly."""
    address = f"file:{directory / DATABASE}?mode=ro"
    with closing(sqlite3.connect(address, uri=True, timeout=30)) as connection:
        return connection.execute(sql, values).fetchall()


def take(directory: Path) -> Picture:
    """Read the picture of the index in a folder, also beside its writer."""
    answering = "SELECT value FROM meta WHERE key = 'model_vectors'"
    asked = f"SELECT text_hash FROM vectors WHERE model_id = ({answering})"
    kept = {text_hash for (text_hash,) in rows(directory, asked)}
    index = EmbeddedIndex.open(directory, writable=False)
    try:
        stored = index.all_notes()
        paths = {note.id: note.path for note in stored}
        notes = {}
        for note in stored:
            chunks = index.chunks_of(note.id)
            notes[note.path] = PicturedNote(
                title=note.title,
                tags=note.tags,
                chunks=tuple(
                    (c.ordinal, c.headings, c.start, c.end, c.text, c.text_hash) for c in chunks
                ),
                vectors=frozenset(c.text_hash for c in chunks if c.text_hash in kept),
                links=tuple(
                    (link.target, paths.get(target) if target is not None else None)
                    for link, target in index.graph.links_out(note.id)
                ),
            )
        ledger = {entry.path: (entry.state, entry.rule) for entry in index.ledger()}
        return Picture(notes, ledger)
    finally:
        index.close()


def kept_titles(directory: Path) -> dict[str, str]:
    """The former titles that renamed notes are still embedded with, by path."""
    found = rows(directory, "SELECT path, kept_title FROM notes WHERE kept_title IS NOT NULL")
    return {str(path): str(title) for path, title in found}


def of_fresh_index(
    vault: Path, directory: Path, settings: Settings, titles: Mapping[str, str]
) -> Picture:
    """Index a folder from nothing and take the picture.

    A fresh index embeds each note with its present title. Notes of `titles` were renamed, and the
    picture has the passages that these former titles give: what an index with that history has.
    """
    record = VaultRecord("fresh", "fresh", vault)
    engine = Engine.open(record, directory, settings, writable=True, features=FEATURES)
    try:
        engine.index_now()
        embedder = engine._parts.models.writing
        assert embedder is not None
        source = source_of(record, settings.vault)
        cut = {
            path: chunk(
                source.read(source.stamp(path)).note,
                count_tokens=embedder.count_tokens,
                sizes=embedder.sizes,
                title=title,
            )
            for path, title in titles.items()
        }
    finally:
        engine.close()
    picture = take(directory)
    for path, chunks in cut.items():
        picture.notes[path] = replace(
            picture.notes[path],
            chunks=tuple(
                (c.ordinal, c.headings, c.start, c.end, c.text, c.text_hash) for c in chunks
            ),
            vectors=frozenset(c.text_hash for c in chunks),
        )
    return picture
