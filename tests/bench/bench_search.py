"""Searches by mode and stage at two index sizes: in process beside the peers, and over HTTP in
multiples of one embedding.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import get_args

from figures import Figure, Times, options, write
from multiples import measure_multiples
from peers import Peers, measure_peers
from stack import QUICK_CHUNKS, Stack, prepare

from notewell.base.types import SearchMode
from notewell.contract.search import SearchRequest
from notewell.engine.engine import Engine

SIZES = (10_000, 100_000)
WARM_UP = 20


@dataclass(frozen=True)
class Mode:
    """Times of the whole search and of each stage, in one mode."""

    whole: Times
    stages: Mapping[str, Times]


def main() -> None:
    """Time every mode and stage at each index size and write the figures."""
    chosen = options(__doc__ or "")
    figures: list[Figure] = []
    details: dict[str, object] = {}
    for chunks in (QUICK_CHUNKS,) if chosen.quick else SIZES:
        stack = prepare(quick=chosen.quick, chunks=chunks)
        peers = measure_peers(stack, chosen.torch_python)
        with stack.engine() as engine:
            modes = {mode: _measured(engine, stack, mode) for mode in get_args(SearchMode)}
        multiples = measure_multiples(stack, quick=chosen.quick)
        figures += rows(modes, peers, f"{chunks:,} chunks")
        figures += [
            Figure(
                f"{kind} search over HTTP, processor time, {chunks:,} chunks", "", "", str(found)
            )
            for kind, found in multiples.items()
        ]
        details[f"{chunks}"] = {"modes": modes, "peers": peers, "multiples": multiples}
    write(chosen.json, figures, details)


def rows(modes: Mapping[SearchMode, Mode], peers: Peers, size: str) -> list[Figure]:
    """The whole search in each mode, then the stages of a hybrid one."""
    whole = [
        Figure(
            f"{mode} search in process, {size}",
            "",
            f"{peers.name}: {peers.query}" if mode == "hybrid" else "",
            str(measured.whole),
            measured.whole.p50 / peers.query.p50 if mode == "hybrid" else None,
        )
        for mode, measured in modes.items()
    ]
    stages = [
        Figure(f"of it `{name}`, {size}", "", "", str(times))
        for name, times in modes["hybrid"].stages.items()
    ]
    return [*whole, *stages]


def _measured(engine: Engine, stack: Stack, mode: SearchMode) -> Mode:
    for query in stack.queries[:WARM_UP]:
        engine.search(SearchRequest(query, mode=mode, plain=True))
    timings = []
    for query in stack.queries:
        began = time.perf_counter()
        engine.search(SearchRequest(query, mode=mode, plain=True))
        timings.append(time.perf_counter() - began)
    return Mode(Times.of(timings), _stages(engine, stack, mode))


def _stages(engine: Engine, stack: Stack, mode: SearchMode) -> dict[str, Times]:
    """Time of each stage, from the trace of the search."""
    stages: dict[str, list[float]] = defaultdict(list)
    for query in stack.queries:
        reply = engine.search(SearchRequest(query, mode=mode, plain=True, explain=True))
        if reply.explain is not None:
            for stage in reply.explain.stages:
                stages[stage.name].append(stage.ms / 1000)
    return {name: Times.of(timings) for name, timings in stages.items() if name != "explain"}


if __name__ == "__main__":
    main()
