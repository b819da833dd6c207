"""Cross-encoders on onnxruntime, which read a query and a passage together and score the pair.

This is slower than comparing vectors by four orders of magnitude, so only as many passages are read
as a time budget allows. Files are fetched and checked like those of embedders (fetch.py), and the
graph is built, cached and compared with fp32 like theirs (graphs.py).
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from itertools import pairwise
from pathlib import Path

import numpy as np
from onnxruntime import InferenceSession

from notewell.base.errors import ModelError
from notewell.base.types import FloatArray, Quantisation
from notewell.base.types.frozen import frozen
from notewell.models.bert_onnx import build_cross_encoder
from notewell.models.catalogue import ModelSpec
from notewell.models.encoder import GRAPH_INPUT, GRAPH_OUTPUT, GRAPH_SEGMENTS, read_cross_encoder
from notewell.models.fetch import ModelFiles, fetch
from notewell.models.graphs import SAMPLES, GraphStore
from notewell.models.onnx_writer import BuiltGraph
from notewell.models.providers import RerankerOptions
from notewell.models.resilient import usable_processors
from notewell.models.tokens import TextTokenizer, read_tokenizer


@frozen
class CrossEncoderGraphs(GraphStore):
    """The graphs of one cross-encoder. `pair` returns token ids and segments of two texts."""

    pair: Callable[[str, str], tuple[list[int], list[int]]]

    def _graph(self, quantisation: Quantisation, file: str = "") -> BuiltGraph:
        encoder = read_cross_encoder(self.files.folder)
        assert encoder.score_head is not None  # noqa: S101 - for the type checker; read_cross_encoder sets it
        return build_cross_encoder(
            encoder, encoder.score_head, quantisation=quantisation, file=file
        )

    def _agreement(self, session: InferenceSession, reference: InferenceSession) -> float:
        """1 minus the mean difference between the scores of both sessions for pairs of samples."""
        pairs = [self.pair(first, second) for first, second in pairwise(SAMPLES)]
        apart = [abs(_run(session, pair) - _run(reference, pair)) for pair in pairs]
        mean = float(np.mean(apart))
        return 1.0 - mean if np.isfinite(mean) else 0.0


class CrossEncoder:
    """A loaded cross-encoder. Satisfies `types.Reranker`; safe to call from several threads."""

    def __init__(
        self, session: InferenceSession, tokenizer: TextTokenizer, *, name: str, threads: int = 0
    ) -> None:
        """Take over a session of one thread. `threads` 0 means one reader per processor."""
        self._session: InferenceSession | None = session
        self._tokenizer = tokenizer
        self._name = name
        self._threads = threads or usable_processors()
        self._readers = ThreadPoolExecutor(self._threads, "rerank")

    @property
    def name(self) -> str:
        return self._name

    def judge(self, query: str, passages: Sequence[str], *, budget_s: float) -> FloatArray:
        """Scores of the passages in 0..1, NaN for those not read in time; see `types.Reranker`.

        Raises ModelError if the model is closed or the runtime fails.
        """
        session = self._session
        if session is None:
            raise ModelError(f"The reranker {self._name} is closed.", code="model_closed")
        deadline = time.monotonic() + budget_s
        scores = np.full(len(passages), np.nan, np.float32)
        todo = deque(enumerate(passages))

        def work() -> None:
            while todo and time.monotonic() < deadline:
                try:
                    place, passage = todo.popleft()
                except IndexError:  # another reader took the last one
                    return
                scores[place] = _run(session, self._tokenizer.pair(query, passage))

        self._together(work)
        return scores

    def close(self) -> None:
        """Finish the current pair and release the model. May be called twice."""
        self._session = None
        self._readers.shutdown(wait=True, cancel_futures=True)

    def _together(self, work: Callable[[], None]) -> None:
        try:
            readers = [self._readers.submit(work) for _ in range(self._threads)]
        except RuntimeError as error:  # the pool was shut down a moment ago
            raise ModelError(
                f"The reranker {self._name} is closed.", code="model_closed"
            ) from error
        wait(readers)
        for reader in readers:
            failure = None if reader.cancelled() else reader.exception()
            if failure is not None:
                raise ModelError(f"The reranker {self._name} failed: {failure}") from failure


def load(options: RerankerOptions) -> CrossEncoder:
    """The cross-encoder that the options describe.

    Raises ModelUnavailableError where its files are not here, ModelDamagedError where they do not
    make a cross-encoder.
    """
    spec, model_dir = options.spec, options.model_dir
    if spec is None:
        raise ModelError("The reranker is not in the catalogue, so its files are unknown.")
    files = fetch(spec, model_dir=model_dir, folder=options.folder, offline=True, say=options.say)
    try:
        return _assemble(spec, files, model_dir)
    except OSError as error:
        raise ModelError(
            f"The reranker {spec.name} cannot be read, or {model_dir} cannot be written: {error}."
        ) from error


def _assemble(spec: ModelSpec, files: ModelFiles, model_dir: Path) -> CrossEncoder:
    tokenizer = read_tokenizer(spec, files)
    store = CrossEncoderGraphs(files, "cls", model_dir, tokenizer.ids, "cpu", tokenizer.pair)
    session, *_ = store.open("int8")
    return CrossEncoder(session, tokenizer, name=spec.name)


def _run(session: InferenceSession, pair: tuple[Sequence[int], Sequence[int]]) -> float:
    ids, segments = (np.asarray(part, np.int64)[np.newaxis] for part in pair)
    (score,) = session.run([GRAPH_OUTPUT], {GRAPH_INPUT: ids, GRAPH_SEGMENTS: segments})
    return float(score[0, 0])
