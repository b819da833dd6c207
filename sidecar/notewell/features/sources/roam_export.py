"""Roam's exports: JSON, and EDN (its database written out).

The JSON is a list of pages. It is read page by page, so that a large export needs little memory
and one page that cannot be read does not keep the others out. The EDN is
`#datascript/DB {:schema {…}, :datoms [[entity attribute value transaction] …]}`.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

from notewell.api.errors import SourceError
from notewell.api.files import read_plain
from notewell.features.sources.pages import Item, SourceBlock, SourcePage, Unread
from notewell.features.sources.text_export import ExportFiles

_DAY = re.compile(r"(\d{2})-(\d{2})-(\d{4})")
_ATTRIBUTE = re.compile(r"\s*(?:\[\[)?([^:\n\[\]`{}()#]{1,80}?)(?:\]\])?::[ \t]*(.*)", re.DOTALL)
_NAMED = re.compile(r"#?\[\[([^\[\]]+)\]\]|#([\w/-]+)")
_MAX_VALUE = 1000  # characters of an attribute that becomes a property
MAX_BYTES = 1024 * 1024 * 1024  # of an export
_STRING = r'"[^"\\]*+(?:\\.[^"\\]*+)*"'
# Strings are skipped whole; what is left that counts are brackets.
_BRACKETS = re.compile(rf"{_STRING}|[{{}}\[\]]", re.DOTALL)
_DATOM = re.compile(
    rf"\[\s*(?P<entity>\d+)\s+(?P<name>:[^\s\[\]{{}}\"]+)\s+(?P<value>{_STRING}|[^\s\[\]{{}}\"]+)"
    rf"|{_STRING}",
    re.DOTALL,
)
_NUMBERS = frozenset({":block/order", ":block/heading", ":create/time", ":edit/time"})
_TEXTS = frozenset({":node/title", ":block/uid", ":block/string"})
_CHILDREN = ":block/children"


@dataclass(frozen=True, slots=True)
class Keys:
    """Names of the parts of a block; those of a page are the same, but for its title."""

    title: str
    uid: str
    text: str
    heading: str
    order: str
    created: str
    edited: str
    children: str


EXPORT = Keys("title", "uid", "string", "heading", "order", "create-time", "edit-time", "children")
DATABASE = Keys(
    ":node/title",
    ":block/uid",
    ":block/string",
    ":block/heading",
    ":block/order",
    ":create/time",
    ":edit/time",
    ":block/children",
)


def page_of(raw: Mapping[str, Any], keys: Keys) -> SourcePage:
    """A page with its blocks in order; KeyError, TypeError or ValueError if it is malformed."""
    title = raw[keys.title]
    if not isinstance(title, str) or not title.strip():
        raise ValueError("it has no title")
    uid = str(raw.get(keys.uid) or title)
    blocks, edited = _blocks(raw.get(keys.children) or (), keys)
    properties, aliases = _attributes(blocks)
    return SourcePage(
        uid=uid,
        title=title,
        blocks=blocks,
        created=_time(raw.get(keys.created)),
        edited=max(_time(raw.get(keys.edited)), edited),
        properties=properties,
        aliases=aliases,
        day=_day(uid),
    )


def _blocks(children: Sequence[Any], keys: Keys) -> tuple[tuple[SourceBlock, ...], int]:
    """All blocks below a page in reading order, and the latest time of change among them.

    Without recursion: pages may be nested deeper than Python's stack.
    """
    blocks: list[SourceBlock] = []
    edited = 0
    waiting = [(child, 0) for child in reversed(_order(children, keys))]
    while waiting:
        raw, depth = waiting.pop()
        text, uid = raw.get(keys.text) or "", str(raw.get(keys.uid) or "")
        below = _order(raw.get(keys.children) or (), keys)
        edited = max(edited, _time(raw.get(keys.edited)))
        if not isinstance(text, str):
            raise TypeError(f"the text of block {uid} is {type(text).__name__}")
        if text.strip() or below:
            blocks.append(SourceBlock(uid, depth, text, _heading(raw.get(keys.heading))))
        waiting += [(child, depth + 1) for child in reversed(below)]
    return tuple(blocks), edited


def _order(children: Sequence[Any], keys: Keys) -> list[Any]:
    """An export has the children in order; Roam's database says which place each has."""
    return sorted(children, key=lambda child: child.get(keys.order) or 0)


def _heading(value: object) -> int:
    return value if isinstance(value, int) and 0 < value <= 6 else 0


def _time(value: object) -> int:
    return int(value) if isinstance(value, int | float) and value > 0 else 0


def _day(uid: str) -> str | None:
    """The date of a daily page, whose uid is MM-DD-YYYY."""
    match = _DAY.fullmatch(uid)
    if match is None:
        return None
    try:
        return date(int(match[3]), int(match[1]), int(match[2])).isoformat()
    except ValueError:
        return None


