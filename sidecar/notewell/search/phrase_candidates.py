"""Finds the passages that may contain a phrase, by the keyword index; whatever its case.

A compound such as `YouTube` is indexed as its parts, one after the other, and as a whole without a
place among them, so `"a youtube video"` need not stand there side by side. Where few passages have
all its words, these are the candidates. Else they are those with the words side by side, each word
also as two parts if there are such.
"""

from __future__ import annotations

from itertools import islice, product

import numpy as np

from notewell.base.types import IdArray
from notewell.index.analyze import words
from notewell.index.search_ports import KeywordIndex
from notewell.search.scope import NO_NOTES

_FEW = 100  # passages, which are compared with the phrase in some milliseconds
_MOST_SEQUENCES = 16  # of one phrase
_LENGTHS = range(3, 31)  # of a word that may be two


def candidate_chunks(phrase: str, keywords: KeywordIndex) -> IdArray:
    """Ids of the chunks that may contain a phrase, ascending. A chunk has its note's names too."""
    tokens = words(phrase.lower())
    together = keywords.chunks_with(tokens)
    if len(tokens) < 2 or len(together) <= _FEW:
        return together
    choices = [[(token,), *_halves(token, keywords)] for token in tokens]
    sequences = [
        tuple(token for part in parts for token in part)
        for parts in islice(product(*choices), _MOST_SEQUENCES)
    ]
    found = [keywords.chunks_with(each, adjacent=True) for each in sequences]
    return np.unique(np.concatenate([NO_NOTES, *found]))


def _halves(token: str, keywords: KeywordIndex) -> list[tuple[str, str]]:
    """A word as two that stand side by side; by their case, only ASCII words are cut so."""
    if not token.isascii() or not token.isalnum() or len(token) not in _LENGTHS:
        return []
    pairs = [(token[:at], token[at:]) for at in range(1, len(token))]
    keywords.expect([half for pair in pairs for half in pair])
    known = [pair for pair in pairs if all(map(keywords.document_frequency, pair))]
    return [pair for pair in known if len(keywords.notes_with_phrase(pair))]
