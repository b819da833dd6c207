"""The file of term counts: consistent with the postings, readable while it changes."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from notewell.errors import IndexFailure
from notewell.index.embedded.index import EmbeddedIndex
from notewell.index.embedded.postings import FOLDER, Postings
from notewell.index.embedded.term_counts import TERM_COUNTS_FILE, TermCountFile, bm25, hash_of
from notewell.index.lexical import ChunkText, NoteText, QueryTerm
from notewell.types import Batch


def note(number: int, body: str) -> NoteText:
    return NoteText(number, f"{number}.md", "", (), (), (ChunkText(number, (), body),))


def kept(store: TermCountFile, *notes: int) -> dict[int, bytes]:
    ids, packed = store.of(np.array(notes, np.int64))
    return dict(zip(ids.tolist(), packed, strict=True))


def often(postings: Postings, number: int, stem: str) -> bool:
    """Whether the term counts of a note have a stem."""
    _, packed = postings.term_counts(np.array([number]))
    return bool(packed) and bool(bm25(packed, {hash_of(stem): 1.0})[0] > 0)


def test_what_is_put_is_read_by_number_and_replaced(tmp_path: Path) -> None:
    store = TermCountFile(tmp_path / TERM_COUNTS_FILE)
    assert kept(store, 1) == {}
    assert store.belongs_to() is None
    store.put((number, b"old") for number in range(1200))
    store.complete([(7, b"new")], gone=[8], database="d", generation=3)
    assert len(kept(store, *range(2000))) == 1199
    assert kept(store, 7, 8, 9) == {7: b"new", 9: b"old"}
    store.close()
    assert store.belongs_to() == ("d", 3)
    store.clear()
    assert (kept(store, 7), store.belongs_to()) == ({}, None)
    store.close()


def test_a_batch_that_fails_changes_nothing(tmp_path: Path) -> None:
    store = TermCountFile(tmp_path / TERM_COUNTS_FILE)
    store.complete([(1, b"one")], gone=(), database="d", generation=1)
    with pytest.raises(IndexFailure):
        store.complete([(1, b"two"), (2, object())], gone=(), database="d", generation=2)  # type: ignore[list-item]
    assert (kept(store, 1, 2), store.belongs_to()) == ({1: b"one"}, ("d", 1))
    store.close()


def test_another_process_reads_the_latest(tmp_path: Path) -> None:
    writer, reader = (
        TermCountFile(tmp_path / TERM_COUNTS_FILE),
        TermCountFile(tmp_path / TERM_COUNTS_FILE),
    )
    assert kept(reader, 1) == {}
    writer.complete([(1, b"one")], gone=(), database="d", generation=1)
    assert kept(reader, 1) == {1: b"one"}
    writer.complete([(1, b"two")], gone=(), database="d", generation=2)
    assert kept(reader, 1) == {1: b"two"}
    writer.close()
    reader.close()


def test_threads_read_whole_batches_while_one_writes(tmp_path: Path) -> None:
    store = TermCountFile(tmp_path / TERM_COUNTS_FILE)
    store.complete([(n, b"0") for n in range(50)], gone=(), database="d", generation=0)
    mixed: list[set[bytes]] = []
    done = threading.Event()

    def read() -> None:
        while not done.is_set():
            mixed.append(set(kept(store, *range(50)).values()))

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


def test_a_changed_note_is_never_scored_by_what_it_said(tmp_path: Path) -> None:
    postings = Postings(tmp_path)
    postings.update([note(1, "honey")], gone=(), database="d", generation=1)
    assert often(postings, 1, "honey")
    postings.update([note(1, "snow")], gone=(), database="d", generation=2)
    assert (often(postings, 1, "honey"), often(postings, 1, "snow")) == (False, True)
    postings.update([], gone=[1], database="d", generation=3)
    assert postings.term_counts(np.array([1]))[1] == []
    postings.close()


def test_tallies_that_a_power_cut_took_are_made_again(tmp_path: Path) -> None:
    postings = Postings(tmp_path)
    postings.update([note(1, "honey")], gone=(), database="d", generation=1)
    postings.update([note(1, "snow")], gone=(), database="d", generation=2)
    assert postings.belongs_to() == ("d", 2)
    store = TermCountFile(tmp_path / TERM_COUNTS_FILE)
    store.complete([], gone=(), database="d", generation=1)
    assert postings.belongs_to() == ("d", 1)
    store.complete([], gone=(), database="d", generation=3)  # stopped before the documents' commit
    assert postings.belongs_to() == ("d", 2)
    store.complete([], gone=(), database="other", generation=2)
    assert postings.belongs_to() is None
    store.close()
    postings.close()


def test_a_private_copy_has_the_tallies(tmp_path: Path) -> None:
    postings = Postings(tmp_path)
    postings.update([note(1, "honey")], gone=(), database="d", generation=1)
    copied = Postings.copy_of(tmp_path)
    copied.update([note(2, "snow")], gone=(), database="d", generation=2)
    assert often(copied, 1, "honey")
    assert often(copied, 2, "snow")
    assert not often(postings, 2, "snow")
    copied.close()
    postings.close()


@pytest.mark.parametrize("harm", ["gone", "broken"])
def test_an_index_without_its_tallies_makes_them_again(
    tmp_path: Path, make: Any, harm: str
) -> None:
    first = EmbeddedIndex.open(tmp_path, writable=True)
    first.apply(Batch(puts=(make.note("a.md", "roses"), make.note("b.md", "bees"))))
    first.close()
    file = tmp_path / FOLDER / TERM_COUNTS_FILE
    if harm == "gone":
        file.unlink()
    else:
        file.write_bytes(b"\x00broken" * 3000)
    for writable in (False, True):
        index = EmbeddedIndex.open(tmp_path, writable=writable)
        notes = np.array([each.id for each in index.all_notes()])
        ids, scores = index.keywords.score_notes([QueryTerm("roses")], notes)
        assert (len(ids), np.count_nonzero(scores)) == (2, 1)
        index.close()
