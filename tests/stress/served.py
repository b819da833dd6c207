"""A real server process on its own vault, for tests that change the vault meanwhile."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from notewell.base.config import load_settings
from notewell.contract.status import StatusRequest
from notewell.engine.client import RemoteBackend, running_server
from notewell.engine.open_vaults import Vaults
from notewell.features import FEATURES
from tests.tiny_model import write_tiny_model
from tests.waiting import PROCESS_S


def environment(folder: Path) -> dict[str, str]:
    """Settings of its own in a folder, with a tiny model."""
    config = folder / "config.toml"
    weights = write_tiny_model(folder / "weights")
    config.write_text(
        f'[model]\nname = "tiny"\nfolder = "{weights}"\nquantisation = "fp32"\n', encoding="utf-8"
    )
    return {
        "NOTEWELL_CONFIG": str(config),
        "NOTEWELL_DATA_DIR": str(folder / "data"),
        "NOTEWELL_MODEL_DIR": str(folder / "models"),
        "NOTEWELL_OFFLINE": "true",
    }


@contextmanager
def serving(vault: Path, environment: dict[str, str]) -> Iterator[RemoteBackend]:
    """A real server process on the vault, until the block ends."""
    command = [sys.executable, "-m", "notewell", "serve", str(vault), "--port", "0", "--handshake"]
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
            (record,) = Vaults(settings, features=FEATURES).records()
            server = running_server(Vaults(settings, features=FEATURES).directory(record))
            assert server is not None
            yield RemoteBackend(server)
        finally:
            process.stdin.close()
            process.wait(PROCESS_S)


def settle(remote: RemoteBackend, vault: Path, *, seconds: float = 2 * PROCESS_S) -> None:
    """Wait until the server has every file and is done; the bound is for a hang."""
    end = time.monotonic() + seconds
    calm = 0
    while calm < 3:
        assert time.monotonic() < end, f"never settled: {remote.document(StatusRequest())!r}"
        time.sleep(0.4)  # the watcher gathers changes for a while before it hands them on
        status = json.loads(remote.document(StatusRequest()))
        files = sum(1 for _ in vault.rglob("[!.]*.md"))
        done = status["state"] == "ready" and status["semantic"] == "ready"
        calm = calm + 1 if done and sum(status["ledger"].values()) == files else 0


def counted(remote: RemoteBackend, name: str) -> int:
    """A counter of `GET /metrics`."""
    lines = remote.ask("GET", "/metrics").decode().splitlines()
    (line,) = [line for line in lines if line.startswith(f"{name}_total{{")]
    return int(float(line.rpartition(" ")[2]))
