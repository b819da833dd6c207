"""Feeds of sources: one row for each kind of place that a person may name, and Roam's graphs."""

from __future__ import annotations

import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from urllib.parse import urlsplit

from notewell.api.errors import SourceError
from notewell.api.files import open_plain
from notewell.base.support.http import Json, is_loopback
from notewell.features.sources.logseq import LogseqGraph
from notewell.features.sources.pages import Feed, Item, Unread
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
from notewell.features.sources.spec import Form, SourceSpec
from notewell.features.sources.text_export import (
    EvernoteExport,
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


def recognise_source(place: Path, graph: str = "") -> SourceSpec:
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
