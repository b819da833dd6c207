"""`notewell plugin`: installs the Obsidian plugin that this package carries."""

from __future__ import annotations

from pathlib import Path

import click

from notewell.base.errors import NotFoundError
from notewell.base.support.disk import expand_user
from notewell.doors.cli.options import (
    Group,
    Invocation,
    complete_vaults,
    current_invocation,
    json_option,
)
from notewell.doors.cli.output import emit_object
from notewell.doors.obsidian.install import CONFIG_FOLDER, Installed, install


@click.group(cls=Group)
def plugin() -> None:
    """Install the Obsidian plugin."""


@plugin.command("install")
@click.argument("vault", required=False, shell_complete=complete_vaults)
@click.option("--enable", is_flag=True, help="Switch it on as well, in Obsidian's own list.")
@click.option(
    "--config-folder",
    default=CONFIG_FOLDER,
    show_default=True,
    help="Folder in which Obsidian keeps the vault's settings.",
)
@click.option("--force", is_flag=True, help="Replace a newer version, too.")
@json_option
def install_plugin(
    *, vault: str | None, enable: bool, config_folder: str, force: bool, as_json: bool
) -> None:
    """Put the plugin into VAULT: a folder, or the name of a known vault.

    Its settings in the vault stay. Obsidian sees the plugin after it is restarted.
    """
    invocation = current_invocation()
    folder = _folder(invocation, vault)
    done = install(folder, enable=enable, config_folder=config_folder, force=force)
    if as_json:
        emit_object(done)
    else:
        invocation.say(_told(done))


def _folder(invocation: Invocation, word: str | None) -> Path:
    """The folder of a vault, which need not be known."""
    if word is not None and expand_user(word).is_dir():
        return expand_user(word).absolute()
    try:
        return invocation.vault(word).path
    except NotFoundError:
        if word is None:
            raise
        raise NotFoundError(
            f"There is no folder {word}, and no known vault of this name."
        ) from None


def _told(done: Installed) -> str:
    if not done.changed:
        state = f"Notewell {done.version} is in {done.folder} already."
    elif done.before is None:
        state = f"Notewell {done.version} is in {done.folder}."
    else:
        state = f"Notewell {done.version} is in {done.folder}, in place of {done.before}."
    if done.enabled:
        return (
            f"{state} It is switched on: restart Obsidian, and turn community plugins on where it"
            " asks."
        )
    return (
        f"{state} Restart Obsidian and switch Notewell on in Settings, Community plugins; or run"
        " this again with --enable."
    )
