"""Settings from values as written: each is checked against its field's type, and text converted.

Written here and not with pydantic, because loading pydantic and building its validator takes longer
than all else that a command beside a running server does.
"""

from __future__ import annotations

import math
from collections import abc
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from pathlib import Path
from types import NoneType, UnionType
from typing import (
    Annotated,
    Any,
    Literal,
    TypeGuard,
    TypeVar,
    Union,
    get_args,
    get_origin,
    get_type_hints,
)

from annotated_types import Ge, Gt, Le

from notewell.base.errors import ConfigError

T = TypeVar("T")

_WORDS = {
    **dict.fromkeys(("true", "t", "yes", "y", "on", "1"), True),
    **dict.fromkeys(("false", "f", "no", "n", "off", "0"), False),
}
_SHOWN_CHARS = 80  # of an invalid value


class _InvalidError(Exception):
    """A value is not what its type says: what it must be, and where inside a section."""

    def __init__(self, expected: str, value: object) -> None:
        super().__init__(expected)
        self.expected = expected
        self.value = value
        self.where: list[str] = []


def checked(kind: type[T], tree: Mapping[str, object], name: str = "") -> T:
    """A record of settings; `tree` has values by field, and a mapping for a section.

    Text is taken for numbers and truth values too, because the environment has only text. Fields
    without a value have their default. `name` is that of the section, for messages.

    Raises:
        ConfigError: a value is invalid; the message names its key.

    """
    try:
        record: T = _record(kind, tree)
    except _InvalidError as error:
        key = ".".join([*([name] if name else []), *reversed(error.where)])
        raise ConfigError(
            f"'{key}' is invalid: it must be {error.expected} (got {_shown(error.value)})"
        ) from error
    return record


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= _SHOWN_CHARS else f"{text[:_SHOWN_CHARS]}…"


def _record(kind: Any, tree: object) -> Any:
    if not isinstance(tree, Mapping):
        raise _InvalidError("a section", tree)
    if not tree:
        return kind()
    hints = get_type_hints(kind, include_extras=True)
    return kind(
        **{
            one.name: _at(one.name, _value, hints[one.name], tree[one.name])
            for one in fields(kind)
            if one.name in tree
        }
    )


def _at(name: str, read: Callable[[Any, object], Any], hint: Any, value: object) -> Any:
    """Read a part; an error gets its name."""
    try:
        return read(hint, value)
    except _InvalidError as error:
        error.where.append(name)
        raise


def _value(hint: Any, value: object) -> Any:
    """A value of the type `hint`."""
    if is_dataclass(hint):
        return _record(hint, value)
    read = _READERS.get(get_origin(hint) or hint)
    if read is None:  # pragma: no cover - a type that no setting has yet
        raise TypeError(f"no setting can be of the type {hint}")
    return read(get_args(hint), value)


def _text(_: tuple[Any, ...], value: object) -> str:
    if not isinstance(value, str):
        raise _InvalidError("text", value)
    return value


def _truth(_: tuple[Any, ...], value: object) -> bool:
    truth = _WORDS.get(str(value).lower())
    if not isinstance(value, bool | int | str) or truth is None:
        raise _InvalidError("true or false", value)
    return truth


def _may_be_number(value: object) -> TypeGuard[int | float | str]:
    """Whether the type fits; of text, only ASCII digits are taken for numbers."""
    if isinstance(value, str):
        return value.isascii()
    return isinstance(value, int | float) and not isinstance(value, bool)


def _whole_number(_: tuple[Any, ...], value: object) -> int:
    expected = "a whole number"
    if not _may_be_number(value):
        raise _InvalidError(expected, value)
    try:
        number = int(value)
    except (ValueError, OverflowError) as error:
        raise _InvalidError(expected, value) from error
    if not isinstance(value, str) and number != value:
        raise _InvalidError(expected, value)
    return number


def _number(_: tuple[Any, ...], value: object) -> float:
    expected = "a number"
    if not _may_be_number(value):
        raise _InvalidError(expected, value)
    try:
        number = float(value)
    except (ValueError, OverflowError) as error:
        raise _InvalidError(expected, value) from error
    if not math.isfinite(number):
        raise _InvalidError(expected, value)
    return number


def _path(_: tuple[Any, ...], value: object) -> Path:
    if not isinstance(value, str | Path):
        raise _InvalidError("a path", value)
    return Path(value)


def _word(words: tuple[Any, ...], value: object) -> Any:
    if value not in words:
        raise _InvalidError(f"one of {', '.join(words)}", value)
    return value


def _within_bounds(parts: tuple[Any, ...], value: object) -> Any:
    hint, *bounds = parts
    number = _value(hint, value)
    for bound in bounds:
        if isinstance(bound, Ge) and not number >= bound.ge:
            raise _InvalidError(f"at least {bound.ge}", value)
        if isinstance(bound, Gt) and not number > bound.gt:
            raise _InvalidError(f"above {bound.gt}", value)
        if isinstance(bound, Le) and not number <= bound.le:
            raise _InvalidError(f"at most {bound.le}", value)
    return number


def _alternative(hints: tuple[Any, ...], value: object) -> Any:
    """The first type that the value has."""
    expected = []
    for hint in hints:
        if hint is NoneType:
            if value is None:
                return None
            continue
        try:
            return _value(hint, value)
        except _InvalidError as error:
            expected.append(error.expected)
    raise _InvalidError(" or ".join(expected), value)


def _list(hints: tuple[Any, ...], value: object) -> tuple[Any, ...]:
    if not isinstance(value, list | tuple):
        raise _InvalidError("a list", value)
    return tuple(_value(hints[0], part) for part in value)


def _table(hints: tuple[Any, ...], value: object) -> dict[Any, Any]:
    if not isinstance(value, Mapping):
        raise _InvalidError("a table of names and values", value)
    names, values = hints
    return {
        _value(names, name): _at(str(name), _value, values, part) for name, part in value.items()
    }


_READERS: Mapping[object, Callable[[tuple[Any, ...], object], Any]] = {
    str: _text,
    bool: _truth,
    int: _whole_number,
    float: _number,
    Path: _path,
    Literal: _word,
    Annotated: _within_bounds,
    Union: _alternative,
    UnionType: _alternative,
    tuple: _list,
    abc.Mapping: _table,
}
