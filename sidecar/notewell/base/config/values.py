"""Settings from values as written: each is checked against its field's type, and text converted.

Written here and not with pydantic, because loading pydantic and building its validator takes longer
than all else that a command beside a running server does.

The times of a schedule are local. Cron expressions are those of Debian's cron, read by the library
cronsim.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any, TypeGuard, TypeVar

from notewell.base.errors import ConfigError
from notewell.base.types.hints import FieldType, Ge, Gt, Kind, Le, members

T = TypeVar("T")

_WORDS = {
    **dict.fromkeys(("true", "t", "yes", "y", "on", "1"), True),
    **dict.fromkeys(("false", "f", "no", "n", "off", "0"), False),
}
_SHOWN_CHARS = 80  # of an invalid value

_DAYS = ("sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday")
_TIME = re.compile(r"(?:(?P<day>[a-z]+) )?(?P<hour>\d{1,2}):(?P<minute>\d{2})")
_NEVER = ("", "off")


class _InvalidError(Exception):
    """A value is not what its type says: what it must be, and where inside a section."""

    def __init__(self, expected: str, value: object) -> None:
        super().__init__(expected)
        self.expected = expected
        self.value = value
        self.where: list[str] = []


def parse_record(kind: type[T], tree: Mapping[str, object], name: str = "") -> T:
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
            f"'{key}' is invalid: it must be {error.expected} (got {_show(error.value)})"
        ) from error
    return record


def _show(value: object) -> str:
    text = repr(value)
    return text if len(text) <= _SHOWN_CHARS else f"{text[:_SHOWN_CHARS]}…"


def _record(kind: Any, tree: object) -> Any:
    if not isinstance(tree, Mapping):
        raise _InvalidError("a section", tree)
    if not tree:
        return kind()
    given = {name: _at(name, field, tree[name]) for name, field in members(kind) if name in tree}
    return kind(**given)


def _at(name: str, kind: FieldType, value: object) -> Any:
    """Read a part; an error gets its name."""
    try:
        return _value(kind, value)
    except _InvalidError as error:
        error.where.append(name)
        raise


def _value(kind: FieldType, value: object) -> Any:
    if value is None and kind.optional:
        return None
    return _READERS[kind.kind](kind, value)


def _plain(kind: FieldType, value: object) -> Any:
    """Text, a truth value, a number or a path, within the field's bounds."""
    read = _PLAIN[kind.hint](value)
    for bound in kind.markers:
        if isinstance(bound, Ge) and not read >= bound.ge:
            raise _InvalidError(f"at least {bound.ge}", value)
        if isinstance(bound, Gt) and not read > bound.gt:
            raise _InvalidError(f"above {bound.gt}", value)
        if isinstance(bound, Le) and not read <= bound.le:
            raise _InvalidError(f"at most {bound.le}", value)
    return read


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise _InvalidError("text", value)
    return value


def _truth(value: object) -> bool:
    truth = _WORDS.get(str(value).lower())
    if not isinstance(value, bool | int | str) or truth is None:
        raise _InvalidError("true or false", value)
    return truth


def _may_be_number(value: object) -> TypeGuard[int | float | str]:
    """True if the type fits; of text, only ASCII digits are taken for numbers."""
    if isinstance(value, str):
        return value.isascii()
    return isinstance(value, int | float) and not isinstance(value, bool)


def _whole_number(value: object) -> int:
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


def _number(value: object) -> float:
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


def _path(value: object) -> Path:
    if not isinstance(value, str | Path):
        raise _InvalidError("a path", value)
    return Path(value)


def _word(kind: FieldType, value: object) -> object:
    if value not in kind.words:
        raise _InvalidError(f"one of {', '.join(kind.words)}", value)
    return value


def _alternative(kind: FieldType, value: object) -> Any:
    """The first type that the value has."""
    expected = []
    for part in kind.parts:
        try:
            return _value(part, value)
        except _InvalidError as error:
            expected.append(error.expected)
    raise _InvalidError(" or ".join(expected), value)


def _list(kind: FieldType, value: object) -> tuple[Any, ...]:
    if not isinstance(value, list | tuple):
        raise _InvalidError("a list", value)
    return tuple(_value(kind.parts[0], part) for part in value)


def _table(kind: FieldType, value: object) -> dict[Any, Any]:
    if not isinstance(value, Mapping):
        raise _InvalidError("a table of names and values", value)
    names, values = kind.parts
    return {_value(names, name): _at(str(name), values, part) for name, part in value.items()}


_PLAIN: Mapping[object, Callable[[object], Any]] = {
    str: _text,
    bool: _truth,
    int: _whole_number,
    float: _number,
    Path: _path,
}
# Those of types that a setting may have.
_READERS: Mapping[Kind, Callable[[FieldType, object], Any]] = {
    "plain": _plain,
    "words": _word,
    "record": lambda kind, value: _record(kind.hint, value),
    "union": _alternative,
    "list": _list,
    "mapping": _table,
}


def next_due(when: str, after: float) -> float | None:
    """The first time after `after` that `when` names, both in POSIX seconds; None: never.

    `when` is "03:30", "sunday 02:00", a cron expression such as "0 */6 * * *", or "" for never.
    A time that summer time leaves out is due at the first moment after the gap, and one that
    comes twice is due once. ConfigError for anything else.
    """
    expression = _expression(when)
    if expression is None:
        return None
    from cronsim import CronSim, CronSimError  # noqa: PLC0415 - most commands need no schedule

    # Without a zone the library counts in local time, and `timestamp` finds the offset of that day.
    start = datetime.fromtimestamp(after)  # noqa: DTZ006 - local on purpose
    try:
        for due in CronSim(expression, start):
            # When summer time ends an hour comes twice; its second round is not due again.
            if due.timestamp() > after:
                return due.timestamp()
    except CronSimError as error:
        raise _time_error(when) from error
    return None


def check_time(when: str) -> None:
    """Raise ConfigError if `when` is not what `next_due` takes."""
    next_due(when, 0.0)


def _expression(when: str) -> str | None:
    text = " ".join(when.lower().split())
    if text in _NEVER:
        return None
    match = _TIME.fullmatch(text)
    if match is None:
        if len(text.split()) != 5:
            raise _time_error(when)
        return text
    hour, minute = int(match["hour"]), int(match["minute"])
    days = [number for number, name in enumerate(_DAYS) if match["day"] in (name, name[:3])]
    if hour > 23 or minute > 59 or (match["day"] is not None and not days):
        raise _time_error(when)
    return f"{minute} {hour} * * {days[0] if days else '*'}"


def _time_error(when: str) -> ConfigError:
    return ConfigError(
        f'\'{when[:80]}\' is no time of a schedule: write "03:30", "sunday 02:00", a cron'
        ' expression such as "0 */6 * * *", or "" for never'
    )
