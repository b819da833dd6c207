"""The checksums of notes' rows: right after any write, and not made right by a later one."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from notewell.base.errors import IndexDamagedError
from notewell.base.types import Batch, NoteMove
from notewell.index import engines
from notewell.index.embedded import EmbeddedIndex


def test_a_move_keeps_the_checksum_right_and_damage_found(make: Any, tmp_path: Path) -> None:
    with closing(EmbeddedIndex.open(tmp_path, writable=True)) as index:
        index.apply(Batch(puts=(make.note("a.md", "one", title="A"), make.note("b.md", "two"))))
        index.apply(Batch(moves=(NoteMove("a.md", "b.md", 1, 2), NoteMove("b.md", "ä.md", 3, 4))))
        assert {note.path for note in index.all_notes()} == {"b.md", "ä.md"}
        engines.check_notes(tmp_path)
        with closing(sqlite3.connect(tmp_path / engines.DATABASE)) as database, database:
            database.execute("UPDATE notes SET title = 'Q' WHERE title = 'A'")

        with pytest.raises(IndexDamagedError, match="a note"):
            index.apply(Batch(moves=(NoteMove("b.md", "c.md", 1, 2),)))
        with pytest.raises(IndexDamagedError, match="a note"):
            index.note_at("c.md")


@pytest.mark.parametrize("time", [float("nan"), float("inf"), -0.0, 1, 2**53 + 1, None])
def test_any_time_of_a_note_reads_back(make: Any, tmp_path: Path, time: float | None) -> None:
    """SQLite stores no NaN, and whole numbers as others."""
    put = make.note("a.md", "one")
    with closing(EmbeddedIndex.open(tmp_path, writable=True)) as index:
        index.apply(
            Batch(puts=(replace(put, note=replace(put.note, created=time, modified=time)),))
        )
        assert index.note_at("a.md") is not None


def test_damaged_words_do_not_enter_the_keyword_index(make: Any, tmp_path: Path) -> None:
    with closing(EmbeddedIndex.open(tmp_path, writable=True)) as index:
        index.apply(Batch(puts=(make.note("a.md", "one", title="Hive"),)))
    with closing(sqlite3.connect(tmp_path / engines.DATABASE)) as database, database:
        database.execute("UPDATE notes SET title = 'Five'")
    for file in (tmp_path / "keywords").iterdir():
        file.unlink()

    with pytest.raises(IndexDamagedError, match="a note"):
        EmbeddedIndex.open(tmp_path, writable=True).keywords.notes_with_all(["five"])
    with closing(EmbeddedIndex.open(tmp_path, writable=True)) as index:
        assert index.counts().notes == 0  # to be read again
