"""Collects what each stage of a search did, for explanations."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence

from notewell.base.support import interrupt
from notewell.base.types import PropertyValue
from notewell.contract.search import Contribution, Explain, Moved, Removed, StageTrace
from notewell.index.port import IndexReader

MAX_PATHS = 5  # paths in the trace of a stage
MAX_TRACKED = 20  # first paths whose changes of rank are reported


class Trace:
    """Records the stages of a search in order. Disabled, a call costs one comparison."""

    def __init__(self, *, enabled: bool) -> None:
        """Start the clock of the first stage."""
        self.enabled = enabled
        self._stages: list[StageTrace] = []
        self._since = time.perf_counter()
        self._order: tuple[str, ...] = ()  # the first paths after the last stage that had any

    def stage(
        self,
        name: str,
        *,
        count_in: int,
        count_out: int,
        removed: Sequence[Removed] = (),
        top: Callable[[], Sequence[str]] | None = None,
    ) -> None:
        """Record the stage since the last call. `top` returns the first MAX_TRACKED paths after it.

        Raises InterruptedWorkError if the client that waits for the search has disconnected.
        """
        interrupt.check()
        if not self.enabled:
            return
        spent = (time.perf_counter() - self._since) * 1000
        order = tuple(top()[:MAX_TRACKED]) if top else ()
        moved = _find_moves(self._order, order) if top else ()
        self._stages.append(
            StageTrace(
                name, round(spent, 3), count_in, count_out, tuple(removed), order[:MAX_PATHS], moved
            )
        )
        self._order = order or self._order
        self._since = time.perf_counter()

    def explain(
        self, query: Mapping[str, PropertyValue], results: Sequence[Contribution] = ()
    ) -> Explain | None:
        """All stages, with the parsed query; None if disabled."""
        return Explain(query, tuple(self._stages), tuple(results)) if self.enabled else None


def _find_moves(before: Sequence[str], after: Sequence[str]) -> tuple[Moved, ...]:
    """Paths whose rank changed, in their new order; none without an order before."""
    if not before:
        return ()
    old = {path: rank for rank, path in enumerate(before, start=1)}
    new = {path: rank for rank, path in enumerate(after, start=1)}
    here = [Moved(path, old.get(path), rank) for path, rank in new.items() if old.get(path) != rank]
    gone = [Moved(path, rank, None) for path, rank in old.items() if path not in new]
    return (*here, *gone)


def paths_of(index: IndexReader, ids: Sequence[int]) -> list[str]:
    """Paths of the first MAX_TRACKED of these notes, without those that were deleted."""
    paths = index.paths(ids[:MAX_TRACKED])
    return [paths[note_id] for note_id in ids[:MAX_TRACKED] if note_id in paths]
