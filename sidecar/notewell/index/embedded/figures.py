"""What an index holds in figures, beyond what searching needs."""

from __future__ import annotations

from notewell.index.embedded import coverage
from notewell.index.embedded.store import Store
from notewell.types import IndexFigures, KeptVectors, ModelKey


def figures(store: Store) -> IndexFigures:
    """Count what is kept; takes some milliseconds for a hundred thousand vectors."""
    return IndexFigures(models=_models(store), bytes_on_disk=_bytes(store))


def _models(store: Store) -> tuple[KeptVectors, ...]:
    answering = coverage.vector_model(store)
    rows = store.read(
        "SELECT m.id, m.name, m.weights_hash, m.quantisation, m.dimensions,"
        " (SELECT count(*) FROM vectors v WHERE v.model_id = m.id) FROM models m ORDER BY m.id"
    )
    return tuple(
        KeptVectors(ModelKey(*key), dimensions, vectors, answering=number == answering)
        for number, *key, dimensions, vectors in rows
    )


def _bytes(store: Store) -> int:
    total = 0
    for file in store.directory.rglob("*"):
        try:
            total += file.stat().st_size if file.is_file() else 0
        except OSError:
            continue  # a segment or a log that was merged away meanwhile
    return total
