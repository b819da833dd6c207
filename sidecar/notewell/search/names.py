"""The words that a vault itself has for things: tags, folders, notes, properties and their values.

Each with how many notes have it; for a note, how many link to it.
"""

from __future__ import annotations

import difflib
import re
import threading
import unicodedata
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from notewell.errors import NotFoundError
from notewell.index.port import IndexReader
from notewell.types import PropertyValue, StoredNote
from notewell.vault.readers import link_name, spellings

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


_MAX_VALUE = 120  # characters; a longer value is a text, which nobody types again


class Vocabulary:
    """Everything that can be completed in one vault, at one moment. Any thread may ask."""

    def __init__(self, notes: Iterable[StoredNote], links_to: Callable[[int], int]) -> None:
        """`links_to` says how many notes link to a note."""
        notes = tuple(notes)
        linked = {note.id: links_to(note.id) for note in notes}
        self.tags = _counted(_tags(note) for note in notes)
        self.folders = _counted(_folders(note.path) for note in notes)
        self.paths = Names(Name(note.path, linked[note.id], note.path) for note in notes)
        self.files = Names(
            Name(_file_name(note.path), linked[note.id], note.path) for note in notes
        )
        self.titles = Names(Name(note.title, linked[note.id], note.path) for note in notes)
        self.aliases = Names(
            Name(alias, linked[note.id], note.path) for note in notes for alias in note.aliases
        )
        self.properties = _counted(note.properties for note in notes)
        self._notes = notes
        self._making = threading.Lock()
        self._values: dict[str, Names] = {}

    def values(self, name: str) -> Names:
        """The values that notes have for a property, made when first asked for."""
        wanted = name.casefold()
        with self._making:
            if wanted not in self._values:
                self._values[wanted] = _counted(_values_of(note, wanted) for note in self._notes)
            return self._values[wanted]


def _counted(of_notes: Iterable[Iterable[str]]) -> Names:
    """Names with the number of notes that have them, spelled as most of these do."""
    spellings: dict[str, Counter[str]] = {}
    for names in of_notes:
        for name in dict.fromkeys(names):
            spellings.setdefault(name.casefold(), Counter())[name] += 1
    return Names(
        Name(max(found, key=lambda one: (found[one], one)), found.total())
        for found in spellings.values()
    )


def _tags(note: StoredNote) -> Iterator[str]:
    """A note's tags and the tags above them: a tag is found by each."""
    seen: set[str] = set()
    for tag in note.tags:
        steps = tag.split("/")
        for depth in range(1, len(steps) + 1):
            above = "/".join(steps[:depth])
            if above and above.casefold() not in seen:
                seen.add(above.casefold())
                yield above


def _folders(path: str) -> Iterator[str]:
    """The folders around a note, each with a slash at its end."""
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
    """The single values in a property, as a query would name them."""
    if isinstance(value, bool):
        yield str(value).lower()
    elif isinstance(value, str | int | float):
        text = str(value).strip()
        if text and len(text) <= _MAX_VALUE and text.isprintable():
            yield text
    elif isinstance(value, tuple):
        for item in value:
            yield from _texts(item)


def find_note(index: IndexReader, path: str) -> StoredNote:
    """The note at `path`, with or without its ending; NotFoundError names the nearest ones."""
    for candidate in spellings(path):
        note = index.note_at(candidate)
        if note is not None:
            return note
    raise NotFoundError(f"no note '{path}' in the index{nearest(index, path)}")


def nearest(index: IndexReader, path: str) -> str:
    """The end of a sentence that says there is no such note: what was perhaps meant."""
    paths = [note.path for note in index.all_notes()]
    near = difflib.get_close_matches(path, paths, n=3, cutoff=0.6)
    return f"; did you mean {', '.join(near)}?" if near else ""
