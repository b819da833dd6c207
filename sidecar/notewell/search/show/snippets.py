"""Makes snippets: the part of a passage that best matches a query, with highlights.

In a passage without words of the query, its closest sentence is shown (`closest_sentence`).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import takewhile
from operator import attrgetter
from typing import NamedTuple

from notewell.index.analyze import (
    EMOJI,
    FOLDED,
    MARKS,
    SPACELESS,
    SPACELESS_CHARACTER,
    Token,
    fold_unit,
    spans,
    stem,
)
from notewell.index.shown_text import ShownText, shown_text
from notewell.index.stored_text import unpack_shown
from notewell.search.show.windows import (
    Snippet,
    TokenHit,
    densest_window,
    merge_marks,
    render,
    widen,
)

_FOLDED = re.compile(f"[{FOLDED}]")
# Text that the analyzer does not read word by word: compounds, camelCase, scripts without spaces,
# letters that it expands or that have combining marks, and signs that are tokens.
_JOINTS = r"-_.'\u2019\u2010\u2011\u00b7"
_DIGRAPHS = "\ufb00-\ufb06\u0132\u0133\u0149\u01c4-\u01cc\u01f1-\u01f3"
_READ_OTHERWISE = rf"{SPACELESS}{MARKS}{EMOJI}ßẞæÆœŒþÞøØłŁđĐðÐıёЁ{_DIGRAPHS}"
# The character that is a sign, or completes one, comes first: that makes the search fast.
_SIGN = re.compile(
    rf"[{_JOINTS}A-Z+#{_READ_OTHERWISE}]"
    rf"(?:(?<=[+#{_READ_OTHERWISE}])|(?<=\w[{_JOINTS}])(?=\w)"
    r"|(?<=[^\W\dA-Z_][A-Z])|(?<=[A-Z]{2})(?=[^\W\dA-Z_]))"
)
_RUN_REST = re.compile(r"\S*")
_NO_JOINTS = str.maketrans("", "", "-_.'\u00b7")
# Quotation marks, dashes and bullets only separate words.
_NOT_ASCII = re.compile(r"[^\x00-\x7f\s\xab\xb7\xbb\u2013\u2014\u2018\u201c\u201d\u2022\u2026]\S*")
# What makes a token beside it part of a compound; letters and digits other than these do as well.
_TOUCHING = frozenset("-_.'+#abcdefghijklmnopqrstuvwxyz0123456789")
_REST = re.compile(r"[^\W_]*")
_MARKS_AFTER = re.compile(f"[{MARKS}]*")
_LAST_PLAIN = "\u02ff"  # no mark comes before it
_CHANCE_SHARE = 0.25  # of the query's weight; a passage with less matches it by chance
_MOST_FLAT = 8192  # characters whose folded form is remembered
_MIN_STEM = 2  # letters that forms of a word have in common at least: use, using
# Between the words of a phrase: white space, and what emphasis is made of.
_BETWEEN = r"[*_~=`\\]*\s[\s*_~=`\\]*"

# (start, end) of the sentence in a passage that is closest to the query, if there is one.
FindClosest = Callable[[str], tuple[int, int] | None]


class Snippets:
    """Makes the snippets of one query. `weights` are its tokens with their weights."""

    def __init__(
        self,
        weights: Mapping[str, float],
        chars: int,
        *,
        phrases: Sequence[str] = (),
        closest: FindClosest | None = None,
        template: Collection[int] = (),
        use_description: bool = True,
    ) -> None:
        """`chars` is the approximate length of a snippet in code points.

        A snippet shows the first of the `phrases` that the text has as it was typed. `closest`
        finds a sentence in passages without words of the query. Lines of `template` are shown only
        where nothing else has words of the query. `use_description` allows the description of a
        note as the snippet if nothing is found.
        """
        self.use_description = use_description
        self._template = frozenset(template)
        self._weights = weights
        self._total_weight = sum(weights.values())
        self._chars = chars
        self._closest = closest
        self._phrases = [_phrase_pattern(phrase) for phrase in phrases if " " in phrase]
        self._tokens = {token.translate(_FLATTENING): token for token in weights}
        self._plain = [_QueryWord.of(flat, token) for flat, token in self._tokens.items()]
        self._plain = [word for word in self._plain if word.word.isalnum()]
        spaceless = [
            re.escape(token) for token in self._tokens if SPACELESS_CHARACTER.search(token)
        ]
        self._spaceless = re.compile("|".join(spaceless)) if spaceless else None
        # Without what joins compounds, and whether it is a plain word.
        self._unjoined = [
            (token.translate(_NO_JOINTS), token.isalnum()) for token in weights if token.isascii()
        ]
        self._last: _Reading | None = None
        self._last_matches: tuple[str, list[tuple[int, str]]] = "", []

    def make(
        self,
        passage: str,
        *,
        names: Sequence[str] = (),
        lines: Sequence[int] = (),
        stored: bytes | None = None,
        semantic: bool = False,
    ) -> Snippet:
        """The part of a passage with the highest weight of matches, cut at sentences or words.

        `names` are those of its note and headings, `lines` the numbers of its rows
        (`shown_text`), `stored` is its shown text where the index has it. `semantic` allows the
        closest sentence instead if there is no match.
        """
        shown = self._show(passage, names, lines, stored)
        text = shown.text
        read = self._read(text)
        hits = read.hits
        phrase = self._phrase(read.flat)
        sentence = self._sentence(text, hits) if semantic and phrase is None else None
        first, last = phrase or sentence or densest_window(hits, self._weights, self._chars, shown)
        start, end = widen(shown, first, last, self._chars)
        inside = [hit for hit in hits if start <= hit.start and hit.end <= end]
        marks = [(hit.start, hit.end) for hit in inside] + self._special(read, start, end)
        marks = merge_marks(marks if phrase is None else [*marks, (phrase[0], min(phrase[1], end))])
        at = marks[0][0] if marks else start
        if inside:
            weights = [self._weights[hit.token] for hit in inside]
            at = inside[weights.index(max(weights))].start
        if phrase is not None:
            at = phrase[0]
        if sentence is not None:
            at, marks = sentence[0], [(sentence[0], min(sentence[1], end))]
        place = shown.source(at) if marks or start else 0
        return render(text, start, end, marks, place)

    def _show(
        self, passage: str, names: Sequence[str], lines: Sequence[int], stored: bytes | None
    ) -> ShownText:
        """The shown text of a passage: without template lines, unless only they have the words."""
        given = passage, tuple(names), tuple(lines), stored
        shown = _shown_text(*given, self._template)
        if not shown.is_whole and not self._read(shown.text).hits:
            whole = _shown_text(*given, frozenset())
            if not shown.text or self._read(whole.text).hits:
                return whole
        return shown

    def matches(self, text: str) -> list[tuple[int, str]]:
        """(offset, token) of the query's words in the whole of `text`, and of forms of them."""
        if self._last_matches[0] is text:
            return self._last_matches[1]
        read = self._read(text)
        tokens = [(hit.start, hit.token) for hit in read.hits]
        for start, end in self._special(read, 0, len(text)):
            tokens += [(start, span.text) for span in spans(text[start:end])]
        self._last_matches = text, tokens
        return tokens

    def weight(self, tokens: Iterable[str]) -> float:
        """The summed weight of the query's words among `tokens`, each counted once."""
        return sum(self._weights.get(token, 0.0) for token in set(tokens))

    def _sentence(self, text: str, hits: Sequence[TokenHit]) -> tuple[int, int] | None:
        """The closest sentence, if the words of the query are missing or match by chance."""
        if self._closest is None:
            return None
        matched = sum(self._weights[token] for token in {hit.token for hit in hits})
        if matched >= _CHANCE_SHARE * self._total_weight > 0:
            return None
        return self._closest(text)

    def _phrase(self, flat: str) -> tuple[int, int] | None:
        """Where the first of the phrases stands in flattened text."""
        matches = (pattern.search(flat) for pattern in self._phrases)
        return next((match.span() for match in matches if match), None)

    def _read(self, text: str) -> _Reading:
        """The text with its matches; of a passage they are needed twice, one after the other."""
        last = self._last
        if last is None or last.text is not text:
            flat = text.lower() if text.isascii() else text.translate(_FLATTENING)
            self._last = last = _Reading(text, flat, self._hits(flat))
        return last

    def _hits(self, flat: str) -> list[TokenHit]:
        """Matches of the query's words, and forms of them, in flattened text, in order."""
        hits: list[TokenHit] = []
        for word in self._plain:
            at = flat.find(word.beginning)
            if at >= 0:
                _add_forms(hits, word, flat, at)
        if self._spaceless:
            hits += [
                TokenHit(self._tokens[match.group()], match.start(), match.end())
                for match in self._spaceless.finditer(flat)
            ]
        hits.sort(key=_by_start)
        return hits

    def _special(self, read: _Reading, start: int, end: int) -> list[tuple[int, int]]:
        """(start, end) of the query's tokens in a part of the text that are not plain words."""
        window = read.text[start:end]
        marks: list[tuple[int, int]] = []
        for first, last in self._runs(window, read.flat[start:end]):
            shift = start + first
            for text, begin, stop in _tokens_in(window[first:last]):
                if text in self._weights:
                    marks.append((shift + begin, shift + stop))
        return marks

    def _runs(self, window: str, flat: str) -> Iterable[tuple[int, int]]:
        """(start, end) of the runs with a sign that may hold a token of the query, in order.

        Nearly always a token that may be in an ASCII run stands there as it is, which `find` tells
        at once. If joining the parts of compounds makes more of them, all signs are looked at.
        Plain words that touch nothing are hits already.
        """
        if not self._tokens:
            return ()
        unjoined = flat.translate(_NO_JOINTS)
        places: list[int] = []
        for token, plain in self._unjoined:
            count = unjoined.count(token)
            if count:
                if flat.count(token) != count:
                    return self._runs_by_signs(window)
                _add_places(places, flat, token, everywhere=not plain)
        if not window.isascii():
            places += [match.start() for match in _NOT_ASCII.finditer(window)]
        if not places:
            return ()
        places.sort()
        return _runs_with_signs(window, places)

    def _runs_by_signs(self, window: str) -> Iterator[tuple[int, int]]:
        sign = _SIGN.search(window)
        while sign is not None:
            first, last = _run_around(window, sign.start())
            if self._may_hold(window[first:last]):
                yield first, last
            sign = _SIGN.search(window, last)

    def _may_hold(self, run: str) -> bool:
        """Tell whether the run may hold a token of the query; far cheaper than to split it.

        A token of an ASCII compound is a part of it, or several without what joins them.
        """
        if not run.isascii():
            return True
        unjoined = run.lower().translate(_NO_JOINTS)
        for token, _ in self._unjoined:  # noqa: SIM110 - `any` takes twice as long
            if token in unjoined:
                return True
        return False


