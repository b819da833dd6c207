"""The first results in a new order, by a model that reads the query and each passage together.

What words or meaning put on top is not thrown away: the two orders are blended by rank, the first
one counting double (weighted reciprocal rank fusion with a small k, so that the top counts), and a
result that the time did not suffice for keeps its place.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from notewell.index.port import IndexReader
from notewell.search.rank import RankedNote
from notewell.types import FloatArray, Reranker

HEAD = 20  # results that are read, if the time suffices
K = 2.0
FIRST_WEIGHT = 2.0  # of the order that the search gave, against 1 for the model's


@dataclass(frozen=True, slots=True)
class Reranked:
    """The results in their new order, and how many of them were read."""

    notes: tuple[RankedNote, ...]
    read: int


def rerank(
    index: IndexReader,
    reranker: Reranker,
    query: str,
    ranked: Sequence[RankedNote],
    *,
    budget_s: float,
) -> Reranked:
    """Read the best passage of the first results and blend the orders.

    Scores stay with places, so that the list stays comparable; `scores.rerank` is the model's.

    Raises:
        ModelError: the model fails.

    """
    head = [note for note in ranked[:HEAD] if note.passages]
    notes = index.notes([note.note_id for note in head])
    chunks = index.chunks([note.passages[0][0] for note in head])
    there = [n for n in head if n.note_id in notes and n.passages[0][0] in chunks]
    texts = [f"{notes[n.note_id].title}\n{chunks[n.passages[0][0]].text}" for n in there]
    judged = reranker.judge(query, texts, budget_s=budget_s) if texts else np.empty(0, np.float32)
    verdicts = dict(zip((note.note_id for note in there), judged.tolist(), strict=True))
    read = [note for note in ranked if not np.isnan(verdicts.get(note.note_id, np.nan))]
    order = blend(np.array([verdicts[note.note_id] for note in read], np.float32))
    places = [place for place, note in enumerate(ranked) if note in read]
    new = list(ranked)
    for place, at in zip(places, order, strict=True):
        note = read[at]
        scores = replace(note.scores, rerank=round(verdicts[note.note_id], 6))
        new[place] = replace(note, score=ranked[place].score, scores=scores)
    return Reranked(tuple(new), len(read))


def blend(judged: FloatArray) -> list[int]:
    """The new order of results that stood in the order of `judged`, which the model gave them."""
    first = np.arange(len(judged))
    second = np.empty(len(judged), np.int64)
    second[np.argsort(-judged, kind="stable")] = first
    worth = FIRST_WEIGHT / (K + first) + 1.0 / (K + second)
    order: list[int] = np.argsort(-worth, kind="stable").tolist()
    return order
