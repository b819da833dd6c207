"""Similarity of a source (a note, a part of it, or a text) and notes.

Notes made from one template have similar vectors because of the template, and notes of one field
because of its common phrases. So each passage of the source is compared without what it has in
common with its neighbours: a share of the mean of the nearest passages of other notes is
subtracted from it and from what it is compared with (after Hara et al. 2015, "Localized Centering:
Reducing Hubness in Large-Sample Data"). A passage that recurs in many notes has little weight.

All constants are for cosines of the reference model. The texts of other models have a large part in
common, whatever they say, so products of vectors are mapped to the reference scale (candidates.py):
a product of two sums of passages by `scale * product + shift * n * m`, where n and m are the
numbers of passages in the sums. This takes the common part out of every passage and every mean.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import TypeVar

import numpy as np

from notewell.base.errors import NotFoundError
from notewell.base.types import ChunkHits, Direction, FloatArray, IdArray, StoredChunk, StoredNote
from notewell.base.types.frozen import frozen
from notewell.contract.search import Reason, Result, SimilarRequest
from notewell.index.analyze import tokens
from notewell.index.arrays import ascending
from notewell.index.lexical import QueryTerm, idf
from notewell.index.port import IndexReader
from notewell.search.query.find_note import find_note
from notewell.search.rank.candidates import SAME, Candidates, CosineMap
from notewell.search.rank.gars import linked, step
from notewell.search.rank.ranking import RankedNote
from notewell.search.show.duplicates import is_duplicate, runs_of

NEIGHBOURS = 50  # nearest passages of other notes that tell what a passage has in common
# In a small vault fewer: this share of its passages. More would be most of the vault, and what
# they have in common no template, as in fifty of the two hundred passages of a personal vault.
_NEIGHBOUR_SHARE, _LEAST_NEIGHBOURS = 0.075, 10
# The share that the mean over the other note's passages has in a score. A long note always has some
# passage that is like one of the source.
_THEIR_SHARE = np.float32(0.2)
# The share of their mean that is subtracted: it grows from MIN_SHARE to 1 between two mean cosines
# of the neighbours. Chosen on the links of two vaults (docs/search.md).
MIN_SHARE = 0.6
SHARE_GROWS, SHARE_FULL = 0.5, 0.8
MAX_PASSAGES = 16  # of a source; more do not change the result noticeably
_MIN_DEPTH = 200  # candidates per passage of the source
_MIN_WEIGHT = np.float32(0.02)  # of a passage that all neighbours repeat
_TINY = np.float32(1e-6)
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
        found = min(index.keywords.document_frequency(token), documents)
        often = 1.0 + math.log(count)
        if found:
            rarities[token] = idf(found, documents)
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
        found = [chunk for chunk in chunks if _lies_under(chunk, wanted)]
        if not found:
            headings = dict.fromkeys(heading for chunk in chunks for heading in chunk.headings)
            known = f"It has: {', '.join(headings)}." if headings else "It has none with text."
            raise NotFoundError(f"'{note.path}' has no heading '{request.heading}'. {known}")
        return found
    if request.line is not None and chunks:
        line = request.line
        return [min(chunks, key=lambda chunk: _distance(chunk, line))]
    return chunks


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


@dataclass(frozen=True, slots=True, eq=False)
class CenteredPassages:
    """Passages of a source: `vectors` and the `common` part to subtract, both (n, dimensions).

    `weights` (n,), 0..1: how unusual each passage is. `kept` (n,): what the difference of a passage
    and its common part keeps of what all texts have in common; 1 where nothing is subtracted.
    `cosines` maps the model's cosines to the reference scale.
    """

    vectors: FloatArray
    common: FloatArray
    weights: FloatArray
    kept: FloatArray
    cosines: CosineMap = SAME


@dataclass(frozen=True, slots=True, eq=False)
class SimilarCandidates:
    """Candidates similar to a source, with their centered cosines.

    Aligned with `chunks`: `nearest`, the index of the most similar passage of the source, and
    `plain`, the plain cosine with it, on the reference scale.
    """

    chunks: Candidates
    notes: Candidates
    nearest: IdArray
    plain: FloatArray

    def best_plain(self, ids: IdArray) -> FloatArray:
        """The best plain cosine of the chunks of each note (n,); `ids` are ascending."""
        owners, plain = self.chunks.note_ids, self.plain
        kept = np.isin(owners, ids)
        best = np.zeros(len(ids), np.float32)
        np.maximum.at(best, np.searchsorted(ids, owners[kept]), plain[kept])
        return best


def center(
    index: IndexReader, vectors: FloatArray, own: IdArray, cosines: CosineMap = SAME
) -> CenteredPassages:
    """Passages by their unit vectors (n, dimensions), with the part common to other notes.

    `own` are the ids of all chunks of the source note; `cosines` maps the model's to the reference.
    """
    count = neighbour_count(index.vectors.count)
    around = [_neighbours(index, vector, own, count) for vector in vectors]
    chunk_ids = ascending(np.concatenate([hits.chunk_ids for hits in around]))
    known, rows = index.vectors.of_chunks(chunk_ids)
    common = np.zeros_like(vectors)
    usual, kept = np.zeros((2, len(vectors)), np.float32)
    for place, hits in enumerate(around):
        # Divided by the wanted number, not theirs: few passages do not show what is common.
        usual[place] = cosines.mapped(hits.scores).sum() / np.float32(count)
        share = np.float32(_share(float(usual[place])))
        mine = rows[np.isin(known, hits.chunk_ids)]
        common[place] = share * mine.sum(axis=0) / np.float32(count)
        kept[place] = np.float32(1.0) - share * len(mine) / np.float32(count)
    weights = np.maximum(np.float32(1.0) - usual, _MIN_WEIGHT)
    return CenteredPassages(vectors, common, weights, kept, cosines)


def neighbour_count(passages: int) -> int:
    """The number of neighbours of a passage in a vault of so many."""
    return min(NEIGHBOURS, max(_LEAST_NEIGHBOURS, round(_NEIGHBOUR_SHARE * passages)))


def _neighbours(index: IndexReader, vector: FloatArray, own: IdArray, count: int) -> ChunkHits:
    """The `count` passages of other notes nearest to a vector."""
    hits = index.vectors.search(vector, limit=count + len(own))
    others = np.flatnonzero(~np.isin(hits.chunk_ids, own))[:count]
    return ChunkHits(hits.chunk_ids[others], hits.scores[others])


def _share(usual: float) -> float:
    """The share of the neighbours' mean to subtract, by their mean cosine with the passage."""
    grown = (usual - SHARE_GROWS) / (SHARE_FULL - SHARE_GROWS)
    return MIN_SHARE + (1.0 - MIN_SHARE) * min(1.0, max(0.0, grown))


