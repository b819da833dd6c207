"""Builds the results of a reply from ranked notes: passages, snippets, lines and links.

A result is a note, or on request one of its blocks: a list item or a paragraph.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice
from typing import TypeAlias

import numpy as np

from notewell.base.types import IdArray, Match, StoredChunk, StoredNote
from notewell.contract.fields import iso
from notewell.contract.search import Passage, RawScores, Reason, Result, Scores
from notewell.index.arrays import without
from notewell.index.lexical import placeholder
from notewell.index.port import IndexReader
from notewell.index.shown_text import names_above
from notewell.index.template_lines import is_template
from notewell.search.facts.embeds import embedded_in
from notewell.search.query.note_scope import NO_NOTES, Scope
from notewell.search.query.synonyms import UsedSynonym, names_held
from notewell.search.rank.ranking import RankedNote, Ranking
from notewell.search.rank.retrieve import KeywordResult
from notewell.search.show.blocks import (
    BETWEEN,
    address_of,
    best_blocks,
    block_id,
    further_items,
    line_at,
)
from notewell.search.show.embedding_notes import with_reasons
from notewell.search.show.snippets import FindClosest, Snippets
from notewell.vault.list_items import item_text, items_around
from notewell.vault.properties import properties_text
from notewell.vault.readers import reader_of
from notewell.vault.readers.reader import Anchor
from notewell.vault.readers.transcript import clock
from notewell.vault.sections import headings_at

Uri: TypeAlias = Callable[[str, str | None], str]


def build(
    index: IndexReader,
    ranked: Sequence[RankedNote],
    snippets: Snippets,
    uri: Uri,
    *,
    further: int | None = None,
) -> tuple[Result, ...]:
    """Results in the order of `ranked`; deleted notes are skipped.

    A note that was found by none of its passages shows its first one. Each shows at most `further`
    passages besides its best one; None: all that match.
    `uri` returns the link that opens a path at an anchor.
    """
    places: list[RankedNote] = []
    shown: list[Result] = []
    for note, place, chunks in _with_chunks(index, ranked):
        places.append(place)
        passages = _passages(note, place, chunks, snippets)
        if further is not None:
            passages = islice(passages, further + 1)
        shown.append(_result(index, note, place, list(passages), uri))
    return with_reasons(shown, places)


def build_blocks(
    index: IndexReader,
    ranked: Sequence[RankedNote],
    snippets: Snippets,
    uri: Uri,
    *,
    limit: int,
) -> tuple[Result, ...]:
    """The matching list items and paragraphs of the notes as results, at most `limit`, best first.

    The score of a block is the score of its note, times the weight of the query's words in the
    block relative to the note's best block. So the best block of a note has the note's score, and
    notes stay in their order. A note without words of the query is one result: its best passage.
    """
    results: list[Result] = []
    for note, place, chunks in _with_chunks(index, ranked):
        blocks = best_blocks((chunk for chunk, _ in chunks), snippets)
        shown = [
            block.passage(
                snippets,
                round(place.score * block.weight / blocks[0].weight, 6),
                note.path,
                block.breadcrumb(partial(index.chunks_of, note.id)),
            )
            for block in blocks
        ]
        shown = shown or list(islice(_passages(note, place, chunks[:1], snippets), 1))
        results += [
            _result(index, note, replace(place, score=passage.score), [passage], uri)
            for passage in shown
        ]
    results.sort(key=lambda result: -result.score)
    return tuple(results[:limit])


def _with_chunks(
    index: IndexReader, ranked: Sequence[RankedNote]
) -> Iterator[tuple[StoredNote, RankedNote, Sequence[tuple[StoredChunk, float]]]]:
    """The notes that still exist, in order, each with its chunks and their shares of the score."""
    notes = index.notes([note.note_id for note in ranked])
    bare = index.first_chunks([note.note_id for note in ranked if not note.passages])
    ranked = [
        replace(note, passages=((bare[note.note_id].id, 1.0),)) if note.note_id in bare else note
        for note in ranked
    ]
    chunks = index.chunks([chunk_id for note in ranked for chunk_id, _ in note.passages])
    for place in ranked:
        if place.note_id in notes:
            own = [(chunks[at], share) for at, share in place.passages if at in chunks]
            yield notes[place.note_id], place, _telling(index, own)


def _telling(
    index: IndexReader, chunks: Sequence[tuple[StoredChunk, float]]
) -> Sequence[tuple[StoredChunk, float]]:
    """The chunks without those that are all template, such as a footer: they show nothing.

    A short passage is embedded with its note's title and tags and little else, so it comes near
    to queries that name them. If nothing is left, the first other passage of the note is shown.
    """
    template = index.keywords.template_lines
    kept = [entry for entry in chunks if not is_template(entry[0].text, template)]
    if kept or not chunks:
        return kept
    others = index.chunks_of(chunks[0][0].note_id)
    first = next((other for other in others if not is_template(other.text, template)), None)
    return chunks if first is None else [(first, 1.0)]


def list_notes(
    index: IndexReader,
    notes: Sequence[StoredNote],
    snippets: Snippets,
    uri: Uri,
    *,
    match: Match | None = None,
    finds: FindClosest | None = None,
) -> tuple[Result, ...]:
    """Results for notes without scores, each with its first passage.

    With `finds` it is the first passage in which that finds something, if there is one. `match` is
    that of notes beside others that have scores; theirs is 0.
    """
    results = []
    score = 1.0 if match is None else 0.0
    first = index.first_chunks([note.id for note in notes])
    for note in notes:
        chunk = first.get(note.id) or placeholder(note.id)
        if finds is not None:
            chunk = next((chunk for chunk in index.chunks_of(note.id) if finds(chunk.text)), chunk)
        ranked = RankedNote(note.id, score, Scores(), RawScores(), (), match=match)
        passage = _passage(note, chunk, 1.0, snippets, best=True)
        results.append(_result(index, note, ranked, [passage], uri))
    return tuple(results)


def _passages(
    note: StoredNote,
    ranked: RankedNote,
    chunks: Sequence[tuple[StoredChunk, float]],
    snippets: Snippets,
) -> Iterator[Passage]:
    """A passage for each chunk, and one for each further list item in it that matches.

    Each is made when it is asked for.
    """
    for place, (chunk, share) in enumerate(chunks):
        score = ranked.score * share
        shown = _passage(note, chunk, round(score, 6), snippets, best=not place)
        yield shown
        for item, part in further_items(chunk, snippets, shown.line):
            yield item.passage(snippets, round(score * part, 6), note.path, item.nearest_parent())


def _passage(
    note: StoredNote, chunk: StoredChunk, score: float, snippets: Snippets, *, best: bool
) -> Passage:
    """A passage of the reply.

    If the `best` passage of a note has no word of the query, its snippet is the closest sentence,
    or else the note's description. A note that is nothing but its title shows its properties.
    """
    names = names_above(note.title, chunk.headings)
    snippet = snippets.make(
        chunk.text, names=names, lines=chunk.lines, stored=chunk.shown, semantic=best
    )
    if best and snippets.use_description and note.description and not snippet.highlights:
        snippet = replace(snippets.make(note.description), at=snippet.at)
    if not snippet.text:
        snippet = replace(snippets.make(properties_text(note.properties)), at=snippet.at)
    line = line_at(chunk, snippet.at)
    items = items_around(chunk.text, snippet.at)
    return Passage(
        heading=BETWEEN.join(headings_at(chunk, snippet.at)) or None,
        block=block_id(chunk, items, line),
        parent=_parent(chunk, items, snippet.at),
        line=line,
        snippet=snippet.text,
        highlights=snippet.highlights,
        score=score,
        **address_of(chunk, note.path),
    )


def _parent(chunk: StoredChunk, items: tuple[int, ...], at: int) -> str | None:
    """Text of the list item that contains the item of the best match."""
    if len(items) > 1:
        return item_text(chunk.text, items[1])
    # A passage cut out of a list may begin inside an item that is not part of it.
    nested = bool(items) and chunk.text[items[0]].isspace()
    return chunk.parent if nested or "\n" not in chunk.text[:at] else None


def _result(
    index: IndexReader,
    note: StoredNote,
    ranked: RankedNote,
    passages: Sequence[Passage],
    uri: Uri,
) -> Result:
    blank = Passage(None, None, None, 1, note.description or "", (), ranked.score)
    best = passages[0] if passages else blank
    address = uri(note.path, best.block)
    reader = reader_of(note.path)
    others = passages[1:]
    if reader is not None and reader.anchor != "line":
        best, *others = [_with_own_address(passage, reader.anchor) for passage in (best, *others)]
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
        passages=tuple(others),
        tags=note.tags,
        properties=note.properties,
        created=iso(note.created),
        modified=iso(note.modified),
        uri=address,
        match=ranked.match,
        children=best.children,
        page=best.page,
        node=best.node,
        seconds=best.seconds,
        embedded_in=embedded_in(index, note),
        id=best.id,
        hash=best.hash,
        lines=best.lines,
        mtime=iso(note.mtime_ns / 1e9) if note.mtime_ns else None,
    )


def _with_own_address(passage: Passage, anchor: Anchor) -> Passage:
    """The passage of a page or node with its number or name, which is stored as a block's id."""
    if passage.block is None:
        return passage
    if anchor == "node":
        return replace(passage, node=passage.block)
    if anchor == "time":
        seconds = int(passage.block)
        return replace(passage, block=None, heading=clock(seconds), seconds=seconds)
    page = int(passage.block) if passage.block.isdecimal() else None
    return replace(passage, block=None, page=page)


