"""Decides which notes a search may find: by conditions, by paths, and without hidden kinds."""

from __future__ import annotations

from functools import partial

import numpy as np

from notewell.base.types import IdArray
from notewell.search.context import Report, SearchContext
from notewell.search.query import conditions, note_scope
from notewell.search.query.language import ParsedQuery
from notewell.search.query.note_scope import NO_NOTES, Scope
from notewell.search.rank.guarantees import ContentWords, fields_with_words
from notewell.vault.read_notes import write_text


def find_scope(context: SearchContext, parsed: ParsedQuery, report: Report) -> Scope:
    """The notes that a search may find; what leaves others out is counted in the report."""
    scoped = _within_paths(context, _filter(context, parsed, report))
    return _scope(context, parsed, scoped, report)


def with_daily_notes(
    context: SearchContext, scope: Scope, content: ContentWords, report: Report
) -> Scope:
    """The scope with the daily notes that alone have all content words of the query together."""
    keywords, groups = context.index.keywords, content.groups
    if not groups or not content.all_known:
        return scope
    if not (fields_with_words(keywords, groups, scope.daily) != 0).all(axis=1).any():
        return scope
    every = context.caches.facts.current(context.index).ids
    together = keywords.notes_with_each(groups, every)
    having = together[np.isin(together, scope.daily)]
    if not len(having) or len(scope.among(together)):
        return scope
    left = report.filtered.pop("daily", 0) - len(having)
    report.filtered |= {"daily": left} if left > 0 else {}
    return scope.with_daily(having)


def _filter(context: SearchContext, parsed: ParsedQuery, report: Report) -> IdArray | None:
    """Ids of the notes that meet the conditions; None: no conditions."""
    index, request = context.index, context.request
    if parsed.condition is None and not (parsed.text and request.hidden):
        return None
    allowed = conditions.allowed(
        parsed.condition,
        index,
        hidden=request.hidden,
        facts=context.caches.facts.current(index),
        columns=context.caches.columns.current(index),
        embeds=context.caches.embeds.current(index) if parsed.text else (),
        read=partial(write_text, context.vault.path),
    )
    report.filtered.update(allowed.filtered)
    report.trace.stage(
        "filter",
        count_in=len(index.all_notes()),
        count_out=len(allowed.notes),
        removed=allowed.removed,
    )
    return allowed.notes


def _within_paths(context: SearchContext, notes: IdArray | None) -> IdArray | None:
    """Those of `notes` (None: all) that the request names, or that are in its folders."""
    places = tuple(place.strip("/") for place in context.request.paths)
    if not places or "" in places:
        return notes
    folders = tuple(f"{place}/" for place in places)
    named = {name for place in places for name in (place, f"{place}.md")}
    every = context.index.all_notes()
    ids = [note.id for note in every if note.path in named or note.path.startswith(folders)]
    within = np.array(sorted(ids), np.int64)
    return within if notes is None else np.intersect1d(notes, within)


def _scope(
    context: SearchContext, parsed: ParsedQuery, notes: IdArray | None, report: Report
) -> Scope:
    """`notes` without those that a search excludes by default."""
    if context.request.everything or (notes is None and not parsed.text):
        return Scope(notes, NO_NOTES)
    facts = context.caches.facts.current(context.index)
    scope = note_scope.default_scope(notes, facts, parsed, context.rules)
    for part in scope.removed:
        report.filtered[part.reason] = report.filtered.get(part.reason, 0) + part.count
    count = len(facts.ids) if notes is None else len(notes)
    removed = sum(part.count for part in scope.removed)
    report.trace.stage("scope", count_in=count, count_out=count - removed, removed=scope.removed)
    return scope