@lru_cache(maxsize=512)  # from key to key a person who types sees the same passages
def _shown_text(
    passage: str,
    names: tuple[str, ...],
    lines: tuple[int, ...],
    stored: bytes | None,
    template: frozenset[int],
) -> ShownText:
    """The text that the index has, if it still holds; else it is worked out."""
    shown = unpack_shown(stored, passage, names, template) if stored else None
    return shown or shown_text(passage, names=names, lines=lines, template=template)


def _phrase_pattern(phrase: str) -> re.Pattern[str]:
    """Finds a phrase in flattened text."""
    between = _BETWEEN.join(map(re.escape, phrase.translate(_FLATTENING).split()))
    return re.compile(rf"(?<![^\W{SPACELESS}]){between}(?![^\W{SPACELESS}])")


class _QueryWord(NamedTuple):
    """A token of the query: flattened, its stem, and the letters that all its forms begin with."""

    token: str
    word: str
    stem: str
    beginning: str

    @classmethod
    def of(cls, word: str, token: str) -> _QueryWord:
        reduced = stem(word)
        pairs = zip(word, reduced, strict=False)
        shared = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
        beginning = word[:shared].removesuffix("i")  # studies and study
        return cls(token, word, reduced, beginning if len(beginning) >= _MIN_STEM else word)


