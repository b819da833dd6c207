"""One file does not hold up the others: each has its time, and an error is its own."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from notewell.base.errors import UnreadableNoteError
from notewell.base.types import FileRef, LedgerEntry, Settings, VaultRecord, VaultRules
from notewell.engine.ingest import note_reader
from notewell.engine.ingest.indexer import Indexer
from notewell.engine.ingest.note_reader import NoteReader, Reading
from notewell.engine.ingest.pace import next_retry
from notewell.engine.ingest.queue import Work
from notewell.engine.ingest.signals import Signals
from notewell.index.embedded import EmbeddedIndex
from notewell.vault.read_notes import HashedNote
from notewell.vault.sources import FolderSource


class Folder(FolderSource):
    """A folder in which files of some names cannot be read as they should."""

    fails: Callable[[FileRef], None] = staticmethod(lambda _: None)

    def read(self, stamp: FileRef) -> HashedNote:
        self.fails(stamp)
        return super().read(stamp)


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    vault = tmp_path / "vault"
    vault.mkdir()
    (vault / "A.md").write_text("word " * 2_000, encoding="utf-8")
    (vault / "B.md").write_text("Bees.", encoding="utf-8")
    return Folder(VaultRecord("v1", "vault", vault), VaultRules())


@pytest.fixture
def index(tmp_path: Path) -> Iterator[EmbeddedIndex]:
    opened = EmbeddedIndex.open(tmp_path / "index", writable=True)
    yield opened
    opened.close()


def reader(folder: Folder, index: EmbeddedIndex, seconds: float) -> NoteReader:
    rules = Settings(Path(), Path(), Path()).chunking
    return NoteReader(Reading(folder, index, rules, None, lambda: None, seconds))


def files(folder: Folder) -> Sequence[FileRef]:
    return folder.list().files


def run(folder: Folder, index: EmbeddedIndex, work: Work = Work()) -> None:  # noqa: B008 - frozen
    vault = Path(folder.place)
    settings = Settings(data_dir=vault, model_dir=vault, state_dir=vault)
    Indexer(folder, index, settings).run(work, None, Signals())


def entry(index: EmbeddedIndex, path: str) -> LedgerEntry:
    (found,) = index.ledger(path=path)
    return found


def test_a_file_that_takes_too_long_to_be_cut_has_a_reason(
    folder: Folder, index: EmbeddedIndex
) -> None:
    read = reader(folder, index, seconds=0).group(files(folder))

    assert read is not None
    assert read.count == 2
    assert [(each.path, each.state, each.rule) for each in read.batch.ledger] == [
        ("A.md", "failed", "too_slow"),
        ("B.md", "failed", "too_slow"),
    ]
    assert "longer than 0 seconds" in (read.batch.ledger[0].reason or "")
    assert read.batch.removes == ()  # what the index has of them stays


def test_the_time_for_reading_counts(folder: Folder, index: EmbeddedIndex) -> None:
    read = reader(folder, index, seconds=3600).group(files(folder))

    assert read is not None
    assert [put.note.path for put in read.batch.puts] == ["A.md", "B.md"]


def test_a_group_ends_when_it_has_taken_long(
    folder: Folder, index: EmbeddedIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(note_reader, "_LONGEST_GROUP_S", 0.0)
    read = reader(folder, index, seconds=3600).group(files(folder))

    assert read is not None
    assert (read.count, [put.note.path for put in read.batch.puts]) == (1, ["A.md"])
    run(folder, index)
    assert {each.state for each in index.ledger()} == {"keyword_only"}


def test_an_error_that_nobody_foresaw_is_one_file_s(folder: Folder, index: EmbeddedIndex) -> None:
    def fails(file: FileRef) -> None:
        if file.path == "A.md":
            raise RecursionError

    folder.fails = fails
    run(folder, index)

    assert entry(index, "A.md").state == "failed"
    assert "failed unexpectedly (RecursionError)" in (entry(index, "A.md").reason or "")
    assert entry(index, "B.md").state == "keyword_only"


def test_what_was_too_slow_waits_for_a_change_or_a_person(
    folder: Folder, index: EmbeddedIndex
) -> None:
    tried: list[str] = []

    def fails(file: FileRef) -> None:
        tried.append(file.path)
        raise UnreadableNoteError(f"{file.path} took too long.", code="too_slow")

    folder.fails = fails
    run(folder, index)
    run(folder, index)
    assert sorted(tried) == ["A.md", "B.md"]
    assert next_retry(index.ledger(state="failed"), 0.0) is None

    run(folder, index, Work(paths=("A.md",), full=True))  # as a person's `retry` asks
    assert sorted(tried) == ["A.md", "A.md", "B.md"]

    place = Path(folder.place, "B.md")
    place.write_text("Bees dance.", encoding="utf-8")
    folder.fails = lambda _: None
    run(folder, index)
    assert entry(index, "B.md").state == "keyword_only"


def test_notes_of_usual_size_are_read_first_the_newest_of_them_before_others(
    tmp_path: Path, index: EmbeddedIndex
) -> None:
    sizes = {"new.md": 9, "old.md": 9, "large.md": 100_000, "larger.md": 300_000, "new.csv": 9}
    vault = tmp_path / "sizes"
    vault.mkdir()
    for age, (name, size) in enumerate(sizes.items()):
        place = vault / name
        place.write_text("word " * (size // 5), encoding="utf-8")
        stamp = 1e9 - age if name != "larger.md" else 2e9
        os.utime(place, (stamp, stamp))
    (vault / "page.html").write_text("<p>word", encoding="utf-8")
    seen: list[str] = []
    rules = VaultRules(types=(".md", ".csv", ".html"))
    folder = Folder(VaultRecord("v2", "sizes", vault), rules)
    folder.fails = lambda file: seen.append(file.path)
    settings = replace(Settings(vault, vault, vault), vault=rules)
    Indexer(folder, index, settings).run(Work(), None, Signals())

    assert seen == ["new.md", "old.md", "large.md", "new.csv", "page.html", "larger.md"]
