"""Processor time of a search over HTTP, as a multiple of one embedding measured in the same run.

Times of different days cannot be compared, and multiples of an embedding nearly can: both sides are
measured in turns, block by block, on one machine. The error is that of the mean over the blocks.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Literal

from server import Server, serving
from stack import Stack

from notewell.models.loading import load_embedder

BLOCKS, QUICK_BLOCKS = 12, 3
SEARCHES = 100  # of a block: processor time is counted in hundredths of a second
EMBEDDINGS = 100
Kind = Literal["hybrid", "keyword", "typing"]
KINDS: tuple[Kind, ...] = ("hybrid", "keyword", "typing")


@dataclass(frozen=True)
class Multiple:
    """The mean over the blocks, and its standard error; `embedding_ms` is the unit."""

    mean: float
    error: float
    embedding_ms: float

    def __str__(self) -> str:
        return f"{self.mean:.2f} ± {self.error:.2f} embeddings of {self.embedding_ms:.2f} ms"


def measure_multiples(stack: Stack, *, quick: bool) -> dict[Kind, Multiple]:
    """Serve the vault, and measure searches of each kind and embeddings in turns."""
    embedder = load_embedder(
        stack.settings.model,
        model_dir=stack.settings.model_dir,
        offline=True,
        fetch_missing=False,
        say=print,
    )
    costs: dict[Kind, list[float]] = {kind: [] for kind in KINDS}
    units: list[float] = []
    embedded, searched = _different(stack.queries), _different(stack.queries)
    with serving(stack.vault, stack.environment) as server:
        server.wait_for_hybrid(stack.queries[0])
        for _ in range(QUICK_BLOCKS if quick else BLOCKS):
            units.append(_embedding_s(embedder.embed_query, islice(embedded, EMBEDDINGS)))
            for kind in KINDS:
                costs[kind].append(_search_s(server, kind, islice(searched, SEARCHES)))
    embedder.close()
    return {kind: _multiple(costs[kind], units) for kind in KINDS}


def _multiple(costs: Sequence[float], units: Sequence[float]) -> Multiple:
    ratios = [cost / unit for cost, unit in zip(costs, units, strict=True)]
    error = statistics.stdev(ratios) / len(ratios) ** 0.5
    return Multiple(statistics.fmean(ratios), error, statistics.fmean(units) * 1000)


def _embedding_s(embed: Callable[[str], object], queries: Iterable[str]) -> float:
    """Processor seconds of one embedding."""
    began = time.process_time()
    for query in queries:
        embed(query)
    return (time.process_time() - began) / EMBEDDINGS


def _search_s(server: Server, kind: Kind, queries: Iterable[str]) -> float:
    """Processor seconds of one search in the server and its readers."""
    before = server.cpu_s()
    for query in queries:
        if kind == "typing":
            server.get("search", q=query[:-1], typing="true", limit=10)
        else:
            server.get("search", q=query, mode=kind, limit=10)
    after = server.cpu_s()
    if before is None or after is None:
        raise RuntimeError(
            "processor time of another process is read from /proc, which is not here"
        )
    return (after - before) / SEARCHES


def _different(queries: Sequence[str]) -> Iterator[str]:
    """Queries with a word of another one each: the vector of a repeated query is kept."""
    for distance in range(1, len(queries)):
        for number, query in enumerate(queries):
            other = queries[(number + distance) % len(queries)]
            yield f"{query} {other.split()[-1]}"
