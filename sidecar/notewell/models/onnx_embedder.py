"""The default embedder: onnxruntime on the CPU, without torch.

Texts are embedded one at a time by several single-thread workers instead of in padded batches:
activations stay in the cache of their core, nothing is padded, an int8 vector cannot depend on the
other texts of a batch, and on a busy computer no worker waits for another. The longest texts are
embedded first, so that the workers finish at about the same time.
"""

from __future__ import annotations

import os
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from functools import lru_cache

import numpy as np
from onnxruntime import InferenceSession

from notewell.base.errors import ModelError
from notewell.base.types import FloatArray, ModelKey
from notewell.models.catalogue import ModelSpec, Pooling
from notewell.models.fetch import ModelFiles, fetch
from notewell.models.graphs import GraphStore, run, unit
from notewell.models.providers import EmbedderOptions
from notewell.models.resilient import usable_processors
from notewell.models.tokens import (
    KnownText,
    TextTokenizer,
    WordTable,
    read_tokenizer,
    read_words,
)

# The workers' niceness (0 normal, 19 lowest priority): queries and other programs go first.
_NICENESS = 10

# The longest that a worker waits for queries: without a limit, continuous queries would stop
# indexing altogether.
_LONGEST_YIELD_S = 0.05

# Queries come again: with other filters, for a further page, from another client; and so do their
# words, which some searches embed alone. A vector of the default model takes 1.5 KB.
_KEPT_QUERIES = 2048


class QueryGate:
    """Gives queries priority: while one is running, passage workers wait between two texts."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._queries = 0
        self._free = threading.Event()
        self._free.set()

    @contextmanager
    def query(self) -> Iterator[None]:
        """Makes the workers wait while the block runs."""
        with self._lock:
            self._queries += 1
            self._free.clear()
        try:
            yield
        finally:
            with self._lock:
                self._queries -= 1
                if not self._queries:
                    self._free.set()

    def give_way(self) -> bool:
        """Wait a moment for queries to finish; returns whether none is running."""
        return self._free.wait(_LONGEST_YIELD_S)


class OnnxEmbedder(KnownText):
    """A loaded model. Satisfies `types.Embedder`; safe to call from several threads."""

    scheme = ""  # ends the quantisation in the key of vectors that are computed otherwise

    @classmethod
    def pooling(cls, spec: ModelSpec) -> Pooling:
        return spec.pooling

    def __init__(
        self,
        session: InferenceSession,
        tokenizer: TextTokenizer,
        *,
        spec: ModelSpec,
        key: ModelKey,
        threads: int,
        words: WordTable | None = None,
    ) -> None:
        """Use a session of one thread. `threads` 0 means one worker per processor.

        `words` are the token vectors of the same weights.
        """
        super().__init__(spec, key, tokenizer, words)
        self._session: InferenceSession | None = session
        self._threads = threads or usable_processors()
        self._gate = QueryGate()
        self._query_vector = lru_cache(_KEPT_QUERIES)(self._embed_query)
        self._workers = ThreadPoolExecutor(self._threads, "embed", initializer=_step_back)

    def embed_passages(self, texts: Sequence[str]) -> FloatArray:
        """Unit vectors of shape (len(texts), dimensions), float32, in the order given.

        Raises ModelError when the embedder is closed or the runtime fails.
        """
        return self._embed(texts, self._spec.passage_prefix)

    def embed_queries(self, texts: Sequence[str]) -> FloatArray:
        """Vectors of queries as `embed_query` gives them, at the leisure of passages."""
        return self._embed(texts, self._spec.query_prefix)

    def _embed(self, texts: Sequence[str], prefix: str) -> FloatArray:
        vectors = np.zeros((len(texts), self.dimensions), np.float32)
        tokens = [self._tokenizer.ids(prefix + text) for text in texts]

        def keep(row: int, output: FloatArray) -> None:
            vectors[row] = unit(output)

        self._run_all(tokens, keep)
        return vectors

    def _run_all(
        self, tokens: Sequence[Sequence[int]], keep: Callable[[int, FloatArray], None]
    ) -> None:
        """Run the graph for each list of token ids, and give its outputs to `keep` by their row."""
        session = self._open_session()
        todo = deque(sorted(range(len(tokens)), key=lambda row: -len(tokens[row])))

        def work() -> None:
            while todo and self._session is not None:
                self._gate.give_way()
                try:
                    row = todo.popleft()
                except IndexError:  # another worker took the last one
                    return
                keep(row, _run(session, tokens[row]))

        if len(tokens) == 1:  # a saved note is short: waking another thread costs more
            work()
        else:
            self._work_together(work, todo)
        if todo:
            raise self._closed_error()

    def embed_query(self, text: str) -> FloatArray:
        """Unit vector of shape (dimensions,), float32, not to be written to.

        Passages wait meanwhile. The vectors of the last queries are kept.
        """
        self._open_session()
        return self._query_vector(text)

    def _embed_query(self, text: str) -> FloatArray:
        session = self._open_session()
        with self._gate.query():
            vector = unit(_run(session, self._tokenizer.ids(self._spec.query_prefix + text)))
        vector.flags.writeable = False
        return vector

    def close(self) -> None:
        """Finish the current text and release the model. May be called twice."""
        self._session = None
        self._workers.shutdown(wait=True, cancel_futures=True)

    def _open_session(self) -> InferenceSession:
        session = self._session
        if session is None:
            raise self._closed_error()
        return session

    def _closed_error(self) -> ModelError:
        return ModelError(f"The embedder {self._key} is closed.", code="model_closed")

    def _work_together(self, work: Callable[[], None], todo: deque[int]) -> None:
        """Run `work` in every worker; after one fails, the others get no more texts."""
        try:
            workers = [self._workers.submit(work) for _ in range(min(self._threads, len(todo)))]
        except RuntimeError as error:  # the pool was shut down a moment ago
            raise self._closed_error() from error
        try:
            for worker in workers:
                worker.result()
        except CancelledError as error:
            raise self._closed_error() from error
        except ModelError:
            todo.clear()
            raise


def _run(session: InferenceSession, ids: Sequence[int]) -> FloatArray:
    try:
        return run(session, ids)
    except Exception as error:  # onnxruntime's errors have no common base
        raise ModelError(f"onnxruntime failed on a text of {len(ids)} tokens: {error}") from error


def _step_back() -> None:
    """Lower the calling thread's priority on Linux, where each thread has its own."""
    if sys.platform == "linux":
        with suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), _NICENESS)


