"""Boosts found notes by recency, tags, names, links and folders.

The functions `by_...` are pure: each returns an array of multipliers (n,), aligned with the notes,
1 for no boost. `Boosts` applies them to the candidates of a search. docs/search.md has the measured
effect of each, and which are on by default.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from notewell.base.types import FloatArray, IdArray, SearchRules, Signal, StoredNote
from notewell.contract.search import SearchRequest
from notewell.index.analyze import tokens
from notewell.search.context import SearchContext
from notewell.search.facts.note_facts import Facts
from notewell.search.query.date_mentions import DateMention
from notewell.search.query.terms import Terms
from notewell.search.query.text_matching import fold
from notewell.search.rank.evidence import Links, links_from_best, relative, spread_activation
from notewell.search.rank.ranking import Multipliers

_MATES = 20  # first notes that boost each other if they share a folder
_MATES_FULL = 5.0  # summed scores of notes in the same folder that give the full boost
_DAY = 86_400.0
_OF_TEMPLATE = np.float32(0.7)  # a template says what its notes are about, and nothing itself
DATE_BOOST = 1.0  # of a note of the day or period that the query mentions
WITHIN_PERIOD = 0.99 + DATE_BOOST  # a multiplier above it is that of a note dated within it

_MAX_BOOSTED = 200  # first notes that are boosted; those below cannot rise to the top
_MAX_READ = 30  # of them, notes whose names and tags are read

logger = logging.getLogger(__name__)

_Values = npt.NDArray[np.float64]
T = TypeVar("T")


def by_recency(times: FloatArray, now: float, *, most: float, half_life_days: float) -> FloatArray:
    """1 + most * 0.5 ** (age / half-life). `times` (n,) and `now` are POSIX seconds.

    An unknown time (NaN) gives no boost; a time in the future counts as now.
    """
    days = np.maximum(now - np.nan_to_num(times, nan=-np.inf), 0.0) / _DAY
    return _multiplier(most * np.exp2(-days.astype(np.float64) / half_life_days))


def by_tag(
    tags: Sequence[Collection[frozenset[str]]], idf: Mapping[str, float], *, most: float
) -> FloatArray:
    """1 + most * the share of the query, by idf, that the best tag of the note contains.

    `tags` has for each note its tags, each as a set of words.
    """
    total = sum(idf.values())
    shares = [
        max((sum(idf.get(word, 0.0) for word in tag) for tag in own), default=0.0) for own in tags
    ]
    return _multiplier(most * np.array(shares) / total if total > 0 else np.zeros(len(tags)))


def by_name(names: Sequence[Collection[str]], query: str, *, most: float) -> FloatArray:
    """1 + most if the query is the note's title or an alias; names and query are case-folded."""
    return _multiplier(most * np.array([query in own for own in names], np.float64))


def by_links(
    scores: FloatArray,
    links: Links,
    degrees: FloatArray,
    *,
    activation: float,
    centrality: float,
) -> FloatArray:
    """Boost notes that the best notes link to, and notes with many incoming links.

    `links` are those of the seeds (the best notes); `degrees` (n,) are numbers of incoming links. A
    seed spreads the square of its score over its links, divided by the square root of their number;
    a target's activation is divided by the square root of its degree. The most activated note gets
    1 + `activation`. Centrality is the logarithm of the degree, relative to the highest.

    Spreading activation: Crestani 1997, "Application of spreading activation techniques in
    information retrieval".
    """
    received = spread_activation(scores, links, degrees)
    central = np.log1p(degrees.astype(np.float64))
    return _multiplier(activation * received + centrality * relative(central))


def by_folder_mates(scores: FloatArray, folders: Sequence[str], *, most: float) -> FloatArray:
    """1 + most * the summed scores of the other first notes in the same folder, up to a cap."""
    gains = np.zeros(len(scores))
    top = np.argsort(-scores, kind="stable")[:_MATES].tolist()
    for at in top:
        mates = sum(float(scores[other]) for other in top if folders[other] == folders[at])
        gains[at] = min(1.0, (mates - float(scores[at])) / _MATES_FULL)
    return _multiplier(most * gains)


def by_folder(folders: Sequence[str], weights: Mapping[str, float]) -> FloatArray:
    """The weight of the innermost folder of a note that has one; `""` is the root of the vault."""
    return np.array([_weight(folder, weights) for folder in folders], np.float32)


def _weight(folder: str, weights: Mapping[str, float]) -> float:
    while folder and folder not in weights:
        folder = folder.rpartition("/")[0]
    return weights.get(folder, 1.0)


def _multiplier(gains: _Values) -> FloatArray:
    multiplier: FloatArray = (1.0 + gains).astype(np.float32)
    return multiplier


