"""Threads that keep an index in step with another writer and with the folder of its vault."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from functools import partial

from notewell.base.errors import NotewellError
from notewell.base.types import (
    VaultRecord,
    WatchMode,
)
from notewell.engine.ingest.queue import Work, WorkQueue
from notewell.index.port import IndexReader
from notewell.vault.sources import Source
from notewell.vault.watch import watch_vault

_EVERY_S = 1.0
# How long to wait for a folder that cannot be watched (an unmounted drive) before trying again.
AGAIN_S = 10.0
log = logging.getLogger(__name__)


class Follower:
    """Looks once a second, in a thread of its own, whether a writer has committed anything.

    Where the index cannot be read at the moment, it says so once, and once more when it can again.
    """

    def __init__(self, index: IndexReader, every_s: float = _EVERY_S) -> None:
        self._index = index
        self._every_s = every_s
        self._stopped = threading.Event()
        self._thread: threading.Thread | None = None
        self._failing = False

    def start(self) -> None:
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
                    log.warning("The index is not followed at present: %s", error.message)
                self._failing = True
            else:
                if self._failing:
                    log.info("The index is followed again.")
                self._failing = False


class VaultWatcher:
    """Watches one folder between `start` and `stop`. A mirror changes only through its engine."""

    def __init__(
        self,
        vault: VaultRecord,
        source: Source,
        mode: WatchMode,
        queue: WorkQueue,
    ) -> None:
        self._vault = vault
        self._source = source
        self._mode = mode
        self._queue = queue
        self._stopping = threading.Event()
        self._thread: threading.Thread | None = None

    def start(self, *, after: Callable[[], object] = lambda: None) -> None:
        """Start, if this vault is to be watched and is not yet; watch it when `after` returns.

        To begin watching takes a second in a vault of 250,000 files, and the interpreter's lock.
        """
        watched = self._mode != "off" and self._source.watched
        if watched and self._thread is None:
            name, run = f"watch-{self._vault.id}", partial(self._run, after)
            self._thread = threading.Thread(target=run, name=name, daemon=True)
            self._thread.start()

    def stop(self) -> None:
        self._stopping.set()
        if self._thread is not None:
            self._thread.join()

    def _run(self, after: Callable[[], object]) -> None:
        """Queue work for file system events; wait for a folder that is missing."""
        after()
        while not self._stopping.is_set():
            try:
                for paths in watch_vault(
                    self._vault.path,
                    mode=self._mode,
                    stop=self._stopping,
                    types=self._source.types,
                    others=lambda paths: self._queue.submit(Work(paths=paths, trigger="watch")),
                ):
                    self._queue.submit(Work(paths=paths, saved=bool(paths), trigger="watch"))
            except OSError as error:
                log.debug("%s cannot be watched: %s", self._vault.name, error)
            if not self._stopping.wait(AGAIN_S):
                # Changes during the gap are found by a full comparison.
                self._queue.submit(Work(trigger="watch"))
