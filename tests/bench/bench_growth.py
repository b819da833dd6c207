"""How search, start, memory and saving grow with the index: 10,000 to 1,000,000 passages.

A million passages need 12 GB of disk and the better part of an hour to prepare, once; `--sizes 10000,100000`
measures others, and what was prepared is used again. `--prepare` only prepares.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from bench_save import Saves, measure_saves
from bench_stack import Ours, measure_ours
from figures import Figure, arguments, write
from growth_picture import Chart, picture
from stack import QUICK_CHUNKS, Stack, prepare, say

SIZES = (10_000, 100_000, 1_000_000)
STARTS, SAVES = 3, 5
_READ_AT_ONCE = 1 << 24  # bytes
AIMS = {
    "search": "p50 at most 40 ms at 1,000,000",
    "start": "at most 2 s at 1,000,000",
    "memory": "at most 2,000 MB at 1,000,000",
    "save": "at most 100 ms at 1,000,000",
}


@dataclass(frozen=True)
class Size:
    """What was measured with so many passages."""

    passages: int
    index_mb: float
    served: Ours
    saves: Saves


def main() -> None:
    """Prepare and measure each size, and write the figures."""
    parser = arguments((__doc__ or "").partition("\n")[0])
    parser.add_argument("--sizes", help="numbers of passages, with commas")
    parser.add_argument("--picture", type=Path, help="an SVG file for the figures as charts")
    parser.add_argument(
        "--prepare", action="store_true", help="prepare the indexes, measure nothing"
    )
    chosen = parser.parse_args()
    sizes = (QUICK_CHUNKS,) if chosen.quick else SIZES
    if chosen.sizes:
        sizes = tuple(int(size) for size in chosen.sizes.split(","))
    measured = []
    for passages in sizes:
        began = time.perf_counter()
        stack = prepare(quick=True, chunks=passages)
        say(f"prepared in {time.perf_counter() - began:.0f} s")
        if not chosen.prepare:
            measured.append(measure(stack, passages))
            say(str(measured[-1]))
    write(chosen.json, [row for size in measured for row in rows(size)], {"sizes": measured})
    if chosen.picture and measured:
        chosen.picture.write_text(drawn(measured), encoding="utf-8")


def measure(stack: Stack, passages: int) -> Size:
    """Search, start, memory and saves over one index, whose files are in the page cache."""
    for path in stack.directory.rglob("*"):
        if path.is_file():
            with path.open("rb") as file:
                while file.read(_READ_AT_ONCE):
                    pass
    served = measure_ours(stack, STARTS)
    return Size(passages, _megabytes(stack.directory), served, measure_saves(stack, SAVES))


def rows(size: Size) -> list[Figure]:
    """The rows of the table for one size."""
    served, at = size.served, f"{size.passages:,} passages"
    start = statistics.median(served.starts_s)
    saves = f"{1000 * statistics.median(size.saves.keyword_s):.0f} ms by words"
    saves += f", {1000 * statistics.median(size.saves.semantic_s):.0f} ms by meaning"
    return [
        Figure(
            f"hybrid query over HTTP, {at}",
            AIMS["search"],
            "",
            str(served.query),
            note=f"{served.cpu_ms:.1f} ms of processor time a search; files in the page cache",
        ),
        Figure(f"process start to first hybrid answer, {at}", AIMS["start"], "", f"{start:.2f} s"),
        Figure(
            f"resident memory of the server, {at}",
            AIMS["memory"],
            "",
            f"{served.rss_mb:,.0f} MB",
            note=f"mapped files included; {served.own_mb:.0f} MB without; the index takes {size.index_mb:.0f} MB of disk",
        ),
        Figure(f"save of a 5-passage note to searchable, {at}", AIMS["save"], "", saves),
    ]


def drawn(measured: Sequence[Size]) -> str:
    """The figures as charts: search, start, memory, saving."""
    searches = [size.served.query.p50 for size in measured]
    starts = [statistics.median(size.served.starts_s) for size in measured]
    memory = [size.served.rss_mb for size in measured]
    saves = [1000 * statistics.median(size.saves.keyword_s) for size in measured]
    charts = (
        Chart("Search, median (ms)", searches, [f"{each:.0f}" for each in searches]),
        Chart("Start to first answer (s)", starts, [f"{each:.1f}" for each in starts]),
        Chart("Memory with mapped files (MB)", memory, [f"{each:,.0f}" for each in memory]),
        Chart("A save to found by words (ms)", saves, [f"{each:.0f}" for each in saves]),
    )
    return picture([size.passages for size in measured], charts)


def _megabytes(folder: Path) -> float:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) / 1e6


if __name__ == "__main__":
    main()
