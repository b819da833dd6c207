"""Values of bases and the functions on them.

They behave as JavaScript's do, as far as the help says so: comparisons of different kinds are
false, a missing value is empty. Source: https://help.obsidian.md/bases/functions
"""

from __future__ import annotations

import math
import operator
import re
from calendar import monthrange
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import PurePosixPath
from typing import Any, TypeAlias

from notewell.api.types import PropertyValue, frozen
from notewell.api.vault import StoredNote
from notewell.features.bases.expressions import ExpressionError

_LINK = re.compile(r"\s*\[\[([^\[\]|#]+)(?:#[^\[\]|]*)?(?:\|([^\[\]]*))?\]\]\s*")
_DATE = re.compile(r"\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d)?)?")
_DURATION = re.compile(r"\s*(-?\d+(?:\.\d+)?)\s*([A-Za-z]+)\s*")
MISSING = (4, "")  # the key of what has no value
_MOST_TEXT = 20_000  # characters that a function may make
_UNITS = {
    **dict.fromkeys(("w", "week", "weeks"), timedelta(weeks=1)),
    **dict.fromkeys(("d", "day", "days"), timedelta(days=1)),
    **dict.fromkeys(("h", "hour", "hours"), timedelta(hours=1)),
    **dict.fromkeys(("m", "minute", "minutes"), timedelta(minutes=1)),
    **dict.fromkeys(("s", "second", "seconds"), timedelta(seconds=1)),
}
_MONTHS = {
    **dict.fromkeys(("M", "month", "months"), 1),
    **dict.fromkeys(("y", "year", "years"), 12),
}


@frozen
class LinkValue:
    """A link as written, and the path of the note that it leads to, if there is one."""

    target: str
    path: str | None
    display: str | None = None


@frozen
class Duration:
    """A length of time: whole months, which differ in length, and the rest."""

    months: int
    rest: timedelta

    def times(self, factor: float) -> Duration:
        """So many times as long."""
        return Duration(round(self.months * factor), self.rest * factor)


@dataclass(frozen=True, slots=True)
class FileValue:
    """A file: the note that is tested, or the one that `this` is."""

    note: StoredNote


Value: TypeAlias = (
    "bool | float | str | datetime | Duration | LinkValue | FileValue | tuple[Value, ...]"
    " | Mapping[str, Value] | None"
)
Resolve: TypeAlias = Callable[[str], "str | None"]


def from_property(value: PropertyValue | None, resolve: Resolve) -> Value:
    """A property as a value: links, dates and numbers are what they look like."""
    if isinstance(value, str):
        return _from_text(value, resolve)
    if isinstance(value, bool) or value is None:
        return value
    if isinstance(value, (int, float)):
        return float(value)
    if isinstance(value, Mapping):
        return {str(name): from_property(part, resolve) for name, part in value.items()}
    return tuple(from_property(part, resolve) for part in value)


def _from_text(text: str, resolve: Resolve) -> Value:
    if (link := _LINK.fullmatch(text)) is not None:
        return LinkValue(link[1].strip(), resolve(link[1].strip()), link[2])
    return to_date(text) if _DATE.fullmatch(text) is not None else text


def to_date(text: str) -> datetime | None:
    """The time that a text states; None if it states none."""
    try:
        day = datetime.fromisoformat(text.strip())
    except ValueError:
        return None
    return day.replace(tzinfo=None)


def to_duration(text: str) -> Duration | None:
    """The duration of a text such as "1 week" or "2h"."""
    match = _DURATION.fullmatch(text)
    if match is None:
        return None
    if match[2] in _MONTHS:
        return Duration(round(float(match[1]) * _MONTHS[match[2]]), timedelta())
    try:
        unit = _UNITS.get(match[2])
        return None if unit is None else Duration(0, float(match[1]) * unit)
    except OverflowError:
        return None


def is_true(value: Value) -> bool:
    """True for a value that counts as true in a condition."""
    return value not in (None, False, 0.0, "", ())


def is_empty(value: Value) -> bool:
    """True for a value that is missing, or has nothing in it."""
    return value is None or (isinstance(value, (str, tuple, Mapping)) and len(value) == 0)


def path_of(value: Value) -> str | None:
    """The path of the note that a value leads to."""
    if isinstance(value, LinkValue):
        return value.path
    return value.note.path if isinstance(value, FileValue) else None


def equal(one: Value, other: Value) -> bool:
    """True if two values are equal; links and files are if they lead to one note."""
    if isinstance(one, (LinkValue, FileValue)) or isinstance(other, (LinkValue, FileValue)):
        if path_of(one) is not None or path_of(other) is not None:
            return path_of(one) == path_of(other)
        return show(one).casefold() == show(other).casefold()
    if isinstance(one, bool) is not isinstance(other, bool):
        return False
    return one == other


