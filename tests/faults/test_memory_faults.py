"""Whichever allocation fails: an error or an end, and the old state or the new one."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.waiting import PROCESS_S

LONG = os.environ.get("NOTEWELL_TEST_STRESS") == "long"
MOST = 200 if LONG else 4
OPERATIONS = (
    *("index", "index_made", "note_created", "note_replaced", "note_deleted", "undo", "memories"),
    *("devices", "token", "settings", "registry"),
    *("backup", "backup_again", "restore", "restore_elsewhere"),
)


@pytest.mark.skipif(
    importlib.util.find_spec("_testcapi") is None or sys.platform == "win32",
    reason="this build of Python cannot let its memory fail, or cannot fork",
)
def test_an_allocation_that_fails_leaves_the_old_state_or_the_new_one() -> None:
    command = [sys.executable, "-m", "tests.faults.memory", *OPERATIONS, "--most", str(MOST)]
    done = subprocess.run(
        command,
        cwd=Path(__file__).resolve().parents[2],
        capture_output=True,
        text=True,
        timeout=PROCESS_S * (30 if LONG else 3),
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    found = [json.loads(line) for line in done.stdout.splitlines()]
    assert [each for each in found if each["wrong"]] == []
    assert len(found) == MOST * len(OPERATIONS)
    assert sum(bool(each["said"]) for each in found) > len(found) / 4
