"""`notewell mcp`: serves an assistant, and enters Notewell in the settings of one."""

from __future__ import annotations

import sys
from contextlib import closing
from pathlib import Path

import click

from notewell.base.errors import ConfigError, UsageError
from notewell.base.support.program import own_command
from notewell.doors.cli.options import Group, Invocation, current_invocation, json_option
from notewell.doors.cli.output import emit_object, print_table
from notewell.doors.mcp.clients import CLIENTS, AssistantClient, UserFolders
from notewell.engine.feature import switched_on
from notewell.features import FEATURES

_USUAL_TOPICS = "core"


@click.group(cls=Group, invoke_without_command=True)
@click.option(
    "--vault",
    metavar="VAULT",
    help="Serve only this vault. Left out: all known vaults, by default that of the current"
    " folder.",
)
@click.option(
    "--allow-write",
    is_flag=True,
    help="Let the assistant reindex, and write memories if a folder is set for them.",
)
@click.option(
    "--tools",
    "topics",
    metavar="TOPIC,...",
    default=_USUAL_TOPICS,
    show_default=True,
    help="List the tools of these topics beside the usual ones, such as garden,memory; or all.",
)
@click.pass_context
def mcp(ctx: click.Context, *, vault: str | None, allow_write: bool, topics: str) -> None:
    """Serve an assistant on stdin and stdout.

    Assistants start this themselves: `notewell mcp setup` enters it in their settings. A running
    server answers if there is one; otherwise the index is opened here.
    """
    if ctx.invoked_subcommand is not None:
        return
    from notewell.doors.mcp.local import LocalSource  # noqa: PLC0415 - pydantic, tokenizers
    from notewell.doors.mcp.server import parse_topics, serve_stdio  # noqa: PLC0415 - loads the protocol's SDK

    wanted = parse_topics(topics)
    invocation = current_invocation()
    known = invocation.known()
    only = known.find(vault, cwd=Path.cwd()) if vault is not None else None
    with closing(LocalSource(known, invocation.vaults, only=only, cwd=Path.cwd())) as source:
        on = switched_on(FEATURES, invocation.settings())
        serve_stdio(source, allow_write=allow_write, wanted=wanted, features=on)


@mcp.command("setup")
@click.option(
    "--client",
    "name",
    type=click.Choice([client.name for client in CLIENTS]),
    help="The assistant. Left out: list all, and which have Notewell.",
)
@click.option("--write", is_flag=True, help="Enter Notewell, instead of showing what to enter.")
@click.option("--remove", is_flag=True, help="Take Notewell out again.")
@click.option("--vault", metavar="VAULT", help="Let the assistant use this vault alone.")
@click.option("--allow-write", is_flag=True, help="Let it change notes, where tools do.")
@json_option
def setup(
    *,
    name: str | None,
    write: bool,
    remove: bool,
    vault: str | None,
    allow_write: bool,
    as_json: bool,
) -> None:
    """Enter Notewell in the settings of an assistant.

    Shows what would be written and where; --write writes it, only this entry, and keeps a copy of
    the former file beside it. --remove undoes it.
    """
    invocation = current_invocation()
    if name is None:
        if write or remove:
            raise UsageError("Name the assistant with --client.")
        _list(as_json=as_json)
        return
    if write and remove:
        raise UsageError("Give --write or --remove, not both.")
    client = next(client for client in CLIENTS if client.name == name)
    if remove:
        _remove(invocation, client, as_json=as_json)
        return
    arguments = [*_program()[1:], "mcp"]
    if vault is not None:
        arguments += ["--vault", invocation.vault(vault).name]
    if allow_write:
        arguments.append("--allow-write")
    _enter(invocation, client, arguments, is_written=write, as_json=as_json)


def _program() -> list[str]:
    """The command that starts this program, in full: assistants do not know a terminal's PATH."""
    folder = Path(sys.executable).parent
    for place in (Path(sys.argv[0]).absolute(), folder / "notewell", folder / "notewell.exe"):
        if place.is_file() and place.stem == "notewell":
            return [str(place)]
    return own_command()


def _list(*, as_json: bool) -> None:
    from notewell.doors.mcp import client_setup  # noqa: PLC0415 - tomlkit

    folders = UserFolders.of_user()
    rows = []
    for client in CLIENTS:
        file = client.file(folders)
        try:
            state = "entered" if client_setup.is_entered(client, folders) else "not entered"
        except ConfigError:
            state = "broken"
        is_there = file.parent != folders.home and file.parent.is_dir()
        state = state if file.exists() or is_there else "not found"
        rows.append((client.name, client.title, state, str(file)))
    if as_json:
        keys = ("name", "title", "state", "file")
        emit_object({"clients": [dict(zip(keys, row, strict=True)) for row in rows]})
        return
    print_table(("client", "assistant", "Notewell is", "its settings"), rows)


def _enter(
    invocation: Invocation,
    client: AssistantClient,
    arguments: list[str],
    *,
    is_written: bool,
    as_json: bool,
) -> None:
    from notewell.doors.mcp import client_setup  # noqa: PLC0415 - tomlkit

    command = _program()[0]
    text = client_setup.snippet(client, command, arguments)
    change = client_setup.enter_server(client, UserFolders.of_user(), command, arguments)
    backup = client_setup.write(change) if is_written else None
    if as_json:
        emit_object(
            {
                "client": client.name,
                "file": str(change.file),
                "entry": client.entry(command, arguments),
                "written": is_written,
                "changed": change.is_needed,
                "backup": None if backup is None else str(backup),
            }
        )
        return
    if not is_written:
        invocation.say(f"{client.title} reads {change.file}. Enter this there, or add --write:")
        click.echo(text.rstrip())
        return
    kept = f" The former file is {backup.name}, beside it." if backup else ""
    state = "entered in" if change.is_needed else "already in"
    invocation.say(f"Notewell is {state} {change.file}.{kept} {client.then}")


def _remove(invocation: Invocation, client: AssistantClient, *, as_json: bool) -> None:
    from notewell.doors.mcp import client_setup  # noqa: PLC0415 - tomlkit

    change = client_setup.remove_server(client, UserFolders.of_user())
    backup = client_setup.write(change)
    if as_json:
        emit_object(
            {
                "client": client.name,
                "file": str(change.file),
                "changed": change.is_needed,
                "backup": None if backup is None else str(backup),
            }
        )
        return
    state = "no longer in" if change.is_needed else "not in"
    invocation.say(f"Notewell is {state} {change.file}.")