def find_similar(
    index: IndexReader, source: CenteredPassages, *, limit: int, linked: IdArray | None = None
) -> SimilarCandidates:
    """Passages and notes similar to the source; passages of the notes `linked` are included.

    The score of a note is the weighted mean, over the passages of the source, of its best cosine,
    and for a fifth the mean over its own passages of theirs.
    """
    ids, rows = index.vectors.of_chunks(_found(index, source, limit, linked))
    owners = index.note_ids_of(ids)
    exists = owners >= 0  # a chunk may be deleted between the search and this look-up
    ids, owners, rows = ids[exists], owners[exists], rows[exists]
    cosines = compare(source, rows)
    nearest = (cosines * source.weights[:, np.newaxis]).argmax(axis=0)
    best = cosines.max(axis=0)
    plain = source.cosines.mapped(np.vecdot(source.vectors[nearest], rows))
    notes, scores = _by_note(owners, cosines, source.weights)
    return SimilarCandidates(
        chunks=_candidates(ids, owners, best),
        notes=_candidates(notes, notes, scores),
        nearest=nearest,
        plain=plain,
    )


def compare(source: CenteredPassages, rows: FloatArray) -> FloatArray:
    """Centered cosines of the source's passages (n,) with `rows` (m, dimensions): (n, m)."""
    vectors, common = source.vectors, source.common
    squares = np.vecdot(common, common)[:, np.newaxis]
    projections = common @ rows.T
    products = vectors @ rows.T - projections - np.vecdot(vectors, common)[:, np.newaxis] + squares
    theirs = np.float32(1.0) - 2 * projections + squares
    ours = np.vecdot(vectors - common, vectors - common)[:, np.newaxis]
    scale = np.float32(source.cosines.scale)
    shift = np.float32(source.cosines.shift) * source.kept[:, np.newaxis] ** 2
    lengths = np.maximum(scale * theirs + shift, _TINY) * np.maximum(scale * ours + shift, _TINY)
    cosines: FloatArray = (scale * products + shift) / np.sqrt(lengths)
    return cosines


