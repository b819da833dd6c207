"""Columns of all notes that conditions are tested on: paths, tags and properties.

They are made once after a change of the text. Then a condition compares arrays, or each different
value of a property, in place of every note.
"""

from __future__ import annotations

import math
import unicodedata
from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from notewell.base.types import IdArray, PropertyValue, StoredNote
from notewell.base.types.frozen import frozen
from notewell.index.analyze import words
from notewell.index.port import IndexReader, KeywordIndex
from notewell.search.facts import periods
from notewell.search.query import dates
from notewell.search.query.language import (
    Comparison,
    PathContains,
    Property,
    Tagged,
    Text,
    ValueTest,
)
from notewell.search.query.parser import compile_pattern
from notewell.vault.readers import kinds_of

Flags = npt.NDArray[np.bool_]

_BETWEEN = "\0"  # paths, in which it never stands
_MOST_REMEMBERED = 256  # conditions on properties, and on words


@dataclass(frozen=True, eq=False)
class _PathColumn:
    """All paths, case-folded, as one array of bytes in UTF-8; `names` is where file names begin."""

    letters: npt.NDArray[np.uint8]
    starts: IdArray
    names: IdArray

    @classmethod
    def of(cls, notes: Sequence[StoredNote]) -> _PathColumn:
        folded = [_bytes(fold_case(note.path) + _BETWEEN) for note in notes]
        ends = np.cumsum([0, *map(len, folded)])
        names = [path.rfind(b"/") + 1 for path in folded]
        letters = np.frombuffer(b"".join(folded), np.uint8)
        return cls(letters, ends[:-1], ends[:-1] + np.array(names, np.int64))

    @cached_property
    def counts(self) -> IdArray:
        """Numbers of occurrences of each byte."""
        return np.bincount(self.letters, minlength=256)

    def holding(self, text: str, *, in_name: bool) -> Flags:
        """The paths (n,) that hold `text`, which is case-folded; `in_name`: in their file names.

        All places of the text's rarest byte are found first, and then compared byte by byte.
        """
        met = np.zeros(len(self.starts), np.bool_)
        wanted = np.frombuffer(_bytes(text), np.uint8)
        if not len(wanted):
            return ~met
        if _BETWEEN in text:
            return met
        order = np.argsort(self.counts[wanted], kind="stable").tolist()
        positions = np.flatnonzero(self.letters == wanted[order[0]]) - order[0]
        positions = positions[(positions >= 0) & (positions <= len(self.letters) - len(wanted))]
        for at in order[1:]:
            positions = positions[self.letters[positions + at] == wanted[at]]
        owners = np.searchsorted(self.starts, positions, side="right") - 1
        met[owners[positions >= self.names[owners]] if in_name else owners] = True
        return met


def compose_text(text: str) -> str:
    """The text in NFC: letters with marks as one character, however they were typed."""
    return text if text.isascii() else unicodedata.normalize("NFC", text)


def fold_case(text: str) -> str:
    """The text without regard to case, in NFC."""
    return compose_text(text.casefold())


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


@frozen
class _Values:
    """The different values of a property, with the places of the notes that have each."""

    values: tuple[tuple[PropertyValue, IdArray], ...]
    notes: IdArray

    @classmethod
    def of(cls, pairs: Sequence[tuple[int, PropertyValue]]) -> _Values:
        places: dict[str, list[int]] = {}
        values: dict[str, PropertyValue] = {}
        for at, value in pairs:
            key = repr(value)  # 1, 1.0 and True are equal, but not as values
            values.setdefault(key, value)
            places.setdefault(key, []).append(at)
        columns = tuple(
            (values[key], np.array(members, np.int64)) for key, members in places.items()
        )
        return cls(columns, np.array(sorted({at for at, _ in pairs}), np.int64))


