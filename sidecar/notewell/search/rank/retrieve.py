"""Retrieves candidates: passages by BM25 and by cosine, whole notes by their words and names."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from notewell.base.types import ChunkHits, FloatArray, IdArray, NoteFieldWeights, VectorHits
from notewell.index.analyze import stem, words
from notewell.index.arrays import among, ascending, highest
from notewell.index.lexical import QueryTerm, no_hits
from notewell.index.note_postings import NoteMatches
from notewell.index.note_terms import FIELD_BITS, NAME_BITS, TEMPLATE_BIT
from notewell.index.port import IndexReader
from notewell.search.facts.name_table import NameTable
from notewell.search.query.note_scope import EVERYWHERE, NO_NOTES, Scope
from notewell.search.query.terms import Terms, function_words
from notewell.search.rank.candidates import (
    SAME,
    Candidates,
    CosineMap,
    by_note,
    mean_cosines,
    merge,
)
from notewell.search.rank.evidence import NoteEvidence
from notewell.search.rank.name_matches import NO_MATCHES, NameMatches, find_names
from notewell.vault.sections import heading_paths

Hits = TypeVar("Hits", bound=ChunkHits)

_MIN_DEPTH = 400  # chunks from each half; fewer would lose notes that both halves find
_DEPTH_PER_NOTE = 5
_BY_WHOLE, _BY_COVERAGE, _BY_HELD = 150, 100, 30  # candidates by their whole text alone
_NAME_AND_KIND = 0.8  # the score of a name where the note says the rest of the query
_ALL_WORDS = 0.98  # of the query, but for rounding


def depth(limit: int) -> int:
    """Number of chunks to fetch from each half of the search for `limit` notes."""
    return max(_MIN_DEPTH, _DEPTH_PER_NOTE * limit)


@dataclass(frozen=True, eq=False)
class KeywordResult:
    """Results of a query's words: passages, all notes with any of them, and notes by name.

    `by_whole` of the matches are ranked whatever their passages are.
    """

    terms: Terms
    chunks: ChunkHits
    matches: NoteMatches
    names: NameMatches
    by_whole: int = _BY_WHOLE

    def candidates(self, owners: IdArray) -> IdArray:
        """Ids of the notes to rank, ascending; `owners` are the notes of the chunks."""
        ids = ascending(np.concatenate((owners, self._found)))
        return ids[ids >= 0]

    def unranked(self, ranked: IdArray) -> tuple[FloatArray, IdArray]:
        """The share of the query that the matches hold that were not ranked, and their ids (n,).

        `ranked` are ids of the notes that were, ascending.
        """
        places = _places(self.matches.note_ids, ranked)
        ranked = places[places >= 0]
        return np.delete(self.matches.held, ranked), np.delete(self.matches.note_ids, ranked)

    @cached_property
    def _found(self) -> IdArray:
        """Ids of the notes that are candidates whatever their passages are."""
        matches = self.matches
        by = (
            (matches.bm25, self.by_whole),
            (matches.coverage, _BY_COVERAGE),
            (matches.held, _BY_HELD),
        )
        best = [_best(scores, count) for scores, count in by]
        matched = [matches.note_ids[places] for places in best]
        return np.concatenate([*matched, self.names.note_ids])


@dataclass(frozen=True, slots=True, eq=False)
class Retrieved:
    """The hits of both halves. `vector` is that of `text` (dimensions,), None without a model.

    `expanded` are the tokens that were added to the query. The notes `also`, by id, are candidates
    too.
    """

    text: str
    keyword: KeywordResult
    vector: FloatArray | None
    semantic: VectorHits
    expanded: tuple[str, ...] = ()
    also: IdArray = field(default_factory=lambda: NO_NOTES)

    @property
    def terms(self) -> Terms:
        return self.keyword.terms


def keyword_hits(
    index: IndexReader, query: Sequence[QueryTerm], *, limit: int, notes: IdArray | None
) -> ChunkHits:
    """The `limit` chunks with the best BM25; only chunks of `notes` unless that is None."""
    if not query:
        return no_hits()
    return index.keywords.search(query, limit=limit, notes=notes)


def search_keywords(
    index: IndexReader,
    text: str,
    terms: Terms,
    scope: Scope,
    *,
    limit: int,
    weights: NoteFieldWeights,
    names: NameTable,
    typing: bool = False,
) -> KeywordResult:
    """Search for the terms of `text`, and for notes that it names."""
    others = {word: forms for word, forms in terms.alternatives.items() if word not in terms.begun}
    unknown = terms.unknown | terms.begun
    named = find_names(names, text, alternatives=others, unknown=unknown, typing=typing)
    return search_terms(index, terms, terms.query, scope, limit=limit, weights=weights, names=named)


def only_terms(index: IndexReader, terms: Terms, weights: NoteFieldWeights) -> KeywordResult:
    """The terms without anything that they find, for a search by meaning alone."""
    return search_terms(index, terms, (), EVERYWHERE, limit=0, weights=weights, names=NO_MATCHES)


def search_terms(
    index: IndexReader,
    terms: Terms,
    query: Sequence[QueryTerm],
    scope: Scope,
    *,
    limit: int,
    weights: NoteFieldWeights,
    names: NameMatches,
) -> KeywordResult:
    """Search for `query`, the weighted terms (and expansions) made from `terms`.

    `limit` is the number of passages, `depth` of that of notes.
    """
    chunks = keyword_hits(index, query, limit=limit, notes=scope.notes)
    chunks = exclude_hits(index, chunks, scope.excluded)
    matches = index.keywords.match_notes(query, weights=weights, notes=scope.notes)
    if terms.alternatives:
        matches = _with_coverage(index, terms, matches)
    if len(scope.excluded):
        matches = matches.at(scope.among(matches.note_ids))
    names = _only_names(names, scope.among(names.note_ids))
    by_whole = max(_BY_WHOLE, limit // _DEPTH_PER_NOTE)  # as many as may be listed
    return KeywordResult(terms, chunks, matches, names, by_whole)


def _with_coverage(index: IndexReader, terms: Terms, matches: NoteMatches) -> NoteMatches:
    """The matches with the coverage of a query in which words stand for others.

    The alternatives for a word count as one word: the weightiest that a note has. Words that begin
    with an unfinished one are as good as it for `held`.
    """
    columns = {term.token: at for at, term in enumerate(terms.query)}
    masks = index.keywords.fields_of(terms.query, matches.note_ids).masks
    anywhere = masks != 0
    own = anywhere & (masks != TEMPLATE_BIT)
    own |= anywhere & ~own.any(axis=0)  # a word that only template lines have counts in them
    worth = {token: terms.weights[token] * terms.idf[token] for token in columns}
    total, covered, held = terms.total_idf(known=True), *np.zeros((2, len(masks)))
    grouped: set[str] = set()
    for word, group in terms.alternatives.items():
        members = [token for token in group if token in columns and token not in grouped]
        grouped.update(members)
        values = np.array([worth[token] for token in members])
        places = [columns[token] for token in members]
        most = float(values.max(initial=0.0))
        covered += (own[:, places] * values).max(axis=1, initial=0.0)
        as_held = np.full_like(values, most) if word in terms.begun else values
        held += (anywhere[:, places] * as_held).max(axis=1, initial=0.0)
    rest = [token for token in columns if token not in grouped and token not in terms.offered]
    values, places = np.array([worth[token] for token in rest]), [columns[token] for token in rest]
    covered += own[:, places] @ values
    held += anywhere[:, places] @ values
    return replace(
        matches,
        coverage=np.minimum(covered / (total or 1.0), 1.0).astype(np.float32),
        held=np.minimum(held / (total or 1.0), 1.0).astype(np.float32),
    )


def collect(
    index: IndexReader,
    keyword: KeywordResult,
    semantic: ChunkHits,
    also: IdArray = NO_NOTES,
    cosines: CosineMap = SAME,
) -> tuple[Candidates, NoteEvidence]:
    """The candidate chunks of both halves, and the evidence of all candidate notes and `also`.

    `cosines` maps the model's cosines to the reference scale.
    """
    chunks = merge_hits(index, keyword.chunks, semantic)
    ids = keyword.candidates(np.concatenate((chunks.note_ids, also)))
    best = by_note(chunks)
    passages = np.searchsorted(ids, best.ids)
    bm25, cosine = np.full(len(ids), np.nan, np.float32), np.full(len(ids), np.nan, np.float32)
    bm25[passages], cosine[passages] = best.bm25, best.cosine
    mean_cosine = np.full(len(ids), np.nan, np.float32)
    mean_cosine[passages] = mean_cosines(chunks)
    matches, names = keyword.matches, keyword.names
    whole, named = _places(matches.note_ids, ids), _places(names.note_ids, ids)
    coverage = _take(matches.coverage, whole)
    whole_names = _take(names.whole.astype(np.float32), named) > 0
    return chunks, NoteEvidence(
        ids=ids,
        passage_bm25=bm25,
        cosine=cosine,
        mean_cosine=mean_cosine,
        whole_bm25=_take(matches.bm25, whole),
        coverage=coverage,
        held=_take(matches.held, whole),
        lengths=_take(matches.lengths.astype(np.float32), whole),
        names=_with_kinds(_take(names.scores, named), whole_names, coverage, keyword.terms),
        exact=_take(names.exact.astype(np.float32), named) > 0,
        begun=_take(names.begun, named),
        said=_take(names.said.astype(np.float32), named) > 0,
        described=_find_described(index, keyword, whole),
        cosines=cosines,
    )


def _with_kinds(
    names: FloatArray, whole: npt.NDArray[np.bool_], coverage: FloatArray, terms: Terms
) -> FloatArray:
    """The scores of names, of a name and the kind of thing that its note says it is.

    Things are asked for with a word for their kind ("PARA method"): where the query has the `whole`
    name (n,) and the note has all its other words, as its folder, its tags, its type or its text
    may, the name says nearly the whole query. Not if the vault lacks words of it.
    """
    if terms.unknown:
        return names
    named: FloatArray = np.where(whole & (coverage >= _ALL_WORDS), np.float32(_NAME_AND_KIND), 0.0)
    return np.maximum(names, named).astype(np.float32)


def _find_described(index: IndexReader, keyword: KeywordResult, whole: IdArray) -> FloatArray:
    """See `described`, of the notes at these places of the matches; 0 at -1."""
    known = np.flatnonzero(whole >= 0)
    described = np.zeros(len(whole), np.float32)
    described[known] = measure_described(index, keyword.terms, keyword.matches.at(whole[known]))
    return described


def _places(among: IdArray, ids: IdArray) -> IdArray:
    """The place of each id in `among` (ascending), or -1."""
    if not len(among):
        return np.full(len(ids), -1, np.int64)
    places = np.minimum(np.searchsorted(among, ids), len(among) - 1)
    return np.where(among[places] == ids, places, -1)


def _take(values: FloatArray, places: IdArray) -> FloatArray:
    """The values at these places; 0 at -1."""
    taken = np.zeros(len(places), np.float32)
    known = places >= 0
    taken[known] = values[places[known]]
    return taken


def _best(scores: FloatArray, count: int) -> IdArray:
    """Indices of the best scores; of equal ones at the end, the first."""
    if len(scores) <= count:
        return np.arange(len(scores))
    cut = highest(scores, count)
    above, equal = np.flatnonzero(scores > cut), np.flatnonzero(scores == cut)
    return np.concatenate((above, equal[: count - len(above)]))


def _only_names(names: NameMatches, kept: IdArray) -> NameMatches:
    if len(kept) == len(names.note_ids):
        return names
    return names.at(kept)


def notes_headed_by(index: IndexReader, text: str, notes: IdArray) -> IdArray:
    """Those of `notes`, by id, of which a heading has the content words of a text and no others."""
    wanted = _content(text)
    return np.array(
        [
            note_id
            for note_id in notes.tolist()
            if any(
                _content(path[-1]) == wanted
                for chunk in index.chunks_of(note_id)
                for path in heading_paths(chunk)
                if path
            )
        ],
        np.int64,
    )


def _content(text: str) -> list[str]:
    ordered = words(text)
    light = function_words(ordered)
    return [stem(word) for word in ordered if word not in light]


def semantic_hits(
    index: IndexReader,
    vector: FloatArray | None,
    *,
    limit: int,
    notes: IdArray | None,
    also: IdArray | None = None,
) -> VectorHits:
    """The `limit` chunks nearest to the query's unit vector, and all of the notes `also`."""
    if vector is None:
        return VectorHits(np.empty(0, np.int64), np.empty(0, np.float32))
    return index.vectors.search(vector, limit=limit, notes=notes, also=also)


