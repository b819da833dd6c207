"""After any history, a running server's index is the index of the folder as it stands."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from recollect.config import load_settings
from recollect.remote import Remote, running_server
from recollect.types import Settings
from recollect.vaults import Vaults
from tests.stress import picture
from tests.stress.operations import Hand
from tests.tiny_model import write_tiny_model

OPERATIONS = 500
BURST = 2000


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    config = tmp_path / "config.toml"
    weights = write_tiny_model(tmp_path / "weights")
    config.write_text(
        f'[model]\nname = "tiny"\nfolder = "{weights}"\nquantisation = "fp32"\n', encoding="utf-8"
    )
    return {
        "RECOLLECT_CONFIG": str(config),
        "RECOLLECT_DATA_DIR": str(tmp_path / "data"),
        "RECOLLECT_MODEL_DIR": str(tmp_path / "models"),
        "RECOLLECT_OFFLINE": "true",
    }


@contextmanager
def serving(vault: Path, environment: dict[str, str]) -> Iterator[Remote]:
    """A real server process on the vault, until the block ends."""
    command = [sys.executable, "-m", "recollect", "serve", str(vault), "--port", "0", "--handshake"]
    with subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**os.environ, **environment},
        text=True,
    ) as process:
        assert process.stdout is not None
        assert process.stdin is not None
        try:
            assert "port" in json.loads(process.stdout.readline())
            settings = load_settings(environ=environment)
            (record,) = Vaults(settings).records()
            server = running_server(Vaults(settings).directory(record))
            assert server is not None
            yield Remote(server)
        finally:
            process.stdin.close()
            process.wait(60)


def settle(remote: Remote, vault: Path, *, seconds: float = 240) -> None:
    """Wait until the server has every file and is done; the bound is for a hang."""
    end = time.monotonic() + seconds
    calm = 0
    while calm < 3:
        assert time.monotonic() < end, f"never settled: {remote.status()!r}"
        time.sleep(0.4)
        status = json.loads(remote.status())
        files = sum(1 for _ in vault.rglob("[!.]*.md"))
        done = status["state"] == "ready" and status["semantic"] == "ready"
        calm = calm + 1 if done and sum(status["ledger"].values()) == files else 0


def differences(found: picture.Picture, fresh: picture.Picture) -> list[str]:
    """Paths on which two pictures differ, for a failure a person can read."""
    paths = sorted({*found.notes, *fresh.notes})
    return [
        f"{path}: {found.notes.get(path)} != {fresh.notes.get(path)}"
        for path in paths
        if found.notes.get(path) != fresh.notes.get(path)
    ][:3]


def test_a_long_history_ends_in_the_same_index_as_none(
    tmp_path: Path, environment: dict[str, str]
) -> None:
    vault = tmp_path / "vault"
    vault.mkdir()
    hand = Hand(vault, seed=20)
    for _ in range(40):
        hand.create()
    settings: Settings = load_settings(environ=environment)
    with serving(vault, environment) as remote:
        for step in range(OPERATIONS):
            hand.any()
            if step == OPERATIONS // 3:
                hand.burst(BURST)
            if step == OPERATIONS // 2:
                settle(remote, vault)
            time.sleep(hand.random.random() * 0.02)
        settle(remote, vault)
    (record,) = Vaults(settings).records()
    directory = Vaults(settings).directory(record)

    found = picture.take(directory)
    fresh = picture.of_fresh_index(vault, tmp_path / "fresh", settings)

    assert differences(found, fresh) == []
    assert found == fresh
