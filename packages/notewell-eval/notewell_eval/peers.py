"""Other search packages that an evaluation can run on the same notes and queries.

A new peer is a class that satisfies `Peer`, and a row of `_PARTS`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Protocol

import numpy as np
import numpy.typing as npt

from notewell.api.errors import UsageError
from notewell.api.vault import Embedder, ModelKey
from notewell.base.errors import MissingExtraError
from notewell.base.types import ModelRules, PassageText
from notewell.models.catalogue import ModelSpec, find_model
from notewell.models.fetch import fetch
from notewell.models.loading import describe_folder
from notewell_eval.torch_embedder import TorchEmbedder

RRF_K = 60
_WORD = re.compile(r"\w+")


class Peer(Protocol):
    """A search package with an index of the passages."""

    def rank(self, query: str, limit: int) -> Sequence[str]:
        """Give the vault paths of the notes that answer `query`, best first, at most `limit`."""


class NotePassages:
    """All passages, grouped by note, and how scores of passages become a ranking of notes."""

    def __init__(self, passages: Iterable[PassageText]) -> None:
        """Take the passages; those of one note must follow each other."""
        paths: list[str] = []
        starts: list[int] = []
        texts: list[str] = []
        for passage in passages:
            if not paths or paths[-1] != passage.path:
                paths.append(passage.path)
                starts.append(len(texts))
            texts.append(passage.text)
        self.texts = tuple(texts)
        self._paths = tuple(paths)
        self._starts = np.array(starts, dtype=np.intp)

    def best_notes(self, scores: npt.NDArray[np.floating], limit: int) -> list[str]:
        """Rank notes by their best passage: paths, best first, at most `limit`.

        `scores` has one figure a passage, in the order of `texts`; minus infinity: not found.
        """
        if not self._paths:
            return []
        best = np.maximum.reduceat(scores, self._starts)
        order = np.argsort(-best, kind="stable")[:limit]
        return [self._paths[place] for place in order if best[place] > -np.inf]


@dataclass(frozen=True, slots=True)
class PeerModel:
    """The configured embedding model, for peers that embed. `say` reports what takes time."""

    rules: ModelRules
    model_dir: Path
    offline: bool
    say: Callable[[str], None]


class PeerIndexes:
    """Builds the index of each peer when it is first needed, and only once."""

    def __init__(self, passages: NotePassages, model: PeerModel) -> None:
        self.passages = passages
        self.model = model
        self._built: dict[str, Peer] = {}

    def get(self, kind: PeerKind) -> Peer:
        """Give the peer, which may take as long as embedding all passages."""
        if kind.name not in self._built:
            self.model.say(f"{kind.name}: indexing {len(self.passages.texts):,} passages")
            self._built[kind.name] = kind.build(self)
        return self._built[kind.name]


@dataclass(frozen=True, slots=True)
class PeerKind:
    """A row of the registry. `modules` are the importable names of the packages it needs."""

    name: str
    modules: tuple[str, ...]
    build: Callable[[PeerIndexes], Peer]


class RankBm25:
    """BM25 of each passage by rank-bm25; a note has the score of its best passage."""

    def __init__(self, passages: NotePassages) -> None:
        """Count the words of all passages."""
        # The package comes with the extra `compare`, which may not be installed.
        from rank_bm25 import BM25Okapi  # noqa: PLC0415

        self._passages = passages
        words = [words_of(text) for text in passages.texts]
        # rank-bm25 divides by the number of different words.
        self._bm25 = BM25Okapi(words) if any(words) else None

    def rank(self, query: str, limit: int) -> list[str]:
        """See `Peer.rank`. A note without any word of the query (score 0) is not found."""
        if self._bm25 is None:
            return []
        scores = np.asarray(self._bm25.get_scores(words_of(query)), dtype=np.float64)
        # Not `> 0`: words that most passages have may get a negative weight.
        return self._passages.best_notes(np.where(scores == 0, -np.inf, scores), limit)


def words_of(text: str) -> list[str]:
    """Split a text as the users of rank-bm25 do: runs of letters, digits and _, in lower case."""
    return _WORD.findall(text.lower())


class SentenceTransformers:
    """Cosine of the query with every passage in float32; a note has that of its best passage.

    It reads the very files that our own runtime reads, so that only the runtimes differ.
    """

    def __init__(self, passages: NotePassages, embedder: Embedder) -> None:
        """Embed all passages, which takes minutes for some thousands."""
        self._passages = passages
        self._embedder = embedder
        self._vectors = embedder.embed_passages(passages.texts)

    def rank(self, query: str, limit: int) -> list[str]:
        """See `Peer.rank`. Every note has some likeness, so only `limit` ends the list."""
        vector = self._embedder.embed_query(query)
        return self._passages.best_notes(self._vectors @ vector, limit)


def load_embedder(model: PeerModel) -> TorchEmbedder:
    """Load the configured model into sentence-transformers, on the CPU.

    Raises ModelError where it is not there or does not load.
    """
    folder = Path(model.rules.folder).expanduser() if model.rules.folder else None
    spec = find_model(model.rules.name)
    if spec is None and folder is not None:
        spec = describe_folder(folder, model.rules.name)
    if spec is None or spec.runtime == "torch":
        return TorchEmbedder.load(model.rules, offline=model.offline)
    return _from_files(spec, folder, model)


def _from_files(spec: ModelSpec, folder: Path | None, model: PeerModel) -> TorchEmbedder:
    """The model from weights, configuration and tokenizer alone, as Notewell keeps them."""
    # Takes seconds, and the extra may not be installed.
    from sentence_transformers import SentenceTransformer  # noqa: PLC0415

    try:
        from sentence_transformers.sentence_transformer import modules  # noqa: PLC0415
    except ImportError:  # the name in version 5
        from sentence_transformers import models as modules  # noqa: PLC0415
    files = fetch(
        spec, model_dir=model.model_dir, folder=folder, offline=model.offline, say=model.say
    )
    transformer = modules.Transformer(str(files.folder), max_seq_length=spec.max_tokens)
    pooling = modules.Pooling(spec.dimensions, spec.pooling)
    built = SentenceTransformer(modules=[transformer, pooling, modules.Normalize()], device="cpu")
    return TorchEmbedder(built, key=ModelKey(spec.name, files.weights_hash, "fp32"), spec=spec)


class FusedPeers:
    """Fuses two peers by rank, the usual hybrid search that people build from these packages.

    Reciprocal rank fusion of the notes that each part finds: the sum of 1 / (60 + rank).

    Source: Cormack, Clarke and Büttcher 2009, with their constant of 60.
    """

    def __init__(self, parts: Sequence[Peer]) -> None:
        self._parts = tuple(parts)

    def rank(self, query: str, limit: int) -> list[str]:
        """See `Peer.rank`. Each part gives its first `limit` notes."""
        scores: dict[str, float] = {}
        for part in self._parts:
            for rank, path in enumerate(part.rank(query, limit), start=1):
                scores[path] = scores.get(path, 0.0) + 1 / (RRF_K + rank)
        return sorted(scores, key=lambda path: -scores[path])[:limit]


_PARTS = (
    PeerKind("rank-bm25", ("rank_bm25",), lambda indexes: RankBm25(indexes.passages)),
    PeerKind(
        "sentence-transformers",
        ("sentence_transformers",),
        lambda indexes: SentenceTransformers(indexes.passages, load_embedder(indexes.model)),
    ),
)
_FUSED = PeerKind(
    "+".join(kind.name for kind in _PARTS),
    tuple(module for kind in _PARTS for module in kind.modules),
    lambda indexes: FusedPeers([indexes.get(kind) for kind in _PARTS]),
)
PEERS: Mapping[str, PeerKind] = {kind.name: kind for kind in (*_PARTS, _FUSED)}


def find_peers(names: str) -> tuple[PeerKind, ...]:
    """Find the peers in a list of names with commas between, each once, in that order.

    Raises UsageError for a name that is unknown or missing, MissingExtraError where a peer's
    package is not installed.
    """
    wanted = dict.fromkeys(name.strip() for name in names.split(","))
    for name in wanted:
        if name not in PEERS:
            raise UsageError(
                f"There is no peer called '{name}' to measure against."
                f" Name one or several of: {', '.join(PEERS)}.",
                code="unknown_peer",
            )
    peers = tuple(PEERS[name] for name in wanted)
    missing = [
        kind.name for kind in peers if any(find_spec(module) is None for module in kind.modules)
    ]
    if missing:
        raise MissingExtraError(
            f"Measuring against {', '.join(missing)} needs packages that are not installed."
            " Run pip install 'notewell-eval[compare]'."
        )
    return peers
