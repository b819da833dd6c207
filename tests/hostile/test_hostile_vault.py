"""A vault from a stranger makes itself be read, and nothing else.

Every command, route and tool is tried on it under a watch: nothing is sent, no name is looked up,
no program runs but ours and git, no file is written outside of the folders that are Notewell's.
"""

from __future__ import annotations

import json
import os
import pickle
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from filelock import FileLock

from tests.hostile.obeying_model import PAGE
from tests.hostile.vault import (
    ELSEWHERE,
    OWN_SECRET,
    SETTINGS,
    TRICKS,
    Trick,
    holds_secret,
    is_dangerous,
    ran,
    write_vault,
)
from tests.outside.own_network import LOOPBACK
from tests.outside.test_nothing_leaves import is_device
from tests.outside.watches import Seen, strongest, watch_over
from tests.tiny_model import write_tiny_model

pytestmark = pytest.mark.skipif(os.name != "posix", reason="pipes and signals of POSIX")
ROOT = Path(__file__).parents[2]
TYPES = ".md,.canvas,.pdf,.epub,.png,.svg,.html"
WALK = (
    "import sys; sys.path.insert(0, {root!r}); from tests.hostile.walk import main; main(*{args!r})"
)
MOST_MB = 1_000  # of one process; the model and its runtime are most of it
# Programs of the system that libraries start to learn about it; `completion bash` asks bash for its
# version.
OF_SYSTEM = {
    "bash",
    "uname",
    "ldconfig",
    "ldconfig.real",
    "sh",
    "dash",
    "gcc",
    "cc",
    "ld",
    "file",
    "env",
}


@dataclass(frozen=True)
class Walked:
    """What was said on the walk, and what the watches saw."""

    home: Path
    vault: Path
    said: list[dict[str, Any]]
    seen: dict[str, Seen]

    @property
    def text(self) -> str:
        return "\n".join(each["text"] for each in self.said)

    def answers(self, asked: str) -> list[dict[str, Any]]:
        return [each for each in self.said if each["asked"].startswith(asked)]


