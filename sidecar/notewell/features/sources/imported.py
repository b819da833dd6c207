"""Notes that are converted from a source which is no folder vault: Roam, Logseq, exports.

A sync keeps them as Markdown in the data directory (see `page_store`); here they are read like
those of a folder that nobody else writes.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from urllib.parse import quote

from notewell.base.errors import SourceError
from notewell.base.types import VaultRecord, VaultRules
from notewell.features.sources import source_state
from notewell.features.sources.page_store import PageAddresses
from notewell.features.sources.source_state import TYPES, SourceSpec
from notewell.vault.mirror import Mirror
from notewell.vault.sources.folder import FolderSource

_ROAM = "https://roamresearch.com/#/app"


class ImportedSource(FolderSource):
    """The notes of a source as the last sync left them."""

    watched = False

    def __init__(self, record: VaultRecord, rules: VaultRules) -> None:
        """`rules` say which of the notes are indexed; all types that exports have are read."""
        super().__init__(record, replace(rules, types=tuple(dict.fromkeys((*rules.types, *TYPES)))))
        self._folder = source_state.folder_of(record)
        self._addresses = PageAddresses(self._folder)
        self._spec: SourceSpec | None = None

    def uri(self, path: str, anchor: str | None = None) -> str:
        """See `Source.uri`: where the source itself opens; "" where it has no address."""
        try:
            if self._spec is None:
                self._spec = source_state.load(self._folder).spec
        except SourceError:
            return ""
        return _address(self._spec, path, anchor, self._addresses)

    def receiver(self) -> Mirror | None:
        """See `Source.receiver`: only a sync changes these notes."""
        return None


def _address(spec: SourceSpec, path: str, anchor: str | None, addresses: PageAddresses) -> str:
    uid = addresses.uid(path.removesuffix(".md") if spec.form != "text" else path, anchor)
    if uid is None:
        return ""
    graph = quote(spec.graph, safe="")
    if spec.form.startswith("roam"):
        return f"{_ROAM}/{graph}/page/{quote(uid, safe='')}"
    if spec.form == "logseq":
        name = path.removesuffix(".md")
        part = f"page={quote(name, safe='')}" if uid.endswith(".md") else f"block-id={uid}"
        return f"logseq://graph/{graph}?{part}"
    place = Path(spec.place)
    return (place / uid).as_uri() if place.is_dir() else ""