def _add_forms(hits: list[TokenHit], sought: _QueryWord, text: str, at: int) -> None:
    """Add the word and its forms as whole words of `text`, whose first candidate is at `at`.

    Searching for a prefix is far cheaper than splitting the text into words.
    """
    token, whole, reduced, beginning = sought
    length = len(beginning)
    while at >= 0:
        end = at + length
        if not (at and text[at - 1].isalnum()):
            rest = _REST.match(text, end)
            end = rest.end() if rest else end
            word = text[at:end]
            if word == whole or stem(word) == reduced:
                if text[end : end + 1] > _LAST_PLAIN:  # a mark on its last letter is a part of it
                    end = _MARKS_AFTER.match(text, end).end()  # type: ignore[union-attr]
                hits.append(TokenHit(token, at, end))
        at = text.find(beginning, end)


def _add_places(places: list[int], text: str, token: str, *, everywhere: bool) -> None:
    """Add where `token` stands in `text`: everywhere, or where it may be a part of a compound."""
    length, size = len(token), len(text)
    at = text.find(token)
    while at >= 0:
        end = at + length
        if everywhere or (at and _touches(text[at - 1])) or (end < size and _touches(text[end])):
            places.append(at)
        at = text.find(token, end)


def _touches(sign: str) -> bool:
    return sign in _TOUCHING or (sign > "\x7f" and sign.isalnum())  # flattened text is lower case


