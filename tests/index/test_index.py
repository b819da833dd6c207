"""The embedded index: batches, models, failures, restarts, and readers beside a writer."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    rule,
    run_state_machine_as_test,
)

from notewell.base.errors import IndexFailure, ModelError
from notewell.base.types import (
    Batch,
    LedgerEntry,
    ManifestEntry,
    NoteMove,
    NotePut,
    VectorPut,
)
from notewell.index.analyze import tokens
from notewell.index.embedded import EmbeddedIndex, structures
from notewell.index.embedded.postings import Postings
from notewell.index.lexical import QueryTerm
from tests.index.inside import store_of

Search = Callable[..., list[str]]


def states(index: EmbeddedIndex) -> dict[str, str]:
    return {entry.path: entry.state for entry in index.ledger()}


# --- a batch ------------------------------------------------------------------------------------


def test_applying_a_batch_reports_what_changed(index: EmbeddedIndex, make: Any) -> None:
    first = index.apply(Batch(puts=(make.note("a.md", "one", "two"),), model=make.model))
    assert (first.chunks_added, first.chunks_removed, first.reused) == (2, 0, 0)
    make.embed(index)
    second = index.apply(Batch(puts=(make.note("a.md", "two", "three"),), model=make.model))
    assert (second.chunks_added, second.chunks_removed, second.reused) == (1, 1, 1)
    assert second.generation == index.generation > first.generation


def test_unchanged_passages_keep_their_ids(index: EmbeddedIndex, make: Any) -> None:
    index.apply(Batch(puts=(make.note("a.md", "one", "two", "two", "three"),), model=make.model))
    before = {chunk.id: chunk.text for chunk in index.chunks_of(1)}
    index.apply(Batch(puts=(make.note("a.md", "zero", "two", "two", "one"),), model=make.model))
    after = {chunk.id: chunk.text for chunk in index.chunks_of(1)}
    assert list(after.values()) == ["zero", "two", "two", "one"]
    assert {i for i, text in after.items() if text in {"one", "two"}} == set(before) & set(after)
    assert max(before) < next(i for i, text in after.items() if text == "zero")


def test_ids_are_never_used_again(index: EmbeddedIndex, make: Any) -> None:
    index.apply(Batch(puts=(make.note("a.md", "one"),), model=make.model))
    index.apply(Batch(removes=("a.md",)))
    index.apply(Batch(puts=(make.note("a.md", "one"),), model=make.model))
    note = index.note_at("a.md")
    assert note is not None
    assert note.id == 2
    assert [chunk.id for chunk in index.chunks_of(note.id)] == [2]


def test_a_moved_note_keeps_its_id_and_its_ledger_entry(index: EmbeddedIndex, make: Any) -> None:
    index.apply(Batch(puts=(make.note("a.md", "one"),), model=make.model))
    index.apply(Batch(moves=(NoteMove("a.md", "b/a.md", 5, 6),), model=make.model))
    note = index.note_at("b/a.md")
    assert note is not None
    assert (note.id, note.size) == (1, 5)
    assert index.note_at("a.md") is None
    assert list(states(index)) == ["b/a.md"]
    assert index.manifest()["b/a.md"].mtime_ns == 6


def test_moves_may_swap_and_replace(index: EmbeddedIndex, make: Any) -> None:
    puts = tuple(make.note(f"{name}.md", name) for name in "abc")
    index.apply(Batch(puts=puts, model=make.model))
    index.apply(Batch(moves=(NoteMove("a.md", "b.md", 1, 1), NoteMove("b.md", "a.md", 1, 1))))
    assert {path: entry.note_id for path, entry in index.manifest().items()} == {
        "b.md": 1,
        "a.md": 2,
        "c.md": 3,
    }
    index.apply(Batch(moves=(NoteMove("a.md", "c.md", 1, 1), NoteMove("gone.md", "x.md", 1, 1))))
    assert {path: e.note_id for path, e in index.manifest().items()} == {"b.md": 1, "c.md": 2}
    assert sorted(states(index)) == ["b.md", "c.md"]


def test_a_rename_with_a_new_title_is_found_by_it(
    index: EmbeddedIndex, make: Any, search: Search
) -> None:
    old = make.note("Rose.md", "red thing", header="Rose")
    index.apply(Batch(puts=(old,), model=make.model))
    make.embed(index)
    new = make.note("Tulip.md", "red thing", header="Tulip")
    index.apply(
        Batch(moves=(NoteMove("Rose.md", "Tulip.md", 1, 1),), puts=(new,), model=make.model)
    )
    assert search(index, "tulip") == ["red thing"]
    assert search(index, "rose") == []
    assert index.note_at("Tulip.md").id == 1  # type: ignore[union-attr]
    # The old vector answers until the new text has its own.
    old_vector = make.vector(old.chunks[0].text_hash)
    assert index.vectors.search(old_vector, limit=1).scores[0] > 0.99
    assert index.counts().vectors == 0
    make.embed(index)
    new_vector = make.vector(new.chunks[0].text_hash)
    assert index.vectors.search(new_vector, limit=1).scores[0] > 0.99
    assert index.vectors.count == 1


def test_an_edited_passage_keeps_the_vector_of_the_one_it_replaces(
    index: EmbeddedIndex, make: Any
) -> None:
    old = make.note("a.md", "a" * 50, "b" * 50)
    index.apply(Batch(puts=(old,), model=make.model))
    make.embed(index)
    index.apply(Batch(puts=(make.note("a.md", "a" * 50, "b" * 49 + "c"),), model=make.model))
    assert index.vectors.count == 2
    assert index.counts().vectors == 1
    edited = index.chunks_of(1)[1]
    answered = index.vectors.of_chunks(np.array([edited.id]))[1][0]
    assert answered @ make.vector(old.chunks[1].text_hash) > 0.99
    assert states(index) == {"a.md": "keyword_only"}


# --- the ledger ---------------------------------------------------------------------------------


def test_the_ledger_counts_pending_files_and_sums_to_all_files(
    index: EmbeddedIndex, make: Any
) -> None:
    index.apply(
        Batch(
            puts=(make.note("a.md", "one"), make.note("empty.md")),
            ledger=(
                LedgerEntry("big.md", "excluded", rule="too_large", reason="11 MB", size=11),
                LedgerEntry("odd.md", "failed", reason="gone while reading", attempts=3),
            ),
            model=make.model,
        )
    )
    assert states(index) == {
        "a.md": "keyword_only",
        "empty.md": "indexed",
        "big.md": "excluded",
        "odd.md": "failed",
    }
    assert [entry.path for entry in index.ledger(state="failed")] == ["odd.md"]
    assert index.ledger(path="big.md")[0].rule == "too_large"
    make.embed(index)
    counts = index.counts()
    assert counts.ledger == {
        "indexed": 2,
        "pending": 0,
        "failed": 1,
        "excluded": 1,
        "keyword_only": 0,
    }
    index.apply(Batch(removes=("odd.md", "a.md"), model=make.model))
    assert sorted(states(index)) == ["big.md", "empty.md"]


def test_totals_are_counted_once_a_generation(index: EmbeddedIndex, make: Any) -> None:
    reader = EmbeddedIndex.open(store_of(index).directory, writable=False)
    for turn in range(3):
        index.apply(Batch(puts=(make.note(f"{turn}.md", "one", "two"),), model=make.model))
        assert index.counts() is index.counts()
        assert index.counts().notes == reader.counts().notes == turn + 1
        make.embed(index)
        assert index.counts().vectors == 2 * (turn + 1)
        assert index.counts().ledger["indexed"] == turn + 1
    index.use_model(None, 0)
    assert index.counts().vectors == 0
    reader.close()


def test_a_failure_keeps_what_was_indexed(index: EmbeddedIndex, make: Any, search: Search) -> None:
    index.apply(Batch(puts=(make.note("a.md", "roses"),), model=make.model))
    index.apply(Batch(ledger=(LedgerEntry("a.md", "failed", reason="locked"),)))
    assert search(index, "roses") == ["roses"]
    assert states(index) == {"a.md": "failed"}


def test_a_touch_updates_size_and_time_in_the_manifest(index: EmbeddedIndex, make: Any) -> None:
    index.apply(Batch(puts=(make.note("a.md", "one"),), model=make.model))
    known = index.manifest()["a.md"]
    touched = ManifestEntry(known.note_id, "a.md", 77, 88, known.content_hash)
    index.apply(Batch(touches=(touched,), model=make.model))
    assert index.manifest()["a.md"] == touched


def test_a_ledger_change_does_not_touch_the_keyword_index(
    index: EmbeddedIndex, make: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    index.apply(Batch(puts=(make.note("a.md", "one"),), model=make.model))

    def written(*_: object, **__: object) -> None:
        raise AssertionError

    monkeypatch.setattr(Postings, "update", written)
    known = index.manifest()["a.md"]
    touched = ManifestEntry(known.note_id, "a.md", 7, 8, known.content_hash)
    index.apply(Batch(touches=(touched,), ledger=(LedgerEntry("b.md", "pending"),)))
    assert states(index)["b.md"] == "pending"
    assert index.all_notes()[0].size == 7


def test_without_a_model_notes_wait_for_vectors(index: EmbeddedIndex, make: Any) -> None:
    index.apply(Batch(puts=(make.note("a.md", "one"), make.note("e.md")), model=make.model))
    make.embed(index)
    assert states(index) == {"a.md": "indexed", "e.md": "indexed"}
    index.use_model(None, 0)
    assert states(index) == {"a.md": "keyword_only", "e.md": "indexed"}
    assert index.vectors.count == 0
    index.use_model(make.model, make.dimensions)
    assert states(index) == {"a.md": "indexed", "e.md": "indexed"}
    assert index.vectors.count == 1


# --- vectors ------------------------------------------------------------------------------------


def test_nothing_is_embedded_twice(index: EmbeddedIndex, make: Any) -> None:
    put = make.note("a.md", "one", "two")
    index.apply(Batch(puts=(put,), model=make.model))
    assert make.embed(index) == 2
    index.apply(Batch(removes=("a.md",), model=make.model))
    assert index.vectors.count == 0
    applied = index.apply(Batch(puts=(make.note("b.md", "two", "one"),), model=make.model))
    assert applied.reused == 2
    assert index.pending_texts(make.model, 10) == ()
    assert index.vectors.count == 2
    assert states(index) == {"b.md": "indexed"}


def test_going_back_to_a_model_embeds_nothing(index: EmbeddedIndex, make: Any) -> None:
    index.apply(Batch(puts=(make.note("a.md", "one"),), model=make.model))
    make.embed(index)
    index.use_model(make.other_model, make.dimensions)
    assert index.vectors.count == 0
    assert states(index) == {"a.md": "keyword_only"}
    assert make.embed(index, make.other_model) == 1
    index.use_model(make.model, make.dimensions)
    assert index.pending_count(make.model) == 0
    assert index.vectors.count == 1
    assert states(index) == {"a.md": "indexed"}


def test_a_model_can_be_embedded_while_another_is_in_use(index: EmbeddedIndex, make: Any) -> None:
    index.apply(Batch(puts=(make.note("a.md", "one", "two"),), model=make.model))
    make.embed(index)
    assert index.pending_count(make.other_model) == 2
    assert make.embed(index, make.other_model) == 2
    assert index.pending_count(make.other_model) == 0
    assert index.counts().vectors == 2
    index.use_model(make.other_model, make.dimensions)
    assert index.vectors.count == 2


def test_while_a_model_is_embedded_the_ledger_follows_the_one_in_use(
    index: EmbeddedIndex, make: Any
) -> None:
    index.apply(Batch(puts=(make.note("a.md", "one two", "three"),), model=make.model))
    make.embed(index)
    same = make.note("a.md", "one two", "three")
    cut_otherwise = replace(
        make.note("a.md", "one", "two", "three"), content_hash=same.content_hash
    )
    edited = make.note("b.md", "four")

    applied = index.apply(Batch(puts=(cut_otherwise, edited), model=make.other_model))

    assert applied.reused == 0
    assert states(index) == {"a.md": "indexed", "b.md": "keyword_only"}
    assert index.covered_chunks(make.model) == 3
    assert index.covered_chunks(make.other_model) == 0
    assert index.vectors.count == 3
    index.apply(Batch(puts=(make.note("a.md", "one", "other"),), model=make.other_model))
    assert states(index)["a.md"] == "keyword_only"


def test_a_note_that_will_be_read_again_is_not_embedded_before(
    index: EmbeddedIndex, make: Any
) -> None:
    index.apply(Batch(puts=(make.note("a.md", "one"), make.note("b.md", "two")), model=make.model))
    index.apply(Batch(ledger=(LedgerEntry("a.md", "pending"),)))
    assert [each.text for each in index.pending_texts(make.model, 9)] == ["two"]
    assert index.pending_count(make.model) == 1
    assert index.pending_count(make.other_model) == 1


def test_pending_texts_come_newest_first_each_once(index: EmbeddedIndex, make: Any) -> None:
    index.apply(
        Batch(
            puts=(
                make.note("old.md", "same", "old", modified=1),
                make.note("new.md", "new", "same", modified=9, header="H"),
                make.note("mid.md", "same", "mid", modified=5),
            ),
            model=make.model,
        )
    )
    texts = [each.text for each in index.pending_texts(make.model, 10)]
    assert texts == ["H\nnew", "H\nsame", "same", "mid", "old"]
    assert index.pending_count(make.model) == 5
    first = index.pending_texts(make.model, 2)
    assert [each.path for each in first] == ["new.md", "new.md"]
    rest = index.pending_texts(make.model, 2, skip={each.text_hash for each in first})
    assert [each.text for each in rest] == ["same", "mid"]


@pytest.mark.parametrize(
    "vector",
    [np.ones(3, np.float32), np.full(8, np.nan, np.float32), np.full(8, 1e9, np.float32)],
)
def test_a_bad_vector_is_refused_and_none_of_its_batch_is_stored(
    index: EmbeddedIndex, make: Any, vector: Any
) -> None:
    index.apply(Batch(puts=(make.note("a.md", "one", "two"),), model=make.model))
    good, bad = index.pending_texts(make.model, 2)
    generation = index.generation
    with pytest.raises(ModelError, match=bad.text_hash.hex()):
        index.store_vectors(
            make.model,
            [
                VectorPut(good.text_hash, make.vector(good.text_hash)),
                VectorPut(bad.text_hash, vector),
            ],
        )
    assert index.pending_count(make.model) == 2
    assert index.generation == generation


def test_a_model_cannot_change_its_dimensions(index: EmbeddedIndex, make: Any) -> None:
    with pytest.raises(ModelError, match="dimensions"):
        index.use_model(make.model, 9)
    reader = EmbeddedIndex.open(store_of(index).directory, writable=False)
    with pytest.raises(ModelError, match="dimensions"):
        reader.use_model(make.model, 9)
    reader.close()


# --- crashes and reopening ----------------------------------------------------------------------


def test_a_crash_between_database_and_keyword_index_is_repaired(
    tmp_path: Path, make: Any, search: Search, monkeypatch: pytest.MonkeyPatch
) -> None:
    index = EmbeddedIndex.open(tmp_path, writable=True)
    puts = (make.note("a.md", "roses"), make.note("b.md", "tulips"))
    index.apply(Batch(puts=puts, model=make.model))
    with monkeypatch.context() as crash:

        def dies(*_: object, **__: object) -> None:
            raise KeyboardInterrupt

        crash.setattr(Postings, "update", dies)
        with pytest.raises(KeyboardInterrupt):
            index.apply(
                Batch(
                    removes=("a.md",),
                    puts=(make.note("c.md", "violets"),),
                    moves=(NoteMove("b.md", "deep/b.md", 1, 1),),
                    model=make.model,
                )
            )
    index._structures._postings._writer.rollback()  # type: ignore[union-attr]
    reader = EmbeddedIndex.open(tmp_path, writable=False)
    for opened in (reader,):
        assert search(opened, "roses tulips violets deep") == ["tulips", "violets"]
    reader.close()
    index.close()
    again = EmbeddedIndex.open(tmp_path, writable=True)
    assert search(again, "roses tulips violets deep") == ["tulips", "violets"]
    again.close()


def test_a_failing_keyword_index_is_rebuilt(
    index: EmbeddedIndex, make: Any, search: Search, monkeypatch: pytest.MonkeyPatch
) -> None:
    index.apply(Batch(puts=(make.note("a.md", "roses"),), model=make.model))
    update, calls = Postings.update, []

    def fails_once(self: Postings, *args: Any, **kwargs: Any) -> None:
        calls.append(1)
        if len(calls) == 1:
            raise IndexFailure("a file went away")
        update(self, *args, **kwargs)

    monkeypatch.setattr(Postings, "update", fails_once)
    index.apply(Batch(puts=(make.note("b.md", "more roses"),), model=make.model))
    assert len(search(index, "roses")) == 2


def test_structures_in_memory_are_reloaded_after_a_failed_update(
    index: EmbeddedIndex, make: Any, search: Search, monkeypatch: pytest.MonkeyPatch
) -> None:
    index.apply(Batch(puts=(make.note("a.md", "roses", links=("b",)),), model=make.model))
    make.embed(index)
    assert len(index.graph) == 1
    with monkeypatch.context() as broken:

        def fails(*_: object, **__: object) -> None:
            raise RuntimeError("a bug")

        broken.setattr(type(index.graph), "update", fails)
        index.apply(Batch(puts=(make.note("b.md", "more roses"),), model=make.model))
    assert index.graph.links_out(1)[0][1] == 2
    assert len(search(index, "roses")) == 2
    assert index.vectors.count == 1


_KILLED = """
import os, sys
from pathlib import Path
sys.path.insert(0, sys.argv[2])
from conftest import Material
from notewell.index.embedded import EmbeddedIndex
from notewell.base.types import Batch
make = Material()
index = EmbeddedIndex.open(Path(sys.argv[1]), writable=True)
index.use_model(make.model, make.dimensions)
for turn in range(1000):
    index.apply(Batch(puts=(make.note(f"{turn}.md", f"text {turn}"),), model=make.model))
    make.embed(index)
    print(turn, flush=True)
