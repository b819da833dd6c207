"""A writer killed at any moment leaves an index that opens, is consistent and continues."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[2]
# A number and not a time: as many on a busy machine, and done sooner on an idle one.
# `make stress` kills for minutes.
KILLS = {"any": "25", "vectors": "15"}


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.parametrize("moments", ["any", "vectors"])
def test_an_index_survives_kills_at_random_times(tmp_path: Path, moments: str) -> None:
    # In a process of its own: one that forks must have no threads, and pytest's may.
    ended = subprocess.run(
        [
            sys.executable,
            "-m",
            "tests.stress.kills",
            "--moments",
            moments,
            "--kills",
            KILLS[moments],
            "--seconds",
            "240",
            "--seed",
            "7",
        ],
        cwd=REPOSITORY,
        env={**os.environ, "TMPDIR": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )

    assert "nothing wrong" in ended.stdout, ended.stdout + ended.stderr
    assert ended.returncode == 0
