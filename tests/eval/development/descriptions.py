"""Queries of two to four words that somebody remembers of what a note is about.

In the class `description` they are taken from the note's own description, so the words stand in
the note. In the class `described` they are taken from what another note says about it, which is
hidden, so they are words of somebody else.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from .notes import Note, Notes, seen
from .query import DevQuery, draw
from .words import content, some

OWN = "description"
OTHERS = "described"
SENTENCE = "sentence"

_HUB_PLUGIN = re.compile(r"Mobile compatible:.*?\n+(.*?)\n", re.DOTALL)
_SUMMARY = re.compile(r"^# Summary\n+(.+?)(?:\n\n|\n#|\Z)", re.DOTALL | re.MULTILINE)
_REPOSITORY = re.compile(r"https://github\.com/([\w.-]+/[\w.-]+?)(?:\.git)?(?=[)/?#\s]|$)")
_CHANGES = re.compile(r"^#+ (?:Plugin )?Updates?\b.*?(?=^#|\Z)", re.MULTILINE | re.DOTALL)
_VERSION = re.compile(
    r"\d\.\d|/releases/|^\W*(?:s?\s*(?:latest|now|added|adds|fixe?[ds]|updated?|has|got|is|was|can))\b|"
    r"\b(?:updates?|release[ds]?|version|bug|fixed|fixes|improvements?)\b",
    re.IGNORECASE,
)
_ABOUT = re.compile(r"^\s*[*-] \[[^\]]+\]\((https://github\.com/[^)]+)\)(.*)$", re.MULTILINE)
_AUTHOR = re.compile(r"^\s*(?:v?\d[\w.]*\s*)?(?:by\s+@?[\w-]+(?:\s+and\s+@?[\w-]+)*\s*)?[:,-]?\s*")
_FEWEST_WORDS = 8
_MOST_HOLDERS = 5  # notes with all the words; of more, the query does not say which is meant


def hub_plugin(note: Note) -> str:
    """The sentence by which the hub describes a plugin."""
    found = _HUB_PLUGIN.search(f"{note.body}\n")
    return seen(found[1]) if found else ""


def summary(note: Note) -> str:
    """The first paragraph of the section `Summary`."""
    found = _SUMMARY.search(note.body)
    return seen(found[1]) if found else ""


def description_property(note: Note) -> str:
    """The property `description`."""
    return " ".join(note.properties.get("description", ()))


def own_words(
    notes: Notes,
    among: Sequence[Note],
    of: Callable[[Note], str],
    *,
    ending: str = "",
) -> Iterator[DevQuery]:
    """Words of each note's description (`of`); two of five queries end in `ending`."""
    for note in among:
        found = content(of(note), notes.lang)
        picked = some(found, notes.counts, key=note.path)
        if len(picked) < 2 or len(notes.with_all(picked)) > _MOST_HOLDERS:
            continue
        if set(picked) <= set(content(" ".join(note.names), notes.lang)):
            continue
        text = " ".join(picked)
        if notes.is_name(text):
            continue
        longer = bool(ending) and draw(5, "ending", note.path) < 2
        form = f"{len(picked)} words" + (ending if longer else "")
        text += ending if longer else ""
        yield DevQuery(notes.name, OWN, form, notes.lang, text, {note.path: 1})


def words_of_others(notes: Notes) -> Iterator[DevQuery]:
    """What lists of news say about plugins: the sentence whole, and two to four of its words.

    A line belongs to a plugin's note if both link to the same repository. Lines with a word of the
    plugin's name are left out, and those about a new version, which do not say what it does.
    """
    plugins = _by_repository(notes)
    for text, path, source in _remarks(notes, plugins):
        note = notes.by_path[path]
        found = content(text, notes.lang)
        name = set(content(" ".join(note.names), notes.lang)) - {"obsidian", "plugin"}
        if name & set(found):
            continue
        whole = len(text.split()) >= _FEWEST_WORDS
        picked = some(found, notes.counts, key=path)
        if whole and draw(2, "whole", text):
            yield DevQuery(notes.name, SENTENCE, "remark", notes.lang, text, {path: 1}, (source,))
        elif len(picked) >= 2 and len(notes.with_all(picked)) <= _MOST_HOLDERS:
            few, form = " ".join(picked), f"{len(picked)} words"
            yield DevQuery(notes.name, OTHERS, form, notes.lang, few, {path: 1}, (source,))


def _by_repository(notes: Notes) -> dict[str, str]:
    found: dict[str, set[str]] = {}
    for note in notes:
        if note.folder.endswith("/Plugins"):
            repository = _REPOSITORY.search(note.body)
            if repository:
                found.setdefault(repository[1].casefold(), set()).add(note.path)
    return {address: next(iter(paths)) for address, paths in found.items() if len(paths) == 1}


def _remarks(notes: Notes, plugins: dict[str, str]) -> Iterator[tuple[str, str, str]]:
    """The text of each remark about a plugin, the plugin's path, and the source's."""
    for note in notes:
        for line in _ABOUT.finditer(_CHANGES.sub("", note.body)):
            if _VERSION.search(line[1]) or _VERSION.search(_AUTHOR.sub("", line[2], count=1)):
                continue
            repository = _REPOSITORY.search(line[1])
            path = plugins.get(repository[1].casefold()) if repository else None
            text = _AUTHOR.sub("", seen(line[2]).strip(), count=1).strip(" .")
            if path is not None and path != note.path and text:
                yield text, path, note.path
