"""Faults of disks, clocks and other programs: the index keeps answering, or recovers."""

from __future__ import annotations

import logging
import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from notewell.base.errors import IndexDamagedError, IndexFailure
from notewell.base.types import ModelRules, VaultRecord
from notewell.contract.search import SearchRequest
from notewell.engine.engine import Engine
from notewell.features import FEATURES
from notewell.index.embedded import structures
from notewell.index.embedded.store import DATABASE
from tests.index.inside import connection_of
from tests.tiny_model import write_tiny_model
from tests.vaults import settings_in

NOTES = 40
WORDS = ("river", "bread", "garden", "music", "tree")

Opener = Callable[[], Engine]


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    folder = tmp_path / "vault"
    folder.mkdir()
    for n in range(NOTES):
        text = f"# Note {n}\n\nmark{n} {WORDS[n % 5]} " + f"{WORDS[n % 3]} {n} " * 60
        (folder / f"{n}.md").write_text(f"{text}\n\nSee [[{(n + 1) % NOTES}]].", encoding="utf-8")
    return folder


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    return tmp_path / "index"


@pytest.fixture
def opened(tmp_path: Path, vault: Path, directory: Path) -> Iterator[Opener]:
    """Open the engine; the one before is closed first, as a server that starts again."""
    weights = write_tiny_model(tmp_path / "weights")
    settings = settings_in(
        tmp_path,
        model=ModelRules(name="tiny", folder=str(weights), quantisation="fp32", threads=1),
    )
    engines: list[Engine] = []

    def again() -> Engine:
        if engines:
            engines[-1].close()
        engines.append(
            Engine.open(
                VaultRecord("v", "vault", vault),
                directory,
                settings,
                writable=True,
                features=FEATURES,
            )
        )
        return engines[-1]

    yield again
    engines[-1].close()


def found(engine: Engine, query: str, mode: str = "keyword") -> list[tuple[str, float]]:
    request = SearchRequest(query, mode=mode, limit=50)  # type: ignore[arg-type]
    return [(result.path, result.score) for result in engine.search(request).results]


def all_found(engine: Engine) -> bool:
    return all(found(engine, f"mark{n}") for n in range(NOTES))


def fill_disk(engine: Engine) -> None:
    writer = connection_of(engine.vault.index)
    assert writer is not None
    (pages,) = writer.execute("PRAGMA page_count").fetchone()
    writer.execute(f"PRAGMA max_page_count={pages}")


def free_disk(engine: Engine) -> None:
    writer = connection_of(engine.vault.index)
    assert writer is not None
    writer.execute("PRAGMA max_page_count=1000000")


def test_a_disk_can_fill_up_while_notes_are_saved(opened: Opener, vault: Path) -> None:
    engine = opened()
    engine.index_now()
    fill_disk(engine)
    for n in range(5):
        (vault / f"{n}.md").write_text(f"new{n} " + "tree water " * 5000, encoding="utf-8")

    with pytest.raises(IndexFailure, match="full"):
        engine.index_now()
    assert all_found(engine)

    free_disk(engine)
    engine.index_now()
    assert [path for path, _ in found(engine, "new3")] == ["3.md"]
    assert sum(engine.status().ledger.values()) == NOTES


def test_a_disk_can_fill_up_while_vectors_are_stored(opened: Opener, vault: Path) -> None:
    engine = opened()
    keep = engine.vault.index.store_vectors

    def full(*asked: object) -> int:
        fill_disk(engine)
        return keep(*asked)  # type: ignore[arg-type]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(engine.vault.index, "store_vectors", full)
        with pytest.raises(IndexFailure, match="full"):
            engine.index_now()
    assert all_found(engine)
    assert engine.status().semantic == "partial"

    free_disk(engine)
    report = engine.index_now()
    assert report.embedded == engine.vault.index.stored_vector_count(
        engine._parts.models.state.wanted
    )  # type: ignore[arg-type]
    assert engine.status().semantic == "ready"


def test_a_full_disk_for_snapshots_only_slows_the_next_start(
    opened: Opener, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = opened()
    engine.index_now()

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    for name in ("save_chunk_notes", "save_graph", "save_vectors"):
        monkeypatch.setattr(structures, name, full)
    with caplog.at_level(logging.WARNING):
        engine = opened()

    assert "Snapshots were not saved" in caplog.text
    assert engine.index_now().embedded == 0
    assert all_found(engine)


@pytest.mark.parametrize("harm", ["deleted", "cut", "another version"])
def test_an_index_opens_without_its_snapshots(opened: Opener, directory: Path, harm: str) -> None:
    engine = opened()
    engine.index_now()
    before = [found(engine, word, "semantic") for word in WORDS]
    worded = [sorted(path for path, _ in found(engine, word)) for word in WORDS]
    engine.close()
    snapshots = sorted(directory.glob("*.snapshot"))
    assert len(snapshots) == 3
    for path in snapshots:
        if harm == "deleted":
            path.unlink()
        elif harm == "cut":
            os.truncate(path, path.stat().st_size // 2)
        else:
            path.write_bytes(b"notewell-snapshot 999\n" + path.read_bytes())
    if harm == "deleted":
        shutil.rmtree(directory / "keywords")

    engine = opened()

    assert engine.index_now().embedded == 0
    assert [found(engine, word, "semantic") for word in WORDS] == before
    # By words the same notes; scores differ a little where replaced documents were still counted.
    assert [sorted(path for path, _ in found(engine, word)) for word in WORDS] == worded


def test_a_database_overwritten_in_the_middle_is_rebuilt_at_the_next_start(
    opened: Opener, directory: Path
) -> None:
    engine = opened()
    engine.index_now()
    engine.close()
    path = directory / DATABASE
    with path.open("r+b") as file:  # every page but the first, so that its length is still right
        for page in range(1, path.stat().st_size // 4096):
            file.seek(page * 4096)
            file.write(os.urandom(64))

    with pytest.raises(IndexDamagedError, match="damaged"):
        opened().index_now(full=True)
    engine = opened()
    report = engine.index_now()

    assert (report.notes, report.failed) == (NOTES, 0)
    assert all_found(engine)
    assert engine.status().semantic == "ready"
    assert list(directory.glob("index.db.damaged-*"))


def test_a_database_cut_short_is_rebuilt(opened: Opener, directory: Path) -> None:
    engine = opened()
    engine.index_now()
    engine.close()
    os.truncate(directory / DATABASE, (directory / DATABASE).stat().st_size // 2)

    engine = opened()
    report = engine.index_now()

    assert (report.notes, report.failed) == (NOTES, 0)
    assert all_found(engine)


@pytest.mark.parametrize("year", [0, 4_102_444_800])
def test_an_edit_is_found_whatever_its_modification_time(
    opened: Opener, vault: Path, year: int
) -> None:
    engine = opened()
    engine.index_now()
    (vault / "7.md").write_text("changed by a wrong clock", encoding="utf-8")
    os.utime(vault / "7.md", (year, year))
    engine.index_now()
    assert [path for path, _ in found(engine, "wrong clock")] == ["7.md"]

    (vault / "7.md").write_text("changed by a right clock", encoding="utf-8")
    report = engine.index_now()
    assert [path for path, _ in found(engine, "right clock")] == ["7.md"]
    assert report.embedded == 1
    assert engine.index_now().embedded == 0
