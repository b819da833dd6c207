"""The notes that a search may find, and whether a query means daily notes or templates.

A search leaves out shelved notes, whose status is one of the setting `shelved_status`, and daily
notes, unless the query asks for them.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import numpy as np

from notewell.base.types import IdArray, SearchRules
from notewell.contract.search import Removed
from notewell.index.analyze import words
from notewell.index.arrays import among, without
from notewell.search.facts.note_facts import TEMPLATE_FOLDERS, Facts
from notewell.search.query import date_mentions
from notewell.search.query.language import (
    All,
    Dated,
    Either,
    Node,
    Not,
    ParsedQuery,
    PathContains,
    Property,
)

_FEW = 20  # below one in so many notes, dropping hits is cheaper than a filter of the index
_A_DAY = re.compile(r"(?<!\d)\d{4}-\d{2}(?!\d)")
_DAILY_WORDS = frozenset(
    {"daily", "dailies", "diary", "journal", "tagebuch", "tagesnotiz", "tagesnotizen"}
)
NO_NOTES: IdArray = np.empty(0, np.int64)


@dataclass(frozen=True, slots=True, eq=False)
class Scope:
    """The notes to search: `notes` (None: all) without `excluded`; `removed` counts why.

    `daily` are the daily notes among those that are left out. All are ascending ids.
    """

    notes: IdArray | None
    excluded: IdArray
    removed: tuple[Removed, ...] = ()
    daily: IdArray = field(default_factory=lambda: NO_NOTES)

    def with_daily(self, ids: IdArray) -> Scope:
        """The scope with some of the daily notes that are left out."""
        counts = (
            replace(part, count=part.count - len(ids)) if part.reason == "daily" else part
            for part in self.removed
        )
        return Scope(
            None if self.notes is None else np.union1d(self.notes, ids),
            without(self.excluded, ids),
            tuple(part for part in counts if part.count),
            without(self.daily, ids),
        )

    def among(self, note_ids: IdArray) -> IdArray:
        """Indices of the notes that may be found."""
        kept = np.ones(len(note_ids), np.bool_)
        if self.notes is not None:
            kept &= among(note_ids, self.notes)
        if len(self.excluded):
            kept &= ~among(note_ids, self.excluded)
        return np.flatnonzero(kept)


EVERYWHERE = Scope(None, NO_NOTES)


def default_scope(
    notes: IdArray | None, facts: Facts, parsed: ParsedQuery, rules: SearchRules
) -> Scope:
    """The scope of a search in `notes` (None: all), by its query and the rules."""
    left_out = excluded_notes(facts, parsed, rules)
    if notes is not None:
        left_out = {reason: ids[np.isin(ids, notes)] for reason, ids in left_out.items()}
    removed = tuple(Removed(reason, len(ids)) for reason, ids in left_out.items() if len(ids))
    if not removed:
        return Scope(notes, NO_NOTES)
    excluded = np.sort(np.concatenate(list(left_out.values())))
    if notes is None and _FEW * len(excluded) < len(facts.ids):
        return Scope(None, excluded, removed, left_out.get("daily", NO_NOTES))
    return Scope(
        without(facts.ids if notes is None else notes, excluded),
        NO_NOTES,
        removed,
        left_out.get("daily", NO_NOTES),
    )


def excluded_notes(facts: Facts, parsed: ParsedQuery, rules: SearchRules) -> dict[str, IdArray]:
    """Ids of the notes to exclude, ascending, by the reason that the reply gives."""
    out: dict[str, IdArray] = {}
    if not has_condition(parsed, "status") and len(facts.shelved):
        out["status"] = facts.shelved
    if len(facts.of_excluded_type) and not has_condition(parsed, "type"):
        rest = without(facts.of_excluded_type, out.get("status", NO_NOTES))
        out |= {"type": rest} if len(rest) else {}
    daily = facts.daily
    # A vault of mainly daily notes is searched for them.
    few = 0 < 2 * len(daily) <= len(facts.ids)
    if rules.daily_notes == "named" and few and not may_mean_daily_notes(parsed):
        rest = without(without(daily, out.get("status", NO_NOTES)), out.get("type", NO_NOTES))
        if len(rest):
            out["daily"] = rest
    return out


def has_condition(parsed: ParsedQuery, name: str) -> bool:
    """Tell whether a condition tests the property `status` or `type`."""
    return any(
        isinstance(node, Property) and node.reason == name for node in _nodes(parsed.condition)
    )


def mentions_date(parsed: ParsedQuery) -> bool:
    """Tell whether a query mentions a date; then recent notes are no more likely to answer it."""
    if _A_DAY.search(parsed.text):
        return True
    return any(isinstance(node, Dated) for node in _nodes(parsed.condition))


def may_mean_daily_notes(parsed: ParsedQuery) -> bool:
    """Tell whether a query may mean daily notes: by a date, a path, a type, or a word for them.

    A query of conditions only lists all notes that meet them, so it may too. What a condition rules
    out names nothing.
    """
    if not parsed.text or _A_DAY.search(parsed.text):
        return True
    for node in _nodes(parsed.condition, negated=False):
        if isinstance(node, PathContains | Dated):
            return True
        if isinstance(node, Property) and node.reason == "type":
            return True
    if date_mentions.find_date(parsed.text, time.time()) is not None:
        return True
    return not _DAILY_WORDS.isdisjoint(words(parsed.text))


def _nodes(node: Node | None, *, negated: bool = True) -> Iterator[Node]:
    """The conditions; without `negated`, those that have to hold."""
    match node:
        case None:
            return
        case All(parts) | Either(parts):
            for part in parts:
                yield from _nodes(part, negated=negated)
        case Not(part):
            if negated:
                yield from _nodes(part)
        case _:
            yield node


_TEMPLATE_WORDS = TEMPLATE_FOLDERS | {"шаблон"}


def means_templates(parsed: ParsedQuery) -> bool:
    """Tell whether a query may look for templates: by a word for them, or by a path."""
    if not _TEMPLATE_WORDS.isdisjoint(words(parsed.text)):
        return True
    return any(isinstance(node, PathContains) for node in _nodes(parsed.condition, negated=False))
