"""Attachments and the notes that embed them: what finds one counts for the other.

An attachment is a file of the index that is not a note itself, such as a PDF. Its result names
the notes that embed it. In return it has the tags, properties and folder of these notes, so that
a search of a project's notes finds the papers in them; and such a note is found by the text of
its attachment, below it, where nothing else finds it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import PurePosixPath

import numpy as np

from notewell.base.types import IdArray, StoredChunk
from notewell.contract.search import Reason, Result
from notewell.index.port import IndexReader
from notewell.search.facts.embeds import MAX_EMBEDDING, embedding
from notewell.search.rank.ranking import RankedNote

EMBEDDING_SHARE = 0.5  # of an attachment's score, for a note that is found only by embedding it


def with_embedding_notes(
    index: IndexReader,
    ranked: Sequence[RankedNote],
    *,
    ranks: Callable[[int], bool],
    among: Callable[[IdArray], IdArray],
) -> tuple[RankedNote, ...]:
    """The ranked notes, with those that embed attachments among them, in order of score.

    A note is added where it does not rank (`ranks`) and may be found (`among` gives the places of
    ids that may). It shows its own passage that embeds the file, because the file itself shows
    the one that was found; `with_reasons` names the file and its page.
    """
    known = index.notes([note.note_id for note in ranked])
    added: dict[int, RankedNote] = {}
    for note in ranked:
        file = known.get(note.note_id)
        if file is None or not note.passages:
            continue
        lines = embedding(index, file)
        if not 0 < len(lines) <= MAX_EMBEDDING:
            continue
        for note_id in _allowed_lines(lines, among):
            if note_id not in added and not ranks(note_id):
                added[note_id] = _embedding_note(index, note, note_id, lines[note_id])
    if not added:
        return tuple(ranked)
    # Sorting is stable: the file stays before a note of the same score.
    return tuple(sorted((*ranked, *added.values()), key=lambda one: -one.score))


def _allowed_lines(lines: Mapping[int, int], among: Callable[[IdArray], IdArray]) -> Iterator[int]:
    ids = np.array(sorted(lines), np.int64)
    yield from ids[among(ids)].tolist()


def _embedding_note(index: IndexReader, note: RankedNote, note_id: int, line: int) -> RankedNote:
    """A note with a share of the score of the file that it embeds at a line."""
    own = _chunk_at(index.chunks_of(note_id), line)
    return replace(
        note,
        note_id=note_id,
        score=round(note.score * EMBEDDING_SHARE, 6),
        passages=() if own is None else ((own.id, 1.0),),
        embedded=note.note_id,
    )


def _chunk_at(chunks: Sequence[StoredChunk], line: int) -> StoredChunk | None:
    """The last chunk that begins at or before a line, or else the first; None if there is none."""
    before = [chunk for chunk in chunks if chunk.lines and min(chunk.lines) <= line]
    return before[-1] if before else next(iter(chunks), None)


def with_reasons(shown: Sequence[Result], ranked: Sequence[RankedNote]) -> tuple[Result, ...]:
    """The results of `ranked`, in its order; those that were added name the file and its page."""
    files = {place.note_id: result for place, result in zip(ranked, shown, strict=True)}
    return tuple(
        result
        if place.embedded not in files
        else replace(result, reasons=(*result.reasons, _reason(files[place.embedded])))
        for place, result in zip(ranked, shown, strict=True)
    )


def _reason(file: Result) -> Reason:
    """The file that a note embeds: "embeds paper.pdf, page 3"."""
    page = "" if file.page is None else f", page {file.page}"
    return Reason("embeds", f"embeds {PurePosixPath(file.path).name}{page}")
