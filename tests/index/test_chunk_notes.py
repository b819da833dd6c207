"""Which note a chunk belongs to, after any changes."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from notewell.index.batch import Changes, WrittenChunk, WrittenNote
from notewell.index.embedded.structures import ChunkNotes
from notewell.index.lexical import placeholder_id
from tests.index.conftest import Material

PUT = Material().note("A.md", "apple")
CHUNK = PUT.chunks[0]


@given(
    steps=st.lists(
        st.tuples(st.lists(st.integers(1, 9), unique=True), st.lists(st.integers(0, 4))), max_size=6
    )
)
def test_the_notes_of_chunks_are_right_after_every_change(
    steps: list[tuple[list[int], list[int]]],
) -> None:
    """Each step puts or removes notes: with so many chunks, none at all, or not at all."""
    nothing = np.empty(0, np.int64)
    mapping, held, newest = ChunkNotes(nothing, nothing), {}, 0
    for notes, counts in steps:
        gone, puts, added_to, removed = [], {}, [], []
        for note, count in zip(notes, counts, strict=False):
            old = [chunk for chunk, owner in held.items() if owner == note]
            removed += [chunk for chunk in old if chunk < placeholder_id(0)]
            held = {chunk: owner for chunk, owner in held.items() if owner != note}
            if count == 4:
                gone.append(note)
                continue
            added = list(range(newest + 1, newest + 1 + count))
            newest += count
            puts[note] = WrittenNote(
                PUT, tuple(WrittenChunk(each, CHUNK, None) for each in added), True
            )
            added_to += [(chunk, note) for chunk in added]
            if not added:
                added = [placeholder_id(note)]
            held |= dict.fromkeys(added, note)
        mapping = mapping.changed(
            Changes(gone=gone, puts=puts, chunks_added=added_to, chunks_removed=removed)
        )
        assert mapping.ids.tolist() == sorted(held)
        assert mapping.notes.tolist() == [held[chunk] for chunk in sorted(held)]
