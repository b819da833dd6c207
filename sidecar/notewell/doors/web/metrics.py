"""Metrics of the server and its vaults, in the text format of Prometheus.

Labels hold names of routes and vaults, never an address, a path of a note or a query.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Histogram,
    ProcessCollector,
    generate_latest,
)
from prometheus_client.metrics_core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from notewell.contract.search import SearchReply
from notewell.contract.status import StatusReply
from notewell.engine.ingest.reports import Tally

# Seconds. A search takes a few milliseconds, a cold one a tenth of a second.
_BUCKETS = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0)


@dataclass(frozen=True, slots=True)
class VaultFigures:
    """State of one vault, and the work done for it since the server opened it."""

    status: StatusReply
    tally: Tally


_GAUGES: tuple[tuple[str, str, Callable[[StatusReply], float]], ...] = (
    ("notewell_notes", "Notes in the index", lambda s: s.notes),
    ("notewell_chunks", "Passages in the index", lambda s: s.chunks),
    ("notewell_vectors", "Passages that have their vector", lambda s: s.vectors),
    ("notewell_generation", "Generation of the index", lambda s: s.generation),
    ("notewell_ready", "1 while nothing waits to be indexed", lambda s: s.state == "ready"),
    ("notewell_degraded", "1 while a part does not work", lambda s: s.state == "degraded"),
    ("notewell_queue_pending", "Places that wait to be indexed", lambda s: s.queue.pending),
    ("notewell_queue_paused", "1 while indexing is paused", lambda s: s.queue.paused),
    (
        "notewell_guarded_notes",
        "Notes that are gone all at once and wait for a confirmation",
        lambda s: s.guard.gone if s.guard is not None else 0,
    ),
)
_COUNTERS: tuple[tuple[str, str, Callable[[Tally], float]], ...] = (
    ("notewell_index_runs", "Runs of the write path", lambda t: t.runs),
    ("notewell_notes_read", "Notes read", lambda t: t.read),
    ("notewell_texts_embedded", "Texts sent to the model", lambda t: t.embedded),
    ("notewell_vectors_reused", "Passages whose vector was kept already", lambda t: t.reused),
    ("notewell_notes_removed", "Notes removed from the index", lambda t: t.removed),
)


class Metrics:
    """Counts requests and searches of one server."""

    def __init__(self) -> None:
        self._began = time.monotonic()
        self._registry = CollectorRegistry()
        ProcessCollector(registry=self._registry)
        self._requests = Counter(
            "notewell_http_requests",
            "Requests answered",
            ("method", "route", "status"),
            registry=self._registry,
        )
        self._answers = Histogram(
            "notewell_http_request_seconds",
            "Time until an answer; event streams are not in it",
            ("method", "route"),
            buckets=_BUCKETS,
            registry=self._registry,
        )
        self._searches = Histogram(
            "notewell_search_seconds",
            "Time a search took in the engine",
            ("vault", "mode"),
            buckets=_BUCKETS,
            registry=self._registry,
        )

    def answered(
        self, method: str, route: str, status: int, *, seconds: float | None = None
    ) -> None:
        """Count a request; `seconds` is None for one without a meaningful duration."""
        self._requests.labels(method, route, str(status)).inc()
        if seconds is not None:
            self._answers.labels(method, route).observe(seconds)

    def searched(self, reply: SearchReply) -> None:
        self._searches.labels(reply.vault, reply.mode).observe(reply.took_ms / 1000)

    def page(self, vaults: Sequence[VaultFigures]) -> str:
        """Return all metrics, with the current ones of the open vaults."""
        page = _Page(self._registry, time.monotonic() - self._began, vaults)
        return generate_latest(page).decode()


@dataclass(frozen=True)
class _Page(Collector):
    """The counters, and current values of the vaults."""

    counted: Collector
    uptime_s: float
    vaults: Sequence[VaultFigures]

    def collect(self) -> Iterator[Metric]:
        """Yield the metric families; those of vaults have one sample for each vault."""
        for family in self.counted.collect():
            # The start of a series adds nothing to the uptime, and doubles the page.
            kept = [sample for sample in family.samples if not sample.name.endswith("_created")]
            family.samples = kept
            yield family
        yield GaugeMetricFamily(
            "notewell_uptime_seconds", "Since the server started", value=self.uptime_s
        )
        for name, about, of_status in _GAUGES:
            gauge = GaugeMetricFamily(name, about, labels=("vault",))
            for one in self.vaults:
                gauge.add_metric((one.status.vault,), float(of_status(one.status)))
            yield gauge
        for name, about, of_tally in _COUNTERS:
            counter = CounterMetricFamily(name, about, labels=("vault",))
            for one in self.vaults:
                counter.add_metric((one.status.vault,), of_tally(one.tally))
            yield counter
        yield self._ledger()

    def _ledger(self) -> Metric:
        files = GaugeMetricFamily(
            "notewell_files", "Files by their state in the ledger", labels=("vault", "state")
        )
        for one in self.vaults:
            for state, count in one.status.ledger.items():
                files.add_metric((one.status.vault, state), count)
        return files
