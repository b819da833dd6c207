"""Builds the results of a reply from ranked notes: passages, snippets, lines and links."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TypeAlias

from notewell.contract.fields import iso
from notewell.contract.search import Passage, RawScores, Result, Scores
from notewell.index.lexical import placeholder, property_words
from notewell.index.port import IndexReader
from notewell.search.rank import RankedNote
from notewell.search.snippet import Snippets
from notewell.types import StoredChunk, StoredNote
from notewell.vault.nested_lists import item_text, items_around

Uri: TypeAlias = Callable[[str, str | None], str]

_LINK = re.compile(r"\[\[(?:[^\[\]|]*\|)?([^\[\]|]*)\]\]")


def build(
    index: IndexReader, ranked: Sequence[RankedNote], snippets: Snippets, uri: Uri
) -> tuple[Result, ...]:
    """Results in the order of `ranked`; deleted notes are skipped.

    `uri` returns the link that opens a path at an anchor.
    """
    notes = index.notes([note.note_id for note in ranked])
    chunks = index.chunks([chunk_id for note in ranked for chunk_id, _ in note.passages])
    return tuple(
        _result(
            notes[note.note_id], note, _passages(notes[note.note_id], note, chunks, snippets), uri
        )
        for note in ranked
        if note.note_id in notes
    )


def list_notes(
    index: IndexReader, notes: Sequence[StoredNote], snippets: Snippets, uri: Uri
) -> tuple[Result, ...]:
    """Results for notes without scores, each with its first passage."""
    results = []
    for note in notes:
        first = index.chunks_of(note.id)[:1] or (placeholder(note.id),)
        ranked = RankedNote(note.id, 1.0, Scores(), RawScores(), ())
        passages = [_passage(note, chunk, 1.0, snippets, best=True) for chunk in first]
        results.append(_result(note, ranked, passages, uri))
    return tuple(results)


def _passages(
    note: StoredNote,
    ranked: RankedNote,
    chunks: Mapping[int, StoredChunk],
    snippets: Snippets,
) -> list[Passage]:
    found = [(chunks[chunk_id], share) for chunk_id, share in ranked.passages if chunk_id in chunks]
    return [
        _passage(note, chunk, round(ranked.score * share, 6), snippets, best=not place)
        for place, (chunk, share) in enumerate(found)
    ]


def _passage(
    note: StoredNote, chunk: StoredChunk, score: float, snippets: Snippets, *, best: bool
) -> Passage:
    """A passage of the reply.

    If the `best` passage of a note has no word of the query, its snippet is the closest sentence,
    or else the note's description.
    """
    snippet = snippets.make(chunk.text or _summary(note), semantic=best)
    if best and snippets.use_description and note.description and not snippet.highlights:
        snippet = replace(snippets.make(note.description), at=snippet.at)
    line = _line(chunk, snippet.at)
    items = items_around(chunk.text, snippet.at)
    return Passage(
        heading=" > ".join(chunk.headings) or None,
        block=_block(chunk, items, line),
        parent=_parent(chunk, items, snippet.at),
        line=line,
        snippet=snippet.text,
        highlights=snippet.highlights,
        score=score,
    )


def _summary(note: StoredNote) -> str:
    """Text to show for a note without text: its description, else its properties."""
    if note.description:
        return note.description
    named = property_words(note.properties)
    shown = " · ".join(f"{name}: {', '.join(words)}" for name, words in named.items())
    return _LINK.sub(r"\1", shown)


def _line(chunk: StoredChunk, at: int) -> int:
    """Line number in the source of an offset in the passage."""
    if not chunk.lines:
        return 1
    within = chunk.text.count("\n", 0, at)
    return chunk.lines[min(within, len(chunk.lines) - 1)]


def _parent(chunk: StoredChunk, items: tuple[int, ...], at: int) -> str | None:
    """Text of the list item that contains the item of the best match."""
    if len(items) > 1:
        return item_text(chunk.text, items[1])
    # A passage cut out of a list may begin inside an item that is not part of it.
    nested = bool(items) and chunk.text[items[0]].isspace()
    return chunk.parent if nested or "\n" not in chunk.text[:at] else None


def _block(chunk: StoredChunk, items: tuple[int, ...], line: int) -> str | None:
    """Block id at the best match: of its block, else of the nearest list item around it."""
    if not chunk.marks:
        return chunk.block
    for each in (line, *(_line(chunk, item) for item in items)):
        for mark in chunk.marks:
            if mark.first <= each <= mark.last:
                return mark.block
    return None


def _result(note: StoredNote, ranked: RankedNote, passages: Sequence[Passage], uri: Uri) -> Result:
    blank = Passage(None, None, None, 1, note.description or "", (), ranked.score)
    best = passages[0] if passages else blank
    return Result(
        path=note.path,
        title=note.title,
        description=note.description,
        heading=best.heading,
        block=best.block,
        parent=best.parent,
        line=best.line,
        snippet=best.snippet,
        highlights=best.highlights,
        score=ranked.score,
        scores=ranked.scores,
        raw=ranked.raw,
        passages=tuple(passages[1:]),
        tags=note.tags,
        properties=note.properties,
        created=iso(note.created),
        modified=iso(note.modified),
        uri=uri(note.path, best.block),
    )
