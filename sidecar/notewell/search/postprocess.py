"""The first results as they are shown: read by a model and near-duplicates made one, where asked.

Both are optional. What fails is skipped, and told.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from notewell.contract.search import Removed, SearchRequest
from notewell.errors import ModelError, NotewellError
from notewell.index.analyze import words
from notewell.index.port import IndexReader
from notewell.search.explain import TOP, Trace
from notewell.search.rank import RankedNote, Ranking
from notewell.types import FloatArray, Reranker, SearchRules

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


MAX_COMPARED = 200  # notes of a list that are compared with each other
_SUSPECT = 0.85  # cosine of their best passages
_SAME = 0.85  # of the runs of words that either has, those that both have
_RUN = 4  # words
_MAX_WORDS = 5_000


def duplicates(index: IndexReader, ranked: Sequence[RankedNote]) -> dict[int, int]:
    """Notes of the list that nearly repeat one before them, each with that one (both by id)."""
    compared = [note for note in ranked[:MAX_COMPARED] if note.passages]
    best = np.array([note.passages[0][0] for note in compared], np.int64)
    there, rows = index.vectors.of_chunks(best)
    owner = {note.passages[0][0]: note.note_id for note in compared}
    notes = [owner[chunk_id] for chunk_id in there.tolist()]
    runs: dict[int, frozenset[int]] = {}
    found: dict[int, int] = {}
    for first, second in np.argwhere(np.triu(rows @ rows.T >= _SUSPECT, 1)).tolist():
        one, other = notes[first], notes[second]
        if one in found or other in found:
            continue
        for note_id in (one, other):
            if note_id not in runs:
                runs[note_id] = runs_of(chunk.text for chunk in index.chunks_of(note_id))
        if resemblance(runs[one], runs[other]) >= _SAME:
            found[other] = one
    return found


def is_duplicate(one: frozenset[int], other: frozenset[int]) -> bool:
    """Whether two notes, each by its runs of words, say nearly the same."""
    return resemblance(one, other) >= _SAME


def runs_of(texts: Iterable[str]) -> frozenset[int]:
    """A note's runs of four words, by their hashes; of a note with fewer, all its words in one."""
    found = [word for text in texts for word in words(text)][:_MAX_WORDS]
    last = max(1, len(found) - _RUN + 1)
    return frozenset(hash(tuple(found[at : at + _RUN])) for at in range(last))


def resemblance(one: frozenset[int], other: frozenset[int]) -> float:
    """What two sets share, against all that is in either: 0..1."""
    either = len(one | other)
    return len(one & other) / either if either else 1.0


FindReranker = Callable[[], Reranker]  # raises an error of ours where there is none


@dataclass(slots=True)
class Arrangement:
    """Arranges the results of one search. `warnings` name what was skipped."""

    index: IndexReader
    request: SearchRequest
    rules: SearchRules
    reranker: FindReranker | None
    trace: Trace
    warnings: list[str] = field(default_factory=list)
    repeated: int = 0  # near-duplicates left out
    read_by: str | None = None  # the model that read the first results

    def of(self, ranking: Ranking, text: str) -> Sequence[RankedNote]:
        """The notes of the reply, in order; `text` is what was searched for."""
        limit = self.request.limit
        reads = _either(self.request.rerank, self.rules.rerank)
        collapses = _either(self.request.collapse, self.rules.collapse)
        wanted = max(limit, HEAD) if reads else limit
        if collapses:
            wanted = max(wanted, min(2 * wanted, max(wanted, MAX_COMPARED)))
        notes: Sequence[RankedNote] = ranking.top(wanted, self.rules.passages)
        if reads:
            notes = self._read(notes, text)
        if collapses:
            notes = self._collapsed(notes)
        return notes[:limit]

    def _read(self, notes: Sequence[RankedNote], text: str) -> Sequence[RankedNote]:
        """The notes in the order that a model gives them, too; as they are where none can."""
        if self.reranker is None or not notes:
            return notes
        try:
            model = self.reranker()
            budget_s = self.rules.rerank_ms / 1000
            reranked = rerank(self.index, model, text, notes, budget_s=budget_s)
        except NotewellError as error:
            why = error.brief if isinstance(error, ModelError) else error.message
            self.warnings.append(f"Results are not reranked: {why}")
            return notes
        self.read_by = model.name
        self.trace.stage(
            "rerank",
            count_in=len(notes),
            count_out=reranked.read,
            top=lambda: self._paths(reranked.notes),
        )
        return reranked.notes

    def _collapsed(self, notes: Sequence[RankedNote]) -> Sequence[RankedNote]:
        repeated = duplicates(self.index, notes)
        self.repeated = len(repeated)
        kept = [note for note in notes if note.note_id not in repeated]
        paths = self._paths([note for note in notes if note.note_id in repeated][:TOP])
        removed = [Removed("near_duplicate", len(repeated), tuple(paths))] if repeated else []
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


def _either(asked: bool | None, rule: bool) -> bool:
    return rule if asked is None else asked
