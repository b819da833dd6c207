"""What happens to a vault as a whole: renamed, gone, exchanged, written twice, under a wrong clock."""

from __future__ import annotations

import os
import threading
import time
import tracemalloc
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from notewell.base.errors import AnotherVaultError, ChangedNoteError, IndexInUseError, VaultError
from notewell.base.types import ModelRules, Settings, VaultRecord
from notewell.contract.search import SearchRequest
from notewell.engine.engine import Engine
from notewell.features import FEATURES
from notewell.vault.write import VaultWriter
from notewell.vault.write_journal import Journal
from tests.tiny_model import write_tiny_model
from tests.vaults import settings_in

LONG = os.environ.get("NOTEWELL_TEST_STRESS") == "long"
RENAMED = 10_000 if LONG else 1_000
NOTES = 12

Opener = Callable[[], Engine]


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    folder = tmp_path / "vault"
    folder.mkdir()
    write(folder, NOTES)
    return folder


def write(folder: Path, count: int, word: str = "tree") -> None:
    for n in range(count):
        (folder / f"{n}.md").write_text(f"{word} mark{n} water", encoding="utf-8")


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    weights = write_tiny_model(tmp_path / "weights")
    return settings_in(
        tmp_path,
        model=ModelRules(name="tiny", folder=str(weights), quantisation="fp32", threads=1),
    )


@pytest.fixture
def opened(tmp_path: Path, vault: Path, settings: Settings) -> Iterator[Opener]:
    """Open the engine; the one before is closed first."""
    engines: list[Engine] = []

    def again() -> Engine:
        for engine in engines:
            engine.close()
        record = VaultRecord("v", "vault", vault)
        engines[:] = [
            Engine.open(record, tmp_path / "index", settings, writable=True, features=FEATURES)
        ]
        return engines[0]

    yield again
    for engine in engines:
        engine.close()


def found(engine: Engine, query: str) -> list[str]:
    request = SearchRequest(query, mode="keyword", weak=True)
    return sorted(result.path for result in engine.search(request).results)


def test_nothing_is_embedded_when_every_note_is_renamed_at_once(
    opened: Opener, vault: Path
) -> None:
    write(vault, RENAMED)
    engine = opened()
    assert engine.index_now().embedded == RENAMED
    before = {note.path: note.id for note in engine.vault.index.all_notes()}
    (vault / "Archive").mkdir()
    for n in range(RENAMED):
        (vault / f"{n}.md").rename(vault / "Archive" / f"Renamed {n}.md")

    report = engine.index_now()

    assert (report.notes, report.embedded, report.removed, report.failed) == (RENAMED, 0, 0, 0)
    after = {note.path: note.id for note in engine.vault.index.all_notes()}
    assert after == {f"Archive/Renamed {n}.md": before[f"{n}.md"] for n in range(RENAMED)}
    assert found(engine, "mark7") == ["Archive/Renamed 7.md"]
    assert engine.index_now().embedded == 0


def test_a_vault_that_is_unmounted_keeps_its_index(opened: Opener, vault: Path) -> None:
    engine = opened()
    engine.index_now()
    away = vault.with_name("away")
    vault.rename(away)
    with pytest.raises(VaultError, match="vault"):
        engine.index_now()
    assert found(engine, "mark3") == ["3.md"]
    vault.mkdir()  # the empty folder on which a disk is mounted
    engine.index_now()
    assert engine.status().guard is not None
    assert found(opened(), "mark3") == ["3.md"]
    vault.rmdir()
    away.rename(vault)

    report = opened().index_now()

    assert (report.notes, report.embedded, report.removed) == (NOTES, 0, 0)


def test_a_vault_that_is_exchanged_for_another_is_not_indexed_over_it(
    opened: Opener, vault: Path
) -> None:
    opened().index_now()
    away = vault.with_name("away")
    vault.rename(away)
    vault.mkdir()
    for n in range(NOTES):
        (vault / f"Other {n}.md").write_text(f"quite another text {n}", encoding="utf-8")
    with pytest.raises(AnotherVaultError):
        opened().index_now()
    (other := vault.with_name("other")).mkdir()
    vault.rename(other / "vault")
    away.rename(vault)

    assert opened().index_now().embedded == 0


def test_names_that_differ_in_case_alone_are_two_notes_or_a_rename(
    opened: Opener, vault: Path
) -> None:
    engine = opened()
    (vault / "Upper.md").write_text("first of the pair", encoding="utf-8")
    engine.index_now()
    (vault / "Upper.md").rename(vault / "upper.md")
    assert engine.index_now().embedded == 0
    assert found(engine, "pair") == ["upper.md"]
    (vault / "UPPER.md").write_text("second of the pair", encoding="utf-8")
    if len(list(vault.glob("[uU]*.md"))) == 1:
        pytest.skip("the disk does not tell case apart")
    assert engine.index_now().embedded == 1
    assert found(engine, "pair") == ["UPPER.md", "upper.md"]


def test_a_note_of_200_mb_is_left_out_without_being_read(opened: Opener, vault: Path) -> None:
    with (vault / "Huge.md").open("wb") as file:
        file.truncate(200_000_000)
    engine = opened()
    engine.index_now()
    (vault / "Huge.md").touch()
    tracemalloc.start()
    engine.index_now()
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    (entry,) = engine.ledger(path="Huge.md").entries
    assert (entry.state, entry.rule) == ("excluded", "too_large")
    assert peak < 20_000_000


def test_a_second_writer_of_an_index_is_refused(
    opened: Opener, tmp_path: Path, vault: Path, settings: Settings
) -> None:
    engine = opened()
    engine.index_now()
    with pytest.raises(IndexInUseError, match="Another process writes"):
        Engine.open(
            VaultRecord("v", "vault", vault),
            tmp_path / "index",
            settings,
            writable=True,
            features=FEATURES,
        )
    assert found(engine, "mark3") == ["3.md"]


def test_of_two_that_write_a_note_at_once_one_is_told_that_it_changed(
    vault: Path, tmp_path: Path
) -> None:
    writers = [VaultWriter(vault, Journal(tmp_path / "data")) for _ in range(2)]
    seen = writers[0].read("1.md").content_hash
    texts = [f"{letter} " * 50_000 for letter in "ab"]
    outcomes: list[str] = []
    start = threading.Barrier(2)

    def run(writer: VaultWriter, text: str) -> None:
        start.wait()
        try:
            writer.replace("1.md", text, seen=seen, action="test")
            outcomes.append(text)
        except ChangedNoteError:
            outcomes.append("changed")

    threads = [threading.Thread(target=run, args=pair) for pair in zip(writers, texts, strict=True)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    (written,) = (each for each in outcomes if each != "changed")
    assert len(outcomes) == 2
    assert (vault / "1.md").read_text(encoding="utf-8") == written


@pytest.mark.parametrize("jump_s", [-86_400.0, -1e9, 1e9])
def test_changes_are_found_after_the_clock_jumped(
    opened: Opener, vault: Path, monkeypatch: pytest.MonkeyPatch, jump_s: float
) -> None:
    engine = opened()
    engine.index_now()
    right = time.time
    monkeypatch.setattr(time, "time", lambda: right() + jump_s)
    (vault / "3.md").write_text("tree mark3 changed", encoding="utf-8")
    os.utime(vault / "3.md", (right() + jump_s, right() + jump_s))
    (vault / "New.md").write_text("sea newest", encoding="utf-8")

    assert engine.index_now().embedded == 2
    assert found(engine, "changed") == ["3.md"]
    assert engine.index_now().embedded == 0
    monkeypatch.undo()
    assert opened().index_now().embedded == 0
