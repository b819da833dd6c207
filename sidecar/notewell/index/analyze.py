"""Text analysis: one analyzer for the text that is indexed, queried and highlighted.

It works in the same way everywhere:

- NFKC and case folding. Diacritics are dropped on Latin, Greek, Hebrew and Arabic letters, where
  people leave them out when they type. They stay where they make another letter: Cyrillic short i
  (only io becomes ie, as Russian is written), Japanese voicing, Indic and Thai vowels.
- Compounds (`well-known`, `getUserName`, `snake_case`, `node.js`, `don't`) give their parts and
  then the whole without its joints, so `e-mail` finds `email`. Numbers keep their joints in the
  whole (`3.14`, `2026-01-05`). An English possessive `'s` is dropped.
- Scripts without spaces (Chinese, Japanese, Korean, Thai, Lao, Khmer, Myanmar) give overlapping
  pairs, and each ideograph or Hangul syllable alone, so that one character can be searched.
- An emoji or a sign of mathematics is a token, whatever its skin tone; `c++` and `c#` are tokens.
  What else is written with digits and signs has further forms (`written_forms`). A fraction or
  power behind a number is a number of its own (`8½` is 8, 1 and 2).
- Letters of Arabic and Persian that people type one for the other are one; the article is dropped
  as a further form. Katakana is read as hiragana, traditional characters as simplified ones
  (`han_variants`), and digits of any script as 0 to 9. Of the ways to write a nasal in Devanagari,
  and of letters with and without a dot, there is one.
- Tokens are cut at 64 characters.
- English stems: Porter 2, the "English" stemmer of Snowball (Porter 2001, "Snowball: A language for
  stemming algorithms"), as tantivy implements it. Words of other languages hardly change; a search
  looks for their forms (`search/facts/inflections.py`).

`re` has no Unicode properties, so the character classes of scripts are written out. Their ranges
follow the block charts of Unicode 15; a character that is missing here is indexed as part of an
ordinary word.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

import tantivy

from notewell.index.han_variants import HAN_VARIANTS
from notewell.index.written_forms import SIGNED, WIDE, compound_forms, is_release, wide_forms

# Combining marks belong to the word they stand in: an Indic vowel sign is not a word break.
MARKS = (
    "\u0300-\u036f\u0483-\u0489\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7"
    "\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e4\u06e7\u06e8\u06ea-\u06ed"
    "\u0711\u0730-\u074a\u07a6-\u07b0\u07eb-\u07f3\u0816-\u082d\u0859-\u085b\u08d3-\u08e1"
    "\u08e3-\u0903\u093a-\u094f\u0951-\u0957\u0962\u0963\u0981-\u0983\u09bc-\u09cd\u09d7"
    "\u09e2\u09e3\u0a01-\u0a03\u0a3c-\u0a51\u0a70\u0a71\u0a75\u0a81-\u0a83\u0abc-\u0acd"
    "\u0ae2\u0ae3\u0b01-\u0b03\u0b3c-\u0b57\u0b62\u0b63\u0b82\u0bbe-\u0bcd\u0bd7"
    "\u0c00-\u0c04\u0c3e-\u0c56\u0c62\u0c63\u0c81-\u0c83\u0cbc-\u0cd6\u0ce2\u0ce3"
    "\u0d00-\u0d03\u0d3b-\u0d4d\u0d57\u0d62\u0d63\u0d81-\u0d83\u0dca-\u0ddf\u0df2\u0df3"
    "\u0e31\u0e34-\u0e3a\u0e47-\u0e4e\u0eb1\u0eb4-\u0ebc\u0ec8-\u0ecd\u0f18\u0f19\u0f35\u0f37"
    "\u0f39\u0f3e\u0f3f\u0f71-\u0f84\u0f86\u0f87\u0f8d-\u0fbc\u102b-\u103e\u1056-\u1059"
    "\u105e-\u1060\u1062-\u1064\u1067-\u106d\u1071-\u1074\u1082-\u108d\u135d-\u135f"
    "\u1712-\u1714\u1732-\u1734\u17b4-\u17d3\u17dd\u180b-\u180d\u18a9\u1920-\u193b"
    "\u1a17-\u1a1b\u1a55-\u1a7f\u1ab0-\u1aff\u1b00-\u1b04\u1b34-\u1b44\u1dc0-\u1dff"
    "\u200c\u200d\u20d0-\u20f0\u302a-\u302f\u3099\u309a\ua802\ua806\ua80b\ua823-\ua827"
    "\ua8b4-\ua8c5\ufe20-\ufe2f\uff9e\uff9f"
)

# Written without spaces between words: indexed as overlapping pairs.
HAN = "\u3005\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U000323af"
HANGUL = "\u1100-\u11ff\u3131-\u318e\ua960-\ua97c\uac00-\ud7a3\ud7b0-\ud7fb\uffa1-\uffdc"
KANA = "\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff\uff66-\uff9d"
SOUTH_EAST_ASIAN = (
    "\u0e01-\u0e30\u0e32\u0e33\u0e40-\u0e46"  # Thai
    "\u0e81-\u0eb0\u0eb2\u0eb3\u0ebd-\u0ec6\u0edc-\u0edf"  # Lao
    "\u1000-\u102a\u103f\u1050-\u1055\u105a-\u105d\u1061\u1065\u1066\u106e-\u1070\u1075-\u1081"
    "\u108e\uaa60-\uaa76\uaa7a"  # Myanmar
    "\u1780-\u17b3\u17d7\u17dc"  # Khmer
)
SPACELESS = HAN + HANGUL + KANA + SOUTH_EAST_ASIAN

# One character of these is a word people search for.
LONE = HAN + HANGUL

# Signs of mathematics, without those that are a minus, a slash, a dot, a colon or a tilde.
_MATHEMATICS = (
    "\u2200-\u2211\u2213\u2214\u221a-\u2235\u2237-\u223b\u223d-\u22c4\u22c6-\u22ed\u22f0-\u22ff"
)
EMOJI = (
    "\u203c\u2049\u2139\u2190-\u21ff\u2300-\u23ff\u2600-\u27bf\u2b00-\u2bff\U0001f000-\U0001faff"
    + _MATHEMATICS
)
EMOJI_TAIL = "\ufe0f\u20e3\U0001f3fb-\U0001f3ff"

# Folding drops marks on these only: a Latin or Greek accent, Hebrew points and Arabic vowel signs
# are left out by people who type; Cyrillic short i, Kana voicing and Indic vowels are letters.
FOLDED = "A-Za-z\u0370-\u03ff\u1f00-\u1fff\u0590-\u05ff\u0600-\u06ff\u0750-\u077f"


MAX_TOKEN = 64
_MAX_PARTS = 8  # a longer compound is a path or noise, which nobody searches as a whole
_CACHED_LENGTH = 40  # longer strings are rarely repeated

_LETTER = rf"(?:(?![{SPACELESS}])[^\W_])"
_WORD = rf"{_LETTER}(?:{_LETTER}|[{MARKS}])*"
_COMPOUND = re.compile(
    rf"{SIGNED}|{WIDE}|{_WORD}(?:[-_.'\u2019\u2010\u2011\u00b7]{_WORD})*"
    rf"|[{SPACELESS}][{SPACELESS}{MARKS}]*"
    rf"|[{EMOJI}][{EMOJI_TAIL}]*(?:\u200d[{EMOJI}][{EMOJI_TAIL}]*)*"
)
_ASCII_COMPOUND = re.compile(rf"{SIGNED}|{WIDE}|[A-Za-z0-9]+(?:[-_.'][A-Za-z0-9]+)*")
_SIGNED = re.compile(r"(?P<name>[A-Za-z][A-Za-z0-9]*)(?P<sign>\+\+|\#)(?P<number>[0-9]*)")
_WIDE = re.compile(WIDE)
_INNER = re.compile(r"[A-Za-z0-9]+(?:[-_.'\u2019][A-Za-z0-9]+)*")
_PART = re.compile(_WORD)
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
SPACELESS_CHARACTER = re.compile(f"[{SPACELESS}]")
_LONE = re.compile(f"[{LONE}]")
_UNIT = re.compile(
    rf"[\u1100-\u115f][\u1160-\u11a7]?[\u11a8-\u11ff]?[{MARKS}]*|.[{MARKS}]*",
    re.DOTALL,
)
_TAIL = re.compile(f"[{EMOJI_TAIL}]")
_FOLDED_MARKS = re.compile(f"(?<=[{FOLDED}])[{MARKS}]+")
_NOT_WORD = re.compile(rf"[^\w{MARKS}]+")
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
        # Arabic and Persian forms of one letter, which people type one for the other.
        "\u0629": "\u0647",  # teh marbuta as heh
        "\u0649": "\u064a",  # alef maksura as yeh
        "\u06cc": "\u064a",  # Farsi yeh
        "\u06a9": "\u0643",  # keheh as kaf
        "\u0671": "\u0627",  # alef wasla
    }
)
_ARABIC_BEGINNINGS = frozenset("\u0627\u0648\u0628\u0641\u0643\u0644")
_ARTICLE = re.compile("[\u0648\u0628\u0641\u0643]?\u0627\u0644|\u0644\u0644")
_LEAST_ARABIC = 3  # letters that are left of a word without its article
# A fraction, power or index behind a digit, which is no digit of its number.
_SMALL_NUMBER = re.compile(
    "(?<=[0-9])(?=[\u00b2\u00b3\u00b9\u00bc-\u00be\u2070-\u2089\u2150-\u215e])"
)
# A nasal before a consonant spoken at the same place, which is also written as a dot on the line
# above; and the dots of letters for foreign sounds, which are left out.
_DEVANAGARI = re.compile("[\u0900-\u097f]")
_NASAL = re.compile(
    "\u0919\u094d(?=[\u0915-\u0919])|\u091e\u094d(?=[\u091a-\u091e])"
    "|\u0923\u094d(?=[\u091f-\u0923])|\u0928\u094d(?=[\u0924-\u0928])"
    "|\u092e\u094d(?=[\u092a-\u092e])|\u0901"
)
_NASAL_DOT, _LETTER_DOT = "\u0902", "\u093c"
_OTHER_DIGIT = re.compile(r"(?![0-9])\d")
_UNIT_FOLDS = {code: code - 0x60 for code in range(0x30A1, 0x30F7)} | HAN_VARIANTS


class Token(NamedTuple):
    """A token and its range in the text."""

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
    terms: list[str] = []
    for compound in _compounds(text):
        terms += _all_tokens(compound) if len(compound) <= _CACHED_LENGTH else _tokens_of(compound)
    return terms


def words(text: str) -> list[str]:
    """Tokens that follow each other in `text`, without wholes and single characters: phrases."""
    return [piece.text for compound in _compounds(text) for piece in _of(compound) if not piece[3]]


def signed_forms(text: str) -> list[str]:
    """The forms of names in `text` of which a sign is a part: `.net`, `notepad++`, `100%`."""
    pieces = (piece.text for compound in _compounds(text) for piece in _of(compound) if piece.extra)
    return [form for form in pieces if form[0] == "." or form[-1] in "+#%"]


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
    compounds: list[str] = _pattern(text).findall(text)
    return compounds


def _of(compound: str) -> tuple[_Piece, ...]:
    return _cached_pieces(compound) if len(compound) <= _CACHED_LENGTH else _pieces(compound)


def _pieces(compound: str) -> tuple[_Piece, ...]:
    """All tokens of one match of the compound pattern."""
    if compound.isascii() and compound[0].isalpha() and compound.isalnum():
        return _plain_pieces(compound)
    signed = _SIGNED.fullmatch(compound)
    if signed is not None:
        return tuple(_pieces_with_signs(signed))
    if _WIDE.fullmatch(compound) is not None:
        return tuple(_wide_pieces(compound))
    return _plain_pieces(compound)


def _plain_pieces(compound: str) -> tuple[_Piece, ...]:
    """All tokens of a compound, a run without spaces, or an emoji."""
    if compound.isascii() and compound.isalnum() and (compound[1:].islower() or len(compound) == 1):
        return (_Piece(compound.lower()[:MAX_TOKEN], 0, len(compound), extra=False),)
    if SPACELESS_CHARACTER.match(compound):
        return tuple(_pairs(compound))
    if not (compound[0].isalnum()):
        sign = _TAIL.sub("", compound)[:MAX_TOKEN]  # nothing is left of a lone variation selector
        return (_Piece(sign, 0, len(compound), extra=False),) if sign else ()
    return tuple(_compound_pieces(compound))


def _pieces_with_signs(match: re.Match[str]) -> Iterator[_Piece]:
    """`C++17` as c++ and 17, and both together; of a longer name the sign is a form of it."""
    name, sign, number = match["name"].lower(), match["sign"], match["number"]
    word = name + sign if len(name) == 1 else name
    yield _Piece(word, 0, len(name) + (len(sign) if len(name) == 1 else 0), extra=False)
    if number:
        yield _Piece(number, len(name + sign), match.end(), extra=False)
        yield _Piece(name + sign + number, 0, match.end(), extra=True)
    if len(name) > 1:
        yield _Piece(name + sign, 0, len(name + sign), extra=True)


def _wide_pieces(text: str) -> Iterator[_Piece]:
    """The pieces of a number in groups, a quantity, or a name with a sign, and its other forms."""
    wide = [
        _Piece(piece.text, inner.start() + piece.start, inner.start() + piece.end, piece.extra)
        for inner in _INNER.finditer(text)
        for piece in _plain_pieces(inner.group())
    ]
    yield from wide
    known = {piece.text for piece in wide}
    for form in dict.fromkeys(wide_forms(text)):
        if form not in known and len(form) <= MAX_TOKEN:
            yield _Piece(form, 0, len(text), extra=True)


def _compound_pieces(compound: str) -> Iterator[_Piece]:
    parts = _parts_of(compound)
    whole: list[str] = []
    for at, part in parts:
        for start, word in _camel_words(at, part):
            for folded in _fold(word):
                yield _Piece(folded, start, start + len(word), extra=False)
                whole.append(folded)
    if 1 < len(whole) <= _MAX_PARTS:
        numeric = all(part.isdigit() for part in whole)
        joined = compound if numeric and compound.isascii() else "".join(whole)
        is_power = numeric and len(parts) == 1  # or a fraction: 10² is not 102
        if len(joined) <= MAX_TOKEN and not is_power:
            end = parts[-1][0] + len(parts[-1][1])
            yield _Piece(joined, 0, end, extra=True)
        for form in compound_forms(compound):
            yield _Piece(form[:MAX_TOKEN], 0, len(compound), extra=True)
    elif len(whole) == 1 and whole[0][:1] in _ARABIC_BEGINNINGS:
        yield from _without_article(whole[0], len(compound))


def _parts_of(compound: str) -> list[tuple[int, str]]:
    """The parts between the joints with their places, without `'s` and the v of a release."""
    parts = [(match.start(), match.group()) for match in _PART.finditer(compound)]
    if len(parts) > 1 and parts[-1][1] in "sS" and compound[parts[-1][0] - 1] in "'\u2019":
        parts.pop()
    if is_release(compound):
        parts[0] = (1, parts[0][1][1:])
    return parts


def _without_article(word: str, end: int) -> Iterator[_Piece]:
    """An Arabic word without its article, which is written to it, also behind `and` or `in`."""
    match = _ARTICLE.match(word)
    if match is not None and len(word) - match.end() >= _LEAST_ARABIC:
        yield _Piece(word[match.end() :], 0, end, extra=True)


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
    word = _SMALL_NUMBER.sub(" ", word)
    folded = unicodedata.normalize("NFKC", word).casefold()
    if not folded.isascii():
        if _DEVANAGARI.search(folded):
            folded = _NASAL.sub(_NASAL_DOT, folded).replace(_LETTER_DOT, "")
        decomposed = unicodedata.normalize("NFD", folded.translate(_LETTER_FOLDS))
        folded = unicodedata.normalize("NFKC", _FOLDED_MARKS.sub("", decomposed))
        folded = _OTHER_DIGIT.sub(lambda digit: str(unicodedata.digit(digit[0])), folded)
    return [part[:MAX_TOKEN] for part in _NOT_WORD.split(folded) if part]


def _pairs(run: str) -> Iterator[_Piece]:
    """Overlapping pairs of a run without spaces, and the characters that are words alone."""
    units = [
        (fold_unit(match.group()), match.start(), match.end()) for match in _UNIT.finditer(run)
    ]
    if len(units) == 1:
        yield _Piece(*units[0], extra=False)
        return
    for (left, start, _), (right, _, end) in pairwise(units):
        yield _Piece(left + right, start, end, extra=False)
    for text, start, end in units:
        if _LONE.match(text):
            yield _Piece(text, start, end, extra=True)


def fold_unit(unit: str) -> str:
    """One character of a script without spaces, in the form that the index has of it."""
    return unicodedata.normalize("NFKC", unit).casefold().translate(_UNIT_FOLDS)


def _split(pieces: tuple[_Piece, ...]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    return (
        tuple(piece.text for piece in pieces if not piece.extra),
        tuple(piece.text for piece in pieces if piece.extra),
    )


def _tokens_of(compound: str) -> tuple[str, ...]:
    return tuple(piece.text for piece in _pieces(compound))


# Natural text repeats itself: these caches serve most compounds.
_cached_pieces = lru_cache(maxsize=1024)(_pieces)
_all_tokens = lru_cache(maxsize=65_536)(_tokens_of)


@lru_cache(maxsize=65_536)
def _both_streams(compound: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    return _split(_pieces(compound))


def stemmer() -> tantivy.TextAnalyzer:
    """An analyzer that splits text at whitespace and reduces each token to its stem."""
    whitespace = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.whitespace())
    return whitespace.filter(tantivy.Filter.stemmer("english")).build()


@lru_cache(maxsize=2048)
def stem(word: str) -> str:
    """The stem of one folded token; a token with other than ASCII letters is its own stem."""
    return "".join(_analyzer().analyze(word)) if word.isascii() else word


@lru_cache(maxsize=1)
def _analyzer() -> tantivy.TextAnalyzer:
    return stemmer()
