"""What lifts or lowers a note that was found, beside its words and its meaning. Pure functions.

Each gives one multiplier a note, 1 where it says nothing. What each is worth, and which are on by
default, was measured; the table is in docs/search.md.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, reduce
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from notewell.contract.search import SearchRequest
from notewell.index.analyze import tokens
from notewell.index.port import IndexReader
from notewell.search.candidates import Candidates
from notewell.search.matching import fold
from notewell.search.note_facts import FactsBook
from notewell.search.terms import Terms
from notewell.types import FloatArray, IdArray, SearchRules, Signal, StoredNote

SEEDS = 10  # notes on top whose links say what else matters
_MATES = 20  # notes on top that lift each other where they share a folder
_MATES_FULL = 5.0  # summed scores of a note's folder-mates from which they lift it in full
_DAY = 86_400.0

_Values = npt.NDArray[np.float64]


def by_recency(times: FloatArray, now: float, *, most: float, half_life_days: float) -> FloatArray:
    """1 + most * 0.5 ** (age / half-life). An unknown time lifts nothing; a future one is now."""
    days = np.maximum(now - np.nan_to_num(times, nan=-np.inf), 0.0) / _DAY
    return _multiplier(most * np.exp2(-days.astype(np.float64) / half_life_days))


def by_tag(
    tags: Sequence[Collection[frozenset[str]]], rarity: Mapping[str, float], *, most: float
) -> FloatArray:
    """1 + most * how much of the query, by rarity, the best tag says. A tag is its words."""
    total = sum(rarity.values())
    shares = [
        max((sum(rarity.get(word, 0.0) for word in tag) for tag in own), default=0.0)
        for own in tags
    ]
    return _multiplier(most * np.array(shares) / total if total > 0 else np.zeros(len(tags)))


def by_name(names: Sequence[Collection[str]], query: str, *, most: float) -> FloatArray:
    """1 + most where the query is the note's title or one of its aliases; all of them folded."""
    return _multiplier(most * np.array([query in own for own in names], np.float64))


def by_links(
    scores: FloatArray,
    links: Mapping[int, Collection[int]],
    degrees: FloatArray,
    *,
    activation: float,
    centrality: float,
) -> FloatArray:
    """Lift what the best notes link to, and what many link to.

    `links` are places in `scores` by the places of the seeds, the best notes; `degrees` how many
    notes link to each. A seed spreads the square of its score over its links, a target shares what
    it gets among those that link to it, each by the square root of the number; the most activated
    note has all of `activation`. Centrality is the logarithm of the degree, against the highest.
    Spreading activation: Crestani 1997, "Application of spreading activation techniques in
    information retrieval".
    """
    got = np.zeros(len(scores))
    for seed, targets in links.items():
        for target in targets:
            got[target] += float(scores[seed]) ** 2 / np.sqrt(len(targets))
    got /= np.sqrt(np.maximum(degrees, 1.0))
    central = np.log1p(degrees.astype(np.float64))
    return _multiplier(activation * _against_most(got) + centrality * _against_most(central))


def by_folder_mates(scores: FloatArray, folders: Sequence[str], *, most: float) -> FloatArray:
    """1 + most * the summed scores of the other notes on top in the same folder, up to a cap."""
    gains = np.zeros(len(scores))
    top = np.argsort(-scores, kind="stable")[:_MATES].tolist()
    for at in top:
        mates = sum(float(scores[other]) for other in top if folders[other] == folders[at])
        gains[at] = min(1.0, (mates - float(scores[at])) / _MATES_FULL)
    return _multiplier(most * gains)


def by_folder(folders: Sequence[str], weights: Mapping[str, float]) -> FloatArray:
    """The weight of the nearest folder around a note that has one; `""` is the vault itself."""
    return np.array([_weight(folder, weights) for folder in folders], np.float32)


def _weight(folder: str, weights: Mapping[str, float]) -> float:
    while folder and folder not in weights:
        folder = folder.rpartition("/")[0]
    return weights.get(folder, 1.0)


def _against_most(values: _Values) -> _Values:
    most = float(values.max()) if len(values) else 0.0
    return values / most if most > 0 else values


def _multiplier(gains: _Values) -> FloatArray:
    multiplier: FloatArray = (1.0 + gains).astype(np.float32)
    return multiplier


T = TypeVar("T")

logger = logging.getLogger(__name__)

_LOOKED_AT = 200  # notes on top that are lifted; those below would not come up
_NAMED = 30  # of them, those whose names, tags and folders are read


@dataclass(frozen=True, slots=True, eq=False)
class Multipliers:
    """One of each a candidate, 1 where it does nothing; None: not computed.

    `tag` has what tags, title and aliases say, `graph` what links and folders say.
    """

    tag: FloatArray | None = None
    recency: FloatArray | None = None
    graph: FloatArray | None = None

    def applied(self, scores: FloatArray) -> FloatArray:
        """The scores, multiplied."""
        given = [each for each in (self.tag, self.recency, self.graph) if each is not None]
        return reduce(np.multiply, given, scores)


