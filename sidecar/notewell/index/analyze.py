"""Text into tokens: one analyzer for what is indexed, what is asked, and what is highlighted.

What it does, the same on every side:

- NFKC and case folding. Diacritics are dropped on Latin, Greek, Hebrew and Arabic letters, where
  people leave them out when they type. They stay where they make another letter: Cyrillic short i
  (only io becomes ie, as Russian is written), Japanese voicing, Indic and Thai vowels.
- Compounds (`well-known`, `getUserName`, `snake_case`, `node.js`, `don't`) give their parts and
  then their whole with the joints left out, so `e-mail` finds `email`. Numbers keep their joints
  in the whole (`3.14`, `2026-01-05`). An English possessive `'s` is dropped.
- Scripts without spaces (Chinese, Japanese, Korean, Thai, Lao, Khmer, Myanmar) give overlapping
  pairs, and each ideograph or Hangul syllable alone, so that one character can be searched.
- An emoji is a token, whatever its skin tone; `c++` and `c#` are tokens.
- Tokens are cut at 64 characters.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from notewell.index import scripts

MAX_TOKEN = 64
_MAX_PARTS = 8  # a longer compound is a path or noise: its whole is nobody's query
_CACHED_LENGTH = 40  # longer strings rarely come twice

_LETTER = rf"(?:(?![{scripts.SPACELESS}])[^\W_])"
_WORD = rf"{_LETTER}(?:{_LETTER}|[{scripts.MARKS}])*"
_NAMED = r"[A-Za-z](?:\+\+|\#)(?![\w+#])"  # c++, c#
_COMPOUND = re.compile(
    rf"{_NAMED}|{_WORD}(?:[-_.'\u2019\u2010\u2011]{_WORD})*"
    rf"|[{scripts.SPACELESS}][{scripts.SPACELESS}{scripts.MARKS}]*"
    rf"|[{scripts.EMOJI}][{scripts.EMOJI_TAIL}]*(?:\u200d[{scripts.EMOJI}][{scripts.EMOJI_TAIL}]*)*"
)
_ASCII_COMPOUND = re.compile(rf"{_NAMED}|[A-Za-z0-9]+(?:[-_.'][A-Za-z0-9]+)*")
_PART = re.compile(_WORD)
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_SPACELESS_START = re.compile(f"[{scripts.SPACELESS}]")
_LONE = re.compile(f"[{scripts.LONE}]")
_UNIT = re.compile(
    rf"[\u1100-\u115f][\u1160-\u11a7]?[\u11a8-\u11ff]?[{scripts.MARKS}]*|.[{scripts.MARKS}]*",
    re.DOTALL,
)
_TAIL = re.compile(f"[{scripts.EMOJI_TAIL}]")
_FOLDED_MARKS = re.compile(f"(?<=[{scripts.FOLDED}])[{scripts.MARKS}]+")
_NOT_WORD = re.compile(rf"[^\w{scripts.MARKS}]+")
_LETTER_FOLDS = str.maketrans(
    {
        "ø": "o",
        "ł": "l",
        "đ": "d",
        "ð": "d",
        "þ": "th",
        "æ": "ae",
        "œ": "oe",
        "\u0131": "i",  # Turkish dotless i
        "ё": "е",  # noqa: RUF001 (Cyrillic on both sides)
        "\u0640": None,  # Arabic tatweel only stretches a word
        "\u200c": None,
        "\u200d": None,
    }
)


@dataclass(frozen=True, slots=True)
class Token:
    """A token and the stretch of the text it came from."""

    text: str
    start: int
    end: int


class _Piece(NamedTuple):
    """A token of one compound. An `extra` has no place in the order of words."""

    text: str
    start: int
    end: int
    extra: bool


def tokens(text: str) -> list[str]:
    """Tokens of `text` in order; a compound's parts come before its whole."""
    found: list[str] = []
    for compound in _compounds(text):
        found += _all_tokens(compound) if len(compound) <= _CACHED_LENGTH else _tokens_of(compound)
    return found


def words(text: str) -> list[str]:
    """Tokens that follow each other in `text`, without wholes and single characters: phrases."""
    return [piece.text for compound in _compounds(text) for piece in _of(compound) if not piece[3]]


def streams(text: str) -> tuple[list[str], list[str]]:
    """`words` of the text, and the other tokens; what is indexed."""
    ordered: list[str] = []
    extras: list[str] = []
    for compound in _compounds(text):
        if len(compound) <= _CACHED_LENGTH:
            first, second = _both_streams(compound)
        else:
            first, second = _split(_pieces(compound))
        ordered += first
        if second:
            extras += second
    return ordered, extras


