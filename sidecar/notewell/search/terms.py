"""The weighted terms of a query: its tokens, function words, spelling corrections, completions.

Function words hold a sentence together and say little about its topic. The idf of BM25 gives them
a low weight where the collection is prose, but notes are often lists and headings, in which "how"
and "my" are rare and would weigh as much as topics. So they count half: on the development sets
that gains in English and Russian and costs nothing in German, whereas leaving them out loses in
German. In a language without a list here, all words count in full.

Only words that the vault does not contain are corrected, so an exact match is never passed over.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from notewell.index.analyze import SPACELESS, tokens
from notewell.index.lexical import QueryTerm, idf
from notewell.index.port import IndexReader, KeywordIndex

MAX_TERMS = 96  # of a longer text (a pasted page), the rarest terms are its topic
FUNCTION_WORD_WEIGHT = 0.5
CORRECTION_WEIGHT = 0.5  # of a word at one edit; at two edits, half of it
COMPLETION_WEIGHT = 0.5  # of a word that begins with the unfinished one
_MAX_CORRECTED = 3  # words per query
_MIN_LETTERS = 4  # shorter words have too many neighbours
_TWO_EDITS_LETTERS = 8  # from this length on, words at two edits are considered
_MAX_CORRECTIONS = 3  # per misspelt word
_MAX_COMPLETIONS = 6  # per unfinished word
_MIN_HIGHLIGHT = 0.1  # of the highest weight; tokens with less are not highlighted
_MAX_COMPARED = 4096  # words of the vocabulary, per prefix
_SPACELESS = re.compile(f"[{SPACELESS}]")

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
"""  # noqa: RUF001 (Cyrillic letters on purpose)
_LANGUAGES = tuple(frozenset(text.split()) for text in (_ENGLISH, _GERMAN, _RUSSIAN))


@dataclass(frozen=True, slots=True)
class Terms:
    """The scored tokens of a query, in order of appearance.

    `weights`: occurrences times the weight of the term. `idf`: inverse document frequency as in
    BM25. `unknown`: tokens that do not occur in the collection.
    """

    weights: Mapping[str, float]
    idf: Mapping[str, float]
    unknown: frozenset[str]

    @property
    def query(self) -> tuple[QueryTerm, ...]:
        """The terms to search the keyword index for: those that occur in it."""
        return tuple(
            QueryTerm(token, weight)
            for token, weight in self.weights.items()
            if token not in self.unknown
        )

    def total_idf(self, *, known: bool) -> float:
        """The weighted sum of the idf of all tokens, or only of those in the collection."""
        return sum(
            self.idf[token] * weight
            for token, weight in self.weights.items()
            if not (known and token in self.unknown)
        )

    def highlight_weights(self) -> Mapping[str, float]:
        """The tokens to highlight, by weight times idf; none that nearly every passage contains."""
        weights = {token: self.idf[token] * weight for token, weight in self.weights.items()}
        threshold = _MIN_HIGHLIGHT * max(weights.values())
        return {token: weight for token, weight in weights.items() if weight >= threshold}


def query_terms(index: IndexReader, text: str, *, typing: bool = False) -> Terms:
    """The terms of `text`; of more than MAX_TERMS, the rarest.

    A token that the vault does not contain is replaced by its corrections, if it has any. With
    `typing`, the last token also stands for the words that begin with it.
    """
    found = tokens(text)
    last = found[-1] if typing and found and text[-1:].isalnum() else None
    exact = _exact_terms(index, Counter(found))
    others: dict[str, float] = completions(index.keywords, last) if last else {}
    misspelt: set[str] = set()
    for token in sorted(exact.unknown, key=found.index)[:_MAX_CORRECTED]:
        corrected = {} if token == last and others else corrections(index.keywords, token)
        if corrected:
            misspelt.add(token)
            others |= corrected
    if not others:
        return exact
    extra = _exact_terms(index, Counter(set(others) - set(exact.weights)))
    weights = {token: weight for token, weight in others.items() if token in extra.weights}
    correct = {token: weight for token, weight in exact.weights.items() if token not in misspelt}
    return Terms(
        weights={**correct, **weights},
        idf={**extra.idf, **exact.idf},
        unknown=exact.unknown - misspelt,
    )


def _exact_terms(index: IndexReader, counts: Counter[str]) -> Terms:
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
        idf={token: idf(found[token], documents) for token in counts},
        unknown=frozenset(token for token in counts if not found[token]),
    )


def function_words(tokens: Collection[str]) -> frozenset[str]:
    """The function words among `tokens`, in the one language that has most of them."""
    return max((language.intersection(tokens) for language in _LANGUAGES), key=len)


def corrections(keywords: KeywordIndex, token: str) -> dict[str, float]:
    """Words of the vault within one or two edits of `token`, each with its weight.

    The nearest words, and of equally near ones the most frequent. The first letter, or the first
    two letters swapped, must be right, as in nearly all spelling errors (Pollock and Zamora 1983,
    "Collection and characterization of spelling errors in scientific and scholarly text").
    """
    if len(token) < _MIN_LETTERS or not token.isalpha() or _SPACELESS.search(token):
        return {}
    max_edits = 2 if len(token) >= _TWO_EDITS_LETTERS else 1
    # Words with the same first two letters are few; if none is near, try the same first letter.
    for prefixes in ((token[:2], token[1::-1], token[0] + token[2]), (token[0],)):
        known = {
            word: count
            for prefix in prefixes
            for word, count in keywords.terms_with_prefix(prefix, _MAX_COMPARED)
        }
        if token in known:  # it was indexed since its look-up, so it is spelt right
            return {}
        near = _nearest(token, known, max_edits)
        if near:
            return {
                word: CORRECTION_WEIGHT / edits
                for edits, _, word in near[:_MAX_CORRECTIONS]
                if edits == near[0][0]
            }
    return {}


def _nearest(token: str, known: Mapping[str, int], most: int) -> list[tuple[int, int, str]]:
    """Words at most `most` edits away, as (edits, -frequency, word), best first."""
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
    """The most frequent words of the vault that begin with `token`, each with its weight."""
    found = keywords.terms_with_prefix(token, _MAX_COMPLETIONS + 1)
    return {word: COMPLETION_WEIGHT for word, _ in found if word != token}


def distance(one: str, other: str, most: int) -> int:
    """The number of edits between two words, at most `most + 1`.

    An edit changes, adds or removes a letter, or swaps two neighbours. Optimal string alignment:
    Damerau 1964, "A technique for computer detection and correction of spelling errors".
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