def load(options: EmbedderOptions, kind: type[OnnxEmbedder] = OnnxEmbedder) -> OnnxEmbedder:
    """The embedder of this kind that the options describe; its files are fetched unless `offline`.

    Raises ModelError and its subclasses, and what onnxruntime raises.
    """
    spec, model_dir = options.spec, options.model_dir
    if spec is None:
        raise ModelError(
            f"The model {options.rules.name} is not in the catalogue, so its files are unknown."
        )
    try:
        files = fetch(
            spec,
            model_dir=model_dir,
            folder=options.folder,
            offline=options.offline,
            say=options.say,
        )
        return _assemble(spec, files, options, kind)
    except OSError as error:
        raise ModelError(
            f"The model {spec.name} cannot be read, or its cache {model_dir} cannot be written:"
            f" {error}. Check the disk's space and permissions, or set another model folder."
        ) from error


def _assemble(
    spec: ModelSpec, files: ModelFiles, options: EmbedderOptions, kind: type[OnnxEmbedder]
) -> OnnxEmbedder:
    rules, model_dir = options.rules, options.model_dir
    tokenizer = read_tokenizer(spec, files)
    store = GraphStore(files, kind.pooling(spec), model_dir, tokenizer.ids, rules.device)
    session, quantisation, device = store.open(rules.quantisation)
    if device != rules.device:
        options.say(
            f"{spec.name} runs on the processor: the installed onnxruntime cannot use"
            f" {rules.device}, or computes something else there (`notewell models list`)."
        )
    elif quantisation != rules.quantisation and device == "cpu":
        options.say(
            f"{spec.name} runs as {quantisation}, because {rules.quantisation} is not precise"
            " enough on this processor."
        )
    key = ModelKey(spec.name, files.weights_hash, f"{quantisation}{kind.scheme}")
    return kind(
        session,
        tokenizer,
        spec=spec,
        key=key,
        threads=rules.threads,
        words=read_words(files, model_dir),
    )