def _found(
    index: IndexReader, source: CenteredPassages, limit: int, linked: IdArray | None
) -> IdArray:
    """Ids of chunks to compare, ascending: those nearest to each centered passage."""
    depth = max(_MIN_DEPTH, limit)
    own = source.vectors - source.common
    own /= np.maximum(np.linalg.norm(own, axis=1, keepdims=True), _TINY)
    found = [index.vectors.search(vector, limit=depth).chunk_ids for vector in own]
    if linked is not None and len(linked):
        found += [
            index.vectors.search(vector, limit=depth, notes=linked).chunk_ids for vector in own
        ]
    return ascending(np.concatenate(found)) if found else np.empty(0, np.int64)


def _by_note(
    owners: IdArray, cosines: FloatArray, weights: FloatArray
) -> tuple[IdArray, FloatArray]:
    if not len(owners):
        return owners, np.empty(0, np.float32)
    order = np.argsort(owners, kind="stable")
    notes, starts = np.unique(owners[order], return_index=True)
    best = np.maximum.reduceat(cosines[:, order], starts, axis=1)
    of_source = weights @ best / weights.sum()
    counts = np.diff(np.append(starts, len(order)))
    of_others = np.add.reduceat(cosines.max(axis=0)[order], starts) / counts
    mixed = (np.float32(1.0) - _THEIR_SHARE) * of_source + _THEIR_SHARE * of_others
    return notes, mixed.astype(np.float32)


def _candidates(ids: IdArray, note_ids: IdArray, cosines: FloatArray) -> Candidates:
    unknown = np.full(len(ids), np.nan, np.float32)
    return Candidates(ids, note_ids, unknown, cosines)


T = TypeVar("T", int, str)

MAX_HOPS = 2  # longer paths mostly lead through hubs that link to everything
_NAMED = 3  # shared notes or tags that a reason lists
# Links and tags of more than one in so many notes (and more than _MIN_COMMON) give no reason.
_COMMON_SHARE, _MIN_COMMON = 10, 8
# Minimum plain and centered cosine of two passages that are named as similar; a template alone
# reaches the first.
_MIN_PLAIN, _MIN_CENTERED = 0.5, 0.2
_MIN_DUPLICATE_SCORE = 0.9  # from which the texts of a note and the source are compared


def link_proximity(
    index: IndexReader, note_id: int, *, direction: Direction, decay: float, hops: int = MAX_HOPS
) -> dict[int, float]:
    """Notes within `hops` links, by id: 1.0 after one link, times `decay` for each further one."""
    found: dict[int, float] = {}
    ring, proximity = {note_id}, 1.0
    for _ in range(hops):
        ring = {other for note in ring for other in step(index, note, direction)}
        ring -= found.keys() | {note_id}
        found |= dict.fromkeys(ring, proximity)
        proximity *= decay
    return found


