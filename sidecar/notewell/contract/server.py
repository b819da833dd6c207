"""What a server says of itself: its vaults, that it is there, its events, its errors."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from notewell.types import PropertyValue


@dataclass(frozen=True, slots=True)
class VaultView:
    """A known vault."""

    id: str
    name: str
    path: str
    default: bool
    open: bool
    source: Literal["folder", "mirror"]
    served: bool  # requests may name it; the server opens it for them where it is not open


@dataclass(frozen=True, slots=True)
class VaultsReply:
    """All known vaults."""

    vaults: tuple[VaultView, ...]


@dataclass(frozen=True, slots=True)
class HealthReply:
    """That a server is there and which contract it speaks; tells nothing of a vault."""

    status: Literal["ok"]
    version: str
    api: int
    features: tuple[str, ...]
    auth: Literal["token"] = "token"


@dataclass(frozen=True, slots=True)
class EventReply:
    """One event of the stream: its `id:`, its `event:` and the JSON of its `data:`."""

    id: int
    event: Literal["generation", "progress", "ledger", "state"]
    data: Mapping[str, PropertyValue]


@dataclass(frozen=True, slots=True)
class Problem:
    """An RFC 9457 problem document."""

    type: str
    title: str
    status: int
    detail: str
    code: str
