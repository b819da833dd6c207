"""An inverted index over whole notes, in arrays: which notes hold a stem, how often and where.

`NoteTable` is what is searched: some segments (notewell.index.note_terms), and which of their
notes still stand as they are there. Every engine searches with this module; the embedded one keeps
the first segment in a file.

Scores are BM25F with one length for the whole note (Robertson, Zaragoza and Taylor 2004, "Simple
BM25 extension to multiple weighted fields"): the frequencies of a stem in the fields are weighted
and added, and then saturate once. Document frequencies and the mean length are those of living
notes alone, so scores do not depend on how the table came about.

`NoteMatching` is the part of a keyword index that only needs this table.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial

import numpy as np
import numpy.typing as npt

from notewell.base.types import FloatArray, IdArray, NoteFieldWeights
from notewell.index.analyze import stemmer
from notewell.index.lexical import K1, B, QueryTerm, idf
from notewell.index.note_segments import (
    Column,
    Segment,
    SegmentPart,
    found_among,
    merge_parts,
    tidy_parts,
)
from notewell.index.note_terms import (
    BODY_BIT,
    NOTE_FIELDS,
    TEMPLATE_BIT,
    hash_of_token,
    hashed_terms,
)

_MASKS = 1 << 16
# A stem in more than this share of a segment's notes, and in so many, is searched as a column.
_COMMON, _COMMON_LEAST = 4, 256
_COMMON_STEMS = 32  # cached of a table: the words of everyday language, 2 MB each of 250,000 notes


@dataclass(frozen=True, slots=True, eq=False)
class NoteMatches:
    """The notes that hold at least one of the terms: ascending ids, and aligned arrays (n,).

    `coverage`: which share (0..1) of the terms, by weight times idf, the note holds in any field.
    `held`: that share with the words of template lines, which do not count otherwise. `lengths`:
    tokens of the note. `fields`: the union of the masks of its terms
    (`notewell.index.note_terms`).
    """

    note_ids: IdArray
    bm25: FloatArray
    coverage: FloatArray
    held: FloatArray
    lengths: IdArray
    fields: npt.NDArray[np.uint16]

    def at(self, places: IdArray | npt.NDArray[np.bool_]) -> NoteMatches:
        return NoteMatches(
            self.note_ids[places],
            self.bm25[places],
            self.coverage[places],
            self.held[places],
            self.lengths[places],
            self.fields[places],
        )


@dataclass(frozen=True, slots=True, eq=False)
class TermFields:
    """The places of terms in notes: arrays (notes, terms), zero where a note lacks the term.

    `masks`: the fields that hold it; `frequencies`: how often the body does (255 at most).
    """

    masks: npt.NDArray[np.uint16]
    frequencies: npt.NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class _Query:
    """A query: stems with their weights, and fields with theirs.

    `pairs`: of each part of the table, where those of each stem are. `idf_weights`: of each stem,
    its weight times its idf; `total`: their sum, to which stems that no note holds may add.
    `template`: of each stem, whether it stands in template lines alone, so that these count.
    `other_weights`: for each mask, the sum of the weights of its fields other than the body.
    """

    pairs: Sequence[Sequence[slice]]
    idf_weights: npt.NDArray[np.float64]
    template: npt.NDArray[np.bool_]
    total: float
    body_weight: float
    other_weights: FloatArray

    def weighted(
        self, masks: npt.NDArray[np.uint16], often: npt.NDArray[np.uint8] | FloatArray
    ) -> FloatArray:
        """The weighted frequencies of stems, given their fields and how often bodies have them."""
        frequencies = self.other_weights.take(masks)
        frequencies += often * np.float32(self.body_weight)
        return frequencies


class NoteTable:
    """The notes of an index, never changed: a change makes another table."""

    def __init__(self, parts: Sequence[SegmentPart] = ()) -> None:
        """Use `of_segment` and `updated` instead."""
        self._parts = tuple(part for part in parts if part.count)
        self.note_count = sum(part.count for part in self._parts)
        total = sum(part.total_length for part in self._parts)
        mean = max(total / self.note_count, 1.0) if self.note_count else 1.0
        # The part of BM25's denominator that depends on the note's length; dead notes score 0.
        self._norms = [_norms(part, mean) for part in self._parts]
        self._commons: dict[tuple[int, int, bool, NoteFieldWeights], _CommonStem] = {}

    @classmethod
    def of_segment(cls, segment: Segment) -> NoteTable:
        """A table of one segment, all of whose notes count."""
        return cls([SegmentPart(segment)])

    @property
    def first(self) -> Segment | None:
        """The largest segment, if there is any."""
        return self._parts[0].segment if self._parts else None

    @property
    def changed_count(self) -> int:
        """The number of notes that changed or went since the first segment was made."""
        if not self._parts:
            return 0
        first = self._parts[0]
        later = sum(part.count for part in self._parts[1:])
        return later + len(first.segment.note_ids) - first.count

    def note_ids(self) -> IdArray:
        parts = [
            part.segment.note_ids if part.alive is None else part.segment.note_ids[part.alive]
            for part in self._parts
        ]
        return np.sort(np.concatenate(parts)) if parts else np.empty(0, np.int64)

    def updated(self, rows: Sequence[tuple[int, bytes]], *, gone: Sequence[int] = ()) -> NoteTable:
        """The table after notes were added or changed (with their packed terms) or removed."""
        changed = np.array([*gone, *[note_id for note_id, _ in rows]], np.int64)
        parts = [part.without(changed) for part in self._parts]
        if rows:
            parts.append(SegmentPart(Segment.of(rows)))
        return NoteTable(tidy_parts(parts))

    def merged(self) -> NoteTable:
        """The same notes in one segment."""
        if len(self._parts) == 1 and self._parts[0].alive is None:
            return self
        return NoteTable([SegmentPart(merge_parts(self._parts))] if self._parts else ())

    def frequency(self, number: int) -> int:
        """The number of notes that hold a stem, by hash; in template lines, if nowhere else."""
        wanted = np.array([number], np.uint32)
        pairs = [(part, part.segment.pairs(wanted)[0]) for part in self._parts]
        own = sum(part.own_among(postings) for part, postings in pairs)
        return own or sum(part.alive_among(postings) for part, postings in pairs)

    def match(
        self,
        stems: Mapping[int, float],
        *,
        weights: NoteFieldWeights,
        notes: IdArray | None = None,
        unknown_idf: float = 0.0,
    ) -> NoteMatches:
        """The notes that hold any of the stems, given by hash, each with its weight.

        Only those of `notes`, where given. `unknown_idf` is the idf of stems that no note holds:
        with 0, they do not count for the coverage.
        """
        query = self._query(stems, weights, unknown_idf)
        parts = [
            _match(part, norms, query, pairs, partial(self._common, number, weights, query))
            for number, (part, norms, pairs) in enumerate(
                zip(self._parts, self._norms, query.pairs, strict=True)
            )
        ]
        return _narrow(_order(parts), notes)

    def _common(
        self, number: int, weights: NoteFieldWeights, query: _Query, place: int
    ) -> _CommonStem:
        """The stem of a place in the query, in the part of this number; cached."""
        pairs, template = query.pairs[number][place], bool(query.template[place])
        key = number, pairs.start, template, weights
        known = self._commons.get(key)
        if known is None:
            column, norms = self._parts[number].segment.column(pairs), self._norms[number]
            known = _CommonStem.of(query.weighted(column.masks, column.frequencies), norms, column)
            known = known.counting_template_lines() if template else known
            if len(self._commons) >= _COMMON_STEMS:
                self._commons.clear()
            self._commons[key] = known
        return known

    def fields_of(self, hashes: Sequence[int], note_ids: IdArray) -> TermFields:
        """The places of stems, given by hash, in notes."""
        shape = (len(note_ids), len(hashes))
        masks, frequencies = np.zeros(shape, np.uint16), np.zeros(shape, np.uint8)
        wanted = np.array(hashes, np.uint32)
        for part in self._parts:
            rows, places = _rows(part, note_ids)
            for column, pairs in enumerate(part.segment.pairs(wanted)):
                at, inside = found_among(part.segment.notes[pairs], places)
                masks[rows[inside], column] = part.segment.masks[pairs][at]
                frequencies[rows[inside], column] = part.segment.frequencies[pairs][at]
        return TermFields(masks, frequencies)

    def _query(
        self, stems: Mapping[int, float], weights: NoteFieldWeights, unknown_idf: float
    ) -> _Query:
        hashes = np.fromiter(stems, np.uint32, len(stems))
        pairs = [part.segment.pairs(hashes) for part in self._parts]
        idf_weights, template = np.zeros(len(stems)), np.zeros(len(stems), np.bool_)
        total = 0.0
        for place, weight in enumerate(stems.values()):
            where = [
                (part, of_part[place]) for part, of_part in zip(self._parts, pairs, strict=True)
            ]
            having = sum(part.own_among(postings) for part, postings in where)
            if not having:
                having = sum(part.alive_among(postings) for part, postings in where)
                template[place] = having > 0
            rarity = idf(having, self.note_count)
            idf_weights[place] = weight * rarity
            total += weight * (rarity if having else unknown_idf)
        return _Query(pairs, idf_weights, template, total, *_sum_weights(weights))


@dataclass(frozen=True, slots=True, eq=False)
class _Sums:
    """The sums over the stems of a query for every note of a segment: arrays (notes,).

    `held` are the weights of stems in template lines alone, which are not in `covered`.
    """

    scores: npt.NDArray[np.float64]
    covered: npt.NDArray[np.float64]
    held: npt.NDArray[np.float64]
    fields: npt.NDArray[np.uint16]


@dataclass(frozen=True, slots=True, eq=False)
class _CommonStem:
    """The unweighted share of a common stem in each note of a segment: arrays (notes,).

    `shares`: the saturated frequency. `counts`: whether the note has it in a field that counts;
    `aside`: in template lines alone, None where no note has.
    """

    shares: FloatArray
    counts: npt.NDArray[np.bool_]
    aside: npt.NDArray[np.bool_] | None
    masks: npt.NDArray[np.uint16]
    is_everywhere: bool  # `counts` is true for each note

    @classmethod
    def of(cls, weighted: FloatArray, norms: FloatArray, column: Column) -> _CommonStem:
        """From its weighted frequencies, whose array it takes."""
        aside = column.masks == TEMPLATE_BIT
        counts = (column.masks != 0) & ~aside
        weighted /= weighted + norms
        aside_or_none = aside if aside.any() else None
        return cls(weighted, counts, aside_or_none, column.masks, bool(counts.all()))

    def counting_template_lines(self) -> _CommonStem:
        """The stem where template lines count, as it stands nowhere else."""
        counts = self.masks != 0
        return replace(self, counts=counts, aside=None, is_everywhere=bool(counts.all()))


def _match(
    part: SegmentPart,
    norms: FloatArray,
    query: _Query,
    pairs: Sequence[slice],
    common_stem: Callable[[int], _CommonStem],
) -> NoteMatches:
    """The notes of one part that hold any of the stems; `common_stem` gives a common one."""
    segment, count = part.segment, len(part.segment.note_ids)
    least = max(count / _COMMON, _COMMON_LEAST)
    common = [place for place, span in enumerate(pairs) if span.stop - span.start > least]
    rare = [place for place, span in enumerate(pairs) if span.stop - span.start <= least]
    sums = _scatter(segment, norms, query, pairs, rare)
    product = np.empty(count)  # used again: to get new memory takes as long as to multiply
    for place in common:
        stem, weight = common_stem(place), query.idf_weights[place]
        sums.scores[:] += np.multiply(stem.shares, weight, out=product)
        sums.covered[:] += weight if stem.is_everywhere else stem.counts * weight
        if stem.aside is not None:
            sums.held[:] += stem.aside * weight
        sums.fields[:] |= stem.masks
    if part.alive is not None:
        sums.fields[:] *= part.alive
    having = np.flatnonzero(sums.fields)
    chosen = having if len(having) < count else slice(None)  # a common word may be everywhere
    total = query.total or 1.0
    covered = sums.covered[chosen]
    return NoteMatches(
        segment.note_ids[chosen],
        ((K1 + 1) * sums.scores[chosen]).astype(np.float32),
        np.minimum(covered / total, 1.0).astype(np.float32),
        np.minimum((covered + sums.held[chosen]) / total, 1.0).astype(np.float32),
        segment.lengths[chosen].astype(np.int64),
        sums.fields[chosen],
    )


def _scatter(
    segment: Segment,
    norms: FloatArray,
    query: _Query,
    pairs: Sequence[slice],
    rare: Sequence[int],
) -> _Sums:
    """For all notes of a segment, the scores and weights of some stems, and their fields."""
    count = len(segment.note_ids)
    chosen = [pairs[place] for place in rare]
    sizes = [span.stop - span.start for span in chosen]
    places = [slice(0, 0), *chosen]  # concatenation needs one
    notes = np.concatenate([segment.notes[place] for place in places]).astype(np.intp)
    masks = np.concatenate([segment.masks[place] for place in places])
    often = np.concatenate([segment.frequencies[place] for place in places])
    weighted = query.weighted(masks, often)
    share = norms.take(notes)
    share += weighted
    np.divide(weighted, share, out=share)
    by_pair = np.repeat(query.idf_weights[rare], sizes)
    aside = masks == TEMPLATE_BIT
    aside &= ~np.repeat(query.template[rare], sizes)
    held = np.zeros(count)
    covered = np.asarray(np.bincount(notes, by_pair, count), np.float64)
    if aside.any():
        held = np.asarray(np.bincount(notes, by_pair * aside, count), np.float64)
        covered -= held
    by_pair *= share
    scores = np.asarray(np.bincount(notes, by_pair, count), np.float64)
    fields = np.zeros(count, np.uint16)
    at = 0
    for size in sizes:
        fields[notes[at : at + size]] |= masks[at : at + size]  # no note twice for one stem
        at += size
    return _Sums(scores, covered, held, fields)


def _order(parts: Sequence[NoteMatches]) -> NoteMatches:
    """The matches of all parts by ascending id."""
    if len(parts) == 1:
        return parts[0]
    if not parts:
        none = np.empty(0, np.int64)
        nothing = np.empty(0, np.float32)
        return NoteMatches(none, nothing, nothing, nothing, none, np.empty(0, np.uint16))
    every = NoteMatches(
        np.concatenate([part.note_ids for part in parts]),
        np.concatenate([part.bm25 for part in parts]),
        np.concatenate([part.coverage for part in parts]),
        np.concatenate([part.held for part in parts]),
        np.concatenate([part.lengths for part in parts]),
        np.concatenate([part.fields for part in parts]),
    )
    # Of a few sorted runs, which it merges.
    return every.at(np.argsort(every.note_ids, kind="stable"))


def _narrow(matches: NoteMatches, notes: IdArray | None) -> NoteMatches:
    return matches if notes is None else matches.at(np.isin(matches.note_ids, notes))


def _norms(part: SegmentPart, mean: float) -> FloatArray:
    norms = (K1 * (1 - B + B * (part.segment.lengths / mean))).astype(np.float32)
    if part.alive is not None:
        norms[~part.alive] = np.inf
    return norms


@lru_cache(maxsize=8)
def _sum_weights(weights: NoteFieldWeights) -> tuple[float, FloatArray]:
    """The weight of the body, and for every mask the sum of the weights of its other fields."""
    masks = np.arange(_MASKS)
    sums = np.zeros(_MASKS)
    for place, name in enumerate(NOTE_FIELDS):
        if 1 << place != BODY_BIT:
            sums += float(getattr(weights, name)) * (masks >> place & 1)
    return float(weights.body), sums.astype(np.float32)


def _rows(
    part: SegmentPart, note_ids: IdArray
) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.uint32]]:
    """A mask of the ids that are living notes of a part, and the place of each in it."""
    among = part.segment.note_ids
    at = np.minimum(np.searchsorted(among, note_ids), len(among) - 1)
    inside = among[at] == note_ids
    if part.alive is not None:
        inside &= part.alive[at]
    rows = np.flatnonzero(inside)
    return rows, at[rows].astype(np.uint32)


class NoteMatching(ABC):
    """The methods of the port's `KeywordIndex` that only need the table of whole notes."""

    def __init__(self) -> None:
        """An engine's keyword index calls this first."""
        self._stemmer = stemmer()

    @property
    @abstractmethod
    def _note_table(self) -> NoteTable:
        """The table as it is now."""

    @property
    def note_count(self) -> int:
        return self._note_table.note_count

    def note_frequency(self, token: str) -> int:
        return self._note_table.frequency(hash_of_token(token, self._stemmer))

    def expect(self, tokens: Sequence[str]) -> None:  # noqa: B027 (most engines read nothing)
        """Does nothing: most engines have their terms at hand."""

    def match_notes(
        self,
        terms: Sequence[QueryTerm],
        *,
        weights: NoteFieldWeights,
        notes: IdArray | None = None,
        unknown_idf: float = 0.0,
    ) -> NoteMatches:
        stems = hashed_terms(terms, self._stemmer)
        return self._note_table.match(stems, weights=weights, notes=notes, unknown_idf=unknown_idf)

    def fields_of(self, terms: Sequence[QueryTerm], note_ids: IdArray) -> TermFields:
        hashes = [hash_of_token(term.token, self._stemmer) for term in terms]
        return self._note_table.fields_of(hashes, note_ids)
