"""Turns the text of one block, in Roam's or Logseq's markup, into Obsidian's Markdown.

Both write `[[page]]`, `#tag`, `#[[two words]]` and `((uid))`. A reference to a block becomes its
text with a link to it. Markup: https://roamresearch.com/#/app/help and
https://docs.logseq.com/#/page/markdown.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Protocol

from notewell.features.sources.source_state import OutlineKind

_MAX_DEPTH = 3  # of references in the text of references
_MAX_QUOTED = 500  # characters of a block that another one refers to

_CODE = re.compile(r"(```.*?(?:```|\Z)|``[^`]+``|`[^`\n]+`)", re.DOTALL)
_UID = r"[A-Za-z0-9_-]{4,64}"
# Roam's mark of a task, and the words with which a task of Logseq begins.
_TASKS: Mapping[OutlineKind, re.Pattern[str]] = {
    "roam": re.compile(r"\{\{(?:\[\[)?(TODO|DONE)(?:\]\])?\}\} ?"),
    "logseq": re.compile(r"(TODO|DOING|LATER|NOW|WAITING|DONE)(?: |\Z)"),
}
_EMBED = re.compile(r"\{\{(?:\[\[)?embed[a-z-]*(?:\]\])?:?\s*(.+?)\}\}", re.DOTALL)
_MACRO = re.compile(r"\{\{.*?\}\}+", re.DOTALL)
_ADDRESS = re.compile(r"https?://[^\s{}\]]+")
# What may begin here; a page is read by counting brackets, because pages may be named by pages.
_MARK = re.compile(
    rf"(?P<alias>\[(?P<shown>[^\[\]\n]*)\]\((?:<?\(\((?P<alias_uid>{_UID})\)\)>?"
    r"|\[\[(?P<alias_page>[^\]\n]+)\]\])\))"
    rf"|\(\((?P<uid>{_UID})\)\)"
    r"|(?P<tag>\#)?(?P<open>\[\[)"
    r"|\^\^(?P<mark>(?:(?!\^\^).)+)\^\^"
    r"|__(?P<slant>(?=\S)(?:(?!__).)+?)__",
    re.DOTALL,
)
_TAG_GAP = re.compile(r"[^\w/-]+")


@dataclass(frozen=True, slots=True)
class Target:
    """Where a block is: the path of its note without ending, its id there, and its text."""

    note: str
    anchor: str
    text: str


class Resolver(Protocol):
    """Tells where pages and blocks are. Either may be unknown."""

    def note(self, title: str) -> str | None:
        """The path, without ending, of the page with this title or alias."""
        ...

    def block(self, uid: str) -> Target | None:
        """Where the block with this uid is."""
        ...


@dataclass(frozen=True, slots=True)
class WrittenText:
    """The Markdown of a block; `task` is "[ ] " or "[x] " before it.

    `inner` are pages that are named within the name of another one, `used` the uids of blocks
    whose text is part of this one's.
    """

    text: str
    task: str
    inner: tuple[str, ...]
    used: tuple[str, ...]


def write_text(text: str, kind: OutlineKind, resolver: Resolver) -> WrittenText:
    """Convert the text of a block."""
    text, task = _task(text, kind)
    converter = _Converter(kind, resolver)
    parts = _CODE.split(_EMBED.sub(r"\1", text))
    made = "".join(
        part if index % 2 else converter.convert(part) for index, part in enumerate(parts)
    )
    return WrittenText(made, task, tuple(converter.inner), tuple(converter.used))


def _task(text: str, kind: OutlineKind) -> tuple[str, str]:
    found = _TASKS[kind].match(text)
    if found is None:
        return text, ""
    return text[found.end() :], "[x] " if found[1] == "DONE" else "[ ] "


class _Converter:
    """Converts the parts of one block that are no code."""

    def __init__(self, kind: OutlineKind, resolver: Resolver) -> None:
        self._kind = kind
        self._resolver = resolver
        self.inner: list[str] = []
        self.used: list[str] = []

    def convert(self, text: str) -> str:
        return "".join(_replaced(_without_macros(text), self._write))

    def _write(self, found: re.Match[str], page: str | None) -> str:
        if page is not None:
            return self._tag(page) if found["tag"] else self._link(page, None)
        if found["alias"]:
            return self._alias(found)
        if found["uid"]:
            return self._reference(found["uid"], found[0])
        if found["mark"]:
            return f"=={self.convert(found['mark'])}=="
        return f"*{self.convert(found['slant'])}*"

    def _alias(self, found: re.Match[str]) -> str:
        shown = found["shown"]
        if found["alias_page"]:
            return self._link(found["alias_page"], shown)
        target = self._resolver.block(found["alias_uid"])
        if target is None:
            return shown
        return f"[[{target.note}#^{target.anchor}|{_safe(shown) or target.note}]]"

    def _link(self, title: str, shown: str | None) -> str:
        nested = "[[" in title
        if nested:
            self.inner.extend(_pages(title))
        plain = _safe(title)
        note = self._resolver.note(title) or plain
        if shown is None and note == title:
            return f"[[{title}]]"
        return f"[[{note}|{_safe(shown) if shown else plain}]]"

    def _tag(self, title: str) -> str:
        return "#" + _TAG_GAP.sub("-", _safe(title)).strip("-")

    def _reference(self, uid: str, written: str) -> str:
        target = self._resolver.block(uid)
        if target is None:
            return written
        self.used.append(uid)
        text = self._plain(target.text, (uid,))
        cut = text if len(text) <= _MAX_QUOTED else f"{text[:_MAX_QUOTED]}…"
        return f"[[{target.note}#^{target.anchor}|{cut or target.note}]]"

    def _plain(self, text: str, above: tuple[str, ...]) -> str:
        """The words of a block, references in it replaced by their words down to a depth."""

        def write(found: re.Match[str], page: str | None) -> str:
            if page is not None:
                return page
            if found["alias"]:
                return found["shown"]
            if not found["uid"]:
                return found["mark"] or found["slant"]
            uid = found["uid"]
            target = self._resolver.block(uid)
            if target is None or uid in above or len(above) >= _MAX_DEPTH:
                return "…"
            self.used.append(uid)
            return self._plain(target.text, (*above, uid))

        bare, _ = _task(text, self._kind)
        return _safe("".join(_replaced(_without_macros(_EMBED.sub(r"\1", bare)), write)))


def _replaced(text: str, write: Callable[[re.Match[str], str | None], str]) -> Iterator[str]:
    """The text with `write(match, page)` for each mark; `page` is the name between brackets."""
    at = 0
    while found := _MARK.search(text, at):
        end, page = found.end(), None
        if found["open"]:
            end = _closing(text, found.start("open"))
            if end < 0:  # never closed: text
                yield text[at : found.end()]
                at = found.end()
                continue
            page = text[found.end() : end - 2]
        yield text[at : found.start()]
        yield write(found, page)
        at = end
    yield text[at:]


def _closing(text: str, start: int) -> int:
    """The offset behind the brackets that close those at `start`; -1 where nothing does."""
    depth = 0
    for found in re.compile(r"\[\[|\]\]|\n").finditer(text, start):
        if found[0] == "\n":
            return -1
        depth += 1 if found[0] == "[[" else -1
        if not depth:
            return found.end()
    return -1


def _pages(title: str) -> list[str]:
    """The pages that are named within a name, outer ones first."""
    found: list[str] = []

    def write(_: re.Match[str], page: str | None) -> str:
        if page is not None:
            found.append(page)
            found.extend(_pages(page))
        return ""

    for _ in _replaced(title, write):
        pass
    return found


def _without_macros(text: str) -> str:
    """Macros (queries, buttons, videos) are left out, but for the addresses in them."""
    if "{{" not in text:
        return text
    return _MACRO.sub(lambda found: " ".join(_ADDRESS.findall(found[0])), text)


def _safe(text: str) -> str:
    """Words that may stand as the shown text of a link."""
    return " ".join(text.replace("[[", "").replace("]]", "").replace("|", " ").split())
