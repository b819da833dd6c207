"""Approximate vectors: searched with, never taken for the model's, replaced by these."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from notewell.base.errors import ModelError
from notewell.base.types import Batch, FloatArray, VectorPut
from notewell.index.embedded import DATABASE, EmbeddedIndex, copy_index, damaged_vectors
from notewell.index.embedded import vectors as module
from tests.index.conftest import DIMENSIONS, Material
from tests.index.inside import store_of

NOTES = 80


@pytest.fixture(params=[1000, 70], ids=["exact", "sign bits"], autouse=True)
def exact_limit(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "EXACT_LIMIT", request.param)


@pytest.fixture
def covered(index: EmbeddedIndex, make: Material) -> EmbeddedIndex:
    """Notes of one passage each, which have approximate vectors alone."""
    index.use_model(make.model, make.dimensions)
    index.apply(
        Batch(puts=tuple(make.note(f"{n}.md", f"text {n}") for n in range(NOTES)), model=make.model)
    )
    texts = index.texts_by_hash(b"", 1000)
    index.store_approximate(
        make.model, [VectorPut(text.text_hash, axis(text.path)) for text in texts]
    )
    return index


def axis(path: str) -> FloatArray:
    """The approximate vector of a note: that of its number modulo the dimensions."""
    unit: FloatArray = np.eye(DIMENSIONS, dtype=np.float32)[
        int(path.split(".", maxsplit=1)[0]) % DIMENSIONS
    ]
    return unit


def nearest(index: EmbeddedIndex, vector: FloatArray) -> set[str]:
    """The notes of which a passage has this very vector."""
    hits = index.vectors.search(vector, limit=50)
    best = hits.chunk_ids[hits.scores > 0.99]
    return set(index.paths(index.note_ids_of(best).tolist()).values())


def cosines(index: EmbeddedIndex) -> dict[int, float]:
    hits = index.vectors.search(axis("3.md"), limit=1000)
    return dict(zip(hits.chunk_ids.tolist(), hits.scores.tolist(), strict=True))


def reopened(index: EmbeddedIndex, make: Material) -> EmbeddedIndex:
    directory = store_of(index).directory
    index.close()
    again = EmbeddedIndex.open(directory, writable=True)
    again.use_model(make.model, make.dimensions)
    return again


def test_they_are_searched_with(covered: EmbeddedIndex) -> None:
    assert nearest(covered, axis("3.md")) == {f"{n}.md" for n in range(3, NOTES, DIMENSIONS)}
    assert covered.vectors.has_approximate
    assert covered.vectors.count == NOTES


def test_they_count_as_no_vector_of_the_model(covered: EmbeddedIndex, make: Material) -> None:
    counts = covered.counts()
    assert (counts.vectors, counts.approximate) == (0, NOTES)
    assert covered.pending_count(make.model) == NOTES
    assert covered.covered_chunks(make.model) == 0
    assert covered.stored_vector_count(make.model) == 0
    assert list(covered.vectors_in_use(make.model, 100)) == []  # what packs are made of
    assert [model.key for model in covered.stats().models] == [make.model]


def test_the_vector_of_the_model_takes_the_place_of_one(
    covered: EmbeddedIndex, make: Material
) -> None:
    text = next(text for text in covered.texts_by_hash(b"", 100) if text.path == "3.md")
    covered.store_vectors(make.model, [VectorPut(text.text_hash, axis("4.md"))])

    assert "3.md" not in nearest(covered, axis("3.md"))
    assert "3.md" in nearest(covered, axis("4.md"))
    counts = covered.counts()
    assert (counts.vectors, counts.approximate, covered.vectors.count) == (1, NOTES - 1, NOTES)


def test_an_approximate_vector_never_replaces_one_of_the_model(
    covered: EmbeddedIndex, make: Material
) -> None:
    make.embed(covered)
    before = cosines(covered)
    texts = covered.texts_by_hash(b"", 100)
    covered.store_approximate(
        make.model, [VectorPut(text.text_hash, axis("0.md")) for text in texts]
    )

    assert cosines(covered) == before
    assert covered.counts().approximate == 0


@pytest.mark.parametrize("saved", [False, True])
def test_they_outlast_a_restart(covered: EmbeddedIndex, make: Material, saved: bool) -> None:
    text = covered.texts_by_hash(b"", 1)[0]
    covered.store_vectors(make.model, [VectorPut(text.text_hash, axis("4.md"))])
    before = cosines(covered)
    if saved:
        covered.save()
        covered.apply(Batch(removes=("5.md",)))
        before = cosines(covered)

    again = reopened(covered, make)
    assert cosines(again) == before
    assert again.vectors.has_approximate
    again.close()


def test_a_reader_of_another_process_sees_them(covered: EmbeddedIndex, make: Material) -> None:
    reader = EmbeddedIndex.open(store_of(covered).directory, writable=False)
    reader.use_model(make.model, make.dimensions)
    assert cosines(reader) == cosines(covered)

    covered.drop_approximate()
    assert reader.refresh()
    assert cosines(reader) == {}
    assert not reader.vectors.has_approximate
    reader.close()


def test_dropped_they_are_gone_and_the_others_stay(covered: EmbeddedIndex, make: Material) -> None:
    text = covered.texts_by_hash(b"", 1)[0]
    covered.store_vectors(make.model, [VectorPut(text.text_hash, axis("4.md"))])
    covered.save()
    covered.drop_approximate()

    assert len(cosines(covered)) == covered.vectors.count == 1
    assert not covered.has_approximate()
    assert covered.counts().approximate == 0
    again = reopened(covered, make)
    assert len(cosines(again)) == 1
    again.close()


def test_a_changed_passage_waits_without_one(covered: EmbeddedIndex, make: Material) -> None:
    covered.apply(Batch(puts=(make.note("3.md", "other words"),), model=make.model))

    assert covered.vectors.count == NOTES - 1
    assert covered.counts().approximate == NOTES - 1


def test_a_copy_of_a_note_has_them_at_once(covered: EmbeddedIndex, make: Material) -> None:
    covered.apply(Batch(puts=(make.note("copy.md", "text 3"),), model=make.model))

    assert "copy.md" in nearest(covered, axis("3.md"))


def test_another_model_has_none_of_them(covered: EmbeddedIndex, make: Material) -> None:
    covered.use_model(make.other_model, DIMENSIONS)

    assert cosines(covered) == {}
    assert not covered.vectors.has_approximate


def test_a_damaged_one_is_left_out(covered: EmbeddedIndex, make: Material) -> None:
    store = store_of(covered)
    with store.transaction() as connection:
        connection.execute(
            "UPDATE vectors SET vector = zeroblob(16) WHERE text_hash IN"
            " (SELECT text_hash FROM vectors LIMIT 3)"
        )
    covered.close()
    for snapshot in store.directory.glob("vectors-*.snapshot"):
        snapshot.unlink()
    again = EmbeddedIndex.open(store.directory, writable=True)
    again.use_model(make.model, make.dimensions)

    assert len(cosines(again)) == NOTES - 3
    assert again.pending_count(make.model) == NOTES
    assert damaged_vectors(store.directory) == 3
    again.close()


def test_a_copy_without_vectors_has_none(
    covered: EmbeddedIndex, make: Material, tmp_path: Path
) -> None:
    (tmp_path / "copy").mkdir()
    copy_index(store_of(covered).directory, tmp_path / "copy" / DATABASE, vectors=False)
    copy = EmbeddedIndex.open(tmp_path / "copy", writable=True)
    copy.use_model(make.model, make.dimensions)

    assert not copy.has_approximate()
    assert not copy.vectors.has_approximate
    assert copy.pending_count(make.model) == NOTES
    copy.close()


def test_texts_are_read_by_hash_each_once(index: EmbeddedIndex, make: Material) -> None:
    notes = [make.note(f"{n}.md", f"text {n}", "the same everywhere") for n in range(NOTES)]
    index.apply(Batch(puts=tuple(notes)))

    found, after = [], b""
    while page := index.texts_by_hash(after, 7):
        assert len(page) <= 7
        found += page
        after = page[-1].text_hash
    hashes = [text.text_hash for text in found]
    assert hashes == sorted(set(hashes))
    assert {text.text for text in found} == {
        "the same everywhere",
        *(f"text {n}" for n in range(NOTES)),
    }


def test_one_of_another_size_is_refused_and_nothing_is_stored(
    covered: EmbeddedIndex, make: Material
) -> None:
    covered.drop_approximate()
    texts = covered.texts_by_hash(b"", 2)
    long = np.ones(DIMENSIONS + 1, np.float32)
    puts = [VectorPut(texts[0].text_hash, axis("1.md")), VectorPut(texts[1].text_hash, long)]
    with pytest.raises(ModelError):
        covered.store_approximate(make.model, puts)

    assert not covered.has_approximate()


def test_the_key_is_one_that_no_model_has(make: Material) -> None:
    assert make.model.approximate != make.model
    assert replace(make.model, quantisation="int8+approximate") == make.model.approximate
