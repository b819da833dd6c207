"""Pages of an outliner (Roam, Logseq) and documents of an export, as their source gives them."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Protocol, TypeAlias

import orjson
import yaml

from notewell.base.support.relative_paths import is_device
from notewell.features.sources.spec import OutlineKind

_MAX_NAME = 120  # characters of a part of a path; file systems allow 255 bytes
_FORBIDDEN = re.compile(r'[\x00-\x1f\x7f\\:*?"<>|#^\[\]]+')
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
_HIGHEST = 6  # levels of headings in Markdown


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
                [(block.uid, block.depth, block.text, block.heading) for block in self.blocks],
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
        tuple(SourceBlock(*block) for block in blocks),
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

    def items(self, uids: Sequence[str] | None) -> Iterator[Item]:
        """The pages with these uids, in any order; None: all there are."""


def file_path(title: str) -> str:
    """The path that a page of this title should have, without ending; a slash makes a folder.

    Characters that Obsidian or a file system refuses in names are replaced.
    """
    parts = [_part(part) for part in unicodedata.normalize("NFC", title).split("/")]
    return "/".join(part for part in parts if part) or "Untitled"


def _part(title: str) -> str:
    name = " ".join(_FORBIDDEN.sub(" ", title).split()).strip(". ")
    if is_device(name):
        name = f"_{name}"
    return name[:_MAX_NAME].strip(". ")


@dataclass(frozen=True, slots=True)
class Target:
    """The place of a block: the path of its note without ending, its id there, and its text."""

    note: str
    anchor: str
    text: str


class Resolver(Protocol):
    """Tells where pages and blocks are. Either may be unknown."""

    def note(self, title: str) -> str | None:
        """The path, without ending, of the page with this title or alias."""

    def block(self, uid: str) -> Target | None:
        """The place of the block with this uid."""


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
    converter = _TextConverter(kind, resolver)
    parts = _CODE.split(_EMBED.sub(r"\1", text))
    written = "".join(
        part if index % 2 else converter.convert(part) for index, part in enumerate(parts)
    )
    return WrittenText(written, task, tuple(converter.inner), tuple(converter.used))


def _task(text: str, kind: OutlineKind) -> tuple[str, str]:
    match = _TASKS[kind].match(text)
    if match is None:
        return text, ""
    return text[match.end() :], "[x] " if match[1] == "DONE" else "[ ] "


class _TextConverter:
    """Converts the parts of one block that are no code."""

    def __init__(self, kind: OutlineKind, resolver: Resolver) -> None:
        self._kind = kind
        self._resolver = resolver
        self.inner: list[str] = []
        self.used: list[str] = []

    def convert(self, text: str) -> str:
        return "".join(_replace(_without_macros(text), self._write))

    def _write(self, match: re.Match[str], page: str | None) -> str:
        if page is not None:
            return self._tag(page) if match["tag"] else self._link(page, None)
        if match["alias"]:
            return self._alias(match)
        if match["uid"]:
            return self._reference(match["uid"], match[0])
        if match["mark"]:
            return f"=={self.convert(match['mark'])}=="
        return f"*{self.convert(match['slant'])}*"

    def _alias(self, match: re.Match[str]) -> str:
        shown = match["shown"]
        if match["alias_page"]:
            return self._link(match["alias_page"], shown)
        target = self._resolver.block(match["alias_uid"])
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

        def write(match: re.Match[str], page: str | None) -> str:
            if page is not None:
                return page
            if match["alias"]:
                return match["shown"]
            if not match["uid"]:
                return match["mark"] or match["slant"]
            uid = match["uid"]
            target = self._resolver.block(uid)
            if target is None or uid in above or len(above) >= _MAX_DEPTH:
                return "…"
            self.used.append(uid)
            return self._plain(target.text, (*above, uid))

        bare, _ = _task(text, self._kind)
        return _safe("".join(_replace(_without_macros(_EMBED.sub(r"\1", bare)), write)))


def _replace(text: str, write: Callable[[re.Match[str], str | None], str]) -> Iterator[str]:
    """The text with `write(match, page)` for each mark; `page` is the name between brackets."""
    at = 0
    while match := _MARK.search(text, at):
        end, page = match.end(), None
        if match["open"]:
            end = _closing(text, match.start("open"))
            if end < 0:  # never closed: text
                yield text[at : match.end()]
                at = match.end()
                continue
            page = text[match.end() : end - 2]
        yield text[at : match.start()]
        yield write(match, page)
        at = end
    yield text[at:]


def _closing(text: str, start: int) -> int:
    """The offset behind the brackets that close those at `start`; -1 where nothing does."""
    depth = 0
    for match in re.compile(r"\[\[|\]\]|\n").finditer(text, start):
        if match[0] == "\n":
            return -1
        depth += 1 if match[0] == "[[" else -1
        if not depth:
            return match.end()
    return -1


def _pages(title: str) -> list[str]:
    """The pages that are named within a name, outer ones first."""
    written_pages: list[str] = []

    def write(_: re.Match[str], page: str | None) -> str:
        if page is not None:
            written_pages.append(page)
            written_pages.extend(_pages(page))
        return ""

    for _ in _replace(title, write):
        pass
    return written_pages


def _without_macros(text: str) -> str:
    """Macros (queries, buttons, videos) are left out, but for the addresses in them."""
    if "{{" not in text:
        return text
    return _MACRO.sub(lambda match: " ".join(_ADDRESS.findall(match[0])), text)


def _safe(text: str) -> str:
    """Words that may stand as the shown text of a link."""
    return " ".join(text.replace("[[", "").replace("]]", "").replace("|", " ").split())


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
    indent = "\t" * depth
    first, *more = written.text.splitlines() or [""]
    lines = [f"{indent}- {written.task}{first}", *(f"{indent}  {line}" for line in more)]
    if anchor and lines[-1].lstrip().startswith("```"):
        return [*lines, f"{indent} {anchor}"]  # behind the end of code it would be part of it
    return [*lines[:-1], (lines[-1] + anchor).rstrip()]


def _properties(
    page: SourcePage, path: str, inner: Iterable[str], resolver: Resolver
) -> Mapping[str, str | list[str]]:
    stated: dict[str, str | list[str]] = {"title": page.title}
    aliases = [alias for alias in page.aliases if alias != page.title]
    if page.day and page.day != page.title:
        aliases.append(page.day)
    if path != page.title and page.title not in aliases:
        aliases.append(page.title)
    if aliases:
        stated["aliases"] = list(dict.fromkeys(aliases))
    if page.day:
        stated["date"] = page.day
    for name, time in (("created", page.created), ("modified", page.edited)):
        if moment := _moment(time):
            stated[name] = moment
    for name, value in page.properties.items():
        key = found_name(name)
        if key and key not in stated:
            stated[key] = _value(value, resolver)
    links = [f"[[{resolver.note(uid) or uid}]]" for uid in dict.fromkeys(inner)]
    if links:
        stated["links"] = links
    return stated


def found_name(name: str) -> str:
    """The name of a property as it may stand before a colon."""
    return " ".join(name.replace("[[", "").replace("]]", "").replace(":", " ").split())[:100]


def _value(value: str | Sequence[str], resolver: Resolver) -> str | list[str]:
    if isinstance(value, str):
        return write_text(value, "roam", resolver).text
    return [write_text(item, "roam", resolver).text for item in value]


def _moment(milliseconds: int) -> str | None:
    try:
        moment = datetime.fromtimestamp(milliseconds / 1000, UTC)
    except (ValueError, OverflowError, OSError):
        return None
    return moment.isoformat(timespec="seconds") if milliseconds > 0 else None
