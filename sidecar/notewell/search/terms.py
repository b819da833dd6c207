"""Words that somebody may have meant: of a mistyped one, and of one that is still being typed.

Only words that the vault does not have are taken for mistyped, so an exact match is never passed.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from notewell.index import scripts
from notewell.index.analyze import tokens
from notewell.index.bm25 import QueryTerm, idf
from notewell.index.port import IndexReader, KeywordIndex

MAX_TERMS = 96  # of a pasted page, the rarest words are its topic
_MISTYPED_MOST = 3  # words of one query

FUNCTION_WORD_WEIGHT = 0.5

_ENGLISH = """
a an and any are as at be been but by can could did do does for from had has have how i if in into
is it its may me my no not of on or our should so some such than that the their them then there
these they this those to was we were what when where which while who why will with would you your
"""
_GERMAN = """
aber alle als also am an auch auf aus bei bin bis bist da damit dann das dass dein deine dem den der
des die dies diese diesem diesen dieser dieses doch du durch ein eine einem einen einer eines er es
etwas fur hat haben ich ihr ihre im in ist ja kann kannst kein keine konnen mein meine mich mir mit
muss nach nicht noch nur ob oder ohne sein seine sich sie sind so soll uber um und uns unter vom von
vor war warum was welche welcher welches wenn wer werden wie wird wo wurde zu zum zur
"""
_RUSSIAN = """
а без бы был была были было быть в вам вас весь во вот все всего вы где да для до его ее если есть
еще же за и из или им их к как какая какие какой когда который которые кто ли мне мой моя на над не
него нее нет ни них но о об он она они от по под при с со так также там то только ты у уже что чтобы
чем эта эти это этот я
"""  # noqa: RUF001 (Russian, and meant so)
_LANGUAGES = tuple(frozenset(text.split()) for text in (_ENGLISH, _GERMAN, _RUSSIAN))


def function_words(tokens: Collection[str]) -> frozenset[str]:
    """The function words of the language that has most of them among `tokens`."""
    return max((language.intersection(tokens) for language in _LANGUAGES), key=len)


MISTYPED = 0.5  # what such a word counts, at one edit; at two, half of it
UNFINISHED = 0.5  # what a word counts that begins as the last one does
_LEAST = 4  # letters; shorter words have too many neighbours
_TWO_EDITS = 8  # letters from which two edits are looked for
_MEANT = 3  # words that stand for a mistyped one
_ENDINGS = 6  # words that stand for an unfinished one
_LOOKED_AT = 4096
_SPACELESS = re.compile(f"[{scripts.SPACELESS}]")


def corrections(keywords: KeywordIndex, token: str) -> dict[str, float]:
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


def completions(keywords: KeywordIndex, token: str) -> dict[str, float]:
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


@dataclass(frozen=True, slots=True)
class Terms:
    """The tokens that are scored, in order of appearance.

    `weights` says how often each counts, `rarity` how telling it is (the idf of BM25); `unknown`
    are those that the collection does not have.
    """

    weights: Mapping[str, float]
    rarity: Mapping[str, float]
    unknown: frozenset[str]

    @property
    def query(self) -> tuple[QueryTerm, ...]:
        """What the keyword index is asked."""
        return tuple(
            QueryTerm(token, weight)
            for token, weight in self.weights.items()
            if token not in self.unknown
        )

    def asked(self, *, known: bool) -> float:
        """The sum of the idf of all tokens; of those that the collection has, if `known`."""
        return sum(
            self.rarity[token] * weight
            for token, weight in self.weights.items()
            if not (known and token in self.unknown)
        )


def terms(index: IndexReader, text: str, *, typing: bool = False) -> Terms:
    """The tokens of `text` that are worth asking for; of very many, the rarest.

    One that the vault does not have gives way to those that may have been meant. While somebody is
    `typing`, the last one stands for what begins with it as well.
    """
    found = tokens(text)
    last = found[-1] if typing and found and text[-1:].isalnum() else None
    exact = _terms(index, Counter(found))
    others: dict[str, float] = completions(index.keywords, last) if last else {}
    mistyped: set[str] = set()
    for token in sorted(exact.unknown, key=found.index)[:_MISTYPED_MOST]:
        meant = {} if token == last and others else corrections(index.keywords, token)
        if meant:
            mistyped.add(token)
            others |= meant
    if not others:
        return exact
    extra = _terms(index, Counter(set(others) - set(exact.weights)))
    weights = {token: share for token, share in others.items() if token in extra.weights}
    kept = {token: weight for token, weight in exact.weights.items() if token not in mistyped}
    return Terms(
        weights={**kept, **weights},
        rarity={**extra.rarity, **exact.rarity},
        unknown=exact.unknown - mistyped,
    )


def _terms(index: IndexReader, counts: Counter[str]) -> Terms:
    documents = index.keywords.document_count
    found = {token: min(index.keywords.document_frequency(token), documents) for token in counts}
    if len(counts) > MAX_TERMS:
        rarest = sorted(counts, key=lambda token: found[token] or documents)
        counts = Counter({token: counts[token] for token in rarest[:MAX_TERMS]})
    light = function_words(counts)
    return Terms(
        weights={
            token: count * (FUNCTION_WORD_WEIGHT if token in light else 1.0)
            for token, count in counts.items()
        },
        rarity={token: idf(found[token], documents) for token in counts},
        unknown=frozenset(token for token in counts if not found[token]),
    )
