"""The second pass of a run: embeds all texts without a vector, newest notes first."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby

import numpy as np

from notewell.base.errors import ModelError
from notewell.base.types import (
    Batch,
    EmbeddedPiece,
    Embedder,
    EmbedsInPieces,
    EmbedsWindows,
    FloatArray,
    LedgerEntry,
    PendingText,
    Progress,
    VectorPut,
)
from notewell.base.types.frozen import frozen
from notewell.engine.ingest.model_work import add_model_work
from notewell.engine.ingest.windows import embed_in_windows
from notewell.index.port import Index

# Texts fetched at once, and texts embedded and committed at once. The second is the most work that
# a killed process loses; the first keeps the number of database queries low.
WINDOW = 1024
COMMIT = 64


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
                for some, bad in _embed(index, embedder, part):
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


def _embed(
    index: Index, embedder: Embedder, texts: Sequence[PendingText]
) -> Iterator[tuple[int, list[PendingText]]]:
    """Embed `texts` and store their vectors as they arrive.

    Gives how many of them were answered, and those of them without a usable vector.
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
    """Which of the vectors can be stored."""
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