@pytest.fixture(scope="module")
def walked(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Walked:
    """The walk, which the processes of one test run take once: it is a minute of work."""
    if shutil.which("git") is None:
        pytest.skip("needs git")
    if worker_id == "master":
        return walk(tmp_path_factory.mktemp("hostile"))
    shared = tmp_path_factory.getbasetemp().parent / "hostile-walk"
    with FileLock(f"{shared}.lock"):
        if not shared.exists():
            shared.write_bytes(pickle.dumps(walk(tmp_path_factory.mktemp("hostile"))))
        taken: Walked = pickle.loads(shared.read_bytes())
    return taken


def walk(home: Path) -> Walked:
    """Try everything on the vault in a process of its own."""
    vault = write_vault(home)
    assert is_dangerous(vault)  # git, as a shell would use it, runs what the vault names
    for folder in ("data", "elsewhere", "home", "report", "tmp"):
        (home / folder).mkdir()
    report = home / "report" / "said.json"
    code = WALK.format(root=str(ROOT), args=(str(vault), str(report)))
    seen = watch_over(
        [sys.executable, "-P", "-c", code],
        strongest(),
        reports=home / "reports",
        folder=home / "elsewhere",
        environment={
            "PATH": os.environ["PATH"],
            "HOME": str(home / "home"),
            "LC_ALL": "C.UTF-8",
            "TMPDIR": str(home / "tmp"),
            "NOTEWELL_DATA_DIR": str(home / "data"),
            "NOTEWELL_MODEL_DIR": str(home / "model"),
            "NOTEWELL_MODEL_NAME": "tiny",
            "NOTEWELL_MODEL_FOLDER": str(write_tiny_model(home / "model")),
            "NOTEWELL_MODEL_QUANTISATION": "fp32",
            "NOTEWELL_VAULT_TYPES": TYPES,
        },
    )
    return Walked(home, vault, json.loads(report.read_bytes()), seen)


def test_nothing_is_sent_and_no_name_is_looked_up(walked: Walked) -> None:
    for name, seen in walked.seen.items():
        assert seen.sent[LOOPBACK], name  # it saw what there was
        assert seen.outside == {}, name


def test_no_program_runs_but_ours_and_git(walked: Walked) -> None:
    own = {Path(sys.executable), Path(sys.executable).resolve(), Path(shutil.which("git") or "")}
    started = {program for seen in walked.seen.values() for program in seen.ran}
    assert started  # it saw what there was
    others = {each for each in started - own if each.name not in OF_SYSTEM}
    assert {
        other for other in others if not other.is_relative_to(Path(sys.executable).parent)
    } == set()
    assert list(ran(walked.vault).iterdir()) == []


def test_no_file_is_written_outside_of_the_folders_of_notewell(walked: Walked) -> None:
    own = ("data", "tmp", "report", "model")
    folders = [*(walked.home / name for name in own), walked.vault]
    changed = {path for seen in walked.seen.values() for path in seen.changed}
    assert any(path.is_relative_to(walked.home / "data") for path in changed)
    outside = [
        path
        for path in changed
        if not any(Path(os.path.realpath(path)).is_relative_to(folder) for folder in folders)
        and not is_device(path)
        and "__pycache__" not in path.parts
    ]
    assert outside == []
    assert [*(walked.home / "home").rglob("*"), *(walked.home / "elsewhere").rglob("*")] == []


def test_the_notes_are_as_they_were_but_for_what_was_asked(walked: Walked) -> None:
    assert (walked.vault / "Good.md").read_text() == "Quince jelly sets without pectin.\n"
    assert not (walked.vault / ".notewell.toml").exists()


def test_no_file_beside_the_vault_is_read(walked: Walked) -> None:
    leaks = [each["asked"] for each in walked.said if holds_secret(each["text"].encode())]
    assert leaks == []
    for file in (walked.home / "data").rglob("*"):
        if file.is_file():
            assert not holds_secret(file.read_bytes()), file


def test_each_setting_that_a_vault_may_not_make_is_refused(walked: Walked) -> None:
    tried = walked.answers("index ")[: len(SETTINGS)]
    for name, one in zip(SETTINGS, tried, strict=True):
        assert one["code"] == 2, one
        assert f"'{name}'" in one["text"], one


@pytest.mark.parametrize("trick", TRICKS, ids=lambda trick: trick.name)
def test_each_trick_was_reached(walked: Walked, trick: Trick) -> None:
    assert trick.reached in walked.text


def test_nothing_fails_in_a_way_that_nobody_foresaw(walked: Walked) -> None:
    assert len(walked.said) > 300
    for each in walked.said:
        assert "Traceback" not in each["text"], each
        assert "this is a bug" not in each["text"], each
        assert each["code"] != 500 or each["asked"].startswith("memory"), each


def test_a_model_that_obeys_a_note_sends_nothing(walked: Walked) -> None:
    (sent,) = walked.answers("the model was sent")
    assert OWN_SECRET in sent["text"]  # it had the model read the diary
    (told,) = walked.answers("results of tools")
    assert f"{PAGE} is not read" in told["text"]
    asked = [
        each
        for each in walked.said
        if each["asked"].startswith(("ask ", "POST /api/ask {", "saved"))
    ]
    assert len(asked) > 3
    for one in asked:
        if OWN_SECRET in one["text"]:
            assert "![map]" not in one["text"], one
            assert "<img src=x>" not in one["text"], one
            assert "```dataviewjs" not in one["text"], one
            assert f"https://{ELSEWHERE}/?d={OWN_SECRET}" in one["text"], one  # it is shown whole


def test_memory_is_bounded_and_the_server_ends_when_it_is_told_to(walked: Walked) -> None:
    for answer in walked.answers("memory "):
        if answer["text"] == "MB":
            assert answer["code"] < MOST_MB, answer
    (ended,) = walked.answers("the server ends")
    assert ended["code"] in {0, -15, 143}, ended
