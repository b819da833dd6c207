"""Embeds texts that have no vector: passages, windows of passages, and sentences.

The second pass of a run embeds passages, newest notes first. A model that reads windows gets
neighbouring passages of a note together: as many as fit it, below the note's title and their
headings; a passage that fits with no neighbour is read alone. Windows are counted from the note's
beginning, so they depend on the note alone.

Notes that are cut by topic need vectors of their sentences before. Each is embedded once: it is
stored with those of the passages, by the hash of its text, so an edit costs the changed sentences,
and a new index of the same notes costs none. Vectors are compared as they are stored, so that a
new index cuts a note where the old one did.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from itertools import groupby

import numpy as np

from notewell.base.errors import ModelError
from notewell.base.types import (
    Batch,
    CountTokens,
    EmbeddedPiece,
    Embedder,
    EmbedsInPieces,
    EmbedsWindows,
    FloatArray,
    LedgerEntry,
    PendingText,
    Progress,
    StoredChunk,
    VectorPut,
    Window,
)
from notewell.base.types.frozen import frozen
from notewell.index.port import Index, IndexReader
from notewell.vault.chunk import embed_hash

# Texts fetched at once, and texts embedded and committed at once. The second is the most work that
# a killed process loses; the first keeps the number of database queries low.
WINDOW = 1024
COMMIT = 64
_MARGIN = 4  # tokens; a joined text may have more than its parts
_DIGITS = 4  # of a likeness; more are noise of the vectors' 16 bits
_STORED = "model_work"


@frozen
class Embedded:
    """The result of a pass: texts embedded, and texts for which the model gave no usable vector.

    `problem` is the reason, for people, why the model failed; the remaining texts wait.
    """

    embedded: int
    refused: int
    finished: bool
    problem: str | None = None


def embed_pending(
    index: Index,
    embedder: Embedder,
    *,
    progress: Callable[[Progress], None],
    stop: Callable[[], bool],
    vectors_stored: Callable[[], None] = lambda: None,
) -> Embedded:
    """Embed all texts without a vector, until done, `stop()` or a failing model.

    A text whose vector is not finite makes its note `failed` and is left out; the rest goes on.
    `vectors_stored` is called after each window of new vectors.
    """
    size = embedder.at_once if isinstance(embedder, EmbedsInPieces) else COMMIT
    done, total = 0, 0
    refused: set[bytes] = set()
    while window := index.pending_texts(embedder.key, WINDOW, skip=refused):
        # Counting reads every passage of the vault, so it is skipped if one window is enough.
        last = len(window) < WINDOW
        if total == 0:
            total = len(window) if last else index.pending_count(embedder.key)
        for part in _parts(window, size):
            if stop():
                return Embedded(done, len(refused), finished=False)
            progress(Progress("embed", done, max(total, done), part[0].path))
            try:
                for some, bad in embed_texts(index, embedder, part):
                    refused.update(text.text_hash for text in bad)
                    done += some - len(bad)
            except ModelError as error:
                return Embedded(done, len(refused), finished=False, problem=error.message)
        vectors_stored()
        progress(Progress("embed", done, max(total, done)))
        if last:
            break
    return Embedded(done, len(refused), finished=True)


def _parts(window: Sequence[PendingText], size: int) -> list[Sequence[PendingText]]:
    """The texts in parts of about `size`, in which the passages of a note stay together."""
    parts: list[list[PendingText]] = []
    for _, group in groupby(window, key=lambda text: text.path):
        note = list(group)
        if not parts or (parts[-1] and len(parts[-1]) + len(note) > size):
            parts.append([])
        parts[-1] += note
    return [part[at : at + size] for part in parts for at in range(0, len(part), size)]


def embed_texts(
    index: Index, embedder: Embedder, texts: Sequence[PendingText]
) -> Iterator[tuple[int, list[PendingText]]]:
    """Embed `texts` and store their vectors as they arrive.

    Gives how many of them were answered, and those of them without a usable vector.

    Raises:
        ModelError: the model fails; what it gave before is stored.

    """
    began = time.monotonic()
    for piece in _passage_pieces(index, embedder, texts):
        some = [texts[row] for row in piece.rows]
        ended = time.monotonic()
        yield len(some), _store(index, embedder, some, piece.vectors, ended - began)
        began = ended


def _passage_pieces(
    index: Index, embedder: Embedder, texts: Sequence[PendingText]
) -> Iterable[EmbeddedPiece]:
    if isinstance(embedder, EmbedsWindows) and embedder.window_tokens:
        return embed_in_windows(index, embedder, texts)
    return pieces(embedder, [text.text for text in texts], [text.path for text in texts])


def pieces(
    embedder: Embedder, texts: Sequence[str], documents: Sequence[str]
) -> Iterable[EmbeddedPiece]:
    """The vectors of `texts` as they arrive; `documents` names the note of each."""
    if isinstance(embedder, EmbedsInPieces):
        return embedder.embed_pieces(texts, documents)
    return [EmbeddedPiece(tuple(range(len(texts))), embedder.embed_passages(texts))]


def _store(
    index: Index,
    embedder: Embedder,
    texts: Sequence[PendingText],
    vectors: FloatArray,
    seconds: float,
) -> list[PendingText]:
    """Store the usable vectors; returns the texts without one."""
    good_rows = usable(vectors, embedder.dimensions)
    index.store_vectors(
        embedder.key,
        [
            VectorPut(text.text_hash, vector)
            for text, vector, good in zip(texts, vectors, good_rows, strict=True)
            if good
        ],
    )
    add_model_work(index, embedded=sum(good_rows), seconds=seconds)
    bad = [text for text, good in zip(texts, good_rows, strict=True) if not good]
    if bad:
        index.apply(Batch(ledger=_failures(index, bad), model=embedder.key))
    return bad


def usable(vectors: FloatArray, dimensions: int) -> list[bool]:
    """A mask of the vectors that can be stored."""
    if vectors.shape[1:] != (dimensions,):
        return [False] * len(vectors)
    return [bool(np.isfinite(vector).all()) for vector in vectors]


def _failures(index: Index, bad: Sequence[PendingText]) -> tuple[LedgerEntry, ...]:
    entries = {}
    for text in bad:
        for entry in index.ledger(path=text.path):
            entries[text.path] = LedgerEntry(
                path=text.path,
                state="failed",
                reason="the model gave no usable vector for a passage; keyword search still finds "
                "the note. Change the passage or run a full reindex to try again",
                warnings=entry.warnings,
                attempts=entry.attempts + 1,
                size=entry.size,
                mtime_ns=entry.mtime_ns,
            )
    return tuple(entries.values())


@dataclass(slots=True)
class _FilledWindow:
    """A window that is being filled: its text, its passages and their chunks."""

    title: str
    text: str
    tokens: int
    headings: tuple[str, ...] = ()
    heading: tuple[int, int] = (0, 0)
    passages: list[tuple[tuple[int, int], ...]] = field(default_factory=list)
    chunks: list[StoredChunk] = field(default_factory=list)

    def add(self, chunk: StoredChunk, line: str, tokens: int) -> None:
        """Add a passage; `line` has its headings, "" if they are those of the one before."""
        title = (0, len(self.title))
        if line:
            self.heading = (len(self.text) + 1, len(self.text) + 1 + len(line))
            self.text = f"{self.text}\n{line}"
        start = len(self.text) + 1
        self.text = f"{self.text}\n{chunk.text}"
        self.passages.append((title, self.heading, (start, len(self.text))))
        self.headings = chunk.headings
        self.chunks.append(chunk)
        self.tokens += tokens


def windows_of(
    title: str, chunks: Sequence[StoredChunk], *, count: CountTokens, limit: int
) -> Iterator[tuple[tuple[StoredChunk, ...], Window]]:
    """The windows of a note of at most `limit` tokens, each with its chunks, two at least."""
    title = " ".join(title.split())
    begun = count(title) + _MARGIN
    current = _FilledWindow(title, title, begun)
    for chunk in chunks:
        line = _line(chunk, title) if chunk.headings != current.headings else ""
        tokens = count(line) + count(chunk.text) + 2
        if current.chunks and current.tokens + tokens > limit:
            yield from _close_window(current)
            current = _FilledWindow(title, title, begun)
            line = _line(chunk, title)
            tokens = count(line) + count(chunk.text) + 2
        current.add(chunk, line, tokens)
    yield from _close_window(current)


def embed_in_windows(
    index: Index, embedder: EmbedsWindows, texts: Sequence[PendingText]
) -> Iterator[EmbeddedPiece]:
    """The vectors of `texts`, each read together with its neighbours in its note."""
    rows = {text.text_hash: row for row, text in enumerate(texts)}
    windows: list[Window] = []
    owners: list[list[int | None]] = []
    for path in dict.fromkeys(text.path for text in texts):
        note = index.note_at(path)
        if note is None:
            continue
        note_windows = windows_of(
            note.title,
            index.chunks_of(note.id),
            count=embedder.count_tokens,
            limit=embedder.window_tokens,
        )
        for chunks, window in note_windows:
            wanted = [rows.pop(chunk.text_hash, None) for chunk in chunks]
            if any(row is not None for row in wanted):
                windows.append(window)
                owners.append(wanted)
    for row in rows.values():
        text = texts[row].text
        windows.append(Window(text, (((0, len(text)),),)))
        owners.append([row])
    for wanted, vectors in zip(owners, embedder.embed_windows(windows), strict=True):
        places = [place for place, row in enumerate(wanted) if row is not None]
        yield EmbeddedPiece(tuple(row for row in wanted if row is not None), vectors[places])


def _close_window(window: _FilledWindow) -> Iterator[tuple[tuple[StoredChunk, ...], Window]]:
    if len(window.chunks) > 1:
        yield tuple(window.chunks), Window(window.text, tuple(window.passages))


def _line(chunk: StoredChunk, title: str) -> str:
    headings = [" ".join(text.split()) for text in chunk.headings]
    return " > ".join(text for text in headings if text and text != title)


class SentenceVectors:
    """Compares sentences by their vectors. Used by one thread at a time."""

    def __init__(self, index: Index, embedder: Embedder, stop: Callable[[], bool]) -> None:
        """Nothing is known yet; `stop` ends learning between two batches."""
        self._index = index
        self._embedder = embedder
        self._stop = stop
        self._known: dict[bytes, FloatArray] = {}

    def learn(self, texts: Iterable[str]) -> bool:
        """Get the vectors of these sentences, and forget all others; False if it was stopped.

        Raises ModelError; what was embedded until then is stored.
        """
        wanted = {embed_hash(text): text for text in texts}
        stored = self._index.stored_vectors(self._embedder.key, wanted)
        self._known = {text_hash: unpack_vector(stored[text_hash]) for text_hash in stored}
        missing = [
            (text_hash, text) for text_hash, text in wanted.items() if text_hash not in stored
        ]
        model = self._embedder
        size = model.at_once if isinstance(model, EmbedsInPieces) else COMMIT
        for start in range(0, len(missing), size):
            if self._stop():
                return False
            self._embed(missing[start : start + size])
        return True

    def likeness(self, texts: Sequence[str]) -> list[float]:
        """See `types.Likeness`; a sentence without a vector counts as like its neighbours."""
        nothing = np.full(self._embedder.dimensions, np.nan, np.float32)
        rows = np.array([self._known.get(embed_hash(text), nothing) for text in texts])
        # Not a product of matrices, whose last digit depends on their shape.
        cosines = (rows[:-1] * rows[1:]).sum(axis=1)
        alike: list[float] = np.nan_to_num(np.round(cosines, _DIGITS), nan=1.0).tolist()
        return alike

    def _embed(self, some: Sequence[tuple[bytes, str]]) -> None:
        began = time.monotonic()
        for piece in pieces(self._embedder, [text for _, text in some], [""] * len(some)):
            good = usable(piece.vectors, self._embedder.dimensions)
            puts = [
                VectorPut(some[row][0], vector)
                for row, vector, is_good in zip(piece.rows, piece.vectors, good, strict=True)
                if is_good
            ]
            self._index.store_vectors(self._embedder.key, puts)
            for put in puts:
                self._known[put.text_hash] = unpack_vector(put.vector.astype(np.float16).tobytes())
            ended = time.monotonic()
            add_model_work(self._index, embedded=len(puts), seconds=ended - began)
            began = ended


def unpack_vector(vector: bytes) -> FloatArray:
    """The numbers of a stored vector, float32."""
    return np.frombuffer(vector, np.float16).astype(np.float32)


@frozen
class ModelWork:
    """Totals over the life of an index.

    `embedded` counts texts sent to the model, `seconds` is the time they took, and `reused` counts
    passages of notes that were read and whose vectors were there already.
    """

    embedded: int = 0
    reused: int = 0
    seconds: float = 0.0

    @property
    def saved_seconds(self) -> float:
        """Seconds that the model would have taken for the reused passages, at its own speed."""
        return self.seconds / self.embedded * self.reused if self.embedded else 0.0


def model_work(index: IndexReader) -> ModelWork:
    """The totals so far."""
    stored = index.meta(_STORED)
    return ModelWork(**json.loads(stored)) if stored else ModelWork()


def add_model_work(
    index: Index, *, embedded: int = 0, reused: int = 0, seconds: float = 0.0
) -> None:
    """Add to the totals."""
    if not embedded and not reused:
        return
    before = model_work(index)
    total = ModelWork(
        before.embedded + embedded, before.reused + reused, round(before.seconds + seconds, 3)
    )
    index.set_meta(_STORED, json.dumps(asdict(total)))
