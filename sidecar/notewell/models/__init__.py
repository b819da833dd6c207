"""Embedding models: which there are, where their weights come from, how they run.

`load_embedder` and `load_reranker` load them; importing this package costs next to nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from notewell.models.catalogue import CATALOGUE, ModelSpec, find
from notewell.types import Embedder, ModelRules, Reranker

__all__ = ["CATALOGUE", "ModelSpec", "find", "load_embedder", "load_reranker"]


def load_embedder(
    rules: ModelRules,
    *,
    model_dir: Path,
    offline: bool,
    fetch_missing: bool,
    say: Callable[[str], None],
) -> Embedder:
    """Load the model that `rules` name: from the catalogue, a folder, or sentence-transformers.

    `model_dir` is the cache of weights and graphs. `fetch_missing` allows to download what is not
    on disk, `offline` forbids it; `say` is told what takes time. Raises the ModelError tree:
    unavailable, damaged, or needing an extra that is not installed. What is loaded survives its
    runtime, see resilient.py.
    """
    # Half of a short command's time would go into onnxruntime, also where no model is needed.
    from notewell.models import loading  # noqa: PLC0415

    return loading.load_resilient(
        rules, model_dir=model_dir, offline=offline, fetch_missing=fetch_missing, say=say
    )


def load_reranker(
    name: str,
    *,
    model_dir: Path,
    folder: Path | None = None,
    say: Callable[[str], None] = lambda _: None,
) -> Reranker:
    """Load the reranker of that name, or the one in `folder`; from this computer alone.

    Raises NotFoundError for a name that is not known, ModelUnavailableError where its files are
    not here, ModelDamagedError where they do not make a reranker.
    """
    from notewell.models import loading  # noqa: PLC0415 - as above

    return loading.load_reranker(name, model_dir=model_dir, folder=folder, say=say)
