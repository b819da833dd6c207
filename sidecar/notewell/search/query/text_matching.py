"""Find texts and phrases in notes as people write them, whatever the case, signs and emphasis."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from itertools import islice, product

import numpy as np

from notewell.base.types import (
    IdArray,
    StoredChunk,
    StoredNote,
)
from notewell.index.analyze import SPACELESS, SPACELESS_CHARACTER, tokens, words
from notewell.index.arrays import ascending
from notewell.index.port import KeywordIndex
from notewell.search.query.note_scope import NO_NOTES
from notewell.vault.properties import link_words, property_words

_SPACE = re.compile(r"\s+")
# No word goes on here; one of a script without spaces begins and ends anywhere.
_NO_WORD_BEFORE, _NO_WORD_AFTER = rf"(?<![^\W{SPACELESS}])", rf"(?![^\W{SPACELESS}])"
_SIGNS = str.maketrans(
    {
        **dict.fromkeys(
            "*_~=`\\\u00ad\u200b", None
        ),  # emphasis, escapes, soft hyphen, zero-width space
        **dict.fromkeys("\u2018\u2019\u201b\u02bc", "'"),
        **dict.fromkeys("\u201c\u201d\u201e\u00ab\u00bb", '"'),
        **dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2212", "-"),
    }
)


def fold(text: str) -> str:
    """`text` without case, accents, emphasis marks and extra spaces, to compare phrases."""
    if text.isascii():
        folded = text.lower()
    else:
        decomposed = unicodedata.normalize("NFKD", text).casefold()
        folded = "".join(char for char in decomposed if not unicodedata.combining(char))
    return _SPACE.sub(" ", folded.translate(_SIGNS)).strip()


_FEWEST_IN_ORDER = 2  # words of a phrase that may be written in another way
_LONG = 4  # words of a phrase that may have a comma within
_SENTENCE_END = re.compile(r"[.!?\u2026](?=\s)|[\u3002\uff01\uff1f]|\n\s*\n")
_PAUSE = re.compile(rf"{_SENTENCE_END.pattern}|[,;:()](?=\s)|\s[(\u2013\u2014]")


def matcher(phrase: str) -> Callable[[str], bool]:
    """A test whether a text contains `phrase` as whole words (except in scripts without spaces).

    Either letter by letter, or its words follow each other as the index folds them: `krakow` for
    *Kraków*, `left hand` for *left-hand*. No sentence ends between them, and of a short phrase no
    comma stands there.
    """
    folded = fold(phrase)
    before = _NO_WORD_BEFORE if _is_word(folded[:1]) else ""
    after = _NO_WORD_AFTER if _is_word(folded[-1:]) else ""
    pattern = re.compile(before + re.escape(folded) + after)
    wanted = words(phrase.lower())
    sequence = f" {' '.join(wanted)} "

    def holds(text: str) -> bool:
        if pattern.search(fold(text)) is not None:
            return True
        if len(wanted) < _FEWEST_IN_ORDER:
            return False
        parts = (_SENTENCE_END if len(wanted) >= _LONG else _PAUSE).split(text.lower())
        return any(sequence in f" {' '.join(words(part))} " for part in parts)

    return holds


def text_matcher(text: str, *, exact: bool) -> Callable[[str], bool]:
    """A test whether another text has the words of `text`, as the index tells it of passages.

    One word is found as it is indexed, also as a part of a compound; several must follow each
    other, and if `exact` be a literal phrase.
    """
    wanted = words(text.lower())
    if len(wanted) == 1:
        return lambda other: wanted[0] in tokens(other)
    if exact:
        return matcher(text)
    sequence = f" {' '.join(wanted)} "
    return lambda other: sequence in f" {' '.join(words(other.lower()))} "


def values_of(note: StoredNote) -> tuple[tuple[str, str], ...]:
    """The values of a note's properties as they are searched: each with the property's name."""
    stated = property_words(note.properties)
    return tuple((name, link_words(value)) for name, values in stated.items() for value in values)


def states_properties(chunk: StoredChunk) -> bool:
    """Tell whether a passage states the properties of a note that has no text."""
    return chunk.end == 0


def _is_word(char: str) -> bool:
    return char.isalnum() and SPACELESS_CHARACTER.match(char) is None


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
    chunk_sets = [keywords.chunks_with(sequence, adjacent=True) for sequence in sequences]
    return ascending(np.concatenate([NO_NOTES, *chunk_sets]))


def _halves(token: str, keywords: KeywordIndex) -> list[tuple[str, str]]:
    """A word as two that stand side by side; by their case, only ASCII words are cut so."""
    if not token.isascii() or not token.isalnum() or len(token) not in _LENGTHS:
        return []
    pairs = [(token[:at], token[at:]) for at in range(1, len(token))]
    keywords.expect([half for pair in pairs for half in pair])
    known = [pair for pair in pairs if all(map(keywords.document_frequency, pair))]
    return [pair for pair in known if len(keywords.notes_with_phrase(pair))]
