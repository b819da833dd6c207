"""Reranks the first results by a model that reads them; optional.

Two orders are blended by weighted reciprocal rank fusion, so that a note that the search put first
stays near the top; results that the time budget does not cover keep their rank. If there is no
model, or it fails, the order stays and the reply has a warning.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from notewell.base.errors import ModelError, NotewellError
from notewell.base.types import FloatArray, Reranker
from notewell.base.types.frozen import frozen
from notewell.contract.search import Fusion
from notewell.index.port import IndexReader
from notewell.search.context import Report, SearchContext
from notewell.search.rank.ranking import RankedNote
from notewell.search.trace import paths_of

MAX_RERANKED = 20  # first results that the model reads, as far as the time budget allows
RANK_OFFSET = 2.0  # the k of reciprocal rank fusion; small, so that the first ranks count most
SEARCH_WEIGHT = 2.0  # of the order of the search; the model's order has 1


def is_wanted(context: SearchContext) -> bool:
    """Tell whether the request, or else the rules, enable reranking."""
    requested = context.request.rerank
    return context.rules.rerank if requested is None else requested


def rerank_notes(
    context: SearchContext, notes: Sequence[RankedNote], text: str, report: Report
) -> Sequence[RankedNote]:
    """The notes in their new order; `text` is the text of the query."""
    if context.find_reranker is None or not notes:
        return notes
    try:
        with context.release_turn():
            model = context.find_reranker()
            budget_s = context.rules.rerank_ms / 1000
            reranked = rerank(context.index, model, text, notes, budget_s=budget_s)
    except NotewellError as error:
        why = error.brief if isinstance(error, ModelError) else error.message
        report.warnings.append(f"Results are not reranked: {why}")
        return notes
    report.fusion = Fusion(report.fusion.method, {**report.fusion.params, "reranker": model.name})
    report.trace.stage(
        "rerank",
        count_in=len(notes),
        count_out=reranked.read,
        top=lambda: paths_of(context.index, [note.note_id for note in reranked.notes]),
    )
    return reranked.notes


@frozen
class Reranked:
    """The results in their new order, and how many of them the model read."""

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
    """Rerank the first results by their best passages, blended with the order of the search.

    `score` stays with the rank, so that scores still decrease down the list; `scores.rerank` is
    the model's score. `budget_s` is the time for the model in seconds.

    Raises:
        ModelError: the model fails.

    """
    head = [note for note in ranked[:MAX_RERANKED] if note.passages]
    notes = index.notes([note.note_id for note in head])
    chunks = index.chunks([note.passages[0][0] for note in head])
    readable = [n for n in head if n.note_id in notes and n.passages[0][0] in chunks]
    texts = [f"{notes[n.note_id].title}\n{chunks[n.passages[0][0]].text}" for n in readable]
    values = reranker.judge(query, texts, budget_s=budget_s) if texts else np.empty(0, np.float32)
    model_scores = dict(zip((note.note_id for note in readable), values.tolist(), strict=True))
    read = [note for note in ranked if not np.isnan(model_scores.get(note.note_id, np.nan))]
    order = blend(np.array([model_scores[note.note_id] for note in read], np.float32))
    ranks = [rank_at for rank_at, note in enumerate(ranked) if note in read]
    new = list(ranked)
    for rank_at, at in zip(ranks, order, strict=True):
        note = read[at]
        scores = replace(note.scores, rerank=round(model_scores[note.note_id], 6))
        new[rank_at] = replace(note, score=ranked[rank_at].score, scores=scores)
    return Reranked(tuple(new), len(read))


def blend(model_scores: FloatArray) -> list[int]:
    """Indices of the results in the blended order, from the model's scores (n,) in search order."""
    first = np.arange(len(model_scores))
    second = np.empty(len(model_scores), np.int64)
    second[np.argsort(-model_scores, kind="stable")] = first
    blended = SEARCH_WEIGHT / (RANK_OFFSET + first) + 1.0 / (RANK_OFFSET + second)
    order: list[int] = np.argsort(-blended, kind="stable").tolist()
    return order
