"""Cosine search over a vault's chunk vectors, in numpy alone.

Small vaults are searched exactly, one by one. Above 20,000 vectors the signs of the
centred components (one bit each) are compared first, by counting differing bits, and the nearest
candidates are scored exactly: sign random projections (Charikar 2002, "Similarity estimation
techniques from rounding algorithms") with the axes themselves as directions. How many candidates
are needed depends on the model, so it is measured on the vectors themselves (`recall`).
"""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from notewell.errors import ModelError
from notewell.index.embedded.sign_bits import differing_bits, nearest, sign_bits
from notewell.types import FloatArray, IdArray, ModelKey, VectorHits

EXACT_LIMIT = 20_000  # up to it, comparing with all takes at most a millisecond
CANDIDATE_STEPS = (500, 1000, 2000, 4000)
RECALL_AIM = 0.99
_SAMPLE = 64
_MIN_DEAD = 1024
_BLOCK = 16_384
_GATHERED = 256  # rows fetched at a time: they stay in the processor's cache until scored
_SPREAD_SAMPLE = 1024  # vectors whose cosines estimate the mean and the deviation of all
_GONE = -1
_NO_SLOTS: IdArray = np.empty(0, np.int64)
_HALF_BITS = np.int32(0x8FFFE000 - (1 << 32))  # sign, exponent and fraction of a widened half float
_HALF_SCALE = np.float32(2.0**112)  # the difference of the exponents' biases

Rows = npt.NDArray[np.float32] | npt.NDArray[np.float16]


@dataclass(frozen=True, slots=True)
class _View:
    """What one search sees. Slots are only ever appended to the arrays it shares with later ones.

    `rows` is (capacity, dimensions); `bits` (words, capacity), None while the search is exact;
    `ids` and `notes` (used,), an id of -1 marking a slot that was given up.
    """

    rows: Rows
    bits: npt.NDArray[np.uint64] | None
    mean: FloatArray
    ids: IdArray
    notes: IdArray
    candidates: int

    alive: int  # slots that were not given up

    @property
    def used(self) -> int:
        return len(self.ids)


@dataclass(frozen=True, slots=True, eq=False)
class _ByNote:
    """Finds the slots of notes: `order` sorts the slots by note."""

    notes: IdArray  # of the slots of one view
    order: IdArray
    sorted: IdArray

    @classmethod
    def of(cls, notes: IdArray) -> _ByNote:
        order = np.argsort(notes, kind="stable")  # nearly sorted, which makes it fast
        return cls(notes, order, notes[order])

    def slots(self, notes: IdArray) -> IdArray:
        starts = np.searchsorted(self.sorted, notes)
        counts = np.searchsorted(self.sorted, notes, side="right") - starts
        ends = np.cumsum(counts)
        if not len(ends):
            return _NO_SLOTS
        within = np.arange(ends[-1]) - np.repeat(ends - counts, counts)
        slots: IdArray = self.order[np.repeat(starts, counts) + within]
        return slots


