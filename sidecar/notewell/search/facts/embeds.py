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
    found: dict[int, int] = {}
    if not is_markdown(note.path):
        for source, link in index.graph.links_in(note.id):
            if link.embed:
                found[source] = min(link.line, found.get(source, link.line))
    return found


def embedded_in(index: IndexReader, note: StoredNote) -> tuple[str, ...]:
    """The paths of notes that embed an attachment, sorted, at most MAX_EMBEDDING."""
    found = embedding(index, note)
    if not found:
        return ()
    sources = index.notes(sorted(found))
    return tuple(sorted(source.path for source in sources.values()))[:MAX_EMBEDDING]
