"""What each stage of a search did, collected only when somebody asked to know."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence

from notewell.contract.search import Contribution, Explain, Moved, Removed, StageTrace
from notewell.support import interrupt
from notewell.types import PropertyValue

TOP = 5  # paths named after each stage
FOLLOWED = 20  # paths whose moves from stage to stage are told


class Trace:
    """Records stages in the order they end. Switched off, a call costs one comparison."""

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
        """The stage that ran since the last call. `top` gives the first FOLLOWED paths after it.

        Between two stages a search whose asker has gone ends (InterruptedWorkError).
        """
        interrupt.check()
        if not self.enabled:
            return
        spent = (time.perf_counter() - self._since) * 1000
        order = tuple(top()[:FOLLOWED]) if top else ()
        moved = _moved(self._order, order) if top else ()
        self._stages.append(
            StageTrace(
                name, round(spent, 3), count_in, count_out, tuple(removed), order[:TOP], moved
            )
        )
        self._order = order or self._order
        self._since = time.perf_counter()

    def explain(
        self, query: Mapping[str, PropertyValue], results: Sequence[Contribution] = ()
    ) -> Explain | None:
        """All stages, with how the query was read; None when switched off."""
        return Explain(query, tuple(self._stages), tuple(results)) if self.enabled else None


def _moved(before: Sequence[str], after: Sequence[str]) -> tuple[Moved, ...]:
    """What changed its rank among the first, in the order after; nothing if there was none."""
    if not before:
        return ()
    old = {path: rank for rank, path in enumerate(before, start=1)}
    new = {path: rank for rank, path in enumerate(after, start=1)}
    here = [Moved(path, old.get(path), rank) for path, rank in new.items() if old.get(path) != rank]
    gone = [Moved(path, rank, None) for path, rank in old.items() if path not in new]
    return (*here, *gone)
