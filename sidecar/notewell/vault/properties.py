"""Reads title, aliases, tags and dates from the properties of a note."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from urllib.parse import unquote

from notewell.base.types import PropertyValue

# The first of these that holds a date counts. Names are compared in lower case, with spaces and
# hyphens as underscores.
CREATED_KEYS = ("created", "created_at", "date_created", "creation_date", "createdat", "date")
MODIFIED_KEYS = (
    "modified",
    "modified_at",
    "date_modified",
    "updated",
    "updated_at",
    "last_modified",
    "lastmod",
    "date_updated",
)
_DATE = re.compile(
    r"(?<!\d)(\d{4})([-/.])(\d{1,2})\2(\d{1,2})"
    r"(?:(?:[T ]|,\s?)(\d{1,2}):(\d{2})(?::(\d{2})(?:[.,]\d{1,9})?)?"
    r"\s?(Z|[+-]\d{2}:?\d{2})?)?",
    re.IGNORECASE,
)
_COMPACT_DATE = re.compile(r"(\d{4})(\d{2})(\d{2})(?:(\d{2})(\d{2})(\d{2})?)?\Z")
_OF_NOTE = frozenset({"tags", "tag", "aliases", "alias", "title"})
_LINK = re.compile(r"\[\[(?:[^\[\]|]*\|)?([^\[\]|]*)\]\]")
# A Markdown link to a note, as topics are written: its label, and the address without folders.
_NOTE_LINK = re.compile(
    r"\[([^\[\]]*)\]\(<?(?:[^()<>/:]*/)*([^()<>/:]*(?:\([^()<>/:]*\)[^()<>/:]*)*)\.md>?\)"
)
_EPOCH_SECONDS = (10**9, 10**10)
_EPOCH_MILLISECONDS = (10**12, 10**13)
_NUMBER = re.compile(r"[-+]?\d{1,15}(\.\d{1,15})?\Z")
# What Obsidian takes as part of a tag: anything but white space and ASCII or general punctuation,
# except - _ and /. Emoji, accents and the vowel signs of Thai and Hindi belong to it.
TAG_CHARS = r"[^\s!-,.:-@\[-^`{-~\u2000-\u206f\u2e00-\u2e7f\u3000-\u3003\u3008-\u301f]"


def words_of(value: PropertyValue, *, separators: str) -> Iterator[str]:
    """Yield the strings in a property: a list's items, or a string cut at `separators`."""
    if isinstance(value, str):
        for word in re.split(separators, value):
            if stripped := word.strip():
                yield stripped
    elif isinstance(value, tuple):
        for item in value:
            if isinstance(item, str):
                if stripped := item.strip():
                    yield stripped
            else:
                yield from words_of(item, separators=separators)
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        yield str(value)


def property_words(properties: Mapping[str, PropertyValue]) -> dict[str, tuple[str, ...]]:
    """Return texts and numbers in the properties, by name, without title, tags and aliases."""
    found = {
        name: tuple(_texts(value))
        for name, value in properties.items()
        if name.lower() not in _OF_NOTE
    }
    return {name: words for name, words in found.items() if words}


def properties_text(properties: Mapping[str, PropertyValue]) -> str:
    """Return the properties as one line, `name: value, value · name: value`; links as shown."""
    named = property_words(properties)
    shown = " · ".join(f"{name}: {', '.join(words)}" for name, words in named.items())
    return _LINK.sub(r"\1", shown)


def link_label(value: str) -> str:
    """What the links to notes in a value show, in place of these links."""
    return _NOTE_LINK.sub(r"\1", _LINK.sub(r"\1", value))


def link_words(value: str) -> str:
    """A value with its Markdown links to notes as their labels and the names of the notes."""

    def both(found: re.Match[str]) -> str:
        label, name = found[1].strip(), unquote(found[2]).strip()
        return label if label.casefold() == name.casefold() else f"{label} {name}"

    return _NOTE_LINK.sub(both, value)


def _texts(value: PropertyValue) -> Iterator[str]:
    if isinstance(value, Mapping):
        for part in value.values():
            yield from _texts(part)
    elif isinstance(value, tuple):
        for part in value:
            yield from _texts(part)
    elif value is not None and not isinstance(value, bool) and str(value).strip():
        yield str(value)


