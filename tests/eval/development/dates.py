"""Queries for notes of a day or month: "roundup march 2023", "japan trip 2023-09"."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from datetime import date

from .notes import Note, Notes
from .query import DevQuery, draw
from .words import content

KIND = "date"
_DATE = re.compile(r"\b(20\d\d)-(\d\d)-(\d\d)\b")
_MONTHS = (
    *("january", "february", "march", "april", "may", "june", "july"),
    *("august", "september", "october", "november", "december"),
)
_MOST_NOTES = 12


def in_name(note: Note) -> date | None:
    """The date in a note's name."""
    return _first(note.name)


def created_line(note: Note) -> date | None:
    """The date in the line `Created::` of a note."""
    line = re.search(r"^\*\*Created\*\*::(.*)$", note.body, re.MULTILINE)
    return _first(line[1]) if line else None


def in_properties(note: Note) -> date | None:
    """The date in the properties that say when something was."""
    for key in ("date", "start", "published"):
        for value in note.properties.get(key, ()):
            found = _first(value)
            if found:
                return found
    return None


def dated(
    notes: Notes, among: Sequence[Note], when: Callable[[Note], date | None], called: Sequence[str]
) -> Iterator[DevQuery]:
    """Each month, each day, and a word of each name with its month.

    `called` are words for what the notes are; several of a month are all relevant.
    """
    days = {note.path: day for note in among if (day := when(note)) is not None}
    months: dict[tuple[int, int], list[str]] = {}
    for path, day in days.items():
        months.setdefault((day.year, day.month), []).append(path)
    for (year, month), paths in months.items():
        if len(paths) <= _MOST_NOTES:
            yield _of_month(notes, year, month, sorted(paths), called)
    for path, day in days.items():
        same = sorted(other for other, its in days.items() if its == day)
        yield _of_day(notes, day, same, called)
        found = [word for word in content(notes.by_path[path].name, notes.lang) if word.isalpha()]
        if found:
            word = found[draw(len(found), "topic", path)]
            month_paths = months[day.year, day.month]
            meant = [path for path in month_paths if word in content(path, notes.lang)]
            text = f"{word} {_MONTHS[day.month - 1]} {day.year}"
            yield _query(notes, "{word} {month} {year}", text, meant)


def _of_month(
    notes: Notes, year: int, month: int, paths: Sequence[str], called: Sequence[str]
) -> DevQuery:
    forms = ("{what} {month} {year}", "{month} {year} {what}", "{what} {year}-{number:02}")
    form = forms[draw(len(forms), "form", str(year), str(month))]
    what = called[draw(len(called), "what", str(year), str(month))]
    text = form.format(what=what, month=_MONTHS[month - 1], year=year, number=month)
    return _query(notes, form, text, paths)


def _of_day(notes: Notes, day: date, paths: Sequence[str], called: Sequence[str]) -> DevQuery:
    forms = (
        "{what} {day.day} {month} {day.year}",
        "{month} {day.day} {day.year}",
        "{day}",
        "{what} {day}",
        "{what} {day.day:02}.{day.month:02}.{day.year}",
    )
    form = forms[draw(len(forms), "form", str(day))]
    what = called[draw(len(called), "what", str(day))]
    return _query(notes, form, form.format(what=what, month=_MONTHS[day.month - 1], day=day), paths)


def _query(notes: Notes, form: str, text: str, paths: Sequence[str]) -> DevQuery:
    return DevQuery(notes.name, KIND, form, notes.lang, text, dict.fromkeys(paths, 1))


def _first(text: str) -> date | None:
    found = _DATE.search(text)
    try:
        return date(int(found[1]), int(found[2]), int(found[3])) if found else None
    except ValueError:
        return None
