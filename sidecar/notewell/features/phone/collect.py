"""Reads notes and their vectors from an index, and makes the contents of a phone index of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from notewell.base.types import FloatArray, IdArray, StoredNote
from notewell.features.phone.layout import (
    Floats,
    PhoneContents,
    PhoneHead,
    PhoneNote,
    Quantised,
    quantise,
)
from notewell.features.phone.plan import Amount
from notewell.index.port import IndexReader

_AT_ONCE = 256  # notes; their vectors are all that is in memory besides what is written
# The plugin's own index knows these notes alone.
_SUFFIX = ".md"
_TINY = np.float32(1e-12)


@dataclass(frozen=True, slots=True, eq=False)
class _Part:
    """Some notes with vectors. `owners` (m,) are places in `notes`, ascending; `lines` (m, 2)."""

    notes: Sequence[StoredNote]
    owners: IdArray
    vectors: FloatArray
    lines: npt.NDArray[np.uint32]


def notes_of(index: IndexReader) -> list[StoredNote]:
    """The notes that a phone index may have, by path."""
    notes = (note for note in index.all_notes() if note.path.lower().endswith(_SUFFIX))
    return sorted(notes, key=lambda note: note.path)


def amount(index: IndexReader) -> Amount:
    """The amount to write, nearly: passages of files that are no notes are counted too."""
    notes, model = notes_of(index), index.current_model()
    path_bytes = sum(len(note.path.encode()) for note in notes)
    if model is None or not model.vectors:
        return Amount(0, 0, 0, 0)
    return Amount(len(notes), model.vectors, path_bytes, model.dimensions)


def contents(
    index: IndexReader, kept: Amount, head: PhoneHead, check: Callable[[], None]
) -> PhoneContents:
    """Read the vectors of the newest `kept.notes` notes; `check` is called between some of them.

    Notes that change meanwhile may be missing, or be out of date on the phone.
    """
    notes = notes_of(index)
    if kept.notes < len(notes):
        newest = sorted(notes, key=lambda note: -note.mtime_ns)[: kept.notes]
        notes = sorted(newest, key=lambda note: note.path)
    axes = None
    if kept.dimensions < head.model_dimensions:
        axes = _axes(_parts(index, notes, check), kept.dimensions)
    hashes = {path: entry.content_hash for path, entry in index.manifest().items()}
    listed: list[PhoneNote] = []
    means, passages, lines = [], [], []
    for part in _parts(index, notes, check):
        vectors = part.vectors if axes is None else _unit(part.vectors @ axes)
        owners, starts, counts = np.unique(part.owners, return_index=True, return_counts=True)
        means.append(quantise(_unit(np.add.reduceat(vectors, starts, axis=0))))
        found = [part.notes[place] for place in owners.tolist()]
        kept_of = counts.tolist() if kept.passages else [0] * len(found)
        listed += [
            PhoneNote(note.path, hashes.get(note.path, bytes(16)), count)
            for note, count in zip(found, kept_of, strict=True)
        ]
        if kept.passages:
            passages.append(quantise(vectors))
            lines.append(part.lines)
    return PhoneContents(
        head,
        listed,
        _joined(means, kept.dimensions),
        _joined(passages, kept.dimensions),
        np.concatenate(lines) if lines else np.empty((0, 2), np.uint32),
    )


def _parts(
    index: IndexReader, notes: Sequence[StoredNote], check: Callable[[], None]
) -> Iterator[_Part]:
    """The notes in parts; those without vectors are in none."""
    for start in range(0, len(notes), _AT_ONCE):
        check()
        some = notes[start : start + _AT_ONCE]
        chunks = [
            (place, one) for place, note in enumerate(some) for one in index.chunks_of(note.id)
        ]
        known, vectors = index.vectors.of_chunks(np.array([one.id for _, one in chunks], np.int64))
        if not len(known):
            continue
        by_id = {one.id: (place, one.lines) for place, one in chunks}
        found = [by_id[chunk] for chunk in known.tolist()]
        lines = [(min(of), max(of)) if of else (1, 1) for _, of in found]
        owners = np.array([place for place, _ in found], np.int64)
        yield _Part(some, owners, vectors, np.array(lines, np.uint32))


def _axes(parts: Iterator[_Part], count: int) -> Floats:
    """The axes (dimensions, count) that keep most of the vectors' products.

    Principal components without centring (Pearson 1901, "On lines and planes of closest fit"):
    both sides of every product are in the file, so any orthogonal axes keep cosines as they are,
    and these lose least.
    """
    moments: npt.NDArray[np.float64] | None = None
    for part in parts:
        more = (part.vectors.T @ part.vectors).astype(np.float64)
        moments = more if moments is None else moments + more
    if moments is None:
        return np.empty((0, count), np.float32)
    _, axes = np.linalg.eigh(moments)  # ascending
    largest: Floats = axes[:, ::-1][:, :count].astype(np.float32)
    return largest


def _unit(vectors: FloatArray) -> FloatArray:
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    unit: FloatArray = (vectors / np.maximum(lengths, _TINY)).astype(np.float32)
    return unit


def _joined(parts: Sequence[Quantised], dimensions: int) -> Quantised:
    if not parts:
        return Quantised(np.empty((0, dimensions), np.int8), np.empty(0, np.float32))
    return Quantised(
        np.concatenate([part.values for part in parts]),
        np.concatenate([part.scales for part in parts]),
    )
