"""The package sentence-transformers as a peer: exact cosine with the configured model, in float32.

It reads the very files that Notewell's own runtime reads, so that only the runtimes differ.
"""

from __future__ import annotations

from pathlib import Path

from notewell.evaluate.peers.peer import NotePassages, PeerIndexes, PeerKind, PeerModel
from notewell.models.catalogue import ModelSpec, known
from notewell.models.fetch import fetch
from notewell.models.loading import describe_folder
from notewell.models.torch_embedder import TorchEmbedder
from notewell.types import Embedder, ModelKey


class SentenceTransformers:
    """Cosine of the query with every passage; a note has the score of its best passage."""

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
    spec = known(model.rules.name)
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


def _build(indexes: PeerIndexes) -> SentenceTransformers:
    return SentenceTransformers(indexes.passages, load_embedder(indexes.model))


KIND = PeerKind("sentence-transformers", ("sentence_transformers",), _build)
