"""The current state and the history of the writer of a vault."""

from __future__ import annotations

from dataclasses import dataclass

from notewell.types import Progress


@dataclass(frozen=True, slots=True)
class Guarded:
    """Many notes that are missing at once and stay indexed until a person confirms."""

    gone: int
    total: int
    since: float


@dataclass(frozen=True, slots=True)
class Finished:
    """A completed run in the history."""

    ended: float
    seconds: float
    read: int
    embedded: int
    removed: int
    outcome: str  # "done", "stopped", or what went wrong


@dataclass(frozen=True, slots=True)
class Tally:
    """Totals since the writer was created."""

    runs: int = 0
    read: int = 0
    embedded: int = 0
    reused: int = 0
    removed: int = 0


@dataclass(frozen=True, slots=True)
class Activity:
    """The state of the writer, its history, and problems that block it."""

    running: bool = False
    serving: bool = False  # a background thread does the pending work
    progress: Progress | None = None
    stage_began: float = 0.0  # time.monotonic() at which the stage of `progress` began
    problem: str | None = None  # a part of the engine that does not work, for people
    guard: Guarded | None = None
    held: Guarded | None = None  # notes of a mirror that its client no longer has, until confirmed
    paused: bool = False
    waiting: int = 0
    history: tuple[Finished, ...] = ()
    tally: Tally = Tally()
