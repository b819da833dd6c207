"""Makes snippets: the part of a passage that best matches a query, with highlights.

In a passage without words of the query, its closest sentence is shown. Embedding every sentence
takes longer than the whole search, so context-free token vectors are looked up instead: the score
of a sentence is the mean, over the tokens of the query, of the highest cosine with a token of the
sentence (MaxSim of Khattab and Zaharia 2020, "ColBERT"). It chooses the sentence that the model
would choose in more than half of the passages, at a fiftieth of the cost (tests/eval/README.md).
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise, takewhile
from operator import attrgetter
from typing import NamedTuple

import numpy as np

from notewell.base.types import FloatArray, KnowsTokens
from notewell.base.types.frozen import frozen
from notewell.index.analyze import (
    EMOJI,
    FOLDED,
    MARKS,
    SPACELESS,
    SPACELESS_CHARACTER,
    Token,
    spans,
    stem,
)
from notewell.search.show.shown_text import NEW_ROW, ShownText, shown_text

_SLACK = 6  # a cut may move by this part of a window to reach the start of a sentence
_ENOUGH = 0.6  # of a window, after which it may end with a sentence
_WORD = re.compile(rf"[{SPACELESS}]|[^\s{SPACELESS}]+")
_FOLDED = re.compile(f"[{FOLDED}]")
# Text that the analyzer does not read word by word: compounds, camelCase, scripts without spaces,
# letters that it expands or that have combining marks, and signs that are tokens.
_JOINTS = r"-_.'\u2019\u2010\u2011"
_READ_OTHERWISE = rf"{SPACELESS}{MARKS}{EMOJI}ßẞæÆœŒþÞøØłŁđĐðÐıёЁ\ufb00-\ufb06"
# The character that is a sign, or completes one, comes first: that makes the search fast.
_SIGN = re.compile(
    rf"[{_JOINTS}A-Z+#{_READ_OTHERWISE}]"
    rf"(?:(?<=[+#{_READ_OTHERWISE}])|(?<=\w[{_JOINTS}])(?=\w)"
    r"|(?<=[^\W\dA-Z_][A-Z])|(?<=[A-Z]{2})(?=[^\W\dA-Z_]))"
)
_RUN_REST = re.compile(r"\S*")
_NO_JOINTS = str.maketrans("", "", "-_.'")
# Quotation marks, dashes and bullets only separate words.
_NOT_ASCII = re.compile(r"[^\x00-\x7f\s\xab\xb7\xbb\u2013\u2014\u2018\u201c\u201d\u2022\u2026]\S*")
# What makes a token beside it part of a compound; letters and digits other than these do as well.
_TOUCHING = frozenset("-_.'+#abcdefghijklmnopqrstuvwxyz0123456789")
_REST = re.compile(r"[^\W_]*")
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
        self._template = template
        self._weights = weights
        self._total_weight = sum(weights.values())
        self._chars = chars
        self._closest = closest
        self._phrases = [_phrase_pattern(each) for each in phrases if " " in each]
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
        semantic: bool = False,
    ) -> Snippet:
        """The part of a passage with the highest weight of matches, cut at sentences or words.

        `names` are those of its note and headings, `lines` the numbers of its rows
        (`shown_text`). `semantic` allows the closest sentence instead if there is no match.
        """
        shown = self._shown(passage, names, lines)
        text = shown.text
        read = self._read(text)
        hits = read.hits
        phrase = self._phrase(read.flat)
        sentence = self._sentence(text, hits) if semantic and phrase is None else None
        first, last = phrase or sentence or _densest(hits, self._weights, self._chars, shown)
        start, end = _window(shown, first, last, self._chars)
        inside = [hit for hit in hits if start <= hit.start and hit.end <= end]
        marks = [(hit.start, hit.end) for hit in inside] + self._special(read, start, end)
        marks = merged(marks if phrase is None else [*marks, (phrase[0], min(phrase[1], end))])
        at = marks[0][0] if marks else start
        if inside:
            weights = [self._weights[hit.token] for hit in inside]
            at = inside[weights.index(max(weights))].start
        if phrase is not None:
            at = phrase[0]
        if sentence is not None:
            at, marks = sentence[0], [(sentence[0], min(sentence[1], end))]
        found = shown.source(at) if marks or start else 0
        return render(text, start, end, marks, found)

    def _shown(self, passage: str, names: Sequence[str], lines: Sequence[int]) -> ShownText:
        """The shown text of a passage: without template lines, unless only they have the words."""
        shown = shown_text(passage, names=names, lines=lines, template=self._template)
        if not shown.is_whole and not self._read(shown.text).hits:
            whole = shown_text(passage, names=names, lines=lines)
            if not shown.text or self._read(whole.text).hits:
                return whole
        return shown

    def matches(self, text: str) -> list[tuple[int, str]]:
        """(offset, token) of the query's words in the whole of `text`, and of forms of them."""
        if self._last_matches[0] is text:
            return self._last_matches[1]
        read = self._read(text)
        found = [(hit.start, hit.token) for hit in read.hits]
        for start, end in self._special(read, 0, len(text)):
            found += [(start, one.text) for one in spans(text[start:end])]
        self._last_matches = text, found
        return found

    def weight(self, tokens: Iterable[str]) -> float:
        """The summed weight of the query's words among `tokens`, each counted once."""
        return sum(self._weights.get(token, 0.0) for token in set(tokens))

    def _sentence(self, text: str, hits: Sequence[_TokenHit]) -> tuple[int, int] | None:
        """The closest sentence, if the words of the query are missing or match by chance."""
        if self._closest is None:
            return None
        matched = sum(self._weights[token] for token in {hit.token for hit in hits})
        if matched >= _CHANCE_SHARE * self._total_weight > 0:
            return None
        return self._closest(text)

    def _phrase(self, flat: str) -> tuple[int, int] | None:
        """Where the first of the phrases stands in flattened text."""
        found = (pattern.search(flat) for pattern in self._phrases)
        return next((match.span() for match in found if match), None)

    def _read(self, text: str) -> _Reading:
        """The text with its matches; of a passage they are needed twice, one after the other."""
        last = self._last
        if last is None or last.text is not text:
            flat = text.lower() if text.isascii() else text.translate(_FLATTENING)
            self._last = last = _Reading(text, flat, self._hits(flat))
        return last

    def _hits(self, flat: str) -> list[_TokenHit]:
        """Matches of the query's words, and forms of them, in flattened text, in order."""
        hits: list[_TokenHit] = []
        for word in self._plain:
            at = flat.find(word.beginning)
            if at >= 0:
                _add_forms(hits, word, flat, at)
        if self._spaceless:
            hits += [
                _TokenHit(self._tokens[match.group()], match.start(), match.end())
                for match in self._spaceless.finditer(flat)
            ]
        hits.sort(key=_by_start)
        return hits

    def _special(self, read: _Reading, start: int, end: int) -> list[tuple[int, int]]:
        """(start, end) of the query's tokens in a part of the text that are not plain words."""
        window = read.text[start:end]
        found: list[tuple[int, int]] = []
        for first, last in self._runs(window, read.flat[start:end]):
            shift = start + first
            for text, begin, stop in _tokens_in(window[first:last]):
                if text in self._weights:
                    found.append((shift + begin, shift + stop))
        return found

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


