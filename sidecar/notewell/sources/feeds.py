"""Which feed reads what a person gave: one row for each kind of source that is no folder vault."""

from __future__ import annotations

import zipfile
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

from notewell.errors import SourceError
from notewell.sources.logseq import LogseqGraph
from notewell.sources.pages import Feed
from notewell.sources.roam_export import RoamExport
from notewell.sources.spec import Form, SourceSpec
from notewell.sources.text_export import EvernoteExport, TextExport

FEEDS: Mapping[Form, Callable[[Path], Feed]] = {
    "roam-export": RoamExport,
    "logseq": LogseqGraph,
    "evernote": EvernoteExport,
    "text": TextExport,
}


def feed_of(spec: SourceSpec) -> Feed:
    """What the source has, to be asked for."""
    return FEEDS[spec.form](Path(spec.place))


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
