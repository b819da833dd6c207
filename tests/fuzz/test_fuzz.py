"""A few hundred inputs of each target, and that the runner notices crashes, hangs and errors."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[2]
# A number and not a time: as many on a busy machine, and done sooner on an idle one.
INPUTS = {
    "query": 400,
    "markdown": 300,
    "files": 300,
    "http": 300,
    "mcp": 200,
    "packs": 300,
    "settings": 300,
}


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.parametrize("target", sorted(INPUTS))
def test_no_input_makes_it_fail(target: str, tmp_path: Path) -> None:
    # In a process of its own: one that forks must have no threads, and pytest's may.
    ended = subprocess.run(
        [
            sys.executable,
            "-m",
            "tests.fuzz.run",
            "--inputs",
            str(INPUTS[target]),
            "--seed",
            "7",
            "--targets",
            target,
        ],
        cwd=REPOSITORY,
        env={**os.environ, "TMPDIR": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )

    assert f"{target}: {INPUTS[target]} inputs" in ended.stdout, ended.stdout + ended.stderr
    assert ended.returncode == 0, ended.stdout + ended.stderr


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_errors_crashes_and_hangs_are_found_and_their_inputs_kept() -> None:
    ended = subprocess.run(
        [sys.executable, "-m", "tests.fuzz.faulty"],
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )

    assert ended.stdout.splitlines() == [
        "12 inputs",
        "b'1' the process ended: SIGABRT",
        "b'2' the process ended: SIGPROF",
        "b'3' ZeroDivisionError: integer division or modulo by zero",
        "b'4' tests.fuzz.run.HangError",
    ], ended.stdout + ended.stderr
