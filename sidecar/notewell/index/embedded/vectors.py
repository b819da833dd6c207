"""Cosine search over a vault's chunk vectors, in numpy alone.

Small vaults are searched exactly, one by one. Above 20,000 vectors the signs of the
centred components (one bit each) are compared first, by counting differing bits, and the nearest
candidates are scored exactly: sign random projections (Charikar 2002, "Similarity estimation
techniques from rounding algorithms") with the axes themselves as directions. How many candidates
are needed depends on the model, so it is measured on the vectors themselves (`recall`).
"""

from __future__ import annotations

import os
import threading
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from notewell.base.errors import ModelError
from notewell.base.types import FloatArray, IdArray, ModelKey, VectorHits
from notewell.index.embedded.vector_math import Rows, sign_bits
from notewell.index.embedded.vector_scan import (
    BLOCK,
    NO_SPREAD,
    Sample,
    cosines_of,
    exact_hits,
    exact_top,
    hits,
    nearest,
    others,
    top_indices,
)
from notewell.index.embedded.vector_slots import (
    GONE,
    NO_SLOTS,
    Held,
    SlotsByNote,
    View,
    allowed_slots,
    append_values,
    replace_arrays,
    with_room,
)

EXACT_LIMIT = 20_000  # up to it, comparing with all takes at most a millisecond
CANDIDATE_STEPS = (500, 1000, 2000, 4000)
RECALL_AIM = 0.99
_SAMPLE = 64
_MIN_DEAD = 1024
_FEW_CHANGES = 16  # of the vectors; when more changed, all of a snapshot are written again
_REPLACES_MAPPED = os.name != "nt"  # a file that is mapped can be replaced by a new one


