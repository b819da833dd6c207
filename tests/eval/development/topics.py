"""Queries that name a topic: every note that a list under this heading links to is an answer.

Such a query asks for many things of one kind ("graph plugins", "apps for the phone"), and none of
them needs to have its words. The lists themselves are hidden from the whole search.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from .notes import LINK, Note, Notes, seen
from .query import DevQuery
from .words import content

KIND = "topic"
_HEADING = re.compile(r"^(#+)[ \t]+(.+?)[ \t#]*$", re.MULTILINE)
_ITEM = re.compile(r"^[ \t]*[*-][ \t]+(?:\[\[|\*\*\[\[)", re.MULTILINE)
_FEWEST, _MOST = 3, 60  # notes in a list
_MOST_WORDS = 6
# Headings that say nothing of what the notes below them are about.
_GENERAL = re.compile(
    r"plugins? in this category|related|see also|links?$|index|notes$|resources|themes in|"
    r"start here|previous|miscellaneous|updates|playlists|releases|snippets|next steps|"
    r"siehe auch|weitere|verwandte|nächste schritte|см\.|также|следующие шаги|"
    r"相关|関連|参见|次のステップ|下一步|后续步骤",
    re.IGNORECASE,
)


def topics(notes: Notes) -> Iterator[DevQuery]:
    """The headings (or else the names) of notes above lists of links to other notes."""
    found: dict[str, tuple[dict[str, int], set[str]]] = {}
    linked = {note.path: _linked(notes, note.body) for note in notes}
    for note in notes:
        for text, paths in _lists(notes, note):
            grades, sources = found.setdefault(text, ({}, set()))
            grades.update(dict.fromkeys(paths, 1))
            sources.add(note.path)
    for text, (grades, sources) in found.items():
        hidden = sources | _lists_of(grades, linked)
        relevant = {path: grade for path, grade in sorted(grades.items()) if path not in hidden}
        if _FEWEST <= len(relevant) <= _MOST:
            yield DevQuery(
                notes.name, KIND, "list", notes.lang, text, relevant, tuple(sorted(hidden))
            )


def _lists(notes: Notes, note: Note) -> Iterator[tuple[str, set[str]]]:
    """What each section of links of a note is about, and the notes that it links to."""
    parts = _HEADING.split(note.body)
    sections = [("", parts[0]), *zip(parts[2::3], parts[3::3], strict=True)]
    for heading, text in sections:
        lines = [line for line in text.splitlines() if _ITEM.match(line)]
        links = [link for line in lines for link in list(LINK.finditer(line))[:1] if not link[1]]
        paths = {path for link in links if (path := notes.resolve(link[2]))} - {note.path}
        said = seen(heading).strip()
        topic = note.name if not said or _GENERAL.search(said) else said
        words = content(topic, notes.lang)
        if _GENERAL.search(topic):
            continue
        if len(paths) >= _FEWEST and words and len(topic.split()) <= _MOST_WORDS:
            yield topic.lower(), paths


def _linked(notes: Notes, text: str) -> set[str]:
    """The notes that a text links to."""
    found = (notes.resolve(link[2]) for link in LINK.finditer(text))
    return {path for path in found if path is not None}


def _lists_of(grades: Mapping[str, int], linked: Mapping[str, set[str]]) -> set[str]:
    """The notes that link to half of the answers: they are lists of the topic as well."""
    return {
        path
        for path, targets in linked.items()
        if path not in grades and 2 * len(targets & grades.keys()) >= len(grades)
    }
