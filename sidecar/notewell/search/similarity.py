"""How alike a source and the notes of a vault are, where what many notes say counts little.

Notes made from one template are near each other through what the template says, and notes of one
field through its commonplaces. So each passage of the source is compared without what it has in
common with its surroundings: a share of the mean of the passages of other notes nearest to it is
taken out, of it and of what it is compared with (after Hara et al. 2015, "Localized Centering:
Reducing Hubness in Large-Sample Data"). A passage that recurs in many notes counts little beside
the others of its note.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from notewell.contract.search import SimilarRequest
from notewell.errors import NotFoundError
from notewell.index.analyze import tokens
from notewell.index.lexical import QueryTerm, idf
from notewell.index.port import IndexReader
from notewell.search.candidates import Candidates
from notewell.search.names import find_note
from notewell.types import ChunkHits, FloatArray, IdArray, StoredChunk, StoredNote

KEY_TERMS = 25
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
    chosen = sorted(worth, key=lambda token: (-worth[token], token))[:KEY_TERMS]
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


NEIGHBOURS = 50  # the surroundings of a passage
# The share of their mean that is taken out: the larger, the nearer the surroundings are, from this
# least up to all of it, at these mean cosines. Chosen on the links of two vaults (docs/search.md).
LEAST_SHARE = 0.6
SHARE_GROWS, SHARE_FULL = 0.5, 0.8
MAX_PASSAGES = 16  # of a source; more change nothing that matters
_LEAST_DEPTH = 200  # passages looked at for each one of the source
_LEAST_WEIGHT = np.float32(0.02)  # of a passage that every neighbour repeats
_TINY = np.float32(1e-6)


@dataclass(frozen=True, slots=True, eq=False)
class Source:
    """Passages to compare with: `vectors` and what they have in `common`, both (n, dimensions).

    `weights` (n,), 0..1: how unusual each is.
    """

    vectors: FloatArray
    common: FloatArray
    weights: FloatArray


@dataclass(frozen=True, slots=True, eq=False)
class SimilarCandidates:
    """What is like a source. `chunks` and `notes` have the cosines; the rest aligns with `chunks`.

    `nearest`: which passage of the source each is like; `plain`: their cosine, nothing taken out.
    """

    chunks: Candidates
    notes: Candidates
    nearest: IdArray
    plain: FloatArray


def center(index: IndexReader, vectors: FloatArray, own: IdArray) -> Source:
    """A source of unit vectors (n, dimensions), with what stands around each in other notes.

    `own` are the chunks of the note it comes from.
    """
    around = [_around(index, vector, own) for vector in vectors]
    chunk_ids = np.unique(np.concatenate([hits.chunk_ids for hits in around]))
    there, rows = index.vectors.of_chunks(chunk_ids)
    common = np.zeros_like(vectors)
    usual = np.zeros(len(vectors), np.float32)
    for place, hits in enumerate(around):
        # Divided by all that were looked for: a small vault does not tell what is common.
        usual[place] = hits.scores.sum() / np.float32(NEIGHBOURS)
        share = np.float32(_share(float(usual[place])))
        mine = rows[np.isin(there, hits.chunk_ids)]
        common[place] = share * mine.sum(axis=0) / np.float32(NEIGHBOURS)
    return Source(vectors, common, np.maximum(np.float32(1.0) - usual, _LEAST_WEIGHT))


def _around(index: IndexReader, vector: FloatArray, own: IdArray) -> ChunkHits:
    """The passages of other notes that are nearest to one."""
    hits = index.vectors.search(vector, limit=NEIGHBOURS + len(own))
    others = np.flatnonzero(~np.isin(hits.chunk_ids, own))[:NEIGHBOURS]
    return ChunkHits(hits.chunk_ids[others], hits.scores[others])


def _share(usual: float) -> float:
    """How much of its surroundings is taken out of a passage, by their mean cosine with it."""
    grown = (usual - SHARE_GROWS) / (SHARE_FULL - SHARE_GROWS)
    return LEAST_SHARE + (1.0 - LEAST_SHARE) * min(1.0, max(0.0, grown))


def alike(
    index: IndexReader, source: Source, *, limit: int, near: IdArray | None = None
) -> SimilarCandidates:
    """Passages and notes like the source, with those of the notes `near` among them.

    A note has the weighted mean, over the source's passages, of its best cosine with each.
    """
    ids, rows = index.vectors.of_chunks(_found(index, source, limit, near))
    owners = index.note_ids_of(ids)
    there = owners >= 0  # a chunk may go between the search and this look-up
    ids, owners, rows = ids[there], owners[there], rows[there]
    cosines = compare(source, rows)
    nearest = (cosines * source.weights[:, np.newaxis]).argmax(axis=0)
    best = cosines.max(axis=0)
    plain = np.vecdot(source.vectors[nearest], rows)
    notes, scores = _by_note(owners, cosines, source.weights)
    return SimilarCandidates(
        chunks=_candidates(ids, owners, best),
        notes=_candidates(notes, notes, scores),
        nearest=nearest,
        plain=plain,
    )


def compare(source: Source, rows: FloatArray) -> FloatArray:
    """Cosines, without what is common, of the source's passages and `rows`: (n, len(rows))."""
    vectors, common = source.vectors, source.common
    squares = np.vecdot(common, common)[:, np.newaxis]
    shadows = common @ rows.T
    products = vectors @ rows.T - shadows - np.vecdot(vectors, common)[:, np.newaxis] + squares
    theirs = np.sqrt(np.maximum(np.float32(1.0) - 2 * shadows + squares, _TINY))
    ours = np.linalg.norm(vectors - common, axis=1, keepdims=True)
    cosines: FloatArray = products / (theirs * np.maximum(ours, _TINY))
    return cosines


def _found(index: IndexReader, source: Source, limit: int, near: IdArray | None) -> IdArray:
    """Chunks worth comparing, ascending: those in the direction that is each passage's own."""
    depth = max(_LEAST_DEPTH, limit)
    own = source.vectors - source.common
    own /= np.maximum(np.linalg.norm(own, axis=1, keepdims=True), _TINY)
    found = [index.vectors.search(vector, limit=depth).chunk_ids for vector in own]
    if near is not None and len(near):
        found += [index.vectors.search(vector, limit=depth, notes=near).chunk_ids for vector in own]
    return np.unique(np.concatenate(found)) if found else np.empty(0, np.int64)


def _by_note(
    owners: IdArray, cosines: FloatArray, weights: FloatArray
) -> tuple[IdArray, FloatArray]:
    if not len(owners):
        return owners, np.empty(0, np.float32)
    order = np.argsort(owners, kind="stable")
    notes, starts = np.unique(owners[order], return_index=True)
    best = np.maximum.reduceat(cosines[:, order], starts, axis=1)
    scores: FloatArray = (weights @ best / weights.sum()).astype(np.float32)
    return notes, scores


def _candidates(ids: IdArray, note_ids: IdArray, cosines: FloatArray) -> Candidates:
    unknown = np.full(len(ids), np.nan, np.float32)
    return Candidates(ids, note_ids, unknown, cosines)
