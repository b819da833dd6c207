"""Compares texts with phrases, and properties with the conditions of a query."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping

from notewell.base.types import PropertyValue, StoredChunk, StoredNote
from notewell.index.analyze import SPACELESS, tokens, words
from notewell.search import dates
from notewell.search.query import Comparison, Property, ValueTest
from notewell.vault.properties import link_words, property_words
from notewell.vault.readers import kinds_of

_SPACE = re.compile(r"\s+")
_SPACELESS = re.compile(f"[{SPACELESS}]")
# No word goes on here; one of a script without spaces begins and ends anywhere.
_NO_WORD_BEFORE, _NO_WORD_AFTER = rf"(?<![^\W{SPACELESS}])", rf"(?![^\W{SPACELESS}])"
_SIGNS = str.maketrans(
    {
        **dict.fromkeys(
            "*_~=`\\\u00ad\u200b", None
        ),  # emphasis, escapes, soft hyphen, zero-width space
        **dict.fromkeys("\u2018\u2019\u201b\u02bc", "'"),
        **dict.fromkeys("\u201c\u201d\u201e\u00ab\u00bb", '"'),
        **dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2212", "-"),
    }
)


def fold(text: str) -> str:
    """`text` without case, accents, emphasis marks and extra spaces, to compare phrases."""
    if text.isascii():
        folded = text.lower()
    else:
        decomposed = unicodedata.normalize("NFKD", text).casefold()
        folded = "".join(char for char in decomposed if not unicodedata.combining(char))
    return _SPACE.sub(" ", folded.translate(_SIGNS)).strip()


def matcher(phrase: str) -> Callable[[str], bool]:
    """A test whether a text contains `phrase` as whole words (except in scripts without spaces)."""
    folded = fold(phrase)
    before = _NO_WORD_BEFORE if _is_word(folded[:1]) else ""
    after = _NO_WORD_AFTER if _is_word(folded[-1:]) else ""
    pattern = re.compile(before + re.escape(folded) + after)
    return lambda text: pattern.search(fold(text)) is not None


def text_matcher(text: str, *, exact: bool) -> Callable[[str], bool]:
    """A test whether another text has the words of `text`, as the index tells it of passages.

    One word is found as it is indexed, also as a part of a compound; several must follow each
    other, and if `exact` be a literal phrase.
    """
    wanted = words(text.lower())
    if len(wanted) == 1:
        return lambda other: wanted[0] in tokens(other)
    if exact:
        return matcher(text)
    sequence = f" {' '.join(wanted)} "
    return lambda other: sequence in f" {' '.join(words(other.lower()))} "


def values_of(note: StoredNote) -> tuple[tuple[str, str], ...]:
    """The values of a note's properties as they are searched: each with the property's name."""
    found = property_words(note.properties)
    return tuple((name, link_words(value)) for name, values in found.items() for value in values)


def states_properties(chunk: StoredChunk) -> bool:
    """Tell whether a passage states the properties of a note that has no text."""
    return chunk.end == 0


def _is_word(char: str) -> bool:
    return char.isalnum() and _SPACELESS.match(char) is None


def has_property(note: StoredNote, wanted: Property) -> bool:
    """Whether the note has the property and, if there are tests, one value that meets one test.

    For the filter `type:`, a file without such a property has the type of its file.
    """
    found = [value for name, value in _properties(note) if name.casefold() == wanted.name]
    if not found and wanted.reason == "type":
        found = [*kinds_of(note.path)]
    if not found or not wanted.tests:
        return bool(found)
    return any(_meets(value, test) for value in found for test in wanted.tests)


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
    if isinstance(value, bool):
        return test.comparison == "=" and str(value).casefold() == test.operand.casefold()
    if isinstance(value, Mapping) or value is None:
        return False
    return _compare(value, test.comparison, test.operand)


def _compare(value: str | float, comparison: Comparison, operand: str) -> bool:
    """Compare as numbers if both are, as dates if both are, else as text ignoring case."""
    left, right = _number(value), _number(operand)
    if left is not None and right is not None:
        return _ordered(left, comparison, right)
    text = str(value)
    day, wanted = dates.calendar(text), dates.calendar(operand)
    if day is not None and wanted is not None:
        return _within(day.start, comparison, wanted)
    if comparison == "=":
        return operand.casefold() in _spellings(text)
    return _ordered(text.casefold(), comparison, operand.casefold())


def _ordered(left: float | str, comparison: Comparison, right: float | str) -> bool:
    """Compare two numbers or two texts."""
    if left == right:
        return comparison in {"=", ">=", "<="}
    return comparison in ({">", ">="} if _less(right, left) else {"<", "<="})


def _less(left: float | str, right: float | str) -> bool:
    if isinstance(left, str) or isinstance(right, str):
        return str(left) < str(right)
    return left < right


def _within(moment: float, comparison: Comparison, wanted: dates.Period) -> bool:
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
    folded = text.casefold().strip()
    if not (folded.startswith("[[") and folded.endswith("]]")):
        return {folded}
    parts = folded[2:-2].split("|")
    return {folded, *parts, parts[0].rpartition("/")[2]}
