"""Reads a note as lines of its own words: no properties, code, quotations of others or tables."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal

from notewell.api.notes import read_frontmatter
from notewell.api.types import frozen

Task = Literal["", "open", "closed"]

_FENCE = re.compile(r"^\s*(?:>\s*)*(`{3,}|~{3,})")
_HEADING = re.compile(r"^#{1,6}\s")
_CALLOUT = re.compile(r"^\s*>\s*\[!([\w-]+)\][+-]?\s*(.*)$")
_OWN_CALLOUTS = frozenset({"question", "faq", "help", "todo", "important", "note", "info", "tip"})
_ITEM = re.compile(r"^(\s*)(?:[-*+]|\d{1,9}[.)])\s+(?:\[(.)\]\s+)?(.*)$")
_LABEL = r"(?:decision|decided|agreed|todo|to do|q|question|note|beschluss|entscheidung|frage)"
_SPEAKER = re.compile(rf"^\*\*(?!{_LABEL}:)[^*\n:]{{1,40}}:\*\*\s*", re.IGNORECASE)
_REMARK = re.compile(r"^(?:%%|<!--)|(?:%%|-->)$")
_STRUCK = re.compile(r"^~~.*~~[.!]?$")
_OPEN_TASKS = frozenset(" /?!><*")
_TIME_STAMP = re.compile(r"[?&]t=\d+|(?:^|[\s(\[])\d{1,2}:\d{2}:\d{2}\b")
_STAMPS = 5  # time stamps, from which a text is a transcript
_CLOSED_HEADING = re.compile(
    r"\b(?:done|completed|archive|erledigt|abgeschlossen)\b", re.IGNORECASE
)


@frozen
class Line:
    """A line of a note, counted from 1, without its marks.

    `depth` is the indentation of a list item, 0 for other text. `task` says whether it is a task
    and ticked; a line that is struck through counts as ticked. `is_item`: an item of a list;
    `is_remark`: it stands in a comment, `%%` or `<!--`.
    `speaker` is who says it, in a transcript. `headings` are those above it, the outermost first.
    """

    number: int
    text: str
    depth: int
    task: Task
    is_item: bool
    is_remark: bool
    speaker: str
    headings: tuple[str, ...]

    @property
    def is_closed(self) -> bool:
        """True where the line itself says that it is done."""
        return self.task == "closed" or any(map(_CLOSED_HEADING.search, self.headings))


def is_transcript(text: str) -> bool:
    """Tell whether a text is recorded speech, by its time stamps: what is said there is done."""
    return len(_TIME_STAMP.findall(text)) >= _STAMPS


def lines_of(text: str) -> Iterator[Line]:
    """The lines of a note that are its writer's own words."""
    headings: list[tuple[int, str]] = []
    fence = callout = ""
    for number, raw in _body(text):
        fenced = _FENCE.match(raw)
        if fence or fenced:
            fence = _fence_after(fence, fenced, raw)
            continue
        heading = _HEADING.match(raw)
        if heading:
            level = len(raw) - len(raw.lstrip("#"))
            headings = [pair for pair in headings if pair[0] < level] + [(level, raw.strip("# \t"))]
            continue
        if raw.lstrip().startswith(">"):
            marked = _CALLOUT.match(raw)
            callout = marked[1].lower() if marked else callout
            if callout not in _OWN_CALLOUTS:
                continue
            own = marked[2] if marked else raw.lstrip().lstrip("> ")
        else:
            callout, own = "", raw
        shown = own.lstrip()
        if shown and (shown.startswith("<!--") or shown[0] not in "|<"):
            yield _line(number, own, tuple(title for _, title in headings))


def _body(text: str) -> Iterator[tuple[int, str]]:
    """The lines after the properties, with their numbers."""
    start = read_frontmatter(text).body
    yield from enumerate(text[start:].split("\n"), text.count("\n", 0, start) + 1)


def _fence_after(fence: str, fenced: re.Match[str] | None, raw: str) -> str:
    """The fence that is open after a line: "" where it was closed."""
    if not fence:
        return fenced[1] if fenced else ""
    closes = fenced is not None and fenced[1].startswith(fence) and raw.strip(" >`~") == ""
    return "" if closes else fence


def _line(number: int, raw: str, headings: tuple[str, ...]) -> Line:
    item = _ITEM.match(raw)
    shown = (item[3] if item else raw).strip()
    text = _REMARK.sub("", shown).strip()
    spoken = _SPEAKER.match(text)
    task: Task = ""
    if item and item[2]:
        task = "open" if item[2] in _OPEN_TASKS else "closed"
    if _STRUCK.match(text):
        task = "closed"
    return Line(
        number=number,
        text=text[spoken.end() :] if spoken else text,
        depth=len(item[1].expandtabs(4)) if item else 0,
        task=task,
        is_item=item is not None,
        is_remark=text != shown,
        speaker=spoken[0].strip("*: ") if spoken else "",
        headings=headings,
    )
