"""Recognises daily notes and their dates.

Daily notes are those in the folder and with the name format (of Moment.js) that Obsidian's settings
name, for its core plugin or for the plugin Periodic Notes; notes whose name is a date in a folder
called Daily, Journal or alike; without settings, a date with its weekday anywhere; and notes with
the property `type: daily`. Names of days and months may be in any language, but a date is only read
from numbers and English months.
"""

# ruff: noqa: RUF001 (Cyrillic letters in the tables on purpose)
from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from datetime import date, timedelta
from itertools import starmap
from pathlib import Path

from notewell.base.support.plain_file import read_plain
from notewell.base.types import PropertyValue

DEFAULT_FORMAT = "YYYY-MM-DD"
SETTINGS = ".obsidian/daily-notes.json"
PERIODIC = ".obsidian/plugins/periodic-notes/data.json"
TEMPLATES = ".obsidian/templates.json"
_MAX_SETTINGS_BYTES = 64 * 1024
_MAX_FORMAT = 200

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_NAME = r"[^\W\d_]++\.?"  # possessive: a format of many names must not try every way to cut one
_NUMBER = r"\d++(?:st|nd|rd|th|\.)?"
_NTH = r"(?:st|nd|rd|th|\.)"
# Moment's tokens that say something of the date: which part of it, and how that is written.
_PARTS: Mapping[str, tuple[str, str]] = {
    "YYYY": ("year", r"\d{4}"),
    "YY": ("short_year", r"\d{2}"),
    "MMMM": ("month_name", _NAME),
    "MMM": ("month_name", _NAME),
    "MM": ("month", r"\d{2}"),
    "Mo": ("month", rf"\d{{1,2}}(?={_NTH})"),
    "M": ("month", r"\d{1,2}"),
    "DDDD": ("day_of_year", r"\d{3}"),
    "DDD": ("day_of_year", r"\d{1,3}"),
    "DD": ("day", r"\d{2}"),
    "Do": ("day", rf"\d{{1,2}}(?={_NTH})"),
    "D": ("day", r"\d{1,2}"),
}
# Longest first; what is between square brackets is text, and so is what is no token.
_TOKEN = re.compile(
    r"\[(?P<text>[^\]]*)\]"
    r"|(?P<part>YYYY|YY|MMMM|MMM|MM|Mo|M|DDDD|DDD|DD|Do|D)"
    r"|(?P<name>dddd|ddd|dd|A|a)"
    r"|(?P<number>do|d|E|e|GGGG|gggg|WW|Wo|W|ww|wo|w|Qo|Q|HH|H|hh|h|mm|m|ss|s|X|x)"
    r"|(?P<other>.)",
    re.DOTALL,
)
# 2026-03-02, 2026.03.02, 2026_03_02, 20260302, also with a time behind it; and 02.03.2026.
_DAY_IN_NAME = re.compile(
    r"(?<!\d)(?P<year>(?:19|20)\d{2})(?P<sign>[-._]?)(?P<month>\d{2})(?P=sign)(?P<day>\d{2})"
    r"(?:(?!\d)|(?=(?:\d{4}|\d{6})(?!\d)))"
)
_DAY_FIRST = re.compile(r"(?<!\d)(?P<day>\d{2})\.(?P<month>\d{2})\.(?P<year>(?:19|20)\d{2})(?!\d)")
# Folders of daily notes, in English and German, without case.
_FOLDERS = re.compile(
    r"(?:^|.*/)(?:daily|dailies|daily notes?|journals?|diary|tagebuch|tagesnotizen)/.*",
    re.IGNORECASE,
)


# Names of days in English, German, French, Spanish, Dutch, Russian and Japanese or Chinese, from
# Monday on, and those short forms with which they do not begin.
_WEEKDAYS = (
    "monday montag lundi lunes maandag понедельник пн 月曜日 周一 星期一",
    "tuesday dienstag mardi martes dinsdag вторник вт 火曜日 周二 星期二",
    "wednesday mittwoch mercredi miércoles woensdag среда ср 水曜日 周三 星期三",
    "thursday donnerstag jeudi jueves donderdag четверг чт 木曜日 周四 星期四",
    "friday freitag vendredi viernes vrijdag пятница пт 金曜日 周五 星期五",
    "saturday samstag samedi sábado zaterdag суббота сб 土曜日 周六 星期六",
    "sunday sonntag dimanche domingo zondag воскресенье вс 日曜日 周日 星期日 星期天",
)  # fmt: skip
_DAY_AND_WEEKDAY = re.compile(
    r"(?:\d{4}([-._]?)\d{2}\1\d{2}|\d{2}\.\d{2}\.\d{4})"
    r"[ _,.(-]{1,3}(?P<weekday>[^\W\d_]{1,14})\.?\)?\.md"
)


