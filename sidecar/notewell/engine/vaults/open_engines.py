"""The engines that are open: each opened once, none closed while in use, the least used closed.

A vault that is closed keeps its index; it is opened again by the next request about it and then
brought up to date. Nothing is watched meanwhile, so only as many as the limit says are kept open.
"""

from __future__ import annotations

import logging
import threading
from collections import Counter
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from types import TracebackType

from notewell.engine.engine import Engine

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Hold(AbstractContextManager["Engine"]):
    """Keeps an engine open until the end of its `with` block; may be entered once."""

    engine: Engine
    release: Callable[[], None]

    def __enter__(self) -> Engine:
        return self.engine

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.release()


class OpenEngines:
    """Safe to use from several threads."""

    def __init__(self, most: int) -> None:
        """Keep up to `most` open, at least 1; more only while all of them are busy."""
        self._most = max(most, 1)
        self._engines: dict[str, Engine] = {}  # least recently used first
        self._users: Counter[str] = Counter()
        self._looking = threading.Lock()  # held for moments
        self._changing = threading.Lock()  # held while one is opened or closed

    def all(self) -> tuple[Engine, ...]:
        """Those that are open."""
        with self._looking:
            return tuple(self._engines.values())

    def get(self, vault: str, make: Callable[[], Engine]) -> Engine:
        """The engine of a vault, opened by `make` where it is not; no other is closed for it."""
        with self._changing:
            engine = self._used(vault)
            if engine is None:
                engine = self._add(vault, make())
            return engine

    def held(self, vault: str) -> Hold | None:
        """Hold the engine of a vault if it is open; never waits for one that is being opened."""
        with self._looking:
            engine = self._engines.get(vault)
            if engine is None:
                return None
            self._engines[vault] = self._engines.pop(vault)
            self._users[vault] += 1
        return Hold(engine, lambda: self._release(vault))

    def hold(self, vault: str, make: Callable[[], Engine]) -> Hold:
        """Hold the engine of a vault; where it is not open, others may be closed for it."""
        with self._changing:
            if (held := self.held(vault)) is not None:
                return held
            self._make_room()
            self._add(vault, make())
            held = self.held(vault)
        if held is None:  # pragma: no cover - nobody closes it while `_changing` is held
            raise KeyError(vault)
        return held

    def close(self, vault: str | None = None) -> None:
        """Close the engine of a vault, or all engines, even if they are in use."""
        with self._changing:
            names = [vault] if vault is not None else list(self._engines)
            for name in names:
                with self._looking:
                    engine = self._engines.pop(name, None)
                if engine is not None:
                    engine.close()

    def _used(self, vault: str) -> Engine | None:
        with self._looking:
            engine = self._engines.pop(vault, None)
            if engine is not None:
                self._engines[vault] = engine
            return engine

    def _add(self, vault: str, engine: Engine) -> Engine:
        with self._looking:
            self._engines[vault] = engine
        return engine

    def _release(self, vault: str) -> None:
        with self._looking:
            self._users[vault] -= 1

    def _make_room(self) -> None:
        """Close what was not used for the longest time, and neither is used nor at work now."""
        while (idle := self._idle()) is not None:
            log.info("closing %s, which was not used for the longest time", idle.record.name)
            idle.close()

    def _idle(self) -> Engine | None:
        with self._looking:
            if len(self._engines) < self._most:
                return None
            for vault, engine in self._engines.items():
                if not self._users[vault] and not engine.busy:
                    return self._engines.pop(vault)
        return None
