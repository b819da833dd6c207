"""The relative accordion: how much of each note goes into a context, by how near it is to the best.

A note that scores at least 90 % of the best one is taken whole (none above a tenth of the budget,
unless it is the only one), at least 70 % with the passages that matched, at least 35 % with its
headings (ten notes at most); below that it is left out. What is too large for its place is taken
with less. Notes are taken in the order of their scores: of each first one passage, then further
ones, then what stands around them up to a tenth of the budget, then headings. Asked to fill the
budget, what is left of it goes into the best passages of further notes before it goes into what
stands around and into headings.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import pairwise

from notewell.context import blocks
from notewell.context.blocks import Block
from notewell.context.note_texts import NoteTexts, PassageText
from notewell.context.tokens import TokenCounter
from notewell.contract.context import ContextReply, ContextSource, Detail
from notewell.contract.questions import ContextQuestion
from notewell.contract.search import Result, SearchReply
from notewell.index.embedded.index import Index
from notewell.types import CountTokens, SearchRequest, StoredNote, VaultRecord, VaultRules
from notewell.vault.chunk_header import fit_words

FULL, PASSAGES, HEADINGS = 0.9, 0.7, 0.35  # of the best score
LARGEST_SHARE = 0.1  # of the budget, for one whole note beside others
MAX_HEADINGS_NOTES = 10
# A passage that does not fit is cut, unless that leaves less than a reader can use.
LEAST_PASSAGE = 24
# No tokenizer gets this many characters of readable text out of one token; larger files are not
# read to find out that they are too large. Properties come on top.
_BYTES_PER_TOKEN, _PROPERTIES = 16, 4096
_GAP = "[…]"
_SHORTEST_OVERLAP, _LONGEST_OVERLAP = 12, 500  # characters


@dataclass(slots=True)
class _Entry:
    """A note that is taken, by what it shows so far."""

    result: Result
    detail: Detail
    text: str = ""
    shown: list[PassageText] = field(default_factory=list)
    further: tuple[PassageText, ...] = ()
    whole: bool = True  # what is shown was not cut

    def block(self) -> Block:
        """The note as a block; several passages name their headings themselves."""
        heading = self.shown[0].heading if len(self.shown) == 1 else None
        one = self.result
        return Block(one.path, one.title, heading, one.score, self.text)


class Assembler:
    """Assembles contexts from one vault. Any thread may call."""

    def __init__(
        self,
        index: Index,
        vault: VaultRecord,
        rules: VaultRules,
        search: Callable[[SearchRequest], SearchReply],
        tokens: TokenCounter,
    ) -> None:
        """`search` is the vault's ordinary one."""
        self._index = index
        self._vault = vault
        self._texts = NoteTexts(index, vault, rules)
        self._search = search
        self._count = tokens

    def assemble(self, asked: ContextQuestion) -> ContextReply:
        """The context for a question.

        Raises:
            QueryTooLongError: more characters than a query may have.
            IndexFailure: the index does not read.

        """
        found = self._search(
            SearchRequest(
                asked.q, limit=asked.sources, mode=asked.mode, plain=asked.plain, door=asked.door
            )
        )
        taking = _Taking(self._index, self._texts, self._count, asked.budget_tokens)
        taken = taking.take(found.results, fill=asked.fill)
        text, entries = self._fitted(taken, asked.budget_tokens)
        return ContextReply(
            query=asked.q,
            vault=self._vault.name,
            generation=found.generation,
            budget_tokens=asked.budget_tokens,
            tokens=self._count(text),
            tokenizer=self._count.name,
            text=text,
            sources=tuple(self._source(n, entry) for n, entry in enumerate(entries, 1)),
            left_out=found.total - len(entries),
            confidence=found.confidence,
            warnings=found.warnings,
        )

    def _fitted(self, entries: list[_Entry], budget: int) -> tuple[str, list[_Entry]]:
        """The text within the budget to the token, whatever a tokenizer makes of the seams."""
        while entries:
            text = blocks.render(entry.block() for entry in entries)
            if self._count(text) <= budget:
                return text, entries
            entries = entries[:-1]
        return "", []

    def _source(self, n: int, entry: _Entry) -> ContextSource:
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


