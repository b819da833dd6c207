"""Assembles the context for a question: how much of each note it gets depends on relative scores.

A note that scores at least 90 % of the best note is included in full (if it needs at most a tenth
of the budget or is the only one), from 70 % with the passages that matched, from 35 % with its
headings (at most ten notes). Below that it is left out. A note that answers together with the best
one comes with its passage, right behind it. A note that does not fit in one way is included in the
next smaller way; the best note always comes, however short.

The budget is spent in this order: one passage of each note, best note first; further passages; the
surroundings of these passages, up to a tenth of the budget for a note; headings. With `fill`,
passages of lower-scoring notes come before surroundings and headings.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from notewell.api import OpenFeature, OpenVault
from notewell.api.errors import NotewellError, NotFoundError
from notewell.api.search import (
    UNLOGGED,
    ContextReply,
    ContextRequest,
    ContextSource,
    Passage,
    Result,
    SearchReply,
    SearchRequest,
)
from notewell.api.types import CountTokens
from notewell.api.vault import IndexReader, Source, StoredChunk, StoredNote
from notewell.base.types import Note
from notewell.contract.companions import CompanionsRequest
from notewell.contract.context import Detail
from notewell.search.show import cited
from notewell.search.show.cited import CitedBlock
from notewell.vault.chunk import fit_words
from notewell.vault.sections import heading_paths

MAX_HEADINGS = 12  # of one note
FULL, PASSAGES, HEADINGS = 0.9, 0.7, 0.35  # of the best score
MAX_NOTE_SHARE = 0.1  # of the budget, for one note among several
MAX_HEADING_NOTES = 10
_COMPANIONS = 2  # notes that answer together with the first one, at most
# A passage that does not fit is cut, but not to fewer tokens than a reader can use.
MIN_PASSAGE_TOKENS = 24
# No tokenizer puts this many bytes of readable text into one token, so a file above this size need
# not be read to know that it does not fit. Properties are allowed for separately.
_MAX_BYTES_PER_TOKEN, _PROPERTIES_BYTES = 16, 4096
_GAP = "[…]"
_MIN_OVERLAP, _MAX_OVERLAP = 12, 500  # characters


@dataclass(frozen=True, slots=True)
class ShownPassage:
    """A passage. `before` is its text above the line of the match, `ordinal` its chunk's."""

    heading: str | None
    line: int
    score: float
    before: str
    text: str
    ordinal: int


class NoteTexts:
    """Reads texts of one vault's notes."""

    def __init__(self, index: IndexReader, source: Source) -> None:
        """Passages and headings come from the index, whole notes from the source."""
        self._index = index
        self._source = source

    def full(self, note: StoredNote) -> str | None:
        """The readable text of the whole note; None if it can no longer be read."""
        try:
            read = self._source.read(self._source.stamp(note.path))
        except NotewellError:
            return None  # deleted since it was indexed; its passages are still in the index
        return "\n".join(_lines(read.note)).strip()

    def passages(self, note: StoredNote, result: Result) -> tuple[ShownPassage, ...]:
        """The distinct passages of a result, best first; its description if it has none."""
        chunks = self._index.chunks_of(note.id)
        best = Passage(
            result.heading,
            result.block,
            result.parent,
            result.line,
            result.snippet,
            result.highlights,
            result.score,
        )
        by_note: dict[int, ShownPassage] = {}
        for passage in (best, *result.passages):
            chunk = _chunk_of(chunks, passage)
            if chunk is not None and chunk.text:
                by_note.setdefault(chunk.ordinal, _text_of(chunk, passage))
        if not by_note and result.snippet:
            return (ShownPassage(result.heading, result.line, result.score, "", result.snippet, 0),)
        return tuple(by_note.values())

    def around(self, note: StoredNote, shown: Sequence[ShownPassage]) -> tuple[ShownPassage, ...]:
        """The passages next to those shown, following before preceding, in the order of `shown`."""
        chunks = {chunk.ordinal: chunk for chunk in self._index.chunks_of(note.id)}
        included = {passage.ordinal for passage in shown}
        adjacent = dict.fromkeys(
            passage.ordinal + step
            for passage in shown
            for step in (1, -1)
            if passage.ordinal + step not in included
        )
        return tuple(
            _whole_chunk(chunks[at]) for at in adjacent if at in chunks and chunks[at].text
        )

    def headings(self, note: StoredNote) -> str:
        """The note's headings, indented by level; its description if it has none."""
        paths = dict.fromkeys(
            path[:depth]
            for chunk in self._index.chunks_of(note.id)
            for path in heading_paths(chunk)
            for depth in range(1, len(path) + 1)
        )
        lines = ["  " * (len(path) - 1) + f"- {path[-1]}" for path in paths]
        if len(lines) > MAX_HEADINGS:
            lines = [*lines[:MAX_HEADINGS], f"- … {len(lines) - MAX_HEADINGS} more"]
        return "\n".join(lines) or note.description or ""


