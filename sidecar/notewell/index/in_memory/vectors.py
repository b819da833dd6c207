"""Exact cosine search over the vectors of one state."""

from __future__ import annotations

import numpy as np

from notewell.errors import ModelError
from notewell.index.in_memory.state import State
from notewell.types import ChunkHits, FloatArray, IdArray


class InMemoryVectors:
    """Keeps `VectorIndex` of the port; never changed once made."""

    def __init__(self, state: State) -> None:
        """Collect the vectors of the model in use; of none, where there is none."""
        self.model = state.model
        self._dimensions = 0 if state.model is None else state.dimensions[state.model]
        stored = {} if state.model is None else state.vectors[state.model]
        found = [
            (chunk.stored.id, chunk.stored.note_id, stored[chunk.vector_hash])
            for chunk in state.chunks()
            if chunk.vector_hash in stored
        ]
        self._ids = np.array([row[0] for row in found], np.int64)
        self._notes = np.array([row[1] for row in found], np.int64)
        self._rows: FloatArray = np.array([row[2] for row in found], np.float32).reshape(
            len(found), self._dimensions
        )

    @property
    def count(self) -> int:
        """How many chunks have a vector."""
        return len(self._ids)

    def search(self, query: FloatArray, *, limit: int, notes: IdArray | None = None) -> ChunkHits:
        """See the port."""
        allowed = np.ones(self.count, np.bool_) if notes is None else np.isin(self._notes, notes)
        ids, rows = self._ids[allowed], self._rows[allowed]
        if not self.count or limit < 1:
            return ChunkHits(ids[:0], np.empty(0, np.float32))
        if query.shape != (self._dimensions,) or not np.isfinite(query).all():
            raise ModelError(
                f"The query's vector has shape {query.shape} or is not finite; the index holds"
                f" vectors of {self._dimensions} dimensions. Index again with the model in use."
            )
        scores = rows @ query.astype(np.float32)
        order = np.lexsort((ids, -scores))[:limit]
        return ChunkHits(ids[order], scores[order])

    def of_chunks(self, chunk_ids: IdArray) -> tuple[IdArray, FloatArray]:
        """See the port."""
        places = {chunk_id: place for place, chunk_id in enumerate(self._ids.tolist())}
        found = [chunk_id for chunk_id in chunk_ids.tolist() if chunk_id in places]
        rows = self._rows[np.array([places[chunk_id] for chunk_id in found], np.int64)]
        return np.array(found, np.int64), rows

    def note_means(self) -> tuple[IdArray, FloatArray]:
        """See the port."""
        notes = np.unique(self._notes)
        means = np.array([self._rows[self._notes == note].sum(axis=0) for note in notes])
        means = means.reshape(len(notes), self._dimensions).astype(np.float32)
        lengths = np.linalg.norm(means, axis=1, keepdims=True)
        return notes, means / np.maximum(lengths, np.finfo(np.float32).tiny)
