"""One record tells how far an index is, in every process, and nothing else contradicts it."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from dataclasses import fields
from pathlib import Path

import pytest

from notewell.base.types import ModelRules, Progress, Settings, VaultRecord
from notewell.contract.status import IndexProgress, StatusReply
from notewell.engine.engine import Engine
from notewell.features import FEATURES
from tests.tiny_model import write_tiny_model
from tests.waiting import until

NOTES = 400


@pytest.fixture(scope="module")
def weights(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_tiny_model(tmp_path_factory.mktemp("tiny"))


@pytest.fixture
def settings(tmp_path: Path, weights: Path) -> Settings:
    (tmp_path / "vault").mkdir()
    for number in range(NOTES):
        (tmp_path / "vault" / f"{number}.md").write_text(f"water {number}", encoding="utf-8")
    rules = ModelRules(name="tiny", folder=str(weights), quantisation="fp32", threads=1)
    places = (tmp_path / "data", tmp_path / "models", tmp_path / "state")
    return Settings(*places, offline=True, model=rules)


def opened(settings: Settings, *, writable: bool = True) -> Engine:
    folder = settings.data_dir.parent
    record = VaultRecord("v1", "vault", folder / "vault")
    return Engine.open(record, folder / "index", settings, writable=writable, features=FEATURES)


@pytest.fixture
def engine(settings: Settings) -> Iterator[Engine]:
    with closing(opened(settings)) as made:
        yield made


def check(status: StatusReply) -> None:
    """What the parts of a status may say beside each other."""
    now, queue = status.progress, status.queue
    assert 0 <= now.notes_read <= now.notes
    assert 0 <= now.passages_embedded <= now.passages == status.chunks
    left = (now.notes - now.notes_read) + (now.passages - now.passages_embedded)
    assert now.notes - now.notes_read == status.ledger["pending"]
    assert (now.phase == "paused") == queue.paused
    assert (now.phase in {"reading", "embedding"}) <= (status.state == "indexing")
    assert (status.state == "ready") <= (now.phase in {"idle", "paused"})
    assert (now.phase == "idle") <= (queue.pending == 0)
    assert queue.pending in {0, 1} or queue.pending == left
    assert queue.eta_s == now.eta_s
    if status.semantic == "ready":
        assert now.passages_embedded == now.passages
    if status.state == "ready" and status.semantic != "unavailable":
        assert left == 0


def test_all_parts_of_a_status_agree_throughout_a_first_index(engine: Engine) -> None:
    seen: list[StatusReply] = []

    def look(_: Progress) -> None:
        seen.append(engine.status())

    engine.index_now(progress=look)
    seen.append(engine.status())

    for status in seen:
        check(status)
    phases = [status.progress.phase for status in seen]
    assert list(dict.fromkeys(phases)) == ["reading", "embedding", "idle"]
    read = [status.progress.notes_read for status in seen]
    assert read == sorted(read)
    last = seen[-1].progress
    assert (last.notes_read, last.notes, last.eta_s) == (NOTES, NOTES, None)
    assert last.passages_embedded == last.passages == NOTES


def test_another_process_tells_the_same(settings: Settings, engine: Engine) -> None:
    """A reader does not say "ready" while the writer still has passages to embed."""
    seen: list[tuple[StatusReply, StatusReply]] = []

    def look(progress: Progress) -> None:
        if progress.stage == "embed" and 0 < progress.done < progress.total:
            with closing(opened(settings, writable=False)) as reader:
                seen.append((reader.status(), engine.status()))

    engine.index_now(progress=look)

    assert seen
    for theirs, ours in seen:
        check(theirs)
        assert (theirs.state, theirs.semantic) == ("indexing", "partial")
        assert theirs.progress.phase == ours.progress.phase == "embedding"
        assert theirs.progress.passages_embedded == ours.progress.passages_embedded
    with closing(opened(settings, writable=False)) as reader:
        assert reader.status().progress == engine.status().progress
        assert reader.status().state == "ready"


def test_work_that_a_dead_process_left_is_not_told_as_going_on(settings: Settings) -> None:
    child = subprocess.run(
        [sys.executable, "-c", _DIES, str(settings.data_dir.parent), settings.model.folder or ""],
        check=False,
    )
    assert child.returncode == 9

    with closing(opened(settings, writable=False)) as reader:
        status = reader.status()
    check(status)
    assert (status.progress.phase, status.state, status.semantic) == (
        "stuck",
        "starting",
        "partial",
    )
    assert 0 < status.progress.passages_embedded < status.progress.passages


_DIES = """
import os, sys
from pathlib import Path
from notewell.engine.engine import Engine
from notewell.base.types import ModelRules, Settings, VaultRecord

folder = Path(sys.argv[1])
rules = ModelRules(name="tiny", folder=sys.argv[2], quantisation="fp32", threads=1)
settings = Settings(folder / "data", folder / "models", folder / "state", offline=True, model=rules)
record = VaultRecord("v1", "vault", folder / "vault")
engine = Engine.open(record, folder / "index", settings, writable=True)

def look(progress):
    if progress.stage == "embed" and progress.done > 100:
        os._exit(9)

engine.index_now(progress=look)
"""


def test_a_pause_is_one_number(engine: Engine, settings: Settings) -> None:
    engine.work.pause()
    engine.start()
    until(lambda: engine.status().progress.phase == "paused")
    check(engine.status())
    engine.work.resume()
    until(lambda: engine.status().progress.phase == "idle")
    check(engine.status())
    assert engine.status().state == "ready"


def test_events_have_the_record_of_the_status(engine: Engine) -> None:
    heard: list[dict[str, object]] = []
    engine.events.subscribe(
        lambda event: heard.append(dict(event.data)) if event.kind == "progress" else None
    )

    engine.index_now()

    names = {field.name for field in fields(IndexProgress)}
    assert heard
    assert all(set(data) == names for data in heard)
    assert heard[-1]["phase"] == "idle"
    assert heard[-1]["notes_read"] == heard[-1]["notes"] == NOTES


def test_without_a_model_nothing_waits_for_it(settings: Settings) -> None:
    without = Settings(settings.data_dir, settings.model_dir, settings.state_dir, offline=True)
    with closing(opened(without)) as engine:
        engine.index_now()
        status = engine.status()
    check(status)
    assert (status.state, status.semantic, status.progress.phase) == (
        "ready",
        "unavailable",
        "idle",
    )
    assert (status.progress.passages_embedded, status.progress.passages) == (0, NOTES)