class NoteColumns:
    """The columns of the notes of one generation. Each is made when a condition first needs it."""

    def __init__(self, notes: tuple[StoredNote, ...]) -> None:
        """Read nothing but the ids."""
        self.notes = notes
        self.ids: IdArray = np.array([note.id for note in notes], np.int64)
        self._values: dict[str, _Values] = {}
        self._met: dict[Property, Flags] = {}
        self._holding: dict[tuple[Text, int, tuple[int, ...]], Flags] = {}

    @cached_property
    def _paths(self) -> _PathColumn:
        return _PathColumn.of(self.notes)

    @cached_property
    def places(self) -> Mapping[str, int]:
        return {note.path: at for at, note in enumerate(self.notes)}

    def meeting(self, node: PathContains | Tagged | Property) -> Flags:
        match node:
            case PathContains(field, pattern, True):
                return self.with_path_matching(pattern, in_name=field == "file")
            case PathContains(field, text):
                return self.with_path(text, in_name=field == "file")
            case Tagged(tag):
                return self.with_tag(tag)
            case Property():
                return self.with_property(node)

    def with_path(self, text: str, *, in_name: bool) -> Flags:
        """The notes (n,) whose path, or file name, holds `text`, ignoring case."""
        return self._paths.holding(compose_text(text), in_name=in_name)

    def with_path_matching(self, pattern: str, *, in_name: bool) -> Flags:
        """The notes (n,) whose path, or file name, matches a pattern."""
        search = compile_pattern(pattern, cased=False)
        paths = (note.path.rpartition("/")[2] if in_name else note.path for note in self.notes)
        return np.array([search(path) is not None for path in paths], np.bool_)

    @cached_property
    def _tags(self) -> tuple[list[str], list[list[int]]]:
        """All tags, case-folded, in order, with the places of the notes that have each."""
        by_tag: dict[str, list[int]] = {}
        for at, note in enumerate(self.notes):
            for tag in note.tags:
                by_tag.setdefault(fold_case(tag), []).append(at)
        ordered = sorted(by_tag)
        return ordered, [by_tag[tag] for tag in ordered]

    def with_tag(self, tag: str) -> Flags:
        """The notes (n,) that have a case-folded tag, or a child of it."""
        tags, places = self._tags
        tag = compose_text(tag)
        met = np.zeros(len(self.notes), np.bool_)
        at = bisect_left(tags, tag)
        if at < len(tags) and tags[at] == tag:
            met[places[at]] = True
        for child in range(bisect_left(tags, f"{tag}/"), len(tags)):
            if not tags[child].startswith(f"{tag}/"):
                break
            met[places[child]] = True
        return met

    def with_property(self, wanted: Property) -> Flags:
        """The notes (n,) that have the property and, if there are tests, a value that meets one.

        For the filter `type:`, a file without such a property has the type of its file.
        """
        met = self._met.get(wanted)
        if met is None:
            met = np.zeros(len(self.notes), np.bool_)
            for value, places in self._values_of(wanted).values:
                if not wanted.tests or any(_meets(value, test) for test in wanted.tests):
                    met[places] = True
            if len(self._met) >= _MOST_REMEMBERED:
                self._met.clear()
            self._met[wanted] = met
        return met

    def with_text(self, wanted: Text, keywords: KeywordIndex, find: Callable[[], Flags]) -> Flags:
        """The notes (n,) that hold a text, which `find` finds when it is first asked for.

        The keyword index is written just after the notes, so how often it has the words is a part
        of the key.
        """
        counts = tuple(map(keywords.document_frequency, words(wanted.text.lower())))
        key = (wanted, keywords.document_count, counts)
        held = self._holding.get(key)
        if held is None:
            held = find()
            if len(self._holding) >= _MOST_REMEMBERED:
                self._holding.clear()
            self._holding[key] = held
        return held

    def _values_of(self, wanted: Property) -> _Values:
        name = compose_text(wanted.name)
        key = "type:" if wanted.reason == "type" else name
        stated_values = self._values.get(key)
        if stated_values is None:
            pairs = self._by_name.get(name, [])
            if wanted.reason == "type":
                stated = {at for at, _ in pairs}
                others = (at for at in range(len(self.notes)) if at not in stated)
                kinds = [(at, kind) for at in others for kind in kinds_of(self.notes[at].path)]
                pairs = [*pairs, *kinds]
            self._values[key] = stated_values = _Values.of(pairs)
        return stated_values

    @cached_property
    def _by_name(self) -> Mapping[str, list[tuple[int, PropertyValue]]]:
        """The values of all properties by their case-folded names, each with its note's place."""
        by_name: dict[str, list[tuple[int, PropertyValue]]] = {}
        folded: dict[str, str] = {}
        for at, note in enumerate(self.notes):
            for name, value in _properties(note):
                key = folded.get(name)
                if key is None:
                    key = folded[name] = fold_case(name)
                by_name.setdefault(key, []).append((at, value))
        return by_name


