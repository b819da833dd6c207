"""Replies about one note, the ledger and the state of the index."""

from __future__ import annotations

import time
import unicodedata
from collections.abc import Mapping

from notewell.contract.fields import iso
from notewell.contract.notes import ChunkView, HeadingView, LinkView, NoteReply
from notewell.contract.status import (
    EmbedderStatus,
    EngineState,
    Guard,
    IndexReport,
    LedgerReply,
    LedgerRow,
    QueueStatus,
    Semantic,
    StatusReply,
    WorkDone,
)
from notewell.errors import NotFoundError, UnreadableNoteError
from notewell.index.port import IndexReader
from notewell.ingest.active_model import ModelState
from notewell.ingest.events import Activity, Guarded
from notewell.ingest.indexer import RunTotals
from notewell.models.resilient import Degraded, Step
from notewell.search.names import did_you_mean, find_note
from notewell.sources import Source
from notewell.types import (
    LedgerEntry,
    LedgerState,
    Link,
    VaultRecord,
)

_STATES: tuple[LedgerState, ...] = ("indexed", "pending", "failed", "excluded", "keyword_only")
_STEPS: Mapping[Step, str] = {
    "fewer_threads": "the model works with fewer threads",
    "single_fp32": "the model works in one thread and without int8",
}


def note_reply(index: IndexReader, vault: VaultRecord, source: Source, path: str) -> NoteReply:
    """A note as it is in its source, with its data in the index."""
    stored = find_note(index, path)
    try:
        found = source.read(source.stamp(stored.path))
    except UnreadableNoteError as error:
        if error.code != "vanished":
            raise
        raise NotFoundError(
            f"{stored.path} is in the index and no longer in the vault; the index will follow."
        ) from error
    note = found.note
    entries = index.ledger(path=stored.path)
    return NoteReply(
        vault=vault.name,
        path=stored.path,
        title=note.title,
        aliases=note.aliases,
        tags=note.tags,
        description=note.description,
        content=found.text,
        properties=note.properties,
        headings=tuple(HeadingView(h.level, h.text, h.line) for h in note.headings),
        links_out=_links_out(index, stored.id),
        links_in=_links_in(index, stored.id),
        created=iso(note.created),
        modified=iso(note.modified),
        uri=source.uri(stored.path),
        ledger=ledger_row(entries[0]) if entries else None,
        chunks=tuple(
            ChunkView(
                " > ".join(chunk.headings) or None, min(chunk.lines, default=1), len(chunk.text)
            )
            for chunk in index.chunks_of(stored.id)
        ),
    )


def _links_out(index: IndexReader, note_id: int) -> tuple[LinkView, ...]:
    links = index.graph.links_out(note_id)
    paths = _paths(index, [target for _, target in links if target is not None])
    return tuple(
        _link_view(link, paths.get(target) if target is not None else None)
        for link, target in links
    )


def _links_in(index: IndexReader, note_id: int) -> tuple[LinkView, ...]:
    links = index.graph.links_in(note_id)
    paths = _paths(index, [source for source, _ in links])
    return tuple(_link_view(link, paths.get(source)) for source, link in links)


def _paths(index: IndexReader, ids: list[int]) -> Mapping[int, str]:
    return {note_id: note.path for note_id, note in index.notes(ids).items()}


def _link_view(link: Link, path: str | None) -> LinkView:
    return LinkView(
        path=path,
        target=link.target,
        display=link.display,
        heading=link.heading,
        block=link.block,
        embed=link.embed,
        kind=link.kind,
        line=link.line,
    )


def ledger_row(entry: LedgerEntry) -> LedgerRow:
    """A ledger entry as a reply row."""
    return LedgerRow(
        path=entry.path,
        state=entry.state,
        rule=entry.rule,
        reason=entry.reason,
        warnings=entry.warnings,
        attempts=entry.attempts,
        size=entry.size,
        modified=iso(entry.mtime_ns / 1e9),
        updated=iso(entry.updated) if entry.updated else None,
    )


def ledger_reply(
    index: IndexReader,
    vault: VaultRecord,
    source: Source,
    *,
    state: LedgerState | None,
    path: str | None,
) -> LedgerReply:
    """The ledger; a `path` it does not hold gets the rule that would decide for it."""
    if path is not None:
        path = unicodedata.normalize("NFC", path)
    entries = index.ledger(state=state, path=path)
    if path is not None and not index.ledger(path=path):
        would_be = _undecided(index, source, path)
        entries = (would_be,) if state in {None, would_be.state} else ()
    counts = ledger_counts(index)
    return LedgerReply(
        vault=vault.name,
        total=sum(counts.values()),
        counts=counts,
        entries=tuple(ledger_row(entry) for entry in entries),
    )


