"""Replies about a vault: its ledger, and the state of its index."""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path, PurePosixPath

from notewell.base.errors import NotFoundError, UnreadableNoteError
from notewell.base.support.disk import missing_folder
from notewell.base.types import (
    IndexCounts,
    LedgerEntry,
    LedgerState,
    VaultRecord,
)
from notewell.contract.fields import iso
from notewell.contract.status import (
    BackupState,
    EmbedderStatus,
    EngineState,
    Guard,
    IndexProgress,
    IndexReport,
    LedgerReply,
    LedgerRow,
    Phase,
    QueueStatus,
    Semantic,
    StatusReply,
    WorkDone,
)
from notewell.engine.backup_log import read_log
from notewell.engine.ingest.active_model import ModelState
from notewell.engine.ingest.indexer import RunTotals
from notewell.engine.ingest.plan import Guarded, held_removal
from notewell.engine.ingest.reports import Activity, index_progress
from notewell.index.port import Index, IndexReader
from notewell.models.resilient import Degraded, Step
from notewell.search.query.find_note import did_you_mean, find_note
from notewell.vault.sources import Source

_ENDING = re.compile(r"\.\w{1,12}")

_STEPS: Mapping[Step, str] = {
    "fewer_threads": "the model works with fewer threads",
    "single_fp32": "the model works in one thread and without int8",
}


def ledger_row(entry: LedgerEntry, count: int = 1) -> LedgerRow:
    """A ledger entry as a reply row; it stands for `count` files."""
    return LedgerRow(
        path=entry.path,
        state=entry.state,
        rule=entry.rule,
        reason=entry.reason,
        warnings=entry.warnings,
        attempts=entry.attempts,
        size=entry.size,
        modified=iso(entry.mtime_ns / 1e9) if entry.mtime_ns else None,
        updated=iso(entry.updated) if entry.updated else None,
        count=count,
    )


def ledger_reply(
    index: IndexReader,
    vault: VaultRecord,
    source: Source,
    *,
    state: LedgerState | None,
    path: str | None,
) -> LedgerReply:
    """The ledger; a `path` it does not hold gets the rule that would decide for it.

    `path` may also be a name or an alias of a note, as people write them. All counts add up to the
    number of files of the vault.
    """
    if path is not None:
        path = _meant(index, unicodedata.normalize("NFC", path))
    entries = index.ledger(state=state, path=path)
    if path is not None and not index.ledger(path=path):
        would_be = _entry_of_unmet(index, source, path)
        entries = (would_be,) if state in {None, would_be.state} else ()
    counts = index.counts().ledger
    return LedgerReply(
        vault=vault.name,
        total=sum(counts.values()),
        counts=counts,
        entries=tuple(map(ledger_row, entries)) if path is not None else _collapse(entries),
    )


def _collapse(entries: Iterable[LedgerEntry]) -> tuple[LedgerRow, ...]:
    """One row a file, but one for all files of an ending that is not read, and for hidden ones."""
    rows: list[LedgerRow] = []
    alike: dict[str, list[LedgerEntry]] = defaultdict(list)
    for entry in entries:
        if entry.rule == "file_type":
            alike[f"*{_ending(entry.path)}"].append(entry)
        elif entry.rule == "hidden":
            alike[".*"].append(entry)
        else:
            rows.append(ledger_row(entry))
    for name, kept in alike.items():
        rows.append(ledger_row(replace(kept[0], path=name), len(kept)))
    return tuple(sorted(rows, key=lambda row: row.path))


def _ending(path: str) -> str:
    """The ending of a file in lower case, with its dot; "" for a name without a plausible one."""
    ending = PurePosixPath(path).suffix.lower()
    return ending if _ENDING.fullmatch(ending) else ""


def _meant(index: IndexReader, path: str) -> str:
    """The path of the note that a path, a name or an alias means; else `path` itself."""
    if index.ledger(path=path):
        return path
    try:
        return find_note(index, path).path
    except NotFoundError:
        return path


def _entry_of_unmet(index: IndexReader, source: Source, path: str) -> LedgerEntry:
    """The entry that a path would get that no walk of the vault has met."""
    decided = source.excluded(path)
    # A name without an ending is of no type that is read, but that is not why there is no note.
    if decided is not None and (decided[0] != "file_type" or _ending(path)):
        return LedgerEntry(path, "excluded", rule=decided[0], reason=decided[1])
    try:
        file = source.stamp(path)
    except UnreadableNoteError as error:
        if error.code != "vanished":
            return LedgerEntry(path, "failed", reason=error.message)
        reason = f"The vault has no such file, and no note of that name{did_you_mean(index, path)}"
        return LedgerEntry(path, "excluded", rule="missing", reason=reason)
    if decided is not None:
        return LedgerEntry(path, "excluded", rule=decided[0], reason=decided[1])
    reason = "It is new: the next look at the vault reads it."
    return LedgerEntry(path, "pending", reason=reason, size=file.size, mtime_ns=file.mtime_ns)


