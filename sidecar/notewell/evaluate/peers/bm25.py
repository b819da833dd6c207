"""The package rank-bm25 as a peer: BM25Okapi with its default parameters over plain words."""

from __future__ import annotations

import re

import numpy as np

from notewell.evaluate.peers.peer import NotePassages, PeerIndexes, PeerKind

_WORD = re.compile(r"\w+")


class RankBm25:
    """BM25 of each passage by rank-bm25; a note has the score of its best passage."""

    def __init__(self, passages: NotePassages) -> None:
        """Count the words of all passages."""
        # The package comes with the extra `compare`, which may not be installed.
        from rank_bm25 import BM25Okapi  # noqa: PLC0415

        self._passages = passages
        words = [words_of(text) for text in passages.texts]
        # rank-bm25 divides by the number of different words.
        self._bm25 = BM25Okapi(words) if any(words) else None

    def rank(self, query: str, limit: int) -> list[str]:
        """See `Peer.rank`. A note without any word of the query (score 0) is not found."""
        if self._bm25 is None:
            return []
        scores = np.asarray(self._bm25.get_scores(words_of(query)), dtype=np.float64)
        # Not `> 0`: words that most passages have may get a negative weight.
        return self._passages.best_notes(np.where(scores == 0, -np.inf, scores), limit)


def words_of(text: str) -> list[str]:
    """Split a text as the users of rank-bm25 do: runs of letters, digits and _, in lower case."""
    return _WORD.findall(text.lower())


def _build(indexes: PeerIndexes) -> RankBm25:
    return RankBm25(indexes.passages)


KIND = PeerKind("rank-bm25", ("rank_bm25",), _build)
