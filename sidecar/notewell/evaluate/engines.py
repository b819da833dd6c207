"""What an evaluation needs of an engine and of the vaults, as protocols."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Protocol, TypeVar

from notewell.contract.search import SearchReply, SearchRequest
from notewell.contract.status import IndexReport, LedgerReply, StatusReply
from notewell.types import PassageText, Progress, VaultRecord

OnProgress = Callable[[Progress], None] | None


class Searcher(Protocol):
    """Anything that answers searches as an Engine does."""

    def search(self, request: SearchRequest) -> SearchReply:
        """Run a search."""
        ...


class MeasuredEngine(Searcher, Protocol):
    """The part of an Engine that an evaluation uses."""

    def index_now(self, *, progress: OnProgress = None) -> IndexReport:
        """Bring the index up to date."""
        ...

    def ledger(self) -> LedgerReply:
        """Give the state of every file."""
        ...

    def passages(self) -> Iterator[PassageText]:
        """Give all indexed passages, note by note, for the peers to index."""
        ...

    def status(self) -> StatusReply:
        """Give the state of the index and its model."""
        ...


E = TypeVar("E", bound=MeasuredEngine)
E_co = TypeVar("E_co", bound=MeasuredEngine, covariant=True)


class Opener(Protocol[E_co]):
    """The part of `Vaults` that opens engines (its room is above this one)."""

    def open(self, record: VaultRecord, *, writable: bool) -> E_co:
        """Open a vault's engine, or return the one that is open."""
        ...


class VaultOpener(Opener[MeasuredEngine], Protocol):
    """The part of `Vaults` that an evaluation of a corpus needs."""

    def add(self, folder: Path, *, name: str | None = None) -> VaultRecord:
        """Register a folder as a vault."""
        ...
