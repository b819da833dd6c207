"""Replies about a vault, and about one note in it.

Of the vault: its ledger, the state of its index, and its figures. Of a note: what its source and
the index have of it, and the passage that an id means.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import PurePosixPath
from statistics import median_low

from notewell.base.errors import NotFoundError, StalePassageError, UnreadableNoteError, UsageError
from notewell.base.support.disk import missing_folder
from notewell.base.types import (
    LedgerEntry,
    LedgerState,
    Link,
    StoredChunk,
    StoredNote,
    VaultRecord,
)
from notewell.contract.manage import (
    ModelVectors,
    ModelWorkDone,
    MonthCount,
    NamedCount,
    SizedNote,
    Sizes,
    StatsReply,
)
from notewell.contract.notes import (
    BlockView,
    ChunkView,
    HeadingView,
    LinkView,
    NoteReply,
    NoteRequest,
)
from notewell.contract.request import iso
from notewell.contract.status import (
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
from notewell.engine.ingest.active_model import ModelState
from notewell.engine.ingest.embed import ModelWork, model_work
from notewell.engine.ingest.indexer import RunTotals
from notewell.engine.ingest.plan import Guarded, held_removal
from notewell.engine.ingest.reports import Activity, index_progress
from notewell.index.port import Index, IndexReader
from notewell.models.resilient import Degraded, Step
from notewell.search.query.find_note import did_you_mean, find_note
from notewell.search.show.blocks import address_of
from notewell.vault.sources import Source

_ENDING = re.compile(r"\.\w{1,12}")

_LARGEST = 10
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

    All its counts add up to the number of files of the vault.
    """
    if path is not None:
        path = unicodedata.normalize("NFC", path)
    entries = index.ledger(state=state, path=path)
    if path is not None and not index.ledger(path=path):
        would_be = _undecided(index, source, path)
        entries = (would_be,) if state in {None, would_be.state} else ()
    counts = index.counts().ledger
    return LedgerReply(
        vault=vault.name,
        total=sum(counts.values()),
        counts=counts,
        entries=tuple(map(ledger_row, entries)) if path is not None else _collapsed(entries),
    )


def _collapsed(entries: Iterable[LedgerEntry]) -> tuple[LedgerRow, ...]:
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
    for name, found in alike.items():
        rows.append(ledger_row(replace(found[0], path=name), len(found)))
    return tuple(sorted(rows, key=lambda row: row.path))


def _ending(path: str) -> str:
    """The ending of a file in lower case, with its dot; "" for a name without a plausible one."""
    ending = PurePosixPath(path).suffix.lower()
    return ending if _ENDING.fullmatch(ending) else ""


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
    semantic, reason = _semantic(models, vectors, counts.chunks, prepared)
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


def stats_reply(index: IndexReader, vault: VaultRecord, *, limit: int) -> StatsReply:
    """The figures of a vault, with at most `limit` names in each list."""
    notes, counts, kept = index.all_notes(), index.counts(), index.stats()
    return StatsReply(
        vault=vault.name,
        generation=counts.generation,
        notes=len(notes),
        chunks=counts.chunks,
        links=index.graph.edge_count,
        files=counts.ledger,
        sizes=_sizes(notes, kept.bytes_on_disk),
        types=_named((_types(note) for note in notes), limit),
        folders=_named(([_folder(note)] for note in notes), limit),
        tags=_named((_tags(note) for note in notes), limit),
        months=tuple(_months(notes)),
        models=tuple(
            ModelVectors(
                model=model.key.name,
                quantisation=model.key.quantisation,
                dimensions=model.dimensions,
                vectors=model.vectors,
                answering=model.answering,
            )
            for model in kept.models
        ),
        model_work=_work(model_work(index)),
    )


def _work(work: ModelWork) -> ModelWorkDone:
    return ModelWorkDone(
        work.embedded, work.reused, round(work.seconds, 1), round(work.saved_seconds, 1)
    )


def _sizes(notes: Sequence[StoredNote], on_disk: int) -> Sizes:
    largest = sorted(notes, key=lambda note: (-note.size, note.path))[:_LARGEST]
    return Sizes(
        notes=sum(note.size for note in notes),
        median_note=median_low([note.size for note in notes] or [0]),
        index=on_disk,
        largest=tuple(SizedNote(note.path, note.size) for note in largest),
    )


