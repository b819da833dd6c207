"""Caches which notes of one index embed which attachments."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass, field

from notewell.base.types import StoredNote
from notewell.base.types.frozen import frozen
from notewell.index.port import IndexReader
from notewell.vault.readers import is_markdown

MAX_EMBEDDING = 5  # notes that are named; of a file in more of them, none is found by its text
_NOTES = (".md", ".markdown")


@frozen
class Embeds:
    """Attachments and the notes that embed them, as pairs of (attachment's id, note's id)."""

    generation: int = -1
    pairs: tuple[tuple[int, int], ...] = ()


@dataclass(slots=True)
class EmbedsCache:
    """Caches the pairs of one index, for conditions. Thread-safe."""

    _lock: threading.Lock = field(default_factory=threading.Lock)
    _known: Embeds = field(default_factory=Embeds)

    def current(self, index: IndexReader) -> tuple[tuple[int, int], ...]:
        with self._lock:
            if self._known.generation != index.text_generation:
                files = (note for note in index.all_notes() if not note.path.endswith(_NOTES))
                pairs = tuple(
                    (note.id, source) for note in files for source in embedding(index, note)
                )
                self._known = Embeds(index.text_generation, pairs)
            return self._known.pairs


def embedding(index: IndexReader, note: StoredNote) -> Mapping[int, int]:
    """The notes that embed a file, by id, with the line of the first embed; of a note, none."""
    sources: dict[int, int] = {}
    if not is_markdown(note.path):
        for source, link in index.graph.links_in(note.id):
            if link.embed:
                sources[source] = min(link.line, sources.get(source, link.line))
    return sources


def embedded_in(index: IndexReader, note: StoredNote) -> tuple[str, ...]:
    """The paths of notes that embed an attachment, sorted, at most MAX_EMBEDDING."""
    embedding_notes = embedding(index, note)
    if not embedding_notes:
        return ()
    sources = index.notes(sorted(embedding_notes))
    return tuple(sorted(source.path for source in sources.values()))[:MAX_EMBEDDING]
