"""Models: the catalogue, downloads, and the runtimes of embedders, rerankers and chat models.

`load_embedder` and `load_reranker` load them. Importing this package loads no runtime.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from notewell.base.types import Embedder, ModelRules, Reranker, SearchRules
from notewell.models.catalogue import CATALOGUE, ModelSpec, find

__all__ = [
    "CATALOGUE",
    "ModelSpec",
    "find",
    "load_embedder",
    "load_remote_reranker",
    "load_reranker",
]


def load_embedder(
    rules: ModelRules,
    *,
    model_dir: Path,
    offline: bool,
    fetch_missing: bool,
    say: Callable[[str], None],
) -> Embedder:
    """Load the model that `rules` name: from the catalogue, a folder, or sentence-transformers.

    `model_dir` is the cache of weights and graphs. `fetch_missing` allows downloads and
    `offline` forbids them; `say` receives messages about what takes time. Raises ModelError or one
    of its subclasses. The embedder is restarted if its runtime fails, see resilient.py.
    """
    # onnxruntime takes half of the time of a short command, which may need no model.
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
    """Load the reranker of that name, or the one in `folder`, without downloads.

    Raises NotFoundError for an unknown name, ModelUnavailableError if its files are not on this
    computer, ModelDamagedError if they are not those of a reranker.
    """
    from notewell.models import loading  # noqa: PLC0415 - as above

    return loading.load_reranker(name, model_dir=model_dir, folder=folder, say=say)


def load_remote_reranker(
    rules: SearchRules, *, model_dir: Path, consent: tuple[str, ...]
) -> Reranker:
    """The reranking service that `rules` name; nothing is sent yet.

    `consent` are the hosts that a person has allowed. Raises ConfigError, or ModelUnavailableError
    for a host that is not among them.
    """
    from notewell.models import loading  # noqa: PLC0415 - as above

    return loading.load_remote_reranker(rules, model_dir=model_dir, consent=consent)