def _named(of_notes: Iterable[Iterable[str | None]], limit: int) -> tuple[NamedCount, ...]:
    counted = Counter(name for names in of_notes for name in names)
    ordered = sorted(counted.items(), key=lambda item: (-item[1], item[0] or ""))
    return tuple(NamedCount(name, count) for name, count in ordered[:limit])


def _types(note: StoredNote) -> set[str | None]:
    value = note.properties.get("type")
    values = value if isinstance(value, tuple) else (value,)
    return {text for part in values if (text := str(part or "").strip())} or {None}


def _folder(note: StoredNote) -> str | None:
    """The top-level folder of a note; None for a note outside any folder."""
    folder, _, name = note.path.partition("/")
    return folder if name else None


def _tags(note: StoredNote) -> set[str | None]:
    """Tags in their compared form, each with its parent tags."""
    found: set[str | None] = set()
    for tag in note.tags:
        steps = tag.casefold().split("/")
        found.update("/".join(steps[: depth + 1]) for depth in range(len(steps)))
    return found


def _months(notes: Sequence[StoredNote]) -> Iterator[MonthCount]:
    created = Counter(filter(None, (_month(note.created) for note in notes)))
    modified = Counter(filter(None, (_month(note.modified) for note in notes)))
    for month in sorted(created.keys() | modified.keys()):
        yield MonthCount(month, created[month], modified[month])


def _month(at: float | None) -> str | None:
    text = iso(at)
    return text[:7] if text is not None else None


_LEAST_DIGITS = 8


def note_reply(
    index: IndexReader,
    vault: VaultRecord,
    source: Source,
    path: str,
    passage: StoredChunk | None = None,
) -> NoteReply:
    """A note as it is in its source, with its data in the index; `passage` is the one asked for."""
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
        chunks=tuple(_chunk_view(chunk, stored.path) for chunk in index.chunks_of(stored.id)),
        passage=None if passage is None else _chunk_view(passage, stored.path),
        blocks=tuple(
            BlockView(span.block, (span.lines[0], span.lines[-1]))
            for span in note.spans
            if span.block is not None
        ),
    )


def _chunk_view(chunk: StoredChunk, path: str) -> ChunkView:
    first, last = min(chunk.lines, default=1), max(chunk.lines, default=1)
    heading = " > ".join(chunk.headings) or None
    address = address_of(chunk, path)
    return ChunkView(
        heading, first, len(chunk.text), address["id"] or "", address["hash"] or "", (first, last)
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


def asked_for(index: IndexReader, request: NoteRequest) -> tuple[str, StoredChunk | None]:
    """The path of the note that is asked for, and its passage if an id asked for one.

    Raises:
        UsageError: neither a path nor an id is given, or both.
        StalePassageError: the id means no passage, or one with another hash; it names the nearest.

    """
    if (request.path is None) == (request.id is None):
        raise UsageError("Give `path`, the note's, or `id`, that of a passage.")
    if request.id is None:
        return request.path or "", None
    path, _, number = request.id.rpartition("#")
    note = index.note_at(path)
    chunks = () if note is None else index.chunks_of(note.id)
    found = next((one for one in chunks if one.ordinal == int(number)), None)
    if found is not None and found.text_hash.hex().startswith(request.hash or ""):
        return path, found
    nearest = _nearest(index, path, chunks, int(number), request.hash)
    why = "there is no such passage" if found is None else "it is another passage by now"
    raise StalePassageError(
        f"{request.id} is stale: {why}; "
        + (f"the nearest one is {nearest}" if nearest else "search for its text again")
        + ".",
        nearest=nearest,
    )


def _nearest(
    index: IndexReader, path: str, chunks: Sequence[StoredChunk], number: int, digits: str | None
) -> str | None:
    """The id of the passage with this hash, here or in another note; else of the nearest place."""
    if digits is not None and len(digits) >= _LEAST_DIGITS:
        same = [one for one in chunks if one.text_hash.hex().startswith(digits)]
        if same:
            best = min(same, key=lambda one: abs(one.ordinal - number))
            return address_of(best, path)["id"]
        for one in index.chunks_with_hash(digits):
            notes = index.notes([one.note_id])
            if one.note_id in notes:
                return address_of(one, notes[one.note_id].path)["id"]
    if chunks:
        best = min(chunks, key=lambda one: abs(one.ordinal - number))
        return address_of(best, path)["id"]
    return None
