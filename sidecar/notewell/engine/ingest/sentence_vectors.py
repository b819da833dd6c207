"""How alike the neighbouring sentences of a note are, for notes that are cut by topic.

Each sentence is embedded once: its vector is stored with those of the passages, by the hash of its
text, so an edit costs the changed sentences, and a new index of the same notes costs none. Vectors
are compared as they are stored, so that a new index cuts a note where the old one did.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence

import numpy as np

from notewell.base.types import Embedder, EmbedsInPieces, FloatArray, VectorPut
from notewell.engine.ingest.embed import COMMIT, pieces, usable
from notewell.engine.ingest.model_work import add_model_work
from notewell.index.port import Index
from notewell.vault.chunk import embed_hash

_DIGITS = 4  # of a likeness; more are noise of the vectors' 16 bits


class SentenceVectors:
    """Compares sentences by their vectors. Used by one thread at a time."""

    def __init__(self, index: Index, embedder: Embedder, stop: Callable[[], bool]) -> None:
        """Nothing is known yet; `stop` ends learning between two batches."""
        self._index = index
        self._embedder = embedder
        self._stop = stop
        self._known: dict[bytes, FloatArray] = {}

    def learn(self, texts: Iterable[str]) -> bool:
        """Get the vectors of these sentences, and forget all others; False if it was stopped.

        Raises ModelError; what was embedded until then is stored.
        """
        wanted = {embed_hash(text): text for text in texts}
        stored = self._index.stored_vectors(self._embedder.key, wanted)
        self._known = {each: _unpacked(stored[each]) for each in stored}
        missing = [(each, text) for each, text in wanted.items() if each not in stored]
        model = self._embedder
        size = model.at_once if isinstance(model, EmbedsInPieces) else COMMIT
        for start in range(0, len(missing), size):
            if self._stop():
                return False
            self._embed(missing[start : start + size])
        return True

    def likeness(self, texts: Sequence[str]) -> list[float]:
        """See `types.Likeness`; a sentence without a vector counts as like its neighbours."""
        nothing = np.full(self._embedder.dimensions, np.nan, np.float32)
        rows = np.array([self._known.get(embed_hash(text), nothing) for text in texts])
        # Not a product of matrices, whose last digit depends on their shape.
        cosines = (rows[:-1] * rows[1:]).sum(axis=1)
        alike: list[float] = np.nan_to_num(np.round(cosines, _DIGITS), nan=1.0).tolist()
        return alike

    def _embed(self, some: Sequence[tuple[bytes, str]]) -> None:
        began = time.monotonic()
        for piece in pieces(self._embedder, [text for _, text in some], [""] * len(some)):
            good = usable(piece.vectors, self._embedder.dimensions)
            puts = [
                VectorPut(some[row][0], vector)
                for row, vector, is_good in zip(piece.rows, piece.vectors, good, strict=True)
                if is_good
            ]
            self._index.store_vectors(self._embedder.key, puts)
            for put in puts:
                self._known[put.text_hash] = _unpacked(put.vector.astype(np.float16).tobytes())
            ended = time.monotonic()
            add_model_work(self._index, embedded=len(puts), seconds=ended - began)
            began = ended


def _unpacked(vector: bytes) -> FloatArray:
    return np.frombuffer(vector, np.float16).astype(np.float32)
