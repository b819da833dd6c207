"""Collects what a server logs, so that a fault is stored together with its traceback."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager

_LOGGERS = ("notewell", "aiohttp", "asyncio", "mcp")


class Collected(logging.Handler):
    """The errors that were logged since the last call of `take`."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self._told: list[str] = []
        self.setFormatter(logging.Formatter("%(name)s: %(message)s"))

    def emit(self, record: logging.LogRecord) -> None:
        self._told.append(self.format(record))

    def take(self) -> str:
        told, self._told = self._told, []
        return "\n".join(told)


@contextmanager
def collected() -> Iterator[Collected]:
    """Collect errors instead of printing them."""
    handler = Collected()
    loggers = [logging.getLogger(name) for name in _LOGGERS]
    for logger in loggers:
        logger.addHandler(handler)
        logger.propagate = False
    try:
        yield handler
    finally:
        for logger in loggers:
            logger.removeHandler(handler)
            logger.propagate = True