def _add_forms(hits: list[_TokenHit], sought: _QueryWord, text: str, at: int) -> None:
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
                hits.append(_TokenHit(token, at, end))
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
    return sign in _TOUCHING or sign.isalnum()


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


class _TokenHit(NamedTuple):
    """A match of a query's token in flattened text."""

    token: str
    start: int
    end: int


class _Reading(NamedTuple):
    """A text, the same flattened, and the matches of the query's words in it."""

    text: str
    flat: str
    hits: list[_TokenHit]


_by_start = attrgetter("start")


def _densest(
    hits: list[_TokenHit], weights: Mapping[str, float], chars: int, shown: ShownText
) -> tuple[int, int]:
    """The window from one hit to another, at most `chars` long, with the highest weight.

    Further occurrences of a token count a tenth, so that variety wins over repetition.
    """
    best, chosen, total, first = 0.0, (0, 0), 0.0, 0
    counts: dict[str, int] = dict.fromkeys(weights, 0)
    for hit in hits:
        total += weights[hit.token] * (0.1 if counts[hit.token] else 1.0)
        counts[hit.token] += 1
        least = max(hit.end - chars, shown.between_walls(hit.start)[0])
        while hits[first].start < least and hits[first] is not hit:
            dropped = hits[first].token
            counts[dropped] -= 1
            total -= weights[dropped] * (0.1 if counts[dropped] else 1.0)
            first += 1
        if total > best:
            best, chosen = total, (hits[first].start, hit.end)
    return chosen


