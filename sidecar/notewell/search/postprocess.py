"""Postprocesses the first results: reranking by a model, and removal of near-duplicates.

Both are optional, and skipped with a warning if they fail.

Reranking blends two orders by weighted reciprocal rank fusion, so that a note that the search put
first stays near the top; results that the time budget does not cover keep their rank.

A high cosine does not make two notes duplicates, because notes made from one template have one as
well. So notes with similar vectors are compared by their runs of words (Broder 1997, "On the
resemblance and containment of documents").
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace

import numpy as np

from notewell.base.errors import ModelError, NotewellError
from notewell.base.types import FloatArray, Reranker, SearchRules
from notewell.base.types.frozen import frozen
from notewell.contract.search import Removed, SearchRequest
from notewell.index.analyze import words
from notewell.index.port import IndexReader
from notewell.search.finder import Aside
from notewell.search.rank.ranking import RankedNote, Ranking
from notewell.search.rank.retrieve import EVERYWHERE, Where
from notewell.search.show import attachments
from notewell.search.show.explain import MAX_PATHS, Trace

FindReranker = Callable[[], Reranker]  # raises a NotewellError if there is no model

MAX_RERANKED = 20  # first results that the model reads, as far as the time budget allows
RANK_OFFSET = 2.0  # the k of reciprocal rank fusion; small, so that the first ranks count most
SEARCH_WEIGHT = 2.0  # of the order of the search; the model's order has 1
MAX_COMPARED = 200  # notes of a list that are compared for near-duplicates
_SIMILAR_COSINE = 0.85  # of best passages, from which the texts of two notes are compared
_DUPLICATE_RESEMBLANCE = 0.85
_RUN = 4  # words
_MAX_WORDS = 5_000


@dataclass(slots=True)
class Postprocessing:
    """Postprocesses the results of one search. `warnings` name what was skipped."""

    index: IndexReader
    request: SearchRequest
    rules: SearchRules
    reranker: FindReranker | None
    trace: Trace
    where: Where = EVERYWHERE
    aside: Aside = nullcontext
    warnings: list[str] = field(default_factory=list)
    duplicate_count: int = 0  # near-duplicates that were removed
    reranked_by: str | None = None  # name of the model
    lent_count: int = 0  # notes that were added because they embed an attachment

    def apply(self, ranking: Ranking, text: str) -> Sequence[RankedNote]:
        """The notes of the reply, in order; `text` is the text of the query."""
        limit = self.request.limit
        reranks = _either(self.request.rerank, self.rules.rerank)
        collapses = _either(self.request.collapse, self.rules.collapse)
        wanted = max(limit, MAX_RERANKED) if reranks else limit
        if collapses:
            wanted = max(wanted, min(2 * wanted, max(wanted, MAX_COMPARED)))
        notes: Sequence[RankedNote] = ranking.top(wanted, self._further())
        if reranks:
            notes = self._reranked(notes, text)
        if collapses:
            notes = self._collapsed(notes)
        if self.lends:
            notes = self._lent(notes[:limit], ranking)
        return notes[:limit]

    def _further(self) -> int:
        """How many further passages of a note are shown; blocks are looked for in all of them."""
        most = self.request.passages
        if most is None or self.request.group == "block":
            return self.rules.passages
        return min(self.rules.passages, most)

    @property
    def lends(self) -> bool:
        """Whether notes are found by the attachments that they embed: their links count."""
        return self.request.group == "note" and "links" not in self.request.ignore

    def _lent(self, notes: Sequence[RankedNote], ranking: Ranking) -> Sequence[RankedNote]:
        lent = attachments.lend(self.index, notes, ranks=ranking.holds, among=self.where.among)
        self.lent_count = len(lent) - len(notes)
        return lent

    def _reranked(self, notes: Sequence[RankedNote], text: str) -> Sequence[RankedNote]:
        """The reranked notes; unchanged, with a warning, if there is no model or it fails."""
        if self.reranker is None or not notes:
            return notes
        try:
            with self.aside():
                model = self.reranker()
                budget_s = self.rules.rerank_ms / 1000
                reranked = rerank(self.index, model, text, notes, budget_s=budget_s)
        except NotewellError as error:
            why = error.brief if isinstance(error, ModelError) else error.message
            self.warnings.append(f"Results are not reranked: {why}")
            return notes
        self.reranked_by = model.name
        self.trace.stage(
            "rerank",
            count_in=len(notes),
            count_out=reranked.read,
            top=lambda: self._paths(reranked.notes),
        )
        return reranked.notes

    def _collapsed(self, notes: Sequence[RankedNote]) -> Sequence[RankedNote]:
        duplicate_of = find_duplicates(self.index, notes)
        self.duplicate_count = len(duplicate_of)
        kept = [note for note in notes if note.note_id not in duplicate_of]
        paths = self._paths([note for note in notes if note.note_id in duplicate_of][:MAX_PATHS])
        removed = (
            [Removed("near_duplicate", len(duplicate_of), tuple(paths))] if duplicate_of else []
        )
        self.trace.stage(
            "collapse",
            count_in=len(notes),
            count_out=len(kept),
            removed=removed,
            top=lambda: self._paths(kept),
        )
        return kept

    def _paths(self, notes: Sequence[RankedNote]) -> list[str]:
        known = self.index.notes([note.note_id for note in notes])
        return [known[note.note_id].path for note in notes if note.note_id in known]


def _either(requested: bool | None, rule: bool) -> bool:
    return rule if requested is None else requested


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


def find_duplicates(index: IndexReader, ranked: Sequence[RankedNote]) -> dict[int, int]:
    """Near-duplicates in a ranked list: id of the note -> id of the better note it repeats."""
    compared = [note for note in ranked[:MAX_COMPARED] if note.passages]
    best = np.array([note.passages[0][0] for note in compared], np.int64)
    known, rows = index.vectors.of_chunks(best)
    owner = {note.passages[0][0]: note.note_id for note in compared}
    notes = [owner[chunk_id] for chunk_id in known.tolist()]
    runs: dict[int, frozenset[int]] = {}
    found: dict[int, int] = {}
    for first, second in np.argwhere(np.triu(rows @ rows.T >= _SIMILAR_COSINE, 1)).tolist():
        one, other = notes[first], notes[second]
        if one in found or other in found:
            continue
        for note_id in (one, other):
            if note_id not in runs:
                runs[note_id] = runs_of(chunk.text for chunk in index.chunks_of(note_id))
        if resemblance(runs[one], runs[other]) >= _DUPLICATE_RESEMBLANCE:
            found[other] = one
    return found


def is_duplicate(one: frozenset[int], other: frozenset[int]) -> bool:
    """Whether two notes, given as their runs of words, have nearly the same text."""
    return resemblance(one, other) >= _DUPLICATE_RESEMBLANCE


def runs_of(texts: Iterable[str]) -> frozenset[int]:
    """Hashes of a note's runs of four words; of a note with fewer words, of all its words."""
    found = [word for text in texts for word in words(text)][:_MAX_WORDS]
    last = max(1, len(found) - _RUN + 1)
    return frozenset(hash(tuple(found[at : at + _RUN])) for at in range(last))


def resemblance(one: frozenset[int], other: frozenset[int]) -> float:
    """Jaccard similarity of two sets, 0..1."""
    either = len(one | other)
    return len(one & other) / either if either else 1.0
