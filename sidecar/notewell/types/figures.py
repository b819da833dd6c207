"""What an index holds, in figures."""

from __future__ import annotations

from dataclasses import dataclass

from notewell.types.embedding import ModelKey


@dataclass(frozen=True, slots=True)
class KeptVectors:
    """A model that has vectors in an index. `vectors`: all of them, needed now or not."""

    key: ModelKey
    dimensions: int
    vectors: int
    answering: bool


@dataclass(frozen=True, slots=True)
class IndexFigures:
    """What an index holds: models in the order they came, database and derived files in bytes."""

    models: tuple[KeptVectors, ...]
    bytes_on_disk: int
