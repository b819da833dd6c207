"""A real server process, started by programs and by people, and commands that use it."""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from notewell.index.embedded.directory import hold
from tests.doors.cli.support import CommandLine, write_notes
from tests.waiting import PROCESS_S, until

Start = Callable[..., "subprocess.Popen[str]"]


@pytest.fixture
def start() -> Iterator[Start]:
    """Start `notewell`; what still runs at the end is stopped."""
    with contextlib.ExitStack() as stack:

        def run(*args: object) -> subprocess.Popen[str]:
            process = subprocess.Popen(
                [sys.executable, "-m", "notewell", *map(str, args)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
            )
            stack.enter_context(process)
            stack.callback(process.kill)
            return process

        yield run


@pytest.fixture
def served(start: Start, vault: Path) -> tuple[subprocess.Popen[str], dict[str, Any]]:
    """A server with a handshake, and what it said."""
    process = start("serve", vault, "--port", 0, "--handshake", "--no-watch")
    assert process.stdout is not None
    line = process.stdout.readline()
    assert line, process.communicate(timeout=PROCESS_S)
    return process, json.loads(line)


def stop(process: subprocess.Popen[str]) -> None:
    """Close its stdin, as the program that started it would; it ends well."""
    process.communicate(timeout=PROCESS_S)
    assert process.returncode == 0


def get(said: dict[str, Any], route: str) -> Any:
    request = urllib.request.Request(
        f"http://127.0.0.1:{said['port']}{route}",
        headers={"Authorization": f"Bearer {said['token']}"},
    )
    with urllib.request.urlopen(request, timeout=PROCESS_S) as response:
        return json.load(response)


def post(said: dict[str, Any], route: str, body: dict[str, Any]) -> Any:
    request = urllib.request.Request(
        f"http://127.0.0.1:{said['port']}{route}",
        data=json.dumps(body).encode(),
        headers={"Authorization": f"Bearer {said['token']}"},
    )
    with urllib.request.urlopen(request, timeout=PROCESS_S) as response:
        return json.load(response)


def test_the_handshake_has_all_that_a_program_needs_and_the_index_is_in_use(
    served: tuple[subprocess.Popen[str], dict[str, Any]], notewell: CommandLine, tmp_path: Path
) -> None:
    process, said = served

    assert list(said) == ["port", "token", "api", "version", "pid", "vaults"]
    assert said["pid"] == process.pid
    assert [vault["name"] for vault in said["vaults"]] == ["Notes"]
    assert get(said, "/api/status")["vault"] == "Notes"
    assert not (tmp_path / "data" / "state" / "token").exists()
    in_use_without_an_address(notewell, tmp_path)
    stop(process)


def in_use_without_an_address(notewell: CommandLine, tmp_path: Path) -> None:
    """An index that another process writes is reported as in use."""
    (file,) = (tmp_path / "data" / "vaults").glob("*/server.json")
    file.unlink()  # as if it had only just started

    assert notewell.json("index", fails=1)["error"] == "in_use"
    refused = notewell("serve", "--handshake", fails=1)
    assert json.loads(refused.stdout)["error"] == "in_use"


def test_a_start_right_after_a_stop_waits_for_the_index(
    start: Start, vault: Path, tmp_path: Path
) -> None:
    stop(start("serve", vault, "--port", 0, "--handshake", "--no-watch"))
    (index,) = (tmp_path / "data" / "vaults").iterdir()
    held = hold(index)  # as a server does that is writing what it has
    process = start("serve", vault, "--port", 0, "--no-watch")
    assert process.stderr is not None
    assert "waiting" in process.stderr.readline()
    held.release()
    assert process.stdout is not None
    assert "http" in process.stdout.readline()


def test_the_log_contains_no_notes_and_no_secrets(
    start: Start, vault: Path, tmp_path: Path
) -> None:
    write_notes(vault, {"New.md": "A zeppelin over the city."})
    process = start("serve", vault, "--port", 0, "--handshake", "--log-format", "json", "-vv")
    assert process.stdout is not None
    said = json.loads(process.stdout.readline())
    found = get(said, "/api/search?q=zeppelin")
    assert "zeppelin" in found["query"]
    until(lambda: get(said, "/api/status")["state"] == "ready", pause_s=0.05)
    stop(process)

    text = (tmp_path / "data" / "state" / "logs" / "notewell.log").read_text(encoding="utf-8")
    events = [json.loads(line) for line in text.splitlines()]
    assert any("GET /api/search 200" in event["message"] for event in events)
    assert any("indexed" in event["message"] for event in events)
    assert "zeppelin" not in text
    assert said["token"] not in text


def test_commands_ask_the_server_and_a_second_one_is_refused(
    notewell: CommandLine, served: tuple[subprocess.Popen[str], dict[str, Any]], vault: Path
) -> None:
    process, said = served
    url = f"http://127.0.0.1:{said['port']}"

    write_notes(vault, {"New.md": "A zeppelin over the city."})
    report = notewell.json("index")
    assert (report["notes"], report["failed"], report["embedded"]) == (4, 0, 0)
    assert url in notewell("index").stderr
    assert notewell.json("search", "zeppelin")["results"][0]["path"] == "New.md"
    assert notewell.json("status") == get(said, "/api/status")
    assert notewell.json("ledger")["total"] == 4
    assert notewell.json("similar", "New.md")["query"] is not None
    assert url in notewell("doctor").stdout

    assert url in notewell("serve", vault, fails=1).stderr
    refused = notewell("serve", vault, "--handshake", fails=1)
    assert json.loads(refused.stdout) == {"error": "in_use", "url": url}
    assert url in notewell("index", "--model", "tiny", fails=2).stderr
    assert notewell.json("queue", "pause")["accepted"] == 0
    assert notewell.json("status")["queue"]["paused"] is True
    assert "resume" in notewell("index", fails=1).stderr
    assert "resumed" in notewell("queue", "resume").stderr
    # The run that was asked for while the queue was paused.
    until(lambda: get(said, "/api/status")["queue"]["pending"] == 0, pause_s=0.05)
    assert notewell.json("queue", "retry")["accepted"] == 0
    assert notewell.json("queue", "cancel")["accepted"] == 0
    assert url in notewell("vaults", "remove", "Notes", fails=1).stderr

    stop(process)
    assert notewell.json("search", "zeppelin")["total"] == 1


def test_links_for_devices_lead_to_the_server_that_runs(
    notewell: CommandLine, served: tuple[subprocess.Popen[str], dict[str, Any]]
) -> None:
    url = f"http://127.0.0.1:{served[1]['port']}"

    assert notewell("pair").stdout.startswith(f"{url}/#/pair?code=")
    assert notewell("token", "link", "phone").stdout.startswith(f"{url}/?code=")
    assert notewell("pair", "--url", "https://box.ts.net").stdout.startswith("https://box.ts.net/")


def test_serve_needs_a_vault(notewell: CommandLine) -> None:
    assert "notewell serve FOLDER" in notewell("serve", fails=3).stderr


def test_the_error_about_a_used_port_says_what_to_do(notewell: CommandLine, vault: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        result = notewell("serve", vault, "--port", port, fails=1)

    assert "--port" in result.stderr
    assert "Traceback" not in result.stderr


@pytest.mark.skipif(os.name != "posix", reason="interrupts are sent as signals")
def test_serve_prints_a_link_and_ctrl_c_stops_it(start: Start, vault: Path) -> None:
    process = start("serve", vault, "--port", 0)
    assert process.stdout is not None
    link = process.stdout.readline().strip()
    with urllib.request.urlopen(link, timeout=PROCESS_S) as response:
        assert response.status == 200
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=PROCESS_S)

    assert process.returncode == 0
    assert f"Notes ({vault})" in said
    assert "Traceback" not in said


@pytest.mark.skipif(os.name != "posix", reason="interrupts are sent as signals")
def test_the_demo_serves_the_sample_with_queries_to_try(
    start: Start, notewell: CommandLine
) -> None:
    process = start("demo", "--port", 0)
    assert process.stdout is not None
    link = process.stdout.readline()
    found = notewell.json("search", "database is locked")
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=PROCESS_S)

    assert "/?code=" in link  # once, so that a file it is printed into holds no key
    assert found["vault"] == "Sample vault"
    assert found["results"][0]["path"] == "Code/SQLite database is locked.md"
    assert len(re.findall("^Try: .*notewell'? search ", said, re.MULTILINE)) == 3
    assert process.returncode == 0