def latest(index: IndexReader, ids: IdArray) -> list[StoredNote]:
    """The notes with these ids, those that were modified last first."""
    wanted = set(ids.tolist())
    listed = [note for note in index.all_notes() if note.id in wanted]
    listed.sort(key=lambda note: (-(note.modified or 0.0), note.path))
    return listed


def without_words(
    scope: Scope, keyword: KeywordResult, ranking: Ranking, shown: Sequence[RankedNote]
) -> IdArray:
    """Ids of the notes that meet a query although neither words nor meaning found them."""
    if scope.notes is None:
        return NO_NOTES
    note_ids = [note.note_id for note in shown]  # also those that are shown for a file in them
    found_ids = np.concatenate((ranking.notes.ids, keyword.matches.note_ids, note_ids))
    return without(scope.notes, found_ids.astype(np.int64))


def list_unscored(
    index: IndexReader, others: IdArray, room: int, snippets: Snippets, uri: Uri
) -> tuple[Result, ...]:
    """Results for the latest of the `others`, which come after those with scores."""
    if room <= 0 or not len(others):
        return ()
    return list_notes(index, latest(index, others)[:room], snippets, uri, match="related")


def with_synonyms(
    index: IndexReader,
    shown: Sequence[Result],
    ranked: Sequence[RankedNote],
    used: Sequence[UsedSynonym],
) -> tuple[Result, ...]:
    """The results; those that have another name than the query, of the user's synonyms, say so."""
    ids = [place.note_id for place in ranked]
    reasons: dict[str, list[Reason]] = {}
    notes = index.notes(ids)
    for note_id, synonym in names_held(index.keywords, used, ids):
        if note_id in notes:
            reasons.setdefault(notes[note_id].path, []).append(Reason("synonym", synonym.text))
    return tuple(
        replace(result, reasons=(*result.reasons, *reasons.get(result.path, ())))
        for result in shown
    )
