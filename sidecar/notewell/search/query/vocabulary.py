"""The names in a vault that a query may be completed by, found by any part of a word."""

from __future__ import annotations

import re
import threading
import unicodedata
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Iterator

from notewell.base.types import PropertyValue, StoredNote
from notewell.base.types.frozen import frozen
from notewell.vault.readers import link_name

_NAME, _WORD = "\n", "\x1f"
_WORD_START = re.compile(r"(?<![^\W_])(?=[^\W_])")
_CONTROL = re.compile(r"[\x00-\x1f]+")


@frozen
class Name:
    """A name, how often it is used, and the path of its note, if it belongs to one."""

    text: str
    count: int
    path: str | None = None


@frozen
class Match:
    """A name that matches a prefix. `whole`: at its start, not only at one of its words."""

    name: Name
    whole: bool


class NameIndex:
    """An index of names by prefix, ignoring case and accents.

    All names are joined in one string, the most used first, with a mark at the start of each name
    and word. A prefix search is a search in this string that stops after enough names.
    """

    def __init__(self, names: Iterable[Name]) -> None:
        """`names` are unique; shorter ones come first among equally used ones."""
        self._names = sorted(
            names, key=lambda name: (-name.count, len(name.text), name.text, name.path or "")
        )
        marked = [_NAME + _mark(name.text) for name in self._names]
        self._text = "".join(marked)
        self._starts: list[int] = []
        at = 0
        for piece in marked:
            self._starts.append(at)
            at += len(piece)

    def __len__(self) -> int:
        return len(self._names)

    def find(self, fragment: str, limit: int) -> tuple[Match, ...]:
        """At most `limit` names that begin with `fragment`, then as many with such a word.

        Both lists have the most used names first. An empty fragment matches every name.
        """
        if not fragment.strip():
            return tuple(Match(name, whole=True) for name in self._names[:limit])
        needle = _mark(fragment)
        whole = tuple(self._find(_NAME + needle, limit))
        matches = [Match(self._names[place], whole=True) for place in whole]
        if needle.startswith(_WORD):
            taken = set(whole)
            inside = self._find(needle, limit, inside=True)
            matches += [Match(self._names[at], whole=False) for at in inside if at not in taken]
        return tuple(matches)

    def _find(self, needle: str, limit: int, *, inside: bool = False) -> Iterator[int]:
        """Indices of names that contain `needle`; with `inside`, not at their start."""
        left = limit
        at = self._text.find(needle)
        while at >= 0 and left:
            place = bisect_right(self._starts, at) - 1
            begins = at == self._starts[place] + 1
            if not (inside and begins):
                yield place
                left -= 1
                following = place + 1  # one match per name
                if following == len(self._starts):
                    return
                at = self._text.find(needle, self._starts[following])
            else:
                at = self._text.find(needle, at + 1)


def _mark(text: str) -> str:
    return _WORD_START.sub(_WORD, fold_line(text).lstrip())


def fold_line(text: str) -> str:
    """`text` on one line, without case and accents."""
    if text.isascii():
        return _CONTROL.sub(" ", text.lower())
    apart = unicodedata.normalize("NFKD", text.casefold())
    plain = "".join(char for char in apart if not unicodedata.combining(char))
    return _CONTROL.sub(" ", unicodedata.normalize("NFC", plain))


_MAX_VALUE = 120  # characters; longer values are texts that are not completed


class Vocabulary:
    """All names of a vault that can be completed, at one generation. Thread-safe."""

    def __init__(self, notes: Iterable[StoredNote], links_to: Callable[[int], int]) -> None:
        """`links_to` returns the number of notes that link to a note id."""
        notes = tuple(notes)
        linked = {note.id: links_to(note.id) for note in notes}
        self.tags = _count(_tags(note) for note in notes)
        self.folders = _count(_folders(note.path) for note in notes)
        self.paths = NameIndex(Name(note.path, linked[note.id], note.path) for note in notes)
        self.files = NameIndex(
            Name(_file_name(note.path), linked[note.id], note.path) for note in notes
        )
        self.titles = NameIndex(Name(note.title, linked[note.id], note.path) for note in notes)
        self.aliases = NameIndex(
            Name(alias, linked[note.id], note.path) for note in notes for alias in note.aliases
        )
        self.properties = _count(note.properties for note in notes)
        self._notes = notes
        self._lock = threading.Lock()
        self._values: dict[str, NameIndex] = {}

    def values(self, name: str) -> NameIndex:
        """The values of a property in the vault, collected on first use."""
        wanted = name.casefold()
        with self._lock:
            if wanted not in self._values:
                self._values[wanted] = _count(_values_of(note, wanted) for note in self._notes)
            return self._values[wanted]


def _count(names_of_notes: Iterable[Iterable[str]]) -> NameIndex:
    """Names with their number of notes, in the most frequent spelling."""
    spellings: dict[str, Counter[str]] = {}
    for names in names_of_notes:
        for name in dict.fromkeys(names):
            spellings.setdefault(name.casefold(), Counter())[name] += 1
    return NameIndex(
        Name(max(spelling, key=lambda one: (spelling[one], one)), spelling.total())
        for spelling in spellings.values()
    )


def _tags(note: StoredNote) -> Iterator[str]:
    """A note's tags and their parent tags."""
    seen: set[str] = set()
    for tag in note.tags:
        steps = tag.split("/")
        for depth in range(1, len(steps) + 1):
            above = "/".join(steps[:depth])
            if above and above.casefold() not in seen:
                seen.add(above.casefold())
                yield above


def _folders(path: str) -> Iterator[str]:
    """The folders of a note, outermost first, each with a trailing slash."""
    at = path.find("/")
    while at >= 0:
        yield path[: at + 1]
        at = path.find("/", at + 1)


def _file_name(path: str) -> str:
    return link_name(path.rpartition("/")[2])


def _values_of(note: StoredNote, wanted: str) -> Iterator[str]:
    for name, value in note.properties.items():
        if name.casefold() == wanted:
            yield from dict.fromkeys(_texts(value))


def _texts(value: PropertyValue) -> Iterator[str]:
    """The single values of a property, as written in a query."""
    if isinstance(value, bool):
        yield str(value).lower()
    elif isinstance(value, str | int | float):
        text = str(value).strip()
        if text and len(text) <= _MAX_VALUE and text.isprintable():
            yield text
    elif isinstance(value, tuple):
        for item in value:
            yield from _texts(item)
