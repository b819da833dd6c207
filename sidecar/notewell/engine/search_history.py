"""The search history of one vault as the contract shows it: searches, openings, verdicts.

A note keeps its verdicts when it is renamed: besides its path they hold a pin, the note's number in
the index that it was found in. A pin of another index (rebuilt since, or moved here) means nothing.
"""

from __future__ import annotations

import secrets
import time
from dataclasses import replace

from notewell.base.errors import QueryLogError, QueryLogOffError
from notewell.base.querylog import Judged, Judgements, Opened, QueryEntry, QueryLog, storable
from notewell.base.types import Settings, VaultRecord, Verdict
from notewell.contract.fields import iso
from notewell.contract.log import (
    ClearedReply,
    LoggedOpen,
    LoggedQuery,
    LoggedResult,
    LogReply,
    OpenedReply,
    VerdictReply,
    VerdictView,
)
from notewell.contract.search import UNLOGGED, SearchReply, SearchRequest
from notewell.index.port import Index
from notewell.search.query.find_note import find_note

LOGGED_RESULTS = 10


class SearchHistory:
    """The log of one vault's searches, beside its index. Any thread may call."""

    def __init__(self, index: Index, record: VaultRecord, settings: Settings) -> None:
        """Nothing is logged where the data directory lies inside the vault: notes get synced."""
        folder = record.data_folder(settings.data_dir)
        apart = not folder.absolute().is_relative_to(record.path)
        self._index = index
        self._vault = record.name
        self._log = QueryLog(folder, enabled=settings.log.queries and apart)

    def without_rejected(self, request: SearchRequest) -> SearchRequest:
        """The request without the notes that were judged never to answer its query."""
        never = self._log.never(request.q)
        if not never:
            return request
        return replace(request, hidden=request.hidden | {self._path(judged) for judged in never})

    def logged(self, request: SearchRequest, reply: SearchReply) -> SearchReply:
        """The reply, with a `query_id` if the search is logged; does not wait for the disk."""
        if request.door == UNLOGGED or not request.q.strip():
            return reply
        logged_query = QueryEntry(
            id=secrets.token_hex(8),
            at=time.time(),
            door=request.door,
            text=storable(request.q),
            mode=reply.mode,
            took_ms=reply.took_ms,
            generation=reply.generation,
            results=tuple((result.path, result.score) for result in reply.results[:LOGGED_RESULTS]),
        )
        return replace(reply, query_id=logged_query.id) if self._log.add(logged_query) else reply

    def opened(
        self, *, query_id: str | None, query: str | None, path: str, rank: int | None
    ) -> OpenedReply:
        """Record which result was opened; a reason not to is returned, not raised.

        Raises NotFoundError where there is no such note.
        """
        note = find_note(self._index, path)
        if not self._log.enabled:
            return OpenedReply(recorded=False, reason="the query log is off (log.queries)")

        pin = self._pin(note.id)

        def make(found_query: QueryEntry | None) -> Opened | None:
            text = found_query.text if found_query is not None else query
            if text is None:
                return None
            seen = rank
            if seen is None and found_query is not None:
                seen = _rank(found_query, note.path)
            logged_id = found_query.id if found_query is not None else None
            return Opened(time.time(), storable(text), note.path, pin, seen, logged_id)

        try:
            recorded = self._log.add_opened(make, query_id=query_id, query=query)
        except QueryLogError as error:
            return OpenedReply(recorded=False, reason=error.message)
        return OpenedReply(
            recorded, None if recorded else "that search is not in the log; send `q` too"
        )

    def judge(self, query: str, path: str, verdict: Verdict | None) -> VerdictReply:
        """Store a person's verdict on a note as the answer to a query; None withdraws it.

        Raises:
            NotFoundError: there is no such note.
            QueryLogOffError: the log is off, so there is nowhere to keep it.
            QueryLogError: the disk refuses.

        """
        note = find_note(self._index, path)
        if verdict is None:
            earlier = (
                verdict.path for verdict in self._verdicts() if self._path(verdict) == note.path
            )
            self._log.withdraw(query, note.path, *earlier)
        elif self._log.enabled:
            text = storable(query)
            self._log.judge(Judged(time.time(), text, note.path, verdict, self._pin(note.id)))
        else:
            raise QueryLogOffError(
                "The query log is off, and it holds the verdicts. Set log.queries = true first."
            )
        return VerdictReply(query=query, path=note.path, verdict=verdict)

    def log(self, *, limit: int, since: float | None = None) -> LogReply:
        """The newest searches, and all verdicts. Raises QueryLogError."""
        total, newest = self._log.latest(limit, since)
        return LogReply(
            vault=self._vault,
            enabled=self._log.enabled,
            total=total,
            entries=tuple(_logged_query(query, opened) for query, opened in newest),
            verdicts=tuple(
                VerdictView(verdict.query, self._path(verdict), verdict.verdict, iso(verdict.at))
                for verdict in self._verdicts()
            ),
        )

    def clear(self, *, keep_verdicts: bool) -> ClearedReply:
        """Delete the log. Raises QueryLogError."""
        cleared = self._log.clear(keep_verdicts=keep_verdicts)
        return ClearedReply(cleared.queries, cleared.opened, cleared.verdicts)

    def judgements(self) -> Judgements:
        """Opened results and verdicts, under the paths that the notes have now."""
        judgements = self._log.judgements()
        return Judgements(
            tuple(replace(opened, path=self._path(opened)) for opened in judgements.opened),
            tuple(replace(verdict, path=self._path(verdict)) for verdict in judgements.verdicts),
        )

    def close(self) -> None:
        self._log.close()

    def _verdicts(self) -> tuple[Judged, ...]:
        return self._log.judgements().verdicts

    def _pin(self, note_id: int) -> str:
        return f"{self._index.identity}/{note_id}"

    def _path(self, entry: Opened | Judged) -> str:
        """The present path of the note; the recorded one if it cannot be found."""
        of, _, number = entry.pin.partition("/")
        if not number.isdecimal() or of != self._index.identity:
            return entry.path
        note = self._index.notes([int(number)]).get(int(number))
        return note.path if note is not None else entry.path


def _rank(logged_query: QueryEntry, path: str) -> int | None:
    paths = [logged_path for logged_path, _ in logged_query.results]
    return paths.index(path) + 1 if path in paths else None


def _logged_query(query: QueryEntry, opened: tuple[Opened, ...]) -> LoggedQuery:
    return LoggedQuery(
        query_id=query.id,
        at=iso(query.at),
        door=query.door,
        query=query.text,
        mode=query.mode,
        took_ms=query.took_ms,
        generation=query.generation,
        results=tuple(LoggedResult(path, score) for path, score in query.results),
        opened=tuple(LoggedOpen(result.path, result.rank, iso(result.at)) for result in opened),
    )
