"""Options and arguments of commands, made from the fields of the contract's requests.

A field gives its option the name, the type with its bounds, the default and the help text. The
command's function gets the value under the field's name, so it can build the request from its
keyword arguments as they are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any, TypeAlias

import click
from annotated_types import Ge, Gt, Le

from notewell.base.types.hints import FieldType
from notewell.contract.request import Request, RequestField, request_fields
from notewell.doors.cli.completion import complete_notes, complete_query
from notewell.doors.cli.options import AnyFunction

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
    found = _find(request, field)
    declared = names or (_option_name(found),)
    return click.option(*declared, field, **{**_attributes(found), **attributes})


def request_argument(request: RequestType, field: str, metavar: str) -> Decorator[Any]:
    """Give a command the argument for one field, shown as `metavar`.

    Left out or empty, an argument that is not required has the field's default.
    """
    found = _find(request, field)
    kind = _click_type(found)
    completed = complete_notes if field in _NOTES else None
    if found.required:
        return click.argument(field, metavar=metavar, type=kind, shell_complete=completed)
    return click.argument(
        field,
        metavar=f"[{metavar}]",
        type=kind,
        shell_complete=completed,
        default=found.default,
        callback=lambda _ctx, _param, value: value or found.default,
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
    return next(one for one in request_fields(request) if one.name == name)


def _option_name(field: RequestField) -> str:
    name = field.name.replace("_", "-")
    return f"--{name}/--no-{name}" if field.default is True else f"--{name}"


def _attributes(field: RequestField) -> dict[str, Any]:
    """What click needs to know of the option, by the names of its parameters."""
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
