"""Finds where the topic changes within the sections of a note, by the likeness of its sentences.

Each sentence is compared with the next one of its section. Where their likeness is below a
percentile of all such likenesses of the note, the section may be cut (Kamradt, "5 Levels Of Text
Splitting", 2024). Headings stay limits, and so does the least size of a passage: the places of the
least likeness are taken first, and one that would leave too little on a side is left out.
"""

from __future__ import annotations

import re
from bisect import bisect_left, insort
from collections.abc import Iterator, Sequence
from itertools import accumulate, pairwise

from notewell.base.types import CountTokens, Likeness, Note, Span
from notewell.base.types.frozen import frozen
from notewell.vault.sections import NoteSection, Part, sections_of

# Comparing more sentences of one note takes minutes; such a file is a book or a log.
MOST_SENTENCES = 5_000

_LEAST_CHARS = 12  # what is shorter says little, and is joined to its neighbour
_END = re.compile(
    r"[.!?…][\"'”’)\]]{0,3}\s+|[。！？｡؟۔।][”’」』）】]{0,3}\s*"  # noqa: RUF001 - the full stops of other scripts
)
_OUTER_LINE = re.compile(r"\n(?=\S)")
_WHOLE = frozenset({"table", "code", "math"})  # rows and lines that mean something together


@frozen
class Sentence:
    """text[start:end] of a section, a list item with what is below it, or a whole table."""

    start: int
    end: int
    text: str


@frozen
class TopicPlace:
    """A place where a section may be cut, and the likeness of the sentences on its sides."""

    offset: int
    likeness: float


@frozen
class TopicCuts:
    """Cuts sections into parts where the topic changes; see `chunk.CutSections`.

    `likeness` compares the sentences; `percentile` is from 1 to 99.
    """

    likeness: Likeness
    percentile: int

    def __call__(
        self, sections: Sequence[NoteSection], minimum: int, count: CountTokens
    ) -> list[Sequence[Part]]:
        """The parts of each section, of about `minimum` tokens or more."""
        places = topic_places(sections, self)
        return [
            _parts_between(section.text, cuts, minimum, count) if cuts else [section.whole]
            for section, cuts in zip(sections, places, strict=True)
        ]


def compared_sentences(note: Note) -> list[str]:
    """The sentences of a note that are compared, in order; none of a note that has too many."""
    texts = [sentence.text for section in sections_of(note) for sentence in _sentences(section)]
    return texts if len(texts) <= MOST_SENTENCES else []


def topic_places(sections: Sequence[NoteSection], rule: TopicCuts) -> list[list[TopicPlace]]:
    """For each section the places where it may be cut, by offset in its text."""
    sentences = [list(_sentences(section)) for section in sections]
    texts = [sentence.text for section in sentences for sentence in section]
    if not 1 < len(texts) <= MOST_SENTENCES:
        return [[] for _ in sections]
    likeness = rule.likeness(texts)
    firsts = accumulate((len(section) for section in sentences), initial=0)
    compared = [
        [
            TopicPlace(second.start, likeness[first + n])
            for n, (_, second) in enumerate(pairwise(section))
        ]
        for first, section in zip(firsts, sentences, strict=False)
    ]
    limit = _percentile(
        [place.likeness for section in compared for place in section], rule.percentile
    )
    return [[place for place in section if place.likeness < limit] for section in compared]


def _parts_between(
    text: str, places: Sequence[TopicPlace], minimum: int, count: CountTokens
) -> list[Part]:
    candidates = [0, *sorted(place.offset for place in places), len(text)]
    tokens = [0, *accumulate(count(text[start:end]) for start, end in pairwise(candidates))]
    before = dict(zip(candidates, tokens, strict=True))
    cuts = [0, len(text)]
    for place in sorted(places, key=lambda place: (place.likeness, place.offset)):
        n = bisect_left(cuts, place.offset)
        left, right = before[cuts[n - 1]], before[cuts[n]]
        if min(before[place.offset] - left, right - before[place.offset]) >= minimum:
            insort(cuts, place.offset)
    return list(pairwise(cuts))


def _sentences(section: NoteSection) -> Iterator[Sentence]:
    """The sentences of a section, by their offsets in the text of its spans joined by line ends."""
    offset = 0
    for span in section.spans:
        yield from _of_span(span, offset)
        offset += len(span.text) + 1


def _of_span(span: Span, offset: int) -> Iterator[Sentence]:
    text = span.text
    ends = [len(text)]
    if span.kind not in _WHOLE:
        pattern = _OUTER_LINE if span.kind == "list" else _END
        ends = [*(match.end() for match in pattern.finditer(text)), len(text)]
    start, last = 0, len(text.rstrip())
    for end in ends:
        rest_is_short = end < len(text) and last - end < _LEAST_CHARS
        if len(text[start:end].strip()) >= _LEAST_CHARS and not rest_is_short:
            yield Sentence(offset + start, offset + end, text[start:end].strip())
            start = end
    if text[start:].strip():  # a span that is short altogether
        yield Sentence(offset + start, offset + len(text), text[start:].strip())


def _percentile(values: Sequence[float], share: int) -> float:
    """The value below which `share` percent of them are, interpolated between two neighbours."""
    if not values:
        return 0.0
    ordered = sorted(values)
    place = (len(ordered) - 1) * share / 100
    low = int(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (place - low)
