"""Many concurrent clients of one server, each with its own token, that type, read and pause."""

from __future__ import annotations

import asyncio
import random
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import aiohttp

HONEST = frozenset({429, 503})  # refusals that should have Retry-After
_THINK_S = (0.2, 0.8)  # between two keystrokes' searches, and to read
_ANSWER_S = 30.0
_CHANGED_LINE = "\nA line of load number {number}.\n"


@dataclass
class Tally:
    """The outcome of the requests. `seconds`: the times of successful ones."""

    seconds: list[float] = field(default_factory=list)
    statuses: Counter[int] = field(default_factory=Counter)
    errors: Counter[str] = field(default_factory=Counter)
    silent: int = 0  # refusals without Retry-After

    @property
    def asked(self) -> int:
        """The number of all requests."""
        return self.statuses.total() + self.errors.total()

    @property
    def answered(self) -> int:
        """The number of successful requests."""
        return self.statuses[200]

    @property
    def wrong(self) -> int:
        """The number of requests that neither succeeded nor were refused as `HONEST` describes."""
        refused = sum(self.statuses[status] for status in HONEST) - self.silent
        return self.asked - self.answered - refused


@dataclass(frozen=True)
class Crowd:
    """Clients of the server at `url`: their queries, the notes they open, and the duration."""

    url: str
    questions: Sequence[str]
    notes: Sequence[str]
    seconds: float
    tally: Tally = field(default_factory=Tally)

    async def ask(self, tokens: Sequence[str]) -> Tally:
        """Run one client for each of `tokens`, all at the same time."""
        end = time.monotonic() + self.seconds
        await asyncio.gather(
            *(self._client(token, number, end) for number, token in enumerate(tokens))
        )
        return self.tally

    async def _client(self, token: str, number: int, end: float) -> None:
        """One client in a loop: types a query, opens a note, asks for similar notes."""
        chance = random.Random(number)
        headers = {"Authorization": f"Bearer {token}"}
        timeout = aiohttp.ClientTimeout(total=_ANSWER_S)
        async with aiohttp.ClientSession(self.url, headers=headers, timeout=timeout) as session:
            await asyncio.sleep(chance.uniform(0, _THINK_S[1]))
            while time.monotonic() < end:
                words = chance.choice(self.questions).split()
                for count in range(1, len(words) + 1):
                    typed = {"q": " ".join(words[:count]), "limit": "20"}
                    await _ask(session, "/api/search", typed, self.tally)
                    await asyncio.sleep(chance.uniform(*_THINK_S))
                note = {"path": chance.choice(self.notes)}
                await _ask(session, "/api/note", note, self.tally)
                await _ask(session, "/api/similar", note, self.tally)
                await asyncio.sleep(chance.uniform(*_THINK_S))


async def change(notes: Sequence[Path], seconds: float) -> int:
    """Append a line to each of `notes`, spread over the duration; returns how many."""
    began = time.monotonic()
    for number, note in enumerate(notes):
        await asyncio.sleep(max(began + seconds * number / len(notes) - time.monotonic(), 0))
        with note.open("a", encoding="utf-8") as stream:
            stream.write(_CHANGED_LINE.format(number=number))
    return len(notes)


async def _ask(
    session: aiohttp.ClientSession, route: str, asked: dict[str, str], tally: Tally
) -> None:
    began = time.perf_counter()
    try:
        async with session.get(route, params=asked) as response:
            await response.read()
            status = response.status
            told = "Retry-After" in response.headers
    except (aiohttp.ClientError, TimeoutError) as error:
        tally.errors[type(error).__name__] += 1
        return
    tally.statuses[status] += 1
    if status == 200:
        tally.seconds.append(time.perf_counter() - began)
    elif status in HONEST and not told:
        tally.silent += 1
