"""TypeScript types of the contract: the parameters and the reply of every route, from the records.

`python release/contract_types.py FILE` writes them to a file; with `--check` it only says
whether the file is up to date.
"""

from __future__ import annotations

import argparse
import inspect
import sys
import types
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from textwrap import indent
from types import NoneType
from typing import Any, Literal, Union, get_args, get_origin

from notewell.base.types.hints import FieldType, members
from notewell.contract import OMITTED_WHEN_NONE
from notewell.contract.request import Request, RequestField, reply_type, request_fields
from notewell.contract.server import Problem
from notewell.engine.feature import requests
from notewell.features import FEATURES

HEADER = """\
/**
 * The contract with the server: parameters and replies of every route. Types only.
 *
 * Made by `npm run contract` from the records in sidecar/notewell/contract: change those and run
 * it again. CI refuses a file that is not up to date.
 */
"""
_PROPERTY_VALUE = """\
/** The value of a note's property: any JSON. */
export type PropertyValue =
  | string
  | number
  | boolean
  | readonly PropertyValue[]
  | { readonly [name: string]: PropertyValue }
  | null;
"""
_OF_VAULT = """\
export interface OfVault {
  /** Id or name of a vault; may be left out where one is served. */
  readonly vault?: string;
}
"""
_PLAIN: dict[object, str] = {
    str: "string",
    int: "number",
    float: "number",
    bool: "boolean",
    datetime: "string",
}
_LINE_LENGTH = 100

# Where a value travels: in a reply, in the query string of a request, or in its JSON body.
Place = Literal["reply", "query", "body"]


def declarations() -> str:
    """Return the text of the TypeScript file."""
    writer = _Writer()
    writer.record(Problem, "reply")
    rows = [writer.route(request) for request in requests(FEATURES)]
    about = "The parameters and the reply of each route; of a stream, the type of its events."
    parts = [
        HEADER,
        _PROPERTY_VALUE,
        "".join(writer.aliases.values()),
        _OF_VAULT,
        *writer.interfaces.values(),
        _block(f"{_comment(about)}export interface Routes", rows),
    ]
    return "\n".join(parts)


