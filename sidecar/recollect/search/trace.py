"""What each stage of a search did, collected only when somebody asked to know."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence

from recollect import interrupt
from recollect.replies import Explain, Removed, StageTrace
from recollect.types import PropertyValue

TOP = 5  # paths named after each stage


class Trace:
    """Records stages in the order they end. Switched off, a call costs one comparison."""

    def __init__(self, *, enabled: bool) -> None:
        """Start the clock of the first stage."""
        self.enabled = enabled
        self._stages: list[StageTrace] = []
        self._since = time.perf_counter()

    def stage(
        self,
        name: str,
        *,
        count_in: int,
        count_out: int,
        removed: Sequence[Removed] = (),
        top: Callable[[], Sequence[str]] | None = None,
    ) -> None:
        """The stage that ran since the last call. `top` gives the first paths after it.

        Between two stages a search whose asker has gone ends (InterruptedWorkError).
        """
        interrupt.check()
        if not self.enabled:
            return
        spent = (time.perf_counter() - self._since) * 1000
        paths = tuple(top()[:TOP]) if top else ()
        self._stages.append(
            StageTrace(name, round(spent, 3), count_in, count_out, tuple(removed), paths)
        )
        self._since = time.perf_counter()

    def explain(self, query: Mapping[str, PropertyValue]) -> Explain | None:
        """All stages, with how the query was read; None when switched off."""
        return Explain(query, tuple(self._stages)) if self.enabled else None