@dataclass(slots=True)
class Boosts:
    """Computes the boosts of one search. `warnings` name the boosts that failed."""

    context: SearchContext
    terms: Terms
    dated: bool  # the query has a condition on dates or a written date
    period: DateMention | None = None  # the date or period that its words mention
    summed: bool = False  # names and links are addends of the score already
    sink_templates: bool = False  # unless the query may look for them
    named: IdArray = field(default_factory=lambda: np.empty(0, np.int64))  # ids, by the query
    now: float = field(default_factory=time.time)
    warnings: list[str] = field(default_factory=list)

    @property
    def facts(self) -> Facts:
        """The dates of all notes."""
        return self.context.caches.facts.current(self.context.index)

    @property
    def rules(self) -> SearchRules:
        return self.context.rules

    @property
    def request(self) -> SearchRequest:
        return self.context.request

    def multipliers(self, note_ids: IdArray, fused: FloatArray) -> Multipliers:
        """The multipliers of candidate notes with their fused scores (n,)."""
        top = np.argsort(-fused, kind="stable")[:_MAX_BOOSTED]
        ids, scores = note_ids[top], fused[top]

        def aligned(values: FloatArray | None) -> FloatArray | None:
            if values is None:
                return None
            whole = np.ones(len(fused), np.float32)
            whole[top[: len(values)]] = values
            return whole

        named = self._try("names, tags and folders", lambda: self._by_names(ids, scores))
        tag, folder = named or (None, None)
        links = None
        if not self.summed:
            links = self._try("links", lambda: self._by_links(ids, scores))
        recency = self._try("recency", lambda: self._by_recency(ids))
        return Multipliers(
            aligned(tag),
            aligned(recency),
            _product(_product(aligned(links), aligned(folder)), self._by_template(note_ids)),
        )

    def _by_template(self, ids: IdArray) -> FloatArray | None:
        """The multipliers (n,) that let templates sink below notes that fill them."""
        if not self.sink_templates or not self.facts.has_templates:
            return None
        sunk = self.facts.are_templates(ids) & ~np.isin(ids, self.named)
        return np.where(sunk, _OF_TEMPLATE, np.float32(1.0)) if sunk.any() else None

    def _try(self, what: str, stage: Callable[[], T]) -> T | None:
        try:
            return stage()
        except Exception:  # a failing boost must not fail the search
            logger.exception("A boost failed: %s", what)
            self.warnings.append(f"Results are ranked without {what}: an error, see the log.")
            return None

    def _strength(self, signal: Signal, most: float) -> float:
        return 0.0 if signal in self.request.ignore else most

    def _by_names(
        self, ids: IdArray, scores: FloatArray
    ) -> tuple[FloatArray | None, FloatArray | None]:
        """The boosts of the first notes by names and tags, and by folders."""
        rules = self.rules
        name_boost = 0.0 if self.summed else self._strength("names", rules.name_boost)
        tag_boost = 0.0 if self.summed else self._strength("tags", rules.tag_boost)
        folder_boost = self._strength("folders", rules.folder_boost)
        weights = {} if "folders" in self.request.ignore else rules.folder_weights
        folders_count = bool(weights) or folder_boost > 0
        if not (folders_count or name_boost > 0 or tag_boost > 0):
            return None, None
        most = len(ids) if folders_count else _MAX_READ
        known = self.context.index.notes(ids[:most].tolist())
        notes = [known.get(note_id) for note_id in ids[:most].tolist()]
        names = by_name(
            [_names(note) for note in notes],
            fold(self.request.q),
            most=name_boost,
        )
        tags = by_tag(
            [[*map(_words, note.tags)] if note else [] for note in notes],
            self.terms.idf,
            most=tag_boost,
        )
        if not folders_count:
            return names * tags, None
        folders = ["" if note is None else note.path.rpartition("/")[0] for note in notes]
        mates = by_folder_mates(scores[:most], folders, most=folder_boost)
        return names * tags, mates * by_folder(folders, weights)

    def _recency(self) -> float:
        """The strength of the boost by recency, by the request or else the settings."""
        if self.request.recency is not None:
            return self.request.recency
        if isinstance(self.rules.recency, str):
            automatic = self.rules.recency == "auto"
            return self.facts.recency_strength() if automatic else 0.0
        return self.rules.recency

    def _by_links(self, ids: IdArray, scores: FloatArray) -> FloatArray | None:
        requested = self.request.graph
        activation = self._strength(
            "links", self.rules.graph_boost if requested is None else requested
        )
        centrality = self._strength("links", self.rules.centrality_boost if requested != 0 else 0.0)
        if activation <= 0 and centrality <= 0:
            return None
        links, degrees = links_from_best(self.context.index, ids)
        return by_links(scores, links, degrees, activation=activation, centrality=centrality)

    def _by_recency(self, ids: IdArray) -> FloatArray | None:
        """The boost by recency, or by nearness to the period that the query mentions."""
        if "recency" in self.request.ignore:
            return None
        if self.period is not None:
            near = self.facts.by_date(ids, self.period.start, self.period.end)
            return _multiplier(DATE_BOOST * near.astype(np.float64))
        most = self._recency()
        if most <= 0 or self.dated:
            return None
        times = self.facts.times(ids, created=self.rules.recency_date == "created")
        return by_recency(times, self.now, most=most, half_life_days=self.rules.recency_days)


def _names(note: StoredNote | None) -> set[str]:
    return set() if note is None else {fold(name) for name in (note.title, *note.aliases)}


@lru_cache(maxsize=4096)  # many notes share few tags
def _words(tag: str) -> frozenset[str]:
    return frozenset(tokens(tag.replace("/", " ")))


def _product(one: FloatArray | None, other: FloatArray | None) -> FloatArray | None:
    if one is None or other is None:
        return other if one is None else one
    product: FloatArray = one * other
    return product
