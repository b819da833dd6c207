"""Reranking: two orders are blended within a time budget."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from notewell.base.types import FloatArray
from notewell.contract.search import RawScores, Scores
from notewell.search.rank.ranking import RankedNote
from notewell.search.rank.rerank import MAX_RERANKED, blend, rerank
from tests.search.library import Library, MakeLibrary

NOTES = {f"{n:02}.md": f"Passage number {n} about something.\n" for n in range(30)}


class Likes:
    """A reranker that scores passages by their number, with time for the first few only."""

    name = "likes"

    def __init__(self, number: int, *, reads: int = 1000) -> None:
        self.number = number
        self.reads = reads
        self.asked: list[str] = []

    def judge(self, _: str, passages: Sequence[str], *, budget_s: float) -> FloatArray:
        assert budget_s > 0
        self.asked += passages
        scores = [0.9 if f" {self.number} " in text else 0.1 for text in passages]
        return np.array(scores[: self.reads] + [np.nan] * max(0, len(passages) - self.reads))

    def close(self) -> None:
        return


def ranked(library: Library) -> list[RankedNote]:
    notes = library.index.all_notes()
    return [
        RankedNote(
            note.id,
            1.0 - place / 100,
            Scores(),
            RawScores(),
            ((library.index.chunks_of(note.id)[0].id, 1.0),),
        )
        for place, note in enumerate(notes)
    ]


def test_reranking_changes_the_order_and_keeps_the_scores_by_rank(
    make_library: MakeLibrary,
) -> None:
    library = make_library(NOTES)
    before = ranked(library)
    likes = Likes(7)
    after = rerank(library.index, likes, "q", before, budget_s=1.0)
    assert after.read == MAX_RERANKED == len(likes.asked)
    place = [note.note_id for note in after.notes].index(before[7].note_id)
    assert 0 < place < 7  # up, and what was first is first still
    assert after.notes[0].note_id == before[0].note_id
    assert [note.score for note in after.notes] == [note.score for note in before]
    assert after.notes[place].scores.rerank == 0.9
    assert after.notes[MAX_RERANKED:] == tuple(before[MAX_RERANKED:])


def test_results_that_were_not_reranked_keep_their_place(make_library: MakeLibrary) -> None:
    library = make_library(NOTES)
    before = ranked(library)
    after = rerank(library.index, Likes(2, reads=3), "q", before, budget_s=1.0)
    assert after.read == 3
    assert {note.note_id for note in after.notes[:3]} == {note.note_id for note in before[:3]}
    assert after.notes[3:] == tuple(before[3:])
    assert rerank(library.index, Likes(2), "q", (), budget_s=1.0).notes == ()


@given(st.lists(st.floats(0, 1, width=32), max_size=30))
def test_blending_keeps_the_first_near_the_top(judged: list[float]) -> None:
    order = blend(np.array(judged, np.float32))
    assert sorted(order) == list(range(len(judged)))
    if order:
        assert order.index(0) <= 1


def test_a_reranker_that_agrees_changes_nothing() -> None:
    assert blend(np.linspace(1, 0, 10, dtype=np.float32)) == list(range(10))
