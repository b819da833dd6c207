"""Which title the passages of a note are embedded with, so that a rename embeds nothing.

The header of every passage has the note's title, which is the file's name unless the properties
state one. If a new name went into the headers, each rename would send the whole note to the model
again. So a renamed note keeps the title that its passages were embedded with, until an edit leaves
none of these passages unchanged: then nothing is lost by using the present one. Search by keyword
and by name always uses the present title. Until then the meaning of its passages differs from what
a new index has, so `status` counts such notes, and a full run that somebody asked for embeds them
with their present titles.
"""

from __future__ import annotations

from collections.abc import Callable, Collection

from notewell.base.types import Chunk, ManifestEntry, Note
from notewell.base.types.frozen import frozen

# The chunks of a note with a title in their headers; None: with the note's own.
Cut = Callable[[Note, str | None], tuple[Chunk, ...]]


@frozen
class TitledChunks:
    """The chunks of a note, and the former title in their headers, if it is not the note's."""

    chunks: tuple[Chunk, ...]
    kept_title: str | None


def cut_as_embedded(
    note: Note,
    content_hash: bytes,
    before: ManifestEntry | None,
    cut: Cut,
    hashes_before: Callable[[int], Collection[bytes]],
) -> TitledChunks:
    """Cut a note with the title that its passages were embedded with, where that is of use.

    `before` is the note's state in the index, if its former title may be kept; `hashes_before`
    returns the hashes of the embedded texts of a note by its id.
    """
    if before is None:
        return TitledChunks(cut(note, None), None)
    renamed = before.content_hash == content_hash
    if not renamed and (before.kept_title is None or note.title != before.title):
        return TitledChunks(cut(note, None), None)
    embedded = before.title if before.kept_title is None else before.kept_title
    if embedded == note.title:
        return TitledChunks(cut(note, None), None)
    chunks = cut(note, embedded)
    if not chunks:
        return TitledChunks((), None)
    if not renamed:
        known = hashes_before(before.note_id)
        if not any(chunk.text_hash in known for chunk in chunks):
            return TitledChunks(cut(note, None), None)
    return TitledChunks(chunks, embedded)
