"""A search inside the process, by mode and by stage; at two sizes of index."""

from __future__ import annotations

import time
from collections import defaultdict
from typing import get_args

from figures import Figure, Times, options, write
from stack import Stack, prepare

from recollect.engine import Engine
from recollect.types import SearchMode, SearchRequest

WARM_UP = 20


def main() -> None:
    """Time every mode on the small index and, unless it is quick, the large one."""
    chosen = options(__doc__ or "")
    sizes = {"5k": True} if chosen.quick else {"5k": True, "100k": False}
    figures: list[Figure] = []
    details: dict[str, object] = {}
    for name, small in sizes.items():
        stack = prepare(quick=small)
        with stack.engine() as engine:
            for mode in get_args(SearchMode):
                times = _times(engine, stack, mode)
                details[f"{mode} {name}"] = {"whole": times, "stages": _stages(engine, stack, mode)}
                figures.append(
                    Figure(f"{mode} search in process, {name} chunks", "", "", str(times))
                )
    write(chosen.json, figures, details)


def _times(engine: Engine, stack: Stack, mode: SearchMode) -> Times:
    for query in stack.queries[:WARM_UP]:
        engine.search(SearchRequest(query, mode=mode, plain=True))
    timings = []
    for query in stack.queries:
        began = time.perf_counter()
        engine.search(SearchRequest(query, mode=mode, plain=True))
        timings.append(time.perf_counter() - began)
    return Times.of(timings)


def _stages(engine: Engine, stack: Stack, mode: SearchMode) -> dict[str, Times]:
    """Time of each stage, as the search's own trace tells it."""
    stages: dict[str, list[float]] = defaultdict(list)
    for query in stack.queries:
        reply = engine.search(SearchRequest(query, mode=mode, plain=True, explain=True))
        if reply.explain is not None:
            for stage in reply.explain.stages:
                stages[stage.name].append(stage.ms / 1000)
    return {name: Times.of(timings) for name, timings in stages.items()}


if __name__ == "__main__":
    main()
