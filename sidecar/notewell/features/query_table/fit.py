"""Fits a query table to texts and the model's vectors of them.

A text is the counts of its tokens, divided by the root of their number. The rows are the ridge
regression (Hoerl & Kennard 1970) from these to the vectors, drawn towards the model's own vector of
each token alone instead of towards 0. It is solved by conjugate gradients with the diagonal as
preconditioner (Hestenes & Stiefel 1952), for all dimensions at once and without the matrix.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from notewell.api.types import FloatArray
from notewell.base.types import IdArray
from notewell.models.query_table import QueryTable, TableHead, TokenVocabulary, pack

RIDGE = 0.5  # as much as half a text that is the token alone
BOUND = 0.5  # of the predicted agreement, below which nothing is said by meaning
_STEPS = 12  # later ones change the agreement by less than 0.001
_PRIOR = 0.6  # the length of the vector of a rare token alone
_FREQUENT = 1e-3  # the share of all tokens at which this is halved
_AT_ONCE = 4000  # texts of one step, some milliseconds
_DROPPED = 0.2  # of tokens, to learn what unknown ones mean
# At least: the vault's own texts, in which few tokens are dropped, make it too little for queries
# of which half is unknown.
_COST_OF_UNKNOWN = -0.6
_TINY = np.float32(1e-9)
_WEAKEST = 255

Check = Callable[[], None]


@dataclass(frozen=True, slots=True, eq=False)
class Lessons:
    """Texts as token ids, with the model's vectors (n, dimensions) of them."""

    tokens: Sequence[Sequence[int]]
    vectors: FloatArray


@dataclass(frozen=True, slots=True, eq=False)
class Fitted:
    """Rows (tokens + 1, dimensions), the last of which is in every text, and what they saw.

    `weights` (tokens + 1,) are how much of the texts each token is.
    """

    rows: FloatArray
    weights: FloatArray


class _Counts:
    """The matrix of counts (texts, tokens + 1), with the constant of each text as the last."""

    def __init__(self, tokens: Sequence[Sequence[int]], width: int) -> None:
        lengths = np.array([len(token) for token in tokens], np.int64)
        rows = np.repeat(np.arange(len(tokens)), lengths + 1)
        columns = np.concatenate([[*token, width - 1] for token in tokens]).astype(np.int64)
        values = (1 / np.sqrt(np.maximum(lengths, 1)))[rows].astype(np.float32)
        values[columns == width - 1] = 1.0
        self.shape = (len(tokens), width)
        self._by_text = _Side(rows, columns, values)
        self._by_token = _Side(columns, rows, values)
        self.diagonal = np.bincount(columns, values.astype(np.float64) ** 2, width)

    def times(self, rows: FloatArray, check: Check) -> FloatArray:
        return self._by_text.times(rows, self.shape[0], check)

    def transposed_times(self, vectors: FloatArray, check: Check) -> FloatArray:
        return self._by_token.times(vectors, self.shape[1], check)


class _Side:
    """The entries of a sparse matrix in the order of one side, to be summed up by it."""

    def __init__(self, owners: IdArray, others: IdArray, values: FloatArray) -> None:
        order = np.argsort(owners, kind="stable")
        self._others, self._values = others[order], values[order, np.newaxis]
        self._owners, self._starts = np.unique(owners[order], return_index=True)
        self._ends = np.append(self._starts[1:], len(order))

    def times(self, of: FloatArray, count: int, check: Check) -> FloatArray:
        """The sums (count, dimensions) over the entries of each owner."""
        sums = np.zeros((count, of.shape[1]), np.float32)
        first = 0
        while first < len(self._owners):
            check()
            begin = self._starts[first]
            last = int(np.searchsorted(self._ends, begin + _AT_ONCE * 4)) + 1
            end = self._ends[min(last, len(self._ends)) - 1]
            part = of[self._others[begin:end]]
            part *= self._values[begin:end]
            starts = self._starts[first:last] - begin
            sums[self._owners[first:last]] = np.add.reduceat(part, starts, axis=0)
            first = last
        return sums


@dataclass(frozen=True, slots=True)
class Pull:
    """Holds the rows back: by a `ridge`, towards vectors of the length `prior`."""

    ridge: float
    prior: float


_OF_QUERIES = Pull(RIDGE, _PRIOR)


