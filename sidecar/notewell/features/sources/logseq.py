"""The graph of Logseq: pages of outlines in files, and their blocks."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from urllib.parse import unquote

from notewell.features.sources.pages import Item, SourceBlock, SourcePage, Unread
from notewell.features.sources.text_export import (
    ExportFile,
    ExportFiles,
)

_FOLDERS = ("pages", "journals")
_BULLET = re.compile(r"(?P<indent>[\t ]*)-(?:[ ]|$)(?P<text>.*)")
_PROPERTY = re.compile(r"[\t ]*([A-Za-z_][\w .-]*?):: ?(.*)")
_HEADING = re.compile(r"(#{1,6}) +(?=\S)")
_DAY = re.compile(r"(\d{4})[_-](\d{2})[_-](\d{2})")
_LISTED = frozenset({"tags", "alias", "aliases"})
# Of blocks; they say how Logseq shows a block, and nothing about it.
_SHOWN = frozenset({"collapsed", "heading", "background-color", "logseq.order-list-type"})
_TAB = 2  # spaces that an indent of one level may be


class LogseqGraph:
    """The pages of a graph. The methods are those of `Feed`."""

    def __init__(self, place: Path) -> None:
        """`place` is the folder of a graph, or a zip file with one. Nothing is read yet."""
        self._files = ExportFiles(place)

    def stamps(self, _known: Mapping[str, int]) -> Mapping[str, int]:
        return {page.path: page.edited for page in self._pages()}

    def items(self, uids: Sequence[str] | None) -> Iterator[Item]:
        wanted = None if uids is None else set(uids)
        with self._files.opened() as opened:
            for page in self._pages():
                if wanted is not None and page.path not in wanted:
                    continue
                content = opened.read(page)
                if isinstance(content, Unread):
                    yield content
                else:
                    text = content.decode("utf-8-sig", "replace").replace("\r\n", "\n")
                    yield logseq_page(page.path, text, page.edited)

    def _pages(self) -> Iterator[ExportFile]:
        for file in self._files.list():
            parts = PurePosixPath(file.path).parts
            if parts[-1].endswith(".md") and (
                len(parts) < 2 or any(part in _FOLDERS for part in parts[:-1])
            ):
                yield file


@dataclass(slots=True)
class _Draft:
    """A block that is being read."""

    depth: int
    lines: list[str] = field(default_factory=list)
    uid: str = ""
    properties: dict[str, str] = field(default_factory=dict)


def logseq_page(path: str, text: str, edited: int) -> SourcePage:
    """A page from its file; `path` names it where no property `title` does."""
    drafts = list(_drafts(text))
    properties = drafts[0].properties if drafts and _is_head(drafts[0]) else {}
    if properties:
        drafts = drafts[1:]
    day = _day(path)
    lists = {name: _values(value) for name, value in properties.items() if name in _LISTED}
    plain: dict[str, str | Sequence[str]] = {
        name: value
        for name, value in properties.items()
        if name not in _LISTED and name not in {"title", "id"} and value
    }
    if lists.get("tags"):
        plain["tags"] = tuple("-".join(tag.split()) for tag in lists["tags"])
    return SourcePage(
        uid=path,
        title=properties.get("title")
        or day
        # A slash of a title is written in two ways in the name of its file.
        or unquote(PurePosixPath(path).stem).replace("___", "/"),
        blocks=tuple(_block(draft) for draft in drafts),
        edited=edited,
        properties=plain,
        aliases=(*lists.get("alias", ()), *lists.get("aliases", ())),
        day=day,
    )


def _drafts(text: str) -> Iterator[_Draft]:
    """The blocks of a file; text before the first bullet is a block of its own."""
    draft = _Draft(0)
    begun = False  # whether a bullet was seen
    indents: list[int] = []
    fence = ""
    for written in text.split("\n"):
        match = None if fence else _BULLET.fullmatch(written)
        if match is not None:
            if begun or draft.lines or draft.properties:
                yield draft
            begun = True
            draft = _Draft(_depth(match["indent"], indents))
        line = _text(match, written, draft.depth if begun else None)
        fence = _fence_after(line, fence)
        said = None if fence else _PROPERTY.fullmatch(line)
        if said is None:
            draft.lines.append(line)
        elif said[1].lower() == "id":
            draft.uid = said[2].strip()
        else:
            draft.properties[said[1].lower()] = said[2].strip()
    if begun or any(map(str.strip, draft.lines)) or draft.properties:
        yield draft


def _depth(indent: str, indents: list[int]) -> int:
    """The depth of a bullet; `indents` are the widths of the bullets above, and get this one's."""
    width = len(indent.expandtabs(_TAB))
    while indents and indents[-1] >= width:
        indents.pop()
    indents.append(width)
    return len(indents) - 1


def _text(bullet: re.Match[str] | None, line: str, depth: int | None) -> str:
    """The text of a line: behind its bullet, or without the indent of the block it continues."""
    if bullet is not None:
        return bullet["text"]
    return line if depth is None else _dedent(line, depth)


def _dedent(line: str, depth: int) -> str:
    """A line that continues a block, without the indent of the block's text."""
    at = 0
    while at < len(line) and at < depth and line[at] == "\t":
        at += 1
    rest = line[at:]
    return rest[2:] if rest.startswith("  ") else rest.lstrip()


def _fence_after(line: str, fence: str) -> str:
    """The mark of the code block that is open behind a line; "" for none."""
    mark = line.lstrip()[:3]
    if fence:
        return "" if mark == fence else fence
    return mark if mark in {"```", "~~~"} and mark not in line.lstrip()[3:] else ""


def _is_head(draft: _Draft) -> bool:
    """True if a block only states properties of the page."""
    return bool(draft.properties) and not draft.depth and not any(map(str.strip, draft.lines))


def _block(draft: _Draft) -> SourceBlock:
    said = [f"{name}:: {value}" for name, value in draft.properties.items() if name not in _SHOWN]
    text = "\n".join(["\n".join(draft.lines).strip("\n"), *said]).strip("\n")
    heading = _HEADING.match(text)
    if heading is not None:
        return SourceBlock(draft.uid, draft.depth, text[heading.end() :], len(heading[1]))
    return SourceBlock(draft.uid, draft.depth, text)


def _values(value: str) -> tuple[str, ...]:
    """The names in a property that lists some: `[[a]], #b, c`."""
    parts = (part.strip().lstrip("#") for part in value.split(","))
    return tuple(part.replace("[[", "").replace("]]", "") for part in parts if part)


def _day(path: str) -> str | None:
    match = _DAY.fullmatch(PurePosixPath(path).stem)
    if match is None or "journals" not in PurePosixPath(path).parts[:-1]:
        return None
    return "-".join(match.groups())