class ColumnsCache:
    """Caches the columns of one index; those of another generation are made anew."""

    def __init__(self) -> None:
        """Nothing is read before the first access."""
        self._columns = NoteColumns(())

    def current(self, index: IndexReader) -> NoteColumns:
        notes = index.all_notes()  # the same tuple until the text changes
        columns = self._columns
        if columns.notes is not notes:
            self._columns = columns = NoteColumns(notes)
        return columns


def _properties(note: StoredNote) -> Iterator[tuple[str, PropertyValue]]:
    """A note's properties, including its tags and aliases from anywhere in the note."""
    yield from note.properties.items()
    if note.tags:
        yield "tags", note.tags
    if note.aliases:
        yield "aliases", note.aliases


def _meets(value: PropertyValue, test: ValueTest) -> bool:
    if test.operand is None:
        return value is None or value in ("", ())
    if isinstance(value, tuple):
        return any(_meets(item, test) for item in value)
    if test.comparison == "~":
        stated = "" if value is None else str(value)
        return compile_pattern(test.operand, cased=False)(stated) is not None
    if isinstance(value, bool):
        return test.comparison == "=" and str(value).casefold() == test.operand.casefold()
    if isinstance(value, Mapping) or value is None:
        return False
    return _compare(value, test.comparison, test.operand)


def _compare(value: str | float, comparison: Comparison, operand: str) -> bool:
    """Compare as numbers if both are, as dates if both are, else as text ignoring case."""
    left, right = _number(value), _number(operand)
    if left is not None and right is not None:
        return _is_ordered(left, comparison, right)
    text = str(value)
    day, wanted = dates.calendar(text), dates.calendar(operand)
    if day is not None and wanted is not None:
        return _within(day.start, comparison, wanted)
    if comparison == "=":
        return fold_case(operand) in _spellings(text)
    return _is_ordered(fold_case(text), comparison, fold_case(operand))


def _is_ordered(left: float | str, comparison: Comparison, right: float | str) -> bool:
    if left == right:
        return comparison in {"=", ">=", "<="}
    return comparison in ({">", ">="} if _less(right, left) else {"<", "<="})


def _less(left: float | str, right: float | str) -> bool:
    if isinstance(left, str) or isinstance(right, str):
        return str(left) < str(right)
    return left < right


def _within(moment: float, comparison: Comparison, wanted: periods.Period) -> bool:
    """Compare a POSIX time with a period, such as a month: after it, before it, or in it."""
    match comparison:
        case "=":
            return wanted.start <= moment < wanted.end
        case ">":
            return moment >= wanted.end
        case ">=":
            return moment >= wanted.start
        case "<":
            return moment < wanted.start
        case "<=":
            return moment < wanted.end


def _number(value: str | float) -> float | None:
    """The value as a number; None for other text and for "nan", which equals no number."""
    try:
        number = float(value)
    except ValueError:
        return None
    return None if math.isnan(number) else number


def _spellings(text: str) -> set[str]:
    """The value, case-folded, and for a link also its target, name and display text."""
    folded = fold_case(text).strip()
    if not (folded.startswith("[[") and folded.endswith("]]")):
        return {folded}
    parts = folded[2:-2].split("|")
    return {folded, *parts, parts[0].rpartition("/")[2]}
