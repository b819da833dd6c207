"""Which feed reads what a person gave: one row for each kind of source that is no folder vault."""

from __future__ import annotations

import zipfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from urllib.parse import urlsplit

from notewell.errors import SourceError
from notewell.features.sources.logseq import LogseqGraph
from notewell.features.sources.pages import Feed
from notewell.features.sources.roam_api import (
    SERVERS,
    Pace,
    RequestWindow,
    RoamDesktop,
    RoamServers,
    desktop_port,
)
from notewell.features.sources.roam_export import RoamExport
from notewell.features.sources.roam_graph import RoamGraph
from notewell.features.sources.source_state import Form, SourceSpec
from notewell.features.sources.text_export import EvernoteExport, TextExport
from notewell.support.http.connection import is_loopback


@dataclass(frozen=True, slots=True)
class Reach:
    """What a feed may use besides its place.

    `token` gives the one that was kept for a source; `wait` waits so many seconds and may raise
    CancelledError; `offline` forbids to ask other computers; `window` counts the requests of
    all that ask this source.
    """

    token: Callable[[SourceSpec], str]
    wait: Callable[[float], None]
    offline: bool = False
    window: RequestWindow | None = None


def _roam(spec: SourceSpec, reach: Reach) -> Feed:
    if reach.offline and not is_loopback(urlsplit(spec.place).hostname or ""):
        raise SourceError("The setting `offline` forbids to ask Roam's servers.", code="offline")
    token = _token(spec, reach)
    place = spec.place or SERVERS
    pace = Pace(reach.wait)
    return RoamGraph(RoamServers(spec.graph, token, pace, place, window=reach.window))


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
    """What the source has, to be asked for. Raises SourceError where it may not be."""
    return FEEDS[spec.form](spec, reach)


def recognised(place: Path, graph: str = "") -> SourceSpec:
    """What kind of export lies at `place`. Raises SourceError if it is none that can be read."""
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
        with zipfile.ZipFile(place) as packed:
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
