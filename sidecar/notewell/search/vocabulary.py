"""The words that a vault itself has for things: tags, folders, notes, properties and their values.

Each with how many notes have it; for a note, how many link to it.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Iterable, Iterator

from notewell.search.name_index import Name, Names
from notewell.types import PropertyValue, StoredNote
from notewell.vault.readers import link_name

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