class DailyNotes:
    """Recognises the daily notes of one vault."""

    def __init__(
        self, folder: str = "", form: str = DEFAULT_FORMAT, *others: tuple[str, str]
    ) -> None:
        """`folder` is relative to the vault, "" the vault itself; `form` is in Moment's tokens.

        `others` are more folders, each with its form.
        """
        self._is_unset = not folder and form == DEFAULT_FORMAT and not others
        self._paths = tuple(starmap(_path_pattern, ((folder, form), *others)))

    @classmethod
    def read(cls, root: Path) -> DailyNotes:
        """Use the settings of the vault, or the defaults of Obsidian if they cannot be read."""
        places = [_place(obsidian_settings(root / SETTINGS))]
        periodic = obsidian_settings(root / PERIODIC).get("daily")
        if isinstance(periodic, dict) and periodic.get("enabled") is True:
            places.append(_place(periodic))
        return cls(*places[0], *places[1:])

    def day(self, path: str, properties: Mapping[str, PropertyValue]) -> date | None:
        """The day of a daily note; None if it is not one or its day is unknown."""
        for pattern in self._paths:
            match = pattern.fullmatch(path)
            if match is not None:
                return _day(match.groupdict())
        is_daily = (
            _calls_itself_daily(properties)
            or _is_date_in_daily_folder(path)
            or (self._is_unset and _is_date_with_its_weekday(path))
        )
        return day_in_name(path) if is_daily else None

    def holds(self, path: str, properties: Mapping[str, PropertyValue]) -> bool:
        """True if a note is a daily note."""
        return _calls_itself_daily(properties) or self.day(path, properties) is not None


def _path_pattern(folder: str, form: str) -> re.Pattern[str]:
    within = f"{re.escape(folder)}/" if folder else ""
    return re.compile(within + "".join(_pattern(form)) + r"\.md", re.IGNORECASE)


def _place(stored: Mapping[str, object]) -> tuple[str, str]:
    """The folder and the form that settings name, or the defaults of Obsidian."""
    folder, form = stored.get("folder"), stored.get("format")
    form = form.strip() if isinstance(form, str) else ""
    return (
        folder.strip("/ ") if isinstance(folder, str) else "",
        form if 0 < len(form) <= _MAX_FORMAT else DEFAULT_FORMAT,
    )


def template_folder(root: Path) -> str | None:
    """The folder of templates that Obsidian's settings name."""
    folder = obsidian_settings(root / TEMPLATES).get("folder")
    name = folder.strip("/ ") if isinstance(folder, str) else ""
    return name or None


def obsidian_settings(file: Path) -> Mapping[str, object]:
    """A file of Obsidian's settings; empty where it cannot be read."""
    try:
        stored = json.loads(obsidian_settings_text(file) or "{}")
    except (ValueError, RecursionError):
        return {}
    return stored if isinstance(stored, dict) else {}


def obsidian_settings_text(file: Path) -> str | None:
    """The text of a file of Obsidian's settings; None where it cannot be read."""
    try:
        return read_plain(file, most=_MAX_SETTINGS_BYTES).decode("utf-8-sig")
    except (OSError, ValueError):
        return None


def _is_date_in_daily_folder(path: str) -> bool:
    """True for `Journal/2026-03-02.md`, and no note that says more in its name than the day."""
    if _FOLDERS.fullmatch(path) is None or not path.lower().endswith(".md"):
        return False
    name = path.rpartition("/")[2][: -len(".md")]
    return any(form.fullmatch(name) is not None for form in (_DAY_IN_NAME, _DAY_FIRST))


def _is_date_with_its_weekday(path: str) -> bool:
    """True for `2025-11-11-Tu.md`, which says no more than the day, and says the right one."""
    name = path.rpartition("/")[2].casefold()
    written = _DAY_AND_WEEKDAY.fullmatch(name)
    day = None if written is None else day_in_name(name)
    if written is None or day is None:
        return False
    said = written["weekday"]
    is_short = len(said) < 2 and said.isascii()
    return not is_short and any(
        known.startswith(said) for known in _WEEKDAYS[day.weekday()].split()
    )


def day_in_name(path: str) -> date | None:
    """The day in a file's name, as in `2026-03-02 Talk.md` or `202603021530.md`."""
    name = path.rpartition("/")[2]
    written = _DAY_IN_NAME.search(name) or _DAY_FIRST.search(name)
    if written is None:
        return None
    return _date(int(written["year"]), int(written["month"]), int(written["day"]))


def _calls_itself_daily(properties: Mapping[str, PropertyValue]) -> bool:
    kind = next((value for name, value in properties.items() if name.lower() == "type"), None)
    kinds = kind if isinstance(kind, tuple) else (kind,)
    return any(isinstance(kind, str) and kind.strip().casefold() == "daily" for kind in kinds)


def _pattern(form: str) -> Iterator[str]:
    """The pieces of a regular expression; a part that comes again is only named once."""
    named: set[str] = set()
    for token in _TOKEN.finditer(form):
        if token["part"]:
            part, written = _PARTS[token["part"]]
            yield f"(?:{written})" if part in named else f"(?P<{part}>{written})"
            yield _NTH if token["part"].endswith("o") else ""
            named.add(part)
        elif token["name"]:
            yield _NAME
        elif token["number"]:
            yield _NUMBER
        else:
            yield re.escape(token["text"] or token["other"] or "")


def _day(parts: Mapping[str, str | None]) -> date | None:
    """The date that the named parts of a path make, if they make one."""
    numbers = {name: int(text) for name, text in parts.items() if text and text.isdecimal()}
    year = numbers.get("year")
    if year is None and (short := numbers.get("short_year")) is not None:
        year = short + (2000 if short < 69 else 1900)  # as Moment has it
    if year is None:
        return None
    if "day_of_year" in numbers:
        first = _date(year, 1, 1)
        stated = first + timedelta(numbers["day_of_year"] - 1) if first else None
        return stated if stated is not None and stated.year == year else None
    month = numbers.get("month") or _month(parts.get("month_name"))
    return _date(year, month or 0, numbers.get("day", 0))


def _month(name: str | None) -> int | None:
    short = (name or "")[:3].lower()
    return _MONTHS.index(short) + 1 if short in _MONTHS else None


def _date(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None
