"""`notewell service print`: its output is read by the parsers of each format."""

from __future__ import annotations

import configparser
import json
import os
import plistlib
import shlex
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from urllib.request import Request, urlopen
from xml.etree import ElementTree as ET

import pytest
from cronsim import CronSim

from notewell.base.support.program import own_command
from notewell.doors.cli.service import UNITS, ServiceJob
from tests.doors.cli.support import CommandLine
from tests.waiting import PROCESS_S, until

AWKWARD = 'C:\\Users\\Zoë "Z" O\'Hara\\100% $HOME; <&>'
JOB = ServiceJob(
    serve=["/opt/r/bin/python", "-m", "notewell", "--data-dir", AWKWARD, "serve"],
    index=[["/opt/r/bin/python", "-m", "notewell", "--data-dir", AWKWARD, "index", "ab12"]],
    writable=(Path("/home/z/my data"),),
    home=Path("/Users/z"),
)


def unit(text: str) -> Mapping[str, Mapping[str, str]]:
    parser = configparser.RawConfigParser(strict=True)
    parser.optionxform = str  # type: ignore[assignment,method-assign]
    parser.read_string(text)
    return {name: dict(parser[name]) for name in parser.sections()}


def systemd_words(line: str) -> list[str]:
    """As systemd splits it, whose quotes and escapes are those of a shell for what we write."""
    return [word.replace("%%", "%").replace("$$", "$") for word in shlex.split(line)]


def test_a_systemd_unit_serves_and_is_hardened() -> None:
    found = unit(UNITS["systemd"](JOB))

    assert systemd_words(found["Service"]["ExecStart"]) == JOB.serve
    assert found["Service"]["NoNewPrivileges"] == "yes"
    assert found["Service"]["StandardOutput"] == "null"
    assert found["Service"]["Restart"] == "on-failure"
    assert found["Install"]["WantedBy"] == "default.target"


def test_a_timer_runs_the_index() -> None:
    text = UNITS["timer"](JOB)
    service, timer = text.split("# --- notewell-index.timer ---\n")

    assert service.startswith("# --- notewell-index.service ---\n")
    assert systemd_words(unit(service)["Service"]["ExecStart"]) == JOB.index[0]
    assert unit(service)["Service"]["Type"] == "oneshot"
    assert unit(timer)["Timer"]["OnCalendar"] == "*-*-* *:17:00"
    assert unit(timer)["Install"]["WantedBy"] == "timers.target"


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="NOT TESTED: no systemd here")
def test_systemd_itself_accepts_the_units(tmp_path: Path) -> None:
    job = replace(JOB, serve=[sys.executable, *JOB.serve[1:]], index=[[sys.executable, "index"]])
    service, timer = UNITS["timer"](job).split("# --- notewell-index.timer ---\n")
    texts = {
        "notewell.service": UNITS["systemd"](job),
        "notewell-index.service": service,
        "notewell-index.timer": timer,
    }
    for name, text in texts.items():
        (tmp_path / name).write_text(text, encoding="utf-8")

    command = ["systemd-analyze", "verify", "--recursive-errors=no", "--man=no"]
    done = subprocess.run(
        [*command, *(str(tmp_path / name) for name in texts)],
        capture_output=True,
        text=True,
        check=False,
    )

    assert (done.returncode, done.stderr) == (0, "")


def _systemctl(*words: str) -> subprocess.CompletedProcess[str]:
    command = ["systemctl", "--user", *words]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)


def _user_manager() -> str:
    """What systemd says of the manager that runs a user's units; "" where there is none."""
    if shutil.which("systemctl") is None:
        return ""
    return _systemctl("is-system-running").stdout.strip()


