"""Vector search: exact for few vectors, by sign bits for many, with filters."""

from __future__ import annotations

import threading

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from notewell.base.errors import ModelError
from notewell.base.types import FloatArray, IdArray
from notewell.index.embedded import vectors as module
from notewell.index.embedded.vector_math import HALF_SCALE, widen_rows
from notewell.index.embedded.vectors import Vectors
from tests.index.inside import view_of

DIMENSIONS = 70  # not a multiple of 64: the last word of sign bits is part empty


def unit(count: int, seed: int = 0, dimensions: int = DIMENSIONS) -> FloatArray:
    """Vectors in clusters, as embeddings lie, and away from the origin's centre."""
    chance = np.random.default_rng(seed)
    centres = chance.standard_normal((20, dimensions)) + 0.5
    made = centres[chance.integers(0, 20, count)] + 0.7 * chance.standard_normal(
        (count, dimensions)
    )
    return (made / np.linalg.norm(made, axis=1, keepdims=True)).astype(np.float32)


def filled(rows: FloatArray, *, first: int = 1) -> Vectors:
    vectors = Vectors(rows.shape[1])
    ids = np.arange(first, first + len(rows))
    vectors.put(ids, ids % 7, rows)
    return vectors


def reopened(vectors: Vectors) -> Vectors:
    """As a start loads them: from arrays that cannot be written."""
    arrays = vectors.arrays()
    for array in arrays.values():
        array.flags.writeable = False
    return Vectors.from_arrays(vectors.dimensions, arrays)


def exact(rows: FloatArray, query: FloatArray, top: int) -> IdArray:
    return np.argsort(-(rows.astype(np.float16).astype(np.float32) @ query), kind="stable")[:top]


@pytest.fixture
def scanned(monkeypatch: pytest.MonkeyPatch) -> None:
    """Scan sign bits from few vectors on."""
    monkeypatch.setattr(module, "EXACT_LIMIT", 100)


def test_small_collections_are_searched_exactly() -> None:
    rows, query = unit(500), unit(1, seed=9)[0]
    hits = filled(rows).search(query, limit=10)
    assert hits.chunk_ids.tolist() == (exact(rows, query, 10) + 1).tolist()
    assert hits.scores.dtype == np.float32
    assert np.allclose(hits.scores, rows[hits.chunk_ids - 1] @ query, atol=2e-3)


@pytest.mark.usefixtures("scanned")
def test_the_scan_finds_what_exact_search_finds() -> None:
    made = unit(6030)
    rows, queries = made[:6000], made[6000:]  # queries about what the passages are about
    vectors = filled(rows)
    found = 0
    for query in queries:
        hits = vectors.search(query, limit=10)
        found += len(set(hits.chunk_ids.tolist()) & set((exact(rows, query, 10) + 1).tolist()))
    assert found / 300 >= 0.99
    assert vectors.recall(module.CANDIDATE_STEPS[-1]) >= 0.99


