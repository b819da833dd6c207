"""Commands that send a request and print its reply, declared beside the request.

A command names its request, the fields that are arguments and options, and the parts of its output.
Each part is a template for the fields of the reply, in Python's format syntax: `{path}`,
`{gleaning.title}`, `{score:.2f}`; `{0}` is the first part of a tuple. None is an empty text, and
several values have commas between. There are format specs of our own: `time` and `day` of an
ISO 8601 time, `count` of several values, `count NOUN` with a noun in the plural where it must be.
A function of the reply serves where a template does not.
"""

from __future__ import annotations

import string
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias, cast

import click

from notewell.doors.cli.backend import backend_for, note_path, print_reply
from notewell.doors.cli.options import (
    Command,
    Group,
    current_invocation,
    json_option,
    vault_option,
)
from notewell.doors.cli.output import (
    clean,
    clean_lines,
    counted,
    local_time,
    print_facts,
    print_table,
)
from notewell.doors.cli.request_options import (
    RequestType,
    query_argument,
    request_argument,
    request_option,
)

Text: TypeAlias = "str | Callable[[Any], str]"  # a template, or a function of the record


class _Template(string.Formatter):
    """Formats templates with the fields of a record."""

    def get_value(self, key: int | str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:  # noqa: ARG002 - the library's signature
        return args[0][key] if isinstance(key, int) else getattr(args[0], key)

    def format_field(self, value: Any, format_spec: str) -> str:
        kind, _, noun = format_spec.partition(" ")
        match kind, value:
            case "count", _:
                return counted(len(value), noun) if noun else f"{len(value):,}"
            case _, None:
                return ""
            case "time", _:
                return local_time(value)
            case "day", _:
                return str(value)[:10]
            case _, tuple():
                return ", ".join(map(str, value))
            case _:
                return format(value, format_spec)


_TEMPLATE = _Template()


def text_of(text: Text, record: object) -> str:
    """The text for a record."""
    return _TEMPLATE.format(text, record) if isinstance(text, str) else text(record)


@dataclass(frozen=True, slots=True)
class Table:
    """A table of some records; nothing where there are none.

    `rows` is the name of their field in the reply, or a function that gives them. `columns` are
    cells by headings; those whose headings begin with `>` are aligned to the right.
    """

    rows: str | Callable[[Any], Iterable[object]]
    columns: Mapping[str, Text]

    def print(self, reply: object) -> None:
        """Print it."""
        found = getattr(reply, self.rows) if isinstance(self.rows, str) else self.rows(reply)
        rows = [[text_of(cell, one) for cell in self.columns.values()] for one in found]
        headings = [heading.removeprefix(">") for heading in self.columns]
        right = [heading[1:] for heading in self.columns if heading.startswith(">")]
        if rows:
            print_table(headings, rows, right=right)


@dataclass(frozen=True, slots=True)
class Facts:
    """Names and values, one pair a line; those without a value are left out."""

    facts: Mapping[str, Text]

    def print(self, reply: object) -> None:
        """Print them."""
        pairs = [(name, text_of(value, reply)) for name, value in self.facts.items()]
        print_facts([(name, value) for name, value in pairs if value])


@dataclass(frozen=True, slots=True)
class Line:
    """A text on stdout; with `when`, only if this field of the reply has a value."""

    text: Text
    when: str = ""

    def print(self, reply: object) -> None:
        """Print it."""
        if not self.when or getattr(reply, self.when):
            click.echo(clean_lines(text_of(self.text, reply)))


@dataclass(frozen=True, slots=True)
class Lines:
    """A line on stdout for each record of a field."""

    rows: str
    text: Text

    def print(self, reply: object) -> None:
        """Print them."""
        for one in getattr(reply, self.rows):
            click.echo(clean(text_of(self.text, one)))


@dataclass(frozen=True, slots=True)
class Say:
    """A message for people on stderr; with `when`, only if this field of the reply has a value."""

    text: Text
    when: str = ""

    def print(self, reply: object) -> None:
        """Print it."""
        if not self.when or getattr(reply, self.when):
            current_invocation().say(text_of(self.text, reply))


@dataclass(frozen=True, slots=True)
class SayCount:
    """A message of how many were found: `3 hubs`, or `3 of 17 hubs` where not all are shown."""

    rows: str  # name of the field that has those that are shown
    text: Text

    def print(self, reply: Any) -> None:
        """Print it."""
        shown, total = len(getattr(reply, self.rows)), reply.total
        part = f"{shown:,} of {total:,}" if shown < total else f"{total:,}"
        current_invocation().say(f"{part} {text_of(self.text, reply)}")


@dataclass(frozen=True, slots=True)
class Option:
    """An option for a field that differs from the one made of it: other names, or attributes."""

    field: str
    names: tuple[str, ...] = ()
    attributes: Mapping[str, Any] | None = None


Part: TypeAlias = "Table | Facts | Line | Lines | Say | SayCount | Callable[[Any], None]"


def printer(*parts: Part) -> Callable[[Any], None]:
    """A function that prints the parts of a reply, one after the other."""

    def printed(reply: object) -> None:
        for part in parts:
            if callable(part):
                part(reply)
            else:
                part.print(reply)

    return printed


def warn(reply: Any) -> None:
    """Print the warnings of a reply."""
    current_invocation().warn(reply.warnings)


def asking(
    name: str,
    request: RequestType,
    text: str,
    *parts: Part,
    arguments: Mapping[str, str] | None = None,
    notes: Iterable[str] = (),
    options: Iterable[str | Option] = (),
    fixed: Mapping[str, object] | None = None,
    command: type[Command] = Command,
) -> click.Command:
    """A command that sends a request and prints the parts of its reply, or its JSON.

    `arguments` are fields with what help calls them; `q` is a query, the rest of the line. `notes`
    are those that name a note, which is looked for in the vault first. `options` are shown in this
    order, then `--vault`, unless it is named among them, and `--json`. `fixed` are values of fields
    that the command line does not give.
    """
    given = dict(arguments or {})
    shown = printer(*parts)

    def run(*, vault: str | None, as_json: bool, **fields: Any) -> None:
        with backend_for(current_invocation(), vault) as (record, backend):
            for field in notes:
                if fields[field]:
                    fields[field] = note_path(fields[field], record, cwd=Path.cwd())
            print_reply(backend, request(**fields, **(fixed or {})), shown, as_json=as_json)

    listed = tuple(options)
    decorators = [_argument(request, field, metavar, command) for field, metavar in given.items()]
    decorators += [_option(request, one) for one in listed]
    decorators += [] if "vault" in listed else [vault_option]
    function: Any = json_option(run)
    for decorator in reversed(decorators):  # from the last one to the first
        function = decorator(function)
    return cast("click.Command", click.command(name, cls=command, help=text)(function))


def group(name: str, text: str, *commands: click.Command) -> Group:
    """A group of commands, in this order."""
    made = Group(name, help=text)
    for one in commands:
        made.add_command(one)
    return made


def _argument(request: RequestType, field: str, metavar: str, command: type[Command]) -> Any:
    if field == "q" and command is not Command:
        return query_argument(request, metavar)
    return request_argument(request, field, metavar)


def _option(request: RequestType, option: str | Option) -> Any:
    if option == "vault":
        return vault_option
    if isinstance(option, str):
        return request_option(request, option)
    return request_option(request, option.field, *option.names, **(option.attributes or {}))