@frozen
class SharedContext:
    """The tags and linked notes of a note that others may share."""

    note_id: int
    tags: Mapping[str, str]  # case-folded tag -> tag as written, rarest first
    links: Collection[int]  # note ids, rarest first

    @classmethod
    def of(cls, index: IndexReader, note: StoredNote) -> SharedContext:
        """Collect the tags and links of a note, without those that many notes have."""
        notes = index.all_notes()
        most = max(_MIN_COMMON, len(notes) // _COMMON_SHARE)
        own = {tag.casefold(): tag for tag in note.tags}
        found: Counter[str] = Counter()
        if own:
            written = Counter(chain.from_iterable([each.tags for each in notes]))
            for tag, count in written.items():
                if tag.casefold() in own:
                    found[tag.casefold()] += count
        around = step(index, note.id, "both")
        degrees = {other: len(step(index, other, "both")) for other in around}
        return cls(
            note_id=note.id,
            tags={tag: own[tag] for tag in _rarest(found, most)},
            links=_rarest(degrees, most),
        )

    def reasons(self, index: IndexReader, other: StoredNote) -> tuple[Reason, ...]:
        """Reasons by links and tags that the note shares with another."""
        reasons = []
        around = step(index, other.id, "both")
        shared = [note for note in self.links if note in around and note != other.id]
        if shared:
            titles = index.notes(shared[:_NAMED])
            names = [titles[note].title for note in shared[:_NAMED] if note in titles]
            reasons.append(Reason("links", _listed(names, len(shared))))
        theirs = {tag.casefold() for tag in other.tags}
        tags = [f"#{written}" for tag, written in self.tags.items() if tag in theirs]
        if tags:
            reasons.append(Reason("tags", _listed(tags[:_NAMED], len(tags))))
        return tuple(reasons)


def _rarest(counts: Mapping[T, int], most: int) -> list[T]:
    kept = [each for each in counts if counts[each] <= most]
    return sorted(kept, key=lambda each: (counts[each], each))


def _listed(names: list[str], count: int) -> str:
    further = count - len(names)
    return ", ".join(names) + (f" and {further} more" if further else "")


class Reasons:
    """Adds reasons to the results of one request."""

    def __init__(
        self, index: IndexReader, source: SimilarSource, similar: SimilarCandidates | None
    ) -> None:
        """`similar` is None if the notes were found by key terms."""
        self._index = index
        self._source = source
        self._similar = similar
        note = source.note
        self._context = SharedContext.of(index, note) if note is not None else None
        self._runs = runs_of(source.texts)

    def added_to(
        self,
        results: Sequence[Result],
        ranked: Sequence[RankedNote],
        duplicate_of: Mapping[int, int],
    ) -> tuple[Result, ...]:
        """The results with reasons, links to the source, and paths of near-duplicates.

        `ranked` are the notes of the results; `duplicate_of` maps ids of near-duplicates to the
        note that they repeat.
        """
        places = {note.note_id: note for note in ranked}
        notes = self._index.notes([*places, *duplicate_of])
        by_path = {note.path: note for note in notes.values()}
        annotated = []
        for result in results:
            note = by_path[result.path]
            same = [
                other for other, one in duplicate_of.items() if one == note.id and other in notes
            ]
            annotated.append(
                replace(
                    result,
                    reasons=tuple(self._reasons(note, places[note.id])),
                    linked=self._linked(note),
                    duplicates=tuple(notes[other].path for other in same),
                )
            )
        return tuple(annotated)

    def _linked(self, note: StoredNote) -> Direction | None:
        source = self._source.note
        return linked(self._index, source.id, note.id) if source is not None else None

    def _reasons(self, note: StoredNote, ranked: RankedNote) -> Iterator[Reason]:
        yield from self._same(note, ranked)
        yield from self._passage(ranked)
        if self._context is not None:
            yield from self._context.reasons(self._index, note)

    def _same(self, note: StoredNote, ranked: RankedNote) -> Iterator[Reason]:
        """A reason if the note has nearly the same text as the source."""
        if ranked.score < _MIN_DUPLICATE_SCORE:
            return
        theirs = runs_of(chunk.text for chunk in self._index.chunks_of(note.id))
        if is_duplicate(self._runs, theirs):
            source = self._source.note
            name = f"'{source.title}'" if source is not None else "the given text"
            yield Reason("duplicate", f"nearly the same text as {name}")

    def _passage(self, ranked: RankedNote) -> Iterator[Reason]:
        """The passage of the source that the note's best passage is most similar to."""
        if self._similar is None or not ranked.passages:
            return
        chunks = self._similar.chunks
        place = int(np.searchsorted(chunks.ids, ranked.passages[0][0]))
        if self._similar.plain[place] >= _MIN_PLAIN and chunks.cosine[place] >= _MIN_CENTERED:
            yield Reason("passage", self._source.labels[int(self._similar.nearest[place])])
