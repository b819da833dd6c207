"""Runs any other model with sentence-transformers (the extra `torch` of this package).

It is slower to start, larger to install and slower to index than the built-in runtime, but runs
every model that sentence-transformers supports.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import re
import threading
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from notewell.base.errors import MissingExtraError, ModelError, ModelUnavailableError
from notewell.base.types import ChunkSizes, FloatArray, ModelKey, ModelRules
from notewell.models.catalogue import WEIGHTS_FILE, ModelSpec, find_model
from notewell.models.fetch import file_sha256
from notewell.models.loading import chunk_sizes
from notewell.models.providers import EmbedderOptions

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer

_LEAST_MAJOR = 6  # earlier versions run the modules that a folder's modules.json names
_HUB_NAME = re.compile(r"[\w-][\w.-]*(?:/[\w-][\w.-]*)?", re.ASCII)
_BATCH = 8  # small, so that a query never waits long


class TorchEmbedder:
    """A sentence-transformers model on the CPU. Satisfies `types.Embedder`."""

    def __init__(
        self, model: SentenceTransformer, *, key: ModelKey, spec: ModelSpec | None
    ) -> None:
        """Use a loaded model; `spec` gives the prefixes and sizes of a catalogue model."""
        self._model: SentenceTransformer | None = model
        self._tokenizer = model.tokenizer  # also counts tokens after the model was closed
        self._key = key
        self._lock = threading.Lock()
        self._dimensions = _dimensions(model)
        self._prefixes = (spec.query_prefix, spec.passage_prefix) if spec else ("", "")
        self._sizes = spec.sizes if spec else chunk_sizes(int(model.max_seq_length or 512))

    @classmethod
    def load(cls, rules: ModelRules, *, offline: bool) -> TorchEmbedder:
        """Load `rules.folder`, else the hub's model `rules.name`; no code of either is run.

        Raises MissingExtraError without the extra, or with a version that runs code of a model;
        ModelUnavailableError without the model.
        """
        if importlib.util.find_spec("sentence_transformers") is None:
            raise MissingExtraError(
                f"The model {rules.name} needs sentence-transformers, which is not installed."
                " Run pip install 'notewell-eval[torch]'."
            )
        _check_version()
        # Importing it takes seconds, and the extra may not be installed.
        from sentence_transformers import SentenceTransformer  # noqa: PLC0415

        spec = find_model(rules.name)
        place = rules.folder or (spec.repo if spec else None) or rules.name
        revision = spec.revision if spec and not rules.folder else None
        if not rules.folder:
            _check_name(place)
        try:
            model = SentenceTransformer(
                place,
                device="cpu",
                revision=revision,
                local_files_only=offline,
                trust_remote_code=False,
            )
        except (OSError, ValueError) as error:  # both are raised for models that do not exist
            raise ModelUnavailableError(
                f"sentence-transformers cannot load {place!r}: {error}\nCheck the model's name,"
                " or name a folder that holds it in the setting model.folder."
            ) from error
        return cls(model, key=ModelKey(rules.name, _weights_hash(model, place), "fp32"), spec=spec)

    @property
    def key(self) -> ModelKey:
        return self._key

    @property
    def dimensions(self) -> int:
        return self._dimensions

    @property
    def sizes(self) -> ChunkSizes:
        return self._sizes

    def count_tokens(self, text: str) -> int:
        """Tokens of `text` alone, special tokens not counted."""
        return len(self._tokenizer.encode(text, add_special_tokens=False, verbose=False))

    def embed_passages(self, texts: Sequence[str]) -> FloatArray:
        """Unit vectors of shape (len(texts), dimensions), float32, in the order given."""
        vectors = np.zeros((len(texts), self._dimensions), np.float32)
        order = sorted(range(len(texts)), key=lambda row: -len(texts[row]))
        for start in range(0, len(order), _BATCH):
            rows = order[start : start + _BATCH]
            vectors[rows] = self._encode([self._prefixes[1] + texts[row] for row in rows])
        return vectors

    def embed_query(self, text: str) -> FloatArray:
        """Unit vector of shape (dimensions,), float32."""
        return np.asarray(self._encode([self._prefixes[0] + text])[0], np.float32)

    def close(self) -> None:
        """Release the model. May be called twice."""
        self._model = None

    def _open_model(self) -> SentenceTransformer:
        if self._model is None:
            raise ModelError(f"The embedder {self._key} is closed.", code="model_closed")
        return self._model

    def _encode(self, texts: list[str]) -> FloatArray:
        model = self._open_model()
        readable = [text.encode("utf-8", "replace").decode("utf-8") for text in texts]
        with self._lock:  # torch uses all processors for one call, so calls run one after the other
            vectors = model.encode(
                readable,
                batch_size=_BATCH,
                normalize_embeddings=True,
                show_progress_bar=False,
                convert_to_numpy=True,
            )
        return np.asarray(vectors, np.float32)


def _check_version() -> None:
    """Raise MissingExtraError for a version that runs Python files of a model's folder unasked."""
    installed = version("sentence-transformers")
    major = installed.partition(".")[0]
    if not major.isdigit() or int(major) < _LEAST_MAJOR:
        raise MissingExtraError(
            f"sentence-transformers {installed} runs code that lies beside a model. Install"
            f" version {_LEAST_MAJOR} or newer: pip install"
            f" 'sentence-transformers>={_LEAST_MAJOR}'."
        )


def _check_name(name: str) -> None:
    """Raise ModelUnavailableError for what is no name on the hub, but a place on this computer.

    The library takes a folder of that name, also one of the current folder, for the model. That
    folder may be a vault's.
    """
    if _HUB_NAME.fullmatch(name) is None or os.path.lexists(name):
        raise ModelUnavailableError(
            f"{name[:200]!r} is not loaded: there is a file or folder of this name, or it is no"
            " name on the hub. Name a folder that holds a model in the setting model.folder."
        )


def _dimensions(model: Any) -> int:
    """Length of the model's vectors. Version 6 renamed the method that returns it."""
    new = getattr(model, "get_embedding_dimension", None)
    return int((new or model.get_sentence_embedding_dimension)() or 0)


def load(options: EmbedderOptions) -> TorchEmbedder:
    """The embedder that the options describe. Raises as `TorchEmbedder.load` does."""
    return TorchEmbedder.load(options.rules, offline=options.offline)


def _weights_hash(model: Any, place: str) -> str:
    """SHA-256 of the weights file of a folder; of the tensors in memory for a hub model."""
    weights = Path(place) / WEIGHTS_FILE
    if weights.is_file():
        return file_sha256(weights)
    digest = hashlib.sha256()
    for name, tensor in sorted(model.state_dict().items()):
        digest.update(name.encode())
        digest.update(np.ascontiguousarray(tensor.detach().float().cpu().numpy()).data)
    return digest.hexdigest()
