"""`notewell service`: definitions with which the operating system keeps Notewell running."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from notewell.base.support.program import own_command
from notewell.base.types import VaultRecord
from notewell.doors.cli.options import Group, Invocation, current_invocation
from notewell.doors.cli.units import UNITS, Job

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
) -> Job:
    settings = invocation.settings()
    program = [*own_command(), "--data-dir", str(settings.data_dir)]
    if invocation.config is not None:
        program += ["--config", str(invocation.config.absolute())]
    folders = [record.id for record in indexed if record.source == "folder"]
    return Job(
        serve=[*program, "serve", *(record.id for record in served)],
        index=[[*program, "--quiet", "index", vault] for vault in folders]
        or [[*program, "--quiet", "index"]],
        writable=(settings.data_dir, settings.model_dir, settings.state_dir),
        home=Path.home(),
    )
