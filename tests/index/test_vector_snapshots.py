"""The snapshot of many vectors: written once as a whole, then what changed beside it."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest

from notewell.base.types import Batch
from notewell.index.embedded import EmbeddedIndex, vector_store
from notewell.index.embedded import vectors as module
from tests.index.conftest import Material
from tests.index.inside import store_of

NOTES = 200


@pytest.fixture(autouse=True)
def many(monkeypatch: pytest.MonkeyPatch) -> None:
    """As many vectors as are searched by their sign bits."""
    monkeypatch.setattr(module, "EXACT_LIMIT", 50)


@pytest.fixture
def saved(index: EmbeddedIndex, make: Material) -> EmbeddedIndex:
    put(index, make, *range(NOTES))
    index.save()
    return index


def put(index: EmbeddedIndex, make: Material, *numbers: int, text: str = "first") -> None:
    notes = tuple(make.note(f"{n}.md", f"{text} {n}", f"another {n}") for n in numbers)
    index.apply(Batch(puts=notes, model=make.model))
    make.embed(index)


def whole(index: EmbeddedIndex) -> Path:
    return next(store_of(index).directory.glob("vectors-?.snapshot"))


def changes(index: EmbeddedIndex) -> Path:
    path = whole(index)
    return path.with_name(path.name.replace(".snapshot", "-changes.snapshot"))


def all_hits(index: EmbeddedIndex) -> list[tuple[list[int], list[float]]]:
    """Every chunk with its cosine, for some queries."""
    queries = np.random.default_rng(5).standard_normal((6, 8)).astype(np.float32)
    queries /= np.linalg.norm(queries, axis=1, keepdims=True)
    found = [index.vectors.search(query, limit=10_000) for query in queries]
    return [(hits.chunk_ids.tolist(), hits.scores.tolist()) for hits in found]


def reopened(
    index: EmbeddedIndex, make: Material, monkeypatch: pytest.MonkeyPatch
) -> EmbeddedIndex:
    """Open it for reading by its snapshots alone."""
    with monkeypatch.context() as patch:

        def read(*_: object) -> object:
            raise AssertionError("the vectors are read from the database")

        patch.setattr(vector_store, "vectors_by_chunk", read)
        reader = EmbeddedIndex.open(store_of(index).directory, writable=False)
        reader.use_model(make.model, make.dimensions)
    return reader


def test_a_few_changes_are_written_beside_the_whole(
    saved: EmbeddedIndex, make: Material, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = whole(saved).read_bytes()
    for step in range(3):
        put(saved, make, step, step + 50, text=f"changed {step}")
        saved.apply(Batch(removes=(f"{100 + step}.md",)))
        saved.save()
        assert whole(saved).read_bytes() == before
        assert changes(saved).stat().st_size < len(before)
        reader = reopened(saved, make, monkeypatch)
        assert all_hits(reader) == all_hits(saved)
        reader.close()


def test_what_follows_a_start_is_written_beside_it_as_well(
    saved: EmbeddedIndex, make: Material
) -> None:
    before = whole(saved).read_bytes()
    directory = store_of(saved).directory
    for step in range(3):
        put(saved, make, step, text="changed")
        expected = all_hits(saved)
        saved.close()
        saved = EmbeddedIndex.open(directory, writable=True)
        saved.use_model(make.model, make.dimensions)
        assert all_hits(saved) == expected
    assert whole(saved).read_bytes() == before
    saved.close()


def test_many_changes_write_the_whole_again(
    saved: EmbeddedIndex, make: Material, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(saved, make, 1, text="changed")
    saved.save()
    assert changes(saved).exists()
    put(saved, make, *range(NOTES // 2), text="changed again")
    saved.save()
    assert not changes(saved).exists()
    reader = reopened(saved, make, monkeypatch)
    assert all_hits(reader) == all_hits(saved)
    reader.close()


@pytest.mark.parametrize("harmed", ["whole", "changes", "both"])
@pytest.mark.parametrize("harm", ["gone", "cut", "changed"])
def test_files_that_do_not_fit_are_not_used(
    saved: EmbeddedIndex, make: Material, harmed: str, harm: str
) -> None:
    put(saved, make, 3, text="changed")
    saved.save()
    expected = all_hits(saved)
    saved.close()  # a file that is mapped must not be cut
    for name, path in (("whole", whole(saved)), ("changes", changes(saved))):
        if harmed in {name, "both"}:
            content = bytearray(path.read_bytes())
            if harm == "gone":
                path.unlink()
            elif harm == "cut":
                path.write_bytes(content[: len(content) // 2])
            else:
                content[-70] ^= 1
                path.write_bytes(content)
    reader = EmbeddedIndex.open(store_of(saved).directory, writable=False)
    reader.use_model(make.model, make.dimensions)
    assert [dict(zip(*hits, strict=True)) for hits in all_hits(reader)] == [
        dict(zip(*hits, strict=True)) for hits in expected
    ]
    reader.close()


@pytest.mark.parametrize("seed", range(5))
def test_after_any_changes_the_files_give_what_is_in_memory(
    saved: EmbeddedIndex, make: Material, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    chance = random.Random(seed)
    for step in range(12):
        number = chance.randrange(NOTES + 40)
        if chance.random() < 0.3:
            saved.apply(Batch(removes=(f"{number}.md",)))
        else:
            put(saved, make, number, text=f"changed {step}")
        if chance.random() < 0.4:
            saved.save()
            reader = reopened(saved, make, monkeypatch)
            assert all_hits(reader) == all_hits(saved)
            reader.close()
