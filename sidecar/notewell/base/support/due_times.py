"""When a task is due: a time of day, a day of the week with a time, or a cron expression.

Times are local. Cron expressions are those of Debian's cron, read by the library cronsim.
"""

from __future__ import annotations

import re
from datetime import datetime

from notewell.base.errors import ConfigError

_DAYS = ("sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday")
_TIME = re.compile(r"(?:(?P<day>[a-z]+) )?(?P<hour>\d{1,2}):(?P<minute>\d{2})")
_NEVER = ("", "off")


def next_due(when: str, after: float) -> float | None:
    """The first time after `after` that `when` names, both in POSIX seconds; None: never.

    `when` is "03:30", "sunday 02:00", a cron expression such as "0 */6 * * *", or "" for never.
    A time that summer time leaves out is due at the first moment after the gap, and one that
    comes twice is due once. ConfigError if it is none of these.
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
        raise _unknown(when) from error
    return None


def check(when: str) -> None:
    """Raise ConfigError if `when` is not what `next_due` takes."""
    next_due(when, 0.0)


def _expression(when: str) -> str | None:
    text = " ".join(when.lower().split())
    if text in _NEVER:
        return None
    found = _TIME.fullmatch(text)
    if found is None:
        if len(text.split()) != 5:
            raise _unknown(when)
        return text
    hour, minute = int(found["hour"]), int(found["minute"])
    days = [number for number, name in enumerate(_DAYS) if found["day"] in (name, name[:3])]
    if hour > 23 or minute > 59 or (found["day"] is not None and not days):
        raise _unknown(when)
    return f"{minute} {hour} * * {days[0] if days else '*'}"


def _unknown(when: str) -> ConfigError:
    return ConfigError(
        f'\'{when[:80]}\' is no time of a schedule: write "03:30", "sunday 02:00", a cron'
        ' expression such as "0 */6 * * *", or "" for never'
    )
