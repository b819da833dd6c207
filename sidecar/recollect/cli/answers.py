"""Who answers a question: the server that runs for the vault, else the index opened here.

Both give the JSON document of the HTTP route, so that `--json` prints the same either way.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from recollect.cli.options import Invocation

if TYPE_CHECKING:  # these load numpy and more; a command loads them when it runs
    from recollect.engine import Engine
    from recollect.questions import Question
    from recollect.remote import Remote
    from recollect.types import LedgerState, SearchRequest, SimilarRequest, VaultRecord, Verdict
    from recollect.types.memory import MemoryRequest
    from recollect.vaults import Vaults


class Answers(Protocol):
    """Answers questions about one vault with the documents of the HTTP routes."""

    def search(self, request: SearchRequest) -> bytes:
        """Notes that match a query."""
        ...

    def similar(self, request: SimilarRequest) -> bytes:
        """Notes like a note."""
        ...

    def status(self) -> bytes:
        """Where the index stands."""
        ...

    def ledger(self, *, state: LedgerState | None, path: str | None) -> bytes:
        """The states of files, all or those asked for."""
        ...

    def stats(self, *, limit: int) -> bytes:
        """The vault in figures."""
        ...

    def explore(self, question: Question) -> bytes:
        """What a question about the vault as a whole is answered with."""
        ...

    def remember(self, asked: MemoryRequest) -> bytes:
        """What a request about memories is answered with."""
        ...

    def writes(self, *, limit: int) -> bytes:
        """What was written to the vault."""
        ...

    def undo(self, number: int | None) -> bytes:
        """Take a write to the vault back."""
        ...

    def log(self, *, limit: int, since: str | None) -> bytes:
        """The newest searches."""
        ...

    def clear_log(self, *, keep_verdicts: bool) -> bytes:
        """Delete the log of searches."""
        ...

    def judge(self, query: str, path: str, verdict: Verdict | None) -> bytes:
        """Keep what a person says of a note as the answer to a query."""
        ...


@contextmanager
def answers(inv: Invocation, vault: str | None) -> Iterator[tuple[VaultRecord, Answers]]:
    """The vault that `vault` names, and who answers for it.

    Without a server the index is opened to read: nothing is locked and nothing is written.
    """
    with closing(inv.vaults()) as known:
        record = known.find(vault, cwd=Path.cwd())
        server = server_for(known, record)
        yield record, server or _Here(known.open(record, writable=False))


def server_for(known: Vaults, record: VaultRecord) -> Remote | None:
    """The server that has `record` open, if one answers."""
    from recollect.remote import Remote, running_server  # noqa: PLC0415 - an HTTP client

    found = running_server(known.directory(record))
    return Remote(found, vault=record.id) if found is not None else None


class _Here:
    """Answers from an index opened in this process."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def search(self, request: SearchRequest) -> bytes:
        return _document(self._engine.search(request))

    def similar(self, request: SimilarRequest) -> bytes:
        return _document(self._engine.similar(request))

    def status(self) -> bytes:
        return _document(self._engine.status())

    def ledger(self, *, state: LedgerState | None, path: str | None) -> bytes:
        return _document(self._engine.ledger(state=state, path=path))

    def stats(self, *, limit: int) -> bytes:
        return _document(self._engine.stats(limit=limit))

    def explore(self, question: Question) -> bytes:
        return _document(self._engine.explore(question))

    def remember(self, asked: MemoryRequest) -> bytes:
        return _document(self._engine.memories.answer(asked))

    def writes(self, *, limit: int) -> bytes:
        return _document(self._engine.undoing.writes(limit))

    def undo(self, number: int | None) -> bytes:
        return _document(self._engine.undoing.undo(number))

    def log(self, *, limit: int, since: str | None) -> bytes:
        start = datetime.fromisoformat(since).timestamp() if since is not None else None
        return _document(self._engine.history.log(limit=limit, since=start))

    def clear_log(self, *, keep_verdicts: bool) -> bytes:
        return _document(self._engine.history.clear(keep_verdicts=keep_verdicts))

    def judge(self, query: str, path: str, verdict: Verdict | None) -> bytes:
        return _document(self._engine.history.judge(query, path, verdict))


def _document(reply: object) -> bytes:
    from recollect.web.encode import to_json  # noqa: PLC0415 - loads numpy

    return to_json(reply)
