"""Makes pages of what Roam gives: the JSON export, answers of its APIs, and its database."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from notewell.features.sources.pages import SourceBlock, SourcePage

_DAY = re.compile(r"(\d{2})-(\d{2})-(\d{4})")
_ATTRIBUTE = re.compile(r"\s*(?:\[\[)?([^:\n\[\]`{}()#]{1,80}?)(?:\]\])?::[ \t]*(.*)", re.DOTALL)
_NAMED = re.compile(r"#?\[\[([^\[\]]+)\]\]|#([\w/-]+)")
_MAX_VALUE = 1000  # characters of an attribute that becomes a property


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
    """A page with its blocks in order. Raises KeyError, TypeError or ValueError if it is none."""
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
    found: list[SourceBlock] = []
    edited = 0
    waiting = [(one, 0) for one in reversed(_ordered(children, keys))]
    while waiting:
        raw, depth = waiting.pop()
        text, uid = raw.get(keys.text) or "", str(raw.get(keys.uid) or "")
        below = _ordered(raw.get(keys.children) or (), keys)
        edited = max(edited, _time(raw.get(keys.edited)))
        if not isinstance(text, str):
            raise TypeError(f"the text of block {uid} is {type(text).__name__}")
        if text.strip() or below:
            found.append(SourceBlock(uid, depth, text, _heading(raw.get(keys.heading))))
        waiting += [(one, depth + 1) for one in reversed(below)]
    return tuple(found), edited


def _ordered(children: Sequence[Any], keys: Keys) -> list[Any]:
    """An export has the children in order; Roam's database says which place each has."""
    return sorted(children, key=lambda one: one.get(keys.order) or 0)


def _heading(value: object) -> int:
    return value if isinstance(value, int) and 0 < value <= 6 else 0


def _time(value: object) -> int:
    return int(value) if isinstance(value, int | float) and value > 0 else 0


def _day(uid: str) -> str | None:
    """The date of a daily page, whose uid is MM-DD-YYYY."""
    found = _DAY.fullmatch(uid)
    if found is None:
        return None
    try:
        return date(int(found[3]), int(found[1]), int(found[2])).isoformat()
    except ValueError:
        return None


def _attributes(
    blocks: tuple[SourceBlock, ...],
) -> tuple[dict[str, str | Sequence[str]], tuple[str, ...]]:
    """The values of `Name:: value` in blocks of the page itself, and the aliases among them."""
    properties: dict[str, str | Sequence[str]] = {}
    aliases: tuple[str, ...] = ()
    for index, block in enumerate(blocks):
        found = None if block.depth else _ATTRIBUTE.fullmatch(block.text)
        if found is None:
            continue
        name, value = " ".join(found[1].split()), found[2].strip()
        if not value:
            value = "\n".join(_children(blocks, index))
        if not value or len(value) > _MAX_VALUE:
            continue
        names = [one[1] or one[2] for one in _NAMED.finditer(value)]
        if name.casefold() in {"alias", "aliases"}:
            aliases += tuple(names or [one.strip() for one in value.split(",")])
        elif name.casefold() == "tags":
            properties.setdefault("tags", tuple("-".join(one.split()) for one in names))
        else:
            lines = [line for line in value.splitlines() if line.strip()]
            properties.setdefault(name, lines[0] if len(lines) == 1 else tuple(lines))
    return properties, aliases


def _children(blocks: tuple[SourceBlock, ...], index: int) -> list[str]:
    """The texts of the children of a block, which are the values of an attribute without one."""
    found = []
    for block in blocks[index + 1 :]:
        if block.depth <= blocks[index].depth:
            break
        if block.depth == blocks[index].depth + 1:
            found.append(block.text)
    return found
