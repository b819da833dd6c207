"""Keeps an index that another process writes up to date in a server that only reads it."""

from __future__ import annotations

import logging
import threading

from notewell.base.errors import NotewellError
from notewell.index.port import IndexReader

_EVERY_S = 1.0

logger = logging.getLogger(__name__)


class Follower:
    """Looks once a second, in a thread of its own, whether a writer has committed anything.

    Where the index cannot be read at the moment, it says so once, and once more when it can again.
    """

    def __init__(self, index: IndexReader, every_s: float = _EVERY_S) -> None:
        """Nothing is looked at yet."""
        self._index = index
        self._every_s = every_s
        self._stopped = threading.Event()
        self._thread: threading.Thread | None = None
        self._failing = False

    def start(self) -> None:
        """Begin."""
        self._thread = threading.Thread(target=self._follow, name="follower", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """End. Calling it twice, or before `start`, is no error."""
        self._stopped.set()
        if self._thread is not None:
            self._thread.join()
            self._thread = None

    def _follow(self) -> None:
        while not self._stopped.wait(self._every_s):
            try:
                self._index.refresh()
            except NotewellError as error:
                if not self._failing:
                    logger.warning("The index is not followed at present: %s", error.message)
                self._failing = True
            else:
                if self._failing:
                    logger.info("The index is followed again.")
                self._failing = False
