"""Hybrid queries over HTTP, time to the first reply, and memory, compared with the peers."""

from __future__ import annotations

import statistics
import time
from dataclasses import dataclass

from figures import Figure, Times, options, write
from peers import Peers, measure_peers
from server import serving
from stack import Stack, prepare

STARTS, QUICK_STARTS = 5, 2
SEEDED = "vectors of passages are clustered random ones; queries are embedded by the real model"


@dataclass(frozen=True)
class Ours:
    """The measurements of Notewell."""

    starts_s: tuple[float, ...]
    query: Times
    engine_ms: float
    http_ms: float
    cpu_ms: float
    rss_mb: float
    own_mb: float  # of it without mapped files


def main() -> None:
    """Measure both and write the figures."""
    chosen = options(__doc__ or "")
    stack = prepare(quick=chosen.quick)
    ours = measure_ours(stack, QUICK_STARTS if chosen.quick else STARTS)
    peers = measure_peers(stack, chosen.torch_python)
    chunks = "5k (quick)" if chosen.quick else "100k"
    write(chosen.json, rows(ours, peers, chunks), {"ours": ours, "peers": peers})


def measure_ours(stack: Stack, starts: int) -> Ours:
    """Start the server a few times; time the queries in the last run."""
    first: list[float] = []
    # Compiles what an installed package has compiled, and makes the snapshots of this version.
    with serving(stack.vault, stack.environment) as server:
        server.wait_for_hybrid(stack.queries[0])
        server.wait_until_ready()
    for _ in range(starts - 1):
        with serving(stack.vault, stack.environment) as server:
            first.append(server.wait_for_hybrid(stack.queries[0]))
    with serving(stack.vault, stack.environment) as server:
        first.append(server.wait_for_hybrid(stack.queries[0]))
        server.wait_until_ready()
        for query in stack.queries[: len(stack.queries) // 4]:
            server.get("search", q=query, plain="true")
        waits, inside = [], []
        used = server.cpu_s() or 0.0
        for query in stack.queries:
            began = time.perf_counter()
            reply = server.get("search", q=query, plain="true")
            waits.append(time.perf_counter() - began)
            inside.append(float(str(reply["took_ms"])))
        cpu_ms = 1000 * ((server.cpu_s() or 0.0) - used) / len(waits)
        around = [1000 * wait - took for wait, took in zip(waits, inside, strict=True)]
        return Ours(
            tuple(first),
            Times.of(waits),
            engine_ms=statistics.median(inside),
            http_ms=statistics.median(around),
            cpu_ms=cpu_ms,
            rss_mb=server.resident_mb(),
            own_mb=server.resident_mb("RssAnon"),
        )


def rows(ours: Ours, peers: Peers, chunks: str) -> list[Figure]:
    """The rows of the table that this script fills."""
    start = statistics.median(ours.starts_s)
    return [
        Figure(
            f"hybrid query end to end over HTTP, {chunks} chunks, warm",
            "p50 at most 5 ms, p95 at most 8 ms, at most 1/40",
            f"{peers.name}, in process: {peers.query}",
            str(ours.query),
            ours.query.p50 / peers.query.p50,
            f"{SEEDED}; {ours.query.runs} queries of 8 terms",
        ),
        Figure(
            f"HTTP's share of it (over the search in the engine), {chunks} chunks",
            "at most 1 ms",
            "",
            f"{ours.http_ms:.2f} ms of {ours.query.p50:.2f} ms",
            note=f"the engine says {ours.engine_ms:.2f} ms; the client's own time is in the share",
        ),
        Figure(
            f"the server's processor time for it, {chunks} chunks",
            "at most 6 ms",
            "",
            f"{ours.cpu_ms:.2f} ms a search",
            note="mean over the same queries",
        ),
        Figure(
            f"process start to first hybrid answer, {chunks} chunks",
            "at most 0.6 s",
            f"importing and loading sentence-transformers alone: {peers.start_s:.2f} s"
            if peers.start_s
            else "sentence-transformers: not measured",
            f"{start:.2f} s",
            start / peers.start_s if peers.start_s else None,
            f"median of {len(ours.starts_s)} processes, files in the page cache",
        ),
        Figure(
            f"resident memory serving {chunks} chunks",
            "at most 350 MB",
            f"{peers.name}: {peers.rss_mb:.0f} MB",
            f"{ours.rss_mb:.0f} MB",
            ours.rss_mb / peers.rss_mb if peers.rss_mb else None,
            "after the queries above, mapped files included",
        ),
    ]


if __name__ == "__main__":
    main()
