"""Turns files into what a transaction stores: reads them, and cuts them into chunks."""

from __future__ import annotations

import logging
import re
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import suppress
from functools import partial
from typing import TypeVar

from notewell.base.errors import ModelError, NotewellError, UnreadableNoteError
from notewell.base.support.logs import AboutFiles
from notewell.base.types import (
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
from notewell.base.types.frozen import frozen
from notewell.engine.ingest.embed import SentenceVectors
from notewell.engine.ingest.plan import NOT_NOTES
from notewell.index.port import Index
from notewell.vault.chunk import chunk
from notewell.vault.copied_passages import with_copies
from notewell.vault.read_notes import HashedNote
from notewell.vault.readers.process import TOO_SLOW, too_slow
from notewell.vault.sources import Source
from notewell.vault.topic_cuts import TopicCuts, compared_sentences

T = TypeVar("T")
log = logging.getLogger(__name__)
# What was read until then is committed.
_LONGEST_GROUP_S = 5.0
# What the index has of a file is kept where only this try failed.
_STAYS = frozenset({"unreadable", TOO_SLOW})
_NARROW = re.compile("[\u0000-\u2e7f]+")


@frozen
class Reading:
    """The source, the index, the rules and the model with which a run reads notes.

    `between` is called between two notes, and `seconds` is how long one file may take to be read
    and cut. Without `sentences` notes are cut at headings alone. With `retitle` no note keeps a
    former title.
    """

    source: Source
    index: Index
    rules: ChunkRules
    embedder: Embedder | None
    between: Callable[[], None]
    seconds: float
    sentences: SentenceVectors | None = None
    retitle: bool = False


@frozen
class ReadGroup:
    """The batch to store for the first `count` files of a group."""

    batch: Batch
    count: int


@frozen
class _Found:
    """A file as it was read, and how long that took."""

    file: FileRef
    read: HashedNote
    copies: tuple[Note, ...]  # its conflict copies that can be read
    seconds: float


class NoteReader:
    """Reads notes in groups, for one transaction each."""

    def __init__(self, reading: Reading, *, provisional: bool = False) -> None:
        """Notes that are read `provisional`ly stay pending, so that they are read again."""
        self._reading = reading
        self._sizes = chunk_sizes(reading.rules, reading.embedder)
        self._count = token_counter(reading.embedder)
        self._provisional = provisional
        self._sentences = reading.sentences
        self.problem: str | None = None  # why notes could not be cut by topic, for people

    @property
    def by_topic(self) -> bool:
        """True if notes are cut by topic, as far as the model works."""
        return self._sentences is not None

    def group(self, files: Sequence[FileRef]) -> ReadGroup | None:
        """Read files until that has taken a while; None if it was stopped meanwhile."""
        notes_read: list[_Found] = []
        unread: list[tuple[FileRef, UnreadableNoteError]] = []
        began = time.monotonic()
        for file in files:
            if (notes_read or unread) and time.monotonic() - began > _LONGEST_GROUP_S:
                break  # what was read is not to wait for the next slow file
            self._reading.between()
            start = time.monotonic()
            try:
                read = _try_read(file, partial(self._reading.source.read, file))
                copies = tuple(self._copies(file))
                notes_read.append(_Found(file, read, copies, time.monotonic() - start))
            except UnreadableNoteError as error:
                unread.append((file, error))
        count = len(notes_read) + len(unread)
        if not self._learn(
            [note for pass_ in notes_read for note in (pass_.read.note, *pass_.copies)]
        ):
            return None
        puts, too_slow = self._cut_all(notes_read)
        return ReadGroup(self._batch(puts, [*unread, *too_slow]), count)

    def _copies(self, file: FileRef) -> Iterator[Note]:
        for copy in file.copies:
            with suppress(UnreadableNoteError):
                yield _try_read(copy, partial(self._reading.source.read, copy)).note

    def _cut_all(
        self, notes: Sequence[_Found]
    ) -> tuple[list[NotePut], list[tuple[FileRef, UnreadableNoteError]]]:
        """The notes in passages, and the files that take too long to be cut."""
        before = self._reading.index.manifest([pass_.file.path for pass_ in notes])
        puts, too_slow = [], []
        for pass_ in notes:
            self._reading.between()
            try:
                put = partial(self._put, pass_, before.get(pass_.file.path))
                puts.append(_try_read(pass_.file, put))
            except UnreadableNoteError as error:
                too_slow.append((pass_.file, error))
        return puts, too_slow

    def _batch(
        self, puts: Sequence[NotePut], unread: Sequence[tuple[FileRef, UnreadableNoteError]]
    ) -> Batch:
        index = self._reading.index
        ledger = [
            _unreadable(file, error, index) for file, error in unread if error.code != "vanished"
        ]
        if self._provisional:
            now = time.time()
            # They are stored, and are to be read again.
            ledger += [
                LedgerEntry(
                    put.note.path, "pending", size=put.size, mtime_ns=put.mtime_ns, updated=now
                )
                for put in puts
            ]
        embedder = self._reading.embedder
        return Batch(
            puts=tuple(puts),
            removes=tuple(file.path for file, error in unread if error.code not in _STAYS),
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

    def _put(self, note_read: _Found, before: ManifestEntry | None) -> NotePut:
        file, read = note_read.file, note_read.read
        known = None if self._reading.retitle else before
        cut = partial(self._cut, self._limited_counter(note_read), note_read.copies)
        titled = cut_as_embedded(read.note, read.content_hash, known, cut, self._hashes_before)
        return NotePut(
            note=read.note,
            chunks=titled.chunks,
            size=file.size,
            mtime_ns=file.mtime_ns,
            content_hash=read.content_hash,
            kept_title=titled.kept_title,
        )

    def _limited_counter(self, read: _Found) -> CountTokens:
        """Counts tokens, as every step of cutting does, until the file's time is over."""
        until = time.monotonic() + self._reading.seconds - read.seconds

        def count(text: str) -> int:
            if time.monotonic() > until:
                raise too_slow(read.file.path, self._reading.seconds)
            return self._count(text)

        return count

    def _cut(
        self, count: CountTokens, copies: Sequence[Note], note: Note, title: str | None
    ) -> tuple[Chunk, ...]:
        cuts = None
        if self._sentences is not None:
            cuts = TopicCuts(self._sentences.likeness, self._reading.rules.percentile)
        cut = partial(chunk, count_tokens=count, sizes=self._sizes, title=title, cut_sections=cuts)
        return with_copies(cut(note), note, copies, cut) if copies else cut(note)

    def _hashes_before(self, note_id: int) -> frozenset[bytes]:
        return frozenset(passage.text_hash for passage in self._reading.index.chunks_of(note_id))


# The chunks of a note with a title in their headers; None: with the note's own.
Cut = Callable[[Note, str | None], tuple[Chunk, ...]]


@frozen
class TitledChunks:
    """The chunks of a note, and the former title in their headers, if it is not the note's."""

    chunks: tuple[Chunk, ...]
    kept_title: str | None


def cut_as_embedded(
    note: Note,
    content_hash: bytes,
    before: ManifestEntry | None,
    cut: Cut,
    hashes_before: Callable[[int], Collection[bytes]],
) -> TitledChunks:
    """Cut a note with the title that its passages were embedded with, where that is of use.

    The header of every passage has the note's title, which is the file's name unless the properties
    state one. If a new name went into the headers, each rename would send the whole note to the
    model again. So a renamed note keeps the title that its passages were embedded with, until an
    edit leaves none of these passages unchanged: then nothing is lost by using the present one.
    Search by keyword and by name always uses the present title. Until then the meaning of its
    passages differs from what a new index has, so `status` counts such notes, and a full run that
    somebody asked for embeds them with their present titles.

    `before` is the note's state in the index, if its former title may be kept; `hashes_before`
    returns the hashes of the embedded texts of a note by its id.
    """
    if before is None:
        return TitledChunks(cut(note, None), None)
    renamed = before.content_hash == content_hash
    if not renamed and (before.kept_title is None or note.title != before.title):
        return TitledChunks(cut(note, None), None)
    embedded = before.title if before.kept_title is None else before.kept_title
    if embedded == note.title:
        return TitledChunks(cut(note, None), None)
    chunks = cut(note, embedded)
    if not chunks:
        return TitledChunks((), None)
    if not renamed:
        known = hashes_before(before.note_id)
        if not any(chunk.text_hash in known for chunk in chunks):
            return TitledChunks(cut(note, None), None)
    return TitledChunks(chunks, embedded)


def approximate_tokens(text: str) -> int:
    """Estimate the tokens of `text` without a tokenizer: four characters each.

    A character above U+2E80 (where the scripts without spaces begin) counts as one.
    """
    wide = 0 if text.isascii() else len(_NARROW.sub("", text))
    return wide + (len(text) - wide + 3) // 4


def token_counter(embedder: Embedder | None) -> CountTokens:
    """The token counter with which notes are cut: that of the model, or an estimate."""
    return approximate_tokens if embedder is None else embedder.count_tokens


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


def _try_read(file: FileRef, step: Callable[[], T]) -> T:
    """Do a step of one file: an error that nobody foresaw is that file's alone."""
    try:
        return step()
    except NotewellError:
        raise
    except Exception as error:
        log.exception("%s is unread", AboutFiles(file.path))
        why = f"its reader failed unexpectedly ({type(error).__name__})"
        raise UnreadableNoteError(f"{file.path} is unread: {why}.", code="unreadable") from error


def _unreadable(file: FileRef, error: UnreadableNoteError, index: Index) -> LedgerEntry:
    excluded = error.code in NOT_NOTES
    before = index.ledger(path=file.path)
    return LedgerEntry(
        path=file.path,
        state="excluded" if excluded else "failed",
        rule=error.code if excluded or error.code == TOO_SLOW else None,
        reason=error.message,
        attempts=0 if excluded else (before[0].attempts if before else 0) + 1,
        size=file.size,
        mtime_ns=file.mtime_ns,
        updated=time.time(),
    )
