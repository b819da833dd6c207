"""Loads the model that the settings name, and measures what its cosines mean.

It is one of the catalogue or in a folder with the layout of sentence-transformers: config.json,
tokenizer.json, model.safetensors, and optionally sentence_bert_config.json, modules.json,
1_Pooling/config.json and config_sentence_transformers.json. Cosines of any model can be weighed
alike once it is known which are usual between texts that belong together, and between others.
"""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import asdict, fields
from importlib import resources
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

import numpy as np

from notewell.base.errors import (
    ModelDamagedError,
    ModelError,
    ModelUnavailableError,
    NotFoundError,
)
from notewell.base.support import disk
from notewell.base.support.disk import expand_user
from notewell.base.types import (
    ChunkSizes,
    CosineScale,
    Embedder,
    ModelRules,
    Reranker,
    SearchRules,
)
from notewell.models import catalogue
from notewell.models.catalogue import (
    CONFIG_FILE,
    TOKENIZER_FILE,
    WEIGHTS_FILE,
    ModelSpec,
    PinnedFile,
    Pooling,
    find_model,
    find_reranker,
)
from notewell.models.encoder import UNSUPPORTED, read_config, read_json
from notewell.models.providers import (
    EMBEDDERS,
    RERANKERS,
    EmbedderOptions,
    RerankerOptions,
    find_provider,
)
from notewell.models.resilient import ResilientEmbedder, Step, rules_for, usable_processors

# For models that neither the catalogue nor their folder describes.
_FALLBACK_RUNTIME = "torch"
_LARGEST_CHUNK = 256  # longer passages do not improve the search, whatever the model allows
_FILES = (CONFIG_FILE, TOKENIZER_FILE, WEIGHTS_FILE)
_BUILT_MODULES = frozenset({"Transformer", "Pooling", "Normalize"})
log = logging.getLogger(__name__)
_TEXTS = "calibration.tsv"  # a query and a passage that answers it on each line
_LEAST_FOUND = 0.5  # of the queries; a model that finds fewer answers tells nothing by them


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
    if rules.provider != "local":
        if rules.late_chunking:
            raise ModelError(
                "model.late_chunking is for models on this computer. Set it to false; services have"
                " contextual models in its place."
            )
        return _load_remote(
            rules, model_dir=model_dir, offline=offline, may_measure=fetch_missing, say=say
        )
    try:
        embedder = load(
            rules, model_dir=model_dir, offline=offline, fetch_missing=fetch_missing, say=say
        )
        cosines = scale_of(embedder, find_model(rules.name), model_dir)
    except (MemoryError, RuntimeError) as error:
        raise ModelError(
            f"The model {rules.name} could not be started: {str(error) or 'not enough memory'}."
        ) from error

    def start(step: Step) -> Embedder:
        simpler = rules_for(step, rules, usable_processors())
        return load(
            simpler, model_dir=model_dir, offline=True, fetch_missing=False, say=lambda _: None
        )

    return ResilientEmbedder(embedder, start, cosines=cosines)


def _load_remote(
    rules: ModelRules,
    *,
    model_dir: Path,
    offline: bool,
    may_measure: bool,
    say: Callable[[str], None],
) -> Embedder:
    """The embedder of a service. Its runtime is elsewhere, so it has its own ways to recover."""
    # The HTTP client takes a while to import, and local models do not need it.
    from notewell.models.remote.model import remote_model, require_consent  # noqa: PLC0415

    require_consent(rules, offline=offline)
    options = EmbedderOptions(
        rules=rules,
        spec=None,
        folder=None,
        model_dir=model_dir,
        offline=offline,
        say=say,
        remote=remote_model(rules),
    )
    embedder = find_provider(EMBEDDERS, "remote").load(options)
    if isinstance(embedder, Calibratable):
        measure = scale_of if may_measure else kept_scale
        embedder.cosines = measure(embedder, None, model_dir)
    return embedder


