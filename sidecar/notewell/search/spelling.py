"""Words that somebody may have meant: of a mistyped one, and of one that is still being typed.

Only words that the vault does not have are taken for mistyped, so an exact match is never passed.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from notewell.index import scripts
from notewell.index.port import KeywordIndex

MISTYPED = 0.5  # what such a word counts, at one edit; at two, half of it
UNFINISHED = 0.5  # what a word counts that begins as the last one does
_LEAST = 4  # letters; shorter words have too many neighbours
_TWO_EDITS = 8  # letters from which two edits are looked for
_MEANT = 3  # words that stand for a mistyped one
_ENDINGS = 6  # words that stand for an unfinished one
_LOOKED_AT = 4096
_SPACELESS = re.compile(f"[{scripts.SPACELESS}]")


def meant(keywords: KeywordIndex, token: str) -> dict[str, float]:
    """The words of the vault within a typing mistake or two of `token`, and what each counts.

    The nearest ones, of these the commonest. The first letter, or the first two swapped, must be
    right, as they are in nearly all mistakes (Pollock and Zamora 1983, "Collection and
    characterization of spelling errors in scientific and scholarly text").
    """
    if len(token) < _LEAST or not token.isalpha() or _SPACELESS.search(token):
        return {}
    most = 2 if len(token) >= _TWO_EDITS else 1
    # What begins alike is few words; all with the first letter are looked at where none is near.
    for prefixes in ((token[:2], token[1::-1], token[0] + token[2]), (token[0],)):
        known = {
            word: count
            for prefix in prefixes
            for word, count in keywords.terms_with_prefix(prefix, _LOOKED_AT)
        }
        if token in known:  # come with a commit since it was looked up: nothing else is meant
            return {}
        near = _near(token, known, most)
        if near:
            return {
                word: MISTYPED / edits for edits, _, word in near[:_MEANT] if edits == near[0][0]
            }
    return {}


def _near(token: str, known: Mapping[str, int], most: int) -> list[tuple[int, int, str]]:
    """Words at most so many edits away, as (edits, minus how common, word), the likeliest first."""
    letters = set(token)
    near = []
    for word, count in known.items():
        if abs(len(word) - len(token)) > most or len(letters.symmetric_difference(word)) > 2 * most:
            continue
        edits = distance(token, word, most)
        if edits <= most:
            near.append((edits, -count, word))
    return sorted(near)


def endings(keywords: KeywordIndex, token: str) -> dict[str, float]:
    """The commonest words of the vault that begin with `token`, and what each counts."""
    found = keywords.terms_with_prefix(token, _ENDINGS + 1)
    return {word: UNFINISHED for word, _ in found if word != token}


def distance(one: str, other: str, most: int) -> int:
    """Letters changed, added, left out or swapped with their neighbour; `most + 1` for more.

    Optimal string alignment: Damerau 1964, "A technique for computer detection and correction of
    spelling errors".
    """
    before: list[int] = []
    row = list(range(len(other) + 1))
    for at, letter in enumerate(one, start=1):
        earlier, before, row = before, row, [at]
        for to, wanted in enumerate(other, start=1):
            cost = min(before[to] + 1, row[to - 1] + 1, before[to - 1] + (letter != wanted))
            if at > 1 and to > 1 and letter == other[to - 2] and one[at - 2] == wanted:
                cost = min(cost, earlier[to - 2] + 1)
            row.append(cost)
        if min(row) > most:
            return most + 1
    return min(row[-1], most + 1)
