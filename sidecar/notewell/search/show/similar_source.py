"""Read what similar notes are looked for: a note, a part of one, or a text; and its key terms."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

from notewell.base.errors import NotFoundError
from notewell.base.types import StoredChunk, StoredNote
from notewell.base.types.frozen import frozen
from notewell.contract.search import SimilarRequest
from notewell.index.analyze import tokens
from notewell.index.lexical import QueryTerm, idf
from notewell.index.port import IndexReader
from notewell.search.query.find_note import find_note

MAX_PASSAGES = 16  # of a source; more do not change the result noticeably
KEY_TERMS = 25  # for a search without vectors
_PIECE_CHARS = 1000
_LABEL_CHARS = 80


@frozen
class SimilarSource:
    """The note or text that others are compared with; `note` is None for a text.

    `texts`, `labels` and `chunk_ids` belong to the requested part, at most MAX_PASSAGES passages;
    `own` are the ids of all chunks of the note.
    """

    note: StoredNote | None
    texts: tuple[str, ...]
    labels: tuple[str, ...]
    chunk_ids: tuple[int, ...] = ()
    own: tuple[int, ...] = ()


def read_source(index: IndexReader, request: SimilarRequest | str) -> SimilarSource:
    """Find the requested part of the note, or split the text.

    Raises:
        NotFoundError: there is no such note, or no such heading in it.

    """
    if isinstance(request, str):
        pieces = _pieces(request)
        return SimilarSource(None, pieces, tuple(_beginning(piece) for piece in pieces))
    note = find_note(index, request.path)
    chunks = index.chunks_of(note.id)
    part = _spread(_part(note, chunks, request))
    return SimilarSource(
        note,
        texts=tuple(chunk.text for chunk in part) or (note.title,),
        labels=tuple(" > ".join(chunk.headings) or _beginning(chunk.text) for chunk in part)
        or (note.title,),
        chunk_ids=tuple(chunk.id for chunk in part),
        own=tuple(chunk.id for chunk in chunks),
    )


@frozen
class KeyTerms:
    """The terms with the highest tf-idf in a source; weights 0..1.

    `total_idf` is the sum of their idf by weight; `known` the share of the source, by tf-idf, in
    words that the vault has.
    """

    terms: tuple[QueryTerm, ...]
    total_idf: float
    known: float


def key_terms(index: IndexReader, texts: tuple[str, ...]) -> KeyTerms:
    """The key terms of the texts, among those that the vault has."""
    counts = Counter(token for text in texts for token in tokens(text))
    documents = index.keywords.document_count
    rarities: dict[str, float] = {}
    tf_idf: dict[str, float] = {}
    unknown = 0.0
    for token, count in counts.items():
        documents_with = min(index.keywords.document_frequency(token), documents)
        often = 1.0 + math.log(count)
        if documents_with:
            rarities[token] = idf(documents_with, documents)
            tf_idf[token] = often * rarities[token]
        else:
            unknown += often * idf(0, documents)
    chosen = sorted(tf_idf, key=lambda token: (-tf_idf[token], token))[:KEY_TERMS]
    terms = tuple(QueryTerm(token, tf_idf[token] / tf_idf[chosen[0]]) for token in chosen)
    known = sum(tf_idf.values())
    return KeyTerms(
        terms,
        total_idf=sum(term.weight * rarities[term.token] for term in terms),
        known=known / (known + unknown) if known else 0.0,
    )


def _part(
    note: StoredNote, chunks: Sequence[StoredChunk], request: SimilarRequest
) -> Sequence[StoredChunk]:
    """The chunks under the requested heading or at the requested line; else all."""
    if request.heading is not None:
        wanted = [step.strip().casefold() for step in request.heading.split(" > ")]
        part = [chunk for chunk in chunks if _lies_under(chunk, wanted)]
        if not part:
            headings = dict.fromkeys(heading for chunk in chunks for heading in chunk.headings)
            known = f"It has: {', '.join(headings)}." if headings else "It has none with text."
            raise NotFoundError(f"'{note.path}' has no heading '{request.heading}'. {known}")
        return part
    if request.line is not None and chunks:
        line = request.line
        return [min(chunks, key=lambda chunk: _distance(chunk, line))]
    return chunks


def paragraph_at(
    chunks: Sequence[StoredChunk], line: int | None, longest: int
) -> tuple[str, int | None]:
    """The paragraph of a note on a line, or nearest to it, and its first line.

    Of one with more than `longest` characters it is the lines around that one. Without a line it is
    the first paragraph; of a note without text it is empty, without a line.
    """
    chunk = min(chunks, key=lambda each: _distance(each, line or 1), default=None)
    if chunk is None or not chunk.lines:
        return "", None
    rows = chunk.text.split("\n")[: len(chunk.lines)]
    lines = chunk.lines[: len(rows)]
    first = last = min(range(len(rows)), key=lambda at: abs(lines[at] - (line or 1)))
    size = len(rows[first])
    while size < longest:
        before = first > 0 and lines[first - 1] == lines[first] - 1
        after = last + 1 < len(rows) and lines[last + 1] == lines[last] + 1
        if not before and not after:
            break
        size += before * len(rows[first - 1]) + (len(rows[last + 1]) if after else 0)
        first, last = first - before, last + after
    return "\n".join(rows[first : last + 1]), lines[first]


def _lies_under(chunk: StoredChunk, wanted: list[str]) -> bool:
    """Tell whether the wanted headings, outermost first, are consecutive in the chunk's path."""
    path = [heading.casefold() for heading in chunk.headings]
    places = range(len(path) - len(wanted) + 1)
    return any(path[at : at + len(wanted)] == wanted for at in places)


def _distance(chunk: StoredChunk, line: int) -> int:
    """Number of lines between a chunk and a line; 0 for a line of the chunk."""
    first, last = (chunk.lines[0], chunk.lines[-1]) if chunk.lines else (1, 1)
    return max(first - line, line - last, 0)


def _spread(chunks: Sequence[StoredChunk]) -> Sequence[StoredChunk]:
    """At most MAX_PASSAGES chunks, evenly spaced in a long note."""
    if len(chunks) <= MAX_PASSAGES:
        return chunks
    return [chunks[at * len(chunks) // MAX_PASSAGES] for at in range(MAX_PASSAGES)]


def _beginning(text: str) -> str:
    line = " ".join(text.split())
    if len(line) <= _LABEL_CHARS:
        return line
    return f"{line[:_LABEL_CHARS].rpartition(' ')[0] or line[:_LABEL_CHARS]}…"


def _pieces(text: str) -> tuple[str, ...]:
    """A long text split at spaces into pieces that fit the model's input."""
    pieces: list[str] = []
    while len(text) > _PIECE_CHARS and len(pieces) < MAX_PASSAGES:
        cut = text.rfind(" ", _PIECE_CHARS // 2, _PIECE_CHARS)
        cut = cut if cut > 0 else _PIECE_CHARS
        pieces.append(text[:cut])
        text = text[cut:]
    return tuple(piece for piece in [*pieces, text] if piece.strip())[:MAX_PASSAGES] or ("",)