@dataclass(slots=True)
class _Writer:
    """Collects declarations by name, in the order of their first use.

    `names` are those that the records' modules have for unions and for sets of words.
    """

    aliases: dict[str, str] = field(default_factory=dict)
    interfaces: dict[str, str] = field(default_factory=dict)
    names: dict[object, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Learn the names in `base.types` first: those of other modules may repeat them."""
        self._learn_names("notewell.base.types")

    def route(self, request: type[Request[Any]]) -> str:
        """Declare the parameters and the reply of a route; return its row of the table."""
        endpoint, reply = request.endpoint, reply_type(request)
        parameters = self._parameters(request)
        answer = "string" if reply is str else self.record(reply, "reply")
        row = f"{{ readonly parameters: {parameters}; readonly reply: {answer} }}"
        return f'readonly "{endpoint.method} {endpoint.path}": {row};'

    def record(self, record: type, place: Place) -> str:
        """Declare a record, of a reply or within a request's body; return its name."""
        name = record.__name__
        if name in self.interfaces:
            return name
        self.interfaces[name] = ""  # keeps its place before its parts, and ends a recursion
        self._learn_names(record.__module__)
        if place == "reply":
            declared = [self._reply_field(name, kind) for name, kind in members(record)]
        else:
            declared = [self._parameter(one, place) for one in request_fields(record)]
        head = f"{_comment(inspect.getdoc(record) or '')}export interface {name}"
        self.interfaces[name] = _block(head, declared)
        return name

    def _parameters(self, request: type[Request[Any]]) -> str:
        """Declare the parameters of a request; return the name of their type."""
        endpoint = request.endpoint
        place: Place = "query" if endpoint.method == "GET" else "body"
        self._learn_names(request.__module__)
        members = [self._parameter(one, place) for one in request_fields(request)]
        if not members:
            return "OfVault" if endpoint.of_vault else "Record<never, never>"
        extends = " extends OfVault" if endpoint.of_vault else ""
        about = f"`{endpoint.method} {endpoint.path}`: {endpoint.summary}"
        head = f"{_comment(about)}export interface {request.__name__}{extends}"
        self.interfaces[request.__name__] = _block(head, members)
        return request.__name__

    def _reply_field(self, name: str, kind: FieldType) -> str:
        if name in OMITTED_WHEN_NONE and kind.optional:
            return _member(f"{name}?", self.type_of(replace(kind, optional=False), "reply"))
        return _member(name, self.type_of(kind, "reply"))

    def _parameter(self, one: RequestField, place: Place) -> str:
        # In a query string a parameter is left out instead of null.
        kind = replace(one.type, optional=False) if place == "query" else one.type
        name = one.name if one.required else f"{one.name}?"
        return _member(name, self.type_of(kind, place), one.doc)

    def type_of(self, kind: FieldType, place: Place) -> str:
        """Return the TypeScript type of a field; declare the records and names it uses."""
        if _is_property_value(kind):
            return "PropertyValue"
        if kind.kind == "union" or kind.optional:
            return self._union(kind, place)
        if kind.kind == "set" and place == "query":
            return "string"  # with commas between its members
        parts = [self.type_of(part, place) for part in kind.parts]
        match kind.kind:
            case "plain" if kind.hint in _PLAIN:
                found = _PLAIN[kind.hint]
            case "record":
                found = self.record(kind.hint, place)
            case "words":
                found = self._named(kind.hint, [f'"{word}"' for word in kind.words])
            case "list":
                found = f"readonly ({parts[0]})[]" if " " in parts[0] else f"readonly {parts[0]}[]"
            case "tuple":
                found = f"readonly [{', '.join(parts)}]"
            case "mapping":
                record = f"Record<{', '.join(parts)}>"
                is_of_words = kind.parts[0].kind == "words"
                found = f"Readonly<Partial<{record}>>" if is_of_words else f"Readonly<{record}>"
            case _:
                raise TypeError(f"{kind.hint!r} has no TypeScript type")
        return found

    def _union(self, kind: FieldType, place: Place) -> str:
        if kind.kind != "union":
            return f"{self.type_of(replace(kind, optional=False), place)} | null"
        parts = iter(kind.parts)
        hints = [one for one in get_args(kind.hint) if kind.optional or one is not NoneType]
        names = ["null" if one is NoneType else self.type_of(next(parts), place) for one in hints]
        return self._named(Union[tuple(hints)], names)  # noqa: UP007 - made of a tuple

    def _named(self, hint: Any, members: Sequence[str]) -> str:
        """Return a union, or declare it and return the name that the records have for it."""
        members = list(dict.fromkeys(members))
        name = self.names.get(hint)
        if name is None:
            return " | ".join(members)
        line = f"export type {name} = {' | '.join(members)};\n"
        if len(line) > _LINE_LENGTH:
            line = f"export type {name} =\n  | " + "\n  | ".join(members) + ";\n"
        self.aliases[name] = line
        return name

    def _learn_names(self, module: str) -> None:
        for name, value in vars(sys.modules[module]).items():
            if get_origin(value) in {Literal, Union, types.UnionType}:
                self.names.setdefault(value, name)


def _is_property_value(kind: FieldType) -> bool:
    """True for `PropertyValue`, the one alias that refers to itself.

    Python resolves such an alias to some depth only, so it is known by the reference that is left.
    """
    return kind.kind == "any" or (
        kind.kind == "union"
        and any(inner.kind == "any" for part in kind.parts for inner in part.parts)
    )


def _member(name: str, kind: str, about: str = "") -> str:
    return f"{_comment(about)}readonly {name}: {kind};"


def _comment(text: str) -> str:
    if not text:
        return ""
    if "\n" not in text and len(text) + len("  /**  */") <= _LINE_LENGTH:
        return f"/** {text} */\n"
    lines = indent(text, " * ", lambda _: True).splitlines()
    return "\n".join(["/**", *(line.rstrip() for line in lines), " */\n"])


def _block(head: str, members: Iterable[str]) -> str:
    return f"{head} {{\n" + "".join(f"{indent(member, '  ')}\n" for member in members) + "}\n"


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the file, or with `--check` compare it; return the exit status."""
    parser = argparse.ArgumentParser(description="TypeScript types of the contract.")
    parser.add_argument("file", type=Path)
    parser.add_argument("--check", action="store_true", help="only say whether it is up to date")
    given = parser.parse_args(arguments)
    if not given.check:
        given.file.write_text(declarations(), encoding="utf-8", newline="\n")
        return 0
    if given.file.read_text(encoding="utf-8") == declarations():
        return 0
    sys.stderr.write(f"{given.file} is out of date: run `npm run contract` and commit it.\n")
    return 1


if __name__ == "__main__":
    sys.exit(main())
