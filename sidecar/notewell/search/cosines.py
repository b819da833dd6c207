"""Cosines made comparable: of any model, and of notes whatever their folders.

`CosineMap` maps those of a model to the scale of the model that the ranking was fitted with: the
constants of evidence.py and relevance.py weigh cosines of all-MiniLM-L6-v2. Another model's are
shifted and stretched so that unrelated texts, and queries and their answers, have the same ones.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import replace

import numpy as np

from notewell.base.types import CosineScale, Embedder, FloatArray, VectorHits, knows_cosines
from notewell.base.types.frozen import frozen
from notewell.search.candidates import Candidates

_PASSAGES, _DEVIATION = 0.0476, 0.0834
_SHRINKAGE = 10.0  # notes in a folder at which its mean weighs as much as the vault's
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


def centred_vectors(means: FloatArray, folders: Sequence[Hashable]) -> FloatArray:
    """Unit vectors of what each note says beyond its folder: (notes, dimensions), like `means`.

    Notes made from one template are alike through what the template says, so what the notes of a
    folder have in common is taken out: each note's vector is centred on the mean of its folder,
    drawn towards the mean of the vault where the folder has few notes, and towards zero where the
    vault has few.
    """
    if not len(means):
        return means
    number = {folder: n for n, folder in enumerate(dict.fromkeys(folders))}
    folder_of = np.array([number[folder] for folder in folders])
    sums = np.zeros((len(number), means.shape[1]), np.float32)
    np.add.at(sums, folder_of, means)
    vault = means.sum(axis=0) / np.float32(len(means) + _SHRINKAGE)
    counts = np.bincount(folder_of).astype(np.float32)[:, np.newaxis]
    common = (sums + np.float32(_SHRINKAGE) * vault) / (counts + np.float32(_SHRINKAGE))
    centred = means - common[folder_of]
    lengths = np.linalg.norm(centred, axis=1, keepdims=True)
    unit: FloatArray = centred / np.maximum(lengths, np.float32(1e-6))
    return unit