@dataclass(slots=True)
class Lift:
    """What lifts the notes of one search. `warnings` name what was skipped."""

    index: IndexReader
    facts: FactsBook
    rules: SearchRules
    request: SearchRequest
    terms: Terms
    dated: bool  # the query is about a time
    now: float = field(default_factory=time.time)
    warnings: list[str] = field(default_factory=list)

    def of(self, notes: Candidates, fused: FloatArray) -> Multipliers:
        """The multipliers of candidate notes, by how they were fused."""
        top = np.argsort(-fused, kind="stable")[:_LOOKED_AT]
        ids, scores = notes.ids[top], fused[top]

        def spread(values: FloatArray | None) -> FloatArray | None:
            if values is None:
                return None
            whole = np.ones(len(fused), np.float32)
            whole[top[: len(values)]] = values
            return whole

        named = self._kept("names, tags and folders", lambda: self._named(ids, scores))
        tag, folder = named or (None, None)
        links = self._kept("links", lambda: self._linked(ids, scores))
        recency = self._kept("recency", lambda: self._recent(ids))
        return Multipliers(spread(tag), spread(recency), _product(spread(links), spread(folder)))

    def _kept(self, what: str, stage: Callable[[], T]) -> T | None:
        try:
            return stage()
        except Exception:  # whatever one boost runs into, the notes are found without it
            logger.exception("A boost failed: %s", what)
            self.warnings.append(f"Results are ranked without {what}: an error, see the log.")
            return None

    def _allowed(self, signal: Signal, most: float) -> float:
        return 0.0 if signal in self.request.ignore else most

    def _named(
        self, ids: IdArray, scores: FloatArray
    ) -> tuple[FloatArray | None, FloatArray | None]:
        """What names and tags say, and what folders say, of the first notes."""
        rules = self.rules
        name_boost = self._allowed("names", rules.name_boost)
        tag_boost = self._allowed("tags", rules.tag_boost)
        folder_boost = self._allowed("folders", rules.folder_boost)
        weights = {} if "folders" in self.request.ignore else rules.folder_weights
        folders_count = bool(weights) or folder_boost > 0
        if not (folders_count or name_boost > 0 or tag_boost > 0):
            return None, None
        most = len(ids) if folders_count else _NAMED
        known = self.index.notes(ids[:most].tolist())
        notes = [known.get(note_id) for note_id in ids[:most].tolist()]
        names = by_name(
            [_names(note) for note in notes],
            fold(self.request.q),
            most=name_boost,
        )
        tags = by_tag([_tags(note) for note in notes], self.terms.rarity, most=tag_boost)
        if not folders_count:
            return names * tags, None
        folders = ["" if note is None else note.path.rpartition("/")[0] for note in notes]
        mates = by_folder_mates(scores[:most], folders, most=folder_boost)
        return names * tags, mates * by_folder(folders, weights)

    def _linked(self, ids: IdArray, scores: FloatArray) -> FloatArray | None:
        asked = self.request.graph
        activation = self._allowed("links", self.rules.graph_boost if asked is None else asked)
        centrality = self._allowed("links", self.rules.centrality_boost if asked != 0 else 0.0)
        if activation <= 0 and centrality <= 0:
            return None
        graph = self.index.graph
        places = {note_id: at for at, note_id in enumerate(ids.tolist())}
        links = {
            seed: [places[target] for target in graph.neighbours(note_id) if target in places]
            for seed, note_id in enumerate(ids[:SEEDS].tolist())
        }
        degrees = graph.backlink_counts(ids).astype(np.float32)
        return by_links(scores, links, degrees, activation=activation, centrality=centrality)

    def _recent(self, ids: IdArray) -> FloatArray | None:
        asked = self.request.recency
        most = self._allowed("recency", self.rules.recency_boost if asked is None else asked)
        if most <= 0 or self.dated:
            return None
        times = self.facts.of(self.index).times(ids, created=self.rules.recency_date == "created")
        return by_recency(times, self.now, most=most, half_life_days=self.rules.recency_days)


def _names(note: StoredNote | None) -> set[str]:
    return set() if note is None else {fold(name) for name in (note.title, *note.aliases)}


def _tags(note: StoredNote | None) -> list[frozenset[str]]:
    return [] if note is None else [_words(tag) for tag in note.tags]


@lru_cache(maxsize=4096)  # a vault has few tags on many notes
def _words(tag: str) -> frozenset[str]:
    return frozenset(tokens(tag.replace("/", " ")))


def _product(one: FloatArray | None, other: FloatArray | None) -> FloatArray | None:
    if one is None or other is None:
        return other if one is None else one
    product: FloatArray = one * other
    return product
