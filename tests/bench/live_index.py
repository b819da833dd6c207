"""A server's first index, and queries during it and during a full reindex."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import cycle
from typing import Literal

from figures import Times
from live_home import Home
from server import Server

Stage = Literal["reading", "embedding", "done"]

_PACE_S = 0.05  # between queries: somebody types, nobody fires
_LOOK_S = 0.5  # between two looks at the status
_WARM_UP = 20


@dataclass(frozen=True)
class FirstIndex:
    """Times of a first index, in seconds from the start of the process; memory in MB.

    `complete_s` is extrapolated where the time was up first, and then `complete` is False.
    """

    first_answer_s: float
    keywords_s: float
    complete_s: float
    complete: bool
    passages: int
    embedded: int
    reading: Times | None
    embedding: Times | None
    start_mb: float
    peak_mb: float


def first_index(server: Server, home: Home, *, limit_s: float) -> FirstIndex:
    """Follow a first index to its end or a time limit, searching during it."""
    start_mb = server.resident_mb()
    first_answer = _until_answered(server, home.common_word)
    timings: dict[Stage, list[float]] = defaultdict(list)
    reached: dict[Stage, float] = {}
    peak_mb, looked, stage = start_mb, 0.0, "reading"
    status: Mapping[str, object] = {}
    for timing in _asked(server, home.questions(500)):
        now = time.perf_counter() - server.started
        peak_mb = max(peak_mb, server.resident_mb())
        timings[stage].append(timing)
        if now - looked >= _LOOK_S:
            status, looked = server.get("status"), now
            stage = _stage(status, home.notes)
            reached.setdefault(stage, now)
        if stage == "done" or now > limit_s:
            break
    keywords_s = reached.get("embedding", reached.get("done", limit_s))
    passages, embedded = _number(status, "chunks"), _number(status, "vectors")
    speed = embedded / max(looked - keywords_s, _LOOK_S)
    complete_s = reached.get("done", looked + (passages - embedded) / max(speed, 1e-9))
    return FirstIndex(
        first_answer,
        keywords_s,
        complete_s,
        "done" in reached,
        passages,
        embedded,
        _times(timings["reading"]),
        _times(timings["embedding"]),
        start_mb,
        peak_mb,
    )


def queries_at_rest(server: Server, home: Home, count: int) -> Times:
    """Time queries on an idle server."""
    return _some(server, home, count, lambda: True)


def queries_while_reindexing(server: Server, home: Home, count: int) -> tuple[Times, float]:
    """Time queries during repeated full reindexing; also returns the peak memory in MB."""
    peak = 0.0

    def keep_busy() -> bool:
        nonlocal peak
        peak = max(peak, server.resident_mb())
        if server.get("status")["state"] == "ready":
            server.post("reindex", full=True)
            time.sleep(_PACE_S)
        return True

    times = _some(server, home, count, keep_busy)
    server.wait_until_ready()
    return times, peak


def _some(server: Server, home: Home, count: int, before: Callable[[], bool]) -> Times:
    timings = []
    for n, timing in enumerate(_asked(server, home.questions(count + _WARM_UP), before)):
        if n >= _WARM_UP:
            timings.append(timing)
        if len(timings) == count:
            break
    return Times.of(timings)


def _asked(
    server: Server, questions: Sequence[str], before: Callable[[], bool] = lambda: True
) -> Iterator[float]:
    """Run the queries in an endless loop; yields the seconds of each."""
    for question in cycle(questions):
        before()
        began = time.perf_counter()
        server.get("search", q=question, plain="true")
        yield time.perf_counter() - began
        time.sleep(_PACE_S)


def _until_answered(server: Server, word: str) -> float:
    while not server.get("search", q=word, mode="keyword", plain="true")["results"]:
        time.sleep(0.005)
    return time.perf_counter() - server.started


def _stage(status: Mapping[str, object], notes: int) -> Stage:
    ledger = status["ledger"]
    assert isinstance(ledger, dict)
    if sum(ledger.values()) < notes or ledger["pending"]:
        return "reading"
    done = status["state"] == "ready" and status["semantic"] == "ready"
    return "done" if done else "embedding"


def _number(status: Mapping[str, object], name: str) -> int:
    value = status[name]
    assert isinstance(value, int)
    return value


def _times(timings: Sequence[float]) -> Times | None:
    return Times.of(timings) if timings else None
