"""Measure how well a model reads a query and a vault: by its tokens for each word."""

from __future__ import annotations

import threading
from statistics import median

from notewell.base.types import CountTokens, Embedder, IdArray, ModelKey
from notewell.index.analyze import SPACELESS_CHARACTER, words
from notewell.index.port import IndexReader

_SAMPLED_NOTES, _SAMPLED_CHARACTERS = 100, 300
_CHANGED_SHARE = 0.1  # of the notes, added or removed, from which a vault is measured again
# Tokens per word (or per character of a script without spaces) from which a model starts to split
# words into pieces, and at which it splits all of them. Below _UNKNOWN_CHARACTERS the characters
# are unknown to the model: a run of them counts as one token.
_SPLIT_WORDS = (1.9, 4.0)
_SPLIT_CHARACTERS = (0.7, 0.95)
_UNKNOWN_CHARACTERS = 0.15


def digit_share(text: str) -> float:
    """The share of the words of a query that have digits, 0..1; models hardly read numbers."""
    parts = text.split()
    return sum(any(map(str.isdigit, part)) for part in parts) / len(parts) if parts else 0.0


def unreadable_share(text: str, count_tokens: CountTokens) -> float:
    """Share of a query that the model splits into pieces of words, 0..1, by its tokens per word."""
    spaced, spaceless = _word_counts(text)
    unreadable = 0.0
    if spaced:
        rate = count_tokens(SPACELESS_CHARACTER.sub(" ", text)) / spaced
        unreadable += spaced * between(rate, *_SPLIT_WORDS)
    if spaceless:
        rate = count_tokens("".join(SPACELESS_CHARACTER.findall(text))) / spaceless
        unknown = rate < _UNKNOWN_CHARACTERS
        unreadable += spaceless / 2 * (1.0 if unknown else between(rate, *_SPLIT_CHARACTERS))
    return unreadable / (spaced + spaceless / 2) if spaced or spaceless else 0.0


def _word_counts(text: str) -> tuple[int, int]:
    """The number of words in scripts with spaces, and of characters in scripts without.

    Two characters of a script without spaces count as a word.
    """
    spaced = sum(not SPACELESS_CHARACTER.match(word) for word in words(text))
    return spaced, len(SPACELESS_CHARACTER.findall(text))


class ReadabilityCache:
    """Share of a vault's text that the model in use cannot read. Thread-safe."""

    def __init__(self) -> None:
        """Nothing is measured before the first access."""
        self._lock = threading.Lock()
        self._model: ModelKey | None = None
        self._generation, self._notes = -1, 0
        self._unreadable = 0.0

    def unreadable(self, index: IndexReader, note_ids: IdArray, embedder: Embedder) -> float:
        """The share of a usual note that the model splits into pieces of words, 0..1.

        `note_ids` are those of all notes. Measured once for a model, and again when their number
        has changed by a tenth.
        """
        with self._lock:
            generation = index.text_generation
            if generation != self._generation or embedder.key != self._model:
                self._update(index, note_ids, embedder)
                self._generation = generation
            return self._unreadable

    def _update(self, index: IndexReader, note_ids: IdArray, embedder: Embedder) -> None:
        changed = abs(len(note_ids) - self._notes)
        if embedder.key == self._model and changed <= _CHANGED_SHARE * self._notes:
            return
        self._unreadable = vault_unreadable(index, note_ids, embedder.count_tokens)
        self._model, self._notes = embedder.key, len(note_ids)


def vault_unreadable(index: IndexReader, note_ids: IdArray, count_tokens: CountTokens) -> float:
    """The median of `unreadable_share` over the beginnings of some notes; 0 without text.

    Titles would mislead: names of things are split into pieces in any language.
    """
    some = note_ids[:: max(1, len(note_ids) // _SAMPLED_NOTES)]
    texts = (chunk.text for chunk in index.first_chunks(some.tolist()).values())
    beginnings = (text[:_SAMPLED_CHARACTERS] for text in texts if text.strip())
    shares = [unreadable_share(text, count_tokens) for text in beginnings]
    return median(shares) if shares else 0.0


def between(value: float, low: float, high: float) -> float:
    """Place of a value on the way from `low` to `high`, 0..1."""
    return min(max((value - low) / (high - low), 0.0), 1.0)