def _attributes(
    blocks: tuple[SourceBlock, ...],
) -> tuple[dict[str, str | Sequence[str]], tuple[str, ...]]:
    """The values of `Name:: value` in blocks of the page itself, and the aliases among them."""
    properties: dict[str, str | Sequence[str]] = {}
    aliases: tuple[str, ...] = ()
    for index, block in enumerate(blocks):
        attribute = None if block.depth else _ATTRIBUTE.fullmatch(block.text)
        if attribute is None:
            continue
        name, value = " ".join(attribute[1].split()), attribute[2].strip()
        if not value:
            value = "\n".join(_children(blocks, index))
        if not value or len(value) > _MAX_VALUE:
            continue
        names = [match[1] or match[2] for match in _NAMED.finditer(value)]
        if name.casefold() in {"alias", "aliases"}:
            aliases += tuple(names or [part.strip() for part in value.split(",")])
        elif name.casefold() == "tags":
            properties.setdefault("tags", tuple("-".join(name.split()) for name in names))
        else:
            lines = [line for line in value.splitlines() if line.strip()]
            properties.setdefault(name, lines[0] if len(lines) == 1 else tuple(lines))
    return properties, aliases


def _children(blocks: tuple[SourceBlock, ...], index: int) -> list[str]:
    """The texts of the children of a block, which are the values of an attribute without one."""
    children = []
    for block in blocks[index + 1 :]:
        if block.depth <= blocks[index].depth:
            break
        if block.depth == blocks[index].depth + 1:
            children.append(block.text)
    return children


class RoamExport:
    """The pages of an export file, packed or not. The methods are those of `Feed`."""

    def __init__(self, file: Path) -> None:
        self._file = file

    def stamps(self, _known: Mapping[str, int]) -> None:
        """See `Feed.stamps`: the file has to be read whole."""
        return

    def items(self, uids: Sequence[str] | None) -> Iterator[Item]:
        """See `Feed.items`; gives all pages. Raises SourceError if the file is no export."""
        wanted = None if uids is None else set(uids)
        for name, content in self._exports():
            text = content.decode("utf-8-sig", "replace")
            for page in _of_database(text) if name.endswith(".edn") else _of_json(text):
                if wanted is None or isinstance(page, Unread) or page.uid in wanted:
                    yield page

    def _exports(self) -> Iterator[tuple[str, bytes]]:
        """The name and content of each export: Roam packs several graphs, and one as well."""
        if self._file.suffix.lower() != ".zip":
            yield self._file.name.lower(), _content(self._file)
            return
        files = ExportFiles(self._file)
        with files.opened() as opened:
            for file in files.list():
                if not file.path.lower().endswith((".json", ".edn")):
                    continue
                content = opened.read(file, most=MAX_BYTES)
                if isinstance(content, Unread):
                    raise SourceError(f"{file.path} in {self._file}: {content.why}.")
                yield file.path.lower(), content


def _content(file: Path) -> bytes:
    try:
        if file.stat().st_size > MAX_BYTES:
            raise SourceError(f"{file} is larger than 1 GB. Export fewer pages at once.")
        return read_plain(file, most=MAX_BYTES)
    except OSError as error:
        raise SourceError(f"{file} cannot be read: {error.strerror or error}") from error


def _of_json(text: str) -> Iterator[Item]:
    start = len(text) - len(text.lstrip())
    if text[start : start + 1] != "[":
        raise SourceError(
            "This is no JSON export of Roam, which is a list of pages. In Roam: Export All, JSON."
        )
    for number, (begin, end) in enumerate(_objects(text, start), 1):
        if end < 0:
            why = "the file ends in the middle of it: it was not exported or copied to its end"
            yield Unread(f"page {number}", why)
            return
        try:
            raw = json.loads(text[begin:end])
        except (ValueError, RecursionError) as error:
            yield Unread(f"page {number}", f"it is no JSON: {error}")
        else:
            yield _page(raw, EXPORT, f"page {number}")


def _objects(text: str, start: int) -> Iterator[tuple[int, int]]:
    """The bounds of the objects of a list; the end of one that is cut off is -1."""
    depth, begin = 0, -1
    for match in _BRACKETS.finditer(text, start):
        mark = match[0]
        if mark in {"{", "["}:
            if depth == 1 and mark == "{":
                begin = match.start()
            depth += 1
        elif mark in {"}", "]"}:
            depth -= 1
            if depth == 1 and begin >= 0:
                yield begin, match.end()
                begin = -1
            if depth == 0:
                return
    yield max(begin, 0), -1


def _page(raw: Any, keys: Keys, name: str) -> Item:
    try:
        return page_of(raw, keys)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        return Unread(name, f"it is no page of Roam: {error}")


def _of_database(text: str) -> Iterator[Item]:
    start = text.find(":datoms")
    if start < 0:
        raise SourceError("This is no EDN export of Roam. In Roam: Export All, EDN.")
    entities: defaultdict[int, dict[str, Any]] = defaultdict(dict)
    below: defaultdict[int, list[int]] = defaultdict(list)
    for match in _DATOM.finditer(text, start):
        name = match["name"]
        if name == _CHILDREN:
            below[int(match["entity"])].append(int(match["value"]))
        elif name in _TEXTS:
            entities[int(match["entity"])][name] = json.loads(match["value"], strict=False)
        elif name in _NUMBERS:
            entities[int(match["entity"])][name] = int(match["value"])
    for parent, children in below.items():
        entities[parent][_CHILDREN] = [entities[child] for child in children]
    for entity, raw in list(entities.items()):
        if ":node/title" in raw:
            yield _page(raw, DATABASE, f"entity {entity}")
