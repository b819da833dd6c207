"""After any changes, a running server's index equals a new index of the folder."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from notewell.base.config import load_settings
from notewell.base.types import Settings
from notewell.contract.status import GuardRequest, StatusRequest
from notewell.engine.client import RemoteBackend
from notewell.engine.open_vaults import Vaults
from notewell.features import FEATURES
from tests.stress import picture
from tests.stress.operations import Hand
from tests.stress.served import counted, environment, serving, settle
from tests.waiting import PROCESS_S

# `make stress` asks for the long history. The short one has a burst of several batches as well.
LONG = os.environ.get("NOTEWELL_TEST_STRESS") == "long"
OPERATIONS = 500 if LONG else 300
BURST = 2000 if LONG else 700


def differences(found: picture.Picture, fresh: picture.Picture) -> list[str]:
    """Paths on which two pictures differ, for a failure a person can read."""
    paths = sorted({*found.notes, *fresh.notes})
    return [
        f"{path}: {found.notes.get(path)} != {fresh.notes.get(path)}"
        for path in paths
        if found.notes.get(path) != fresh.notes.get(path)
    ][:3]


def test_an_index_with_a_long_history_equals_a_fresh_one(
    tmp_path: Path,
) -> None:
    settled = environment(tmp_path)
    vault = tmp_path / "vault"
    vault.mkdir()
    hand = Hand(vault, seed=20)
    for _ in range(40):
        hand.create()
    settings: Settings = load_settings(environ=settled)
    with serving(vault, settled) as remote:
        for step in range(OPERATIONS):
            hand.any()
            if step == OPERATIONS // 3:
                hand.burst(BURST)
            if step == OPERATIONS // 2:
                settle(remote, vault)
            time.sleep(hand.random.random() * 0.02)
        settle(remote, vault)
        embedded = counted(remote, "notewell_texts_embedded")
    (record,) = Vaults(settings, features=FEATURES).records()
    directory = Vaults(settings, features=FEATURES).directory(record)

    found = picture.take(directory)
    fresh = picture.of_fresh_index(
        vault, tmp_path / "fresh", settings, picture.kept_titles(directory)
    )

    assert differences(found, fresh) == []
    assert found == fresh
    # Each text once, although it may have come, gone, moved and come back.
    assert embedded == len(picture.rows(directory, "SELECT text_hash FROM vectors"))


def test_removing_a_whole_folder_waits_for_confirmation(tmp_path: Path) -> None:
    vault = tmp_path / "vault"
    vault.mkdir()
    hand = Hand(vault, seed=21)
    for _ in range(100):
        hand.create()
    hand.burst(60)
    folder = next(entry for entry in vault.iterdir() if (entry / "0.md").exists())
    away = tmp_path / "unmounted"
    with serving(vault, environment(tmp_path)) as remote:
        settle(remote, vault)

        folder.rename(away)
        status = until(remote, lambda status: status["guard"] is not None)
        assert (status["guard"]["gone"], status["guard"]["total"]) == (60, 160)
        assert (status["notes"], status["ledger"]["indexed"]) == (160, 160)

        away.rename(folder)
        status = until(remote, lambda status: status["guard"] is None)
        assert status["notes"] == 160

        folder.rename(away)
        until(remote, lambda status: status["guard"] is not None)
        remote.document(GuardRequest(remove=False))
        assert until(remote, lambda status: status["state"] == "ready")["notes"] == 160
        remote.document(GuardRequest(remove=True))
        status = until(remote, lambda status: status["guard"] is None)
        assert status["notes"] == 100
        # Figures are counted when the run has ended, after the state that it commits.
        until(remote, lambda _: counted(remote, "notewell_notes_removed") == 60)


def until(
    remote: RemoteBackend,
    condition: Callable[[dict[str, Any]], bool],
    *,
    seconds: float = PROCESS_S,
) -> dict[str, Any]:
    """Wait for what the status is to say; the bound is for a hang."""
    end = time.monotonic() + seconds
    while not condition(status := json.loads(remote.document(StatusRequest()))):
        assert time.monotonic() < end, f"it never came: {status}"
        time.sleep(0.1)
    return status
