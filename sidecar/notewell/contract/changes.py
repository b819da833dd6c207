"""What is answered to changes: that they were taken on, and what a list of files lacks."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class AcceptedReply:
    """Work that was taken on; it shows in a generation after this one.

    `warnings` name what was left out of it, and why.
    """

    accepted: int
    generation: int
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SyncReply:
    """A client's list of files compared with what the server has.

    `need` is not here as the client has it, newest first; `gone` the client has no more. With
    `guard`, too much is gone at once to believe it: nothing is removed until that is confirmed.
    """

    need: tuple[str, ...]
    gone: tuple[str, ...]
    guard: bool
