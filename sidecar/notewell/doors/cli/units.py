"""Service definitions: a text for each kind of service manager.

Pure functions from a command line to a text. Options with safe defaults are left out; hardening
that needs user namespaces, which some systems forbid, is written as comments.
"""

from __future__ import annotations

import plistlib
import shlex
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree as ET

LABEL = "notewell"
_TASKS = "http://schemas.microsoft.com/windows/2004/02/mit/task"
# Not on the hour, when most other jobs run.
_MINUTE = 17

# Hardening that needs neither privileges nor a namespace. No MemoryDenyWriteExecute: the runtime of
# the model generates code at run time.
_HARDENING = """\
NoNewPrivileges=yes
LockPersonality=yes
RestrictRealtime=yes
RestrictSUIDSGID=yes
RestrictNamespaces=yes
RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6
SystemCallArchitectures=native
SystemCallFilter=@system-service
SystemCallErrorNumber=EPERM
UMask=0077
LimitCORE=0
LimitNOFILE=4096
TasksMax=512
# Where unprivileged user namespaces are allowed, also:
#   PrivateTmp=yes
#   PrivateDevices=yes
#   ProtectSystem=strict
#   ProtectHome=read-only
#   ProtectProc=invisible
#   ProtectClock=yes
#   ProtectControlGroups=yes
#   ProtectHostname=yes
#   ProtectKernelLogs=yes
#   ProtectKernelModules=yes
#   ProtectKernelTunables=yes
#   ReadWritePaths={writable}
"""


@dataclass(frozen=True, slots=True)
class Job:
    """The commands: `serve` keeps running, each of `index` ends. `home` is the user's folder."""

    serve: Sequence[str]
    index: Sequence[Sequence[str]]
    writable: Sequence[Path]
    home: Path


def systemd(job: Job) -> str:
    """A user unit that serves."""
    # Standard output has the link with the token, which must not get into the journal.
    return f"""\
[Unit]
Description=Notewell, search in Obsidian vaults

[Service]
Type=exec
ExecStart={_systemd_line(job.serve)}
StandardOutput=null
Restart=on-failure
RestartSec=5
Nice=10
{_hardening(job)}
[Install]
WantedBy=default.target
"""


def timer(job: Job) -> str:
    """Two user units, each under a line with its file's name: an index run and its schedule."""
    lines = "\n".join(f"ExecStart={_systemd_line(line)}" for line in job.index)
    return f"""\
# --- {LABEL}-index.service ---
[Unit]
Description=Notewell, bring the index up to date

[Service]
Type=oneshot
{lines}
StandardOutput=null
Nice=19
IOSchedulingClass=idle
{_hardening(job)}
# --- {LABEL}-index.timer ---
[Unit]
Description=Notewell, bring the index up to date every hour

[Timer]
OnCalendar=*-*-* *:{_MINUTE}:00
RandomizedDelaySec=300
Persistent=true

[Install]
WantedBy=timers.target
"""


def launchd(job: Job) -> str:
    """A property list of an agent that serves."""
    agent = {
        "Label": LABEL,
        "ProgramArguments": list(job.serve),
        "RunAtLoad": True,
        "KeepAlive": {"SuccessfulExit": False},
        "ProcessType": "Background",
        "StandardOutPath": "/dev/null",
        "StandardErrorPath": str(job.home / "Library" / "Logs" / f"{LABEL}.log"),
    }
    return plistlib.dumps(agent).decode()


def cron(job: Job) -> str:
    """A line for each vault that brings its index up to date every hour."""
    # cron reads % as the end of the line.
    lines = (shlex.join(line).replace("%", r"\%") for line in job.index)
    return "".join(f"{_MINUTE} * * * * {line} >/dev/null\n" for line in lines)


def windows(job: Job) -> str:
    """A task of the Task Scheduler that serves from log-on."""
    program, *arguments = job.serve
    task = ET.Element("Task", {"version": "1.2", "xmlns": _TASKS})
    _put(task, "RegistrationInfo/Description", "Notewell, search in Obsidian vaults")
    _put(task, "Triggers/LogonTrigger/Enabled", "true")
    _put(task, "Principals/Principal/LogonType", "InteractiveToken")
    _put(task, "Principals/Principal/RunLevel", "LeastPrivilege")
    for name, value in (
        ("MultipleInstancesPolicy", "IgnoreNew"),
        ("DisallowStartIfOnBatteries", "false"),
        ("StopIfGoingOnBatteries", "false"),
        ("ExecutionTimeLimit", "PT0S"),  # without an end
        ("Priority", "7"),
        ("RestartOnFailure/Interval", "PT1M"),
        ("RestartOnFailure/Count", "3"),
    ):
        _put(task, f"Settings/{name}", value)
    _put(task, "Actions/Exec/Command", program)
    _put(task, "Actions/Exec/Arguments", subprocess.list2cmdline(arguments))
    ET.indent(task)
    return '<?xml version="1.0"?>\n' + ET.tostring(task, encoding="unicode") + "\n"


UNITS: dict[str, Callable[[Job], str]] = {
    "systemd": systemd,
    "timer": timer,
    "launchd": launchd,
    "cron": cron,
    "windows": windows,
}


def _put(parent: ET.Element, path: str, text: str) -> None:
    """Set the text of an element, making those on the way to it where they are missing."""
    for name in path.split("/"):
        found = parent.find(name)
        parent = found if found is not None else ET.SubElement(parent, name)
    parent.text = text


def _hardening(job: Job) -> str:
    return _HARDENING.format(writable=" ".join(_systemd_word(str(path)) for path in job.writable))


def _systemd_line(words: Sequence[str]) -> str:
    return " ".join(map(_systemd_word, words))


def _systemd_word(word: str) -> str:
    """Quote a word as systemd reads it: C escapes in double quotes, `%` and `$` doubled."""
    escaped = word.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    escaped = escaped.replace("%", "%%").replace("$", "$$")
    return f'"{escaped}"' if escaped != word or not word or set(word) & set(" \t';#") else word
