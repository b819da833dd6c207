"""Commands made from requests of the contract.

A field gives its option or argument the name, the type with its bounds, the default and the help
text; the function of a command gets the value under the field's name. A command that only sends its
request and prints the reply has no function: it is declared by `asking`, beside the request.

Such a command names its request, the fields that are arguments and options, and the parts of its
output. Each part is a template for the fields of the reply, in Python's format syntax: `{path}`,
`{gleaning.title}`, `{score:.2f}`; `{0}` is the first part of a tuple. None is an empty text, and
several values have commas between. There are format specs of our own: `time` and `day` of an
ISO 8601 time, `count` of several values, `count NOUN` with a noun in the plural where it must be.
A function of the reply serves where a template does not.
"""

from __future__ import annotations

import string
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeAlias, cast

import click

from notewell.base.types.hints import FieldType, Ge, Gt, Le
from notewell.contract.request import Request, RequestField, request_fields
from notewell.doors.cli.backends import backend_for, note_path, print_reply
from notewell.doors.cli.completion import complete_notes, complete_query
from notewell.doors.cli.options import (
    AnyFunction,
    Command,
    Group,
    current_invocation,
    json_option,
    vault_option,
)
from notewell.doors.cli.output import (
    clean,
    clean_lines,
    format_count,
    local_time,
    print_facts,
    print_table,
)

RequestType: TypeAlias = type[Request[Any]]
# Fields of requests that name a note.
_NOTES = frozenset(("path", "source", "target"))
Decorator: TypeAlias = Callable[[AnyFunction], AnyFunction]


def request_options(request: RequestType, *fields: str) -> Decorator[Any]:
    """Give a command an option for each of these fields, shown in this order."""

    def decorate(function: Any) -> Any:
        for name in reversed(fields):  # decorators are applied from the last option to the first
            function = request_option(request, name)(function)
        return function

    return decorate


def request_option(
    request: RequestType, field: str, *names: str, **attributes: Any
) -> Decorator[Any]:
    """Give a command the option for one field.

    `names` replace the name made from the field's, `attributes` those that click would be given.
    """
    argument = _find(request, field)
    declared = names or (_option_name(argument),)
    return click.option(*declared, field, **{**_attributes(argument), **attributes})


def request_argument(request: RequestType, field: str, metavar: str) -> Decorator[Any]:
    """Give a command the argument for one field, shown as `metavar`.

    Left out or empty, an argument that is not required has the field's default.
    """
    argument = _find(request, field)
    kind = _click_type(argument)
    completed = complete_notes if field in _NOTES else None
    if argument.required:
        return click.argument(field, metavar=metavar, type=kind, shell_complete=completed)
    return click.argument(
        field,
        metavar=f"[{metavar}]",
        type=kind,
        shell_complete=completed,
        default=argument.default,
        callback=lambda _ctx, _param, value: value or argument.default,
    )


def query_argument(request: RequestType, metavar: str = "QUERY") -> Decorator[Any]:
    """Give a `QueryCommand` the argument for the request's query: all words of the line."""
    return click.argument(
        "q",
        metavar=f"{metavar}...",
        type=_click_type(_find(request, "q")),
        nargs=-1,
        required=True,
        shell_complete=complete_query,
        callback=lambda _ctx, _param, words: _query(words),
    )


def _query(words: tuple[str, ...]) -> str:
    """Join the words of the line to a query.

    The shell has taken the quotes of `-"old version"`, so a word with blanks gets them back.
    """
    if len(words) == 1:
        return words[0]
    excluded = (
        f'-"{word[1:]}"' if word[:1] == "-" and " " in word and '"' not in word else word
        for word in words
    )
    return " ".join(excluded)


def _find(request: RequestType, name: str) -> RequestField:
    return next(field for field in request_fields(request) if field.name == name)


def _option_name(field: RequestField) -> str:
    name = field.name.replace("_", "-")
    return f"--{name}/--no-{name}" if field.default is True else f"--{name}"


def _attributes(field: RequestField) -> dict[str, Any]:
    """The parameters of click for the option."""
    attributes: dict[str, Any] = {"help": _sentence(field.doc)}
    if _first(field.type).hint is bool:
        attributes["is_flag"] = True
    else:
        attributes["type"] = _click_type(field)
    if field.required:
        return {**attributes, "required": True}
    shown = not (field.default is None or field.default is False or field.default == "")
    return {**attributes, "default": field.default, "show_default": shown}


def _click_type(field: RequestField) -> click.ParamType[Any]:
    kind = _first(field.type)
    if kind.kind == "words":
        return click.Choice(kind.words)
    if kind.hint is int:
        return click.IntRange(**_bounds(kind.markers))
    if kind.hint is float:
        return click.FloatRange(**_bounds(kind.markers))
    return click.STRING


