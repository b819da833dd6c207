"""Feeds of sources: a row for each kind of what a person may give; Roam's and Logseq's graphs."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath
from urllib.parse import unquote, urlsplit

from notewell.base.errors import SourceError
from notewell.base.support.http import Json
from notewell.base.support.http.connection import is_loopback
from notewell.base.support.plain_file import open_plain
from notewell.features.sources.known import Form, SourceSpec
from notewell.features.sources.pages import Feed, Item, SourceBlock, SourcePage, Unread
from notewell.features.sources.roam_api import (
    SERVERS,
    Pace,
    RateLimiter,
    RoamApi,
    RoamDesktop,
    RoamServers,
    desktop_port,
)
from notewell.features.sources.roam_export import DATABASE, RoamExport, page_of
from notewell.features.sources.text_export import (
    EvernoteExport,
    ExportFile,
    ExportFiles,
    TextExport,
)

BATCH = 50  # pages of one pull

_PAGES = "[:find ?uid ?t :where [?p :node/title] [?p :block/uid ?uid] [?p :edit/time ?t]]"
# A page's own time does not move when one of its blocks is edited.
_CHANGED = (
    "[:find ?uid (max ?t) :in $ ?since :where [?b :edit/time ?t] [(>= ?t ?since)]"
    " [?b :block/page ?p] [?p :block/uid ?uid]]"
)


@dataclass(frozen=True, slots=True)
class Reach:
    """Means of a feed besides its place.

    `token` gives the one that was kept for a source; `wait` waits so many seconds and may raise
    CancelledError; `offline` forbids to ask other computers; `limiter` counts the requests of
    all that ask this source.
    """

    token: Callable[[SourceSpec], str]
    wait: Callable[[float], None]
    offline: bool = False
    limiter: RateLimiter | None = None


def _roam(spec: SourceSpec, reach: Reach) -> Feed:
    if reach.offline and not is_loopback(urlsplit(spec.place).hostname or ""):
        raise SourceError("The setting `offline` forbids to ask Roam's servers.", code="offline")
    token = _token(spec, reach)
    place = spec.place or SERVERS
    pace = Pace(reach.wait)
    return RoamGraph(RoamServers(spec.graph, token, pace, place, limiter=reach.limiter))


def _roam_desktop(spec: SourceSpec, reach: Reach) -> Feed:
    port = desktop_port(Path(spec.place) if spec.place else Path.home())
    return RoamGraph(RoamDesktop(spec.graph, _token(spec, reach), port))


def _token(spec: SourceSpec, reach: Reach) -> str:
    token = reach.token(spec)
    if not token:
        raise SourceError(
            f"There is no token for the graph {spec.graph}. Keep one with `notewell sources token"
            " NAME`, or set NOTEWELL_ROAM_TOKEN.",
            code="no_token",
        )
    return token


FEEDS: Mapping[Form, Callable[[SourceSpec, Reach], Feed]] = {
    "roam": _roam,
    "roam-desktop": _roam_desktop,
    "roam-export": lambda spec, _: RoamExport(Path(spec.place)),
    "logseq": lambda spec, _: LogseqGraph(Path(spec.place)),
    "evernote": lambda spec, _: EvernoteExport(Path(spec.place)),
    "text": lambda spec, _: TextExport(Path(spec.place)),
}


def feed_of(spec: SourceSpec, reach: Reach) -> Feed:
    """The feed that reads a source. Raises SourceError where it may not be."""
    return FEEDS[spec.form](spec, reach)


def recognised(place: Path, graph: str = "") -> SourceSpec:
    """The source that an export at `place` is. Raises SourceError if none can read it."""
    if place.is_dir():
        logseq = (place / "logseq").is_dir() or (place / "journals").is_dir()
        form: Form = "logseq" if logseq and (place / "pages").is_dir() else "text"
        return SourceSpec(form, str(place), graph or place.name)
    ending = place.suffix.lower()
    if ending in {".json", ".edn"}:
        return SourceSpec("roam-export", str(place), graph or place.stem)
    if ending == ".enex":
        return SourceSpec("evernote", str(place), graph)
    if ending in {".zip", ".bear2bk"}:
        return replace(_in_zip(place), graph=graph or place.stem)
    raise SourceError(
        f"{place} is no export that can be read: give a JSON or EDN export of Roam, an .enex file,"
        " a zip file with Markdown, or a folder."
    )


def _in_zip(place: Path) -> SourceSpec:
    try:
        with open_plain(place) as stream, zipfile.ZipFile(stream) as packed:
            names = packed.namelist()
    except (OSError, zipfile.BadZipFile) as error:
        raise SourceError(f"{place} cannot be read: {error}") from error
    texts = [name for name in names if name.lower().endswith(".md")]
    if not texts and any(name.lower().endswith((".json", ".edn")) for name in names):
        return SourceSpec("roam-export", str(place))
    folders = {part for name in texts for part in name.split("/")[:-1]}
    if "pages" in folders and ("journals" in folders or any("logseq/" in name for name in names)):
        return SourceSpec("logseq", str(place))
    return SourceSpec("text", str(place))


class RoamGraph:
    """The pages of a graph. The methods are those of `Feed`."""

    def __init__(self, api: RoamApi) -> None:
        self._api = api

    def stamps(self, known: Mapping[str, int]) -> Mapping[str, int]:
        """See `Feed.stamps`. Asks for all pages, and for what changed since the last one known."""
        pages = {uid: _time(edited) for uid, edited in _pairs(self._api.query(_PAGES))}
        since = max(known.values(), default=0)
        changed: dict[str, int] = {}
        if since:
            changed = {uid: _time(t) for uid, t in _pairs(self._api.query(_CHANGED, since))}
        return {uid: max(changed.get(uid, 0), known.get(uid, 0), own) for uid, own in pages.items()}

    def items(self, uids: Sequence[str] | None) -> Iterator[Item]:
        wanted = list(uids or ())
        for start in range(0, len(wanted), BATCH):
            yield from self._batch(wanted[start : start + BATCH])

    def _batch(self, uids: Sequence[str]) -> Iterator[Item]:
        try:
            trees = self._api.pull(uids)
        except SourceError as error:
            if len(uids) == 1:
                yield Unread(uids[0], error.message)
                return
            if error.code != SourceError.code:  # the token or the graph, not one page
                raise
            for uid in uids:  # one of them is the reason; the others are read
                yield from self._batch((uid,))
            return
        for uid, tree in zip(uids, trees, strict=True):
            yield _item(uid, tree)


def _item(uid: str, tree: Json) -> Item:
    if not isinstance(tree, dict):
        return Unread(uid, "Roam has no such page any more")
    try:
        return page_of(tree, DATABASE)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        return Unread(uid, f"it is no page of Roam: {error}")


def _pairs(rows: Sequence[Sequence[Json]]) -> Iterator[tuple[str, Json]]:
    for row in rows:
        if len(row) == 2 and isinstance(row[0], str):
            yield row[0], row[1]


def _time(value: Json) -> int:
    return int(value) if isinstance(value, int | float) and value > 0 else 0


# Logseq's file graphs: pages and journals as outlines in Markdown, in a folder or a zip file.
#
# A page is a list; lines `name:: value` are properties, of the page in its first block and else of
# the block they are in. `id::` is the block's uid. See
# https://docs.logseq.com/#/page/properties. Graphs of the newer kind, kept in a database, are read
# from their export as Markdown.

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
        return {one.path: one.edited for one in self._pages()}

    def items(self, uids: Sequence[str] | None) -> Iterator[Item]:
        wanted = None if uids is None else set(uids)
        with self._files.opened() as opened:
            for one in self._pages():
                if wanted is not None and one.path not in wanted:
                    continue
                content = opened.read(one)
                if isinstance(content, Unread):
                    yield content
                else:
                    text = content.decode("utf-8-sig", "replace").replace("\r\n", "\n")
                    yield logseq_page(one.path, text, one.edited)

    def _pages(self) -> Iterator[ExportFile]:
        for one in self._files.list():
            parts = PurePosixPath(one.path).parts
            if parts[-1].endswith(".md") and (
                len(parts) < 2 or any(part in _FOLDERS for part in parts[:-1])
            ):
                yield one


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
        plain["tags"] = tuple("-".join(one.split()) for one in lists["tags"])
    return SourcePage(
        uid=path,
        title=properties.get("title")
        or day
        # A slash of a title is written in two ways in the name of its file.
        or unquote(PurePosixPath(path).stem).replace("___", "/"),
        blocks=tuple(_block(one) for one in drafts),
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
        found = None if fence else _BULLET.fullmatch(written)
        if found is not None:
            if begun or draft.lines or draft.properties:
                yield draft
            begun = True
            draft = _Draft(_depth(found["indent"], indents))
        line = _text(found, written, draft.depth if begun else None)
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
    return line if depth is None else _dedented(line, depth)


def _dedented(line: str, depth: int) -> str:
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
    parts = (one.strip().lstrip("#") for one in value.split(","))
    return tuple(one.replace("[[", "").replace("]]", "") for one in parts if one)


def _day(path: str) -> str | None:
    found = _DAY.fullmatch(PurePosixPath(path).stem)
    if found is None or "journals" not in PurePosixPath(path).parts[:-1]:
        return None
    return "-".join(found.groups())
