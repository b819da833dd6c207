"""A day's changes in a short time, to see whether the server's memory grows.

The changes are made in one folder whose number of notes stays about the same, so that growth is not
that of the vault.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path

from live_home import Home
from live_saves import settle
from server import Server
from stack import say

from notewell.engine.ingest.writer import IDLE_BEFORE_SAVE_S
from tests.stress.operations import Hand

CHANGES, QUICK_CHANGES = 20_000, 2_000
_NOTES = 300
_TICKS = 20
_WARM_UP = 2  # ticks; caches, pools and the allocator's arenas have grown to their size by then
_AT_ONCE = 5  # changes in one request of a client
_FOLDER = "Changing"
_DEBOUNCE_S = 1.0  # longer than the watcher waits for quiet


@dataclass(frozen=True)
class Churn:
    """Resident memory (MB) after each twentieth of the changes.

    After the second and the last one the server has been idle long enough to free memory.
    """

    changes: int
    seconds: float
    runs: int
    mb: tuple[float, ...]
    own_mb: tuple[float, ...]  # without mapped files

    @property
    def growth(self) -> float:
        """Growth after the warm-up, as a fraction."""
        return self.mb[-1] / self.mb[_WARM_UP - 1] - 1


class SteadyHand(Hand):
    """Makes changes that keep the number of notes; reads the list of files only now and then."""

    def __init__(self, vault: Path, seed: int) -> None:
        super().__init__(vault, seed)
        self._listed: list[Path] = []

    def any(self) -> None:
        """Make one change; adds or removes where the folder has too few or too many notes."""
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
    """Make `changes` changes, and wait twenty times in between until the server is idle."""
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
            # The watcher alone would wait for a pause and then index all changes in one run.
            server.post("changes", changes=[{"kind": "modify", "path": _FOLDER}])
        _rest(server, long=tick in {_WARM_UP, _TICKS})
        mb.append(server.resident_mb())
        own.append(server.resident_mb("RssAnon"))
        say(f"{len(mb)}/{_TICKS}: {mb[-1]:.1f} MB, own {own[-1]:.1f} MB")
    seconds = time.perf_counter() - began
    return Churn(changes, seconds, _runs(server) - runs, tuple(mb), tuple(own))


def _rest(server: Server, *, long: bool = False) -> None:
    """Wait until nothing is queued; `long`: also for the clean-up that follows."""
    time.sleep(_DEBOUNCE_S)
    settle(server)
    if long:
        time.sleep(IDLE_BEFORE_SAVE_S + _DEBOUNCE_S)


def _runs(server: Server) -> int:
    return int(server.metric("notewell_index_runs_total"))
