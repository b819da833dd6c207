"""A note as replies show it: its text, passages, links; and the note that a request names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from notewell.base.errors import NotFoundError, StalePassageError, UnreadableNoteError, UsageError
from notewell.base.types import (
    Link,
    StoredChunk,
    VaultRecord,
)
from notewell.contract.fields import iso
from notewell.contract.notes import (
    BlockView,
    ChunkView,
    HeadingView,
    LinkView,
    NoteReply,
    NoteRequest,
)
from notewell.engine.replies import ledger_row
from notewell.index.port import IndexReader
from notewell.search.query.find_note import find_note
from notewell.search.show.blocks import address_of
from notewell.vault.sources import Source

_LEAST_DIGITS = 8


def note_reply(
    index: IndexReader,
    vault: VaultRecord,
    source: Source,
    path: str,
    passage: StoredChunk | None = None,
) -> NoteReply:
    """A note as it is in its source, with its data in the index; `passage` is the one asked for."""
    stored = find_note(index, path)
    try:
        read = source.read(source.stamp(stored.path))
    except UnreadableNoteError as error:
        if error.code != "vanished":
            raise
        raise NotFoundError(
            f"{stored.path} is in the index and no longer in the vault; the index will follow."
        ) from error
    note = read.note
    entries = index.ledger(path=stored.path)
    return NoteReply(
        vault=vault.name,
        path=stored.path,
        title=note.title,
        aliases=note.aliases,
        tags=note.tags,
        description=note.description,
        content=read.text,
        properties=note.properties,
        headings=tuple(HeadingView(h.level, h.text, h.line) for h in note.headings),
        links_out=_links_out(index, stored.id),
        links_in=_links_in(index, stored.id),
        created=iso(note.created),
        modified=iso(note.modified),
        uri=source.uri(stored.path),
        ledger=ledger_row(entries[0]) if entries else None,
        chunks=tuple(_chunk_view(chunk, stored.path) for chunk in index.chunks_of(stored.id)),
        passage=None if passage is None else _chunk_view(passage, stored.path),
        blocks=tuple(
            BlockView(span.block, (span.lines[0], span.lines[-1]))
            for span in note.spans
            if span.block is not None
        ),
        hash=read.content_hash.hex(),
    )


def _chunk_view(chunk: StoredChunk, path: str) -> ChunkView:
    first, last = min(chunk.lines, default=1), max(chunk.lines, default=1)
    heading = " > ".join(chunk.headings) or None
    address = address_of(chunk, path)
    return ChunkView(
        heading, first, len(chunk.text), address["id"] or "", address["hash"] or "", (first, last)
    )


def _links_out(index: IndexReader, note_id: int) -> tuple[LinkView, ...]:
    links = index.graph.links_out(note_id)
    paths = _paths(index, [target for _, target in links if target is not None])
    return tuple(
        _link_view(link, paths.get(target) if target is not None else None)
        for link, target in links
    )


def _links_in(index: IndexReader, note_id: int) -> tuple[LinkView, ...]:
    links = index.graph.links_in(note_id)
    paths = _paths(index, [source for source, _ in links])
    return tuple(_link_view(link, paths.get(source)) for source, link in links)


def _paths(index: IndexReader, ids: list[int]) -> Mapping[int, str]:
    return {note_id: note.path for note_id, note in index.notes(ids).items()}


def _link_view(link: Link, path: str | None) -> LinkView:
    return LinkView(
        path=path,
        target=link.target,
        display=link.display,
        heading=link.heading,
        block=link.block,
        embed=link.embed,
        kind=link.kind,
        line=link.line,
    )


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
    passage = next((chunk for chunk in chunks if chunk.ordinal == int(number)), None)
    if passage is not None and passage.text_hash.hex().startswith(request.hash or ""):
        return path, passage
    nearest = _nearest(index, path, chunks, int(number), request.hash)
    why = "there is no such passage" if passage is None else "it is another passage by now"
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
        same = [chunk for chunk in chunks if chunk.text_hash.hex().startswith(digits)]
        if same:
            best = min(same, key=lambda one: abs(one.ordinal - number))
            return address_of(best, path)["id"]
        for chunk in index.chunks_with_hash(digits):
            notes = index.notes([chunk.note_id])
            if chunk.note_id in notes:
                return address_of(chunk, notes[chunk.note_id].path)["id"]
    if chunks:
        best = min(chunks, key=lambda chunk: abs(chunk.ordinal - number))
        return address_of(best, path)["id"]
    return None
