"""Finds the passage that an id means, and the nearest one to an id that is stale."""

from __future__ import annotations

from collections.abc import Sequence

from notewell.base.errors import StalePassageError, UsageError
from notewell.base.types import StoredChunk
from notewell.contract.notes import NoteRequest
from notewell.index.port import IndexReader
from notewell.search.show.blocks import address_of

_LEAST_DIGITS = 8


def asked_for(index: IndexReader, request: NoteRequest) -> tuple[str, StoredChunk | None]:
    """The path of the note that is asked for, and its passage if an id asked for one.

    Raises:
        UsageError: neither a path nor an id is given, or both.
        StalePassageError: the id means no passage, or one with another hash; it names the nearest.

    """
    if (request.path is None) == (request.id is None):
        raise UsageError("Give `path`, the note's, or `id`, that of a passage.")
    if request.id is None:
        return request.path or "", None
    path, _, number = request.id.rpartition("#")
    note = index.note_at(path)
    chunks = () if note is None else index.chunks_of(note.id)
    found = next((one for one in chunks if one.ordinal == int(number)), None)
    if found is not None and found.text_hash.hex().startswith(request.hash or ""):
        return path, found
    nearest = _nearest(index, path, chunks, int(number), request.hash)
    why = "there is no such passage" if found is None else "it is another passage by now"
    raise StalePassageError(
        f"{request.id} is stale: {why}; "
        + (f"the nearest one is {nearest}" if nearest else "search for its text again")
        + ".",
        nearest=nearest,
    )


def _nearest(
    index: IndexReader, path: str, chunks: Sequence[StoredChunk], number: int, digits: str | None
) -> str | None:
    """The id of the passage with this hash, here or in another note; else of the nearest place."""
    if digits is not None and len(digits) >= _LEAST_DIGITS:
        same = [one for one in chunks if one.text_hash.hex().startswith(digits)]
        if same:
            best = min(same, key=lambda one: abs(one.ordinal - number))
            return address_of(best, path)["id"]
        for one in index.chunks_with_hash(digits):
            notes = index.notes([one.note_id])
            if one.note_id in notes:
                return address_of(one, notes[one.note_id].path)["id"]
    if chunks:
        best = min(chunks, key=lambda one: abs(one.ordinal - number))
        return address_of(best, path)["id"]
    return None
