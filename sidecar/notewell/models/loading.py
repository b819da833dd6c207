"""Loads the model that the settings name: finds what describes it and the provider that runs it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from notewell.errors import ModelError, NotFoundError
from notewell.models import catalogue
from notewell.models.catalogue import known, known_reranker
from notewell.models.folder import describe_folder
from notewell.models.providers import (
    EMBEDDERS,
    RERANKERS,
    EmbedderOptions,
    RerankerOptions,
    find_provider,
)
from notewell.models.resilient import ResilientEmbedder, Step, rules_for, usable_processors
from notewell.types import Embedder, ModelRules, Reranker

# sentence-transformers runs what neither the catalogue nor a folder describes.
_RUNTIME_OF_OTHERS = "torch"


def load_resilient(
    rules: ModelRules,
    *,
    model_dir: Path,
    offline: bool,
    fetch_missing: bool,
    say: Callable[[str], None],
) -> ResilientEmbedder:
    """See `notewell.models.load_embedder`."""
    try:
        embedder = load(
            rules, model_dir=model_dir, offline=offline, fetch_missing=fetch_missing, say=say
        )
    except (MemoryError, RuntimeError) as error:
        raise ModelError(
            f"The model {rules.name} could not be started: {str(error) or 'not enough memory'}."
        ) from error

    def start(step: Step) -> Embedder:
        simpler = rules_for(step, rules, usable_processors())
        return load(
            simpler, model_dir=model_dir, offline=True, fetch_missing=False, say=lambda _: None
        )

    return ResilientEmbedder(embedder, start)


def load(
    rules: ModelRules,
    *,
    model_dir: Path,
    offline: bool,
    fetch_missing: bool,
    say: Callable[[str], None],
) -> Embedder:
    """One embedder that works as `rules` say, or raises what its runtime raises."""
    folder = Path(rules.folder).expanduser() if rules.folder else None
    spec = known(rules.name)
    if spec is None and folder is not None:
        spec = describe_folder(folder, rules.name)
    options = EmbedderOptions(
        rules=rules,
        spec=spec,
        folder=folder,
        model_dir=model_dir,
        offline=offline or not fetch_missing,
        say=say,
    )
    runtime = _RUNTIME_OF_OTHERS if spec is None else spec.runtime
    return find_provider(EMBEDDERS, runtime).load(options)


def load_reranker(
    name: str, *, model_dir: Path, folder: Path | None, say: Callable[[str], None]
) -> Reranker:
    """See `notewell.models.load_reranker`."""
    spec = known_reranker(name)
    if spec is None and folder is not None:
        spec = describe_folder(folder, name)
    if spec is None:
        names = ", ".join(entry.name for entry in catalogue.RERANKERS)
        raise NotFoundError(f"No reranker named {name!r}. Known: {names}.", code="unknown_model")
    options = RerankerOptions(spec=spec, folder=folder, model_dir=model_dir, say=say)
    return find_provider(RERANKERS, spec.runtime).load(options)