def fold(properties: Mapping[str, PropertyValue]) -> dict[str, PropertyValue]:
    """Return the properties under names that do not depend on case, spaces or hyphens."""
    folded: dict[str, PropertyValue] = {}
    for key, value in properties.items():
        folded.setdefault(key.strip().lower().replace(" ", "_").replace("-", "_"), value)
    return folded


def aliases_of(folded: Mapping[str, PropertyValue]) -> tuple[str, ...]:
    """Return the aliases, each once. A string is one list, cut at commas."""
    values = _values(folded, "aliases", "alias")
    return tuple(dict.fromkeys(w for value in values for w in words_of(value, separators=",")))


def tags_of(folded: Mapping[str, PropertyValue], inline: Iterable[str]) -> tuple[str, ...]:
    """Return the tags of the properties, then those of the text; each once, whatever its case."""
    seen: dict[str, str] = {}
    for value in _values(folded, "tags", "tag"):
        for word in words_of(value, separators=r"[,\s]"):
            # Obsidian allows no space in a tag; a list item that has one is read as several.
            for tag in word.split():
                name = tag.strip("#/,")
                if name and not name.isdecimal():
                    seen.setdefault(name.casefold(), name)
    for tag in inline:
        seen.setdefault(tag.casefold(), tag)
    return tuple(seen.values())


def _values(folded: Mapping[str, PropertyValue], *names: str) -> list[PropertyValue]:
    return [folded[name] for name in names if name in folded]


def text_of(folded: Mapping[str, PropertyValue], name: str) -> str | None:
    """Return a property that is one non-empty string (or number), in one line."""
    for value in _values(folded, name):
        if isinstance(value, (str, int, float)) and not isinstance(value, bool):
            return " ".join(str(value).split()) or None
    return None


def date_of(folded: Mapping[str, PropertyValue], names: tuple[str, ...]) -> float | None:
    """Return the first of `names` that is a date, in POSIX seconds.

    A date without a zone is taken as UTC, so that an index does not depend on where it is built.
    """
    for value in _values(folded, *names):
        single = value[0] if isinstance(value, tuple) and value else value
        moment = _moment(single)
        if moment is not None:
            return moment
    return None


def _moment(value: PropertyValue) -> float | None:
    if isinstance(value, (int, float)):
        if _EPOCH_SECONDS[0] <= value < _EPOCH_SECONDS[1]:
            return float(value)
        if _EPOCH_MILLISECONDS[0] <= value < _EPOCH_MILLISECONDS[1]:
            return value / 1000
        value = str(value)
    if isinstance(value, str):
        return _written(value.strip())
    return None


def _written(text: str) -> float | None:
    """Read the first date in a text: 2024-05-03, 2024/5/3 10:30, 20240503, [[2024-05-03 Fri]]."""
    if compact := _COMPACT_DATE.match(text):
        return _timestamp([int(part or 0) for part in compact.groups()], None)
    if match := _DATE.search(text):
        year, _, *parts, zone = match.groups()
        return _timestamp([int(part or 0) for part in (year, *parts)], zone)
    return None


def _timestamp(parts: list[int], zone: str | None) -> float | None:
    year, month, day, *time = parts
    hour, minute, second = (*time, 0, 0, 0)[:3]
    offset = 0
    if zone and zone not in "Zz":
        digits = zone[1:].replace(":", "")
        offset = (int(digits[:2]) * 60 + int(digits[2:])) * (-60 if zone[0] == "-" else 60)
    try:
        return datetime(year, month, day, hour, minute, second, tzinfo=UTC).timestamp() - offset
    except (ValueError, OverflowError):
        return None


def field_value(text: str) -> PropertyValue:
    """Read the value of an inline field: a number, true or false, nothing, else text."""
    value = text.strip()
    if _NUMBER.match(value):
        return float(value) if "." in value else int(value)
    return {"": None, "true": True, "false": False}.get(value, value)


def merge_fields(
    properties: Mapping[str, PropertyValue], fields: Iterable[tuple[str, PropertyValue]]
) -> dict[str, PropertyValue]:
    """Add inline fields to the properties, which win; a field given twice becomes a list."""
    gathered: dict[str, list[PropertyValue]] = {}
    for name, value in fields:
        gathered.setdefault(name, []).append(value)
    merged: dict[str, PropertyValue] = dict(properties)
    taken = {name.lower() for name in properties}
    for name, values in gathered.items():
        if name.lower() not in taken:
            merged[name] = values[0] if len(values) == 1 else tuple(values)
    return merged
