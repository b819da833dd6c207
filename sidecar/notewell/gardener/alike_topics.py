"""Which topics are alike in name."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from itertools import combinations

from notewell.vault.topics import Topic

MIN_NAME_LIKENESS = 0.88  # shares of equal letters; plurals and other separators count as equal
MIN_COSINE = 0.85
_NUMBERS = re.compile(r"\d+")
_SHORTEST = 5  # letters of a name that may be misspelled; shorter ones differ by what they mean


def alike_in_name(topics: Sequence[Topic]) -> Iterator[tuple[Topic, Topic, float]]:
    """Yield pairs of topics with almost the same name or alias, and how alike they are, 0..1."""
    keys = [
        (topic, {_key(name) for name in (topic.name, *topic.aliases)} - {""}) for topic in topics
    ]
    for (one, some), (other, others) in combinations(keys, 2):
        score = max((_likeness(a, b) for a in some for b in others), default=0.0)
        if score >= MIN_NAME_LIKENESS:
            yield one, other, score


def _likeness(one: str, other: str) -> float:
    if one == other:
        return 1.0
    # Most pairs differ in their first letter or in length, which costs nothing to see.
    if one[0] != other[0] or min(len(one), len(other)) < _SHORTEST:
        return 0.0
    # Names that are told apart by a number ("Level 1", "Level 2") are two.
    if _NUMBERS.findall(one) != _NUMBERS.findall(other):
        return 0.0
    matcher = SequenceMatcher(None, one, other, autojunk=False)
    if matcher.real_quick_ratio() < MIN_NAME_LIKENESS or matcher.quick_ratio() < MIN_NAME_LIKENESS:
        return 0.0
    return matcher.ratio()


def _key(name: str) -> str:
    """A name without case, accents, separators and a plural s."""
    plain = unicodedata.normalize("NFKD", name.casefold())
    letters = "".join(one for one in plain if one.isalnum())
    return letters.removesuffix("s") if len(letters) > _SHORTEST else letters