def _first(kind: FieldType) -> FieldType:
    """Of a union the first type, with the markers of both."""
    if kind.kind != "union":
        return kind
    first = kind.parts[0]
    return replace(first, markers=(*first.markers, *kind.markers))


def _bounds(markers: Iterable[object]) -> Mapping[str, Any]:
    bounds: dict[str, Any] = {}
    for marker in markers:
        match marker:
            case Ge(ge=least):
                bounds["min"] = least
            case Gt(gt=least):
                bounds |= {"min": least, "min_open": True}
            case Le(le=most):
                bounds["max"] = most
            case _:
                pass  # says nothing about a number's range
    return bounds


def _sentence(text: str) -> str:
    return f"{text}." if text and text[-1].isalnum() else text


Text: TypeAlias = "str | Callable[[Any], str]"  # a template, or a function of the record


class _Template(string.Formatter):
    """Formats templates with the fields of a record.

    `{notes:count note}` is the number, or the length, of a field with its noun; `{at:time}` and
    `{at:day}` are local times.
    """

    def get_value(self, key: int | str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:  # noqa: ARG002 - the library's signature
        return args[0][key] if isinstance(key, int) else getattr(args[0], key)

    def format_field(self, value: Any, format_spec: str) -> str:
        kind, _, noun = format_spec.partition(" ")
        match kind, value:
            case "count", _:
                number = value if isinstance(value, int) else len(value)
                return format_count(number, noun) if noun else f"{number:,}"
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
        listed = getattr(reply, self.rows) if isinstance(self.rows, str) else self.rows(reply)
        rows = [[text_of(cell, record) for cell in self.columns.values()] for record in listed]
        headings = [heading.removeprefix(">") for heading in self.columns]
        right = [heading[1:] for heading in self.columns if heading.startswith(">")]
        if rows:
            print_table(headings, rows, right=right)


@dataclass(frozen=True, slots=True)
class FactList:
    """Names and values, one pair a line; those without a value are left out."""

    facts: Mapping[str, Text]

    def print(self, reply: object) -> None:
        pairs = [(name, text_of(value, reply)) for name, value in self.facts.items()]
        print_facts([(name, value) for name, value in pairs if value])


@dataclass(frozen=True, slots=True)
class TextLine:
    """A text on stdout; with `when`, only if this field of the reply has a value."""

    text: Text
    when: str = ""

    def print(self, reply: object) -> None:
        if not self.when or getattr(reply, self.when):
            click.echo(clean_lines(text_of(self.text, reply)))


@dataclass(frozen=True, slots=True)
class EachLine:
    """A line on stdout for each record of a field."""

    rows: str
    text: Text

    def print(self, reply: object) -> None:
        for record in getattr(reply, self.rows):
            click.echo(clean(text_of(self.text, record)))


@dataclass(frozen=True, slots=True)
class Say:
    """A message for people on stderr; with `when`, only if this field of the reply has a value."""

    text: Text
    when: str = ""

    def print(self, reply: object) -> None:
        if not self.when or getattr(reply, self.when):
            current_invocation().say(text_of(self.text, reply))


@dataclass(frozen=True, slots=True)
class SayCount:
    """A message of how many were found: `3 hubs`, or `3 of 17 hubs` where not all are shown."""

    rows: str  # name of the field that has those that are shown
    text: Text

    def print(self, reply: Any) -> None:
        shown, total = len(getattr(reply, self.rows)), reply.total
        part = f"{shown:,} of {total:,}" if shown < total else f"{total:,}"
        current_invocation().say(f"{part} {text_of(self.text, reply)}")


@dataclass(frozen=True, slots=True)
class Option:
    """An option for a field that differs from the one made of it: other names, or attributes."""

    field: str
    names: tuple[str, ...] = ()
    attributes: Mapping[str, Any] | None = None


Part: TypeAlias = "Table | FactList | TextLine | EachLine | Say | SayCount | Callable[[Any], None]"


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
    decorators += [_option(request, option) for option in listed]
    decorators += [] if "vault" in listed else [vault_option]
    function: Any = json_option(run)
    for decorator in reversed(decorators):  # from the last one to the first
        function = decorator(function)
    return cast("click.Command", click.command(name, cls=command, help=text)(function))


def group(name: str, text: str, *commands: click.Command) -> Group:
    """A group of commands, in this order."""
    command_group = Group(name, help=text)
    for command in commands:
        command_group.add_command(command)
    return command_group


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