def load(
    rules: ModelRules,
    *,
    model_dir: Path,
    offline: bool,
    fetch_missing: bool,
    say: Callable[[str], None],
) -> Embedder:
    """Load an embedder as `rules` say. Raises what its runtime raises."""
    spec, folder = describe_model(rules)
    options = EmbedderOptions(
        rules=rules,
        spec=spec,
        folder=folder,
        model_dir=model_dir,
        offline=offline or not fetch_missing,
        say=say,
    )
    runtime = _FALLBACK_RUNTIME if spec is None else spec.runtime
    if rules.late_chunking:
        if runtime != "onnx":
            raise ModelError(
                f"{rules.name} runs by sentence-transformers, which cannot read passages together."
                " Set model.late_chunking to false, or choose a model of `notewell models list`."
            )
        runtime = "late_chunking"
    return find_provider(EMBEDDERS, runtime).load(options)


def describe_model(rules: ModelRules) -> tuple[ModelSpec | None, Path | None]:
    """The spec of the model that `rules` name, None if it is unknown, and its folder if named."""
    folder = expand_user(rules.folder) if rules.folder else None
    spec = find_model(rules.name)
    if spec is None and folder is not None:
        spec = describe_folder(folder, rules.name)
    return spec, folder


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
    spec = find_reranker(name)
    if spec is None and folder is not None:
        spec = describe_folder(folder, name)
    if spec is None:
        names = ", ".join(entry.name for entry in catalogue.RERANKERS)
        raise NotFoundError(f"No reranker named {name!r}. Known: {names}.", code="unknown_model")
    options = RerankerOptions(spec=spec, folder=folder, model_dir=model_dir, say=say)
    return find_provider(RERANKERS, spec.runtime).load(options)


def load_remote_reranker(
    rules: SearchRules, *, model_dir: Path, consent: tuple[str, ...]
) -> Reranker:
    """The reranking service that `rules` name; nothing is sent yet.

    `consent` are the hosts that a person has allowed. Raises ConfigError, or ModelUnavailableError
    for a host that is not among them.
    """
    options = RerankerOptions(
        spec=None,
        folder=None,
        model_dir=model_dir,
        say=lambda _: None,
        rules=rules,
        consent=consent,
    )
    return find_provider(RERANKERS, "remote").load(options)


def describe_folder(folder: Path, name: str) -> ModelSpec | None:
    """The spec of the model in `folder`, or None if only sentence-transformers can run it.

    Raises ModelUnavailableError if there is no model in the folder, ModelDamagedError if its
    configuration is not valid.
    """
    if not (folder / CONFIG_FILE).is_file():
        raise ModelUnavailableError(
            f"There is no model in {folder}: it has no {CONFIG_FILE}. Name a folder with"
            f" {', '.join(_FILES)} in the setting model.folder."
        )
    try:
        config = read_config(folder)
    except ModelError as error:
        if error.code != UNSUPPORTED:
            raise
        return None
    pooling = _pooling(folder)
    complete = all((folder / file).is_file() for file in _FILES)
    if pooling is None or not complete or not _only_built_modules(folder):
        return None
    limit = _sentence_limit(folder, config.max_positions)
    prompts = _optional(folder / "config_sentence_transformers.json").get("prompts") or {}
    return ModelSpec(
        name=name,
        repo=None,
        revision=None,
        files=tuple(PinnedFile(file) for file in _FILES),
        dimensions=config.hidden_size,
        max_tokens=limit,
        sizes=chunk_sizes(limit),
        languages=(),
        licence="see its folder",
        download_mb=0,
        pooling=pooling,
        query_prefix=str(prompts.get("query", "")),
        passage_prefix=str(prompts.get("document") or prompts.get("passage", "")),
    )