class Vectors:
    """Vectors of chunks for one model. Searches run in any thread, changes in one."""

    def __init__(self, dimensions: int, model: ModelKey | None = None) -> None:
        """Start empty; `dimensions` 0 stands for no model, and finds nothing."""
        self.dimensions = dimensions
        self.model = model  # whose embedding a query has to be
        self._lock = threading.Lock()
        self._mean_of = 0  # how many vectors the mean was taken of
        self._by_note: _ByNote | None = None  # of the view that was searched last
        self._sample: _Sample | None = None  # likewise
        self._view = _View(
            rows=np.empty((0, dimensions), np.float32),
            bits=None,
            mean=np.zeros(dimensions, np.float32),
            ids=np.empty(0, np.int64),
            notes=np.empty(0, np.int64),
            candidates=CANDIDATE_STEPS[1],
            alive=0,
        )

    @property
    def count(self) -> int:
        """How many chunks have a vector."""
        return self._view.alive

    def search(
        self,
        query: FloatArray,
        *,
        limit: int,
        notes: IdArray | None = None,
        also: IdArray | None = None,
    ) -> VectorHits:
        """The `limit` chunks nearest to a unit vector by cosine, of `notes` alone where given.

        Every chunk of the notes `also` is scored and added, however far it is. Equal scores are
        ordered by chunk id.

        Raises:
            ModelError: the query has another dimension, or is not finite.

        """
        view = self._view
        if not view.used or limit < 1:
            return _hits(view, _NO_SLOTS, np.empty(0, np.float32), _NO_SPREAD)
        query = np.ascontiguousarray(query, dtype=np.float32)
        if query.shape != (self.dimensions,) or not np.isfinite(query).all():
            raise ModelError(
                f"The query's vector has shape {query.shape} or is not finite; the index holds"
                f" vectors of {self.dimensions} dimensions. Index again with the model in use."
            )
        allowed = _allowed(view, notes)
        added = self._slots_of(view, also)
        if view.bits is None:
            return _exact_hits(view, _scores(view.rows[: view.used], query), allowed, added, limit)
        slots = _promising(view, query, allowed, max(view.candidates, 2 * limit))
        scores = _gathered(view, slots, query)
        best = _best(view.ids[slots], scores, limit)
        slots, scores = slots[best], scores[best]
        further = _others(added, slots, view.used)
        if len(further):
            slots = np.concatenate((slots, further))
            scores = np.concatenate((scores, _gathered(view, further, query)))
        searched = view.alive if allowed is None else int(np.count_nonzero(allowed))
        return _hits(view, slots, scores, self._sampled(view).spread(query, searched))

    def _sampled(self, view: _View) -> _Sample:
        sample = self._sample
        if sample is None or sample.view is not view:
            self._sample = sample = _Sample.of(view)
        return sample

    def _slots_of(self, view: _View, notes: IdArray | None) -> IdArray:
        """The slots in use of these notes; none for None."""
        if notes is None or not len(notes):
            return _NO_SLOTS
        by_note = self._by_note
        if by_note is None or by_note.notes is not view.notes:
            self._by_note = by_note = _ByNote.of(view.notes)
        slots = by_note.slots(notes)
        alive: IdArray = slots[view.ids[slots] != _GONE]
        return alive

    def of_chunks(self, chunk_ids: IdArray) -> tuple[IdArray, FloatArray]:
        """Those of the chunks that have a vector, in the order given; and their vectors."""
        view = self._view
        slots = np.flatnonzero(np.isin(view.ids, chunk_ids))
        order = np.argsort(view.ids[slots])
        found = np.searchsorted(view.ids[slots], chunk_ids, sorter=order)
        known = found < len(slots)
        places = slots[order[found[known]]]
        there = view.ids[places] == chunk_ids[known]
        rows: FloatArray = view.rows[places[there]].astype(np.float32)
        return chunk_ids[known][there], rows

    def note_means(self) -> tuple[IdArray, FloatArray]:
        """The notes that have vectors, ascending; the unit mean of each: (notes, dimensions)."""
        view = self._view
        slots = np.flatnonzero(view.ids != _GONE)
        notes, place = np.unique(view.notes[slots], return_inverse=True)
        means = np.zeros((len(notes), self.dimensions), np.float32)
        for start in range(0, len(slots), _BLOCK):
            block = slice(start, start + _BLOCK)
            np.add.at(means, place[block], view.rows[slots[block]].astype(np.float32))
        lengths = np.linalg.norm(means, axis=1, keepdims=True)
        return notes, means / np.maximum(lengths, np.finfo(np.float32).tiny)

    def put(self, chunk_ids: IdArray, notes: IdArray, rows: Rows) -> None:
        """Add vectors of chunks or replace them; each chunk id is given once."""
        if not len(chunk_ids):
            return
        with self._lock:
            kept = self._without(chunk_ids)
            self._view = self._appended(kept, chunk_ids, notes, rows)
            self._tidy()

    def remove(self, chunk_ids: IdArray) -> None:
        """Forget chunks; those without a vector are passed over."""
        if not len(chunk_ids):
            return
        with self._lock:
            self._view = self._without(chunk_ids)
            self._tidy()

    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        """Everything, without given-up slots, for a snapshot."""
        with self._lock:
            self._compact()
            view = self._view
        rows = view.rows[: view.used]
        counts = np.array([view.candidates, self._mean_of], np.int64)
        saved: dict[str, npt.NDArray[Any]] = {
            "rows": rows.astype(np.float16),
            "mean": view.mean,
            "counts": counts,
        }
        saved |= {"ids": view.ids, "notes": view.notes}
        if view.bits is not None:
            saved["bits"] = view.bits[:, : view.used]
        return saved

    @classmethod
    def from_arrays(
        cls,
        dimensions: int,
        arrays: Mapping[str, npt.NDArray[Any]],
        model: ModelKey | None = None,
    ) -> Vectors:
        """The vectors of a snapshot. Mapped arrays stay mapped until the first change.

        Raises:
            ValueError: the arrays do not agree with each other.

        """
        vectors = cls(dimensions, model)
        rows, bits = arrays["rows"], arrays.get("bits")
        used = len(arrays["ids"])
        if rows.shape != (used, dimensions) or len(arrays["notes"]) != used:
            raise ValueError("the counts of a vector snapshot disagree")
        if (bits is None) != (used <= EXACT_LIMIT) or (bits is not None and bits.shape[1] != used):
            raise ValueError("the sign bits of a vector snapshot are missing or too many")
        candidates, vectors._mean_of = (int(count) for count in arrays["counts"])
        vectors._view = _View(
            rows=rows if bits is not None else rows.astype(np.float32),
            bits=bits,
            mean=arrays["mean"],
            ids=np.array(arrays["ids"]),
            notes=np.array(arrays["notes"]),
            candidates=candidates,
            alive=int(np.count_nonzero(arrays["ids"] != _GONE)),
        )
        return vectors

    def _without(self, chunk_ids: IdArray) -> _View:
        view = self._view
        ids = np.where(np.isin(view.ids, chunk_ids), _GONE, view.ids)
        return _replaced(view, ids=ids)

    def _appended(self, view: _View, chunk_ids: IdArray, notes: IdArray, rows: Rows) -> _View:
        """`view` with further slots at its end; the arrays grow by half when they are full."""
        used, needed = view.used, view.used + len(chunk_ids)
        kept, bits = view.rows, view.bits
        if needed > len(kept) or not kept.flags.writeable:
            capacity = max(needed, used + used // 2, 256)
            kept = np.empty((capacity, self.dimensions), view.rows.dtype)
            kept[:used] = view.rows[:used]
            if view.bits is not None:
                bits = np.empty((len(view.bits), capacity), np.uint64)
                bits[:, :used] = view.bits[:, :used]
        # Rounded as the database keeps them, so that a reopened index scores the same.
        kept[used:needed] = rows.astype(np.float16)
        if bits is not None:
            bits[:, used:needed] = sign_bits(kept[used:needed], view.mean)
        ids = np.concatenate((view.ids, chunk_ids))
        noted = np.concatenate((view.notes, notes))
        return _replaced(view, rows=kept, bits=bits, ids=ids, notes=noted)

    def _tidy(self) -> None:
        """Give back slots, and centre anew when the vectors have become others than they were."""
        view = self._view
        dead = view.used - self.count
        if dead > max(_MIN_DEAD, view.used // 3):
            self._compact()
        crossed = view.bits is None and view.used > EXACT_LIMIT
        if crossed or (view.bits is not None and view.used > 2 * self._mean_of):
            self._centre()

    def _compact(self) -> None:
        view = self._view
        alive = np.flatnonzero(view.ids != _GONE)
        if len(alive) == view.used:
            return
        self._view = _replaced(
            view,
            rows=view.rows[alive].astype(np.float32 if len(alive) <= EXACT_LIMIT else np.float16),
            bits=view.bits[:, alive]
            if view.bits is not None and len(alive) > EXACT_LIMIT
            else None,
            ids=view.ids[alive],
            notes=view.notes[alive],
        )

    def _centre(self) -> None:
        """Make the sign bits anew and choose how many candidates they need."""
        self._compact()
        view = self._view
        if view.used <= EXACT_LIMIT:
            return
        mean = view.rows[: view.used].mean(axis=0, dtype=np.float32)
        rows = np.empty((len(view.rows), self.dimensions), np.float16)
        rows[: view.used] = view.rows[: view.used]
        bits = np.empty((-(-self.dimensions // 64), len(rows)), np.uint64)
        for start in range(0, view.used, _BLOCK):
            stop = min(start + _BLOCK, view.used)
            bits[:, start:stop] = sign_bits(rows[start:stop], mean)
        self._mean_of = view.used
        self._view = _replaced(view, rows=rows, bits=bits, mean=mean)
        self._view = _replaced(self._view, candidates=self._enough_candidates())

    def _enough_candidates(self) -> int:
        for candidates in CANDIDATE_STEPS:
            if self.recall(candidates) >= RECALL_AIM:
                return candidates
        return CANDIDATE_STEPS[-1]

    def recall(self, candidates: int, *, top: int = 10) -> float:
        """The share of the exact `top` that a search with so many candidates finds.

        Asked with 64 of the vectors themselves, blurred until their cosine to the passage is about
        0.7, as that of a question to its answer is. 1.0 while the search is exact.
        """
        view = self._view
        if view.bits is None:
            return 1.0
        chance = np.random.default_rng(0)
        picked = chance.choice(view.used, size=_SAMPLE, replace=False)
        queries = view.rows[picked].astype(np.float32)
        blur = chance.standard_normal(queries.shape, dtype=np.float32)
        queries += blur / np.sqrt(self.dimensions, dtype=np.float32)
        queries /= np.linalg.norm(queries, axis=1, keepdims=True)
        alive = _allowed(view, None)
        exact = _exact_top(view, queries, top)
        found = 0
        for query, best in zip(queries, exact, strict=True):
            found += np.isin(best, _promising(view, query, alive, candidates)).sum()
        return float(found / exact.size)


def _replaced(view: _View, **changes: Any) -> _View:
    fields = {name: getattr(view, name) for name in _View.__slots__} | changes
    fields["alive"] = int(np.count_nonzero(fields["ids"] != _GONE))
    return _View(**fields)


def _allowed(view: _View, notes: IdArray | None) -> npt.NDArray[np.bool_] | None:
    """Which slots may be found; None: every one."""
    alive = None if view.alive == view.used else view.ids != _GONE
    if notes is None:
        return alive
    belonging = _belonging(view.notes, notes)
    return belonging if alive is None else belonging & alive


def _chosen(view: _View, allowed: npt.NDArray[np.bool_] | None) -> IdArray:
    return np.arange(view.used) if allowed is None else np.flatnonzero(allowed)


def _belonging(slots: IdArray, notes: IdArray) -> npt.NDArray[np.bool_]:
    """Which slots belong to one of the notes: by a table, which beats sorting."""
    table = np.zeros(int(max(slots.max(initial=0), notes.max(initial=0))) + 1, dtype=np.bool_)
    table[notes] = True
    return table[slots]


def _promising(
    view: _View, query: FloatArray, allowed: npt.NDArray[np.bool_] | None, candidates: int
) -> IdArray:
    """Allowed slots whose signs differ least from the query's: at least `candidates` of them."""
    count = view.used if allowed is None else int(np.count_nonzero(allowed))
    if count <= candidates or view.bits is None:
        return _chosen(view, allowed)
    signs = sign_bits(query[np.newaxis], view.mean)[:, 0]
    distance = differing_bits(view.bits, view.used, signs)
    if allowed is not None:
        distance[~allowed] = np.iinfo(distance.dtype).max
    return nearest(distance, candidates, ceiling=64 * len(signs))


def _scores(rows: Rows, query: FloatArray) -> FloatArray:
    """Cosines of unit vectors, in one thread.

    `@` would share the work between threads, which wait for each other for ten milliseconds when
    the machine is busy, a hundred times longer than the work takes.
    """
    if rows.dtype == np.float16:
        rows, query = _widened(rows), query * _HALF_SCALE
    scores: FloatArray = np.vecdot(rows, query)
    return scores


def _widened(rows: Rows) -> FloatArray:
    """Half floats as floats, each 2**-112 of its value, four times as fast as `astype`.

    IEEE 754: with its exponent and fraction moved to where binary32 has them, a binary16 number is
    read as itself times 2**(15 - 127). Infinities and NaN, which no vector has, would not be.
    """
    bits = rows.view(np.int16).astype(np.int32)
    bits <<= 13
    bits &= _HALF_BITS
    return bits.view(np.float32)


def _gathered(view: _View, slots: IdArray, query: FloatArray) -> FloatArray:
    """Cosines of some slots, gathered in blocks that stay in the processor's cache."""
    scores = np.empty(len(slots), np.float32)
    for start in range(0, len(slots), _GATHERED):
        block = slice(start, start + _GATHERED)
        scores[block] = _scores(view.rows[slots[block]], query)
    return scores


def _best(ids: IdArray, scores: FloatArray, limit: int) -> IdArray:
    """Indices of the best `limit` scores, ascending; of equal ones, those with lower chunk ids."""
    if len(scores) <= limit:
        return np.arange(len(scores))
    cut = np.partition(scores, len(scores) - limit)[len(scores) - limit]
    best = np.flatnonzero(scores >= cut)
    if len(best) == limit:
        return best
    equal = best[scores[best] == cut]
    kept = limit - (len(best) - len(equal))
    dropped = equal[np.argsort(ids[equal])[kept:]]
    return np.setdiff1d(best, dropped, assume_unique=True)


def _others(slots: IdArray, known: IdArray, used: int) -> IdArray:
    """The slots that are not among those known: by a table, which beats sorting."""
    table = np.ones(used, np.bool_)
    table[known] = False
    return slots[table[slots]]


def _exact_hits(
    view: _View,
    scores: FloatArray,
    allowed: npt.NDArray[np.bool_] | None,
    added: IdArray,
    limit: int,
) -> VectorHits:
    """The best of the allowed slots, and those added, from the scores of all."""
    if allowed is None:
        spread = _Spread.of(scores)
        slots = _best(view.ids, scores, limit)
    else:
        slots = np.flatnonzero(allowed)
        spread = _Spread.of(scores[slots])
        slots = slots[_best(view.ids[slots], scores[slots], limit)]
    if len(added):
        slots = np.concatenate((slots, _others(added, slots, view.used)))
    return _hits(view, slots, scores[slots], spread)


def _hits(view: _View, slots: IdArray, scores: FloatArray, spread: _Spread) -> VectorHits:
    """Some slots as hits, by score, then by chunk id."""
    order = np.argsort(-scores)
    ordered = scores[order]
    if (ordered[1:] == ordered[:-1]).any():  # seldom; sorting by two keys takes six times as long
        order = np.lexsort((view.ids[slots], -scores))
        ordered = scores[order]
    ids = view.ids[slots[order]]
    return VectorHits(ids, ordered, spread.mean, spread.deviation, spread.searched)


@dataclass(frozen=True, slots=True)
class _Spread:
    """Mean and standard deviation of a query's cosines, and of how many chunks they are."""

    mean: float
    deviation: float
    searched: int

    @classmethod
    def of(cls, scores: FloatArray) -> _Spread:
        if not len(scores):
            return _NO_SPREAD
        return cls(float(scores.mean()), float(scores.std()), len(scores))


_NO_SPREAD = _Spread(0.0, 0.0, 0)


@dataclass(frozen=True, slots=True, eq=False)
class _Sample:
    """Evenly spaced vectors of a view; given up slots are as good as others."""

    view: _View
    rows: FloatArray

    @classmethod
    def of(cls, view: _View) -> _Sample:
        step = max(1, view.used // _SPREAD_SAMPLE)
        return cls(view, view.rows[: view.used : step].astype(np.float32))

    def spread(self, query: FloatArray, searched: int) -> _Spread:
        """An estimate of the spread of the cosines of all vectors."""
        found = _Spread.of(_scores(self.rows, query))
        return _Spread(found.mean, found.deviation, searched)


def _exact_top(view: _View, queries: FloatArray, top: int) -> IdArray:
    """Slots of the `top` nearest for each query: (queries, top)."""
    scores = np.empty((len(queries), view.used), np.float32)
    for start in range(0, view.used, _BLOCK):
        stop = min(start + _BLOCK, view.used)
        scores[:, start:stop] = queries @ view.rows[start:stop].astype(np.float32).T
    scores[:, view.ids == _GONE] = -np.inf
    best: IdArray = np.argpartition(scores, -top, axis=1)[:, -top:]
    return best