def _lines(note: Note) -> Iterator[str]:
    """The readable text of a note, without a heading that only repeats the title."""
    for span in note.spans:
        if span.kind != "heading":
            yield span.text
            continue
        heading = note.headings[span.section]
        if heading.level > 1 or heading.text != note.title:
            yield f"{'#' * heading.level} {heading.text}"


def _chunk_of(chunks: Sequence[StoredChunk], passage: Passage) -> StoredChunk | None:
    """The chunk that a passage was taken from: with its heading, line and text."""
    with_line = [chunk for chunk in chunks if passage.line in chunk.lines]
    with_heading = [
        chunk for chunk in with_line if passage.heading in map(_heading, heading_paths(chunk))
    ]
    candidates = with_heading or with_line
    shown = passage.snippet.strip("… ")[:40]
    with_text = [chunk for chunk in candidates if shown and shown in " ".join(chunk.text.split())]
    return next(iter(with_text or candidates), None)


def _heading(path: Sequence[str]) -> str | None:
    return " > ".join(path) or None


def _text_of(chunk: StoredChunk, passage: Passage) -> ShownPassage:
    rows = chunk.text.split("\n")
    row = min(chunk.lines.index(passage.line), len(rows) - 1)
    before = "\n".join(rows[:row])
    return ShownPassage(
        passage.heading,
        passage.line,
        passage.score,
        f"{before}\n" if before else "",
        "\n".join(rows[row:]),
        chunk.ordinal,
    )


def _whole_chunk(chunk: StoredChunk) -> ShownPassage:
    line = chunk.lines[0] if chunk.lines else 1
    return ShownPassage(_heading(chunk.headings), line, 0.0, "", chunk.text, chunk.ordinal)


@dataclass(slots=True)
class _IncludedNote:
    """A note in the context, with the text included so far."""

    result: Result
    detail: Detail
    text: str = ""
    shown: list[ShownPassage] = field(default_factory=list)
    further: tuple[ShownPassage, ...] = ()
    whole: bool = True  # no passage was cut

    def block(self) -> CitedBlock:
        """The note as a block; with several passages the headings are in the text instead."""
        heading = self.shown[0].heading if len(self.shown) == 1 else None
        one = self.result
        return CitedBlock(one.path, one.title, heading, one.score, self.text)


