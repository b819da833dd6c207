"""The open vaults, and what the handlers of a server share: its event streams, its metrics."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar

from aiohttp import hdrs, web
from prometheus_client import (
    CollectorRegistry,
    Histogram,
    ProcessCollector,
    generate_latest,
)
from prometheus_client import Counter as CountOf
from prometheus_client.metrics_core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from notewell.base.errors import BusyError, NotFoundError, UsageError
from notewell.base.support.http import is_loopback
from notewell.base.types import LimitRules, VaultRecord
from notewell.contract.codec import to_json
from notewell.contract.request import EVENT_STREAM, Request
from notewell.contract.search import SearchReply
from notewell.contract.server import VaultsReply, VaultView
from notewell.contract.status import StatusReply
from notewell.doors.web.audit import Audit
from notewell.doors.web.auth import CALLER, SAFETY_HEADERS, Caller, Gate
from notewell.doors.web.limits import Guesses, Rates, Slots
from notewell.engine.answers import IN_ORDER, QUICK, answer
from notewell.engine.assistants import FIRST_RUN_S, view_of
from notewell.engine.configuration import Configuration
from notewell.engine.engine import Engine
from notewell.engine.event_loop import EventStream, StreamedEvent
from notewell.engine.ingest.reports import Tally
from notewell.engine.open_vaults import Hold, Vaults
from notewell.engine.several_vaults import find_named
from notewell.vault.readers.process import ReaderProcess

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
    """Metrics of the server and its vaults, in the text format of Prometheus.

    Labels hold names of routes and vaults, never an address, a path of a note or a query.
    """

    def __init__(self) -> None:
        self._began = time.monotonic()
        self._registry = CollectorRegistry()
        ProcessCollector(registry=self._registry)
        self._requests = CountOf(
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

    def count_request(
        self, method: str, route: str, status: int, *, seconds: float | None = None
    ) -> None:
        """Count a request; `seconds` is None for one without a meaningful duration."""
        self._requests.labels(method, route, str(status)).inc()
        if seconds is not None:
            self._answers.labels(method, route).observe(seconds)

    def count_search(self, reply: SearchReply) -> None:
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
            for vault in self.vaults:
                gauge.add_metric((vault.status.vault,), float(of_status(vault.status)))
            yield gauge
        for name, about, of_tally in _COUNTERS:
            counter = CounterMetricFamily(name, about, labels=("vault",))
            for vault in self.vaults:
                counter.add_metric((vault.status.vault,), of_tally(vault.tally))
            yield counter
        yield self._ledger()

    def _ledger(self) -> Metric:
        files = GaugeMetricFamily(
            "notewell_files", "Files by their state in the ledger", labels=("vault", "state")
        )
        for vault in self.vaults:
            for state, count in vault.status.ledger.items():
                files.add_metric((vault.status.vault, state), count)
        return files


# Keeps the connection open in proxies, and finds clients that are gone.
_HEARTBEAT = b": still here\n\n"
_AGAIN_MS = 2000  # after which a browser connects again


@dataclass(slots=True)
class Streams:
    """The event streams of one server: limited in number, and ended with it.

    A client that does not read for `patience_s` is disconnected; it can reconnect with the id of
    the last event that it received.
    """

    most: int = 64
    each: int = 32  # of one caller
    heartbeat_s: float = 15.0
    patience_s: float = 15.0
    _open: dict[EventStream, tuple[web.Request, Caller]] = field(default_factory=dict)

    async def send(self, request: web.Request, following: EventStream) -> web.StreamResponse:
        """Answer `request` with the events of `following` until either ends."""
        try:
            self._admit()
            self._open[following] = (request, CALLER.get())
            return await self._answer(request, following)
        finally:
            following.end()
            self._open.pop(following, None)

    async def end(self, _app: web.Application) -> None:
        """End all streams, because the server stops."""
        for following in self._open:
            following.end()

    def _admit(self) -> None:
        """Raise BusyError where there are too many streams; closed connections do not count."""
        living: Counter[Caller] = Counter()
        for following, (request, caller) in self._open.items():
            if request.transport is None or request.transport.is_closing():
                following.end()
            else:
                living[caller] += 1
        if living.total() >= self.most or living[CALLER.get()] >= self.each:
            raise BusyError(
                f"{living.total()} event streams are open, which is the maximum. Close one, or"
                " poll GET /api/status instead.",
                code="too_many_streams",
                retry_after=self.heartbeat_s,
            )

    async def _answer(self, request: web.Request, following: EventStream) -> web.StreamResponse:
        # The middleware adds its headers after the answer, too late for a stream.
        response = web.StreamResponse(headers={**SAFETY_HEADERS, "X-Accel-Buffering": "no"})
        response.content_type = EVENT_STREAM
        await response.prepare(request)
        if request.method == hdrs.METH_HEAD:
            return response
        try:
            with suppress(ConnectionError):  # the client went away
                await self._write_events(response, following)
        except TimeoutError:
            if request.transport is not None:
                request.transport.abort()
        return response

    async def _write_events(self, response: web.StreamResponse, following: EventStream) -> None:
        frame: bytes | None = f"retry: {_AGAIN_MS}\n\n".encode()
        while frame is not None:
            async with asyncio.timeout(self.patience_s):
                await response.write(frame)
            try:
                async with asyncio.timeout(self.heartbeat_s):
                    event = await following.next()
                frame = None if event is None else _frame(event)
            except TimeoutError:
                frame = _HEARTBEAT


def _frame(event: StreamedEvent) -> bytes:
    head = f"id: {event.id}\nevent: {event.kind}\ndata: "
    return head.encode() + to_json(event.data) + b"\n\n"


class OwnPart(Protocol):
    """A part of the server that only one feature uses."""

    async def end(self) -> None:
        """Stop what runs there, because the server stops."""


P = TypeVar("P", bound=OwnPart)
R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class Parts:
    """The parts of features, each made when it is first asked for."""

    _made: dict[type, Any] = field(default_factory=dict)

    def of(self, kind: type[P]) -> P:
        if kind not in self._made:
            self._made[kind] = kind()
        part: P = self._made[kind]
        return part

    async def end(self, _app: web.Application) -> None:
        for part in self._made.values():
            await part.end()


@dataclass(frozen=True, slots=True)
class Site:
    """Everything that handlers use. `static` is the folder of the built web interface, if any."""

    vaults: Vaults
    gate: Gate
    audit: Audit
    limits: LimitRules
    rates: Rates
    guesses: Guesses
    slots: Slots
    configuration: Configuration | None
    version: str
    features: tuple[str, ...]
    static: Path | None
    metrics: Metrics
    streams: Streams
    parts: Parts
    pictures: ReaderProcess  # makes those of pages

    def engine(self, vault: str | None) -> Engine:
        """Return the engine of a served vault, which `holding` keeps open; None: the only one."""
        record = self._as_seen(vault)
        for engine in self.vaults.opened():
            if engine.record.key == record.key:
                return engine
        raise NotFoundError(f"{record.name} is not open at present.", code="vault_not_found")

    @asynccontextmanager
    async def holding(self, vault: str | None) -> AsyncIterator[None]:
        """Keep a served vault open while the block runs; open it first where it is closed."""
        record = self.record(vault)
        with await self._hold(record):
            seen = self._as_seen(vault)
            if seen is record:
                yield
                return
            with await self._hold(seen):
                yield

    async def _hold(self, record: VaultRecord) -> Hold:
        held = self.vaults.held(record)
        if held is None:
            held = await asyncio.to_thread(self.vaults.hold, record)
            if record.view:  # it may just be made, and is to have the notes that there are
                await asyncio.to_thread(held.engine.wait_for_first_run, FIRST_RUN_S)
        return held

    def _as_seen(self, vault: str | None) -> VaultRecord:
        """The served vault, as assistants see it where `vault` asks for that view."""
        record = self.record(vault)
        if vault in (None, record.id, record.name):
            return record
        return self.vaults.for_assistants(record)

    def several(self, vault: str | None) -> tuple[VaultRecord, ...]:
        """The served vaults that a search names, if it names several; see `several.named`."""
        return find_named(vault, self.vaults.served())

    def record(self, vault: str | None) -> VaultRecord:
        """Find a served vault, open or not, by its id or name; None: the only or default one.

        An id may also name the view that assistants have of it.
        """
        served = self.vaults.served()
        if vault is None:
            return _only(served)
        for record in served:
            if vault in (record.id, record.name) or vault == view_of(record).key:
                return record
        raise NotFoundError(
            f"No vault named {vault!r} is served here. GET /api/vaults lists them;"
            " `notewell serve FOLDER` serves another.",
            code="vault_not_found",
        )

    @property
    def vaults_may_change(self) -> bool:
        """True if administrators may add and remove vaults: it was allowed, on loopback."""
        rules = self.gate.rules
        return rules.allow_vaults and is_loopback(rules.host)

    async def known_vaults(self) -> VaultsReply:
        """Return all known vaults; the registry is read in a thread."""
        records = await asyncio.to_thread(self.vaults.records)
        past = await asyncio.to_thread(lambda: [self.vaults.has_past(record) for record in records])
        opened = {engine.record.id for engine in self.vaults.opened()}
        served = {record.id for record in self.vaults.served()}
        return VaultsReply(
            changeable=self.vaults_may_change,
            notice=await asyncio.to_thread(self.vaults.notice),
            vaults=tuple(
                VaultView(
                    id=record.id,
                    name=record.name,
                    path=str(record.path),
                    default=record.default,
                    open=record.id in opened,
                    source=record.source,
                    served=record.id in served,
                    past=has_past,
                )
                for record, has_past in zip(records, past, strict=True)
            ),
        )


SITE = web.AppKey("notewell.site", Site)


def _only(served: tuple[VaultRecord, ...]) -> VaultRecord:
    """Return the one vault that is served, or the default one of several."""
    if len(served) == 1:
        return served[0]
    for record in served:
        if record.default:
            return record
    if not served:
        raise NotFoundError(
            "No vault is served. Start the server with one: `notewell serve FOLDER`.",
            code="vault_not_found",
        )
    names = ", ".join(record.name for record in served)
    raise UsageError(
        f"Several vaults are served ({names}): say which one with `vault`.",
        code="vault_required",
    )


# From the vault (None: the only one) and a checked request to its reply.
Handler = Callable[[Site, str | None, Any], Awaitable[object]]


@dataclass(frozen=True, slots=True)
class Encoded(Generic[R]):
    """A reply and its JSON."""

    reply: R
    body: bytes


async def from_engine(site: Site, vault: str | None, request: Request[R]) -> Encoded[R]:
    """Answer by the vault's engine, in one of its threads; the reply is encoded there as well."""
    engine = site.engine(vault)
    kind = type(request)
    call: Any = engine.threads.call
    if kind in QUICK:
        call = engine.threads.call_quickly
    elif kind in IN_ORDER:
        call = engine.threads.call_in_order
    encoded: Encoded[R] = await call(_encode, engine, request)
    return encoded


def _encode(engine: Engine, request: Request[R]) -> Encoded[R]:
    reply = answer(engine, request)
    return Encoded(reply, to_json(reply))
