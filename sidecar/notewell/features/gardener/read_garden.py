"""Reads a vault as the checks of the gardener see it, from the index and the notes."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Mapping
from pathlib import Path

import numpy as np

from notewell.base.errors import UnreadableNoteError, VaultError
from notewell.base.types import FloatArray, PropertyValue, StoredNote
from notewell.base.types.frozen import frozen
from notewell.engine.feature import OpenVault
from notewell.features.gardener.garden import Garden, NoteBody, NoteFacts
from notewell.features.gardener.rules import GardenRules
from notewell.index.analyze import tokens
from notewell.index.port import IndexReader
from notewell.search.show.snippets import sentences_of
from notewell.vault.daily import DailyNotes
from notewell.vault.paths import is_document
from notewell.vault.regions import is_drawing
from notewell.vault.sources import Source
from notewell.vault.topics import read_ontology

_TEMPLATES = Path(".obsidian/templates.json")
_MAX_SETTINGS_BYTES = 64 * 1024
_IGNORE = "gardener-ignore"
_YES = frozenset({"true", "yes", "1"})
_LONGEST_SENTENCE = 200


def read_garden(vault: OpenVault, rules: GardenRules) -> Garden:
    """The vault as the index has it now; texts are read from the notes when a check needs them.

    Notes in folders that only another feature edits are not tended.
    """
    index, root = vault.index, vault.record.path
    untouched = (*rules.ignore, *vault.own_folders, *_templates(root))
    stored = {note.id: note for note in index.all_notes() if _is_markdown(note)}
    hashes = {path: entry.content_hash for path, entry in index.manifest().items()}
    notes = {
        note.path: _facts(index, note, stored, hashes[note.path])
        for note in stored.values()
        if note.path in hashes
    }
    ids, means = index.vectors.note_means()
    rows = [row for row, one in enumerate(ids.tolist()) if one in stored]
    daily = DailyNotes.read(root)
    kinds = [link.kind == "markdown" for note in notes.values() for link, _ in note.links]
    return Garden(
        notes=notes,
        tended=_tended(untouched, notes),
        read=_BodyReader(vault.source, hashes),
        known=tuple(stored[int(ids[row])].path for row in rows),
        vectors=_unit(means[rows]),
        ontology=read_ontology(stored.values(), vault.settings.topics.folder),
        now=time.time(),
        markdown_links=sum(kinds) * 2 > len(kinds),
        is_daily=lambda note: daily.day(note.path, note.properties) is not None,
        sentence=_Sentences(index, {note.path: note for note in stored.values()}),
    )


def is_ignored(properties: Mapping[str, PropertyValue]) -> bool:
    """True if a note asks to be left alone."""
    value = next((v for name, v in properties.items() if name.lower() == _IGNORE), None)
    return str(value).strip().casefold() in _YES


def _is_markdown(note: StoredNote) -> bool:
    return note.path.lower().endswith(".md") and not is_document(note.path)


def _facts(
    index: IndexReader, note: StoredNote, stored: Mapping[int, StoredNote], content_hash: bytes
) -> NoteFacts:
    links = tuple((link, _target(to, index, stored)) for link, to in index.graph.links_out(note.id))
    return NoteFacts(
        path=note.path,
        title=note.title,
        content_hash=content_hash,
        aliases=note.aliases,
        tags=note.tags,
        properties=note.properties,
        links=links,
        touched=note.mtime_ns / 1e9,
    )


def _target(to: int | None, index: IndexReader, stored: Mapping[int, StoredNote]) -> str | None:
    """The path that a link leads to, whatever the type of the file."""
    if to is None or to in stored:
        return None if to is None else stored[to].path
    other = index.notes([to]).get(to)
    return None if other is None else other.path


def _tended(untouched: Iterable[str], notes: Mapping[str, NoteFacts]) -> frozenset[str]:
    left = tuple(f"{one.strip('/').casefold()}/" for one in untouched if one.strip("/"))
    return frozenset(
        path
        for path, note in notes.items()
        if not path.casefold().startswith(left)
        and not is_ignored(note.properties)
        and not is_drawing(path, note.properties)
    )


def _templates(root: Path) -> tuple[str, ...]:
    """The folder of templates that Obsidian's settings name."""
    file = root / _TEMPLATES
    try:
        if file.stat().st_size > _MAX_SETTINGS_BYTES:
            return ()
        stored = json.loads(file.read_text(encoding="utf-8-sig"))
    except (OSError, ValueError, RecursionError):
        return ()
    folder = stored.get("folder") if isinstance(stored, dict) else None
    return (folder,) if isinstance(folder, str) else ()


def _unit(vectors: FloatArray) -> FloatArray:
    rows = vectors.astype(np.float32)
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    unit: FloatArray = rows / np.maximum(lengths, np.float32(1e-6))
    return unit


@frozen
class _BodyReader:
    """Reads the notes that are as the index has them."""

    source: Source
    hashes: Mapping[str, bytes]

    def __call__(self, path: str) -> NoteBody | None:
        try:
            read = self.source.read(self.source.stamp(path))
        except (UnreadableNoteError, VaultError):
            return None
        return NoteBody(read.text) if read.content_hash == self.hashes.get(path) else None


@frozen
class _Sentences:
    """Finds the sentence of a note that shares most words with another note."""

    index: IndexReader
    notes: Mapping[str, StoredNote]

    def __call__(self, path: str, about: str) -> str | None:
        vectors = self.index.vectors
        mine = self.index.chunks_of(self.notes[path].id)
        theirs = self.index.chunks_of(self.notes[about].id)
        ids, rows = vectors.of_chunks(np.array([one.id for one in mine], np.int64))
        _, others = vectors.of_chunks(np.array([one.id for one in theirs], np.int64))
        if not len(rows) or not len(others):
            return None
        best = int(ids[int((rows @ others.T).max(axis=1).argmax())])
        text = next(one.text for one in mine if one.id == best)
        wanted = {word for one in theirs for word in tokens(one.text)}
        sentences = [text[start:end] for start, end in sentences_of(text)]
        if not sentences:
            return None
        chosen = max(sentences, key=lambda one: _shared(one, wanted))
        return " ".join(chosen.split())[:_LONGEST_SENTENCE]


def _shared(sentence: str, wanted: set[str]) -> float:
    """The number of wanted words in a sentence, by its length: less for a longer one."""
    own = set(tokens(sentence))
    return len(own & wanted) / (len(own) + 3.0) if own else 0.0
