"""Periods as conditions write them: `2026-01..2026-03`, `>2026-01-01`, `7d`."""

from __future__ import annotations

import re
from datetime import datetime, timedelta

from notewell.search.facts.periods import Period, local_time

_DATE = re.compile(
    r"(\d{4})(?:-(\d{1,2})(?:-(\d{1,2})(?:[T ](\d{1,2}):(\d{2})(?::(\d{2}))?.*)?)?)?", re.DOTALL
)
_AGO = re.compile(r"(\d{1,5})([hdwmy])", re.IGNORECASE)
_HOURS = {"h": 1, "d": 24, "w": 24 * 7, "m": 24 * 30, "y": 24 * 365}
_COMPARED = re.compile(r"(>=|<=|>|<)\s*(.+)", re.DOTALL)

_Day = tuple[int, int, int]


def period(text: str, now: float) -> Period | None:
    """The period of `text` in local time: a date (see `calendar`) or a relative time.

    `7d` is the time seven days before `now`; units are h, d, w, m (30 days) and y (365 days).
    `today` and `yesterday` are days. None: not a date.
    """
    word = text.strip().lower()
    ago = _AGO.fullmatch(word)
    if ago:
        moment = now - int(ago.group(1)) * _HOURS[ago.group(2)] * 3600.0
        return Period(moment, moment)
    if word in {"today", "yesterday"}:
        today = datetime.fromtimestamp(now)  # noqa: DTZ006 (users mean local days)
        return calendar(f"{today - timedelta(days=word == 'yesterday'):%Y-%m-%d}")
    return calendar(text)


def calendar(text: str) -> Period | None:
    """The year, month, day, minute or second that `text` names in ISO order, in local time."""
    match = _DATE.fullmatch(text.strip())
    if match is None:
        return None
    try:
        return _calendar(match)
    except (ValueError, OverflowError, OSError):  # no such day, or out of the range of the system
        return None


def bounds(text: str, now: float) -> tuple[float | None, float | None] | None:
    """The range [start, end) of a `created:` or `modified:` value; None: invalid.

    Both ends of `a..b` are included, and either may be missing. `>a` starts at the end of `a`,
    `<a` ends at the start of `a`. `7d` alone reaches from then until now.
    """
    compared = _COMPARED.fullmatch(text.strip())
    if compared:
        point = period(compared.group(2), now)
        return None if point is None else _compare(compared.group(1), point)
    if ".." in text:
        left, _, right = text.partition("..")
        first = period(left, now) if left.strip() else None
        last = period(right, now) if right.strip() else None
        unreadable = (left.strip() and first is None) or (right.strip() and last is None)
        if unreadable or (first is None and last is None):
            return None
        return (first.start if first else None), (last.end if last else None)
    point = period(text, now)
    if point is None:
        return None
    return point.start, None if point.start == point.end else point.end


def _compare(sign: str, point: Period) -> tuple[float | None, float | None]:
    ranges: dict[str, tuple[float | None, float | None]] = {
        ">": (point.end, None),
        ">=": (point.start, None),
        "<": (None, point.start),
        "<=": (None, point.end),
    }
    return ranges[sign]


def _calendar(match: re.Match[str]) -> Period:
    year, month, day, hour, minute, second = (int(part or 0) for part in match.groups())
    if not month:
        return _between((year, 1, 1), (year + 1, 1, 1))
    if not day:
        return _between((year, month, 1), (year + month // 12, month % 12 + 1, 1))
    if not match.group(4):
        return _between((year, month, day), (year, month, day), days=1)
    start = (
        local_time(year, month, day).replace(hour=hour, minute=minute, second=second).timestamp()
    )
    return Period(start, start + (1.0 if match.group(6) else 60.0))


def _between(first: _Day, last: _Day, *, days: int = 0) -> Period:
    """From midnight to midnight, local time; a day is not always 24 hours long."""
    return Period(local_time(*first).timestamp(), (local_time(*last, days=days)).timestamp())
