"""The terms of notes on disk, and the postings made from them: consistent whatever happens."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from notewell.base.errors import IndexFailure
from notewell.base.types import Batch, NoteFieldWeights
from notewell.index.analyze import tokens
from notewell.index.embedded import EmbeddedIndex, note_search
from notewell.index.embedded.keywords import Keywords
from notewell.index.embedded.note_search import NOTE_POSTINGS_FILE
from notewell.index.embedded.note_terms import NOTE_TERMS_FILE, NoteTermsFile, TermsState
from notewell.index.embedded.postings import FOLDER, Postings
from notewell.index.lexical import ChunkText, QueryTerm, SearchText


def note(number: int, body: str) -> SearchText:
    return SearchText(number, f"{number}.md", "", (), (), (ChunkText(number, (), body),))


NONE = np.empty(0, np.int64)


def kept(store: NoteTermsFile, since: int = -1) -> dict[int, bytes]:
    return dict(store.since(since, NONE).rows)


def notes_with(postings: Postings, word: str) -> list[int]:
    terms = [QueryTerm(token) for token in tokens(word)]
    found = Keywords(postings).match_notes(terms, weights=NoteFieldWeights())
    return [int(each) for each in found.note_ids]


def test_stored_terms_are_read_by_generation_and_replaced(tmp_path: Path) -> None:
    store = NoteTermsFile(tmp_path / NOTE_TERMS_FILE)
    assert (kept(store), store.state()) == ({}, None)
    store.put(((number, b"old") for number in range(1200)), 2)
    store.complete([(7, b"new")], gone=[8], database="d", generation=3)
    assert len(kept(store)) == 1199
    assert kept(store, since=2) == {7: b"new"}
    assert store.since(2, np.arange(1200)).gone == [8]
    assert store.since(3, store.note_ids()).gone == []
    store.close()
    assert store.state() == TermsState("d", 3, "")
    store.name_snapshot("s")
    store.complete([], gone=[], database="d", generation=4)
    assert store.state() == TermsState("d", 4, "s")
    store.clear()
    assert (kept(store), store.state()) == ({}, None)
    store.close()


def test_a_batch_that_fails_changes_nothing(tmp_path: Path) -> None:
    store = NoteTermsFile(tmp_path / NOTE_TERMS_FILE)
    store.complete([(1, b"one")], gone=(), database="d", generation=1)
    with pytest.raises(IndexFailure):
        store.complete([(1, b"two"), (object(), b"x")], gone=(), database="d", generation=2)  # type: ignore[list-item]
    assert (kept(store), store.state()) == ({1: b"one"}, TermsState("d", 1, ""))
    store.close()


def test_another_process_reads_the_latest_commit(tmp_path: Path) -> None:
    writer, reader = (NoteTermsFile(tmp_path / NOTE_TERMS_FILE) for _ in range(2))
    assert kept(reader) == {}
    writer.complete([(1, b"one")], gone=(), database="d", generation=1)
    assert kept(reader) == {1: b"one"}
    writer.complete([(1, b"two")], gone=(), database="d", generation=2)
    assert kept(reader) == {1: b"two"}
    writer.close()
    reader.close()


def test_threads_read_whole_batches_while_one_writes(tmp_path: Path) -> None:
    store = NoteTermsFile(tmp_path / NOTE_TERMS_FILE)
    store.complete([(n, b"0") for n in range(50)], gone=(), database="d", generation=0)
    mixed: list[set[bytes]] = []
    done = threading.Event()

    def read() -> None:
        while not done.is_set():
            mixed.append(set(kept(store).values()))

    threads = [threading.Thread(target=read) for _ in range(3)]
    for thread in threads:
        thread.start()
    for turn in range(1, 40):
        store.complete(
            [(n, b"%d" % turn) for n in range(50)], gone=(), database="d", generation=turn
        )
    done.set()
    for thread in threads:
        thread.join()
    assert {len(values) for values in mixed} == {1}
    store.close()


def test_a_changed_note_is_not_found_by_its_former_text(tmp_path: Path) -> None:
    postings = Postings(tmp_path)
    postings.update([note(1, "honey")], gone=(), database="d", generation=1)
    assert notes_with(postings, "honey") == [1]
    postings.update([note(1, "snow")], gone=(), database="d", generation=2)
    assert (notes_with(postings, "honey"), notes_with(postings, "snow")) == ([], [1])
    postings.update([], gone=[1], database="d", generation=3)
    assert notes_with(postings, "snow") == []
    postings.close()


def test_terms_lost_in_a_power_cut_are_rebuilt(tmp_path: Path) -> None:
    postings = Postings(tmp_path)
    postings.update([note(1, "honey")], gone=(), database="d", generation=1)
    postings.update([note(1, "snow")], gone=(), database="d", generation=2)
    assert postings.belongs_to() == ("d", 2)
    store = NoteTermsFile(tmp_path / NOTE_TERMS_FILE)
    store.complete([], gone=(), database="d", generation=1)
    assert postings.belongs_to() == ("d", 1)
    store.complete([], gone=(), database="d", generation=3)  # stopped before the documents' commit
    assert postings.belongs_to() == ("d", 2)
    store.complete([], gone=(), database="other", generation=2)
    assert postings.belongs_to() is None
    store.close()
    postings.close()


def test_a_private_copy_has_the_terms(tmp_path: Path) -> None:
    postings = Postings(tmp_path)
    postings.update([note(1, "honey")], gone=(), database="d", generation=1)
    postings.notes.save()
    copied = Postings.copy_of(tmp_path)
    copied.update([note(2, "snow")], gone=(), database="d", generation=2)
    assert notes_with(copied, "honey snow") == [1, 2]
    assert notes_with(postings, "snow") == []
    copied.close()
    postings.close()


def test_after_a_restart_the_snapshot_and_later_changes_are_searched(tmp_path: Path) -> None:
    postings = Postings(tmp_path)
    postings.update([note(n, "honey") for n in range(1, 41)], gone=(), database="d", generation=1)
    postings.notes.save()
    saved = (tmp_path / NOTE_POSTINGS_FILE).read_bytes()
    postings.update([note(2, "snow"), note(50, "snow honey")], gone=[5], database="d", generation=2)
    postings.notes.save()
    assert (tmp_path / NOTE_POSTINGS_FILE).read_bytes() == saved  # few changes: they are read
    postings.close()
    again = Postings(tmp_path)
    assert notes_with(again, "honey") == [1, 3, 4, *range(6, 41), 50]
    assert notes_with(again, "snow") == [2, 50]
    first = again.notes.table.first
    assert first is not None
    assert not first.notes.flags.owndata  # mapped
    again.close()


def test_many_changes_are_saved_in_a_new_snapshot(tmp_path: Path) -> None:
    postings = Postings(tmp_path)
    postings.update([note(1, "honey")], gone=(), database="d", generation=1)
    postings.notes.save()
    postings.update([note(n, "snow") for n in range(2, 90)], gone=(), database="d", generation=2)
    postings.notes.save()
    assert postings.notes.table.changed_count == 0
    assert notes_with(postings, "honey snow") == list(range(1, 90))
    postings.close()


def test_a_snapshot_of_an_earlier_version_is_used_and_written_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    postings = Postings(tmp_path)
    postings.update([note(n, "honey") for n in range(1, 9)], gone=(), database="d", generation=1)
    with monkeypatch.context() as earlier:
        earlier.setattr(note_search, "_LARGEST", "of_no_use")
        postings.notes.save()
    postings.close()
    file = tmp_path / NOTE_POSTINGS_FILE
    for written in (True, False):
        before = file.read_bytes()
        again = Postings(tmp_path)
        assert notes_with(again, "honey") == list(range(1, 9))
        again.notes.save()
        assert (file.read_bytes() != before) == written
        again.close()


@pytest.mark.parametrize("harm", ["cut", "not named", "other arrays", "gone"])
def test_a_snapshot_that_does_not_fit_is_not_used(tmp_path: Path, harm: str) -> None:
    postings = Postings(tmp_path)
    postings.update([note(1, "honey"), note(2, "hive")], gone=(), database="d", generation=1)
    postings.notes.save()
    file = tmp_path / NOTE_POSTINGS_FILE
    if harm == "not named":  # stopped between the two writes
        old = file.read_bytes()
        postings.update(
            [note(n, "snow") for n in range(2, 90)], gone=(), database="d", generation=2
        )
        postings.notes.save()
        file.write_bytes(old)
    postings.close()
    if harm == "cut":
        file.write_bytes(file.read_bytes()[:-1])
    elif harm == "other arrays":
        file.write_bytes(file.read_bytes()[:-600] + b"\xff" * 600)
    elif harm == "gone":
        file.unlink()
    again = Postings(tmp_path)
    assert notes_with(again, "honey") == [1]
    assert notes_with(again, "snow") == (list(range(2, 90)) if harm == "not named" else [])
    again.close()


def test_a_large_update_is_searched_at_once(tmp_path: Path) -> None:
    postings = Postings(tmp_path)
    postings.update([note(1, "honey")], gone=(), database="d", generation=1)
    assert notes_with(postings, "honey") == [1]
    postings.update([note(n, "snow") for n in range(1, 1203)], gone=(), database="d", generation=2)
    assert notes_with(postings, "honey") == []
    assert len(notes_with(postings, "snow")) == 1202
    postings.close()


@pytest.mark.parametrize("harm", ["gone", "broken"])
def test_missing_terms_are_rebuilt(tmp_path: Path, make: Any, harm: str) -> None:
    first = EmbeddedIndex.open(tmp_path, writable=True)
    first.apply(Batch(puts=(make.note("a.md", "roses"), make.note("b.md", "bees"))))
    first.close()
    file = tmp_path / FOLDER / NOTE_TERMS_FILE
    if harm == "gone":
        file.unlink()
    else:
        file.write_bytes(b"\x00broken" * 3000)
    for writable in (False, True):
        index = EmbeddedIndex.open(tmp_path, writable=writable)
        found = index.keywords.match_notes([QueryTerm("roses")], weights=NoteFieldWeights())
        assert (index.keywords.note_count, len(found.note_ids)) == (2, 1)
        index.close()


def test_note_ids_include_those_of_an_interrupted_update(tmp_path: Path) -> None:
    postings = Postings(tmp_path)
    postings.update([note(1, "honey")], gone=(), database="d", generation=1)
    store = NoteTermsFile(tmp_path / NOTE_TERMS_FILE)
    store.put([(4, kept(store)[1])], 2)  # then the process was killed
    store.close()
    assert postings.note_ids().tolist() == [1, 4]
    assert np.array_equal(postings._terms.note_ids(), [1, 4])
    postings.close()