def semantic_candidates(
    index: IndexReader,
    vector: FloatArray | None,
    keyword: KeywordResult,
    scope: Scope,
    *,
    limit: int,
) -> VectorHits:
    """The nearest chunks, and those of every note that its words or its name found."""
    also = keyword.candidates(index.note_ids_of(keyword.chunks.chunk_ids))
    hits = semantic_hits(index, vector, limit=limit, notes=scope.notes, also=also)
    return exclude_hits(index, hits, scope.excluded)


def exclude_hits(index: IndexReader, hits: Hits, note_ids: IdArray) -> Hits:
    """The hits outside these notes, given by ascending ids.

    For few notes this is cheaper than a filter of the index.
    """
    if not len(note_ids):
        return hits
    kept = ~among(index.note_ids_of(hits.chunk_ids), note_ids)
    return replace(hits, chunk_ids=hits.chunk_ids[kept], scores=hits.scores[kept])


def merge_hits(index: IndexReader, keyword: ChunkHits, semantic: ChunkHits) -> Candidates:
    """Candidate chunks found by either half."""
    ids, bm25, cosine = merge(keyword, semantic)
    note_ids = index.note_ids_of(ids)
    exists = note_ids >= 0  # a chunk may be deleted between the search and this look-up
    if exists.all():
        return Candidates(ids, note_ids, bm25, cosine)
    return Candidates(ids[exists], note_ids[exists], bm25[exists], cosine[exists])


