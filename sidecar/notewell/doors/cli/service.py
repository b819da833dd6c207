"""`notewell service`: definitions with which the operating system keeps Notewell running."""

from __future__ import annotations

import plistlib
import shlex
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree as ET

import click

from notewell.base.support.program import own_command
from notewell.base.types import VaultRecord
from notewell.doors.cli.options import Group, Invocation, current_invocation

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
class ServiceJob:
    """The commands: `serve` keeps running, each of `index` ends. `home` is the user's folder."""

    serve: Sequence[str]
    index: Sequence[Sequence[str]]
    writable: Sequence[Path]
    home: Path


def systemd(job: ServiceJob) -> str:
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


def timer(job: ServiceJob) -> str:
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


def launchd(job: ServiceJob) -> str:
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


def cron(job: ServiceJob) -> str:
    """A line for each vault that brings its index up to date every hour."""
    # cron reads % as the end of the line.
    lines = (shlex.join(line).replace("%", r"\%") for line in job.index)
    return "".join(f"{_MINUTE} * * * * {line} >/dev/null\n" for line in lines)


def windows(job: ServiceJob) -> str:
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


UNITS: dict[str, Callable[[ServiceJob], str]] = {
    "systemd": systemd,
    "timer": timer,
    "launchd": launchd,
    "cron": cron,
    "windows": windows,
}


def _put(parent: ET.Element, path: str, text: str) -> None:
    """Set the text of an element, making those on the way to it where they are missing."""
    for name in path.split("/"):
        element = parent.find(name)
        parent = element if element is not None else ET.SubElement(parent, name)
    parent.text = text


def _hardening(job: ServiceJob) -> str:
    return _HARDENING.format(writable=" ".join(_systemd_word(str(path)) for path in job.writable))


def _systemd_line(words: Sequence[str]) -> str:
    return " ".join(map(_systemd_word, words))


def _systemd_word(word: str) -> str:
    """Quote a word as systemd reads it: C escapes in double quotes, `%` and `$` doubled."""
    escaped = word.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    escaped = escaped.replace("%", "%%").replace("$", "$$")
    return f'"{escaped}"' if escaped != word or not word or set(word) & set(" \t';#") else word


_HOW = {
    "systemd": "Save it as ~/.config/systemd/user/notewell.service, then run:\n"
    "  systemctl --user daemon-reload\n"
    "  systemctl --user enable --now notewell.service\n"
    "  loginctl enable-linger    # to go on while you are logged out",
    "timer": "Save the two parts under their names in ~/.config/systemd/user/, then run:\n"
    "  systemctl --user daemon-reload\n"
    "  systemctl --user enable --now notewell-index.timer",
    "launchd": "Save it as ~/Library/LaunchAgents/notewell.plist, then run:\n"
    "  launchctl bootstrap gui/$(id -u) ~/Library/LaunchAgents/notewell.plist",
    "cron": "Add it to your crontab: crontab -e",
    "windows": "Save it as notewell.xml, then run in PowerShell:\n"
    "  Register-ScheduledTask -TaskName Notewell -Xml (Get-Content -Raw notewell.xml)",
}
_BY_PLATFORM = {"darwin": "launchd", "win32": "windows"}


@click.group(cls=Group)
def service() -> None:
    """Keep Notewell running without a terminal."""


@service.command("print")
@click.argument("vaults", metavar="[VAULT]...", nargs=-1)
@click.option(
    "--kind",
    type=click.Choice(tuple(UNITS)),
    help="Kind of definition: a systemd unit, a systemd timer that indexes every hour, a launchd"
    " agent, a line for cron or a Windows task. Left out: the one that serves on this system.",
)
def print_unit(vaults: tuple[str, ...], kind: str | None) -> None:
    """Print a service definition for all known vaults, or for each VAULT.

    Kinds `timer` and `cron` only bring the index up to date. The definition names the program of
    this installation and its data directory. Instructions are printed on stderr; nothing is
    installed.
    """
    invocation = current_invocation()
    known = invocation.known()
    records = [known.find(word, cwd=Path.cwd()) for word in vaults]
    indexed = records or known.records()
    chosen = kind or _BY_PLATFORM.get(sys.platform, "systemd")
    click.echo(UNITS[chosen](_job(invocation, records, indexed)), nl=False)
    invocation.say(_HOW[chosen])


def _job(
    invocation: Invocation,
    served: list[VaultRecord],
    indexed: list[VaultRecord] | tuple[VaultRecord, ...],
) -> ServiceJob:
    settings = invocation.settings()
    program = [*own_command(), "--data-dir", str(settings.data_dir)]
    if invocation.config is not None:
        program += ["--config", str(invocation.config.absolute())]
    folders = [record.id for record in indexed if record.source == "folder"]
    return ServiceJob(
        serve=[*program, "serve", *(record.id for record in served)],
        index=[[*program, "--quiet", "index", vault] for vault in folders]
        or [[*program, "--quiet", "index"]],
        writable=(settings.data_dir, settings.model_dir, settings.state_dir),
        home=Path.home(),
    )