class Assembler:
    """Assembles contexts from one vault. Any thread may call."""

    def __init__(self, vault: OpenVault) -> None:
        self._vault = vault
        self._texts = NoteTexts(vault.index, vault.source)
        self._count = vault.count_tokens

    def assemble(self, question: ContextRequest) -> ContextReply:
        """The context for a question.

        Raises:
            QueryTooLongError: more characters than a query may have.
            IndexFailure: the index cannot be read.

        """
        reply = self._vault.ask(
            SearchRequest(
                question.q,
                limit=question.sources,
                mode=question.mode,
                plain=question.plain,
                door=question.door or UNLOGGED,
            )
        )
        selection = _Selection(self._vault.index, self._texts, self._count, question.budget_tokens)
        entries = selection.select(self._with_companions(question, reply), fill=question.fill)
        text, entries = self._fit(entries, question.budget_tokens)
        return ContextReply(
            query=question.q,
            vault=self._vault.record.name,
            generation=reply.generation,
            budget_tokens=question.budget_tokens,
            tokens=self._count(text),
            tokenizer=self._count.name,
            text=text,
            sources=tuple(self._source(n, entry) for n, entry in enumerate(entries, 1)),
            left_out=max(0, reply.total - len(entries)),
            confidence=reply.confidence,
            warnings=reply.warnings,
        )

    def _with_companions(self, question: ContextRequest, reply: SearchReply) -> tuple[Result, ...]:
        """The results, with the notes that answer together with the first one behind it."""
        if not reply.results:
            return ()
        first, *others = reply.results
        request = CompanionsRequest(question.q, first.path, limit=_COMPANIONS)
        try:
            companions = self._vault.ask(request).companions
        except NotFoundError:  # the feature is off
            return reply.results
        least = PASSAGES * first.score  # enough for their passage
        scores = {result.path: result.score for result in others}
        behind = [
            replace(result, score=max(least, scores.get(result.path, 0.0)))
            for result in (companion.result for companion in companions)
        ]
        taken = {result.path for result in behind}
        return (first, *behind, *(result for result in others if result.path not in taken))

    def _fit(self, entries: list[_IncludedNote], budget: int) -> tuple[str, list[_IncludedNote]]:
        """The text, without its last notes if it exceeds the budget.

        The blocks were counted one by one, and joined they may have a few tokens more.
        """
        while entries:
            text = cited.render(entry.block() for entry in entries)
            if self._count(text) <= budget:
                return text, entries
            entries = entries[:-1]
        return "", []

    def _source(self, n: int, entry: _IncludedNote) -> ContextSource:
        one = entry.result
        best = entry.shown[0] if entry.shown else None
        return ContextSource(
            n=n,
            path=one.path,
            title=one.title,
            heading=best.heading if best is not None else one.heading,
            line=best.line if best is not None else one.line,
            score=one.score,
            detail=entry.detail,
            tokens=self._count(entry.block().render(n)),
            uri=one.uri,
        )


def open_feature(vault: OpenVault) -> OpenFeature:
    """The contexts of a vault."""
    return OpenFeature(answers={ContextRequest: Assembler(vault).assemble})


