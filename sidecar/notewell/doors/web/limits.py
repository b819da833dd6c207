"""Limits: requests of a caller in a sliding window, wrong secrets, requests at the same time."""

from __future__ import annotations

import asyncio
import math
from collections import OrderedDict, deque
from collections.abc import AsyncIterator, Hashable
from contextlib import asynccontextmanager

from notewell.base.errors import BusyError, ConfigError, RateLimitedError
from notewell.base.types import LimitRules
from notewell.contract.request import RateClass

WINDOW_S = 10.0
GUESS_WINDOW_S = 60.0
# Callers whose times are remembered; beyond that, the least recently active are forgotten.
_MOST_REMEMBERED = 4096
_PATIENCE_S = 5.0  # how long a request waits for its turn


class SlidingWindow:
    """The times of recent events of each key: exactly those of the last `seconds`."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._times: OrderedDict[Hashable, deque[float]] = OrderedDict()

    def wait(self, key: Hashable, most: int, now: float) -> float:
        """Seconds until another event of `key` fits among `most`; 0 where it fits now."""
        times = self._times.get(key, ())
        return max(times[-most] + self._seconds - now, 0.0) if len(times) >= most else 0.0

    def add(self, key: Hashable, now: float) -> None:
        times = self._times.setdefault(key, deque())
        times.append(now)
        while times[0] <= now - self._seconds:
            times.popleft()
        self._times.move_to_end(key)
        while len(self._times) > _MOST_REMEMBERED:
            self._times.popitem(last=False)


class Rates:
    """Rate limits of each caller, by route."""

    def __init__(self, rules: LimitRules) -> None:
        """Raise ConfigError where `rules.routes` is not valid."""
        self._rules = rules
        self._of_routes = dict(_route_limit(entry) for entry in rules.routes)
        self._asked = SlidingWindow(WINDOW_S)

    def most(self, route: str, rate: RateClass) -> int:
        """Return how many requests to `route` a caller may send in a window; 0: any number."""
        limits = {
            "search": self._rules.search,
            "read": self._rules.read,
            "heavy": self._rules.heavy,
            "write": self._rules.write,
        }
        return self._of_routes.get(route, limits[rate])

    def admit(self, caller: str, route: str, rate: RateClass, now: float) -> None:
        most = self.most(route, rate)
        if most <= 0:
            return
        wait = self._asked.wait((caller, route), most, now)
        if wait > 0:
            raise RateLimitedError(
                f"More than {most:,} requests to this route within {WINDOW_S:.0f} seconds. Ask"
                f" again in {math.ceil(wait)} s; `limits.routes` in the configuration sets more.",
                retry_after=wait,
            )
        self._asked.add((caller, route), now)


class Guesses:
    """Counts the wrong secrets that each address sends; the same one again is not counted."""

    def __init__(self, most: int) -> None:
        """`most` in `GUESS_WINDOW_S`; 0: any number."""
        self._most = most
        self._wrong = SlidingWindow(GUESS_WINDOW_S)
        # Right and wrong secrets, the latest last: these are compared even after too many guesses.
        self._seen: OrderedDict[tuple[str, str], None] = OrderedDict()

    def check(self, address: str, secret: str, now: float) -> None:
        """Raise RateLimitedError for a new secret from an address with too many wrong ones."""
        wait = self._wrong.wait(address, self._most, now) if self._most > 0 else 0.0
        if wait > 0 and (address, secret) not in self._seen:
            raise RateLimitedError(
                "Too many wrong tokens from this address. Wait, and check the token:"
                " `notewell token show` prints it.",
                code="too_many_guesses",
                retry_after=wait,
            )

    def right(self, address: str, secret: str) -> None:
        """Record a right secret, or its digest."""
        self._remember((address, secret))

    def wrong(self, address: str, secret: str, now: float) -> None:
        if (address, secret) not in self._seen:
            self._wrong.add(address, now)
        self._remember((address, secret))

    def _remember(self, shown: tuple[str, str]) -> None:
        self._seen[shown] = None
        self._seen.move_to_end(shown)
        if len(self._seen) > _MOST_REMEMBERED:
            self._seen.popitem(last=False)


class Slots:
    """Limits requests at work: some run, some wait for a while, others are refused."""

    def __init__(self, running: int, waiting: int, patience_s: float = _PATIENCE_S) -> None:
        self._free = asyncio.Semaphore(max(running, 1))
        self._most_waiting = waiting
        self.waiting = 0  # requests
        self._patience_s = patience_s

    @asynccontextmanager
    async def hold(self) -> AsyncIterator[None]:
        """Hold a slot while the block runs; raise BusyError if none becomes free in time."""
        if self._free.locked():
            if self.waiting >= self._most_waiting:
                raise _overload_error()
            await self._wait()
        else:
            await self._free.acquire()
        try:
            yield
        finally:
            self._free.release()

    async def _wait(self) -> None:
        self.waiting += 1
        try:
            async with asyncio.timeout(self._patience_s):
                await self._free.acquire()
        except TimeoutError as error:
            raise _overload_error() from error
        finally:
            self.waiting -= 1


def _overload_error() -> BusyError:
    return BusyError(
        "The server has more to do than it can handle. Try again in a moment.",
        code="overloaded",
        retry_after=1.0,
    )


def _route_limit(entry: str) -> tuple[str, int]:
    name, _, number = entry.partition("=")
    if not number.strip().isdecimal():
        raise ConfigError(
            f"'limits.routes' has {entry!r}; write a route's name and a number, such as"
            ' "graph_hubs=10" (names: `operationId` in /api/openapi.json)'
        )
    return name.strip(), int(number)