_COMPARED: Mapping[str, Callable[[Any, Any], bool]] = {
    "<": operator.lt,
    ">": operator.gt,
    "<=": operator.le,
    ">=": operator.ge,
}


def compare(sign: str, one: Value, other: Value) -> bool:
    """One of `<`, `>`, `<=`, `>=`; false for values of different kinds."""
    left, right = _order_key(one), _order_key(other)
    if left is None or right is None or type(left) is not type(right):
        return False
    return _COMPARED[sign](left, right)


def _order_key(value: Value) -> float | str | datetime | None:
    if isinstance(value, bool):
        return float(value)
    return value if isinstance(value, (float, str, datetime)) else None


def sort_key(value: Value) -> tuple[int, Any]:
    """A key by which values of all kinds can be sorted; missing ones come last."""
    if is_empty(value):
        return MISSING
    if isinstance(value, (bool, float)):
        return 0, float(value)
    if isinstance(value, datetime):
        return 1, value
    return 2, show(value).casefold()


def show(value: Value) -> str:
    """The text of a value, as a cell has it."""
    return "" if value is None else _SHOWN[type(value)](value)


def _show_time(value: datetime) -> str:
    at_midnight = (value.hour, value.minute, value.second) == (0, 0, 0)
    return value.strftime("%Y-%m-%d" if at_midnight else "%Y-%m-%d %H:%M")


_SHOWN: Mapping[type, Callable[[Any], str]] = {
    str: str,
    bool: lambda value: "true" if value else "false",
    float: lambda value: f"{value:.10g}" if math.isfinite(value) else "",
    datetime: _show_time,
    Duration: lambda value: f"{value.months * 30 + value.rest.days} days",
    LinkValue: lambda value: value.display or PurePosixPath(value.target).name,
    FileValue: lambda value: value.note.title,
    tuple: lambda value: ", ".join(map(show, value)),
    dict: lambda value: ", ".join(f"{name}: {show(part)}" for name, part in value.items()),
}


def add(one: Value, other: Value) -> Value:
    """`+`: of numbers, dates with durations, and texts."""
    if isinstance(one, datetime):
        length = to_duration(other) if isinstance(other, str) else other
        return _move_time(one, length) if isinstance(length, Duration) else None
    if isinstance(one, float) and isinstance(other, float):
        return one + other
    if isinstance(one, str) or isinstance(other, str):
        return _limit_length(show(one) + show(other))
    return None


def subtract(one: Value, other: Value) -> Value:
    """`-`: of numbers, of dates with durations, and of dates, in milliseconds."""
    if isinstance(one, datetime):
        if isinstance(other, datetime):
            return (one - other).total_seconds() * 1000
        length = to_duration(other) if isinstance(other, str) else other
        return _move_time(one, length.times(-1)) if isinstance(length, Duration) else None
    return one - other if isinstance(one, float) and isinstance(other, float) else None


