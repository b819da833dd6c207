"""Builds the header with context (title, headings, tags) that is embedded with each chunk."""

from __future__ import annotations

from collections.abc import Iterator

from notewell.types import CountTokens, Note, PropertyValue
from notewell.vault.properties import fold, words_of

_MAX_TAGS = 6
_MAX_NAMES = 4
_NAMED = (("Topics", "topics"), ("Topic", "topic"), ("Author", "author"), ("Authors", "authors"))


class Headers:
    """Builds the headers of one note, each at most `limit` tokens long.

    A header is the title and the heading path on one line, then tags, topics and author. Folder
    names are left out, so that moving a note changes no embedded text.
    """

    def __init__(self, note: Note, count_tokens: CountTokens, limit: int) -> None:
        """Headers are made on first use and cached."""
        self._title = note.title.strip()
        self._extras = tuple(_extras(note))
        self._count = count_tokens
        self._limit = limit
        self._made: dict[tuple[str, ...], tuple[str, int]] = {}

    def make(self, headings: tuple[str, ...]) -> tuple[str, int]:
        """Return the header under this heading path, and its tokens."""
        made = self._made.get(headings)
        if made is None:
            made = self._made[headings] = self._fit(headings)
        return made

    def _fit(self, headings: tuple[str, ...]) -> tuple[str, int]:
        """Shorten the header until it fits: without extras, without outer headings, then cut."""
        title = self._title
        path = [text for n, text in enumerate(headings) if text and (n or text != title)]
        for extras in (self._extras, ()):
            for kept in (path, path[-1:]):
                header = "\n".join((" > ".join(filter(None, (title, *kept))), *extras))
                tokens = self._count(header)
                if tokens <= self._limit:
                    return header, tokens
        return fit_words(" > ".join(filter(None, (title, *path[-1:]))), self._count, self._limit)


def fit_words(text: str, count_tokens: CountTokens, limit: int) -> tuple[str, int]:
    """Cut `text` at a word so that it has at most `limit` tokens; return it and its tokens."""
    text = text.strip()
    tokens = count_tokens(text)
    while text and tokens > limit:
        size = min(len(text) - 1, int(len(text) * limit / tokens))
        shorter = text[:size]
        # Cut at a space if there is one; some scripts are written without spaces.
        text = (shorter.rsplit(None, 1)[0] if " " in shorter.strip() else shorter).rstrip()
        tokens = count_tokens(text)
    return text, tokens if text else 0


def _extras(note: Note) -> Iterator[str]:
    if note.tags:
        yield "Tags: " + ", ".join(note.tags[:_MAX_TAGS])
    folded = fold(note.properties)
    for label, name in _NAMED:
        words = list(_names(folded.get(name)))
        if words:
            yield f"{label}: " + ", ".join(words[:_MAX_NAMES])


def _names(value: PropertyValue) -> Iterator[str]:
    """Yield a property's strings; of a wikilink, what it shows."""
    for word in words_of(value, separators=","):
        yield word.removeprefix("[[").removesuffix("]]").rpartition("|")[2].strip()
