"""Lifts found notes by what else is known of them; what cannot be had is skipped, and told."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache, reduce
from typing import TypeVar

import numpy as np

from notewell.contract.search import SearchRequest
from notewell.index.analyze import tokens
from notewell.index.port import IndexReader
from notewell.search import boost, phrase_match
from notewell.search.candidates import Candidates
from notewell.search.note_facts import FactsBook
from notewell.search.retrieve import Terms
from notewell.types import FloatArray, IdArray, SearchRules, Signal, StoredNote

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
        by_folder = bool(weights) or folder_boost > 0
        if not (by_folder or name_boost > 0 or tag_boost > 0):
            return None, None
        most = len(ids) if by_folder else _NAMED
        known = self.index.notes(ids[:most].tolist())
        notes = [known.get(note_id) for note_id in ids[:most].tolist()]
        names = boost.by_name(
            [_names(note) for note in notes],
            phrase_match.fold(self.request.q),
            most=name_boost,
        )
        tags = boost.by_tag([_tags(note) for note in notes], self.terms.rarity, most=tag_boost)
        if not by_folder:
            return names * tags, None
        folders = ["" if note is None else note.path.rpartition("/")[0] for note in notes]
        mates = boost.by_folder_mates(scores[:most], folders, most=folder_boost)
        return names * tags, mates * boost.by_folder(folders, weights)

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
            for seed, note_id in enumerate(ids[: boost.SEEDS].tolist())
        }
        degrees = graph.backlink_counts(ids).astype(np.float32)
        return boost.by_links(scores, links, degrees, activation=activation, centrality=centrality)

    def _recent(self, ids: IdArray) -> FloatArray | None:
        asked = self.request.recency
        most = self._allowed("recency", self.rules.recency_boost if asked is None else asked)
        if most <= 0 or self.dated:
            return None
        times = self.facts.of(self.index).times(ids, created=self.rules.recency_date == "created")
        return boost.by_recency(times, self.now, most=most, half_life_days=self.rules.recency_days)


def _names(note: StoredNote | None) -> set[str]:
    return (
        set() if note is None else {phrase_match.fold(name) for name in (note.title, *note.aliases)}
    )


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