def chunk_sizes(max_tokens: int) -> ChunkSizes:
    """Chunk sizes in the proportions of the default model, within the model's limit."""
    largest = min(max_tokens, _LARGEST_CHUNK)
    return ChunkSizes(largest, largest * 3 // 16, largest * 3 // 32)


def _optional(path: Path) -> Mapping[str, Any]:
    return read_json(path) if path.is_file() else {}


def _sentence_limit(folder: Path, positions: int) -> int:
    limit = _optional(folder / "sentence_bert_config.json").get("max_seq_length")
    return min(int(limit), positions) if limit else positions


def _pooling(folder: Path) -> Pooling | None:
    """The pooling, by default mean; None for one that is not supported."""
    raw = _optional(folder / "1_Pooling" / CONFIG_FILE)
    prefix = "pooling_mode_"
    modes = {key.removeprefix(prefix) for key, on in raw.items() if key.startswith(prefix) and on}
    if modes <= {"mean_tokens"}:
        return "mean"
    return "cls" if modes == {"cls_token"} else None


def _only_built_modules(folder: Path) -> bool:
    """True if our graph has all modules in modules.json; it has no Dense layer, for example."""
    path = folder / "modules.json"
    if not path.is_file():
        return True
    try:
        kinds = {str(module["type"]).rpartition(".")[2] for module in json.loads(path.read_bytes())}
    except (ValueError, TypeError, KeyError) as error:
        raise ModelDamagedError(
            f"{path} cannot be read ({error}). Fetch the model again."
        ) from error
    return kinds <= _BUILT_MODULES


def scale_of(embedder: Embedder, spec: ModelSpec | None, model_dir: Path) -> CosineScale | None:
    """The scale of the embedder's cosines: as catalogued, as measured before, or measured now.

    None if it cannot be measured, which a later start tries again.
    """
    kept = kept_scale(embedder, spec, model_dir)
    if kept is not None:
        return kept
    path = _path(embedder, model_dir)
    try:
        scale = measure(embedder)
    except Exception as error:  # noqa: BLE001 - the runtimes' errors have no common base
        log.warning("The cosines of %s could not be measured: %s", embedder.key, error)
        return None
    if scale is not None:
        with suppress(OSError):  # measured again at the next start
            _write(path, scale)
    return scale


@runtime_checkable
class Calibratable(Protocol):
    """An embedder that is told what its cosines mean once they are measured."""

    cosines: CosineScale | None


def kept_scale(embedder: Embedder, spec: ModelSpec | None, model_dir: Path) -> CosineScale | None:
    """The scale as catalogued or measured before; None if it has not been."""
    if spec is not None and spec.cosines is not None and _is_of(spec, embedder):
        return spec.cosines
    return _read(_path(embedder, model_dir))


def measure(embedder: Embedder) -> CosineScale | None:
    """The mean cosines of the queries with their own passages and others, and between passages.

    None if most queries are nearer to another passage than to their own, or a vector is not finite.
    Raises what the embedder raises.
    """
    pairs = [line.split("\t") for line in _texts().splitlines()]
    passages = embedder.embed_passages([passage for _, passage in pairs])
    queries = np.stack([embedder.embed_query(query) for query, _ in pairs])
    cosines = queries @ passages.T
    places = np.arange(len(pairs))
    own = places[:, np.newaxis] == places
    between = (passages @ passages.T)[~own]
    if np.mean(cosines.argmax(axis=1) == places) < _LEAST_FOUND or not np.isfinite(cosines).all():
        return None
    return CosineScale(
        unrelated=round(float(cosines[~own].mean()), 4),
        related=round(float(cosines[own].mean()), 4),
        passages=round(float(between.mean()), 4),
        passages_deviation=round(float(between.std()), 4),
    )


def _texts() -> str:
    return (resources.files(__package__) / _TEXTS).read_text(encoding="utf-8")


def _is_of(spec: ModelSpec, embedder: Embedder) -> bool:
    """True if the embedder has the weights that the catalogue describes."""
    pinned = {file.name: file.sha256 for file in spec.files}
    return pinned.get(spec.weights) == embedder.key.weights_hash


def _path(embedder: Embedder, model_dir: Path) -> Path:
    """The file of this model and these texts."""
    key = embedder.key
    identity = repr((key.name, key.weights_hash, key.quantisation, _texts()))
    name = hashlib.sha256(identity.encode()).hexdigest()[:16]
    return model_dir / "cosines" / f"{name}.json"


def _read(path: Path) -> CosineScale | None:
    try:
        raw = json.loads(path.read_bytes())
        scale = CosineScale(**{field.name: float(raw[field.name]) for field in fields(CosineScale)})
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return scale if scale.unrelated < scale.related else None


def _write(path: Path, scale: CosineScale) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    disk.replace(path, json.dumps(asdict(scale)).encode(), mode=disk.SHARED)
