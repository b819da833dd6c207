"""What an evaluation needs of an engine and of the vaults, as protocols."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Protocol, TypeVar

from notewell.contract.search import SearchReply
from notewell.contract.status import IndexReport, LedgerReply, StatusReply
from notewell.types import PassageText, Progress, SearchRequest, VaultRecord

OnProgress = Callable[[Progress], None] | None


class Searcher(Protocol):
    """What is asked: an Engine, or anything that answers like one."""

    def search(self, request: SearchRequest) -> SearchReply:
        """Answer a search."""
        ...


class Measured(Searcher, Protocol):
    """The part of an Engine that an evaluation uses."""

    def index_now(self, *, progress: OnProgress = None) -> IndexReport:
        """Bring the index up to date."""
        ...

    def ledger(self) -> LedgerReply:
        """List all files."""
        ...

    def passages(self) -> Iterator[PassageText]:
        """Give all indexed passages, note by note, for the peers to index."""
        ...

    def status(self) -> StatusReply:
        """Tell which model answers."""
        ...


E = TypeVar("E", bound=Measured)
E_co = TypeVar("E_co", bound=Measured, covariant=True)


class Opener(Protocol[E_co]):
    """The part of `Vaults` that gives engines (both are on one floor)."""

    def open(self, record: VaultRecord, *, writable: bool) -> E_co:
        """Open a vault's engine, or give the one that is open."""
        ...


class VaultOpener(Opener[Measured], Protocol):
    """The part of `Vaults` that an evaluation of a corpus needs."""

    def add(self, folder: Path, *, name: str | None = None) -> VaultRecord:
        """Make a folder a known vault."""
        ...
