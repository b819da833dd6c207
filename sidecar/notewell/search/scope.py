"""Which notes a search leaves out unless its query names them: shelved ones and daily notes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

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
from notewell.types import IdArray, SearchRules

_FEW = 20  # up to this part of a vault, passing over hits is cheaper than searching the rest
_A_DAY = re.compile(r"(?<!\d)\d{4}-\d{2}(?!\d)")
_DAILY_WORDS = frozenset(
    {"daily", "dailies", "diary", "journal", "tagebuch", "tagesnotiz", "tagesnotizen"}
)


@dataclass(frozen=True, slots=True, eq=False)
class Scope:
    """The notes that may be found (None: all) less the few in `without`; and what that removed."""

    notes: IdArray | None
    without: IdArray
    removed: tuple[Removed, ...] = ()


NO_NOTES: IdArray = np.empty(0, np.int64)


def narrowed(notes: IdArray | None, facts: Facts, parsed: ParsedQuery, rules: SearchRules) -> Scope:
    """The scope of a search among `notes`, as its query and the settings have it."""
    found = left_out(facts, parsed, rules)
    if notes is not None:
        found = {reason: ids[np.isin(ids, notes)] for reason, ids in found.items()}
    removed = tuple(Removed(reason, len(ids)) for reason, ids in found.items() if len(ids))
    if not removed:
        return Scope(notes, NO_NOTES)
    gone = np.concatenate(list(found.values()))
    if notes is None and _FEW * len(gone) < len(facts.ids):
        return Scope(None, gone, removed)
    return Scope(np.setdiff1d(facts.ids if notes is None else notes, gone), NO_NOTES, removed)


def left_out(facts: Facts, parsed: ParsedQuery, rules: SearchRules) -> dict[str, IdArray]:
    """Ids of the notes to leave out, ascending, by the reason that the reply gives; each once."""
    out: dict[str, IdArray] = {}
    if not asks_for_status(parsed) and len(facts.shelved):
        out["status"] = facts.shelved
    daily = facts.daily
    if rules.daily_notes == "named" and len(daily) and not names_daily(parsed):
        most = 2 * len(daily) > len(facts.ids)  # then they are what the vault is made of
        rest = daily if most else np.setdiff1d(daily, facts.shelved if "status" in out else [])
        if len(rest) and not most:
            out["daily"] = rest
    return out


def asks_for_status(parsed: ParsedQuery) -> bool:
    """Whether a condition is about the status."""
    return any(
        isinstance(node, Property) and node.reason == "status" for node in _nodes(parsed.condition)
    )


def asks_for_dates(parsed: ParsedQuery) -> bool:
    """Whether the query is about a time: then the latest is not the likeliest."""
    if _A_DAY.search(parsed.text):
        return True
    return any(isinstance(node, Dated) for node in _nodes(parsed.condition))


def names_daily(parsed: ParsedQuery) -> bool:
    """Whether a query may mean daily notes: by a day, a place, a type, or what they are called.

    One of conditions alone is a list of what meets them, and leaves none out.
    """
    if not parsed.text or asks_for_dates(parsed):
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