def _undecided(index: IndexReader, source: Source, path: str) -> LedgerEntry:
    """The entry that a path would get that no walk of the vault has met."""
    decided = source.excluded(path)
    if decided is not None:
        return LedgerEntry(path, "excluded", rule=decided[0], reason=decided[1])
    try:
        file = source.stamp(path)
    except UnreadableNoteError as error:
        if error.code != "vanished":
            return LedgerEntry(path, "failed", reason=error.message)
        reason = f"No rule excludes it, but the vault has no such file{did_you_mean(index, path)}"
        return LedgerEntry(path, "excluded", rule="missing", reason=reason)
    reason = "It is new: the next look at the vault reads it."
    return LedgerEntry(path, "pending", reason=reason, size=file.size, mtime_ns=file.mtime_ns)


def index_report(index: IndexReader, totals: RunTotals, seconds: float) -> IndexReport:
    """The report of a run: what it did, and the totals after it."""
    counts = index.counts()
    ledger = ledger_counts(index)
    return IndexReport(
        notes=counts.notes,
        chunks=counts.chunks,
        failed=ledger["failed"],
        excluded=ledger["excluded"],
        embedded=totals.embedded,
        reused=totals.reused,
        removed=totals.removed,
        seconds=round(seconds, 3),
    )


def ledger_counts(index: IndexReader) -> Mapping[LedgerState, int]:
    """Files by state, every state named."""
    counted = index.counts().ledger
    return {state: counted.get(state, 0) for state in _STATES}


def status_reply(
    index: IndexReader,
    vault: VaultRecord,
    activity: Activity,
    models: ModelState,
) -> StatusReply:
    """The status reply of a vault."""
    counts = index.counts()
    ledger = ledger_counts(index)
    switching = models.switching
    vectors = index.vectors.count if switching is not None else counts.vectors
    prepared = index.covered_chunks(switching) if switching is not None else 0
    semantic, reason = _semantic(models, vectors, counts.chunks, prepared)
    return StatusReply(
        vault=vault.name,
        notes=counts.notes,
        chunks=counts.chunks,
        vectors=vectors,
        model=str(models.answering) if models.answering is not None else None,
        generation=counts.generation,
        state=_state(activity, ledger["pending"]),
        semantic=semantic,
        semantic_reason=reason,
        queue=_queue(activity, ledger),
        ledger=ledger,
        guard=_guard(activity.guard or activity.held),
        problem=activity.problem,
        work=WorkDone(
            read=activity.tally.read,
            embedded=activity.tally.embedded,
            reused=activity.tally.reused,
            removed=activity.tally.removed,
        ),
        next_model=str(switching) if switching is not None else None,
        embedder=_embedder(models.degraded),
    )


def _semantic(
    models: ModelState, vectors: int, chunks: int, prepared: int
) -> tuple[Semantic, str | None]:
    """The state of semantic search and, if it is not ready, the reason for people."""
    degraded = models.degraded
    if models.answering is None:
        return "unavailable", models.reason
    if degraded is not None and degraded.step == "keyword_only":
        return "unavailable", f"the model does not work: {degraded.reason}"
    reasons = []
    if models.switching is not None:
        reasons.append(f"switching to {models.switching}: {prepared:,} of {chunks:,} passages")
    elif models.reason is not None:
        reasons.append(f"{models.answering} answers, not {models.name}: {models.reason}")
    waiting = chunks - vectors
    if waiting > 0:
        reasons.append(f"{waiting:,} of {chunks:,} passages still wait for their embedding")
    if degraded is not None:
        reasons.append(f"{_STEPS[degraded.step]}: {degraded.reason}")
    return "partial" if waiting > 0 else "ready", "; ".join(reasons) or None


def _embedder(degraded: Degraded | None) -> EmbedderStatus | None:
    if degraded is None:
        return None
    return EmbedderStatus(degraded.step, degraded.reason, iso(degraded.since) or "")


def _state(activity: Activity, pending: int) -> EngineState:
    if activity.problem is not None:
        return "degraded"
    if activity.running or activity.waiting:
        return "indexing"
    if pending:
        return "indexing" if activity.serving else "starting"
    return "ready"


def _guard(guarded: Guarded | None) -> Guard | None:
    if guarded is None:
        return None
    return Guard(gone=guarded.gone, total=guarded.total, since=iso(guarded.since) or "")


def _queue(activity: Activity, ledger: Mapping[LedgerState, int]) -> QueueStatus:
    progress = activity.progress
    if progress is None or not activity.running:
        pending = max(ledger["pending"], activity.waiting)
        return QueueStatus(pending=pending, failed=ledger["failed"], paused=activity.paused)
    left = max(progress.total - progress.done, 0)
    spent = time.monotonic() - activity.stage_began
    return QueueStatus(
        pending=left,
        current=progress.current,
        done=progress.done,
        failed=ledger["failed"],
        paused=activity.paused,
        eta_s=round(spent / progress.done * left, 1) if progress.done else None,
    )
