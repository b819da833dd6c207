"""Finds names by how they, or one of their words, begin: fast, small, and in order of use.

All names stand in one string, the most used first, each word's beginning marked; so a search is a
search in a string, and ends with the names that are wanted.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

_NAME, _WORD = "\n", "\x1f"
_WORD_START = re.compile(r"(?<![^\W_])(?=[^\W_])")
_CONTROL = re.compile(r"[\x00-\x1f]+")


@dataclass(frozen=True, slots=True)
class Name:
    """A name, how much it is used, and the note it belongs to, if it is one's."""

    text: str
    count: int
    path: str | None = None


@dataclass(frozen=True, slots=True)
class Match:
    """A name that was found. `whole`: it begins so itself, not just one of its words."""

    name: Name
    whole: bool


class Names:
    """Names of one kind. Case and accents do not count."""

    def __init__(self, names: Iterable[Name]) -> None:
        """Each name once; of equally used ones the shorter comes first."""
        self._names = sorted(
            names, key=lambda name: (-name.count, len(name.text), name.text, name.path or "")
        )
        marked = [_NAME + _marked(name.text) for name in self._names]
        self._text = "".join(marked)
        self._starts: list[int] = []
        at = 0
        for piece in marked:
            self._starts.append(at)
            at += len(piece)

    def __len__(self) -> int:
        return len(self._names)

    def find(self, fragment: str, limit: int) -> tuple[Match, ...]:
        """At most `limit` names that begin so, and as many of which a word does; used most first.

        An empty fragment begins every name.
        """
        if not fragment.strip():
            return tuple(Match(name, whole=True) for name in self._names[:limit])
        needle = _marked(fragment)
        whole = tuple(self._found(_NAME + needle, limit))
        found = [Match(self._names[place], whole=True) for place in whole]
        if needle.startswith(_WORD):
            taken = set(whole)
            inside = self._found(needle, limit, inside=True)
            found += [Match(self._names[at], whole=False) for at in inside if at not in taken]
        return tuple(found)

    def _found(self, needle: str, limit: int, *, inside: bool = False) -> Iterator[int]:
        """Places of names that hold `needle`; `inside`, of those that do not begin with it."""
        left = limit
        at = self._text.find(needle)
        while at >= 0 and left:
            place = bisect_right(self._starts, at) - 1
            begins = at == self._starts[place] + 1
            if not (inside and begins):
                yield place
                left -= 1
                following = place + 1  # one hit a name is enough
                if following == len(self._starts):
                    return
                at = self._text.find(needle, self._starts[following])
            else:
                at = self._text.find(needle, at + 1)


def _marked(text: str) -> str:
    return _WORD_START.sub(_WORD, folded(text).lstrip())


def folded(text: str) -> str:
    """`text` on one line, without regard to case and accents."""
    if text.isascii():
        return _CONTROL.sub(" ", text.lower())
    apart = unicodedata.normalize("NFKD", text.casefold())
    plain = "".join(char for char in apart if not unicodedata.combining(char))
    return _CONTROL.sub(" ", unicodedata.normalize("NFC", plain))
