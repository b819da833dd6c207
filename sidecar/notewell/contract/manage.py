"""What the doors answer to those who look after a server; one field per JSON field."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from notewell.types import LedgerState

SettingSource = Literal["default", "user", "vault", "environment", "flag"]
SettingValue = (
    str | int | float | bool | tuple[str, ...] | Mapping[str, str | int | float | bool] | None
)


@dataclass(frozen=True, slots=True)
class SessionReply:
    """Who asks: what the device is called and what it may do."""

    name: str
    scope: Literal["read", "write", "admin"]


@dataclass(frozen=True, slots=True)
class CatalogueModel:
    """A model of the catalogue. `present`: its files are on the server's disk."""

    name: str
    dimensions: int
    max_tokens: int
    languages: tuple[str, ...]
    licence: str
    download_mb: int
    runtime: str
    configured: bool
    present: bool


@dataclass(frozen=True, slots=True)
class CatalogueReply:
    """`GET /api/models`. `answering` is the model whose vectors answer now, null while none do."""

    vault: str
    configured: str
    answering: str | None
    models: tuple[CatalogueModel, ...]


@dataclass(frozen=True, slots=True)
class SettingView:
    """A setting. `value` holds from the next start on, `running` now; `source` set `value`.

    `reason` says why it is not `writable` here.
    """

    key: str
    value: SettingValue
    running: SettingValue
    default: SettingValue
    source: SettingSource
    writable: bool
    reason: str | None


@dataclass(frozen=True, slots=True)
class ConfigReply:
    """`GET` and `PATCH /api/config`. `restart`: some of the running values are not the newest."""

    vault: str
    file: str | None
    restart: bool
    settings: tuple[SettingView, ...]


@dataclass(frozen=True, slots=True)
class NamedCount:
    """How many notes have something; `name` is null for those that have nothing of the kind."""

    name: str | None
    notes: int


@dataclass(frozen=True, slots=True)
class MonthCount:
    """Notes created and last modified in a month, such as `2026-03` (UTC)."""

    month: str
    created: int
    modified: int


@dataclass(frozen=True, slots=True)
class SizedNote:
    """A note and how many bytes its file has."""

    path: str
    bytes: int


@dataclass(frozen=True, slots=True)
class Sizes:
    """Bytes: of all notes, of the middle one, and of what the index takes on disk."""

    notes: int
    median_note: int
    index: int
    largest: tuple[SizedNote, ...]


@dataclass(frozen=True, slots=True)
class ModelVectors:
    """The vectors kept of a model, needed now or not."""

    model: str
    quantisation: str
    dimensions: int
    vectors: int
    answering: bool


@dataclass(frozen=True, slots=True)
class StatsReply:
    """`GET /api/stats`. Names come with the most notes first, months in order.

    A note tagged `a/b` counts for `a` and for `a/b`; folders are those at the top.
    """

    vault: str
    generation: int
    notes: int
    chunks: int
    links: int
    files: Mapping[LedgerState, int]
    sizes: Sizes
    types: tuple[NamedCount, ...]
    folders: tuple[NamedCount, ...]
    tags: tuple[NamedCount, ...]
    months: tuple[MonthCount, ...]
    models: tuple[ModelVectors, ...]
