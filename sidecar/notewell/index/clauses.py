"""The fields in which each word of a query is searched, and with what weight."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from notewell.index.lexical import PHRASE_FIELDS, STEMS, TEMPLATE, FieldWeights, QueryTerm

FIELDS = (*PHRASE_FIELDS, STEMS)  # those that are scored
# Common words cost most and matter least. Of a word in every tenth chunk only the stem is searched;
# one in every second (idf below 0.7) is left out if there are rarer ones. Both make a query
# with stop words three times as fast, and move nDCG on the tuning sets by 0.002 at most.
_COMMON_SHARE, _EVERYWHERE_SHARE = 10, 2
_COMMON_LEAST = 1000  # chunks; below it nothing is slow
_BROADEST = frozenset((STEMS, TEMPLATE))  # fields in which a common word is searched as well


@dataclass(frozen=True, slots=True)
class Form:
    """The text to search in a field for a token, and its document frequency there.

    `correction`: a factor of its score, where the engine's own statistics are not exact.
    """

    field: str
    text: str
    count: int
    correction: float = 1.0


@dataclass(frozen=True, slots=True)
class Clause:
    """A form and what it counts in a query."""

    form: Form
    weight: float


def sum_weights(terms: Sequence[QueryTerm]) -> dict[str, float]:
    """The weight of each token; one that comes twice counts for both."""
    weights: dict[str, float] = {}
    for term in terms:
        weights[term.token] = weights.get(term.token, 0.0) + term.weight
    return weights


def field_factors(weights: FieldWeights) -> dict[str, float]:
    """The factor of a hit in each field."""
    return {name: float(getattr(weights, name)) for name in FIELDS}


def build_clauses(
    tokens: Mapping[str, float],
    forms: Callable[[str], Sequence[Form]],
    fields: Mapping[str, float],
    documents: int,
) -> list[Clause]:
    """The clauses of a query among so many documents; none, if no field has any of its tokens.

    `tokens` with their weights; `forms` gives those of a token; `fields` what each field counts.
    """
    common = max(_COMMON_LEAST, documents // _COMMON_SHARE)
    everywhere = max(_COMMON_LEAST, documents // _EVERYWHERE_SHARE)
    selective: list[Clause] = []
    stop_words: list[Clause] = []
    for token, weight in tokens.items():
        for form in forms(token):
            boost = weight * fields[form.field] * form.correction
            if boost > 0 and form.count and (form.count <= common or form.field in _BROADEST):
                some = selective if form.count <= everywhere else stop_words
                some.append(Clause(form, boost))
    return selective or stop_words
