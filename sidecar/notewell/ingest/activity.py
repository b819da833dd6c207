"""What the writer of a vault is about, at a moment."""

from __future__ import annotations

from dataclasses import dataclass

from notewell.types import Progress


@dataclass(frozen=True, slots=True)
class Guarded:
    """A mass disappearance that waits for a person's word."""

    gone: int
    total: int
    since: float


@dataclass(frozen=True, slots=True)
class Finished:
    """A run that is over, for the history."""

    ended: float
    seconds: float
    read: int
    embedded: int
    removed: int
    outcome: str  # "done", "stopped", or what went wrong


@dataclass(frozen=True, slots=True)
class Tally:
    """What was done since the writer was made."""

    runs: int = 0
    read: int = 0
    embedded: int = 0
    reused: int = 0
    removed: int = 0


@dataclass(frozen=True, slots=True)
class Activity:
    """What the writer does now, what it did, and what keeps it from doing more."""

    running: bool = False
    serving: bool = False  # a thread is there that will do what is pending
    progress: Progress | None = None
    stage_began: float = 0.0  # time.monotonic() at which the stage of `progress` began
    problem: str | None = None  # a part of the engine that does not work, for people
    guard: Guarded | None = None
    held: Guarded | None = None  # what a mirror's client has no more, kept as under `guard`
    paused: bool = False
    waiting: int = 0
    history: tuple[Finished, ...] = ()
    tally: Tally = Tally()
