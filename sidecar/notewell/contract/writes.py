"""What the doors answer about the notes that Notewell wrote."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class WriteView:
    """One write. `number` undoes it; `action` says what it was: "memory store"."""

    number: int
    at: str | None
    path: str
    action: str
    undone: bool


@dataclass(frozen=True, slots=True)
class WritesReply:
    """The newest writes to a vault, newest first."""

    vault: str
    writes: tuple[WriteView, ...]


@dataclass(frozen=True, slots=True)
class UndoneReply:
    """What undoing did. `undo` is the number that undoes it; None: all was so already."""

    vault: str
    path: str
    undo: int | None