def index_report(
    index: IndexReader, totals: RunTotals, seconds: float, guarded: Guarded | None
) -> IndexReport:
    """The report of a run: what it did, the totals after it, and the removal that waits."""
    counts = index.counts()
    return IndexReport(
        notes=counts.notes,
        chunks=counts.chunks,
        failed=counts.ledger["failed"],
        excluded=counts.ledger["excluded"],
        embedded=totals.embedded,
        reused=totals.reused,
        removed=totals.removed,
        seconds=round(seconds, 3),
        guard=_guard(guarded),
    )


def backup_state(data_dir: Path) -> BackupState | None:
    """The last backup of what is in the data directory; None: there was none."""
    log = read_log(data_dir)
    if log.written is None and log.verified is None:
        return None
    return BackupState(iso(log.written), iso(log.verified), log.problem)


def status_reply(
    index: Index,
    vault: VaultRecord,
    activity: Activity,
    models: ModelState,
    *,
    server_writes: int = 0,
) -> StatusReply:
    """The status reply of a vault; `server_writes` are notes that its clients have to take."""
    counts = index.counts()
    switching = models.switching
    progress = index_progress(index, activity, models)
    vectors = index.vectors.count if switching is not None else counts.vectors
    prepared = index.covered_chunks(switching) if switching is not None else 0
    semantic, reason = _semantic(models, vectors, counts, prepared)
    problem = activity.problem or missing_folder(vault.name, vault.path)
    unread = progress.notes - progress.notes_read
    if unread and semantic == "partial":
        reason = f"{unread:,} of {progress.notes:,} notes are still to be read; {reason}"
    return StatusReply(
        vault=vault.name,
        notes=counts.notes,
        chunks=counts.chunks,
        vectors=vectors,
        model=str(models.answering) if models.answering is not None else None,
        generation=counts.generation,
        state=_state(activity, progress, problem),
        semantic=semantic,
        semantic_reason=reason,
        queue=_queue(activity, counts.ledger, progress),
        ledger=counts.ledger,
        guard=_guard(held_removal(index) or activity.held),
        problem=problem,
        work=WorkDone(
            read=activity.tally.read,
            embedded=activity.tally.embedded,
            reused=activity.tally.reused,
            removed=activity.tally.removed,
        ),
        next_model=str(switching) if switching is not None else None,
        embedder=_embedder(models.degraded),
        progress=progress,
        server_writes=server_writes,
        former_titles=(index.former_titles() or None) if models.answering is not None else None,
    )


def _semantic(
    models: ModelState, vectors: int, counts: IndexCounts, prepared: int
) -> tuple[Semantic, str | None]:
    """The state of semantic search and, if it is not ready, the reason for people."""
    degraded, chunks = models.degraded, counts.chunks
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
        until_then = ", found by approximate meaning until then" if counts.approximate else ""
        reasons.append(
            f"{waiting:,} of {chunks:,} passages still wait for their embedding{until_then}"
        )
    if degraded is not None:
        reasons.append(f"{_STEPS[degraded.step]}: {degraded.reason}")
    return "partial" if waiting > 0 else "ready", "; ".join(reasons) or None


def _embedder(degraded: Degraded | None) -> EmbedderStatus | None:
    if degraded is None:
        return None
    return EmbedderStatus(degraded.step, degraded.reason, iso(degraded.since) or "")


def _state(activity: Activity, progress: IndexProgress, problem: str | None) -> EngineState:
    if problem is not None and not activity.running:
        return "degraded"
    states: Mapping[Phase, EngineState] = {
        "reading": "indexing",
        "embedding": "indexing",
        "paused": "indexing" if _left(activity, progress) else "ready",
        "stuck": "indexing" if activity.serving else "starting",
        "idle": "ready",
    }
    return states[progress.phase]


def _left(activity: Activity, progress: IndexProgress) -> int:
    """Notes to be read and passages to be embedded, together; 0 if nothing can be done."""
    if progress.phase == "idle":
        return 0
    to_read = progress.notes - progress.notes_read
    to_embed = progress.passages - progress.passages_embedded
    return max(to_read + to_embed, activity.waiting)


def _guard(guarded: Guarded | None) -> Guard | None:
    if guarded is None:
        return None
    return Guard(gone=guarded.gone, total=guarded.total, since=iso(guarded.since) or "")


def _queue(
    activity: Activity, ledger: Mapping[LedgerState, int], progress: IndexProgress
) -> QueueStatus:
    run = activity.progress if activity.running else None
    return QueueStatus(
        pending=_left(activity, progress),
        current=run.current if run is not None else None,
        done=run.done if run is not None else 0,
        failed=ledger["failed"],
        paused=activity.paused,
        eta_s=progress.eta_s,
    )
