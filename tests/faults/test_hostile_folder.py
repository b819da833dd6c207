"""A folder of hostile files and one good note, which is found before they are read."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from notewell.base.types import Progress, VaultRecord, VaultRules
from notewell.contract.search import SearchRequest
from notewell.engine.engine import Engine
from notewell.vault.readers import READERS
from tests.faults.hostile_folder import write_hostile
from tests.vaults import settings_in
from tests.waiting import PROCESS_S

FOUND_S = 20.0 * 3  # of a busy machine; before, minutes were not enough
GOOD = "Good.md"


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    """The good note is the oldest, so that nothing but its size brings it to the front."""
    folder = tmp_path / "vault"
    folder.mkdir()
    assert len(list(write_hostile(folder))) > 61
    good = folder / GOOD
    good.write_text("Quince jelly sets without pectin.", encoding="utf-8")
    os.utime(good, (1e9, 1e9))
    return folder


@pytest.fixture
def engine(vault: Path, tmp_path: Path) -> Iterator[Engine]:
    rules = VaultRules(types=tuple(READERS))
    settings = settings_in(tmp_path, vault=rules)
    opened = Engine.open(VaultRecord("v1", "v", vault), tmp_path / "i", settings, writable=True)
    yield opened
    opened.close()


def test_the_good_note_is_found_before_the_hostile_ones_and_none_is_pending(engine: Engine) -> None:
    found, ended = threading.Event(), threading.Event()
    waiting: list[int] = []

    def look(progress: Progress) -> None:
        """Search between two groups of files, and see how many are still to be read."""
        if progress.stage == "read" and progress.done and not found.is_set():
            reply = engine.search(SearchRequest("quince", mode="keyword"))
            if GOOD in {each.path for each in reply.results}:
                waiting.append(engine.ledger().counts["pending"])
                found.set()

    def index() -> None:
        engine.index_now(progress=look)
        ended.set()

    threading.Thread(target=index, daemon=True).start()

    assert found.wait(FOUND_S), "the good note is not found"
    assert waiting[0] > 40, "it was read behind the hostile ones"
    assert ended.wait(PROCESS_S), "a file holds up the vault"
    for entry in engine.ledger().entries:
        assert entry.state in {"keyword_only", "indexed", "excluded", "failed"}, entry
        assert entry.reason or entry.state not in {"excluded", "failed"}, entry
    assert engine.ledger().counts["failed"] > 5