class _Taking:
    """Decides for the notes of one search what to take, while the budget lasts."""

    def __init__(self, index: Index, texts: NoteTexts, count: CountTokens, budget: int) -> None:
        self._index = index
        self._texts = texts
        self._count = count
        self._budget = budget
        self._left = budget - count("Sources:")

    def take(self, results: tuple[Result, ...], *, fill: bool) -> list[_Entry]:
        """What is taken, in the order of the results."""
        best = results[0].score if results else 0.0
        near = [one for one in results if best > 0 and one.score >= _least(HEADINGS, best)]
        share = self._budget if len(near) == 1 else int(self._budget * LARGEST_SHARE)
        taken: dict[str, _Entry] = {}
        for one, note in self._notes(near):
            entry = self._whole(one, note, share) if one.score >= _least(FULL, best) else None
            if entry is None and one.score >= _least(PASSAGES, best):
                entry = self._passage(one, note)
            if entry is not None:
                taken[one.path] = entry
        self._further(taken, _least(PASSAGES, best))
        if fill:
            self._add(taken, near, self._passage)
        self._around(taken, share)
        self._add(taken, near, self._outline, at_most=MAX_HEADINGS_NOTES)
        return [taken[one.path] for one in near if one.path in taken]

    def _add(
        self,
        taken: dict[str, _Entry],
        near: list[Result],
        make: Callable[[Result, StoredNote], _Entry | None],
        at_most: int | None = None,
    ) -> None:
        """Take more of the notes that are near, best first, as far as there is room."""
        rest = [one for one in near if one.path not in taken]
        for one, note in list(self._notes(rest))[:at_most]:
            entry = make(one, note)
            if entry is not None:
                taken[one.path] = entry

    def _notes(self, results: list[Result]) -> Iterator[tuple[Result, StoredNote]]:
        for one in results:
            note = self._index.note_at(one.path)
            if note is not None:
                yield one, note

    def _whole(self, one: Result, note: StoredNote, share: int) -> _Entry | None:
        """The whole note, if it is small enough for its share and for what is left."""
        limit = min(share, self._left)
        if note.size > limit * _BYTES_PER_TOKEN + _PROPERTIES:
            return None
        text = self._texts.full(note)
        return self._if_it_fits(_Entry(one, "full", text), limit) if text else None

    def _passage(self, one: Result, note: StoredNote) -> _Entry | None:
        """The note's best passage, cut where there is not enough room for all of it."""
        passages = self._texts.passages(note, one)
        if not passages:
            return None
        best, *further = passages
        whole = _Entry(one, "passages", best.before + best.text, [best], tuple(further))
        fits = self._if_it_fits(whole, self._left)
        if fits is not None:
            return fits
        room = self._left - self._cost(_Entry(one, "passages", "…", [best]))
        if room < LEAST_PASSAGE:
            return None
        text, _ = fit_words(blocks.neutral(best.text), self._count, room)
        cut = _Entry(one, "passages", f"{text} …", [best], whole=False)
        return self._if_it_fits(cut, self._left)

    def _further(self, taken: dict[str, _Entry], least: float) -> None:
        """Add the further passages of what is taken, best first, while there is room."""
        waiting = [
            (passage, entry)
            for entry in taken.values()
            for passage in entry.further
            if passage.score >= least
        ]
        for passage, entry in sorted(waiting, key=lambda pair: -pair[0].score):
            self._grow(entry, passage, self._budget)

    def _around(self, taken: dict[str, _Entry], share: int) -> None:
        """Add what stands around the passages, up to a note's share of the budget."""
        entries = [entry for entry in taken.values() if entry.detail == "passages"]
        for one, note in self._notes([entry.result for entry in entries]):
            entry = taken[one.path]
            for passage in self._texts.around(note, entry.shown) if entry.whole else ():
                self._grow(entry, passage, share)

    def _grow(self, entry: _Entry, passage: PassageText, limit: int) -> None:
        """Add a passage to an entry if there is room, and the entry's text keeps to `limit`."""
        shown = sorted([*entry.shown, passage], key=lambda one: one.ordinal)
        text = _joined(shown)
        tokens = self._count(blocks.neutral(text))
        more = tokens - self._count(blocks.neutral(entry.text))
        if more <= self._left and tokens <= limit:
            self._left -= max(more, 0)
            entry.text = text
            entry.shown.append(passage)

    def _outline(self, one: Result, note: StoredNote) -> _Entry | None:
        return self._if_it_fits(_Entry(one, "headings", self._texts.headings(note)), self._left)

    def _if_it_fits(self, entry: _Entry, limit: int) -> _Entry | None:
        """The entry, paid for, if it costs at most `limit`."""
        cost = self._cost(entry)
        if cost > limit:
            return None
        self._left -= cost
        return entry

    def _cost(self, entry: _Entry) -> int:
        """Tokens of the block and of its line in the list; two digits stand for any number."""
        block = entry.block()
        return self._count(block.render(10)) + self._count(block.source(10))


def _least(share: float, best: float) -> float:
    """The score that is `share` of the best one; what is rounding counts as reached."""
    return share * best - 1e-9


def _joined(passages: list[PassageText]) -> str:
    """Passages in the order of the note, each under its heading, gaps marked."""
    parts: list[str] = []
    for before, passage in pairwise([None, *passages]):
        if passage is None:
            continue
        text = passage.before + passage.text
        if before is not None and before.ordinal + 1 == passage.ordinal:
            text = _without_repetition(before.before + before.text, text)
        elif before is not None:
            parts.append(_GAP)
        if passage.heading and (before is None or before.heading != passage.heading):
            parts.append(f"# {passage.heading}")
        parts.append(text)
    return "\n".join(part for part in parts if part)


def _without_repetition(before: str, text: str) -> str:
    """`text` without its beginning, if `before` ends with that: pieces of a section overlap."""
    for size in range(min(len(before), len(text), _LONGEST_OVERLAP), _SHORTEST_OVERLAP - 1, -1):
        if before.endswith(text[:size]):
            return text[size:].lstrip()
    return text
