"""One note: the request for it, and everything known about it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from notewell.contract.fields import NotePath
from notewell.contract.request import Endpoint, Request
from notewell.contract.status import LedgerRow
from notewell.types import LinkKind, PropertyValue


@dataclass(frozen=True, slots=True)
class HeadingView:
    """A heading of a note."""

    level: int
    text: str
    line: int


@dataclass(frozen=True, slots=True)
class LinkView:
    """A link seen from one note; `path` is null where it is unresolved."""

    path: str | None
    target: str
    display: str | None
    heading: str | None
    block: str | None
    embed: bool
    kind: LinkKind
    line: int


@dataclass(frozen=True, slots=True)
class ChunkView:
    """A chunk of a note, as the index holds it."""

    heading: str | None  # heading path, " > " between levels
    line: int  # where it begins
    chars: int


@dataclass(frozen=True, slots=True)
class NoteReply:
    """A note with everything known about it."""

    vault: str
    path: str
    title: str
    aliases: tuple[str, ...]
    tags: tuple[str, ...]
    description: str | None
    content: str
    properties: Mapping[str, PropertyValue]
    headings: tuple[HeadingView, ...]
    links_out: tuple[LinkView, ...]
    links_in: tuple[LinkView, ...]  # their `path` is the note that links
    created: str | None
    modified: str | None
    uri: str
    ledger: LedgerRow | None
    chunks: tuple[ChunkView, ...] = ()


@dataclass(frozen=True, slots=True)
class NoteRequest(Request[NoteReply]):
    """A note as it is on disk, with what the index knows about it."""

    endpoint: ClassVar[Endpoint] = Endpoint(
        "GET",
        "/api/note",
        "note",
        "A note: content, properties, headings, links in and out",
        rate_class="search",
        example={"path": "Garden/Bees.md"},
    )
    path: NotePath
