"""Corrects the spelling of a query by the words of the vault.

A word that the vault does not have is replaced by the nearest words that it has. A word that it has
rarely is kept, and a much more frequent word beside it is searched for as well; so is one that the
model knows as a word, unless the vault often has the nearest one beside its neighbour. Words of a
date, and of a language that the vault hardly has, are never corrected. The more frequent
of two equally near words wins, or the one that the vault has beside a neighbour of the query: a
noisy channel in which all edits are equally likely (Kernighan, Church and Gale 1990, "A spelling
correction program based on a noisy channel model").
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import field
from itertools import pairwise
from typing import cast

from notewell.base.types import Embedder, knows_tokens, looks_up
from notewell.base.types.frozen import frozen
from notewell.contract.search import Corrected
from notewell.index.analyze import Token, spans, stem, words
from notewell.index.lexical import QueryTerm
from notewell.index.port import IndexReader
from notewell.search.facts.name_table import NameTable
from notewell.search.facts.word_list import WordListCache, is_word
from notewell.search.query.date_mentions import is_date_word
from notewell.search.query.lexer import lex
from notewell.search.query.word_forms import transliterate

CORRECTION_WEIGHT = 0.5  # of a word at one edit, or made of two; at two edits, half of it
_MAX_CORRECTED = 3  # words per query
_MAX_LOOKED_UP = 6  # words per query
_MAX_CORRECTIONS = 3  # per misspelt word
_MIN_LETTERS = 4  # shorter words have too many neighbours
_FIRST_LETTER = 5  # from this length on, the first letter may be wrong
_TWO_EDITS_LETTERS = 8  # from this length on, words at two edits are considered
_WRONG_START = 0.5  # edits that a wrong first letter adds: it is rarely the mistake
_LEAST_COMMON = 0.02  # of the frequency of the commonest of equally near words
_RARE, _RARE_LETTERS = 3, 5  # passages that have a word that may be a mistake, and its length
_MISTAKES = 0.01  # how often a word is expected to be a mistake for a certain other one
# A correction is taken for a mistake itself where a word at one edit is so much more frequent, and
# it has so many letters: of 23 such words of a community vault 20 were mistakes, of shorter ones
# less than half.
_MUCH_MORE, _MISTAKE_LETTERS = 10, 7
_LIKELY = 0.75  # the share of such words that are mistakes
_OFTEN = 3  # notes that have two words beside each other, from which they belong together
_SAME_END = 2  # letters; where only the last ones differ, it is another form of the word
_PART_LETTERS = 3  # of both parts of a word that should be two
_MOST_HOLDING = 12  # words of which one is a part
# Spellings of one sound in English that are more than one edit apart.
_SOUNDS = (
    *(("ff", "ph"), ("f", "ph"), ("ph", "f"), ("kw", "qu")),
    *(("oh", "ough"), ("uff", "ough"), ("uf", "ough"), ("off", "ough")),
)
_SPLITS = 3  # ways to part a word that are looked up as a phrase


@frozen
class Fix:
    """Words of a query that follow each other, and the text that should stand in their place."""

    words: tuple[str, ...]
    text: str


@frozen
class Spelling:
    """Words that the words of a query may stand for.

    `alternatives` maps a word to the words that it may stand for, by weight; among them it is
    itself where it may be right. `offered`: words to search for as well, by weight. `fixes` make
    the corrected text.
    """

    alternatives: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    offered: Mapping[str, float] = field(default_factory=dict)
    fixes: tuple[Fix, ...] = ()


def is_word_of(model: object) -> Callable[[str], bool] | None:
    """A test whether a model has a word as one token, as it has every common word of its languages.

    None: the model cannot tell. Nor can one of a service, whose tokens are estimated.
    """
    if not knows_tokens(model):
        return None
    count = cast("Embedder", model).count_tokens
    return lambda word: count(word) == 1 and looks_up(model, word)


@frozen
class Speller:
    """Corrects words by the vault's own.

    `names` has words that are never taken for mistakes, however rare. `is_real` says of a word that
    the vault does not have whether it is spelt right all the same. The list of words is only read
    for a query with a word that may be misspelt.
    """

    index: IndexReader
    words: WordListCache
    names: NameTable | None = None
    is_real: Callable[[str], bool] | None = None

    def check(
        self,
        ordered: Sequence[str],
        light: Collection[str],
        *,
        skip: Collection[str] = (),
        foreign: bool = False,
    ) -> Spelling:
        """The spelling of a query's words in order.

        `light` are its function words; `skip` are words that may be unfinished. A `foreign` query
        is in a language that the vault hardly has, whose words are near to its own without being
        mistakes.
        """
        corrections = _Corrections()
        self.index.keywords.expect((*ordered, *map("".join, pairwise(ordered))))
        unknown = {word for word in ordered if not self._count(word)} - set(skip)
        for pair, joined in self._join(ordered, light):
            if unknown.isdisjoint(pair) or self._is_rather_mistyped(unknown & set(pair), joined):
                corrections.offered[joined] = CORRECTION_WEIGHT
            elif corrections.alternatives.keys().isdisjoint(pair):
                corrections.alternatives.update(
                    {word: {joined: CORRECTION_WEIGHT} for word in pair}
                )
                corrections.fixes.append(Fix(pair, self._surface(joined)))
        if foreign:
            return Spelling(corrections.alternatives, corrections.offered, tuple(corrections.fixes))
        rest = (word for word in dict.fromkeys(ordered) if word not in corrections.alternatives)
        doubtful = [word for word in rest if word not in skip and self._is_doubtful(word)]
        for word in doubtful[:_MAX_LOOKED_UP]:
            if len(corrections.fixes) < _MAX_CORRECTED:
                self._correct(word, corrections, _neighbours_of(word, ordered, light, corrections))
        return Spelling(corrections.alternatives, corrections.offered, tuple(corrections.fixes))

    def real_words(self, words: Collection[str]) -> frozenset[str]:
        """Those of some words that are spelt right, although the vault may not have them."""
        return frozenset(word for word in words if self.is_real is not None and self.is_real(word))

    def beside_rare(self, word: str, group: Mapping[str, float]) -> Mapping[str, float]:
        """The words that begin with `word`, and a much more common one if all of them are rare.

        The vault may have the beginning of a mistake as another mistake: `exclidra`, and once
        `exclidraw`.
        """
        counts = [self._count(word) for word in group]
        if len(word) < _RARE_LETTERS or max(counts) > _RARE or not is_word(word):
            return group
        if word in group or any(map(self._is_in_a_name, group)):
            return group
        near = self.corrections(word)
        better = [
            candidate for candidate in near if self._count(candidate) >= _MUCH_MORE * sum(counts)
        ]
        return {**group, **dict.fromkeys(better, CORRECTION_WEIGHT)}

    def within_words(self, unknown: Collection[str]) -> dict[str, Mapping[str, float]]:
        """The words of the vault of which each unknown word is a part, by weight.

        The second part of a compound is looked for without its first: *Maschine*, where the vault
        has *Kaffeemaschine*.
        """
        forms: dict[str, Mapping[str, float]] = {}
        for word in sorted(unknown):
            if len(word) >= _PART_LETTERS and is_word(word):
                known = self.words.current(self.index)
                holding = known.containing(word) or known.containing(transliterate(word) or word)
                counts = {
                    candidate: count for candidate in holding if (count := self._count(candidate))
                }
                if counts:
                    best = sorted(counts, key=lambda each: (-counts[each], each))[:_MOST_HOLDING]
                    forms[word] = dict.fromkeys(best, CORRECTION_WEIGHT)
        return forms

    def other_forms(self, word: str) -> Mapping[str, float]:
        """The words of the vault that differ from `word` in its last letter, by weight.

        In an inflected language a word that begins others may be a form of them that the vault
        does not have: `показателя`, beside `показателям` and `показатель`.
        """
        near = self.corrections(word) if is_word(word) else {}
        return {form: weight for form, weight in near.items() if form[:-1] == word[:-1]}

    def _is_rather_mistyped(self, words: Collection[str], joined: str) -> bool:
        """Tell whether one of the words is rather a mistake for a word far commoner than `joined`.

        The vault may have two words as one once, with the mistake in it: `stylesetings`.
        """
        nearest = (
            self._count(correction) for word in words for correction in self.corrections(word)
        )
        return self._count(joined) < _LEAST_COMMON * max(nearest, default=0)

    def _count(self, word: str) -> int:
        return self.index.keywords.document_frequency(word)

    def _is_doubtful(self, word: str) -> bool:
        """Tell whether the vault does not have a word, or has it rarely and in no name."""
        if len(word) < _MIN_LETTERS or not is_word(word) or is_date_word(word):
            return False
        count = self._count(word)
        if not count:
            return True
        return count <= _RARE and len(word) >= _RARE_LETTERS and not self._is_in_a_name(word)

    def _is_in_a_name(self, word: str) -> bool:
        number = None if self.names is None else self.names.stem_ids.get(stem(word))
        return number is not None and self.names is not None and bool(self.names.df[number])

    def _correct(
        self, word: str, corrections: _Corrections, neighbours: Sequence[tuple[str, str]]
    ) -> None:
        parts: tuple[str, ...] = ()
        known = self._count(word) > 0
        better = self._more_common(word) if known else self._corrections_by_sound(word)
        if not known and self.is_real is not None and self.is_real(word):
            better = {
                candidate: better[candidate]
                for candidate in better
                if self._fits(candidate, neighbours)
            }
        elif not better and not known:
            parts = self._parts(word)
            better = {} if parts else self.corrections(word, edits=2)
        if not known and len(better) > 1:
            likely = sorted(
                better, key=lambda each: self._notes_with(each, neighbours), reverse=True
            )
            better = {candidate: better[candidate] for candidate in likely}
        if parts:
            corrections.alternatives[word] = dict.fromkeys(parts, CORRECTION_WEIGHT)
            corrections.fixes.append(Fix((word,), " ".join(map(self._surface, parts))))
        elif better:
            corrections.alternatives[word] = better
            best = next(candidate for candidate in better if candidate != word)
            corrections.fixes.append(Fix((word,), self._surface(best)))

    def _corrections_by_sound(self, word: str) -> dict[str, float]:
        """The corrections at one edit, after words that sound alike: `graf` is *graph*."""
        spelled = (word.replace(sound, other) for sound, other in _SOUNDS if sound in word)
        alike = [spelling for spelling in dict.fromkeys(spelled) if self._count(spelling)]
        return dict.fromkeys(alike, CORRECTION_WEIGHT) | self.corrections(word)

    def _fits(self, word: str, neighbours: Sequence[tuple[str, str]]) -> bool:
        """Tell whether the vault often has a word beside one of its neighbours in the query."""
        having = map(self.index.keywords.notes_with_phrase, _phrases(word, neighbours))
        return any(len(notes) >= _OFTEN for notes in having)

    def _notes_with(self, word: str, neighbours: Sequence[tuple[str, str]]) -> tuple[int, int]:
        """Count the notes that have a word right beside a neighbour, and with it anywhere.

        Of several neighbours the one with the most notes counts.
        """
        phrases = _phrases(word, neighbours)
        beside = map(self.index.keywords.notes_with_phrase, phrases)
        together = map(self.index.keywords.notes_with_all, phrases)
        return max(map(len, beside), default=0), max(map(len, together), default=0)

    def corrections(self, word: str, *, edits: int = 1) -> dict[str, float]:
        """The nearest words of the vault within some edits, each with its weight, best first."""
        if len(word) < (_MIN_LETTERS if edits == 1 else _TWO_EDITS_LETTERS):
            return {}
        near = self._near(word, edits)
        if (
            word[:-1] in near
            and word[-1] != word[-2]
            and self.index.keywords.terms_with_prefix(word, 1)
        ):
            del near[word[:-1]]  # rather the beginning of a word than one with a letter too many
        if not near:
            return {}
        least = min(distance for distance, _ in near.values())
        equal = {
            candidate: count for candidate, (distance, count) in near.items() if distance == least
        }
        most = max(equal.values())
        ordered = sorted(equal, key=lambda each: (-equal[each], each))
        common = [candidate for candidate in ordered if equal[candidate] >= _LEAST_COMMON * most]
        meant = self._meant_by(common[0]) if edits == 1 else None
        common = list(dict.fromkeys([meant, *common] if meant else common))
        return dict.fromkeys(common[:_MAX_CORRECTIONS], CORRECTION_WEIGHT / edits)

    def _meant_by(self, correction: str) -> str | None:
        """The word that a correction is itself a mistake for: `repetiton`, once in the vault."""
        if len(correction) < _MISTAKE_LETTERS or not self._is_doubtful(correction):
            return None
        others = self._others(correction)
        best = max(others, key=lambda each: (others[each], each), default=None)
        least = _MUCH_MORE * self._count(correction)
        return best if best is not None and others[best] >= least else None

    def _near(self, word: str, edits: int) -> dict[str, tuple[float, int]]:
        """Words within some edits, with their distance and frequency.

        The first letter is nearly always right (Pollock and Zamora 1983, "Collection and
        characterization of spelling errors in scientific and scholarly text"), so another one adds
        to the distance; at two edits it must be right, or swapped with the second.
        """
        near: dict[str, tuple[float, int]] = {}
        for candidate, distance in self.words.current(self.index).near(word, edits).items():
            starts = candidate[0] == word[0] or (
                candidate[0] == word[1] and candidate[1:2] == word[0]
            )
            if starts or (edits == 1 and min(len(candidate), len(word)) >= _FIRST_LETTER):
                count = self._count(candidate)  # the list may have words that are gone
                if count:
                    near[candidate] = (distance + (0.0 if starts else _WRONG_START), count)
        return near

    def _more_common(self, word: str) -> dict[str, float]:
        """The word itself and a much more frequent one that may be meant, by weight."""
        own, others = self._count(word), self._others(word)
        if not others:
            return {}
        best = max(others, key=lambda each: (others[each], each))
        share = others[best] * _MISTAKES / (others[best] * _MISTAKES + own)
        if len(word) >= _MISTAKE_LETTERS and others[best] >= _MUCH_MORE * own:
            share = max(share, _LIKELY)
        return {word: 1.0 - share / 2, best: CORRECTION_WEIGHT} if share > 0.5 else {}

    def _others(self, word: str) -> dict[str, int]:
        """Other words at one edit, with their frequency; no other forms of the word."""
        return {
            candidate: count
            for candidate, (distance, count) in self._near(word, 1).items()
            if distance == 1 and not _is_another_form(word, candidate)
        }

    def _join(
        self, ordered: Sequence[str], light: Collection[str]
    ) -> Iterator[tuple[tuple[str, str], str]]:
        """Neighbouring words that the vault has as one word, and this word."""
        for first, second in dict.fromkeys(pairwise(ordered)):
            joined = first + second
            if first in light or second in light or joined in ordered or not is_word(joined):
                continue
            if len(joined) > _MIN_LETTERS and self._count(joined):
                yield (first, second), joined

    def _parts(self, word: str) -> tuple[str, ...]:
        """Two words that the vault has next to each other, and that make the word together."""
        parts = [
            (word[:at], word[at:]) for at in range(_PART_LETTERS, len(word) - _PART_LETTERS + 1)
        ]
        self.index.keywords.expect([half for pair in parts for half in pair])
        known = {pair: min(map(self._count, pair)) for pair in parts}
        likely = sorted((pair for pair in parts if known[pair]), key=lambda pair: -known[pair])
        phrases = self.index.keywords.notes_with_phrase
        return next((pair for pair in likely[:_SPLITS] if len(phrases(pair))), ())

    def _surface(self, word: str) -> str:
        """A word as the vault writes it, with its accents, in lower case."""
        hits = self.index.keywords.search([QueryTerm(word)], limit=1)
        for chunk in self.index.chunks(hits.chunk_ids.tolist()).values():
            for token in spans(chunk.text):
                if token.text == word:
                    return chunk.text[token.start : token.end].lower()
        return word


@frozen
class _Corrections:
    alternatives: dict[str, Mapping[str, float]] = field(default_factory=dict)
    offered: dict[str, float] = field(default_factory=dict)
    fixes: list[Fix] = field(default_factory=list)

    def meant(self, word: str) -> str:
        """The word that a word of the query stands for most likely."""
        return next(iter(self.alternatives.get(word, ())), word)


def _neighbours_of(
    word: str, ordered: Sequence[str], light: Collection[str], corrections: _Corrections
) -> list[tuple[str, str]]:
    """The content words around a word of the query, as (before, after), "" if there is none.

    A word that was corrected counts as what it stands for.
    """
    content = [other for other in ordered if other == word or other not in light]
    around = ["", *map(corrections.meant, content), ""]
    return [(around[at], around[at + 2]) for at, other in enumerate(content) if other == word]


def _phrases(word: str, neighbours: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """A word with each of its neighbours, in the order of the query."""
    phrases = [(before, word) for before, _ in neighbours if before]
    return phrases + [(word, after) for _, after in neighbours if after]


def _is_another_form(word: str, other: str) -> bool:
    """Tell whether words may be forms of one: they share a stem, a beginning, or all but an end."""
    if stem(word) == stem(other) or word.startswith(other) or other.startswith(word):
        return True
    return sorted(word) != sorted(other) and word[-_SAME_END:] != other[-_SAME_END:]


def correct_text(text: str, fixes: Sequence[Fix]) -> str:
    """`text` with every fix made, in the case of the words that it replaces."""
    wanted = {fix.words: fix.text for fix in fixes}
    corrected = list(words_in_order(text))
    pieces: list[str] = []
    end = at = 0
    while at < len(corrected):
        count = next(
            (n for n in (2, 1) if tuple(t.text for t in corrected[at : at + n]) in wanted), 0
        )
        if count:
            replaced = corrected[at : at + count]
            start, stop = replaced[0].start, replaced[-1].end
            new = wanted[tuple(token.text for token in replaced)]
            pieces += [text[end:start], _in_case_of(text[start:stop], new)]
            end = stop
        at += count or 1
    return "".join(pieces) + text[end:]


def words_in_order(text: str) -> Iterator[Token]:
    """The tokens that `analyze.words` gives, with their offsets."""
    following = words(text)
    at = 0
    for token in spans(text):
        if at < len(following) and token.text == following[at]:
            at += 1
            yield token


def _in_case_of(old: str, new: str) -> str:
    if len(old) > 1 and old.isupper():
        return new.upper()
    return new[:1].upper() + new[1:] if old[:1].isupper() else new


def correct_query(query: str, fixes: Sequence[Fix], *, plain: bool = False) -> Corrected | None:
    """The whole query with its words and phrases corrected; None if nothing is to be corrected.

    Filters and excluded words stay as they are. `plain`: the query has no operators.
    """
    pieces: list[str] = []
    end = 0
    for start, stop in [(0, len(query))] if plain else _find_searched(query):
        pieces += [query[end:start], correct_text(query[start:stop], fixes)]
        end = stop
    text = "".join(pieces) + query[end:]
    if text == query:
        return None
    return {"text": text, "from": tuple(word for fix in fixes for word in fix.words)}


def _find_searched(query: str) -> list[tuple[int, int]]:
    """The parts of a query that are searched for: runs of words, and phrases."""
    parts: list[tuple[int, int]] = []
    in_run = False
    for lexeme in lex(query)[0]:
        is_word = lexeme.kind == "word" and not lexeme.negated
        if is_word and in_run:
            parts[-1] = parts[-1][0], lexeme.end
        elif is_word or (lexeme.kind == "phrase" and not lexeme.negated):
            parts.append((lexeme.start, lexeme.end))
        in_run = is_word
    return parts
