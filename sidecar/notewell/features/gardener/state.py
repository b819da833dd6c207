"""The plans and the decisions of a person: one JSON file that a person can read."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import field, replace
from pathlib import Path

from notewell.base.errors import NotFoundError, WriteError
from notewell.base.support import state_file
from notewell.base.types.frozen import frozen
from notewell.contract.codec import from_json, to_json
from notewell.features.gardener.requests import GardenCheck, SuggestionView

NAME = "garden.json"
MOST_REMEMBERED = 20_000  # decisions, the newest
_BUSY_SECONDS = 60.0


@frozen
class GardenPlan:
    """A plan. `hashes` has the content hash of each of its notes as it knows the note.

    That is the hash before, and after applying the one that was written. The plan's own note is
    among them.
    """

    id: str
    created: str
    note: str | None
    checks: tuple[GardenCheck, ...]
    suggestions: tuple[SuggestionView, ...]
    hashes: Mapping[str, str]
    more: int = 0

    def with_states(self, changed: Mapping[str, SuggestionView]) -> GardenPlan:
        """The plan with some suggestions replaced, by id."""
        return replace(
            self, suggestions=tuple(changed.get(one.id, one) for one in self.suggestions)
        )


@frozen
class Decision:
    """A person's decision on a suggestion, and its time."""

    check: GardenCheck
    path: str
    title: str
    at: str


@frozen
class Unfinished:
    """Writes that were begun: if the process dies, the next one ends them.

    `seen` has the hash of each note before them. `undoing`: they take suggestions back.
    """

    plan: str
    ids: tuple[str, ...]
    seen: Mapping[str, str]
    undoing: bool


@frozen
class CheckedNote:
    """A note that a language model has looked at: its content hash then, and when that was.

    `skipped`: nothing usable came of it.
    """

    hash: str
    at: str
    skipped: bool = False


@frozen
class GardenState:
    """Plans, oldest first; decisions by suggestion; and what was begun and not ended.

    `checked` are the notes that a language model has looked at.
    """

    format: int = 1
    plans: tuple[GardenPlan, ...] = ()
    rejected: Mapping[str, Decision] = field(default_factory=dict)
    applied: Mapping[str, Decision] = field(default_factory=dict)
    unfinished: Unfinished | None = None
    checked: Mapping[str, CheckedNote] = field(default_factory=dict)

    def plan(self, key: str) -> GardenPlan:
        """One plan; NotFoundError if there is none of this id."""
        for plan in self.plans:
            if plan.id == key:
                return plan
        raise NotFoundError(
            f"There is no plan {key}. `notewell garden show` shows the newest; plans are kept for"
            " 7 days.",
            code="plan_not_found",
        )

    def with_plan(self, plan: GardenPlan) -> GardenState:
        """The state with a plan added, or in place of the one with its id."""
        others = tuple(one for one in self.plans if one.id != plan.id)
        return replace(self, plans=tuple(sorted((*others, plan), key=lambda one: one.id)))

    def without_plan(self, key: str) -> GardenState:
        """The state without a plan."""
        return replace(self, plans=tuple(one for one in self.plans if one.id != key))


class GardenFile(state_file.StateFile[GardenState]):
    """The gardener's file of one vault. Any thread and any process may use it."""

    def __init__(self, folder: Path) -> None:
        """`folder` is created with the first change."""
        super().__init__(folder / NAME, busy_seconds=_BUSY_SECONDS)

    def empty(self) -> GardenState:
        """No plans, and nothing decided."""
        return GardenState()

    def decode(self, raw: bytes) -> GardenState:
        """The state of a file; raises ServerError if it is damaged."""
        return from_json(GardenState, raw)

    def encode(self, state: GardenState) -> bytes:
        """The file of a state, without what was decided long ago."""
        kept = replace(state, rejected=_newest(state.rejected), applied=_newest(state.applied))
        readable = json.dumps(json.loads(to_json(kept)), ensure_ascii=False, indent=1)
        return readable.encode("utf-8", "replace")

    def unusable(self, error: Exception) -> WriteError:
        """The error for a file that cannot be read or written."""
        return WriteError(
            f"The gardener's file cannot be used ({self.file}: {error}). Check the data"
            " directory's disk, or move the file away: then plans and rejections are forgotten.",
            code="garden_unusable",
        )


def _newest(decisions: Mapping[str, Decision]) -> Mapping[str, Decision]:
    if len(decisions) <= MOST_REMEMBERED:
        return decisions
    newest = sorted(decisions.items(), key=lambda one: one[1].at)[-MOST_REMEMBERED:]
    return dict(newest)