def test_removals_are_confirmed_to_the_server(
    notewell: CommandLine, start: Start, tmp_path: Path
) -> None:
    many = write_notes(tmp_path / "Many", {f"{n}.md": f"note {n}" for n in range(60)})
    process = start("serve", many, "--port", 0, "--handshake", "--no-watch")
    assert process.stdout is not None
    assert process.stdout.readline()
    assert notewell.json("index")["notes"] == 60
    for n in range(55):
        (many / f"{n}.md").unlink()

    assert notewell.json("index", fails=1)["guard"]["gone"] == 55
    assert notewell.json("status")["guard"]["gone"] == 55
    assert notewell.json("status")["notes"] == 60
    assert notewell.json("index", "--confirm-removals")["notes"] == 5
    assert notewell.json("status")["guard"] is None
    stop(process)


def test_a_mirror_is_created_once_and_filled_over_http(
    notewell: CommandLine, start: Start, tmp_path: Path
) -> None:
    for _ in range(2):
        process = start("serve", "--mirror", "Phone", "--port", 0, "--handshake")
        assert process.stdout is not None
        said = json.loads(process.stdout.readline())
        assert [load["name"] for load in said["vaults"]] == ["Phone"]
        post(
            said,
            "/api/changes",
            {"changes": [{"kind": "create", "path": "A.md", "content": "A zeppelin."}]},
        )
        assert notewell.json("index")["notes"] == 1
        assert notewell.json("search", "zeppelin")["results"][0]["path"] == "A.md"
        stop(process)

    (record,) = notewell.json("vaults", "list")["vaults"]
    assert record["source"] == "mirror"
    assert (Path(record["path"]) / "A.md").read_text(encoding="utf-8") == "A zeppelin."
    assert str(tmp_path / "data") in record["path"]


def test_mcp_refuses_an_unknown_vault(notewell: CommandLine, vault: Path) -> None:
    notewell("index", vault)
    ran = notewell("mcp", "--vault", "Elsewhere", fails=3)
    assert (ran.exit_code, ran.stdout) == (3, "")
    assert "known: Notes" in ran.stderr
