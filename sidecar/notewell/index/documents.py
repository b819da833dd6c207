"""What of a note becomes keywords: its documents' fields as streams of tokens, for every engine.

One document is one chunk, or the placeholder of a note that has none. A field is a string of tokens
joined by spaces: the words in their order, with `STOP` between texts so that no phrase crosses, and
then the tokens that have no place of their own in it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from notewell.index.analyze import streams
from notewell.index.bm25 import STEMS
from notewell.index.placeholder_chunks import placeholder_id, property_words
from notewell.types import PropertyValue

STOP = "\u00a6"  # stands between two texts; the analyzer never makes it


@dataclass(frozen=True, slots=True)
class ChunkText:
    """The parts of a chunk that become keywords."""

    chunk_id: int
    headings: tuple[str, ...]
    text: str


@dataclass(frozen=True, slots=True)
class NoteText:
    """The parts of a note that become keywords."""

    note_id: int
    path: str
    title: str
    aliases: tuple[str, ...]
    tags: tuple[str, ...]
    chunks: tuple[ChunkText, ...]  # at least one: a note without chunks has its placeholder


@dataclass(frozen=True, slots=True)
class NoteDocuments:
    """The documents of a note: (chunk id, tokens of each field), and the tokens of all of it."""

    fields: tuple[tuple[int, dict[str, str]], ...]
    whole: str


def note_text(
    note_id: int,
    path: str,
    *,
    title: str,
    aliases: tuple[str, ...],
    tags: tuple[str, ...],
    properties: Mapping[str, PropertyValue],
    chunks: Sequence[ChunkText],
) -> NoteText:
    """The keywords' parts of a note; `properties` count only where it has no chunks."""
    if not chunks:
        body = "\n".join(word for words in property_words(properties).values() for word in words)
        chunks = (ChunkText(placeholder_id(note_id), (), body),)
    return NoteText(note_id, path, title, aliases, tags, tuple(chunks))


def note_documents(note: NoteText) -> NoteDocuments:
    """The documents of a note. In `whole`, a heading over several chunks counts once."""
    title, tags = joined(note.title, *note.aliases), joined(*note.tags)
    path = joined(note.path.removesuffix(".md"))
    documents: list[tuple[int, dict[str, str]]] = []
    whole = {title: None, tags: None}
    for chunk in note.chunks:
        headings, body = joined(*chunk.headings), joined(chunk.text)
        documents.append(
            (
                chunk.chunk_id,
                {
                    "title": title,
                    "headings": headings,
                    "tags": tags,
                    "path": path,
                    "body": body,
                    STEMS: f"{title} {tags} {headings} {body}",
                },
            )
        )
        whole |= {headings: None, body: None}
    return NoteDocuments(tuple(documents), " ".join(whole))


def joined(*texts: str) -> str:
    """Tokens of texts as one string: their words in order, then what has no place in it."""
    parts: list[str] = []
    extras: list[str] = []
    for text in texts:
        ordered, others = streams(text)
        parts += ordered
        parts.append(STOP)
        extras += others
    parts += extras
    return " ".join(parts).removesuffix(f" {STOP}")


def without_wholes(tokens: Sequence[str]) -> list[str]:
    """Tokens without those that merely repeat at least two before them, joined.

    The whole of a compound has no place of its own in a phrase.
    """
    kept: list[str] = []
    for token in tokens:
        text, at = "", len(kept)
        while at and len(text) < len(token):
            at -= 1
            text = kept[at] + text
        if text != token or len(kept) - at < 2:
            kept.append(token)
    return kept
