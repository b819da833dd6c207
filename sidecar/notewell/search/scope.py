"""The notes that a search excludes by default: shelved notes and daily notes.

Shelved notes have a status such as `inactive` or `hidden` (setting `shelved_status`). A query that
asks for these notes finds them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from notewell.base.types import IdArray, SearchRules
from notewell.contract.search import Removed
from notewell.index.analyze import words
from notewell.search.note_facts import Facts
from notewell.search.query import (
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


@dataclass(frozen=True, slots=True, eq=False)
class Scope:
    """The notes to search: `notes` (None: all) without `excluded`; `removed` counts why."""

    notes: IdArray | None
    excluded: IdArray
    removed: tuple[Removed, ...] = ()


NO_NOTES: IdArray = np.empty(0, np.int64)


def default_scope(
    notes: IdArray | None, facts: Facts, parsed: ParsedQuery, rules: SearchRules
) -> Scope:
    """The scope of a search in `notes` (None: all), by its query and the rules."""
    found = excluded_notes(facts, parsed, rules)
    if notes is not None:
        found = {reason: ids[np.isin(ids, notes)] for reason, ids in found.items()}
    removed = tuple(Removed(reason, len(ids)) for reason, ids in found.items() if len(ids))
    if not removed:
        return Scope(notes, NO_NOTES)
    excluded = np.sort(np.concatenate(list(found.values())))
    if notes is None and _FEW * len(excluded) < len(facts.ids):
        return Scope(None, excluded, removed)
    return Scope(np.setdiff1d(facts.ids if notes is None else notes, excluded), NO_NOTES, removed)


def excluded_notes(facts: Facts, parsed: ParsedQuery, rules: SearchRules) -> dict[str, IdArray]:
    """Ids of the notes to exclude, ascending, by the reason that the reply gives."""
    out: dict[str, IdArray] = {}
    if not has_status_condition(parsed) and len(facts.shelved):
        out["status"] = facts.shelved
    daily = facts.daily
    if rules.daily_notes == "named" and len(daily) and not may_mean_daily_notes(parsed):
        mainly_daily = 2 * len(daily) > len(
            facts.ids
        )  # then daily notes are the vault's main content
        rest = (
            daily if mainly_daily else np.setdiff1d(daily, facts.shelved if "status" in out else [])
        )
        if len(rest) and not mainly_daily:
            out["daily"] = rest
    return out


def has_status_condition(parsed: ParsedQuery) -> bool:
    """Whether a condition tests the status."""
    return any(
        isinstance(node, Property) and node.reason == "status" for node in _nodes(parsed.condition)
    )


def mentions_date(parsed: ParsedQuery) -> bool:
    """Whether the query mentions a date; then recent notes are not more likely to answer it."""
    if _A_DAY.search(parsed.text):
        return True
    return any(isinstance(node, Dated) for node in _nodes(parsed.condition))


def may_mean_daily_notes(parsed: ParsedQuery) -> bool:
    """Whether a query may mean daily notes: by a date, a path, a type, or a word for them.

    A query of conditions only lists all notes that meet them, so it may too.
    """
    if not parsed.text or mentions_date(parsed):
        return True
    for node in _nodes(parsed.condition):
        if isinstance(node, PathContains) or (isinstance(node, Property) and node.reason == "type"):
            return True
    return not _DAILY_WORDS.isdisjoint(words(parsed.text))


def _nodes(node: Node | None) -> Iterator[Node]:
    match node:
        case None:
            return
        case All(parts) | Either(parts):
            for part in parts:
                yield from _nodes(part)
        case Not(part):
            yield from _nodes(part)
        case _:
            yield node
