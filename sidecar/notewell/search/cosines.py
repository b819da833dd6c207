"""Maps the cosines of any model to the scale of the model that the ranking was fitted with.

The constants of evidence.py and relevance.py weigh cosines of all-MiniLM-L6-v2. Another model's are
shifted and stretched so that unrelated texts, and queries and their answers, have the same ones.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from notewell.search.candidates import Candidates
from notewell.types import CosineScale, Embedder, FloatArray, VectorHits, knows_cosines
from notewell.types.frozen import frozen

_PASSAGES, _DEVIATION = 0.0476, 0.0834
REFERENCE = CosineScale(0.032, 0.4355, passages=_PASSAGES, passages_deviation=_DEVIATION)


@frozen
class CosineMap:
    """`scale * cosine + shift`."""

    scale: float = 1.0
    shift: float = 0.0

    @classmethod
    def of(cls, embedder: Embedder | None) -> CosineMap:
        """The map for a model; cosines stay as they are if nothing is known of them."""
        model: object = embedder
        measured = model.cosines if knows_cosines(model) else None
        if measured is None or measured == REFERENCE:
            return SAME
        scale = (REFERENCE.related - REFERENCE.unrelated) / (measured.related - measured.unrelated)
        return cls(scale, REFERENCE.unrelated - scale * measured.unrelated)

    @classmethod
    def between_passages(cls, embedder: Embedder | None) -> CosineMap:
        """The map for cosines of two passages: by their mean and deviation where unrelated.

        They are not those of a query and a passage: with multilingual-e5, unrelated passages have
        0.80 and deviate by 0.027, a query and an unrelated passage have 0.78.
        """
        model: object = embedder
        measured = model.cosines if knows_cosines(model) else None
        if measured is None or not measured.passages_deviation or measured.passages is None:
            return cls.of(embedder)
        if measured == REFERENCE:
            return SAME
        scale = _DEVIATION / measured.passages_deviation
        return cls(scale, _PASSAGES - scale * measured.passages)

    def mapped(self, cosines: FloatArray) -> FloatArray:
        """The cosines on the reference scale; NaN stays NaN."""
        if self == SAME:
            return cosines
        mapped: FloatArray = np.float32(self.scale) * cosines + np.float32(self.shift)
        return mapped

    def mapped_chunks(self, chunks: Candidates) -> Candidates:
        """The candidates with their cosines on the reference scale."""
        return replace(chunks, cosine=self.mapped(chunks.cosine))

    def mapped_hits(self, hits: VectorHits) -> VectorHits:
        """The hits with cosines, mean and deviation on the reference scale."""
        return replace(
            hits,
            scores=self.mapped(hits.scores),
            mean=self.scale * hits.mean + self.shift,
            deviation=self.scale * hits.deviation,
        )


SAME = CosineMap()
