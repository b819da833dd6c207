"""Compares some notes, drawn at random, with what the index has of them.

Checksums tell whether what is stored is damaged; this tells whether it was right: the notes are
read, cut and embedded once more, and the result is compared.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress

import numpy as np

from notewell.base.errors import ModelError, UnreadableNoteError
from notewell.base.types import Chunk, Embedder, EmbedsWindows, ManifestEntry, Settings
from notewell.base.types.frozen import frozen
from notewell.base.types.stored import embedded_text
from notewell.engine.ingest.embed import unpack_vector
from notewell.engine.ingest.note_reader import chunk_sizes, token_counter
from notewell.index.port import IndexReader
from notewell.vault.chunk import chunk
from notewell.vault.read_notes import HashedNote
from notewell.vault.sources import Source

_ALIKE = 0.98  # cosine of a stored vector and the one computed now, of 16 and 32 bits


@frozen
class Difference:
    """A note of which the index has something else, and what."""

    path: str
    what: str


@frozen
class SampleReport:
    """The notes that were compared, how many have changed since, and the differences.

    `vectors` counts the vectors that were computed once more; 0 without a model on this computer.
    """

    notes: int
    changed: int
    vectors: int
    differences: tuple[Difference, ...]


@frozen
class SampleCheck:
    """A comparison in one vault. Without `embedder` vectors are not compared."""

    index: IndexReader
    source: Source
    settings: Settings
    embedder: Embedder | None

    def run(
        self, most: int, draw: Callable[[Sequence[ManifestEntry], int], Sequence[ManifestEntry]]
    ) -> SampleReport:
        """Compare at most so many notes, which `draw` chooses."""
        known = tuple(self.index.manifest().values())
        drawn = draw(known, min(most, len(known)))
        changed = vectors = 0
        samples: list[Difference] = []
        for entry in drawn:
            try:
                stamp = self.source.stamp(entry.path)
                if (stamp.size, stamp.mtime_ns) != (entry.size, entry.mtime_ns):
                    changed += 1
                    continue
                read = self.source.read(stamp)
            except UnreadableNoteError:
                changed += 1  # the next look at the vault tells why
                continue
            if read.content_hash != entry.content_hash:
                samples.append(
                    Difference(entry.path, "its content, though size and time are equal")
                )
                continue
            chunks = self._cut(read, entry)
            samples += (Difference(entry.path, what) for what in self._of_passages(entry, chunks))
            with suppress(ModelError):
                compared, differs = self._of_vector(chunks)
                vectors += compared
                if differs:
                    samples.append(Difference(entry.path, "the vector of a passage"))
        return SampleReport(len(drawn) - changed, changed, vectors, tuple(samples))

    def _cut(self, read: HashedNote, entry: ManifestEntry) -> tuple[Chunk, ...]:
        """The passages of the note; none where sentences were compared, which takes long."""
        if self.settings.chunking.method == "semantic":
            return ()
        sizes = chunk_sizes(self.settings.chunking, self.embedder)
        count = token_counter(self.embedder)
        return chunk(read.note, count_tokens=count, sizes=sizes, title=entry.kept_title)

    def _of_passages(self, entry: ManifestEntry, chunks: Sequence[Chunk]) -> Iterator[str]:
        stored = {
            passage.text_hash: passage.text for passage in self.index.chunks_of(entry.note_id)
        }
        missing = [passage for passage in chunks if stored.get(passage.text_hash) != passage.text]
        if missing:
            yield f"{len(missing):,} of {len(chunks):,} passages"

    def _of_vector(self, chunks: Sequence[Chunk]) -> tuple[int, bool]:
        """Compare the vector of the longest passage: how many were compared, whether it differs."""
        model = self.embedder
        if model is None or not chunks:
            return 0, False
        if isinstance(model, EmbedsWindows) and model.window_tokens:
            return 0, False  # neighbours decide such a vector
        passage = max(chunks, key=lambda each: len(each.text))
        stored = self.index.stored_vectors(model.key, [passage.text_hash]).get(passage.text_hash)
        if stored is None:
            return 0, False
        kept = unpack_vector(stored)
        now = model.embed_passages([embedded_text(passage.header, passage.text)])[0]
        lengths = float(np.linalg.norm(kept) * np.linalg.norm(now))
        return 1, lengths == 0 or float(kept @ now) / lengths < _ALIKE
