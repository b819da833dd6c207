"""Pages of an outliner (Roam, Logseq) and documents of an export, as their source gives them."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol, TypeAlias

import orjson

_MAX_NAME = 120  # characters of a part of a path; file systems allow 255 bytes
_FORBIDDEN = re.compile(r'[\x00-\x1f\x7f\\:*?"<>|#^\[\]]+')
_RESERVED = re.compile(r"(?:con|prn|aux|nul|com\d|lpt\d)(?:\..*)?", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class SourceBlock:
    """One block of a page, in the markup of its source.

    `depth` is 0 for a block of the page itself; its children are the blocks behind it that are
    deeper. `uid` is "" where nothing can refer to it. `heading` is 0 or the level.
    """

    uid: str
    depth: int
    text: str
    heading: int = 0


@dataclass(frozen=True, slots=True)
class SourcePage:
    """A page with its blocks in order. Times are in milliseconds since 1970, 0 where unknown.

    `edited` is the latest time of the page and its blocks. `day` is the ISO date of a daily page.
    """

    uid: str
    title: str
    blocks: tuple[SourceBlock, ...] = ()
    created: int = 0
    edited: int = 0
    properties: Mapping[str, str | Sequence[str]] = field(default_factory=dict)
    aliases: tuple[str, ...] = ()
    day: str | None = None

    def dump(self) -> bytes:
        """The page as bytes, from which `load_page` makes it again."""
        return orjson.dumps(
            (
                self.uid,
                self.title,
                [(one.uid, one.depth, one.text, one.heading) for one in self.blocks],
                self.created,
                self.edited,
                dict(self.properties),
                self.aliases,
                self.day,
            ),
            option=orjson.OPT_SORT_KEYS,
        )

    def digest(self) -> bytes:
        """A hash of the page without its times: of equal pages it is equal."""
        timeless = SourcePage(
            self.uid, self.title, self.blocks, 0, 0, self.properties, self.aliases, self.day
        )
        return hashlib.blake2b(timeless.dump(), digest_size=16).digest()


def load_page(stored: bytes) -> SourcePage:
    """The page that `Page.dump` stored."""
    uid, title, blocks, created, edited, properties, aliases, day = orjson.loads(stored)
    return SourcePage(
        uid,
        title,
        tuple(SourceBlock(*one) for one in blocks),
        created,
        edited,
        properties,
        tuple(aliases),
        day,
    )


@dataclass(frozen=True, slots=True)
class SourceDocument:
    """A file of an export that is indexed as it is; `path` is its wanted place."""

    uid: str
    path: str
    content: bytes
    edited: int = 0

    def digest(self) -> bytes:
        """A hash of place and content."""
        return hashlib.blake2b(self.path.encode() + b"\0" + self.content, digest_size=16).digest()


@dataclass(frozen=True, slots=True)
class Unread:
    """A page or file of an export that cannot be read, and why."""

    name: str
    why: str


Item: TypeAlias = SourcePage | SourceDocument | Unread


class Feed(Protocol):
    """The pages or files of a source, asked for once in each sync.

    Pages that are asked for and not given are unreadable at the moment and stay as they were.
    """

    def stamps(self, known: Mapping[str, int]) -> Mapping[str, int] | None:
        """The uid of every page with its latest time of change, 0 where unknown.

        `known` are those of the pages that are here. None: the source cannot tell without reading
        everything; `items` of no uids does that.
        """
        ...

    def items(self, uids: Sequence[str] | None) -> Iterator[Item]:
        """The pages with these uids, in any order; None: all there are."""
        ...


def file_path(title: str) -> str:
    """The path that a page of this title should have, without ending; a slash makes a folder.

    Characters that Obsidian or a file system refuses in names are replaced.
    """
    parts = [_part(one) for one in unicodedata.normalize("NFC", title).split("/")]
    return "/".join(one for one in parts if one) or "Untitled"


def _part(title: str) -> str:
    name = " ".join(_FORBIDDEN.sub(" ", title).split()).strip(". ")
    if _RESERVED.fullmatch(name):
        name = f"_{name}"
    return name[:_MAX_NAME].strip(". ")