def fit(lessons: Lessons, alone: FloatArray, check: Check, pull: Pull = _OF_QUERIES) -> Fitted:
    """Fit rows to texts; `alone` (tokens, dimensions) are the model's vectors of single tokens.

    `check` is called between steps of some milliseconds, and may pause or raise.
    """
    width = len(alone) + 1
    seen = np.bincount(
        np.concatenate([*map(np.asarray, lessons.tokens)]).astype(int), minlength=width
    )
    share = (seen + 0.3) / max(seen.sum(), 1)
    prior = np.zeros((width, alone.shape[1]), np.float32)
    prior[:-1] = alone * (pull.prior * _FREQUENT / (_FREQUENT + share[:-1, np.newaxis]))
    counts = _Counts(lessons.tokens, width)
    missing = lessons.vectors - counts.times(prior, check)
    rows = prior + _solve(counts, missing, pull.ridge, check)
    return Fitted(rows, counts.diagonal.astype(np.float32))


def _solve(counts: _Counts, wanted: FloatArray, ridge: float, check: Check) -> FloatArray:
    """The rows whose sums are nearest to `wanted`, with a ridge."""
    less = (1 / (counts.diagonal + ridge)).astype(np.float32)[:, np.newaxis]
    rest = counts.transposed_times(wanted, check)
    solution = np.zeros_like(rest)
    step = ahead = less * rest
    size = (rest * ahead).sum(axis=0)
    for _ in range(_STEPS):
        along = counts.transposed_times(counts.times(step, check), check) + ridge * step
        far = size / np.maximum((step * along).sum(axis=0), _TINY)
        solution += far * step
        rest -= far * along
        ahead = less * rest
        size, before = (rest * ahead).sum(axis=0), size
        step = ahead + (size / np.maximum(before, _TINY)) * step
    return solution


def sums_of(rows: FloatArray, tokens: Sequence[Sequence[int]], check: Check) -> FloatArray:
    """The sums (texts, dimensions) of the rows of some texts, as they were fitted."""
    return _Counts(tokens, len(rows)).times(rows, check)


def table_of(fitted: Fitted, vocabulary: TokenVocabulary, head: TableHead) -> QueryTable:
    """The table of the vocabulary, which has no figures of its agreement yet."""
    order = sorted(range(vocabulary.size), key=lambda at: vocabulary.tokens[at].encode())
    places = np.array(order, np.int64)
    rows, scales = pack(fitted.rows[places])
    weakness = np.rint(_WEAKEST * RIDGE / (RIDGE + fitted.weights[places])).astype(np.uint8)
    names = [vocabulary.tokens[at] for at in order]
    return QueryTable(
        head, vocabulary.only(names), rows, scales, weakness, fitted.rows[-1].astype(np.float32)
    )


def measure_agreement(table: QueryTable, texts: Sequence[str], vectors: FloatArray) -> QueryTable:
    """The table with its agreement on texts that it was not fitted to, and how to predict it.

    Some of their tokens are taken for unknown, to learn what these cost.
    """
    chance = np.random.default_rng(len(texts))
    signs, cosines, whole = [], [], []
    for number, (text, vector) in enumerate(zip(texts, vectors, strict=True)):
        tokens = table.tokens(text)
        if number % 2:
            dropped = chance.random(len(tokens)) < _DROPPED
            tokens = [-1 if gone else token for token, gone in zip(tokens, dropped, strict=True)]
        one = table.summed(tokens)
        if one is None:
            continue
        total, features = one
        cosine = float(total @ vector / max(np.linalg.norm(total), _TINY))
        signs.append((1.0, features.length, features.unknown, features.weak))
        cosines.append(cosine)
        if not number % 2:
            whole.append(cosine)
    if not signs:
        return table
    weights, *_ = np.linalg.lstsq(np.array(signs), np.array(cosines), rcond=None)
    _, length, unknown, weak = map(float, weights)
    unknown, weak = min(unknown, _COST_OF_UNKNOWN), min(weak, 0.0)
    factors = np.array((0.0, length, unknown, weak))
    constant = float(np.mean(np.array(cosines) - np.array(signs) @ factors))
    head = replace(
        table.head,
        agreement=float(np.mean(whole)),
        bound=BOUND,
        weights=(constant, length, unknown, weak),
        made=time.time(),
    )
    return replace(table, head=head)


def agreement(table: QueryTable, texts: Sequence[str], vectors: FloatArray) -> float:
    """The mean cosine of the table's vectors of texts with the model's."""
    cosines = []
    for text, vector in zip(texts, vectors, strict=True):
        one = table.measured(text)
        if one is not None:
            cosines.append(float(one[0] @ vector / max(np.linalg.norm(one[0]), _TINY)))
    return float(np.mean(cosines)) if cosines else 0.0