class _Selection:
    """Selects text of the notes found by one search until the budget is spent."""

    def __init__(
        self, index: IndexReader, texts: NoteTexts, count: CountTokens, budget: int
    ) -> None:
        self._index = index
        self._texts = texts
        self._count = count
        self._budget = budget
        self._left = budget - count("Sources:")

    def select(self, results: tuple[Result, ...], *, fill: bool) -> list[_IncludedNote]:
        """The selected notes, in the order of the results."""
        best = results[0].score if results else 0.0
        near = [
            result for result in results if best > 0 and result.score >= _threshold(HEADINGS, best)
        ]
        share = self._budget if len(near) == 1 else int(self._budget * MAX_NOTE_SHARE)
        taken: dict[str, _IncludedNote] = {}
        for near_result, note in self._notes(near):
            entry = (
                self._whole(near_result, note, share)
                if near_result.score >= _threshold(FULL, best)
                else None
            )
            if entry is None and near_result.score >= _threshold(PASSAGES, best):
                entry = self._passage(near_result, note)
            if entry is None and not taken:
                entry = self._shortest(near_result, note)
            if entry is not None:
                taken[near_result.path] = entry
        self._add_further_passages(taken, _threshold(PASSAGES, best))
        if fill:
            self._add_notes(taken, near, self._passage)
        self._add_surroundings(taken, share)
        self._add_notes(taken, near, self._outline, at_most=MAX_HEADING_NOTES)
        return [taken[result.path] for result in near if result.path in taken]

    def _add_notes(
        self,
        taken: dict[str, _IncludedNote],
        near: list[Result],
        make: Callable[[Result, StoredNote], _IncludedNote | None],
        at_most: int | None = None,
    ) -> None:
        """Include more of the notes, best first, while they fit."""
        rest = [result for result in near if result.path not in taken]
        for near_result, note in list(self._notes(rest))[:at_most]:
            entry = make(near_result, note)
            if entry is not None:
                taken[near_result.path] = entry

    def _notes(self, results: list[Result]) -> Iterator[tuple[Result, StoredNote]]:
        for result in results:
            note = self._index.note_at(result.path)
            if note is not None:
                yield result, note

    def _whole(self, one: Result, note: StoredNote, share: int) -> _IncludedNote | None:
        """The whole note, if it fits its share and the rest of the budget."""
        limit = min(share, self._left)
        if note.size > limit * _MAX_BYTES_PER_TOKEN + _PROPERTIES_BYTES:
            return None
        text = self._texts.full(note)
        return self._if_fits(_IncludedNote(one, "full", text), limit) if text else None

    def _passage(
        self, one: Result, note: StoredNote, least: int = MIN_PASSAGE_TOKENS
    ) -> _IncludedNote | None:
        """The note's best passage, cut if it does not fit whole, but not below `least` tokens."""
        passages = self._texts.passages(note, one)
        if not passages:
            return None
        best, *further = passages
        whole = _IncludedNote(one, "passages", best.before + best.text, [best], tuple(further))
        fits = self._if_fits(whole, self._left)
        if fits is not None:
            return fits
        room = self._left - self._cost(_IncludedNote(one, "passages", "…", [best]))
        if room < least:
            return None
        text, _ = fit_words(cited.neutral(best.text), self._count, room)
        cut = _IncludedNote(one, "passages", f"{text} …", [best], whole=False)
        return self._if_fits(cut, self._left)

    def _shortest(self, one: Result, note: StoredNote) -> _IncludedNote | None:
        """The little that fits of the best note: a cut passage, its headings, or its name alone."""
        return (
            self._passage(one, note, least=1)
            or self._outline(one, note)
            or self._if_fits(_IncludedNote(one, "headings"), self._left)
        )

    def _add_further_passages(self, taken: dict[str, _IncludedNote], least: float) -> None:
        """Add further passages of the included notes, best first, while they fit."""
        waiting = [
            (passage, entry)
            for entry in taken.values()
            for passage in entry.further
            if passage.score >= least
        ]
        for passage, entry in sorted(waiting, key=lambda pair: -pair[0].score):
            self._grow(entry, passage, self._budget)

    def _add_surroundings(self, taken: dict[str, _IncludedNote], share: int) -> None:
        """Add the passages next to those included, up to a note's share of the budget."""
        entries = [entry for entry in taken.values() if entry.detail == "passages"]
        for result, note in self._notes([entry.result for entry in entries]):
            entry = taken[result.path]
            for passage in self._texts.around(note, entry.shown) if entry.whole else ():
                self._grow(entry, passage, share)

    def _grow(self, entry: _IncludedNote, passage: ShownPassage, limit: int) -> None:
        """Add a passage if it fits the budget and the entry's text stays within `limit` tokens."""
        shown = sorted([*entry.shown, passage], key=lambda one: one.ordinal)
        text = _join(shown)
        tokens = self._count(cited.neutral(text))
        more = tokens - self._count(cited.neutral(entry.text))
        if more <= self._left and tokens <= limit:
            self._left -= max(more, 0)
            entry.text = text
            entry.shown.append(passage)

    def _outline(self, one: Result, note: StoredNote) -> _IncludedNote | None:
        return self._if_fits(_IncludedNote(one, "headings", self._texts.headings(note)), self._left)

    def _if_fits(self, entry: _IncludedNote, limit: int) -> _IncludedNote | None:
        """The entry, if it has at most `limit` tokens; they are taken from the budget."""
        cost = self._cost(entry)
        if cost > limit:
            return None
        self._left -= cost
        return entry

    def _cost(self, entry: _IncludedNote) -> int:
        """Tokens of the block and its line in the list of sources, numbered with two digits."""
        block = entry.block()
        return self._count(block.render(10)) + self._count(block.source(10))


def _threshold(share: float, best: float) -> float:
    """The score that is `share` of the best one, less a tolerance for rounding."""
    return share * best - 1e-9


def _join(passages: list[ShownPassage]) -> str:
    """Passages in the order given, each under its heading, with gaps marked."""
    parts: list[str] = []
    for before, passage in pairwise([None, *passages]):
        if passage is None:
            continue
        text = passage.before + passage.text
        if before is not None and before.ordinal + 1 == passage.ordinal:
            text = _without_overlap(before.before + before.text, text)
        elif before is not None:
            parts.append(_GAP)
        if passage.heading and (before is None or before.heading != passage.heading):
            parts.append(f"# {passage.heading}")
        parts.append(text)
    return "\n".join(part for part in parts if part)


def _without_overlap(before: str, text: str) -> str:
    """`text` without a beginning that `before` ends with: chunks of a section overlap."""
    for size in range(min(len(before), len(text), _MAX_OVERLAP), _MIN_OVERLAP - 1, -1):
        if before.endswith(text[:size]):
            return text[size:].lstrip()
    return text
