"""Type hints of records, read once for all that is made from them.

Settings, the JSON of replies and its schema, requests over HTTP, options of commands, arguments of
tools and TypeScript types are made from the annotations of records.

Bounds such as `Ge` are markers of our own: importing the library annotated-types, and what that
imports, would cost every command of the terminal 30 ms.
"""

from __future__ import annotations

from collections import abc
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import fields, is_dataclass, replace
from functools import cache
from types import NoneType, UnionType
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    Literal,
    TypeAlias,
    Union,
    get_args,
    get_origin,
    get_type_hints,
    is_typeddict,
)

from notewell.base.types.frozen import frozen

if TYPE_CHECKING:
    from pydantic import GetCoreSchemaHandler
    from pydantic_core import CoreSchema

Kind: TypeAlias = Literal[
    "plain",  # text, a number, a truth value, a path or a time: a value of the class `hint`
    "words",  # one of `words`
    "record",  # a dataclass, or a dictionary with known names; `members` has its fields
    "union",  # a value of one of the parts
    "list",  # a tuple of any length, of values of the one part
    "tuple",  # a value for each part
    "set",  # a frozenset of values of the one part
    "mapping",  # from values of the first part to values of the second
    "any",  # any JSON: a reference that is left of an alias that names itself
]
_UNIONS = frozenset({Union, UnionType})
_COMPOSED: dict[Any, Kind] = {tuple: "tuple", frozenset: "set", abc.Mapping: "mapping"}


@frozen
class FieldType:
    """The meaning of an annotation.

    `hint` is the annotation without its markers (bounds and the like), which are `markers`. If
    `optional`, None is a value too, and all else is about the other values.
    """

    kind: Kind
    hint: Any
    parts: tuple[FieldType, ...] = ()
    words: tuple[str, ...] = ()
    markers: tuple[Any, ...] = ()
    optional: bool = False


def describe(hint: Any) -> FieldType:
    """Describe an annotation as `get_type_hints` gives it."""
    origin, inner = get_origin(hint), get_args(hint)
    if origin is Annotated:
        words = describe(inner[0])
        return replace(words, markers=(*words.markers, *inner[1:]))
    if origin in _UNIONS:
        parts = tuple(describe(part) for part in inner if part is not NoneType)
        optional = len(parts) < len(inner)
        if len(parts) == 1:
            return replace(parts[0], optional=True)
        return FieldType("union", hint, parts, optional=optional)
    if origin is Literal:
        return FieldType("words", hint, words=inner)
    parts = tuple(describe(part) for part in inner if part is not Ellipsis)
    return FieldType(_kind(hint, origin, inner), hint, parts)


def _kind(hint: Any, origin: Any, inner: tuple[Any, ...]) -> Kind:
    if origin is tuple and inner[-1] is Ellipsis:
        return "list"
    if origin in _COMPOSED:
        return _COMPOSED[origin]
    if not isinstance(hint, type):
        return "any"
    return "record" if is_dataclass(hint) or is_typeddict(hint) else "plain"


def members(record: type) -> tuple[tuple[str, FieldType], ...]:
    """The fields of a record, in order, each with its description."""
    return _members(record)


@cache
def _members(record: Hashable) -> tuple[tuple[str, FieldType], ...]:
    kind: Any = record
    hints = get_type_hints(kind, include_extras=True)
    names = [field.name for field in fields(kind)] if is_dataclass(kind) else hints
    return tuple((name, describe(hints[name])) for name in names)


def markers_of(hint: Any) -> tuple[Any, ...]:
    """The markers of an annotation as a whole, not those of the parts of a union."""
    return get_args(hint)[1:] if get_origin(hint) is Annotated else ()


def rewritten(
    hint: Any,
    leaf: Callable[[Any], Any],
    markers: Callable[[tuple[Any, ...]], Iterable[Any]] = lambda given: given,
) -> Any:
    """The annotation with `leaf` of each type below its unions, and `markers` of its markers."""
    inner = get_args(hint)
    if get_origin(hint) is Annotated:
        return Annotated[(rewritten(inner[0], leaf, markers), *markers(inner[1:]))]
    if get_origin(hint) in _UNIONS:
        parts = tuple(rewritten(part, leaf, markers) for part in inner)
        return Union[parts]  # noqa: UP007 - made of a tuple
    return leaf(hint)


class Bound:
    """A bound of a checked value; its fields are named as in the schemas of pydantic."""

    __slots__ = ()

    def __get_pydantic_core_schema__(
        self, source: object, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        record: Any = self
        return _within(
            handler(source), {field.name: getattr(self, field.name) for field in fields(record)}
        )


def _within(schema: Any, bounds: Mapping[str, object]) -> Mapping[str, Any]:
    """The schema with bounds of the value itself, not of what may be None or is made of it."""
    if "schema" in schema:
        return {**schema, "schema": _within(schema["schema"], bounds)}
    return {**schema, **bounds}


@frozen
class Ge(Bound):
    """At least."""

    ge: float


@frozen
class Gt(Bound):
    """More than."""

    gt: float


@frozen
class Le(Bound):
    """At most."""

    le: float


@frozen
class MinLen(Bound):
    """At least so many characters or items."""

    min_length: int


@frozen
class MaxLen(Bound):
    """At most so many characters or items."""

    max_length: int
