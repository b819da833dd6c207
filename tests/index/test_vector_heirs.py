"""A changed passage uses the vector of the earlier one that it replaced, however many there are."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from notewell.base.types import Chunk
from notewell.index.vector_heirs import Replaced, VectorHeirs

PLACES = st.tuples(st.integers(0, 40), st.integers(0, 12)).map(lambda two: (two[0], sum(two)))
TEXTS = st.sampled_from("abcdefgh")


def changed(start: int, end: int, text: str) -> Chunk:
    return Chunk(0, (), None, None, start, end, text, (1,), "", b"")


def by_definition(chunk: Chunk, before: list[Replaced]) -> bytes | None:
    """The same text first, then the most characters in common, then the order in the note."""
    ranked = [
        (each.text == chunk.text, max(min(chunk.end, each.end) - max(chunk.start, each.start), 0))
        for each in before
    ]
    best = max(ranked, default=(False, 0))
    return None if best == (False, 0) else before[ranked.index(best)].vector_hash


@given(st.lists(st.tuples(PLACES, TEXTS), max_size=12), PLACES, TEXTS)
def test_it_is_the_same_text_or_the_one_in_its_place(
    places: list[tuple[tuple[int, int], str]], place: tuple[int, int], text: str
) -> None:
    before = [Replaced(start, end, one, b"%d" % n) for n, ((start, end), one) in enumerate(places)]
    chunk = changed(*place, text)

    assert VectorHeirs(before).vector_hash(chunk) == by_definition(chunk, before)


def test_a_passage_without_a_vector_gives_none() -> None:
    heirs = VectorHeirs([Replaced(0, 9, "a", None), Replaced(5, 9, "b", b"b")])

    assert heirs.vector_hash(changed(0, 8, "a")) == b"b"
    assert heirs.vector_hash(changed(9, 12, "c")) is None


def test_fifty_thousand_passages_of_one_block_are_found_at_once() -> None:
    """All have the place of their block: to compare each with each would take an hour."""
    heirs = VectorHeirs(Replaced(0, 9_000_000, f"text {n}", b"%d" % n) for n in range(50_000))

    found = {heirs.vector_hash(changed(0, 9_000_001, f"other {n}")) for n in range(50_000)}
    assert found == {b"0"}
