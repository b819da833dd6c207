"""The callbacks by which a run of the write path reports progress and is stopped."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from notewell.base.types import Progress
from notewell.base.types.frozen import frozen


@frozen
class Signals:
    """Callbacks by which a run reports progress and is stopped.

    `stop` ends the run between two transactions. `give_way` only ends embedding and the reading of
    a whole vault; reading a few notes is so short that newly saved ones can wait for it. `between`
    is called between two notes and blocks while searches have priority. `notes_changed` is called
    with the paths of notes that were stored, moved or removed.
    """

    progress: Callable[[Progress], None] = lambda _: None
    vectors_stored: Callable[[], None] = lambda: None  # called now and then
    stop: Callable[[], bool] = lambda: False
    give_way: Callable[[], bool] = lambda: False
    between: Callable[[], None] = lambda: None
    notes_changed: Callable[[Sequence[str]], None] = lambda _: None

    def stop_or_give_way(self) -> bool:
        """True if to stop work that may wait."""
        return self.stop() or self.give_way()