def spans(text: str) -> Iterator[Token]:
    """Tokens of `text` with their offsets in it (code points, end exclusive)."""
    for match in _pattern(text).finditer(text):
        at = match.start()
        for piece in _of(match.group()):
            yield Token(piece.text, at + piece.start, at + piece.end)


def _pattern(text: str) -> re.Pattern[str]:
    return _ASCII_COMPOUND if text.isascii() else _COMPOUND


def _compounds(text: str) -> list[str]:
    found: list[str] = _pattern(text).findall(text)
    return found


def _of(compound: str) -> tuple[_Piece, ...]:
    return _cached_pieces(compound) if len(compound) <= _CACHED_LENGTH else _pieces(compound)


def _pieces(compound: str) -> tuple[_Piece, ...]:
    """All tokens of one match of the compound pattern."""
    if compound.isascii() and compound.isalnum() and (compound[1:].islower() or len(compound) == 1):
        return (_Piece(compound.lower()[:MAX_TOKEN], 0, len(compound), extra=False),)
    if _SPACELESS_START.match(compound):
        return tuple(_pairs(compound))
    if not (compound[0].isalnum()):
        sign = _TAIL.sub("", compound)[:MAX_TOKEN]  # nothing is left of a lone variation selector
        return (_Piece(sign, 0, len(compound), extra=False),) if sign else ()
    if compound[-1] in "+#":
        return (_Piece(compound.lower(), 0, len(compound), extra=False),)
    return tuple(_compound_pieces(compound))


def _compound_pieces(compound: str) -> Iterator[_Piece]:
    parts = [(match.start(), match.group()) for match in _PART.finditer(compound)]
    if len(parts) > 1 and parts[-1][1] in "sS" and compound[parts[-1][0] - 1] in "'\u2019":
        parts.pop()
    whole: list[str] = []
    for at, part in parts:
        for start, word in _camel_words(at, part):
            for folded in _fold(word):
                yield _Piece(folded, start, start + len(word), extra=False)
                whole.append(folded)
    if 1 < len(whole) <= _MAX_PARTS:
        numeric = all(part.isdigit() for part in whole)
        joined = compound if numeric and compound.isascii() else "".join(whole)
        if len(joined) <= MAX_TOKEN:
            end = parts[-1][0] + len(parts[-1][1])
            yield _Piece(joined, 0, end, extra=True)


def _camel_words(at: int, part: str) -> Iterator[tuple[int, str]]:
    """`getUserName` as get, User, Name, each with where it starts."""
    start = 0
    if not (part.islower() or part.isupper()):
        for match in _CAMEL.finditer(part):
            yield at + start, part[start : match.start()]
            start = match.start()
    yield at + start, part[start:]


def _fold(word: str) -> list[str]:
    """`word` folded. NFKC can put a space or a sign into a word; it is then several."""
    if word.isascii():
        return [word.lower()[:MAX_TOKEN]]
    folded = unicodedata.normalize("NFKC", word).casefold()
    if not folded.isascii():
        decomposed = unicodedata.normalize("NFD", folded.translate(_LETTER_FOLDS))
        folded = unicodedata.normalize("NFKC", _FOLDED_MARKS.sub("", decomposed))
    return [part[:MAX_TOKEN] for part in _NOT_WORD.split(folded) if part]


def _pairs(run: str) -> Iterator[_Piece]:
    """Overlapping pairs of a run without spaces, and the characters that are words alone."""
    units = [
        (unicodedata.normalize("NFKC", match.group()).casefold(), match.start(), match.end())
        for match in _UNIT.finditer(run)
    ]
    if len(units) == 1:
        yield _Piece(*units[0], extra=False)
        return
    for (left, start, _), (right, _, end) in pairwise(units):
        yield _Piece(left + right, start, end, extra=False)
    for text, start, end in units:
        if _LONE.match(text):
            yield _Piece(text, start, end, extra=True)


def _split(pieces: tuple[_Piece, ...]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    return (
        tuple(piece.text for piece in pieces if not piece.extra),
        tuple(piece.text for piece in pieces if piece.extra),
    )


def _tokens_of(compound: str) -> tuple[str, ...]:
    return tuple(piece.text for piece in _pieces(compound))


# Natural text repeats itself: most compounds are answered by these.
_cached_pieces = lru_cache(maxsize=16_384)(_pieces)
_all_tokens = lru_cache(maxsize=65_536)(_tokens_of)


@lru_cache(maxsize=65_536)
def _both_streams(compound: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    return _split(_pieces(compound))
