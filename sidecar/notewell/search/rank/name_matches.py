"""Finds notes by their names: titles, file names and aliases, over the whole vault.

The score of a note is that of its best single name, q^2 * t: q is the share of the query that the
name says, t the share of the name that was asked for. Both are shares by inverse document
frequency among names, so words that a vault repeats in its names ("plugin", "obsidian") count
little, however rare they are in its texts.

Things are also asked for by name and kind ("minimal theme"), and a note's folder often says its
kind. So q is 1 too if the query has all words of the name, and the folder's name has all others.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from notewell.base.types import FloatArray, IdArray
from notewell.base.types.frozen import frozen
from notewell.index.analyze import stem, words
from notewell.index.arrays import among, ascending, firsts
from notewell.search.facts.name_table import Floats, Ints, NameTable, name_key
from notewell.search.query.terms import FUNCTION_WORD_WEIGHT, function_words
from notewell.vault.readers import link_name

MOST = 50  # notes found by parts of their names; notes whose name is the query are all found
_MAX_WORDS = 16  # of a longer query, the rarest words are looked up
_MIN_PREFIX = 2  # letters of an unfinished word
_MIN_UNKNOWN_PREFIX = 3  # letters of a word the vault does not have, to take it for a beginning
_MAX_COMPLETED = 200  # names that begin with the query
_MAX_RANKED = 400  # names: eight for each of the best notes, more than notes have
_LAST = "\U0010ffff"
_WHOLE = 1.0 - 1e-9  # a share that is 1 but for rounding
_ONE_WORD = 0.1  # of the score, of a name that says one word of several
_MOST_OF_NAME = 2 / 3  # unless this share of the name was asked for
_NAME_AND_WORD = 0.4  # the least score of a whole name with one more word, such as its kind
_MOST_BESIDE = 3  # content words of a query that may be a name and what kind of thing it is

Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class NameMatches:
    """Notes that a query names, ascending by id.

    `scores` (n,) are above 0 and at most 1. `exact` (n,): the query is one of the note's names.
    `begun` (n,): where the query is the beginning of a name, the share of it that is typed; else 0.
    `said` (n,): a name says every word of the query. `whole` (n,): the query has all words of a
    name, besides others, and is no question.
    """

    note_ids: IdArray
    scores: FloatArray
    exact: npt.NDArray[np.bool_]
    begun: FloatArray
    said: npt.NDArray[np.bool_]
    whole: npt.NDArray[np.bool_]

    def at(self, places: IdArray | npt.NDArray[np.bool_]) -> NameMatches:
        """Some of the notes, by their indices or a mask."""
        return NameMatches(
            self.note_ids[places],
            self.scores[places],
            self.exact[places],
            self.begun[places],
            self.said[places],
            self.whole[places],
        )


_NONE, _NO_FLAGS = np.empty(0, np.float32), np.empty(0, np.bool_)
NO_MATCHES = NameMatches(np.empty(0, np.int64), _NONE, _NO_FLAGS, _NONE, _NO_FLAGS, _NO_FLAGS)


def find_names(
    table: NameTable,
    query: str,
    *,
    alternatives: Mapping[str, Mapping[str, float]] | None = None,
    unknown: Collection[str] = (),
    typing: bool = False,
) -> NameMatches:
    """The notes that `query` names: the best `MOST`, and all that have this name.

    `alternatives` maps words of the query to the words that they may stand for, by weight.
    `unknown` are words that the vault does not have; they may be the beginning of a name's word,
    as the last word may be with `typing`.
    """
    ordered = words(link_name(query))
    if not ordered or not len(table.owners):
        return NO_MATCHES
    unfinished = ordered[-1] if typing and query[-1:].isalnum() else None
    lookup = _Lookup(table, ordered, alternatives or {}, frozenset(unknown), unfinished)
    names, scores, said, whole = lookup.by_words()
    key = name_key(link_name(query))
    first, end = bisect_left(table.keys, key), bisect_left(table.keys, key + "\0")
    same = np.arange(first, end)
    begun, shares = np.empty(0, np.int64), np.empty(0)
    if unfinished or (len(key) >= _MIN_UNKNOWN_PREFIX and lookup.unknown.intersection(ordered)):
        begun, shares = _beginning(table, key, end)
    parts = [(names, scores), (same, np.ones(len(same))), (begun, shares)]
    return _of_notes(
        table.owners[np.concatenate([word for word, _ in parts])],
        np.concatenate([name for _, name in parts]),
        ascending(table.owners[same]),
        (table.owners[begun], shares),
        (
            ascending(table.owners[np.concatenate((names[said], same, begun))]),
            ascending(table.owners[names[whole]]),
        ),
    )


def _beginning(table: NameTable, key: str, first: int) -> tuple[Ints, Floats]:
    """The shortest names that begin with `key`, from place `first` on, ascending.

    Each scores the share that is typed.
    """
    end = bisect_left(table.keys, key + _LAST, first)
    lengths = np.array([*map(len, table.keys[first:end])], np.float64)
    shortest = np.sort(np.argsort(lengths, kind="stable")[:_MAX_COMPLETED])
    return first + shortest, len(key) / lengths[shortest]


def _of_notes(
    owners: IdArray,
    scores: Floats,
    exact: IdArray,
    begun: tuple[IdArray, Floats],
    by_word: tuple[IdArray, IdArray],
) -> NameMatches:
    """The best score of each note, of the best notes and of those with an exact match.

    `begun` are notes with names that the query begins, and the shares of these that are typed;
    `by_word` those with a name that says all of it, and those of which it has a whole name.
    """
    if len(scores) > _MAX_RANKED:
        first_ones = scores >= np.partition(scores, -_MAX_RANKED)[-_MAX_RANKED]
        owners, scores = owners[first_ones], scores[first_ones]
    by_note = np.lexsort((-scores, owners))
    ordered = owners[by_note]
    first = firsts(ordered)  # the best name of each note
    notes, best = ordered[first], scores[by_note[first]]
    shares = np.zeros(len(notes), np.float32)
    starting, typed = begun
    here = among(starting, notes)
    np.maximum.at(shares, np.searchsorted(notes, starting[here]), typed[here].astype(np.float32))
    scored = best.astype(np.float32)
    flags = [among(notes, note_ids) for note_ids in by_word]
    matches = NameMatches(notes, scored, among(notes, exact), shares, *flags)
    if len(notes) <= MOST:
        return matches
    keep = matches.exact.copy()
    keep[np.lexsort((notes, -best, -shares))[:MOST]] = True
    return matches.at(keep)


@frozen
class _Meaning:
    """A stem that a word of the query may stand for.

    `worth`: the share of the word's weight that it says. `typed`: the share of the stem's letters
    that were typed.
    """

    word: str
    stem: int
    worth: float = 1.0
    typed: float = 1.0


@frozen
class _Lookup:
    """Looks the words of one query up in the table."""

    table: NameTable
    ordered: Sequence[str]
    alternatives: Mapping[str, Mapping[str, float]]
    unknown: frozenset[str]
    unfinished: str | None

    def by_words(self) -> tuple[Ints, Floats, Flags, Flags]:
        """Names that have words of the query, their scores, and two flags of each.

        These are whether it says all of the query, and whether the query has all of it (`whole`).
        """
        counts = Counter(self.ordered)
        light = function_words(counts)
        meanings = {word: self._meanings(word) for word in counts}
        weights = {
            word: count
            * (FUNCTION_WORD_WEIGHT if word in light else 1.0)
            * self._idf(meanings[word])
            for word, count in counts.items()
        }
        rarest = sorted(
            (word for word in counts if meanings[word]), key=lambda word: -weights[word]
        )
        wanted = [
            meaning for word in rarest[:_MAX_WORDS] for meaning in meanings[word]
        ] + self._join()
        if not wanted:
            return np.empty(0, np.int64), np.empty(0), _NO_FLAGS, _NO_FLAGS
        return self._score(sorted(wanted, key=lambda one: one.worth * one.typed), weights)

    def _meanings(self, word: str) -> list[_Meaning]:
        known = self.alternatives.get(word) or {word: 1.0}
        most = max(known.values())
        numbered = ((self.table.stem_ids.get(stem(form)), form) for form in known)
        likely = [
            _Meaning(word, number, known[form] / most)
            for number, form in numbered
            if number is not None
        ]
        least = _MIN_PREFIX if word == self.unfinished else _MIN_UNKNOWN_PREFIX
        if (word == self.unfinished or word in self.unknown) and len(word) >= least:
            likely += self._completions(word)
        return likely

    def _completions(self, word: str) -> list[_Meaning]:
        """The words of names that begin with a word."""
        vocabulary, stems = self.table.words, self.table.word_stems
        first = bisect_left(vocabulary, word)
        typed: dict[int, float] = {}
        for place in range(first, bisect_left(vocabulary, word + _LAST, first)):
            number = int(stems[place])
            typed[number] = max(typed.get(number, 0.0), len(word) / len(vocabulary[place]))
        return [_Meaning(word, number, 1.0, share) for number, share in typed.items()]

    def _join(self) -> list[_Meaning]:
        """Words of names that two neighbouring words of the query make together."""
        pairs = dict.fromkeys(pairwise(self.ordered))
        joined = (
            (first, second, self.table.stem_ids.get(stem(first + second)))
            for first, second in pairs
        )
        known = [(first, second, number) for first, second, number in joined if number is not None]
        # It says both words; the letters of the name's word are counted once.
        return [
            meaning
            for first, second, number in known[:_MAX_WORDS]
            for meaning in (_Meaning(second, number, 1.0, 0.0), _Meaning(first, number))
        ]

    def _idf(self, meanings: Sequence[_Meaning]) -> float:
        """The idf of a word by what it stands for; a word that is in no name has the highest."""
        df = sum(int(self.table.df[meaning.stem]) for meaning in meanings)
        return float(self.table.idf_of(np.array(min(df, len(self.table.notes)))))

    def _score(
        self, wanted: Sequence[_Meaning], weights: Mapping[str, float]
    ) -> tuple[Ints, Floats, Flags, Flags]:
        """q^2 * t of all names with a wanted stem; of several stems for a word, the last counts."""
        table = self.table
        stems = np.array([meaning.stem for meaning in wanted])
        which, names, shares = table.names_with(stems)
        seen = np.zeros(len(table.owners), np.bool_)
        seen[names] = True
        seen_names = np.flatnonzero(seen)
        columns = np.empty(len(seen), np.int64)
        columns[seen_names] = np.arange(len(seen_names))
        rows = {word: row for row, word in enumerate({meaning.word: None for meaning in wanted})}
        cells = np.array([rows[meaning.word] for meaning in wanted])[which], columns[names]
        said = np.zeros((len(rows), len(seen_names)))
        said[cells] = np.array([meaning.worth * weights[meaning.word] for meaning in wanted])[which]
        asked = np.zeros((len(rows), len(seen_names)))
        gains = np.where(shares > 0, shares * table.totals[names], table.idf[stems[which]])
        asked[cells] = np.array([meaning.typed for meaning in wanted])[which] * gains
        q = said.sum(axis=0) / sum(weights.values())
        t = np.minimum(1.0, asked.sum(axis=0) / table.totals[seen_names])
        whole = np.flatnonzero((t >= _WHOLE) & (q < _WHOLE))
        q[whole[self._in_folders(seen_names[whole], said[:, whole] > 0, list(rows))]] = 1.0
        scores = q**2 * t
        scores[self._of_one_word(said > 0, list(rows)) & (t < _MOST_OF_NAME)] *= _ONE_WORD
        said_whole = q >= _WHOLE
        asked_whole = self._names_and_kinds(t >= _WHOLE)
        if len(self._content()) == 2:
            scores[asked_whole] = np.maximum(scores[asked_whole], _NAME_AND_WORD)
        return seen_names, scores, said_whole, asked_whole

    def _content(self) -> frozenset[str]:
        """The words of the query that are no function words."""
        return frozenset(self.ordered) - function_words(set(self.ordered))

    def _names_and_kinds(self, whole: Flags) -> Flags:
        """Mask of the names that the query has whole, perhaps with a word for their kind.

        None in a question or in a query of many words.
        """
        content = self._content()
        asks = len(set(self.ordered)) - len(content) > 1
        return np.zeros_like(whole) if asks or len(content) > _MOST_BESIDE else whole

    def _of_one_word(self, said: Flags, words_said: Sequence[str]) -> Flags:
        """Mask of the names (names,) that say one content word of a query that has several.

        A part of a name that has one word of the query ("white noise" for *noise when I finish a
        task*) does not tell what the note is about. `said` (words, names) is as in `_in_folders`.
        """
        light = function_words(set(self.ordered))
        if len(set(self.ordered) - light) < 2:
            return np.zeros(said.shape[1], np.bool_)
        content = np.array([word not in light for word in words_said], np.bool_)
        one: Flags = said[content].sum(axis=0) < 2
        return one

    def _in_folders(self, names: Ints, said: Flags, words_said: Sequence[str]) -> Flags:
        """Of which names the note's folder has all words of the query that the name has not.

        `said` (words, names) tells which of the words `words_said` each name has. A function word
        may be missing, but several make a question of it ("how to write a plugin"); of the other
        words, name and folder have to say one each.
        """
        light = function_words(set(self.ordered))
        if len(light) > 1:
            return np.zeros(len(names), np.bool_)
        content = [word for word in dict.fromkeys(self.ordered) if word not in light]
        places = {word: row for row, word in enumerate(words_said)}
        folders, of_names = np.unique(self.table.folders[names], return_inverse=True)
        stems = [_stems(self.table.folder_names[number]) for number in folders.tolist()]
        all_found = np.ones(len(names), np.bool_)
        any_said, any_left = np.zeros((2, len(names)), np.bool_)
        for word in content:
            stands_for = {stem(form) for form in self.alternatives.get(word) or (word,)}
            by_name = said[places[word]] if word in places else np.zeros(len(names), np.bool_)
            by_folder = np.array([not stands_for.isdisjoint(part) for part in stems], np.bool_)
            all_found &= by_name | by_folder[of_names]
            any_said |= by_name
            any_left |= ~by_name
        return all_found & any_said & any_left


@lru_cache(maxsize=1024)  # a vault has far fewer folders than notes
def _stems(folder: str) -> frozenset[str]:
    return frozenset(map(stem, words(folder)))
