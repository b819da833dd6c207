"""The second pass of a run: embeds all texts without a vector, newest notes first."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from notewell.errors import ModelError
from notewell.index.port import Index
from notewell.ingest.model_work import add_model_work
from notewell.types import (
    Batch,
    Embedder,
    FloatArray,
    LedgerEntry,
    PendingText,
    Progress,
    VectorPut,
)

# Texts fetched at once, and texts embedded and committed at once. The second is the most work that
# a killed process loses; the first keeps the number of database queries low.
WINDOW = 1024
COMMIT = 64


@dataclass(frozen=True, slots=True)
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
    done, total = 0, 0
    refused: set[bytes] = set()
    while window := index.pending_texts(embedder.key, WINDOW, skip=refused):
        # Counting reads every passage of the vault, so it is skipped if one window is enough.
        last = len(window) < WINDOW
        if total == 0:
            total = len(window) if last else index.pending_count(embedder.key)
        for part in _parts(window):
            if stop():
                return Embedded(done, len(refused), finished=False)
            progress(Progress("embed", done, max(total, done), part[0].path))
            try:
                bad = _embed(index, embedder, part)
            except ModelError as error:
                return Embedded(done, len(refused), finished=False, problem=error.message)
            refused.update(text.text_hash for text in bad)
            done += len(part) - len(bad)
        vectors_stored()
        progress(Progress("embed", done, max(total, done)))
        if last:
            break
    return Embedded(done, len(refused), finished=True)


def _parts(window: Sequence[PendingText]) -> list[Sequence[PendingText]]:
    return [window[at : at + COMMIT] for at in range(0, len(window), COMMIT)]


def _embed(index: Index, embedder: Embedder, texts: Sequence[PendingText]) -> list[PendingText]:
    """Embed `texts` and store their vectors; returns the texts without a usable vector."""
    began = time.monotonic()
    vectors = embedder.embed_passages([text.text for text in texts])
    seconds = time.monotonic() - began
    usable = _usable(vectors, embedder.dimensions)
    index.store_vectors(
        embedder.key,
        [
            VectorPut(text.text_hash, vector)
            for text, vector, good in zip(texts, vectors, usable, strict=True)
            if good
        ],
    )
    add_model_work(index, embedded=sum(usable), seconds=seconds)
    bad = [text for text, good in zip(texts, usable, strict=True) if not good]
    if bad:
        index.apply(Batch(ledger=_failures(index, bad), model=embedder.key))
    return bad


def _usable(vectors: FloatArray, dimensions: int) -> list[bool]:
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
