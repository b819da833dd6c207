"""Takes vectors from another index of the same vault, instead of computing them again."""

from __future__ import annotations

import logging
from collections.abc import Callable
from contextlib import closing
from typing import TypeAlias

from notewell.base.errors import NotewellError
from notewell.base.types import ModelKey, VectorPut
from notewell.engine.ingest.embed import WINDOW, unpack_vector
from notewell.index.port import Index, IndexReader

Lend: TypeAlias = "Callable[[], closing[IndexReader]]"

_FEWEST = 64  # texts without a vector; fewer are computed sooner than another index is opened
log = logging.getLogger(__name__)


def borrow_vectors(index: Index, model: ModelKey, lend: Lend) -> int:
    """Store the vectors that the other index has of texts that wait; returns how many."""
    first = index.pending_texts(model, _FEWEST)
    if len(first) < _FEWEST:
        return 0
    try:
        with lend() as other:
            return _take(index, model, other)
    except NotewellError as error:
        log.debug("no vectors are taken from the other index: %s", error.message)
        return 0


def _take(index: Index, model: ModelKey, other: IndexReader) -> int:
    taken = 0
    missing: set[bytes] = set()
    while texts := index.pending_texts(model, WINDOW, skip=missing):
        stored = other.stored_vectors(model, [text.text_hash for text in texts])
        puts = [VectorPut(text_hash, unpack_vector(vector)) for text_hash, vector in stored.items()]
        index.store_vectors(model, puts)
        taken += len(puts)
        missing.update(text.text_hash for text in texts if text.text_hash not in stored)
    return taken
