"""`notewell properties`: changes properties of a note and nothing else in it; and its tool."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any

import click

from notewell.api.commands import (
    Command,
    backend_for,
    clean_lines,
    current_invocation,
    json_option,
    note_path,
    print_reply,
    request_options,
    vault_option,
)
from notewell.api.errors import UsageError
from notewell.api.requests import Doc
from notewell.api.tools import ArgumentChange, tool_of
from notewell.api.types import PropertyValue
from notewell.doors.cli.completion import complete_notes
from notewell.features.properties.requests import (
    EditProperties,
    PropertiesReply,
    PropertyInput,
    PropertyScalar,
)
from notewell.vault.edit_properties import read_value


def _name_option(option: str, metavar: str, text: str) -> Callable[[click.Command], click.Command]:
    return click.option(option, metavar=metavar, multiple=True, help=text)


@click.command(cls=Command)
@click.argument("note", metavar="NOTE", shell_complete=complete_notes)
@_name_option("--set", "K=V", "Give the property K the value V.")
@_name_option("--add", "K=V", "Add V to the list K, if it is not in it.")
@_name_option("--remove", "K", "Remove the property K.")
@_name_option("--rename", "K=K2", "Rename the property K to K2.")
@request_options(EditProperties, "dry_run")
@vault_option
@json_option
def properties(
    *,
    note: str,
    set: tuple[str, ...],  # noqa: A002 - click names arguments after options
    add: tuple[str, ...],
    remove: tuple[str, ...],
    rename: tuple[str, ...],
    dry_run: bool,
    vault: str | None,
    as_json: bool,
) -> None:
    """Change properties of NOTE (a path) and nothing else in it.

    V is read as YAML: `3`, `"3"`, `[a, b]`, `true`. Each option may be repeated. `notewell undo`
    takes the change back.
    """
    with backend_for(current_invocation(), vault) as (record, backend):
        request = EditProperties(
            note_path(note, record, cwd=Path.cwd()),
            set=_values("--set", set),
            add=_values("--add", add),
            remove=remove,
            rename=dict(_pair("--rename", pair) for pair in rename),
            dry_run=dry_run,
        )
        print_reply(backend, request, _show, as_json=as_json)


def _values(option: str, given: Iterable[str]) -> dict[str, PropertyInput]:
    values: dict[str, PropertyInput] = {}
    for name, text in (_pair(option, pair) for pair in given):
        value = _input(read_value(text))
        if option == "--add" and name in values:
            values[name] = (*_items(values[name]), *_items(value))
        elif name in values:
            raise UsageError(f"{option} names {name} twice.")
        else:
            values[name] = value
    return values


def _items(value: PropertyInput) -> tuple[PropertyScalar, ...]:
    if isinstance(value, Mapping):
        raise UsageError("--add takes one value or a list, not names with values.")
    return value if isinstance(value, tuple) else (value,)


def _input(value: PropertyValue) -> PropertyInput:
    """The value as a request takes it; UsageError for lists within lists."""
    if isinstance(value, Mapping):
        return {name: _scalar(item) for name, item in value.items()}
    if isinstance(value, tuple):
        return tuple(map(_scalar, value))
    return value


def _scalar(value: PropertyValue) -> PropertyScalar:
    if isinstance(value, Mapping | tuple):
        raise UsageError("Obsidian does not show lists within lists; give a list of single values.")
    return value


def _pair(option: str, given: str) -> tuple[str, str]:
    name, equals, value = given.partition("=")
    if not equals or not name.strip():
        raise UsageError(f"{option} {given} lacks a name and a value: {option} status=done")
    return name.strip(), value.strip()


def _show(reply: PropertiesReply) -> None:
    if reply.diff:
        click.echo(clean_lines(reply.diff))
    invocation = current_invocation()
    if not reply.changed:
        invocation.say(f"{clean_lines(reply.path)} is so already")
    elif reply.undo is None:
        invocation.say("nothing was written (--dry-run)")
    else:
        invocation.say(f"changed; `notewell undo {reply.undo}` takes it back")


# The tool of assistants.

# The server checks the values; a schema of each kind would cost tokens in every conversation.
_Values = Mapping[str, Any]
_CHANGES = {
    "expected_hash": ArgumentChange(hint=str | None),
    "set": ArgumentChange(hint=_Values),
    "add": ArgumentChange(hint=Annotated[_Values, Doc("Items to add to lists")]),
    "remove": ArgumentChange(hint=tuple[str, ...]),
    "rename": ArgumentChange(hint=Mapping[str, str]),
}

TOOLS = (
    tool_of(
        EditProperties,
        "Edit properties",
        "Set, add to, remove or rename properties of a note; the rest of it stays.",
        changes=_CHANGES,
        core=("path", "expected_hash", "set", "add", "remove", "rename", "vault"),
    ),
)
