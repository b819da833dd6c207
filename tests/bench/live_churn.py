"""A day of changes at speed: does the server's memory grow with what it has seen?

The hand works in a folder of its own, in which there are always about as many notes, so that what
grows is not the vault.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path

from live_home import Home
from live_saves import settle
from server import Server
from stack import say

from notewell.ingest.writer import IDLE_BEFORE_SAVE_S
from tests.stress.operations import Hand

CHANGES, QUICK_CHANGES = 20_000, 2_000
_NOTES = 300
_TICKS = 20
_WARM_UP = 2  # ticks: caches, pools and the allocator's arenas have their size by then
_AT_ONCE = 5  # changes a client tells of together
_FOLDER = "Changing"
_DEBOUNCE_S = 1.0  # longer than the watcher waits for quiet


@dataclass(frozen=True)
class Churn:
    """Resident memory (MB) after each twentieth of the changes; after the second and the last at
    rest, when the server has given back what the burst needed.
    """

    changes: int
    seconds: float
    runs: int
    mb: tuple[float, ...]
    own_mb: tuple[float, ...]  # without mapped files

    @property
    def growth(self) -> float:
        """By what share it grew after the warm-up."""
        return self.mb[-1] / self.mb[_WARM_UP - 1] - 1


class SteadyHand(Hand):
    """A hand that keeps the number of notes, and lists them once in a while."""

    def __init__(self, vault: Path, seed: int) -> None:
        super().__init__(vault, seed)
        self._listed: list[Path] = []

    def any(self) -> None:
        """One operation; where the folder has become too full or too empty, the other way."""
        if len(self._listed) < 50 or self.random.random() < 0.05:
            self._listed = sorted(self.vault.rglob("[!.]*.md"))
            self._bin = self._bin[-100:]
        if len(self._listed) > _NOTES * 1.05:
            return self.delete()
        if len(self._listed) < _NOTES * 0.95:
            return self.create()
        return super().any()

    def _some_note(self) -> Path | None:
        while self._listed:
            at = self.random.randrange(len(self._listed))
            if self._listed[at].exists():
                return self._listed[at]
            del self._listed[at]
        return None


def churn(server: Server, home: Home, changes: int) -> Churn:
    """Make so many changes, and let the server come to rest twenty times on the way."""
    folder = home.vault / _FOLDER
    folder.mkdir()
    hand = SteadyHand(folder, seed=24)
    for _ in range(_NOTES):
        hand.create()
    _rest(server)
    began, runs = time.perf_counter(), _runs(server)
    mb, own = [], []
    for tick in range(1, _TICKS + 1):
        for _ in range(changes // _TICKS // _AT_ONCE):
            for _ in range(_AT_ONCE):
                hand.any()
            # The watcher alone would wait for a quiet moment and make one run of all.
            server.post("changes", changes=[{"kind": "modify", "path": _FOLDER}])
        _rest(server, long=tick in {_WARM_UP, _TICKS})
        mb.append(server.resident_mb())
        own.append(server.resident_mb("RssAnon"))
        say(f"{len(mb)}/{_TICKS}: {mb[-1]:.1f} MB, own {own[-1]:.1f} MB")
    seconds = time.perf_counter() - began
    return Churn(changes, seconds, _runs(server) - runs, tuple(mb), tuple(own))


def _rest(server: Server, *, long: bool = False) -> None:
    """Wait until all is done; `long`: until the server has tidied up after itself as well."""
    time.sleep(_DEBOUNCE_S)
    settle(server)
    if long:
        time.sleep(IDLE_BEFORE_SAVE_S + _DEBOUNCE_S)


def _runs(server: Server) -> int:
    return int(server.metric("notewell_index_runs_total"))
