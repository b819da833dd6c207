"""What a batch does to an index, decided without one, and which vectors changed passages use."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from notewell.base.types import Batch, Chunk, LedgerEntry, ManifestEntry, NoteMove
from notewell.index.batch import Before, ChunkBefore, NoteBefore, VectorHeirs, decide
from tests.index.conftest import Material

PLACES = st.tuples(st.integers(0, 40), st.integers(0, 12)).map(lambda two: (two[0], sum(two)))
TEXTS = st.sampled_from("abcdefgh")


def changed(start: int, end: int, text: str) -> Chunk:
    return Chunk(0, (), None, None, start, end, text, (1,), "", b"")


def replaced(start: int, end: int, text: str, vector_hash: bytes | None) -> ChunkBefore:
    return ChunkBefore(0, b"", vector_hash, start, end, text)


def by_definition(chunk: Chunk, before: list[ChunkBefore]) -> bytes | None:
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
    before = [replaced(start, end, one, b"%d" % n) for n, ((start, end), one) in enumerate(places)]
    chunk = changed(*place, text)

    assert VectorHeirs(before).vector_hash(chunk) == by_definition(chunk, before)


def test_a_passage_without_a_vector_gives_none() -> None:
    heirs = VectorHeirs([replaced(0, 9, "a", None), replaced(5, 9, "b", b"b")])

    assert heirs.vector_hash(changed(0, 8, "a")) == b"b"
    assert heirs.vector_hash(changed(9, 12, "c")) is None


def test_fifty_thousand_passages_of_one_block_are_found_at_once() -> None:
    """All have the place of their block: to compare each with each would take an hour."""
    heirs = VectorHeirs(replaced(0, 9_000_000, f"text {n}", b"%d" % n) for n in range(50_000))

    found = {heirs.vector_hash(changed(0, 9_000_001, f"other {n}")) for n in range(50_000)}
    assert found == {b"0"}


def before(*paths: str, stored: frozenset[bytes] = frozenset()) -> Before:
    """An index with these notes, each of one passage without a vector; ids from 1 on."""
    notes = {
        path: NoteBefore(n, path.encode(), (ChunkBefore(n, path.encode(), None, 0, 5, path),))
        for n, path in enumerate(paths, 1)
    }
    ledger = {path: LedgerEntry(path, "indexed", updated=1.0) for path in paths}
    new = len(paths) + 1
    return Before(7, 5, new, new, notes, ledger, False, stored, stored)


def test_notes_that_swap_their_names_keep_their_ids() -> None:
    moves = (NoteMove("A.md", "B.md", 1, 2), NoteMove("B.md", "A.md", 3, 4))

    changes = decide(Batch(moves=moves), before("A.md", "B.md"), now=9.0)

    assert {note_id: move.new_path for note_id, move in changes.moved.items()} == {
        1: "B.md",
        2: "A.md",
    }
    assert changes.gone == []
    assert [(path, entry and entry.size) for path, entry in changes.ledger.items()] == [
        ("A.md", 3),
        ("B.md", 1),
    ]
    assert (changes.generation, changes.text_generation, changes.text_before) == (8, 8, 5)


def test_a_note_that_is_moved_over_is_gone() -> None:
    changes = decide(
        Batch(moves=(NoteMove("A.md", "B.md", 1, 2),)), before("A.md", "B.md"), now=9.0
    )

    assert (changes.gone, list(changes.moved), changes.chunks_removed) == ([2], [1], [2])
    assert changes.ledger["A.md"] is None


def test_a_moved_note_that_is_removed_is_gone_and_not_moved() -> None:
    batch = Batch(moves=(NoteMove("A.md", "B.md", 1, 2),), removes=("B.md",))

    changes = decide(batch, before("A.md"), now=9.0)

    assert (changes.gone, changes.moved) == ([1], {})
    assert set(changes.ledger.values()) == {None}


def test_of_a_path_that_is_put_twice_the_last_counts() -> None:
    make = Material()
    puts = (make.note("A.md", "first", "both"), make.note("A.md", "both", "last"))

    changes = decide(Batch(puts=puts), before(), now=9.0)

    assert [chunk.chunk.text for chunk in changes.puts[1].chunks] == ["both", "last"]
    assert changes.chunks_added == [(2, 1), (3, 1)]
    assert (changes.chunks_removed, changes.next_chunk) == ([], 4)


def test_a_touched_note_waits_for_vectors_that_it_lacks() -> None:
    touch = ManifestEntry(1, "A.md", 10, 20, b"A.md", "A")
    read_again = before("A.md")
    entry = LedgerEntry("A.md", "pending", updated=1.0)
    for stored, state in ((frozenset(), "keyword_only"), (frozenset([b"A.md"]), "indexed")):
        known = replace(read_again, ledger={"A.md": entry}, stored=stored)
        changes = decide(Batch(touches=(touch,)), known, now=9.0)
        assert changes.ledger == {"A.md": replace(entry, state=state, size=10, mtime_ns=20)}
        assert not changes.in_text
