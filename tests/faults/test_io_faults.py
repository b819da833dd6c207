"""Whichever call to the disk fails: an error that says so, and the old state or the new one."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.faults.injection import MODES, compiled, run_in_process

# `NOTEWELL_TEST_STRESS=long` lets every call fail, which takes an hour; else a few in each mode.
LONG = os.environ.get("NOTEWELL_TEST_STRESS") == "long"
INDEX = {"index": 4, "index_made": 2}
OTHERS = 2
VAULT = ("note_created", "note_replaced", "note_deleted", "undo", "memories")
BACKUPS = ("backup", "backup_again", "restore", "restore_elsewhere")
STATE = (
    *("devices", "token", "settings", "registry", "query_log"),
    *("documents", "gleanings", "runs", "phone_index"),
)


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = compiled(tmp_path_factory.mktemp("failing"))
    if made is None:
        pytest.skip("needs Linux and a C compiler")
    return made


@pytest.mark.parametrize(
    ("names", "most"),
    [
        *(((name,), most) for name, most in INDEX.items()),
        *((names, OTHERS) for names in (VAULT, STATE, BACKUPS)),
    ],
    ids=[*INDEX, "vault", "state", "backups"],
)
def test_a_call_that_fails_leaves_the_old_state_or_the_new_one(
    library: Path, names: tuple[str, ...], most: int
) -> None:
    found = run_in_process(library, *names, "--most", str(1_000_000 if LONG else most))

    assert [each for each in found if each["wrong"]] == []
    assert len(found) >= len(names) * len(MODES) * most
    # Not every failing call fails the operation: a snapshot that is not saved is made again.
    assert any(each["said"] for each in found)
    # A full disk still deletes, so not every call fails there.
    assert all(each["call"] for each in found if each["mode"] == "denied")
