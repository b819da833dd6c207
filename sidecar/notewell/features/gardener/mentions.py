"""Finds the names of notes in running text: whole words, the longest name first.

Words are runs of letters and digits. Chinese characters, Hiragana, and the letters of Thai, Lao,
Khmer and Myanmar are words of their own, since nothing divides words there.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from itertools import pairwise

from notewell.base.types.frozen import frozen
from notewell.index.analyze import HAN, MARKS, SOUTH_EAST_ASIAN

_ALONE = f"{HAN}{SOUTH_EAST_ASIAN}\u3041-\u309f"
WORD = re.compile(
    rf"[{_ALONE}][{MARKS}]*|[^\W{_ALONE}][^\W{_ALONE}{MARKS}]*(?:[{MARKS}]+[^\W{_ALONE}{MARKS}]*)*"
)
_IS_ALONE = re.compile(rf"[{_ALONE}]")
_SHORTEST, _SHORTEST_ALONE = 3, 3  # characters of a name that is looked for
_JOINS = "_-'\u2019"
_FEW_LETTERS = re.compile(r"[\d\W_]*[^\d\W_]?[\d\W_]*")


@frozen
class Mention:
    """A name at [start, end) of a text. `exact`: its letters have the same case."""

    name: str  # as `folded`
    start: int
    end: int
    exact: bool


@frozen
class _Name:
    written: str
    folded: str
    before: int  # characters of the name before its first word


def folded(name: str) -> str:
    """A name without case, by which it is looked for."""
    return unicodedata.normalize("NFC", name).casefold().strip()


def is_searchable(name: str) -> bool:
    """True if a name is long enough, and more than a number or a date."""
    if _FEW_LETTERS.fullmatch(name):
        return False
    alone = _IS_ALONE.search(name) is not None
    return len(name) >= (_SHORTEST_ALONE if alone else _SHORTEST)


class NameFinder:
    """Finds any of many names in a text, in one pass over its words."""

    def __init__(self, names: Iterable[str]) -> None:
        """`names` as people write them; one that is not searchable is left out."""
        # By the first two words, or the only one; a few names begin with the same two.
        self._by_words: dict[tuple[str, str], list[_Name]] = {}
        for written in dict.fromkeys(names):
            found = list(WORD.finditer(written))
            if found and is_searchable(written):
                second = found[1][0].casefold() if len(found) > 1 else ""
                key = (found[0][0].casefold(), second)
                self._by_words.setdefault(key, []).append(
                    _Name(written, folded(written), found[0].start())
                )
        for candidates in self._by_words.values():
            candidates.sort(key=lambda one: (-len(one.written), one.written))

    def find(self, text: str) -> Iterator[Mention]:
        """Yield the mentions in order; they do not overlap."""
        position = 0
        words = [(word[0].casefold(), word.start()) for word in WORD.finditer(text)]
        for (word, start), (after, _) in pairwise([*words, ("", len(text))]):
            if start < position:
                continue
            names = (*self._by_words.get((word, after), ()), *self._by_words.get((word, ""), ()))
            for name in names:
                mention = _at(text, start - name.before, name)
                if mention is not None and mention.start >= position:
                    position = mention.end
                    yield mention
                    break


def _at(text: str, start: int, name: _Name) -> Mention | None:
    end = start + len(name.written)
    if start < 0:
        return None
    found = text[start:end]
    if found != name.written and found.casefold() != name.folded:
        return None
    if _joined(text, start) or _joined(text, end):
        return None
    return Mention(name.folded, start, end, found == name.written)


def _joined(text: str, at: int) -> bool:
    """True if a word goes on across an offset."""
    if not 0 < at < len(text):
        return False
    before, after = text[at - 1], text[at]
    if _IS_ALONE.match(before) or _IS_ALONE.match(after):
        return False
    if after in "-_":  # a hyphen or underscore joins words if one follows it
        return before.isalnum() and text[at + 1 : at + 2].isalnum()
    return after.isalnum() and (before.isalnum() or before in _JOINS)