def _move_time(at: datetime, length: Duration) -> datetime | None:
    """A time moved by a duration; the day of a shorter month is its last."""
    month = at.year * 12 + at.month - 1 + length.months
    try:
        last = monthrange(month // 12, month % 12 + 1)[1]
        day = min(at.day, last)
        return at.replace(year=month // 12, month=month % 12 + 1, day=day) + length.rest
    except (ValueError, OverflowError):
        return None


def calculate(sign: str, one: Value, other: Value) -> Value:
    """`*`, `/` or `%`; None where it has no result."""
    if isinstance(one, Duration) and isinstance(other, float) and sign == "*":
        return one.times(other) if math.isfinite(other) and abs(other) < _MOST_TEXT else None
    if not isinstance(one, float) or not isinstance(other, float):
        return None
    if sign == "*":
        return one * other
    if other == 0:
        return None
    return one / other if sign == "/" else math.fmod(one, other)


def _limit_length(text: str) -> str:
    _check_length(len(text))
    return text


def _check_length(length: int) -> None:
    if length > _MOST_TEXT:
        raise ExpressionError(f"a text of more than {_MOST_TEXT:,} characters")


def _contains(value: Value, wanted: Value) -> bool:
    if isinstance(value, str):
        return show(wanted) in value
    return any(equal(part, wanted) for part in _items(value))


def _items(value: Value) -> tuple[Value, ...]:
    return value if isinstance(value, tuple) else () if value is None else (value,)


def _unique(values: Value) -> Value:
    unique: list[Value] = []
    for value in _items(values):
        if not any(equal(value, other) for other in unique):
            unique.append(value)
    return tuple(unique)


def _flat(values: Value) -> Value:
    return tuple(part for value in _items(values) for part in _items(value))


def _slice(value: Value, start: Value, end: Value = None) -> Value:
    if not isinstance(value, (str, tuple)):
        return None
    return value[_whole(start) or 0 : _whole(end)]


def _whole(value: Value) -> int | None:
    return int(value) if isinstance(value, float) and math.isfinite(value) else None


def _round(value: Value, digits: Value = 0.0) -> Value:
    places = min(max(_whole(digits) or 0, 0), 15)
    if not isinstance(value, float) or not math.isfinite(value):
        return None
    factor = 10.0**places  # half goes up, as in JavaScript
    return math.floor(value * factor + 0.5) / factor


def _to_fixed(value: Value, digits: Value = 0.0) -> Value:
    if not isinstance(value, float) or not math.isfinite(value):
        return None
    return f"{value:.{min(max(_whole(digits) or 0, 0), 15)}f}"


def _number(value: Value) -> Value:
    if isinstance(value, datetime):
        return value.timestamp() * 1000
    try:
        return float(value) if isinstance(value, (str, bool, float)) else None
    except ValueError:
        return None


def day_of(value: Value) -> Value:
    """A time without its hours; None for another value."""
    if not isinstance(value, datetime):
        return None
    return value.replace(hour=0, minute=0, second=0, microsecond=0)


_MOMENT = (
    *(("YYYY", "%Y"), ("MMMM", "%B"), ("MMM", "%b"), ("MM", "%m"), ("DD", "%d"), ("dddd", "%A")),
    *(("ddd", "%a"), ("HH", "%H"), ("mm", "%M"), ("ss", "%S"), ("YY", "%y")),
)
_MOMENT_PART = re.compile("|".join(name for name, _ in _MOMENT))


def _format(value: Value, form: Value) -> Value:
    if not isinstance(value, datetime) or not isinstance(form, str):
        return None
    names = dict(_MOMENT)
    return _MOMENT_PART.sub(lambda match: value.strftime(names[match[0]]), form)


def _text(change: Callable[[str], str]) -> Callable[..., Value]:
    return lambda value: change(value) if isinstance(value, str) else None


def _real(change: Callable[[float], float]) -> Callable[..., Value]:
    return lambda value: (
        float(change(value)) if isinstance(value, float) and math.isfinite(value) else None
    )


def _repeat(value: Value, times: Value) -> Value:
    text, count = show(value), max(_whole(times) or 0, 0)
    _check_length(len(text) * count)
    return text * count


def _time_of_day(value: Value) -> Value:
    return value.strftime("%H:%M:%S") if isinstance(value, datetime) else None


_KINDS: Mapping[type, str] = {
    bool: "boolean",
    float: "number",
    str: "string",
    datetime: "date",
    LinkValue: "link",
    FileValue: "file",
    tuple: "list",
    dict: "object",
}


# Of a value and arguments.
METHODS: Mapping[str, Callable[..., Value]] = {
    "isEmpty": is_empty,
    "isTruthy": is_true,
    "toString": show,
    "isType": lambda value, kind: _KINDS.get(type(value)) == kind,
    "contains": _contains,
    "containsAll": lambda value, *wanted: all(_contains(value, part) for part in wanted),
    "containsAny": lambda value, *wanted: any(_contains(value, part) for part in wanted),
    "startsWith": lambda value, start: isinstance(value, str) and value.startswith(show(start)),
    "endsWith": lambda value, end: isinstance(value, str) and value.endswith(show(end)),
    "lower": _text(str.lower),
    "upper": _text(str.upper),
    "title": _text(str.title),
    "trim": _text(str.strip),
    "repeat": _repeat,
    "replace": lambda value, old, new: _limit_length(show(value).replace(show(old), show(new))),
    "split": lambda value, at: tuple(show(value).split(show(at) or None)),
    "slice": _slice,
    "reverse": lambda value: value[::-1] if isinstance(value, (str, tuple)) else None,
    "join": lambda value, between: _limit_length(show(between).join(map(show, _items(value)))),
    "unique": _unique,
    "flat": _flat,
    "sort": lambda value: tuple(sorted(_items(value), key=sort_key)),
    "abs": _real(abs),
    "ceil": _real(math.ceil),
    "floor": _real(math.floor),
    "round": _round,
    "toFixed": _to_fixed,
    "date": day_of,
    "time": _time_of_day,
    "format": _format,
    "keys": lambda value: tuple(value) if isinstance(value, Mapping) else (),
    "values": lambda value: tuple(value.values()) if isinstance(value, Mapping) else (),
}
FUNCTIONS: Mapping[str, Callable[..., Value]] = {
    "date": lambda value: to_date(value) if isinstance(value, str) else value,
    "duration": lambda value: to_duration(show(value)),
    "list": lambda value: value if isinstance(value, tuple) else (value,),
    "number": _number,
    "max": lambda *values: max((v for v in values if isinstance(v, float)), default=None),
    "min": lambda *values: min((v for v in values if isinstance(v, float)), default=None),
    "not": lambda value: not is_true(value),
    "empty": is_empty,
    "escapeHTML": lambda value: value,
}
