"""Turns files into what a transaction stores: reads them, and cuts them into chunks."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Sequence

from notewell.errors import ModelError, UnreadableNoteError
from notewell.index.port import Index
from notewell.ingest.kept_titles import cut_as_embedded
from notewell.ingest.plan import NOT_NOTES
from notewell.ingest.sentence_vectors import SentenceVectors
from notewell.sources import Source
from notewell.types import (
    Batch,
    Chunk,
    ChunkRules,
    ChunkSizes,
    CountTokens,
    Embedder,
    FileRef,
    LedgerEntry,
    ManifestEntry,
    Note,
    NotePut,
)
from notewell.types.frozen import frozen
from notewell.vault.chunk import chunk, compared_sentences
from notewell.vault.files import NoteText
from notewell.vault.topic_cuts import TopicRule

_NARROW = re.compile("[\u0000-\u2e7f]+")


@frozen
class Reading:
    """What the notes of one run are read with.

    `between` is called between two notes, and `stop` ends the reading. Without `sentences` notes
    are cut at headings alone. With `retitle` no note keeps a former title.
    """

    source: Source
    index: Index
    rules: ChunkRules
    embedder: Embedder | None
    between: Callable[[], None]
    sentences: SentenceVectors | None = None
    retitle: bool = False


class NoteReader:
    """Reads notes in groups, for one transaction each."""

    def __init__(self, reading: Reading, *, provisional: bool = False) -> None:
        """Notes that are read `provisional`ly stay pending, so that they are read again."""
        self._reading = reading
        self._sizes = chunk_sizes(reading.rules, reading.embedder)
        self._count: CountTokens = (
            reading.embedder.count_tokens if reading.embedder else approximate_tokens
        )
        self._provisional = provisional
        self._sentences = reading.sentences
        self.problem: str | None = None  # why notes could not be cut by topic, for people

    @property
    def by_topic(self) -> bool:
        """Whether notes are cut by topic, as far as the model works."""
        return self._sentences is not None

    def batch(self, group: Sequence[FileRef]) -> Batch | None:
        """What to store of these files; None if it was stopped meanwhile."""
        index = self._reading.index
        removes: list[str] = []
        ledger: list[LedgerEntry] = []
        found: list[tuple[FileRef, NoteText]] = []
        for file in group:
            self._reading.between()
            try:
                found.append((file, self._reading.source.read(file)))
            except UnreadableNoteError as error:
                if error.code != "unreadable":
                    removes.append(file.path)
                if error.code != "vanished":
                    ledger.append(_unreadable(file, error, index))
        if not self._learn([read.note for _, read in found]):
            return None
        before = index.manifest([file.path for file in group])
        puts = []
        for file, read in found:
            self._reading.between()
            puts.append(self._put(file, read, before.get(file.path)))
        if self._provisional:
            ledger += [pending(file, 0, time.time()) for file, _ in found]
        embedder = self._reading.embedder
        return Batch(
            puts=tuple(puts),
            removes=tuple(removes),
            ledger=tuple(ledger),
            model=embedder.key if embedder is not None else None,
        )

    def _learn(self, notes: Sequence[Note]) -> bool:
        """Get the vectors of the notes' sentences; False if it was stopped.

        If the model fails, the notes of this run are cut at headings until it works again.
        """
        if self._sentences is None:
            return True
        try:
            return self._sentences.learn(
                text for note in notes for text in compared_sentences(note)
            )
        except ModelError as error:
            self.problem = error.message
            self._sentences = None
            self._provisional = True
            return True

    def _put(self, file: FileRef, read: NoteText, before: ManifestEntry | None) -> NotePut:
        known = None if self._reading.retitle else before
        titled = cut_as_embedded(
            read.note, read.content_hash, known, self._cut, self._hashes_before
        )
        return NotePut(
            note=read.note,
            chunks=titled.chunks,
            size=file.size,
            mtime_ns=file.mtime_ns,
            content_hash=read.content_hash,
            kept_title=titled.kept_title,
        )

    def _cut(self, note: Note, title: str | None) -> tuple[Chunk, ...]:
        topics = None
        if self._sentences is not None:
            topics = TopicRule(self._sentences.likeness, self._reading.rules.percentile)
        return chunk(note, count_tokens=self._count, sizes=self._sizes, title=title, topics=topics)

    def _hashes_before(self, note_id: int) -> frozenset[bytes]:
        return frozenset(each.text_hash for each in self._reading.index.chunks_of(note_id))


def approximate_tokens(text: str) -> int:
    """Estimate the tokens of `text` without a tokenizer: four characters each.

    A character above U+2E80 (where the scripts without spaces begin) counts as one.
    """
    wide = 0 if text.isascii() else len(_NARROW.sub("", text))
    return wide + (len(text) - wide + 3) // 4


def chunk_sizes(rules: ChunkRules, embedder: Embedder | None) -> ChunkSizes:
    """The sizes of the rules, or else those of the model."""
    base = embedder.sizes if embedder is not None else ChunkSizes()
    return ChunkSizes(
        max_tokens=rules.max_tokens or base.max_tokens,
        min_tokens=base.min_tokens if rules.min_tokens is None else rules.min_tokens,
        overlap_tokens=base.overlap_tokens
        if rules.overlap_tokens is None
        else rules.overlap_tokens,
    )


def pending(file: FileRef, attempts: int, now: float) -> LedgerEntry:
    """The ledger entry of a file that is still to be read."""
    return LedgerEntry(
        path=file.path,
        state="pending",
        attempts=attempts,
        size=file.size,
        mtime_ns=file.mtime_ns,
        updated=now,
    )


def _unreadable(file: FileRef, error: UnreadableNoteError, index: Index) -> LedgerEntry:
    excluded = error.code in NOT_NOTES
    before = index.ledger(path=file.path)
    return LedgerEntry(
        path=file.path,
        state="excluded" if excluded else "failed",
        rule=error.code if excluded else None,
        reason=error.message,
        attempts=0 if excluded else (before[0].attempts if before else 0) + 1,
        size=file.size,
        mtime_ns=file.mtime_ns,
        updated=time.time(),
    )
