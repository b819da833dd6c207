"""Writes a page of an outliner as a note of Obsidian: properties, and its blocks as nested lists.

Every block that can be referred to keeps an id (`^id`) made of its uid.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

import yaml

from notewell.features.sources.outline_text import Resolver, WrittenText, write_text
from notewell.features.sources.pages import SourcePage
from notewell.features.sources.source_state import OutlineKind

_HIGHEST = 6  # levels of headings in Markdown


@dataclass(frozen=True, slots=True)
class WrittenPage:
    """A note, and the uids of the blocks of other pages whose text is in it."""

    content: bytes
    used: frozenset[str]


def anchor_of(uid: str) -> str:
    """The block id of a uid: Obsidian's ids know no underscore."""
    return uid.replace("_", "-")


def write_page(page: SourcePage, kind: OutlineKind, path: str, resolver: Resolver) -> WrittenPage:
    """Make the note of a page; `path` is that of the note, without ending."""
    lines: list[str] = []
    inner: list[str] = []
    used: set[str] = set()
    base, list_before = 0, False  # the depth at which the list in hand begins
    for block in page.blocks:
        written = write_text(block.text, kind, resolver)
        inner.extend(written.inner)
        used.update(written.used)
        anchor = f" ^{anchor_of(block.uid)}" if block.uid else ""
        if block.heading and not block.depth:
            gap = [""] if lines else []
            title = " ".join(written.text.split())
            lines += [*gap, f"{'#' * min(block.heading, _HIGHEST)} {title}{anchor}", ""]
            base, list_before = 1, False
            continue
        if not block.depth and base:
            base = 0
            if list_before:
                lines.append("")
        lines += _item(written, max(block.depth - base, 0), anchor)
        list_before = True
    head = yaml.safe_dump(
        _properties(page, path, inner, resolver), allow_unicode=True, sort_keys=False, width=10_000
    )
    text = f"---\n{head}---\n\n" + "\n".join(lines) + "\n"
    return WrittenPage(text.encode("utf-8", "replace"), frozenset(used))


def _item(written: WrittenText, depth: int, anchor: str) -> list[str]:
    """The lines of a list item."""
    indent = "\t" * depth
    first, *more = written.text.splitlines() or [""]
    lines = [f"{indent}- {written.task}{first}", *(f"{indent}  {line}" for line in more)]
    if anchor and lines[-1].lstrip().startswith("```"):
        return [*lines, f"{indent} {anchor}"]  # behind the end of code it would be part of it
    return [*lines[:-1], (lines[-1] + anchor).rstrip()]


def _properties(
    page: SourcePage, path: str, inner: Iterable[str], resolver: Resolver
) -> Mapping[str, str | list[str]]:
    found: dict[str, str | list[str]] = {"title": page.title}
    aliases = [one for one in page.aliases if one != page.title]
    if page.day and page.day != page.title:
        aliases.append(page.day)
    if path != page.title and page.title not in aliases:
        aliases.append(page.title)
    if aliases:
        found["aliases"] = list(dict.fromkeys(aliases))
    if page.day:
        found["date"] = page.day
    for name, time in (("created", page.created), ("modified", page.edited)):
        if moment := _moment(time):
            found[name] = moment
    for name, value in page.properties.items():
        key = found_name(name)
        if key and key not in found:
            found[key] = _value(value, resolver)
    links = [f"[[{resolver.note(one) or one}]]" for one in dict.fromkeys(inner)]
    if links:
        found["links"] = links
    return found


def found_name(name: str) -> str:
    """The name of a property as it may stand before a colon."""
    return " ".join(name.replace("[[", "").replace("]]", "").replace(":", " ").split())[:100]


def _value(value: str | Sequence[str], resolver: Resolver) -> str | list[str]:
    if isinstance(value, str):
        return write_text(value, "roam", resolver).text
    return [write_text(one, "roam", resolver).text for one in value]


def _moment(milliseconds: int) -> str | None:
    try:
        moment = datetime.fromtimestamp(milliseconds / 1000, UTC)
    except (ValueError, OverflowError, OSError):
        return None
    return moment.isoformat(timespec="seconds") if milliseconds > 0 else None
