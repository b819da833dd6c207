"""The write path: reads notes, splits them into chunks, stores them and embeds the chunks.

A run has two passes. The first makes every note searchable by keyword, newest first and files that
take longer last; the second
computes the vectors of the chunks. A note is replaced in one transaction, so that a search always
sees one of its committed states.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import PurePosixPath
from typing import TypeGuard

from notewell.base.errors import ModelError, UnreadableNoteError
from notewell.base.types import (
    Batch,
    Embedder,
    FileRef,
    LedgerEntry,
    ModelKey,
    NoteMove,
    Progress,
    Settings,
    WalkWarning,
)
from notewell.base.types.frozen import frozen
from notewell.engine.ingest.approximate import ApproximateVectors, FitPassages
from notewell.engine.ingest.borrowed_vectors import Lend, borrow_vectors
from notewell.engine.ingest.embed import (
    Embedded,
    SentenceVectors,
    add_model_work,
    embed_pending,
)
from notewell.engine.ingest.note_reader import NoteReader, Reading, chunk_sizes, pending
from notewell.engine.ingest.plan import (
    FEW,
    Plan,
    check_not_replaced,
    cost,
    held_removal,
    plan_changes,
)
from notewell.engine.ingest.queue import Work
from notewell.engine.ingest.signals import Signals
from notewell.index.port import Index
from notewell.vault.paths import DOCUMENTS
from notewell.vault.read_notes import is_ordinary
from notewell.vault.readers.process import seconds_for
from notewell.vault.sources import Source

# A batch is committed when it has this many notes or this much text. The first one is small, so
# that a first note is soon found; later ones are large, to spend little time on commits.
FIRST_NOTES = 32
BATCH_NOTES = 256
BATCH_BYTES = 4_000_000

# Raised when notes would be parsed or chunked differently than before.
FORMAT = 5

_FINGERPRINT = "fingerprint"
_FIRST_TYPES = (".md",)  # those of an index whose fingerprint names none


@frozen
class RunTotals:
    """Counts of a run. `guarded` notes are missing and stay indexed until a person confirms."""

    read: int = 0
    embedded: int = 0
    reused: int = 0
    removed: int = 0
    guarded: int = 0
    finished: bool = True  # False if the run was stopped before its work was done
    problem: str | None = None  # why passages could not be embedded, for people
    warnings: tuple[WalkWarning, ...] = ()

    def then(self, after: RunTotals) -> RunTotals:
        """The totals of this run and a later one; the other fields are those of the later one."""
        return replace(
            after,
            read=self.read + after.read,
            embedded=self.embedded + after.embedded,
            reused=self.reused + after.reused,
            removed=self.removed + after.removed,
        )


class Indexer:
    """Brings one index in step with one source of notes. Used by one thread at a time."""

    def __init__(
        self,
        source: Source,
        index: Index,
        settings: Settings,
        lend: Lend | None = None,
        fit_passages: FitPassages | None = None,
    ) -> None:
        """`settings` are those of this vault.

        `fit_passages` is what gives approximate vectors. `lend` opens another index of the same
        vault, from which this one is derived: vectors are taken from there, and notes that are
        gone leave this one without a question.
        """
        self._lend = lend
        self._source = source
        self._index = index
        self._settings = settings
        self._approximate = ApproximateVectors(index, fit_passages)

    def run(self, work: Work, embedder: Embedder | None, signals: Signals) -> RunTotals:
        """Do both passes; without an embedder only the first.

        Committed notes stay when `signals` end it; the ledger lists the rest as pending.
        """
        signals.progress(Progress("scan", 0, 0))
        if self._lend is not None:
            work = replace(work, confirm_removals=True)
        fingerprint = self._fingerprint(embedder)
        rebuilt = not work.paths and self._index.meta(_FINGERPRINT) != fingerprint
        plan, warnings = self._plan(replace(work, full=work.full or rebuilt))
        self._open(plan, embedder.key if embedder is not None else None, signals)
        if rebuilt:
            # From here on every note that has to be read again is `pending` in the ledger.
            self._index.set_meta(_FINGERPRINT, fingerprint)
        stop = signals.stop if work.paths else signals.stop_or_give_way
        # A rebuild, which nobody asked for, embeds nothing that was embedded.
        retitle = work.full or work.retitle
        reads = replace(signals, stop=stop)
        totals = self._first_pass(plan, embedder, reads, retitle=retitle)
        if embedder is not None and self._index.meta(_FINGERPRINT) != fingerprint:
            # The chunks are those of another model; a waiting full run will make new ones first.
            totals = replace(totals, finished=False)
        elif embedder is not None:
            totals = self._second_pass(totals, embedder, signals)
        signals.progress(Progress("done", totals.read, totals.read))
        return replace(totals, warnings=warnings)

    def _fingerprint(self, embedder: Embedder | None) -> str:
        rules = self._settings.chunking
        sizes = chunk_sizes(rules, embedder)
        model = embedder.key.name if embedder is not None else "none"
        cut = f"{FORMAT}:{model}:{sizes.max_tokens}:{sizes.min_tokens}:{sizes.overlap_tokens}"
        if self._cuts_by_topic(embedder):
            cut += f":{rules.method}:{rules.percentile}:{embedder.key}"
        cut += ":ocr" if self._settings.vault.ocr else ""
        types = self._source.types  # they decide which Markdown links lead to notes
        return cut if types == _FIRST_TYPES else f"{cut}:{','.join(sorted(types))}"

    def _cuts_by_topic(self, embedder: Embedder | None) -> TypeGuard[Embedder]:
        """True if sentences are compared, which needs a model."""
        return embedder is not None and self._settings.chunking.method == "semantic"

    def _plan(self, work: Work) -> tuple[Plan, tuple[WalkWarning, ...]]:
        plan, warnings = self._compare(work)
        if work.paths and not work.confirm_removals and self._may_be_more(plan):
            # Only a look at the whole vault tells how many notes are gone.
            whole, warnings = self._compare(Work())
            held = frozenset(whole.guarded)
            removes = tuple(path for path in plan.removes if path not in held)
            plan = replace(plan, removes=removes, guarded=whole.guarded)
        return plan, warnings

    def _may_be_more(self, plan: Plan) -> bool:
        """True if the missing notes of some paths may be part of a removal that is to be held."""
        if not plan.removes and not plan.guarded:
            return False
        many = len(plan.removes) > FEW
        return many or bool(plan.guarded) or held_removal(self._index) is not None

    def _compare(self, work: Work) -> tuple[Plan, tuple[WalkWarning, ...]]:
        walk = self._source.list(work.paths)
        within = (*work.paths, *walk.beside)
        entries = self._index.ledger_within(within)
        manifest = self._index.manifest(within)
        plan = plan_changes(
            walk,
            manifest,
            {entry.path: entry for entry in entries},
            full=work.full,
            hash_of=self._hash_of,
            total=self._own_notes if work.paths else None,
            confirm_removals=work.confirm_removals,
            types=self._source.types,
        )
        if not work.paths:
            check_not_replaced(plan, manifest, walk.files, self._source.place)
        return plan, walk.warnings

    def _own_notes(self) -> int:
        """The number of indexed notes, documents outside the vault not counted."""
        return self._index.counts().notes - len(self._index.manifest((DOCUMENTS,)))

    def _hash_of(self, file: FileRef) -> bytes | None:
        try:
            return self._source.content_hash(file)
        except UnreadableNoteError:
            return None

    def _open(self, plan: Plan, model: ModelKey | None, signals: Signals) -> None:
        """Commit changes that need no reading, and mark the notes to read as pending."""
        failed = {entry.path: entry.attempts for entry in self._index.ledger(state="failed")}
        batch = _opening(plan, failed, model)
        if batch.moves or batch.removes or batch.forgets or batch.ledger:
            self._index.apply(batch)
            signals.notes_changed(batch.note_paths)

    def _first_pass(
        self,
        plan: Plan,
        embedder: Embedder | None,
        signals: Signals,
        *,
        retitle: bool,
    ) -> RunTotals:
        """Read and cut the notes.

        To cut them by topic the model reads all of them; so that they can be found before, many
        new notes are first cut at headings.
        """
        to_read = _to_read(plan)
        settings = self._settings.chunking
        seconds = seconds_for(ocr=self._settings.vault.ocr)
        reading = Reading(
            self._source,
            self._index,
            settings,
            embedder,
            signals.between,
            seconds,
            retitle=retitle,
        )
        removed = RunTotals(removed=len(plan.removes), guarded=len(plan.guarded))
        if not self._cuts_by_topic(embedder):
            return self._read(to_read, NoteReader(reading), signals, removed)
        known = self._index.manifest()
        new = [file for file in to_read if file.path not in known]
        if len(new) > FIRST_NOTES:
            first = self._read(new, NoteReader(reading, provisional=True), signals, removed)
            if not first.finished:
                return first
        sentences = SentenceVectors(self._index, embedder, signals.stop)
        reader = NoteReader(replace(reading, sentences=sentences))
        return self._read(to_read, reader, signals, removed)

    def _read(
        self, to_read: Sequence[FileRef], reader: NoteReader, signals: Signals, totals: RunTotals
    ) -> RunTotals:
        """Read the notes group by group; adds what was done to `totals`."""
        done = reused = 0
        while done < len(to_read) and not signals.stop():
            signals.progress(Progress("read", done, len(to_read), to_read[done].path))
            # Sentences take the model's time, and progress is told between two groups.
            few = not done or reader.by_topic
            read = reader.group(_group(to_read, done, FIRST_NOTES if few else BATCH_NOTES))
            if read is None:
                break
            newly_reused = self._index.apply(read.batch, between_notes=signals.between).reused
            signals.notes_changed(read.batch.note_paths)
            add_model_work(self._index, reused=newly_reused)
            reused += newly_reused
            done += read.count
        signals.progress(Progress("read", done, len(to_read)))
        finished = done == len(to_read)
        return replace(totals, read=done, reused=reused, finished=finished, problem=reader.problem)

    def _second_pass(self, totals: RunTotals, embedder: Embedder, signals: Signals) -> RunTotals:
        if self._lend is not None:
            add_model_work(
                self._index, reused=borrow_vectors(self._index, embedder.key, self._lend)
            )
        done = self._embed(embedder, signals)
        if done.finished and totals.finished:
            self._approximate.end()
        return replace(
            totals,
            embedded=done.embedded,
            finished=totals.finished and (done.finished or done.problem is not None),
            problem=totals.problem or done.problem,
        )

    def _embed(self, embedder: Embedder, signals: Signals) -> Embedded:
        try:
            if not self._approximate.cover(embedder, signals):
                return Embedded(0, 0, finished=False)
        except ModelError as error:
            return Embedded(0, 0, finished=False, problem=error.message)
        return embed_pending(
            self._index,
            embedder,
            progress=signals.progress,
            stop=signals.stop_or_give_way,
            vectors_stored=signals.vectors_stored,
        )


def _opening(plan: Plan, attempts: Mapping[str, int], model: ModelKey | None) -> Batch:
    """The first transaction: moves, removals and exclusions, and the notes to read as pending."""
    now = time.time()
    excluded = (
        LedgerEntry(
            path=item.file.path,
            state="excluded",
            rule=item.rule,
            reason=item.reason,
            size=item.file.size,
            mtime_ns=item.file.mtime_ns,
            updated=now,
        )
        for item in plan.excluded
    )
    return Batch(
        moves=tuple(
            NoteMove(move.entry.path, move.file.path, move.file.size, move.file.mtime_ns)
            for move in plan.moves
        ),
        removes=plan.removes,
        forgets=plan.forgets,
        ledger=(
            *excluded,
            *(replace(entry, updated=now) for entry in plan.told),
            *(pending(file, attempts.get(file.path, 0), now) for file in _to_read(plan)),
        ),
        model=model,
    )


def _to_read(plan: Plan) -> tuple[FileRef, ...]:
    """The files to read, without duplicates: those that take longer come later."""
    # Where the file name changed, the title may have: the note is read again.
    renamed = (
        move.file
        for move in plan.moves
        if PurePosixPath(move.entry.path).name != PurePosixPath(move.file.path).name
    )
    files = {file.path: file for file in (*renamed, *plan.read)}.values()
    return tuple(sorted(files, key=cost))


def _group(files: Sequence[FileRef], start: int, most: int) -> Sequence[FileRef]:
    """The next files from `start`. Those that are read in a moment wait for no others."""
    size, end, ordinary = 0, start, is_ordinary(files[start])
    for file in files[start : start + most]:
        if size >= BATCH_BYTES or is_ordinary(file) != ordinary:
            break
        size += file.size
        end += 1
    return files[start:end]
