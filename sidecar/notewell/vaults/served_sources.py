"""The sources of a server's vaults: listed, added and forgotten while it runs."""

from __future__ import annotations

from typing import Protocol

from notewell.access.places import allowed_place
from notewell.contract.sources import AddSource, SourcesReply, SourceView
from notewell.sources.spec import SourceSpec
from notewell.types import VaultRecord
from notewell.vaults import converted


class ServedVaults(Protocol):
    """The vaults of a server, as they are changed here."""

    def records(self) -> tuple[VaultRecord, ...]:
        """All known vaults."""
        ...

    def add_source(self, spec: SourceSpec, name: str = "") -> VaultRecord:
        """Make a source known."""
        ...

    def remove(self, record: VaultRecord, *, delete_data: bool) -> None:
        """Forget a vault."""
        ...

    def serve_also(self, record: VaultRecord) -> None:
        """Offer one more vault to requests."""
        ...

    def serve_no_more(self, record: VaultRecord) -> None:
        """Offer a vault to no more requests."""
        ...


class ServedSources:
    """Changes which sources there are. Any thread may call."""

    def __init__(self, vaults: ServedVaults, allow: tuple[str, ...]) -> None:
        """Only what lies below the folders `allow` is read."""
        self._vaults = vaults
        self._allow = allow

    def reply(self) -> SourcesReply:
        """All sources."""
        return converted.listed(self._vaults.records())

    def find(self, word: str) -> VaultRecord:
        """The source with this id or name. Raises NotFoundError."""
        return converted.find(word, self._vaults.records())

    def add(self, request: AddSource) -> SourceView:
        """Make a source known and offer it to requests.

        Raises what `allowed_place` and `recognised` raise, and UsageError where the name is taken.
        """
        # Loads the readers of all exports; a server that adds none does without.
        from notewell.sources.feeds import recognised  # noqa: PLC0415

        place = allowed_place(request.place, self._allow)
        record = self._vaults.add_source(recognised(place, request.graph), request.name)
        self._vaults.serve_also(record)
        return converted.view(record)

    def remove(self, word: str) -> SourcesReply:
        """Forget a source with its notes here. Raises NotFoundError."""
        record = self.find(word)
        self._vaults.serve_no_more(record)
        self._vaults.remove(record, delete_data=True)
        return self.reply()
