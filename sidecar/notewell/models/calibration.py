"""Measures what a model's cosines mean, so that those of any model can be weighed alike.

The cosine of a query and a passage that have nothing to do with each other is about 0 with one
model and 0.78 with another, that of a query and its answer 0.44 or 0.85. Both are measured once, on
the queries of calibration.tsv: each with its own passage, and with those on other topics; and so
are the mean and the deviation between the passages, by which similar notes are judged. The
catalogue has the result for models that it knows; for others it is measured when the model is first
loaded, and kept beside the model's graphs:

    <model_dir>/cosines/<key>.json

The texts are in English because every embedding model reads it: what a model cannot read has
cosines that tell nothing about the rest.
"""

from __future__ import annotations

import hashlib
import json
import logging
from contextlib import suppress
from dataclasses import asdict, fields
from importlib import resources
from pathlib import Path
from typing import Protocol, runtime_checkable

import numpy as np

from notewell.base.support import disk
from notewell.base.types import CosineScale, Embedder
from notewell.models.catalogue import ModelSpec

log = logging.getLogger(__name__)

_TEXTS = "calibration.tsv"  # a query and a passage that answers it on each line
_LEAST_FOUND = 0.5  # of the queries; a model that finds fewer answers tells nothing by them


def scale_of(embedder: Embedder, spec: ModelSpec | None, model_dir: Path) -> CosineScale | None:
    """The scale of the embedder's cosines: as catalogued, as measured before, or measured now.

    None if it cannot be measured, which a later start tries again.
    """
    found = kept_scale(embedder, spec, model_dir)
    if found is not None:
        return found
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
class MeasuredLater(Protocol):
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
    """Whether the embedder has the weights that the catalogue describes."""
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
        scale = CosineScale(**{each.name: float(raw[each.name]) for each in fields(CosineScale)})
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return scale if scale.unrelated < scale.related else None


def _write(path: Path, scale: CosineScale) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    disk.replace(path, json.dumps(asdict(scale)).encode(), mode=disk.SHARED)
