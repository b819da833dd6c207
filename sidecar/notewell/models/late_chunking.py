"""An embedder that reads passages together with their neighbours (see `types.EmbedsWindows`).

The graph gives the states of all tokens of a window, which are averaged for each passage by itself.
Vectors have a key of their own, so that they are never compared with those of passages read alone.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from notewell.base.errors import ModelError
from notewell.base.types import LATE, FloatArray, Window
from notewell.models import onnx_embedder
from notewell.models.catalogue import ModelSpec, Pooling
from notewell.models.graphs import unit
from notewell.models.onnx_embedder import OnnxEmbedder
from notewell.models.providers import EmbedderOptions

_SPECIAL_TOKENS = 2  # at the ends of each text


class LateChunkingEmbedder(OnnxEmbedder):
    """A loaded model. Satisfies `types.EmbedsWindows`; safe to call from several threads."""

    scheme = LATE

    @classmethod
    def pooling(cls, spec: ModelSpec) -> Pooling:
        """None within the graph. Raises ModelError for a model that does not average its tokens."""
        if spec.pooling != "mean":
            raise ModelError(
                f"{spec.name} does not average its tokens, so passages cannot be read together: set"
                " model.late_chunking to false, or choose another model."
            )
        return "none"

    @property
    def window_tokens(self) -> int:
        taken = self._tokenizer.count(self._spec.passage_prefix) + _SPECIAL_TOKENS
        return self._spec.max_tokens - taken

    def embed_windows(self, windows: Sequence[Window]) -> list[FloatArray]:
        """Unit vectors of the passages of each window; raises as `embed_passages` does."""
        vectors: list[FloatArray] = [
            np.zeros((len(window.passages), self.dimensions), np.float32) for window in windows
        ]
        prefix = self._spec.passage_prefix
        read = [self._tokenizer.ranges(prefix + window.text) for window in windows]

        def keep(row: int, output: FloatArray) -> None:
            _, starts, special = read[row]
            places = np.where(special, -1, np.array(starts) - len(prefix))
            for n, ranges in enumerate(windows[row].passages):
                own = places < 0  # special tokens and the prefix belong to each
                for start, end in ranges:
                    own |= (places >= start) & (places < end)
                vectors[row][n] = unit(output[own])

        self._run_all([ids for ids, _, _ in read], keep)
        return vectors


def load(options: EmbedderOptions) -> OnnxEmbedder:
    """The embedder that the options describe; raises as `onnx_embedder.load` does."""
    return onnx_embedder.load(options, LateChunkingEmbedder)
