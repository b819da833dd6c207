"""What is known of gleanings besides their notes: statuses, failures, days that were read.

It is one JSON file in the data directory, which a person can read, written in one step.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, get_args

import filelock

from notewell.contract.gleanings import GleaningStatus, StatusChange
from notewell.errors import WriteError
from notewell.support import atomic, private

NAME = "gleanings.json"
MOST_CHANGES = 100  # of one gleaning's status
_BUSY_SECONDS = 10.0
_STATUSES = get_args(GleaningStatus)


@dataclass(frozen=True, slots=True)
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


@dataclass(frozen=True, slots=True)
class State:
    """`marks` by id; `read` has the path of each daily note that was extracted, by content hash."""

    marks: Mapping[str, Mark] = field(default_factory=dict)
    read: Mapping[str, str] = field(default_factory=dict)


class StateFile:
    """The file of one vault. Any thread and any process may use it."""

    def __init__(self, folder: Path) -> None:
        """`folder` is created with the first change."""
        self._file = folder / NAME
        self._changing = threading.RLock()
        self._lock = filelock.FileLock(
            folder / "gleanings.lock", timeout=_BUSY_SECONDS, mode=private.FILE_MODE
        )

    def load(self) -> State:
        """The state; an empty one where there is no file. WriteError if it cannot be read.

        A status that is no status counts as active.
        """
        try:
            stored = json.loads(self._file.read_text(encoding="utf-8"))
            marks = {key: _mark(value) for key, value in stored["marks"].items()}
            return State(marks, {str(key): str(path) for key, path in stored["read"].items()})
        except FileNotFoundError:
            return State()
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            raise self._unusable(error) from error

    def change(self, edit: Callable[[State], State]) -> State:
        """Replace the state by what `edit` makes of it."""
        with self._alone():
            before = self.load()
            after = edit(before)
            if after != before:
                try:
                    atomic.replace(self._file, _encoded(after), durable=True)
                except OSError as error:
                    raise self._unusable(error) from error
        return after

    def mark(self, key: str, edit: Callable[[Mark], Mark]) -> Mark:
        """Change what is known of one gleaning; returns it."""
        changed = self.change(
            lambda state: replace(
                state, marks={**state.marks, key: edit(state.marks.get(key, Mark()))}
            )
        )
        return changed.marks[key]

    @contextmanager
    def _alone(self) -> Iterator[None]:
        with self._changing:
            try:
                private.make_folder(self._file.parent)
                self._lock.acquire()
            except (OSError, filelock.Timeout) as error:
                raise self._unusable(error) from error
            try:
                yield
            finally:
                self._lock.release()

    def _unusable(self, error: Exception) -> WriteError:
        return WriteError(
            f"The file of gleanings cannot be used ({self._file}: {error}). Check the data"
            " directory's disk, or move the file away: statuses stay in the notes.",
            code="gleanings_unusable",
        )


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


def delete(folder: Path) -> None:
    """Delete the file and its lock."""
    for name in (NAME, "gleanings.lock"):
        (folder / name).unlink(missing_ok=True)