@lru_cache(maxsize=512)  # addresses, names and links repeat themselves
def _tokens_in(run: str) -> tuple[Token, ...]:
    return tuple(spans(run))


def _runs_with_signs(window: str, places: Sequence[int]) -> Iterator[tuple[int, int]]:
    """(start, end) of the runs around ascending places that have a sign, each once."""
    end = 0
    for place in places:
        if place >= end:
            first, end = _run_around(window, place)
            if _SIGN.search(window, first, end):
                yield first, end


def _run_around(window: str, at: int) -> tuple[int, int]:
    """(start, end) of the characters around `at` up to white space."""
    rest = _RUN_REST.match(window, at)
    # Nearly always a run begins after a blank or at a line; other white space is rare.
    begin = max(window.rfind(" ", 0, at), window.rfind("\n", 0, at)) + 1
    head = window[begin:at]
    start = at if not head or head[-1].isspace() else at - len(head.rsplit(None, 1)[-1])
    return start, rest.end() if rest else at


class _Reading(NamedTuple):
    """A text, the same flattened, and the matches of the query's words in it."""

    text: str
    flat: str
    hits: list[TokenHit]


_by_start = attrgetter("start")


def _flat_char(code: int) -> str:
    """A character folded as by the analyzer, if that is one character, so that offsets stay.

    Marks that folding sets apart from their letter (İ) are left out with those that it keeps on it.
    """
    folded = unicodedata.normalize("NFKC", chr(code)).casefold()
    apart = unicodedata.normalize("NFD", folded)
    if _FOLDED.match(apart) and all(map(unicodedata.combining, apart[1:])):
        return apart[0]
    return fold_unit(folded) if len(folded) == 1 else chr(code)


class _Flattening(dict[int, str]):
    """A translation table that is filled on access; it preserves the length of text."""

    def __missing__(self, code: int) -> str:
        if len(self) >= _MOST_FLAT:
            self.clear()
        self[code] = flat = _flat_char(code)
        return flat


_FLATTENING = _Flattening()
