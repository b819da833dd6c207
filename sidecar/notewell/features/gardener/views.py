"""Suggestions as the contract shows and stores them, and back."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import get_args

from notewell.features.gardener.requests import (
    PlanReply,
    PlanSummary,
    SuggestedEdit,
    SuggestionState,
    SuggestionView,
    TextEdit,
)
from notewell.features.gardener.state import GardenPlan
from notewell.features.gardener.suggestion import NoteEdit, Replacement, Suggestion


def view_of(suggestion: Suggestion, diff: str) -> SuggestionView:
    """A new suggestion as it is shown."""
    return SuggestionView(
        id=suggestion.id,
        check=suggestion.check,
        path=suggestion.path,
        title=suggestion.title,
        evidence=suggestion.evidence,
        confidence=suggestion.confidence,
        edit=tuple(map(_edit_view, suggestion.edits)),
        diff=diff,
        state="open",
    )


def _edit_view(edit: NoteEdit) -> SuggestedEdit:
    return SuggestedEdit(
        path=edit.path,
        hash=edit.content_hash.hex(),
        text=tuple(TextEdit(one.line, one.start, one.old, one.new) for one in edit.replacements),
        set=edit.set,
        add=edit.add,
        swap=edit.swap,
        create=edit.create,
    )


def edits_of(views: Iterable[SuggestionView], path: str) -> tuple[NoteEdit, ...]:
    """The edits of one note that suggestions make."""
    return tuple(
        NoteEdit(
            path=edit.path,
            content_hash=bytes.fromhex(edit.hash),
            replacements=tuple(
                Replacement(one.start, one.line, one.old, one.new) for one in edit.text
            ),
            set=edit.set,
            add=edit.add,
            swap=edit.swap,
            create=edit.create,
        )
        for view in views
        for edit in view.edit
        if edit.path == path
    )


def paths_of(view: SuggestionView) -> tuple[str, ...]:
    """The notes that a suggestion changes."""
    return tuple(dict.fromkeys(edit.path for edit in view.edit))


def counts_of(plan: GardenPlan) -> Mapping[SuggestionState, int]:
    """The number of suggestions of a plan in each state."""
    found = Counter(one.state for one in plan.suggestions)
    return {state: found[state] for state in get_args(SuggestionState)}


def summary_of(plan: GardenPlan) -> PlanSummary:
    """A plan without its suggestions."""
    return PlanSummary(plan.id, plan.created, plan.note, plan.checks, counts_of(plan), plan.more)


def reply_of(vault: str, plan: GardenPlan) -> PlanReply:
    """A plan as it is shown."""
    return PlanReply(
        vault,
        plan.id,
        plan.created,
        plan.note,
        plan.checks,
        plan.suggestions,
        counts_of(plan),
        plan.more,
    )
