"""The words of a vault by length, to find those near a misspelt one.

The words of the vault stand in arrays by length, each with a set of its letters as bits. Words
whose length and letters differ too much are skipped, and the distance to the remaining ones is
computed for all of them at the same time: a third of a millisecond among 21,000 words.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Sequence

import numpy as np
import numpy.typing as npt

from notewell.index.analyze import SPACELESS_CHARACTER, tokens
from notewell.index.port import IndexReader
from notewell.vault.properties import property_words

_WITHIN_LETTERS = 5  # of a part that is looked for anywhere in a word
MIN_LETTERS, MAX_LETTERS = 3, 32  # of a word in the list
_ALL = 10_000_000  # words read from the index
_MAX_RECENT = 200  # changed notes that are added to the list; with more it is read anew
_MAX_ADDED = 5000  # words; with more the list is read anew
_MIN_SAVED = 5000  # words of which a snapshot is written
_SNAPSHOT = "words"
_CONTENT = "words for spelling"
_Letters = npt.NDArray[np.uint32]
_Bits = npt.NDArray[np.uint64]
_Ints = npt.NDArray[np.int64]


def is_word(token: str) -> bool:
    """Tell whether a token can be misspelt: letters only, of a script with spaces between words."""
    return MIN_LETTERS <= len(token) <= MAX_LETTERS and is_spaced(token)


def is_spaced(text: str) -> bool:
    """Tell whether a text is letters only, of a script with spaces between words."""
    return text.isalpha() and (text.isascii() or not SPACELESS_CHARACTER.search(text))


class WordList:
    """Words in order of their length. Not changed once made."""

    def __init__(self, words: Sequence[str], older: WordList | None = None) -> None:
        """`words` are different, of at least one letter, and in order of their length.

        `older` is a list that is searched as well.
        """
        self.words, self.older = words, older
        self._letters = _code_points("".join(self.words))
        self._lengths = np.array([len(word) for word in self.words], np.int64)
        self._starts = np.cumsum(self._lengths) - self._lengths
        self._sets = self._letter_sets()

    @classmethod
    def of(cls, tokens: Iterable[str], older: WordList | None = None) -> WordList:
        words = {token for token in tokens if is_word(token)}
        return cls(sorted(words, key=lambda word: (len(word), word)), older)

    def containing(self, part: str) -> list[str]:
        """The longer words that end in `part`, or have it within if it is no short one."""
        earlier = [] if self.older is None else self.older.containing(part)
        if len(part) < _WITHIN_LETTERS:
            own = [word for word in self.words if word.endswith(part) and word != part]
        else:
            own = [word for word in self.words if part in word[1:]]
        return list(dict.fromkeys([*earlier, *own]))

    def near(self, word: str, most: int) -> dict[str, int]:
        """The words within `most` edits of `word`, except itself, with their number of edits.

        An edit changes, adds or removes a letter, or swaps two neighbours (optimal string
        alignment: Damerau 1964, "A technique for computer detection and correction of spelling
        errors").
        """
        if not is_word(word):
            return {}
        earlier = {} if self.older is None else self.older.near(word, most)
        limits = [len(word) - most, len(word) + most + 1]
        first, end = np.searchsorted(self._lengths, limits).tolist()
        own = np.bitwise_or.reduce(_bits(_code_points(word)))
        # An edit changes at most two members of the set of letters.
        differing = np.bitwise_count(self._sets[first:end] ^ own)
        places = first + np.flatnonzero(differing <= 2 * most)
        edits = distances(word, self._matrix(places, len(word) + most), self._lengths[places])
        close = np.flatnonzero((edits <= most) & (edits > 0))
        near_words = zip(places[close].tolist(), edits[close].tolist(), strict=True)
        return earlier | {self.words[place]: count for place, count in near_words}

    def _letter_sets(self) -> _Bits:
        if not self.words:
            return np.empty(0, np.uint64)
        sets: _Bits = np.bitwise_or.reduceat(_bits(self._letters), self._starts)
        return sets

    def _matrix(self, places: _Ints, width: int) -> _Letters:
        """The letters of some words (words, width), with zeros after the last letter."""
        at = self._starts[places, None] + np.arange(width)
        inside = np.arange(width) < self._lengths[places, None]
        return np.where(inside, self._letters[np.where(inside, at, 0)], 0).astype(np.uint32)


def _code_points(text: str) -> _Letters:
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)


def _bits(letters: _Letters) -> _Bits:
    """A bit for each letter; letters may share one."""
    return np.left_shift(np.uint64(1), (letters & 63).astype(np.uint64))


def distances(word: str, others: _Letters, lengths: _Ints) -> _Ints:
    """The number of edits between `word` and each row of `others` (words, width).

    Row by row of the usual table, for all words at the same time.
    """
    letters = _code_points(word)
    count, width = others.shape
    columns = np.arange(width + 1)
    row = np.broadcast_to(columns, (count, width + 1))
    before = row
    for at, letter in enumerate(letters.tolist(), start=1):
        same = others == letter
        earlier, before = before, row
        row = before + 1  # a letter was added
        row[:, 1:] = np.minimum(row[:, 1:], before[:, :-1] + ~same)  # changed, or the same
        if at > 1:
            swapped = same[:, :-1] & (others[:, 1:] == letters[at - 2])
            row[:, 2:] = np.where(swapped, np.minimum(row[:, 2:], earlier[:, :-2] + 1), row[:, 2:])
        row = np.minimum.accumulate(row - columns, axis=1) + columns  # letters were left out
    edits: _Ints = row[np.arange(count), lengths]
    return edits


class WordListCache:
    """Caches the words of one index and updates them on access. Thread-safe.

    Of changed notes the words are added. Words that are in no note any more stay until the list is
    read anew; who uses a word looks its frequency up.
    """

    def __init__(self) -> None:
        """Nothing is read before the first access."""
        self._lock = threading.Lock()
        self._generation = -1
        self._words = WordList(())

    def current(self, index: IndexReader) -> WordList:
        with self._lock:
            generation = index.text_generation
            if self._generation < 0:
                self._load(index, generation)
            if self._generation != generation:
                self._update(index, generation)
            return self._words

    def _update(self, index: IndexReader, generation: int) -> None:
        old = self._words
        known = len(old.words) + (0 if old.older is None else len(old.older.words))
        changed: Sequence[int] = ()
        if self._generation >= 0:
            _, notes = index.notes_changed_since(self._generation)
            changed = [note.id for note in notes]
        if (
            known
            and len(changed) <= _MAX_RECENT
            and (old.older is None or len(old.words) < _MAX_ADDED)
        ):
            base, recent = (old, ()) if old.older is None else (old.older, old.words)
            self._words = WordList.of([*recent, *_words_of(index, changed)], base)
        else:
            everything = index.keywords.terms_with_prefix("", _ALL)
            self._words = WordList.of(word for word, _ in everything)
            self._save(index, generation)
        self._generation = generation

    def _save(self, index: IndexReader, generation: int) -> None:
        if len(self._words.words) >= _MIN_SAVED:
            text = np.frombuffer("\n".join(self._words.words).encode(), np.uint8)
            generations = np.array([generation], np.int64)
            index.array_cache.save(_SNAPSHOT, _CONTENT, {"words": text, "made": generations})

    def _load(self, index: IndexReader, latest: int) -> None:
        """Load the snapshot of an earlier process, unless the database is an older copy."""
        saved = index.array_cache.load(_SNAPSHOT, _CONTENT)
        if saved is not None and int(saved["made"][0]) <= latest:
            self._words = WordList(saved["words"].tobytes().decode().split("\n"))
            self._generation = int(saved["made"][0])


def _words_of(index: IndexReader, note_ids: Sequence[int]) -> Iterator[str]:
    """The tokens of some notes."""
    for note in index.notes(note_ids).values():
        values = (word for words in property_words(note.properties).values() for word in words)
        for text in (note.title, note.path, *note.aliases, *note.tags, *values):
            yield from tokens(text)
        for chunk in index.chunks_of(note.id):
            for text in (chunk.text, *chunk.headings):
                yield from tokens(text)