@pytest.mark.usefixtures("scanned")
def test_candidates_follow_the_measured_recall(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def recall(_: Vectors, candidates: int, *, top: int = 10) -> float:
        asked.append(candidates)
        return 1.0 if candidates >= 2000 else 0.5

    monkeypatch.setattr(Vectors, "recall", recall)
    filled(unit(300))
    assert asked == [500, 1000, 2000]


@pytest.mark.parametrize("limit", [100, 20_000])
def test_a_filter_is_exact(limit: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "EXACT_LIMIT", limit)
    rows, query = unit(3000), unit(1, seed=3)[0]
    hits = filled(rows).search(query, limit=5, notes=np.array([2, 99]))
    order = exact(rows, query, 3000) + 1
    assert hits.chunk_ids.tolist() == [each for each in order.tolist() if each % 7 == 2][:5]
    nothing = filled(rows).search(query, limit=5, notes=np.array([], dtype=np.int64))
    assert not len(nothing.chunk_ids)


@pytest.mark.parametrize("limit", [2000, 100], ids=["exact", "scanned"])
def test_chunks_of_wanted_notes_are_scored_however_far_they_are(
    limit: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "EXACT_LIMIT", limit)
    rows = unit(1000)
    vectors = Vectors(DIMENSIONS)
    vectors.put(np.arange(1, 601), np.arange(1, 601) // 2, rows[:600])  # two chunks a note
    vectors = reopened(vectors)
    assert len(vectors.search(rows[0], limit=5, also=np.array([7])).chunk_ids) > 0
    vectors.put(np.arange(601, 1001), np.arange(601, 1001) // 2, rows[600:])
    query = unit(1, seed=5)[0]
    far = np.argsort(rows @ query)[:3] + 1
    wanted = np.unique(np.append(far // 2, 10**6))

    vectors.remove(far[:1])
    hits = vectors.search(query, limit=5, also=wanted)

    assert set(far[1:].tolist()) <= set(hits.chunk_ids.tolist())
    assert far[0] not in hits.chunk_ids
    assert set(hits.chunk_ids[5:] // 2) <= set(wanted.tolist())
    expected = rows[hits.chunk_ids - 1].astype(np.float16).astype(np.float32) @ query
    assert hits.scores == pytest.approx(expected, abs=1e-3)


def test_equal_scores_are_ordered_by_chunk() -> None:
    row = unit(1)
    vectors = filled(np.repeat(row, 50, axis=0))
    assert vectors.search(row[0], limit=7).chunk_ids.tolist() == [1, 2, 3, 4, 5, 6, 7]


def test_without_a_model_nothing_is_found() -> None:
    assert not len(Vectors(0).search(np.zeros(3, np.float32), limit=5).chunk_ids)
    assert Vectors(0).count == 0


@pytest.mark.parametrize("query", [np.ones(3, np.float32), np.full(DIMENSIONS, np.nan, np.float32)])
def test_a_query_that_cannot_be_compared_is_refused(query: FloatArray) -> None:
    with pytest.raises(ModelError):
        filled(unit(5)).search(query, limit=1)


def test_vectors_of_chunks_come_in_the_order_asked() -> None:
    rows = unit(20)
    vectors = filled(rows)
    vectors.remove(np.array([4]))
    got = vectors.of_chunks(np.array([9, 4, 2, 777, 9]))[1]
    assert np.allclose(got, rows[[8, 1, 8]], atol=1e-3)
    assert vectors.of_chunks(np.array([], dtype=np.int64))[1].shape == (0, DIMENSIONS)


@settings(max_examples=40, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.sampled_from(["put", "remove", "reopen"]),
            st.lists(st.integers(1, 60), min_size=1, max_size=25, unique=True),
        ),
        max_size=12,
    ),
    st.booleans(),
    st.booleans(),
)
def test_updated_vectors_equal_new_ones(
    steps: list[tuple[str, list[int]]], many: bool, stays_mapped: bool
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_REPLACES_MAPPED", stays_mapped)
        patch.setattr(module, "EXACT_LIMIT", 10 if many else 20_000)
        patch.setattr(module, "_MIN_DEAD", 4)
        patch.setattr(module, "_SAMPLE", 4)
        vectors = Vectors(8)
        held: dict[int, FloatArray] = {}
        for step, (what, ids) in enumerate(steps):
            chunk_ids = np.array(ids, dtype=np.int64)
            if what == "reopen":
                vectors = reopened(vectors)
            elif what == "put":
                rows = unit(len(ids), seed=step, dimensions=8)
                vectors.put(chunk_ids, chunk_ids % 5, rows)
                held |= dict(zip(ids, rows, strict=True))
            else:
                vectors.remove(chunk_ids)
                held = {id_: row for id_, row in held.items() if id_ not in ids}
        again = reopened(vectors)
        query = unit(1, seed=99, dimensions=8)[0]
        for each in (vectors, again):
            assert each.count == len(held)
            hits = each.search(query, limit=100)
            assert sorted(hits.chunk_ids.tolist()) == sorted(held)
            for chunk_id, score in zip(hits.chunk_ids.tolist(), hits.scores, strict=True):
                assert abs(float(held[chunk_id] @ query) - float(score)) < 5e-3
            assert np.all(np.diff(hits.scores) <= 0)


@pytest.mark.parametrize("limit", [100, 20_000])  # scanned, and compared one by one
def test_what_a_snapshot_holds_stays_where_it_is_when_vectors_change(
    monkeypatch: pytest.MonkeyPatch, limit: int
) -> None:
    monkeypatch.setattr(module, "EXACT_LIMIT", limit)
    rows = unit(500)
    arrays = filled(rows[:400]).arrays()
    before = arrays["rows"].copy()
    arrays["rows"].flags.writeable = False
    vectors = Vectors.from_arrays(DIMENSIONS, arrays)
    vectors.remove(np.arange(10, 20))
    vectors.put(np.arange(401, 501), np.arange(401, 501) % 7, rows[400:])
    vectors.put(np.array([30]), np.array([2]), -rows[29:30])
    assert np.shares_memory(view_of(vectors).first.rows, arrays["rows"])
    assert np.array_equal(arrays["rows"], before)
    asked = np.array([450, 1, 30, 15, 500])
    ids, got = vectors.of_chunks(asked)
    assert ids.tolist() == [450, 1, 30, 500]
    assert np.allclose(got, [rows[449], rows[0], -rows[29], rows[499]], atol=1e-3)
    for chunk, row in ((450, rows[449]), (1, rows[0]), (30, -rows[29])):
        hits = vectors.search(row, limit=3)
        assert hits.chunk_ids[0] == chunk
        assert hits.scores[0] == pytest.approx(1.0, abs=1e-3)


@pytest.mark.usefixtures("scanned")
def test_what_a_search_sees_stays_as_it_was_when_vectors_change() -> None:
    rows = unit(60)
    vectors = filled(rows[:40])
    seen = []
    for chunk_id in (7, 50, 51, 8, 52):
        view = view_of(vectors)
        seen.append((view, view.ids.copy(), view.notes.copy(), view.alive))
        vectors.put(np.array([chunk_id]), np.array([1]), rows[chunk_id : chunk_id + 1])
        vectors.remove(np.array([chunk_id - 1]))
    for view, ids, notes, alive in seen:
        assert view.ids.tolist() == ids.tolist()
        assert view.notes.tolist() == notes.tolist()
        assert view.alive == alive == np.count_nonzero(ids != -1)


def test_searches_beside_changes_see_whole_vectors() -> None:
    rows = unit(400)
    vectors = filled(rows)
    query = rows[0]
    stop = threading.Event()
    wrong: list[float] = []

    def ask() -> None:
        while not stop.is_set():
            hits = vectors.search(query, limit=3)
            if hits.chunk_ids[0] != 1 or abs(hits.scores[0] - 1) > 5e-3:
                wrong.append(float(hits.scores[0]))

    threads = [threading.Thread(target=ask) for _ in range(2)]
    for thread in threads:
        thread.start()
    for turn in range(60):
        ids = np.arange(50, 250) + turn
        vectors.remove(ids[:100])
        vectors.put(ids, ids % 7, -rows[50:250])
    stop.set()
    for thread in threads:
        thread.join()
    assert not wrong


@pytest.mark.usefixtures("scanned")
@pytest.mark.parametrize("count", [50, 500])
def test_the_mean_of_a_note_is_that_of_its_chunks(count: int) -> None:
    rows = unit(count)
    vectors = reopened(filled(rows[: count - 20]))
    vectors.put(np.arange(count - 19, count + 1), np.arange(count - 19, count + 1) % 7, rows[-20:])
    vectors.remove(np.array([1, 8], np.int64))

    notes, means = vectors.note_means()

    assert notes.tolist() == list(range(7))
    kept = np.delete(rows, [0, 7], axis=0)
    of = np.delete(np.arange(1, count + 1) % 7, [0, 7])
    wanted = np.array([kept[of == note].mean(axis=0) for note in range(7)])
    assert np.allclose(means, wanted / np.linalg.norm(wanted, axis=1, keepdims=True), atol=2e-3)


def test_without_vectors_there_are_no_means() -> None:
    notes, means = Vectors(0).note_means()

    assert (notes.shape, means.shape) == ((0,), (0, 0))


def test_every_half_float_keeps_its_value() -> None:
    halves = np.arange(1 << 16, dtype=np.uint16).view(np.float16)
    finite = halves[np.isfinite(halves)].reshape(1, -1)
    scaled = widen_rows(finite) * HALF_SCALE
    assert np.array_equal(scaled, finite.astype(np.float32))
