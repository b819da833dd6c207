"""`recollect token`, and the token that a plain `serve` keeps between runs."""

from __future__ import annotations

import os
import secrets
import tempfile
from pathlib import Path

import click

from recollect.cli.options import Group, invocation
from recollect.errors import AccessError

_FILE = "token"
_BYTES = 32  # 256 bits


@click.group(cls=Group)
def token() -> None:
    """Show or replace the token of `recollect serve`."""


@token.command("show")
def show_token() -> None:
    """Print the token; it is made at first asking."""
    click.echo(stored_token(invocation().settings().state_dir))


@token.command("rotate")
def rotate_token() -> None:
    """Replace the token and print the new one."""
    inv = invocation()
    click.echo(new_stored_token(inv.settings().state_dir))
    inv.say("Servers that run keep the old token until they are started again.")


def new_token() -> str:
    """A fresh token of 256 bits, safe in a URL."""
    return secrets.token_urlsafe(_BYTES)


def stored_token(state_dir: Path) -> str:
    """The token in `state_dir`, made if there is none. Raises AccessError where others read it."""
    file = state_dir / _FILE
    try:
        text = file.read_text(encoding="ascii").strip()
    except FileNotFoundError:
        return new_stored_token(state_dir)
    except (OSError, UnicodeDecodeError) as error:
        raise AccessError(
            f"{file} cannot be read ({error}); make a new token with `recollect token rotate`"
        ) from error
    if os.name == "posix" and file.stat().st_mode & 0o077:
        raise AccessError(
            f"{file} is open to other users of this machine; replace the token with "
            "`recollect token rotate`"
        )
    return text or new_stored_token(state_dir)


def new_stored_token(state_dir: Path) -> str:
    """Replace the token in `state_dir`. The file is the owner's alone from its first byte."""
    made = new_token()
    state_dir.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=state_dir, prefix=f".{_FILE}.")  # made with 0600
    try:
        with os.fdopen(handle, "w", encoding="ascii") as stream:
            stream.write(f"{made}\n")
        Path(name).replace(state_dir / _FILE)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
    return made
