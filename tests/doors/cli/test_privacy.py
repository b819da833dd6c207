"""What was made from notes is readable for its owner alone, and no output holds a live token."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.doors.cli.support import CommandLine, Process, write_notes
from tests.live_tokens import secrets_in
from tests.waiting import PROCESS_S, until

posix = pytest.mark.skipif(os.name != "posix", reason="permissions as POSIX has them")


@pytest.fixture(autouse=True)
def usual_umask() -> Iterator[None]:
    before = os.umask(0o022)
    yield
    os.umask(before)


def readable_by_others(folder: Path) -> list[str]:
    found = [folder, *folder.rglob("*")]
    return [str(path) for path in found if path.lstat().st_mode & 0o077]


@posix
@pytest.mark.usefixtures("with_model")
def test_everything_made_from_notes_is_private(notewell: CommandLine, vault: Path) -> None:
    data = vault.parent / "data"
    with Process("serve", vault, "--port", 0) as process:
        process.line()  # its address
        until(lambda: notewell.json("status")["state"] == "ready", pause_s=0.05)
        (vault / "City.md").write_text("A zeppelin over the city.", encoding="utf-8")
        notewell("index")
        assert notewell.json("search", '"zeppelin"')["total"] == 1
        names = {path.name for path in data.rglob("*")}
        assert {"index.db", "index.db-wal", "server.json", "notewell.log"} <= names
        assert readable_by_others(data) == []
        process.end()
    assert any(path.suffix == ".snapshot" for path in data.rglob("*"))
    assert readable_by_others(data) == []


@posix
def test_a_mirror_and_the_sample_are_private(notewell: CommandLine, tmp_path: Path) -> None:
    notewell("vaults", "add", write_notes(tmp_path / "Other", {"a.md": "x"}))
    with Process("demo", "--port", 0) as demo:
        demo.line()
        demo.end()
    with Process("serve", "--mirror", "Phone", "--port", 0, "--no-watch") as process:
        process.line()
        process.end()
    assert readable_by_others(tmp_path / "data") == []


@posix
def test_an_index_of_an_earlier_version_is_closed_at_start(
    notewell: CommandLine, indexed: Path, tmp_path: Path
) -> None:
    data = tmp_path / "data"
    for path in [data, *data.rglob("*")]:
        path.chmod(0o755 if path.is_dir() else 0o644)
    checks = {each["name"]: each for each in notewell.json("doctor")["checks"]}
    assert checks["data directory"]["state"] == "warning"
    assert str(data) in checks["data directory"]["detail"]

    notewell("index", indexed)

    assert readable_by_others(data) == []
    checks = {each["name"]: each for each in notewell.json("doctor")["checks"]}
    assert checks["data directory"]["state"] == "ok"


def test_a_server_without_a_terminal_prints_no_token(vault: Path, notewell: CommandLine) -> None:
    with Process("serve", vault, "--port", 0) as process:
        address = process.line()
        assert address.startswith("http://127.0.0.1:")
        assert secrets_in(address) == set()
        refused = notewell("serve", vault, fails=1)
        printed = process.end()
    assert address in refused.stderr
    assert "notewell token link" in printed
    assert secrets_in(refused.output + printed) == set()


@posix
def test_at_a_terminal_the_link_signs_in(vault: Path) -> None:
    import pty  # noqa: PLC0415 - not on Windows

    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "notewell", "serve", str(vault), "--port", "0"],
        stdout=theirs,
        stderr=subprocess.DEVNULL,
    )
    try:
        os.close(theirs)
        line = b""
        while not line.endswith(b"\n"):
            line += os.read(ours, 1000)
        assert b"/?token=" in line
    finally:
        process.terminate()
        process.wait(PROCESS_S)
        os.close(ours)