def retrieve(
    index: IndexReader,
    query: Sequence[QueryTerm],
    vector: FloatArray | None,
    *,
    limit: int,
    notes: IdArray | None,
) -> Candidates:
    """Candidate chunks of both halves, one after the other; `limit` is chunks per half."""
    keyword = keyword_hits(index, query, limit=limit, notes=notes)
    return merge_hits(index, keyword, semantic_hits(index, vector, limit=limit, notes=notes))


_DESCRIBING = np.uint16(
    sum(
        FIELD_BITS[name]
        for name in ("headings", "tags", "properties", "description", "author", "topics")
    )
)
# A single word is in too many headings and properties to tell notes apart by that; of a long query
# they never say much.
_LEAST_WORDS, _MOST_WORDS = 2, 8


def measure_described(index: IndexReader, terms: Terms, matches: NoteMatches) -> FloatArray:
    """Share of the query that the notes say with their describing fields beyond their names.

    An array (n,) between 0 and 1, aligned with `matches`: the squared share of the query, by idf,
    in names and describing fields together, less the squared share in the names.
    """
    more = np.zeros(len(matches.note_ids), np.float32)
    described = np.flatnonzero(matches.fields & _DESCRIBING)
    total = terms.total_idf(known=False)
    if not _LEAST_WORDS <= terms.word_count <= _MOST_WORDS or total <= 0.0 or not len(described):
        return more
    query = terms.query
    masks = index.keywords.fields_of(query, matches.note_ids[described]).masks
    worth = np.array([term.weight * terms.idf[term.token] for term in query]) / total
    named = np.minimum(((masks & NAME_BITS) != 0) @ worth, 1.0)
    said = np.minimum(((masks & (NAME_BITS | _DESCRIBING)) != 0) @ worth, 1.0)
    more[described] = said**2 - named**2
    return more