def test_systemd_starts_the_unit_and_stops_it(indexed: Path, tmp_path: Path) -> None:
    """Linked under a name of its own until the manager ends, so that no unit of the user is touched."""
    state = _user_manager()
    if state not in {"running", "degraded", "starting"}:
        pytest.skip(f"NOT TESTED: no systemd runs units of this user here ({state or 'none'})")
    data = tmp_path / "data"
    serve = [*own_command(), "--data-dir", str(data), "serve", str(indexed), "--port", "0"]
    job = replace(JOB, serve=serve, writable=(data,), home=tmp_path)
    file = tmp_path / f"notewell-test-{os.getpid()}.service"
    file.write_text(UNITS["systemd"](job), encoding="utf-8")
    try:
        linked = _systemctl("link", "--runtime", str(file))
        assert linked.returncode == 0, linked.stderr
        started = _systemctl("start", file.name)
        assert started.returncode == 0, started.stderr
        [told] = until(lambda: list((data / "vaults").glob("*/server.json")), seconds=PROCESS_S)
        server = json.loads(told.read_text(encoding="utf-8"))
        request = Request(
            f"{server['url']}/api/status", headers={"Authorization": f"Bearer {server['token']}"}
        )
        with urlopen(request, timeout=60) as reply:
            assert json.load(reply)["notes"] == 3
        assert _systemctl("is-active", file.name).stdout.strip() == "active"
        assert _systemctl("stop", file.name).returncode == 0
        until(lambda: not told.exists())
    finally:
        _systemctl("stop", file.name)
        _systemctl("disable", "--runtime", file.name)
        _systemctl("daemon-reload")


def test_the_time_of_a_cron_line_is_one() -> None:
    [line] = UNITS["cron"](JOB).splitlines()
    first = next(CronSim(" ".join(line.split()[:5]), datetime(2026, 1, 1, tzinfo=UTC)))
    assert first == datetime(2026, 1, 1, 0, 17, tzinfo=UTC)


def test_a_launchd_agent_is_a_property_list() -> None:
    found = plistlib.loads(UNITS["launchd"](JOB).encode())

    assert found["ProgramArguments"] == JOB.serve
    assert found["RunAtLoad"] is True
    assert found["StandardErrorPath"] == "/Users/z/Library/Logs/notewell.log"


def test_a_cron_line_is_quoted_for_the_shell() -> None:
    [line] = UNITS["cron"](JOB).splitlines()
    times, command = line.split(" ")[:5], line.split(" ", 5)[5]

    assert times == ["17", "*", "*", "*", "*"]
    shell = command.replace(r"\%", "%").removesuffix(" >/dev/null")
    assert shlex.split(shell) == JOB.index[0]
    assert "%" not in command.replace(r"\%", "")


def test_a_windows_task_is_valid_xml_for_the_scheduler() -> None:
    task = ET.fromstring(UNITS["windows"](JOB))
    space = "{http://schemas.microsoft.com/windows/2004/02/mit/task}"

    def text(path: str) -> str | None:
        return task.findtext("/".join(space + name for name in path.split("/")))

    assert text("Actions/Exec/Command") == JOB.serve[0]
    assert text("Actions/Exec/Arguments") == subprocess.list2cmdline(JOB.serve[1:])
    assert text("Settings/ExecutionTimeLimit") == "PT0S"
    assert text("Triggers/LogonTrigger/Enabled") == "true"


@pytest.mark.parametrize("kind", UNITS)
def test_a_definition_names_the_installed_program_and_data_directory(
    notewell: CommandLine, indexed: Path, tmp_path: Path, kind: str
) -> None:
    result = notewell("service", "print", "--kind", kind)

    assert sys.executable in result.stdout
    assert str(tmp_path / "data") in result.stdout
    assert not (tmp_path / "data" / "state").exists()
    assert result.stderr


def test_only_named_vaults_are_served(notewell: CommandLine, indexed: Path) -> None:
    [known] = notewell.json("vaults", "list")["vaults"]
    found = unit(notewell("service", "print", "Notes", "--kind", "systemd").stdout)
    assert systemd_words(found["Service"]["ExecStart"])[-2:] == ["serve", known["id"]]
    notewell("service", "print", "Nots", fails=3)


def test_the_printed_definition_can_be_run(notewell: CommandLine, indexed: Path) -> None:
    [line] = notewell("service", "print", "--kind", "cron").stdout.splitlines()
    done = subprocess.run(shlex.split(line)[5:-1], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert "3 notes" in done.stdout
