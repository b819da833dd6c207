"""A running server on a real vault: first index, searches during it, memory, saves, changes.

The vault obsidian-hub is read from the shared data (`--data`, NOTEWELL_TEST_DATA, or beside the
repository); `--vault` names another folder; without either, as many notes are generated.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from figures import Figure, Times, arguments, write
from live_churn import CHANGES, QUICK_CHANGES, Churn, churn
from live_home import NOTES, QUICK_NOTES, Home, home
from live_index import FirstIndex, first_index, queries_at_rest, queries_while_reindexing
from live_saves import Saves, measure
from server import Server, serving
from stack import say

from notewell.engine.ingest.writer import IDLE_BEFORE_SAVE_S
from notewell.vault.watch import QUIET_MS

LIMIT_S, QUICK_LIMIT_S = 240.0, 90.0
QUERIES, QUICK_QUERIES = 200, 60
SAVES, QUICK_SAVES = 20, 6
IDLE_S, QUICK_IDLE_S = 20.0, 10.0


@dataclass(frozen=True)
class Size:
    """The size of each measurement."""

    notes: int
    limit_s: float
    queries: int
    saves: int
    idle_s: float
    changes: int


FULL = Size(NOTES, LIMIT_S, QUERIES, SAVES, IDLE_S, CHANGES)
QUICK = Size(QUICK_NOTES, QUICK_LIMIT_S, QUICK_QUERIES, QUICK_SAVES, QUICK_IDLE_S, QUICK_CHANGES)


@dataclass(frozen=True)
class Life:
    """The measurements on a server whose index is complete."""

    idle: Times
    reindexing: Times
    before_mb: float
    during_mb: float
    after_mb: float
    idle_s: float
    idle_cpu_s: float | None
    watcher: Saves
    changes: Saves
    churn: Churn


def main() -> None:
    """Measure and write the figures."""
    parser = arguments(__doc__ or "")
    parser.add_argument("--vault", type=Path, help="notes to measure with; they are copied")
    parser.add_argument("--data", type=Path, help="folder of the shared data")
    chosen = parser.parse_args()
    size = QUICK if chosen.quick else FULL
    life = None
    with home(chosen.vault, chosen.data, most_notes=size.notes) as there:
        say(f"{there.notes:,} notes of {there.name}, model {there.model}")
        with serving(there.vault, there.environment) as server:
            first = first_index(server, there, limit_s=size.limit_s)
            say(f"{first}")
            lived = there
            if first.complete:
                life = live(server, there, size)
    if life is None:
        # The rest needs a complete index: that of fewer notes, on a machine as slow as this one.
        with (
            home(chosen.vault, chosen.data, most_notes=QUICK_NOTES) as lived,
            serving(lived.vault, lived.environment) as server,
        ):
            server.wait_until_ready()
            life = live(server, lived, size)
    figures = [*first_rows(first, there, life.idle), *life_rows(life, lived, first)]
    write(chosen.json, figures, {"first": first, "life": life, "model": there.model})


def live(server: Server, there: Home, size: Size) -> Life:
    """Measure a server whose index is complete."""
    before = server.resident_mb()
    idle = queries_at_rest(server, there, size.queries)
    say(f"queries at rest: {idle}")
    reindexing, during = queries_while_reindexing(server, there, size.queries)
    say(f"queries while reindexing: {reindexing}")
    time.sleep(IDLE_BEFORE_SAVE_S + 5)  # snapshots are written once, before the server is idle
    after, used = server.resident_mb(), _used(server, lambda: time.sleep(size.idle_s))
    say(f"memory {before:.0f}, {during:.0f}, {after:.0f} MB; idle for {size.idle_s} s: {used} s")
    watcher = measure(server, there, "watcher", size.saves)
    changes = measure(server, there, "changes", size.saves)
    say(f"saves, watched: {watcher}; told: {changes}")
    day = churn(server, there, size.changes)
    say(f"{day}")
    return Life(
        idle,
        reindexing,
        before,
        during,
        after,
        size.idle_s,
        used,
        watcher,
        changes,
        day,
    )


def first_rows(first: FirstIndex, there: Home, idle: Times) -> list[Figure]:
    """The rows of the table on the first index."""
    vault = f"{there.name}, {there.notes:,} notes"
    about = "" if first.complete else "about "
    note = f"{first.passages:,} passages, model {there.model}, searched 20 times a second meanwhile"
    if not first.complete:
        note += f"; extrapolated from {first.embedded:,} passages, the time was up"
    rows = [
        Figure(f"process start to first keyword answer, {vault}", "", "", _s(first.first_answer_s)),
        Figure(f"process start to all notes by keyword, {vault}", "", "", _s(first.keywords_s)),
        Figure(
            f"process start to complete, {vault}", "", "", about + _s(first.complete_s), note=note
        ),
    ]
    stages = (("notes are read", first.reading), ("passages are embedded", first.embedding))
    rows += [
        _beside_idle(f"query over HTTP while {stage} the first time", times, idle)
        for stage, times in stages
        if times is not None
    ]
    rows.append(
        Figure(
            f"resident memory, {vault}: start, most during the first index",
            "",
            "",
            f"{first.start_mb:.0f}, {first.peak_mb:.0f} MB",
        )
    )
    return rows


def life_rows(life: Life, there: Home, first: FirstIndex) -> list[Figure]:
    """The rows of the table on a server with a complete index."""
    vault = f"{there.name}, {there.notes:,} notes"
    rows = [
        Figure(f"query over HTTP at rest, {vault}", "", "", str(life.idle)),
        _beside_idle("query over HTTP while a full reindex runs", life.reindexing, life.idle),
        Figure(
            f"resident memory, {vault}: before, most during, after a full reindex",
            "",
            "",
            f"{life.before_mb:.0f}, {life.during_mb:.0f}, {life.after_mb:.0f} MB",
        ),
    ]
    if life.idle_cpu_s is not None:
        used = f"{life.idle_cpu_s:.2f} s"
        rows.append(Figure(f"processor time of {life.idle_s:.0f} s idle", "near zero", "", used))
    rows += _save_rows(life)
    day = life.churn
    rows.append(
        Figure(
            f"resident memory after {day.changes:,} changes, beside after a tenth of them",
            "at most 5 % more",
            f"{day.mb[1]:.0f} MB",
            f"{day.mb[-1]:.0f} MB ({day.growth:+.1%})",
            day.mb[-1] / day.mb[1],
            f"{day.runs:,} runs in {day.seconds:.0f} s; without mapped files "
            f"{day.own_mb[1]:.0f} and {day.own_mb[-1]:.0f} MB",
        )
    )
    return rows


def _save_rows(life: Life) -> list[Figure]:
    watched = f"with the watcher's own wait of {QUIET_MS} to {2 * QUIET_MS} ms"
    return [
        Figure(f"save of a paragraph to searchable, {kind}, {door}", aim, "", str(times), note=note)
        for door, note, saves in (
            ("by the watcher", watched, life.watcher),
            ("by POST /api/changes", "", life.changes),
        )
        for kind, aim, times in (
            ("keyword", "at most 40 ms after the debounce", saves.keyword),
            ("semantic", "at most 120 ms after the debounce", saves.semantic),
        )
        if times is not None
    ]


def _beside_idle(figure: str, times: Times, idle: Times) -> Figure:
    ratio = times.p95 / idle.p95
    return Figure(figure, "p95 at most 5x at rest", f"at rest: {idle}", str(times), ratio)


def _used(server: Server, work: Callable[[], None]) -> float | None:
    before = server.cpu_s()
    work()
    after = server.cpu_s()
    return None if before is None or after is None else after - before


def _s(seconds: float) -> str:
    return f"{seconds:.2f} s" if seconds < 10 else f"{seconds:.0f} s"


if __name__ == "__main__":
    main()
