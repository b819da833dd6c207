"""Queries made from links: their text, and the sentence around them, ask for the linked note.

The notes that hold the text are hidden from the whole search: they would be found first, and
their link would raise the answer.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from .notes import LINK, Note, Notes, seen
from .query import DevQuery
from .words import content, plain, words

LINK_TEXT = "link"
SENTENCE = "sentence"

_SENTENCES = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])|\n+")
_POINTERS = re.compile(
    r"\b(?:here|learn more|see also|read more|siehe auch|erfahre mehr|weitere informationen|см\.|"
    r"подробнее|click|this)\b|^\W*v?\d+\.\d|这篇|这里|本文|ここ|こちら|参见|参阅|详见|了解更多|参照|詳細|詳しくは",
    re.IGNORECASE,
)
_MOST_SOURCES = 12
_SHORTEST_TARGET = 100  # characters
_FEWEST_WORDS = 8
_FEWEST_CHARACTERS = 18  # of a Chinese or Japanese sentence


def link_texts(notes: Notes) -> Iterator[DevQuery]:
    """The texts of links, if they are no name of the target and no part of one."""
    sources: dict[str, set[str]] = {}
    targets: dict[str, set[str]] = {}
    for note in notes:
        for link in LINK.finditer(note.body):
            path = notes.resolve(link[2]) if link[4] and not link[1] else None
            if path is not None:
                text = seen(link[4]).strip()
                sources.setdefault(text, set()).add(note.path)
                targets.setdefault(text, set()).add(path)
    for text, paths in targets.items():
        hidden = sources[text] - paths
        if len(paths) > 2 or not 0 < len(hidden) <= _MOST_SOURCES or _POINTERS.search(text):
            continue
        if all(_is_description(notes, text, notes.by_path[path]) for path in paths):
            yield DevQuery(
                notes.name,
                LINK_TEXT,
                "link text",
                notes.lang,
                text.lower(),
                dict.fromkeys(sorted(paths), 1),
                tuple(sorted(hidden)),
            )


def sentences(notes: Notes) -> Iterator[DevQuery]:
    """The sentences around one link, without the link, that do not hold the target's name."""
    found: dict[str, tuple[set[str], set[str]]] = {}
    for note in notes:
        for text in _SENTENCES.split(note.body):
            links = list(LINK.finditer(text))
            if len(links) != 1 or text.lstrip().startswith(("#", "|")):
                continue
            path = None if links[0][1] else notes.resolve(links[0][2])
            if path is not None and path != note.path:
                rest = " ".join(seen(LINK.sub(" ", text)).split())
                paths, sources = found.setdefault(rest, (set(), set()))
                paths.add(path)
                sources.add(note.path)
    for text, (paths, sources) in found.items():
        if len(paths) != 1 or len(sources) > _MOST_SOURCES or not _is_sentence(text, notes.lang):
            continue
        path = next(iter(paths))
        if _fits(notes, text, notes.by_path[path]):
            hidden = tuple(sorted(sources))
            yield DevQuery(
                notes.name, SENTENCE, "around a link", notes.lang, text, {path: 1}, hidden
            )


def _is_description(notes: Notes, text: str, target: Note) -> bool:
    """Whether a link's text says something else than the names of its target."""
    if len(target.body.strip()) < _SHORTEST_TARGET or notes.is_name(text):
        return False
    if notes.lang in ("zh", "ja"):
        known = any(plain(text) in plain(name) for name in target.names)
        return len(text) >= 3 and not known
    found = content(text, notes.lang)
    return len(found) >= 2 and not set(found) <= set(words(" ".join(target.names), notes.lang))


def _is_sentence(text: str, lang: str) -> bool:
    if _POINTERS.search(text) or "http" in text:
        return False
    if lang in ("zh", "ja"):
        return len(text) >= _FEWEST_CHARACTERS
    return len(words(text, lang)) >= _FEWEST_WORDS


def _fits(notes: Notes, text: str, target: Note) -> bool:
    """Whether a sentence neither names its target nor stands in it."""
    if len(target.body.strip()) < _SHORTEST_TARGET:
        return False
    held = plain(text)
    named = any(plain(name) in held for name in target.names)
    return not named and held not in target.shown
