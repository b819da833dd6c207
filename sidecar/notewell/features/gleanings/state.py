"""What is known of gleanings besides their notes: statuses, failures, days that were read.

It is one JSON file in the data directory, which a person can read, written in one step.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import field, replace
from pathlib import Path
from typing import Any, get_args

from notewell.base.errors import WriteError
from notewell.base.support import state_file
from notewell.base.types.frozen import frozen
from notewell.features.gleanings.requests import GleaningStatus, StatusChange

NAME = "gleanings.json"
MOST_CHANGES = 100  # of one gleaning's status
_BUSY_SECONDS = 10.0
_STATUSES = get_args(GleaningStatus)


@frozen
class Mark:
    """The status of one gleaning, its changes, newest first, and the days it failed on.

    `title` and `description` are those that its page has, "" if it was not read.
    """

    status: GleaningStatus = "active"
    reason: str = ""
    history: tuple[StatusChange, ...] = ()
    failed: tuple[str, ...] = ()
    title: str = ""
    description: str = ""

    def with_status(self, status: GleaningStatus, reason: str, *, at: str, by: str) -> Mark:
        """Return the mark with another status, which its history has."""
        change = StatusChange(at, status, reason, by)
        history = (change, *self.history)[:MOST_CHANGES]
        return replace(self, status=status, reason=reason, history=history)


@frozen
class State:
    """`marks` by id; `read` has the path of each daily note that was extracted, by content hash."""

    marks: Mapping[str, Mark] = field(default_factory=dict)
    read: Mapping[str, str] = field(default_factory=dict)


class StateFile(state_file.StateFile[State]):
    """The file of one vault. Any thread and any process may use it."""

    def __init__(self, folder: Path) -> None:
        """`folder` is created with the first change."""
        super().__init__(folder / NAME, busy_seconds=_BUSY_SECONDS)

    def empty(self) -> State:
        """Every gleaning is active, and no day was read."""
        return State()

    def decode(self, raw: bytes) -> State:
        """The state of a file; raises ValueError if it is damaged.

        A status that is no status counts as active.
        """
        try:
            stored = json.loads(raw)
            marks = {key: _mark(value) for key, value in stored["marks"].items()}
            return State(marks, {str(key): str(path) for key, path in stored["read"].items()})
        except (KeyError, TypeError, AttributeError) as error:
            raise ValueError(f"not in the form that is expected: {error}") from error

    def encode(self, state: State) -> bytes:
        """The file of a state."""
        return _encoded(state)

    def unusable(self, error: Exception) -> WriteError:
        """What is raised where the file cannot be read or written."""
        return WriteError(
            f"The file of gleanings cannot be used ({self.file}: {error}). Check the data"
            " directory's disk, or move the file away: statuses stay in the notes.",
            code="gleanings_unusable",
        )

    def mark(self, key: str, edit: Callable[[Mark], Mark]) -> Mark:
        """Change what is known of one gleaning; returns it."""
        changed = self.change(
            lambda state: replace(
                state, marks={**state.marks, key: edit(state.marks.get(key, Mark()))}
            )
        )
        return changed.marks[key]


def _mark(stored: Any) -> Mark:
    status = stored.get("status")
    changes = tuple(
        StatusChange(one["at"], one["status"], str(one["reason"]), str(one["by"]))
        for one in stored.get("history", ())
    )
    return Mark(
        status=status if status in _STATUSES else "active",
        reason=str(stored.get("reason", "")),
        history=changes,
        failed=tuple(map(str, stored.get("failed", ()))),
        title=str(stored.get("title", "")),
        description=str(stored.get("description", "")),
    )


def _encoded(state: State) -> bytes:
    marks = {
        key: {
            "status": mark.status,
            "reason": mark.reason,
            "history": [
                {"at": one.at, "status": one.status, "reason": one.reason, "by": one.by}
                for one in mark.history
            ],
            "failed": list(mark.failed),
            "title": mark.title,
            "description": mark.description,
        }
        for key, mark in state.marks.items()
    }
    document = {"format": 1, "marks": marks, "read": dict(state.read)}
    return json.dumps(document, ensure_ascii=False, indent=1).encode("utf-8", "replace")
