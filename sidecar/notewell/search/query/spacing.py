"""Letters and digits of a query, together or apart as the vault has them.

People write `RFC 2119` and `rfc2119`, `M3 x 8` and `M3x8`, `28 C` and `28C`. The index has words as
they are written, so a query in the other way would find nothing. A query whose way the vault has
stays as it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from notewell.index.analyze import Token
from notewell.index.port import KeywordIndex
from notewell.search.query.spelling import words_in_order

_MOST_LETTERS = 24  # of a word or of words together; longer ones are keys and addresses
_MOST_WORDS = 4  # that are one word in the vault
_MOST_PIECES = 6  # of a word
_PIECE = re.compile(r"[0-9]+|[^\W\d_]+")
_DIGIT, _LETTER = re.compile("[0-9]"), re.compile(r"[^\W\d_]")
_TIMES = "x"  # as in 1920x1080, which is also written with the sign of multiplication
# What may stand between words that are read as one: space, and a sign of multiplication or power.
_BETWEEN = re.compile(r"[\s\u00a0\u2009\u202f]*[\u00d7^]?[\s\u00a0\u2009\u202f]*")


def with_spacing_of_vault(keywords: KeywordIndex, text: str, *, typing: bool = False) -> str:
    """The text with words that the vault does not have as it has them: `rfc2119` as `rfc 2119`.

    With `typing`, the last word may be unfinished.
    """
    if not _DIGIT.search(text):
        return text
    tokens = list(words_in_order(text))
    pieces: list[str] = []
    end = at = 0
    while at < len(tokens):
        is_open = typing and at == len(tokens) - 1 and tokens[at].end == len(text)
        count, written = _as_held(keywords, text, tokens[at : at + _MOST_WORDS], is_open=is_open)
        if written:
            pieces += [text[end : tokens[at].start], written]
            end = tokens[at + count - 1].end
        at += count
    return "".join(pieces) + text[end:]


def words_together(
    keywords: KeywordIndex, text: str, light: frozenset[str]
) -> dict[str, tuple[str, ...]]:
    """The words of a text that the vault has as a part of one word, each with that word.

    `python 3` is `python3` as well. Only neighbours with digits are looked up, and none of the
    `light` words.
    """
    by_word: dict[str, tuple[str, ...]] = {}
    if not _DIGIT.search(text):
        return by_word
    tokens = list(words_in_order(text))
    runs = [
        (run, joined)
        for at in range(len(tokens))
        for run, joined in _runs_at(text, tokens[at : at + _MOST_WORDS])
        if light.isdisjoint(run)
    ]
    keywords.expect([joined for _, joined in runs])
    for run, joined in runs:
        if keywords.document_frequency(joined):
            by_word |= {word: (*by_word.get(word, ()), joined) for word in run}
    return by_word


def _as_held(
    keywords: KeywordIndex, text: str, tokens: Sequence[Token], *, is_open: bool
) -> tuple[int, str]:
    """The other way to write the first tokens, after the number of them; (1, "") without one."""
    for run, joined in reversed(list(_runs_at(text, tokens))):
        is_lacking = not all(map(keywords.document_frequency, run))
        if is_lacking and keywords.document_frequency(joined):
            return len(run), joined
    return 1, " ".join(_parts_of(keywords, tokens[0].text, is_open=is_open))


def _parts_of(keywords: KeywordIndex, word: str, *, is_open: bool) -> Sequence[str]:
    """The parts of a word that the vault does not have, as it has them one after the other."""
    if len(word) > _MOST_LETTERS or not (_DIGIT.search(word) and _LETTER.search(word)):
        return ()
    if keywords.document_frequency(word) or (is_open and keywords.terms_with_prefix(word, 1)):
        return ()
    for parts in _ways_apart(word):
        if len(keywords.notes_with_phrase(parts)):
            return parts
        before, last = parts[:-1], parts[-1]
        begins = is_open and keywords.terms_with_prefix(last, 1)
        if begins and len(keywords.notes_with_phrase(before)):
            return parts
    return ()


def _ways_apart(word: str) -> Iterator[tuple[str, ...]]:
    """Yield the ways to part a word between its letters and digits, most parts first."""
    pieces = tuple(_PIECE.findall(word))
    if not 1 < len(pieces) <= _MOST_PIECES or "".join(pieces) != word:
        return
    yield pieces
    if _TIMES in pieces[1:-1]:
        yield tuple(piece for piece in pieces if piece != _TIMES)
    if len(pieces) > 2:
        for first in (0, 1):  # a number with the unit behind it, or a name with its number
            pairs = (pieces[at : at + 2] for at in range(first, len(pieces), 2))
            yield (*pieces[:first], *map("".join, pairs))


def _runs_at(text: str, tokens: Sequence[Token]) -> Iterator[tuple[tuple[str, ...], str]]:
    """Yield the runs of the first tokens, shortest first, with the word they may be together."""
    for count in range(2, len(tokens) + 1):
        before, last = tokens[count - 2 : count]
        if not _BETWEEN.fullmatch(text, before.end, last.start):
            return
        run = tuple(token.text for token in tokens[:count])
        joined = _joined(run)
        if joined:
            yield run, joined


def _joined(run: Sequence[str]) -> str:
    """A run as one word, if it has letters and digits, or two numbers; else an empty text."""
    whole = "".join(run)
    if len(whole) > _MOST_LETTERS:
        return ""
    if whole.isdigit():
        return _TIMES.join(run) if len(run) == 2 else ""
    return whole if _DIGIT.search(whole) and _LETTER.search(whole) else ""