"""


def test_kill_at_any_instant_loses_only_the_batch_in_flight(
    tmp_path: Path, make: Any, search: Search
) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", _KILLED, str(tmp_path), str(Path(__file__).parent)],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    with process, process.stdout:
        done = next(int(line) for line in process.stdout if int(line) >= 7)
        process.kill()
    for writable in (False, True):
        index = EmbeddedIndex.open(tmp_path, writable=writable)
        index.use_model(make.model, make.dimensions)
        kept = index.counts().notes
        assert kept > done
        assert sorted(search(index, "text", 100)) == sorted(f"text {n}" for n in range(kept))
        assert index.vectors.count >= done
        assert sum(index.counts().ledger.values()) == kept
        index.close()


def test_a_reader_beside_a_writer_serves_committed_data(
    index: EmbeddedIndex, make: Any, search: Search
) -> None:
    index.apply(Batch(puts=(make.note("a.md", "roses"),), model=make.model))
    make.embed(index)
    reader = EmbeddedIndex.open(store_of(index).directory, writable=False)
    reader.use_model(make.model, make.dimensions)
    assert search(reader, "roses") == ["roses"]
    assert reader.vectors.count == 1
    assert not reader.refresh()
    index.apply(Batch(puts=(make.note("b.md", "more roses", links=("a",)),), model=make.model))
    make.embed(index)
    assert reader.refresh()
    assert len(search(reader, "roses")) == 2
    assert reader.vectors.count == 2
    assert reader.generation == index.generation
    assert len(reader.all_notes()) == 2
    assert reader.graph.backlinks(1) == {2}
    reader.close()


def test_a_reader_may_use_another_model_than_the_writer(index: EmbeddedIndex, make: Any) -> None:
    index.apply(Batch(puts=(make.note("a.md", "one", "two"),), model=make.model))
    make.embed(index)
    make.embed(index, make.other_model, limit=1)
    directory = store_of(index).directory
    index.close()
    reader = EmbeddedIndex.open(directory, writable=False)
    reader.use_model(make.other_model, make.dimensions)
    assert reader.vectors.count == 1
    assert reader.counts().vectors == 1
    reader.close()


def test_meta_values_of_callers_are_stored(index: EmbeddedIndex) -> None:
    assert index.meta("fingerprint") is None
    index.set_meta("fingerprint", "abc")
    assert index.meta("fingerprint") == "abc"
    index.set_meta("id", "mine")
    assert index.meta("id") == "mine"


def test_reopening_needs_no_rebuild(tmp_path: Path, make: Any, search: Search) -> None:
    index = EmbeddedIndex.open(tmp_path, writable=True)
    index.use_model(make.model, make.dimensions)
    puts = (make.note("a.md", "roses", links=("b",)), make.note("b.md", "tulips"))
    index.apply(Batch(puts=puts, model=make.model))
    make.embed(index)
    index.close()
    with pytest.MonkeyPatch.context() as patch:

        def rebuilt(*_: object, **__: object) -> None:
            raise AssertionError

        for module, name in (
            (structures, "catch_up"),
            (structures.vector_store, "vectors_by_chunk"),
        ):
            patch.setattr(module, name, rebuilt)
        patch.setattr(structures, "build_graph", rebuilt)
        patch.setattr(structures.reads, "chunk_notes", rebuilt)
        again = EmbeddedIndex.open(tmp_path, writable=False)
        again.use_model(make.model, make.dimensions)
        assert search(again, "roses") == ["roses"]
        assert again.vectors.count == 2
        assert again.graph.backlinks(2) == {1}
        assert again.note_ids_of(np.array([1, 2, 3])).tolist() == [1, 2, -1]
        again.close()


# --- notes without passages ---------------------------------------------------------------------


def owners(index: EmbeddedIndex, query: str) -> list[int]:
    hits = index.keywords.search([QueryTerm(token) for token in tokens(query)], limit=10)
    return index.note_ids_of(hits.chunk_ids).tolist()


def test_a_note_without_passages_is_found_by_its_name(index: EmbeddedIndex, make: Any) -> None:
    bare = make.note("People/Ada Lovelace.md", aliases=("Countess",), tags=("mathematics",))
    index.apply(Batch(puts=(bare, make.note("b.md", "roses")), model=make.model))
    for query in ("lovelace", "countess", "mathematics", "people", "draft", "2.5"):
        assert owners(index, query) == [1], query
    assert owners(index, "roses") == [2]
    assert states(index)["People/Ada Lovelace.md"] == "indexed"
    assert index.counts().chunks == index.chunk_count == 1
    assert index.chunks_of(1) == ()
    assert index.keywords.notes_with_phrase(["ada", "lovelace"]).tolist() == [1]
    hits = index.keywords.search([QueryTerm("lovelace")], limit=1)
    [stand_in] = index.chunks(hits.chunk_ids.tolist()).values()
    assert (stand_in.note_id, stand_in.text, stand_in.lines) == (1, "", (1,))


def test_the_placeholder_is_removed_with_the_note_or_when_it_gets_passages(
    index: EmbeddedIndex, make: Any
) -> None:
    index.apply(Batch(puts=(make.note("rose.md"), make.note("tulip.md", "text")), model=make.model))
    hits = index.keywords.search([QueryTerm("rose")], limit=1).chunk_ids
    index.apply(Batch(moves=(NoteMove("rose.md", "garden/rose.md", 1, 1),)))
    assert owners(index, "garden") == [1]
    index.apply(
        Batch(puts=(make.note("garden/rose.md", "red"), make.note("tulip.md")), model=make.model)
    )
    assert owners(index, "rose") == [1]
    assert owners(index, "tulip") == [2]
    assert index.note_ids_of(hits).tolist() == [-1]
    assert index.chunks(hits.tolist()) == {}
    index.apply(Batch(removes=("tulip.md",)))
    assert owners(index, "tulip") == []


@pytest.mark.parametrize("writable", [True, False])
def test_a_note_without_passages_is_found_after_reopening(
    tmp_path: Path, make: Any, *, writable: bool
) -> None:
    index = EmbeddedIndex.open(tmp_path, writable=True)
    index.apply(Batch(puts=(make.note("rose.md"), make.note("b.md", "text")), model=make.model))
    assert owners(index, "rose") == [1]
    index.close()
    again = EmbeddedIndex.open(tmp_path, writable=writable)
    assert owners(again, "rose") == [1]
    assert again.chunk_count == 1
    again.close()
    (tmp_path / "chunks.snapshot").unlink()
    without = EmbeddedIndex.open(tmp_path, writable=writable)
    assert owners(without, "rose") == [1]
    without.close()


# --- in step, whatever happens ------------------------------------------------------------------

_PATHS = ("a.md", "b.md", "c/a.md", "c/d.md")
_TEXTS = ("red rose", "blue violet", "red tulip", "green leaf", "花が咲く")


class InStep(RuleBasedStateMachine):
    """After any changes an index equals one made from nothing, and so does it when reopened."""

    def __init__(self, folder: Path, make: Any) -> None:
        super().__init__()
        self.folder = folder
        self.make = make
        self.number = 0

    @initialize()
    def begin(self) -> None:
        InStep.runs = getattr(InStep, "runs", 0) + 1
        self.directory = self.folder / str(InStep.runs)
        self.expected: dict[str, NotePut] = {}
        self.embedded: set[bytes] = set()
        self.index = EmbeddedIndex.open(self.directory, writable=True)
        self.index.use_model(self.make.model, self.make.dimensions)

    def batch(self, **parts: Any) -> None:
        self.index.apply(Batch(**parts, model=self.make.model))

    @rule(
        path=st.sampled_from(_PATHS),
        texts=st.lists(st.sampled_from(_TEXTS), max_size=3),
        links=st.lists(st.sampled_from(("a", "d", "c/a", "nope")), max_size=2),
    )
    def put(self, path: str, texts: list[str], links: list[str]) -> None:
        self.expected[path] = self.make.note(path, *texts, links=links)
        self.batch(puts=(self.expected[path],))

    @rule(path=st.sampled_from(_PATHS))
    def remove(self, path: str) -> None:
        self.expected.pop(path, None)
        self.batch(removes=(path,))

    @rule(old=st.sampled_from(_PATHS), new=st.sampled_from(_PATHS))
    def move(self, old: str, new: str) -> None:
        if old not in self.expected:
            return
        before = self.expected.pop(old)
        # A move keeps the content: what differs is the path alone.
        note = self.make.note(
            new,
            *(chunk.text for chunk in before.chunks),
            links=[link.target for link in before.note.links],
            title=before.note.title,
        )
        self.expected[new] = note
        self.batch(moves=(NoteMove(old, new, 1, 1),))

    @rule(limit=st.integers(1, 3))
    def embed(self, limit: int) -> None:
        pending = self.index.pending_texts(self.make.model, limit)
        assert not self.embedded & {each.text_hash for each in pending}
        self.embedded |= {each.text_hash for each in pending}
        self.make.embed(self.index, limit=limit)

    @rule()
    def reopen(self) -> None:
        self.index.close()
        self.index = EmbeddedIndex.open(self.directory, writable=True)
        self.index.use_model(self.make.model, self.make.dimensions)

    @invariant()
    def equal_to_one_made_from_nothing(self) -> None:
        if not hasattr(self, "index"):
            return
        index = self.index
        assert set(index.manifest()) == set(self.expected) == set(states(index))
        ids = {path: entry.note_id for path, entry in index.manifest().items()}
        for path, put in self.expected.items():
            chunks = index.chunks_of(ids[path])
            assert [chunk.text for chunk in chunks] == [chunk.text for chunk in put.chunks]
            own = all(chunk.text_hash in self.embedded for chunk in put.chunks)
            assert states(index)[path] == ("indexed" if own else "keyword_only")
        self.keywords_agree(index, ids)
        self.vectors_agree(index)
        fresh = structures.build_graph(store_of(index))
        for note_id in ids.values():
            assert index.graph.links_out(note_id) == fresh.links_out(note_id)
            assert index.graph.links_in(note_id) == fresh.links_in(note_id)

    def keywords_agree(self, index: EmbeddedIndex, ids: dict[str, int]) -> None:
        for word in ("red", "violet", "花が", "c", "draft"):
            hits = index.keywords.search([QueryTerm(word)], limit=100)
            owners = index.note_ids_of(hits.chunk_ids).tolist()
            expected = [
                ids[path]
                for path, put in self.expected.items()
                for text in [chunk.text for chunk in put.chunks] or ["draft 1 2.5"]
                if word in tokens(f"{text} {path} {put.note.title}")
            ]
            assert sorted(owners) == sorted(expected)

    def vectors_agree(self, index: EmbeddedIndex) -> None:
        query = self.make.vector(b"query" * 4)
        hits = index.vectors.search(query, limit=100)
        own = {
            chunk.id: chunk.text_hash
            for entry in index.manifest().values()
            for chunk in index.chunks_of(entry.note_id)
            if chunk.text_hash in self.embedded
        }
        scores = dict(zip(hits.chunk_ids.tolist(), hits.scores.tolist(), strict=True))
        assert own.keys() <= scores.keys()
        for chunk_id, hashed in own.items():
            assert abs(scores[chunk_id] - float(self.make.vector(hashed) @ query)) < 5e-3
        assert index.counts().vectors == len(own)
        waiting = {
            chunk.text_hash for put in self.expected.values() for chunk in put.chunks
        } - self.embedded
        assert index.pending_count(self.make.model) == len(waiting)

    def teardown(self) -> None:
        if hasattr(self, "index"):
            self.index.close()


def test_after_any_changes_all_structures_agree(tmp_path: Path, make: Any) -> None:
    run_state_machine_as_test(
        lambda: InStep(tmp_path, make),
        settings=settings(
            max_examples=6,
            stateful_step_count=10,
            deadline=None,
            derandomize=True,
            suppress_health_check=list(HealthCheck),
        ),
    )