class Vectors:
    """Vectors of chunks for one model. Searches run in any thread, changes in one."""

    def __init__(self, dimensions: int, model: ModelKey | None = None) -> None:
        self.dimensions = dimensions
        self.model = model  # whose embedding a query has to be
        self.has_approximate = False  # some stand for vectors that the model has yet to give
        self._lock = threading.Lock()
        self.snapshot: int | None = None  # the generation of the snapshot that is mapped
        self._mean_of = 0  # how many vectors the mean was taken of
        self._by_note: SlotsByNote | None = None
        self._sample: Sample | None = None  # of the view that was searched last
        self._view = View(
            first=Held.nothing(dimensions),
            later=Held.nothing(dimensions),
            mean=np.zeros(dimensions, np.float32),
            ids=np.empty(0, np.int64),
            notes=np.empty(0, np.int64),
            candidates=CANDIDATE_STEPS[1],
            alive=0,
        )

    @property
    def count(self) -> int:
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
            return hits(view, NO_SLOTS, np.empty(0, np.float32), NO_SPREAD)
        query = np.ascontiguousarray(query, dtype=np.float32)
        if query.shape != (self.dimensions,) or not np.isfinite(query).all():
            raise ModelError(
                f"The query's vector has shape {query.shape} or is not finite; the index holds"
                f" vectors of {self.dimensions} dimensions. Index again with the model in use."
            )
        allowed = allowed_slots(view, notes)
        added = self._slots_of(view, also)
        if view.is_exact:
            scores = view.cosines(query)
            return exact_hits(view, scores, allowed, added, limit)
        slots = _promising(view, query, allowed, max(view.candidates, 2 * limit))
        scores = cosines_of(view, slots, query)
        best = top_indices(view.ids[slots], scores, limit)
        slots, scores = slots[best], scores[best]
        further = others(added, slots, view.used)
        if len(further):
            slots = np.concatenate((slots, further))
            scores = np.concatenate((scores, cosines_of(view, further, query)))
        searched = view.alive if allowed is None else int(np.count_nonzero(allowed))
        return hits(view, slots, scores, self._draw_sample(view).spread(query, searched))

    def _draw_sample(self, view: View) -> Sample:
        sample = self._sample
        if sample is None or sample.view is not view:
            self._sample = sample = Sample.of(view)
        return sample

    def _slots_of(self, view: View, notes: IdArray | None) -> IdArray:
        """The slots in use of these notes; none for None."""
        if notes is None or not len(notes):
            return NO_SLOTS
        by_note = self._by_note
        if by_note is None or not by_note.fits(view):
            self._by_note = by_note = SlotsByNote.of(view)
        slots = by_note.slots(view, notes)
        alive: IdArray = slots[view.ids[slots] != GONE]
        return alive

    def of_chunks(self, chunk_ids: IdArray) -> tuple[IdArray, FloatArray]:
        view = self._view
        slots = np.flatnonzero(np.isin(view.ids, chunk_ids))
        order = np.argsort(view.ids[slots])
        positions = np.searchsorted(view.ids[slots], chunk_ids, sorter=order)
        known = positions < len(slots)
        places = slots[order[positions[known]]]
        there = view.ids[places] == chunk_ids[known]
        rows: FloatArray = view.rows_of(places[there]).astype(np.float32)
        return chunk_ids[known][there], rows

    def note_means(self) -> tuple[IdArray, FloatArray]:
        """The notes that have vectors, ascending; the unit mean of each: (notes, dimensions)."""
        view = self._view
        slots = np.flatnonzero(view.ids != GONE)
        notes, place = np.unique(view.notes[slots], return_inverse=True)
        means = np.zeros((len(notes), self.dimensions), np.float32)
        for start in range(0, len(slots), BLOCK):
            block = slice(start, start + BLOCK)
            np.add.at(means, place[block], view.rows_of(slots[block]).astype(np.float32))
        lengths = np.linalg.norm(means, axis=1, keepdims=True)
        return notes, means / np.maximum(lengths, np.finfo(np.float32).tiny)

    def put(self, chunk_ids: IdArray, notes: IdArray, rows: Rows) -> None:
        """Add vectors of chunks or replace them; each chunk id is given once."""
        if not len(chunk_ids):
            return
        with self._lock:
            kept = self._without(chunk_ids)
            self._view = self._append(kept, chunk_ids, notes, rows)
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
            view, mean_of = _compact(self._view), self._mean_of
        rows, bits = view.rows_between(0, view.used), view.bits_of(np.arange(view.used))
        saved: dict[str, npt.NDArray[Any]] = {
            "rows": rows,  # as they are compared, so that they can be mapped
            "mean": view.mean,
            "counts": np.array([view.candidates, mean_of], np.int64),
            "ids": view.ids,
            "notes": view.notes,
        }
        return saved if bits is None else {**saved, "bits": bits}

    def arrays_of_changes(self) -> dict[str, npt.NDArray[Any]] | None:
        """The changes since the mapped snapshot; None: none is mapped, or too much changed.

        Of a million vectors these are sixteen megabytes, and `arrays` eight hundred.
        """
        view = self._view
        first, bits = len(view.first.rows), view.later.bits
        later, few = view.used - first, first // _FEW_CHANGES
        if self.snapshot is None or bits is None or max(later, view.used - view.alive) > few:
            return None
        return {
            "snapshot": np.array([self.snapshot], np.int64),
            "rows": view.later.rows[:later],
            "bits": bits[:, :later],
            "ids": view.ids,
            "notes": view.notes,
        }

    @classmethod
    def from_arrays(
        cls,
        dimensions: int,
        arrays: Mapping[str, npt.NDArray[Any]],
        model: ModelKey | None = None,
        *,
        generation: int | None = None,
        changes: Mapping[str, npt.NDArray[Any]] | None = None,
    ) -> Vectors:
        """The vectors of a snapshot of a `generation`, and what changed since.

        Mapped arrays stay mapped; what is added later is in memory.

        Raises:
            ValueError: the arrays do not agree with each other.

        """
        vectors = cls(dimensions, model)
        rows, bits = arrays["rows"], arrays.get("bits")
        candidates, vectors._mean_of = (int(count) for count in arrays["counts"])
        first, later = Held.nothing(dimensions), Held(rows, bits)
        if bits is None:
            later = Held(rows.astype(np.float32, copy=False), None)  # halves by earlier versions
        if _REPLACES_MAPPED:
            nothing = Held.nothing(dimensions, words=None if bits is None else len(bits))
            first, later = later, nothing
            vectors.snapshot = generation
        if changes is not None:
            later = Held(changes["rows"], changes["bits"])
        known = arrays if changes is None else changes
        vectors._view = View(
            first=first,
            later=later,
            mean=arrays["mean"],
            ids=np.array(known["ids"]),
            notes=np.array(known["notes"]),
            candidates=candidates,
            alive=int(np.count_nonzero(known["ids"] != GONE)),
        )
        _check(vectors._view, dimensions)
        return vectors

    def _without(self, chunk_ids: IdArray) -> View:
        view = self._view
        # Ids of a note's chunks are neighbours, and those of new chunks are above all others.
        near = np.flatnonzero((view.ids >= chunk_ids.min()) & (view.ids <= chunk_ids.max()))
        slots = near[np.isin(view.ids[near], chunk_ids)]
        if not len(slots):
            return view
        ids = with_room(view.ids)
        ids[slots] = GONE
        return replace_arrays(view, ids=ids, alive=view.alive - len(slots))

    def _append(self, view: View, chunk_ids: IdArray, notes: IdArray, rows: Rows) -> View:
        """`view` with further slots at its end; the arrays grow by half when they are full."""
        used = view.used - len(view.first.rows)
        needed = used + len(chunk_ids)
        kept, bits = view.later.rows, view.later.bits
        if needed > len(kept) or not kept.flags.writeable:
            capacity = max(needed, used + used // 2, 256)
            kept = np.empty((capacity, self.dimensions), kept.dtype)
            kept[:used] = view.later.rows[:used]
            if view.later.bits is not None:
                bits = np.empty((len(view.later.bits), capacity), np.uint64)
                bits[:, :used] = view.later.bits[:, :used]
        # Rounded as the database keeps them, so that a reopened index scores the same.
        kept[used:needed] = rows.astype(np.float16)
        if bits is not None:
            bits[:, used:needed] = sign_bits(kept[used:needed], view.mean)
        return replace_arrays(
            view,
            later=Held(kept, bits),
            ids=append_values(view.ids, chunk_ids),
            notes=append_values(view.notes, notes),
            alive=view.alive + len(chunk_ids),
        )

    def _tidy(self) -> None:
        """Give back slots, and centre anew when the vectors have become others than they were."""
        view = self._view
        dead = view.used - self.count
        if dead > max(_MIN_DEAD, view.used // 3):
            self._compact()
        crossed = view.is_exact and view.used > EXACT_LIMIT
        if crossed or (not view.is_exact and view.used > 2 * self._mean_of):
            self._centre()

    def _compact(self) -> None:
        self._view = _compact(self._view)

    def _centre(self) -> None:
        """Make the sign bits anew and choose how many candidates they need."""
        self._compact()
        view = self._view
        if view.used <= EXACT_LIMIT:
            return
        held = view.rows_between(0, view.used)
        mean = held.mean(axis=0, dtype=np.float32)
        rows = np.empty((len(view.first.rows) + len(view.later.rows), self.dimensions), np.float16)
        rows[: view.used] = held
        bits = np.empty((-(-self.dimensions // 64), len(rows)), np.uint64)
        for start in range(0, view.used, BLOCK):
            stop = min(start + BLOCK, view.used)
            bits[:, start:stop] = sign_bits(rows[start:stop], mean)
        self._mean_of = view.used
        self._view = _all_in_memory(view, Held(rows, bits), mean=mean)
        self._view = replace_arrays(self._view, candidates=self._enough_candidates())

    def _enough_candidates(self) -> int:
        for candidates in CANDIDATE_STEPS:
            if self.recall(candidates) >= RECALL_AIM:
                return candidates
        return CANDIDATE_STEPS[-1]

    def recall(self, candidates: int, *, top: int = 10) -> float:
        """The share of the exact `top` that a search with so many candidates finds.

        Measured with 64 of the vectors themselves, blurred until their cosine to the passage is
        about 0.7, as that of a question to its answer is. 1.0 while the search is exact.
        """
        view = self._view
        if view.is_exact:
            return 1.0
        chance = np.random.default_rng(0)
        picked = chance.choice(view.used, size=_SAMPLE, replace=False)
        queries = view.rows_of(picked).astype(np.float32)
        blur = chance.standard_normal(queries.shape, dtype=np.float32)
        queries += blur / np.sqrt(self.dimensions, dtype=np.float32)
        queries /= np.linalg.norm(queries, axis=1, keepdims=True)
        alive = allowed_slots(view, None)
        exact = exact_top(view, queries, top)
        recalled = 0
        for query, best in zip(queries, exact, strict=True):
            recalled += np.isin(best, _promising(view, query, alive, candidates)).sum()
        return float(recalled / exact.size)


def _check(view: View, dimensions: int) -> None:
    """Raises ValueError where the arrays of a view do not agree with each other."""
    parts = (view.first, view.later)
    shaped = all(held.rows.shape == (len(held.rows), dimensions) for held in parts)
    if not shaped or not view.used == len(view.notes) == sum(len(held.rows) for held in parts):
        raise ValueError("the counts of a vector snapshot disagree")
    bits = [(held.bits, len(held.rows)) for held in parts]
    fitting = all(signs is None or signs.shape[1] == count for signs, count in bits)
    if view.is_exact != (view.used <= EXACT_LIMIT) or not fitting:
        raise ValueError("the sign bits of a vector snapshot are missing or too many")


def _compact(view: View) -> View:
    """The view without slots that were given up, all in memory."""
    alive = np.flatnonzero(view.ids != GONE)
    if len(alive) == view.used:
        return view
    few = len(alive) <= EXACT_LIMIT
    rows = view.rows_of(alive)
    held = (
        Held(rows.astype(np.float32, copy=False), None)
        if few
        else Held(rows.astype(np.float16, copy=False), view.bits_of(alive))
    )
    return _all_in_memory(view, held, ids=view.ids[alive], notes=view.notes[alive])


def _all_in_memory(view: View, held: Held, **changes: Any) -> View:
    nothing = Held.nothing(held.rows.shape[1])
    return replace_arrays(view, first=nothing, later=held, layout=view.layout + 1, **changes)


def _promising(
    view: View, query: FloatArray, allowed: npt.NDArray[np.bool_] | None, candidates: int
) -> IdArray:
    """Allowed slots whose signs differ least from the query's: at least `candidates` of them."""
    count = view.used if allowed is None else int(np.count_nonzero(allowed))
    if count <= candidates or view.is_exact:
        return np.arange(view.used) if allowed is None else np.flatnonzero(allowed)
    signs = sign_bits(query[np.newaxis], view.mean)[:, 0]
    distance = view.differing(signs)
    if allowed is not None:
        distance[~allowed] = np.iinfo(distance.dtype).max
    return nearest(distance, candidates, ceiling=64 * len(signs))
