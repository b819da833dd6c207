"""What similar notes are asked for: a note, a part of it, or a text, cut into passages."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from notewell.contract.search import SimilarRequest
from notewell.errors import NotFoundError
from notewell.index.analyze import tokens
from notewell.index.bm25 import QueryTerm, idf
from notewell.index.port import IndexReader
from notewell.search.note_lookup import find_note
from notewell.search.similarity import MAX_PASSAGES
from notewell.types import StoredChunk, StoredNote

TELLING_TERMS = 25
_PIECE_CHARS = 1000
_LABEL_CHARS = 80


@dataclass(frozen=True, slots=True)
class Asked:
    """What others are compared with. `note` None: a text somebody gave.

    `own` are the ids of all chunks of the note; `texts` and `chunk_ids` are of the part that was
    asked for, at most MAX_PASSAGES of it.
    """

    note: StoredNote | None
    texts: tuple[str, ...]
    labels: tuple[str, ...]
    chunk_ids: tuple[int, ...] = ()
    own: tuple[int, ...] = ()


def asked(index: IndexReader, request: SimilarRequest | str) -> Asked:
    """Find the note and the part of it, or cut the text.

    Raises:
        NotFoundError: there is no such note, or no such heading in it.

    """
    if isinstance(request, str):
        pieces = _pieces(request)
        return Asked(None, pieces, tuple(_beginning(piece) for piece in pieces))
    note = find_note(index, request.path)
    chunks = index.chunks_of(note.id)
    part = _spread(_part(note, chunks, request))
    return Asked(
        note,
        texts=tuple(chunk.text for chunk in part) or (note.title,),
        labels=tuple(_label(chunk) for chunk in part) or (note.title,),
        chunk_ids=tuple(chunk.id for chunk in part),
        own=tuple(chunk.id for chunk in chunks),
    )


def telling(index: IndexReader, texts: tuple[str, ...]) -> tuple[QueryTerm, ...]:
    """The tokens that tell the texts apart from the rest: highest tf-idf, weights 0..1."""
    counts = Counter(token for text in texts for token in tokens(text))
    documents = index.keywords.document_count
    worth: dict[str, float] = {}
    for token, count in counts.items():
        found = min(index.keywords.document_frequency(token), documents)
        if found:
            worth[token] = (1.0 + math.log(count)) * idf(found, documents)
    chosen = sorted(worth, key=lambda token: (-worth[token], token))[:TELLING_TERMS]
    return tuple(QueryTerm(token, worth[token] / worth[chosen[0]]) for token in chosen)


def _part(
    note: StoredNote, chunks: Sequence[StoredChunk], request: SimilarRequest
) -> Sequence[StoredChunk]:
    """The chunks under the heading, or around the line, that was asked for; else all."""
    if request.heading is not None:
        wanted = [step.strip().casefold() for step in request.heading.split(" > ")]
        under = [chunk for chunk in chunks if _lies_under(chunk, wanted)]
        if not under:
            there = dict.fromkeys(heading for chunk in chunks for heading in chunk.headings)
            known = f"It has: {', '.join(there)}." if there else "It has none with text."
            raise NotFoundError(f"'{note.path}' has no heading '{request.heading}'. {known}")
        return under
    if request.line is not None and chunks:
        line = request.line
        return [min(chunks, key=lambda chunk: _distance(chunk, line))]
    return chunks


def _lies_under(chunk: StoredChunk, wanted: list[str]) -> bool:
    """Whether the wanted headings, outermost first, stand side by side in the chunk's path."""
    path = [heading.casefold() for heading in chunk.headings]
    places = range(len(path) - len(wanted) + 1)
    return any(path[at : at + len(wanted)] == wanted for at in places)


def _distance(chunk: StoredChunk, line: int) -> int:
    """Lines from a chunk to a line; 0 where the line is one of its own."""
    first, last = (chunk.lines[0], chunk.lines[-1]) if chunk.lines else (1, 1)
    return max(first - line, line - last, 0)


def _spread(chunks: Sequence[StoredChunk]) -> Sequence[StoredChunk]:
    """At most MAX_PASSAGES, evenly from a long note."""
    if len(chunks) <= MAX_PASSAGES:
        return chunks
    return [chunks[at * len(chunks) // MAX_PASSAGES] for at in range(MAX_PASSAGES)]


def _label(chunk: StoredChunk) -> str:
    return " > ".join(chunk.headings) or _beginning(chunk.text)


def _beginning(text: str) -> str:
    line = " ".join(text.split())
    if len(line) <= _LABEL_CHARS:
        return line
    return f"{line[:_LABEL_CHARS].rpartition(' ')[0] or line[:_LABEL_CHARS]}…"


def _pieces(text: str) -> tuple[str, ...]:
    """A long text in pieces that a model can read, cut at spaces."""
    pieces: list[str] = []
    while len(text) > _PIECE_CHARS and len(pieces) < MAX_PASSAGES:
        cut = text.rfind(" ", _PIECE_CHARS // 2, _PIECE_CHARS)
        cut = cut if cut > 0 else _PIECE_CHARS
        pieces.append(text[:cut])
        text = text[cut:]
    return tuple(piece for piece in [*pieces, text] if piece.strip())[:MAX_PASSAGES] or ("",)