def _window(shown: ShownText, first: int, last: int, chars: int) -> tuple[int, int]:
    """The part of the text around [first, last) that is shown."""
    low, high = shown.between_walls(first)
    last = min(last, first + chars, high)
    if high - low <= chars:
        return low, high
    start = _start(shown.text, first, last, (low, high), chars)
    return start, _end(shown.text, start, last, high, chars)


def _start(text: str, first: int, last: int, within: tuple[int, int], chars: int) -> int:
    """Where a window around [first, last) begins: with a sentence or row, else with a word."""
    low, high = within
    slack = chars // _SLACK
    wanted = max(low, first - max(0, chars - (last - first)) // 3)
    wanted = max(low, min(wanted, high - chars))
    if wanted - low <= slack and first - low + (last - first) <= chars:
        return low
    for match in SENTENCE.finditer(text, max(low, wanted - slack), first):
        return match.end()
    word = None
    # The place may be inside a word; that would count as a word that starts there.
    for match in _WORD.finditer(text, max(low, wanted - slack)):
        if match.start() > first:
            break
        word = match.start()
        if word >= wanted:
            break
    return first if word is None else word


def _end(text: str, start: int, last: int, high: int, chars: int) -> int:
    """Where a window from `start` ends: with a sentence or row, else with a word; after `last`."""
    slack = chars // _SLACK
    limit = max(last, start + chars)
    if limit + slack >= high:
        return high
    enough = max(last, start + round(chars * _ENOUGH))
    ends = [match.end() for match in SENTENCE.finditer(text, enough - 1, limit)]
    if ends:
        return ends[-1]
    for begin in (max(start, limit - slack), start):  # nearly always, the last few words do
        ends = [match.end() for match in _WORD.finditer(text, begin, limit + 1)]
        fitting = [at for at in ends if last <= at <= limit]
        if fitting:
            return fitting[-1]
    return limit


def _flat_char(code: int) -> str:
    """A character folded as by the analyzer, if that is one character, so that offsets stay."""
    folded = unicodedata.normalize("NFKC", chr(code)).casefold()
    base = unicodedata.normalize("NFD", folded)[:1]
    if len(folded) == 1 and _FOLDED.match(base):
        return base
    return folded if len(folded) == 1 else chr(code)


class _Flattening(dict[int, str]):
    """A translation table that is filled on access; it preserves the length of text."""

    def __missing__(self, code: int) -> str:
        if len(self) >= _MOST_FLAT:
            self.clear()
        self[code] = flat = _flat_char(code)
        return flat


_FLATTENING = _Flattening()


SENTENCE = re.compile("(?:[.!?…](?: ·)?\\s|[。\uff01\uff1f](?: · )?|\\n| · )\\s*")
_FULL_STOP = re.compile("[.!?…。\uff01\uff1f]['\"\u201d\u2019)]*\\Z")
_MARK = re.compile(r"\s*(?:(?:[-*+]|\d{1,9}[.)])\s+(?:\[.\]\s+)?)?")
MAX_PASSAGES = 2  # per reply; each takes almost a millisecond
_MIN_CHARS = 12  # shorter text is a marker or a number, not a sentence


class ClosestSentence:
    """Finds the closest sentence to one query in each of the first `passages` passages."""

    def __init__(self, model: KnowsTokens, query: str, *, passages: int = MAX_PASSAGES) -> None:
        """The vectors of `query` are looked up with the first passage."""
        self._model = model
        self._query = query
        self._remaining = passages
        self._query_tokens: FloatArray | None = None

    def __call__(self, text: str) -> tuple[int, int] | None:
        """(start, end) of the sentence in `text`; None with fewer than two, or no passages left."""
        if self._remaining <= 0:
            return None
        sentences = sentences_of(text)
        if len(sentences) < 2:
            return None
        self._remaining -= 1
        wanted, read = self._query_vectors(), self._model.token_vectors(text)
        if wanted is None or read is None or not len(wanted) or not len(read.starts):
            return None
        owners = np.searchsorted([start for start, _ in sentences], read.starts, side="right") - 1
        numbers, firsts = np.unique(owners, return_index=True)
        scores = np.maximum.reduceat(wanted @ read.vectors.T, firsts, axis=1).mean(axis=0)
        scores[numbers < 0] = -np.inf  # tokens before the first sentence
        return sentences[max(int(numbers[np.argmax(scores)]), 0)]

    def _query_vectors(self) -> FloatArray | None:
        if self._query_tokens is None:
            read = self._model.token_vectors(self._query)
            self._query_tokens = read.vectors if read is not None else None
        return self._query_tokens


def sentences_of(text: str) -> list[tuple[int, int]]:
    """(start, end) of sentences and lines, without list markers, white space and lines of tags."""
    cuts = [0, *(match.end() for match in SENTENCE.finditer(text)), len(text)]
    found = []
    for start, end in pairwise(cuts):
        marked = _MARK.match(text, start)
        first = marked.end() if marked else start
        sentence = text[first:end].rstrip()
        if len(sentence) >= _MIN_CHARS and any(word[0] != "#" for word in sentence.split()):
            found.append((first, first + len(sentence)))
    return found


ELLIPSIS = "…"


@frozen
class Snippet:
    """One line of text; `highlights` are UTF-16 offsets into it, in order, not overlapping.

    `at` is the offset of the best match in the passage, 0 without a match.
    """

    text: str
    highlights: tuple[tuple[int, int], ...]
    at: int


def render(text: str, start: int, end: int, marks: Sequence[tuple[int, int]], at: int) -> Snippet:
    """The part text[start:end] in one line, and the marks in it."""
    part = text[start:end].rstrip().removesuffix(NEW_ROW.rstrip()).rstrip()
    begins_inside = start and not SENTENCE.search(text, max(0, start - len(NEW_ROW)), start)
    before = ELLIPSIS if begins_inside else ""
    after = "" if not text[end:].strip() or _FULL_STOP.search(part) else ELLIPSIS
    line = f"{before}{part}{after}"
    last, shift = start + len(part), len(before) - start
    shown = [(min(a, last) + shift, min(b, last) + shift) for a, b in marks]
    return Snippet(line, _utf16(line, shown), at)


def merged(marks: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Marks in order; overlapping or touching ones are joined."""
    merged: list[tuple[int, int]] = []
    for start, end in sorted(marks):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


def _utf16(line: str, pairs: list[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    """Code point offsets as UTF-16 offsets, which are what JavaScript slices by."""
    if not pairs or line.isascii():
        return tuple(pairs)
    if len(line.encode("utf-16-le", "surrogatepass")) == 2 * len(line):  # no character takes two
        return tuple(pairs)
    wide = [at for at, char in enumerate(line) if char > "\uffff"]  # two units each
    return tuple((a + bisect_left(wide, a), b + bisect_left(wide, b)) for a, b in pairs)
