"""Keeps orders that hold for every query, whatever the sum of the evidence says.

The sum weighs words against meaning by constants that were fitted, and a fit breaks where a vault
is unlike those it was made on. So some orders are kept by construction (docs/search.md has them in
plain words), by raising the notes that would break them just far enough:

1. Where few notes have all content words of the query together, they come before every note that
   has none of them.
2. A note whose name is the query comes first.
3. A note with both words together comes before one that is named after one of them and lacks the
   other.
4. The best note by words that has all of them, and a best note by meaning that stands out, are
   among the first three behind the exact names.
5. While no more than two letters are typed, names that begin with them come before all others.

Function words do not count. A word stands for its forms and corrections; one that only begins
another word stands for nothing, but for the unfinished last word while typing.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from notewell.base.types import FloatArray, IdArray
from notewell.base.types.frozen import frozen
from notewell.index.analyze import signed_forms, words
from notewell.index.lexical import QueryTerm
from notewell.index.note_terms import FIELD_BITS, NAME_BITS
from notewell.index.port import KeywordIndex
from notewell.search.facts.word_list import is_spaced
from notewell.search.query.terms import Terms, function_words, says_little
from notewell.search.rank.candidates import or_zero
from notewell.search.rank.evidence import NoteEvidence
from notewell.search.rank.ranking import Scored

Flags = npt.NDArray[np.bool_]
FindTogether = Callable[[IdArray], IdArray]  # those of some notes with all words in one passage

_FEW_SHARE = 0.01  # of the notes, up to which those with all words are few
_PAIR = (2, 3)  # content words of a query whose names count by them all
_BEHIND_NAMES = 3  # places in which the best notes of both halves are
_LEAD = 0.05  # of the best cosine before the next note's, from which it stands out
# The log-odds of a note by its meaning alone from which it stands out, and from which
# it is shown whatever else speaks against it.
_STANDS_OUT, _IS_SHOWN = 0.0, 3.0
# The cosine, of all-MiniLM-L6-v2, below which a note without any content word is no result:
# unrelated texts have 0.03 and deviate by 0.08.
_LEAST_COSINE = np.float32(0.2)
# The same below "Nothing has this word": *travel* and Trips (.51), *diary* and Journal (.36) have
# more; *plumber* and a list of names (.32), the nearest of a thousand passages, has less.
_LEAST_COSINE_OF_WORD = np.float32(0.34)
# The same of two or three words that all are unknown: of the sample vault, *automobile repair* and
# the log of a bicycle's repairs have .29, *zebra quokka* and the nearest note .25.
_LEAST_COSINE_OF_WORDS = np.float32(0.28)
_FEW_UNKNOWN = 3  # words that are told as such; a longer text is a description
_FEWEST_QUOTED = 3  # different function words of a query that is taken for a quotation
_MOST_HEADED = 3  # notes of whose headings one may be the query
_HEADING_BIT = np.uint16(FIELD_BITS["headings"])
_LABEL_BITS = NAME_BITS | _HEADING_BIT | np.uint16(FIELD_BITS["tags"])
# The cosine of a note that is the best by meaning, from which it is a strong match.
_SURE_COSINE = np.float32(0.5)
_EQUAL = np.float32(0.9999)  # of the best BM25; sums differ in their last digits
_FEW_LETTERS = 2  # typed, that tell no more than how a name begins
_LIFT = np.float32(0.01)  # above a bar, at most; sums are about 1 to 10


@frozen
class ContentWords:
    """The content words of a query that the vault has: the tokens that say each of them.

    `lacking` are those that it does not have. `count` counts all. `quotation`: the words in
    order, of a query that has nothing but function words and the like.
    """

    groups: tuple[tuple[str, ...], ...]
    count: int
    lacking: tuple[str, ...] = ()
    quotation: tuple[str, ...] = ()

    @property
    def all_known(self) -> bool:
        """True if the vault has each of them."""
        return not self.lacking

    @property
    def all_unknown(self) -> tuple[str, ...]:
        """The content words, if they are few and the vault has none of them."""
        few = self.count == len(self.lacking) <= _FEW_UNKNOWN
        return self.lacking if few else ()


def content_words_of(
    terms: Terms, text: str, *, typing: bool, dates: Collection[str] = ()
) -> ContentWords:
    """The content words of a query, without those of a date that it names.

    While typing, the last word stands for what it begins. A name with a sign counts with it: `.NET`
    is not a net.
    """
    signed = {form.strip(".+#%"): form for form in signed_forms(text) if form not in terms.unknown}
    written = tuple(words(text))
    ordered = tuple(dict.fromkeys(written))
    light = function_words(ordered) | {word for word in ordered if says_little(word)}
    only_light = len(light) == len(ordered)
    if only_light:
        light = frozenset()  # "to do", "The One" and "Now" are names of notes
    last = ordered[-1] if typing and ordered and text[-1:].isalnum() else None
    groups: list[tuple[str, ...]] = []
    lacking: list[str] = []
    count = 0
    for word in ordered:
        if word in dates or (word in light and word != last):
            continue
        count += 1
        if word in signed:
            groups.append((signed[word],))
            continue
        group = terms.alternatives.get(word, {word: 1.0})
        if word in terms.begun and word != last:
            group = {token: 1.0 for token in group if token == word}
        known = tuple(token for token in group if token not in terms.unknown)
        if known:
            groups.append(known)
        else:
            lacking.append(word)
    quotation = written if only_light and count >= _FEWEST_QUOTED else ()
    return ContentWords(tuple(groups), count, tuple(lacking), quotation)


def is_beginning(text: str, *, typing: bool) -> bool:
    """Tell whether a query is so few letters, still being typed, that only names can be meant.

    Not in a script without spaces, where two characters are a word.
    """
    return typing and len(text) <= _FEW_LETTERS and is_spaced(text)


def fields_with_words(
    keywords: KeywordIndex, groups: Sequence[Sequence[str]], ids: IdArray
) -> npt.NDArray[np.uint16]:
    """The fields of each note that have any token of each group: bits (notes, groups)."""
    tokens = list(dict.fromkeys(token for group in groups for token in group))
    masks = keywords.fields_of([QueryTerm(token, 1.0) for token in tokens], ids).masks
    column = {token: at for at, token in enumerate(tokens)}
    fields = np.zeros((len(ids), len(groups)), np.uint16)
    for at, group in enumerate(groups):
        fields[:, at] = np.bitwise_or.reduce(masks[:, [column[token] for token in group]], axis=1)
    return fields


@dataclass(frozen=True, slots=True, eq=False)
class HeldWords:
    """Masks of the candidates (n,) that hold content words of the query, `count` of them.

    `together`: one passage, with the note's names and tags, has all; of no note where the vault
    lacks a word. `without`: the note has none anywhere. `named`: a name has one, and the note lacks
    another everywhere. `headed`: a heading is the query, which few notes have. `labelled`: its
    names, headings and tags say all.
    """

    count: int
    together: Flags
    without: Flags
    named: Flags
    headed: Flags
    labelled: Flags

    @classmethod
    def of(
        cls,
        keywords: KeywordIndex,
        content: ContentWords,
        ids: IdArray,
        find_together: FindTogether,
        find_headed: FindTogether | None = None,
    ) -> HeldWords:
        """The content words that notes hold; `find_together` finds those with all in a passage.

        `find_headed` finds those of which a heading is the query.
        """
        groups = content.groups
        fields = fields_with_words(keywords, groups, ids)
        held = fields != 0
        in_name, in_heading = (fields & NAME_BITS) != 0, (fields & _HEADING_BIT) != 0
        everywhere = held.all(axis=1)
        together = everywhere if content.all_known and groups else np.zeros_like(everywhere)
        if len(groups) > 1 and together.any():
            together = everywhere & np.isin(ids, find_together(ids[everywhere]))
        labelled = ((fields & _LABEL_BITS) != 0).all(axis=1)
        labelled &= content.all_known and bool(groups)
        headed = np.logical_and(in_heading.all(axis=1), together)
        is_asked = len(groups) > 1 and 0 < int(headed.sum()) <= _MOST_HEADED
        headed = np.isin(ids, find_headed(ids[headed]) if is_asked and find_headed else ())
        return cls(
            count=len(groups),
            together=np.asarray(together, np.bool_),
            without=np.logical_not(held.any(axis=1)),
            named=np.logical_and(in_name.any(axis=1), np.logical_not(everywhere)),
            headed=headed,
            labelled=labelled,
        )


@dataclass(frozen=True, eq=False)
class Guarantees:
    """Raises notes of one search so that the orders above hold. `notes` counts the vault's notes.

    `odds` (n,) are the log-odds that notes are related, by their meaning alone; None without a
    model. `of_day` (n,) marks the daily notes of a day that the query names, `only_day` says that
    it says nothing else. `templates` (n,) marks templates, unless the query may look for them.
    `quoted` (n,) marks the notes that have a query of function words alone word for word.
    `unknown` are the content words of the query, if they are few and the vault has none of them.
    `by_beginning`: names that begin with the query come first.
    """

    evidence: NoteEvidence
    held: HeldWords
    notes: int
    odds: FloatArray | None = None
    of_day: Flags | None = None
    only_day: bool = False
    templates: Flags | None = None
    unknown: tuple[str, ...] = ()
    quoted: Flags | None = None
    by_beginning: bool = False

    def applied(self, scored: Scored) -> Scored:
        """The scores, with what raises a note added to its coverage: its parts still add up."""
        if scored.addends is None or not len(scored):
            return scored
        total = scored.addends.total
        raised = self.raised(total)
        if raised is total:
            return scored
        addends = replace(scored.addends, coverage=scored.addends.coverage + (raised - total))
        best = float(raised.max()) or 1.0
        fused = replace(scored.fused, fused=raised / np.float32(best))
        return replace(scored, addends=addends, fused=fused, scale=best)

    def raised(self, total: FloatArray) -> FloatArray:
        """The sums (n,), raised where an order would be broken; the same array where none is."""
        # What is raised among the first may pass a note that stands just above them.
        sums = self._by_words(self._among_first(self._by_words(total)))
        if self.templates is not None and self.held.count > 1:
            sums = _above(sums, self.held.together & ~self.templates, self.templates)
        headed = self.held.headed
        if headed.any():
            sums = _above(sums, headed, ~(headed | self._best_by_meaning | self.evidence.is_named))
        if self.of_day is not None and self.only_day:
            sums = _above(sums, self.of_day, ~self.of_day)
        if self.quoted is not None:
            sums = _above(sums, self.quoted, ~self.quoted)
        if self.by_beginning:
            sums = _above(sums, self.evidence.is_named, ~self.evidence.is_named)
        exact = self.evidence.exact
        return _above(sums, exact, ~exact)

    @cached_property
    def never_cut(self) -> Flags:
        """Mask of the best notes by words and by meaning, which no list leaves out."""
        kept = self._best_by_meaning
        if self.odds is not None:
            kept = kept & (self.odds >= _IS_SHOWN)
        kept = kept | self._best_by_words
        if self.quoted is not None:
            kept = kept | self.quoted
        return kept if self.of_day is None else kept | self.of_day

    def strong(self, likely: Flags, first: int | None) -> Flags:
        """Mask of the strong matches: by its labels, or the first one by its labels or its meaning.

        `likely` (n,) are those that the evidence as a whole says; `first` is the index of the first
        note of the list.
        """
        sure: Flags = self.held.labelled & likely
        if first is not None:
            near = self._best_by_meaning[first] and self.evidence.meaning[first] >= _SURE_COSINE
            sure[first] = self.held.labelled[first] or near
        return sure

    @cached_property
    def filler(self) -> Flags:
        """Mask of the notes that nothing connects with the query: no word, and hardly a meaning."""
        if self.odds is None:
            return np.zeros(len(self.evidence), np.bool_)
        # A few words alone are a little near to something in every vault.
        least = _LEAST_COSINE
        if self.unknown:
            lone = len(self.unknown) == 1
            least = _LEAST_COSINE_OF_WORD if lone else _LEAST_COSINE_OF_WORDS
        far: Flags = self.evidence.meaning < least  # false for a note without a vector
        return far & self._unsaid

    @cached_property
    def _unsaid(self) -> Flags:
        """Mask of the notes whose text and names have no word of the query, and begin with none."""
        return self.held.without & ~(self.evidence.is_named | (self.evidence.names > 0))

    @cached_property
    def _best_by_words(self) -> Flags:
        """Mask of the best notes by words of those that have all together; several may be equal."""
        scores = np.where(self.held.together, or_zero(self.evidence.bm25), np.float32(-1.0))
        best = scores.max(initial=0.0)
        mask: Flags = self.held.together & (scores >= best * _EQUAL)
        return mask

    def _by_words(self, sums: FloatArray) -> FloatArray:
        held, together = self.held, self.held.together
        count = int(together.sum())
        if not count:
            return sums
        # With so many before it, a best note by meaning could not be among the first three: where
        # two orders exclude each other, the sum decides.
        behind = ~self._best_by_meaning if count >= _BEHIND_NAMES else np.ones_like(together)
        if count <= max(1.0, _FEW_SHARE * self.notes):
            sums = _above(sums, together, self._unsaid & behind)
        if _PAIR[0] <= held.count <= _PAIR[1]:
            sums = _above(sums, together, held.named & behind)
        return sums

    @cached_property
    def _best_by_meaning(self) -> Flags:
        """Mask of the note that is nearest by its meaning, if it stands out."""
        mask = np.zeros(len(self.evidence), np.bool_)
        if self.odds is not None and (self.odds >= _STANDS_OUT).any():
            cosines = or_zero(self.evidence.meaning)
            best = int(np.argmax(cosines))
            second = float(np.delete(cosines, best).max(initial=0.0))
            stands_out = self.odds[best] >= _STANDS_OUT
            mask[best] = stands_out and cosines[best] - second >= _LEAD
        return mask

    def _among_first(self, sums: FloatArray) -> FloatArray:
        """The sums with the best note of each half among the first behind exact names."""
        best = self._best_by_meaning | self._best_by_words
        if self.of_day is not None and int(self.of_day.sum()) == 1:
            best |= self.of_day
        names = self.evidence.is_named
        best &= ~names
        others = sums[~(best | names)]
        # As many others may be before; of many that are equal, one among the first is enough.
        before = max(_BEHIND_NAMES - 1 - int(best.sum() > 1), _BEHIND_NAMES - int(best.sum()))
        if len(others) <= before or not best.any():
            return sums
        bar = np.partition(others, len(others) - 1 - before)[len(others) - 1 - before]
        return _raise_notes(sums, np.flatnonzero(best & (sums <= bar)), bar)


def _above(sums: FloatArray, first: Flags, behind: Flags) -> FloatArray:
    """The sums with the `first` notes above those `behind`; their own order stays."""
    if not first.any() or not behind.any():
        return sums
    bar = sums[behind].max()
    return _raise_notes(sums, np.flatnonzero(first & (sums <= bar)), bar)


def _raise_notes(sums: FloatArray, low: IdArray, bar: np.float32) -> FloatArray:
    """The sums with the notes at `low` just above a bar, in their order."""
    if not len(low):
        return sums
    raised = sums.copy()
    share = sums[low] / bar if bar > 0 else np.zeros(len(low), np.float32)
    raised[low] = bar + _LIFT * (np.float32(0.5) + np.float32(0.5) * share)
    return raised
