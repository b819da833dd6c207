"""Small fake engines: their replies are fixed, requests reach them by the real code."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, ParamSpec, TypeAlias, TypeVar

from aiohttp import web
from aiohttp.test_utils import TestClient

from notewell.base.errors import ForbiddenError, NotFoundError
from notewell.base.support.http import Cancel
from notewell.base.types import (
    FileStamp,
    LedgerState,
    Settings,
    VaultRecord,
    Verdict,
)
from notewell.contract.log import (
    ClearedReply,
    LogReply,
    LogRequest,
    OpenedReply,
    VerdictReply,
)
from notewell.contract.manage import (
    StatsReply,
    StatsRequest,
    SuggestReply,
    SuggestRequest,
)
from notewell.contract.notes import NeighborsRequest, NoteReply, NoteRequest
from notewell.contract.request import Request, StreamEvent
from notewell.contract.search import (
    AroundReply,
    AroundRequest,
    Explain,
    Fusion,
    RawScores,
    Result,
    Scores,
    SearchReply,
    SearchRequest,
    SimilarRequest,
    SimilarTextRequest,
    StageTrace,
)
from notewell.contract.status import (
    AcceptedReply,
    Change,
    ConfirmedWrite,
    LedgerReply,
    LedgerRow,
    QueueStatus,
    ServerWritesReply,
    ServerWriteView,
    StatusReply,
    SyncReply,
)
from notewell.doors.web.site import Site, from_engine
from notewell.engine.answers import answer
from notewell.engine.event_loop import EventStream
from notewell.engine.feature import Feature
from notewell.engine.ingest.reports import EventLog, Tally
from notewell.engine.open_vaults import Hold
from notewell.features import FEATURES
from notewell.features.ask.requests import AskRequest
from notewell.features.phone.requests import (
    PhoneIndexReply,
    PhoneIndexRequest,
    SwitchPhoneIndex,
)
from notewell.features.sources.requests import (
    AddSource,
    RemoveSource,
    SourcesRequest,
    SyncSource,
)
from tests.doors.web.asked import FakeAsking
from tests.doors.web.recorded import recorded

Client: TypeAlias = TestClient[web.Request, web.Application]
Connect: TypeAlias = Callable[..., Awaitable[Client]]
P = ParamSpec("P")
T = TypeVar("T")

TOKEN = "t0ken-" + "x" * 40
NOTES = {
    "Garden/Bees.md": "Bees find their way by the sun. A hive in spring needs room and water.",
    "Garden/Compost.md": "Compost is warm in spring.",
    "Zürich.md": "A town at a lake.",
}


def result(path: str, text: str) -> Result:
    return Result(
        path=path,
        title=Path(path).stem,
        description=None,
        heading=None,
        block=None,
        parent=None,
        line=1,
        snippet=text,
        highlights=((0, 4),),
        score=1.0,
        scores=Scores(keyword=1.0, fused=1.0),
        raw=RawScores(bm25=2.5),
        passages=(),
        tags=("garden",),
        properties={"rating": 5},
        created=None,
        modified="2026-01-02T03:04:05+00:00",
        uri="obsidian://open?vault=Home&file=Garden%2FBees",
    )


class FakeHistory:
    """A log of one search; `asked` is the engine's."""

    def __init__(self, vault: str, asked: list[object]) -> None:
        self._vault = vault
        self._asked = asked

    def opened(
        self, *, query_id: str | None, query: str | None, path: str, rank: int | None
    ) -> OpenedReply:
        self._asked.append((query_id, query, path, rank))
        return OpenedReply(recorded=True, reason=None)

    def judge(self, query: str, path: str, verdict: Verdict | None) -> VerdictReply:
        self._asked.append((query, path, verdict))
        return VerdictReply(query, path, verdict)

    def log(self, *, limit: int, since: float | None = None) -> LogReply:
        self._asked.append((limit, since))
        logged: LogReply = recorded(LogRequest)
        return logged

    def clear(self, *, keep_verdicts: bool) -> ClearedReply:
        self._asked.append(keep_verdicts)
        return ClearedReply(1, 1, 0 if keep_verdicts else 1)


class FakePhoneIndex:
    """The phone index of a vault; `fails` is raised where it is written."""

    def __init__(self) -> None:
        self.on = False
        self.fails: Exception | None = None

    def reply(self, _request: PhoneIndexRequest) -> PhoneIndexReply:
        written: PhoneIndexReply = recorded(PhoneIndexRequest)
        return replace(written, on=self.on, bytes=500 if self.on else None)

    def switch(self, request: SwitchPhoneIndex) -> PhoneIndexReply:
        if request.on and self.fails is not None:
            raise self.fails
        self.on = request.on
        return self.reply(PhoneIndexRequest())


class FakeFeatures:
    """Recorded answers of features; `heard` is called with each request."""

    def __init__(
        self, notes: Mapping[str, str], heard: Callable[[object], None], asking: FakeAsking
    ) -> None:
        self.phone = FakePhoneIndex()
        self._notes = notes
        self._heard = heard
        self._asking = asking
        self._answers: Mapping[type, Callable[[Any], object]] = {
            PhoneIndexRequest: self.phone.reply,
            SwitchPhoneIndex: self.phone.switch,
            **asking.answers,
        }

    def answer(self, request: Request[Any]) -> object:
        if type(request) in self._answers:
            return self._answers[type(request)](request)
        self._heard(request)
        if isinstance(request, NeighborsRequest) and request.path not in self._notes:
            raise NotFoundError(f"There is no note {request.path!r}.", code="note_not_found")
        return recorded(type(request))

    reply = answer  # as completions are asked for

    def stream(self, request: AskRequest, cancel: Cancel) -> Iterator[StreamEvent]:
        return self._asking.answer(request, cancel)


class FakeSuggestions:
    """Suggests a model, as recorded."""

    def reply(self) -> SuggestReply:
        suggested: SuggestReply = recorded(SuggestRequest)
        return suggested


class FakeWork:
    """A queue of three, and a mirror with one note that the server wrote."""

    def __init__(self, notes: Mapping[str, str], heard: Callable[[object], None]) -> None:
        self._notes = notes
        self._heard = heard

    def pause(self) -> AcceptedReply:
        return self._steered("pause")

    def resume(self) -> AcceptedReply:
        return self._steered("resume")

    def retry(self) -> AcceptedReply:
        return self._steered("retry")

    def cancel(self) -> AcceptedReply:
        return self._steered("cancel")

    def _steered(self, action: str) -> AcceptedReply:
        self._heard(action)
        return AcceptedReply(3, 7)

    def reindex(self, *, full: bool = False, paths: Sequence[str] = ()) -> AcceptedReply:
        self._heard((full, paths))
        return AcceptedReply(accepted=max(len(paths), 1), generation=7)

    def take(self, changes: Sequence[Change]) -> AcceptedReply:
        self._heard(tuple(changes))
        return AcceptedReply(len(changes), 7, ("something was left out",))

    def sync(self, files: Sequence[FileStamp]) -> SyncReply:
        self._heard(tuple(files))
        listed = {path for path, _, _ in files}
        need, gone = listed - self._notes.keys(), self._notes.keys() - listed
        return SyncReply(tuple(sorted(need)), tuple(sorted(gone)), guard=False)

    def settle_guard(self, *, remove: bool) -> AcceptedReply:
        self._heard(remove)
        return AcceptedReply(0, 7)

    def server_writes(self, after: int, limit: int) -> ServerWritesReply:
        self._heard((after, limit))
        told = ServerWriteView(4, "create", "Memory/Key.md", "Under the bucket.", "0" * 64, None)
        return ServerWritesReply((told,) if after < told.number else (), 1)

    def confirm_writes(self, confirmed: Sequence[ConfirmedWrite]) -> AcceptedReply:
        self._heard(tuple(confirmed))
        return AcceptedReply(len(confirmed), 7)


class FakeThreads:
    """The threads of no engine in particular."""

    async def call(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        return await asyncio.to_thread(function, *args, **kwargs)

    async def call_quickly(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        return await asyncio.to_thread(function, *args, **kwargs)

    async def call_in_order(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        return await asyncio.to_thread(function, *args, **kwargs)


class FakeEngine:
    """One vault of a few notes, searched by looking for any of the words."""

    def __init__(self, record: VaultRecord, notes: Mapping[str, str]) -> None:
        self.record = record
        self.notes = dict(notes)
        self.asked: list[object] = []
        self.history = FakeHistory(record.name, self.asked)
        self.work = FakeWork(self.notes, self._heard)
        self.threads = FakeThreads()
        self.searcher = self
        self.suggestions = FakeSuggestions()
        self.asking = FakeAsking(self.asked)
        self.features = self.completions = FakeFeatures(self.notes, self._heard, self.asking)
        self.events = EventLog()
        self.started = False
        self.closed = False
        self.fails: Exception | None = None

    def _heard(self, asked: object) -> None:
        self.asked.append(asked)
        if self.fails is not None:
            raise self.fails

    def _found(self, query: str, text: str, limit: int, *, explain: bool) -> SearchReply:
        words = re.findall(r"\w{3,}", text.lower())
        hits = [p for p, text in self.notes.items() if any(w in text.lower() for w in words)]
        return SearchReply(
            query=query,
            vault=self.record.name,
            mode="keyword",
            fusion=Fusion("none"),
            expanded=(),
            filtered={},
            generation=7,
            took_ms=0.5,
            total=len(hits),
            confidence=None,
            results=tuple(result(path, self.notes[path]) for path in hits[:limit]),
            warnings=(),
            explain=Explain({}, (StageTrace("parse", 0.1, 0, 1),)) if explain else None,
        )

    def answer(self, request: Request[Any]) -> object:
        return answer(self, request)  # type: ignore[arg-type]

    def search(self, request: SearchRequest) -> SearchReply:
        self._heard(request)
        return self._found(request.q, request.q, request.limit, explain=request.explain)

    def similar(self, request: SimilarRequest | SimilarTextRequest) -> SearchReply:
        self._heard(request)
        if isinstance(request, SimilarTextRequest):
            return self._found("", request.text, request.limit, explain=request.explain)
        text = self.notes.get(request.path)
        if text is None:
            raise NotFoundError(f"There is no note {request.path!r}.", code="note_not_found")
        return self._found(request.path, text, request.limit, explain=request.explain)

    def around(self, request: AroundRequest) -> AroundReply:
        self._heard(request)
        reply: AroundReply = recorded(AroundRequest)
        return reply

    def note(self, request: NoteRequest) -> NoteReply:
        path = request.path or ""
        self._heard(path)
        if path not in self.notes:
            raise NotFoundError(f"There is no note {path!r}.", code="note_not_found")
        return NoteReply(
            vault=self.record.name,
            path=path,
            title=Path(path).stem,
            aliases=(),
            tags=(),
            description=None,
            content=self.notes[path],
            properties={"nested": {"list": (1, "two", None)}},
            headings=(),
            links_out=(),
            links_in=(),
            created=None,
            modified=None,
            uri="obsidian://open?vault=Home&file=x",
            ledger=None,
        )

    def ledger(self, *, state: LedgerState | None = None, path: str | None = None) -> LedgerReply:
        self._heard((state, path))
        rows = [
            LedgerRow(p, "indexed", None, None, (), 0, len(text), None, None)
            for p, text in self.notes.items()
            if path in {None, p} and state in {None, "indexed"}
        ]
        counts = {"indexed": len(self.notes), "pending": 0, "failed": 0, "excluded": 0}
        return LedgerReply(self.record.name, len(self.notes), counts, tuple(rows))

    def status(self) -> StatusReply:
        self._heard("status")
        return StatusReply(
            vault=self.record.name,
            notes=len(self.notes),
            chunks=len(self.notes),
            vectors=0,
            model=None,
            generation=7,
            state="ready",
            semantic="unavailable",
            semantic_reason="no model",
            queue=QueueStatus(),
            ledger={"indexed": len(self.notes)},
        )

    def stats(self, *, limit: int) -> StatsReply:
        self._heard(limit)
        figures: StatsReply = recorded(StatsRequest)
        return figures

    def tally(self) -> Tally:
        return Tally(runs=2, read=5, embedded=4, reused=1)

    def follow(self, *, after: int | None = None) -> EventStream:
        self._heard(after)
        return EventStream(partial(self.events.subscribe, after=after))

    def start(self) -> None:
        self.started = True


async def fake_sources(site: Site, _vault: str | None, request: object) -> object:
    """One source, whose notes are in the first vault."""
    if isinstance(request, AddSource):
        if not request.place.startswith("/home/ada"):
            raise ForbiddenError("That may not be read.", code="not_allowed")
        return recorded(AddSource)
    if isinstance(request, SourcesRequest):
        return recorded(SourcesRequest)
    assert isinstance(request, SyncSource | RemoveSource)
    if request.id != "Roam":
        raise NotFoundError(f"There is no source {request.id}.", code="source_not_found")
    if isinstance(request, RemoveSource):
        return recorded(RemoveSource)
    return await from_engine(site, site.vaults.records()[0].id, request)


SOURCE_HANDLERS = dict.fromkeys((SourcesRequest, AddSource, SyncSource, RemoveSource), fake_sources)
# The table of features, but for handlers that would look at this computer's files.
ROWS = tuple(
    replace(row, handlers="tests.doors.web.fakes:SOURCE_HANDLERS") if row.name == "sources" else row
    for row in FEATURES
)


class FakeVaults:
    """Vaults whose engines are open already."""

    def __init__(self, engines: Iterable[FakeEngine], root: Path) -> None:
        self.engines = list(engines)
        self._root = root
        self.closed = False
        self._newer = Settings(
            data_dir=root,
            model_dir=root,
            state_dir=root,
        )
        for engine in self.engines:
            self.directory(engine.record).mkdir(parents=True)

    def records(self) -> tuple[VaultRecord, ...]:
        return tuple(engine.record for engine in self.engines)

    def has_past(self, record: VaultRecord) -> bool:
        return False

    @property
    def features(self) -> tuple[Feature, ...]:
        return FEATURES

    def notice(self) -> str | None:
        return None

    def opened(self) -> tuple[FakeEngine, ...]:
        return tuple(self.engines)

    def served(self) -> tuple[VaultRecord, ...]:
        return self.records()

    def add(self, folder: Path) -> VaultRecord:
        if not folder.is_dir():
            raise NotFoundError(f"{folder} is not a folder")
        record = VaultRecord("e5f6", folder.name, folder)
        self._added = FakeEngine(record, {})
        return record

    def serve_also(self, record: VaultRecord) -> None:
        self.engines.append(self._added)

    def serve_no_more(self, record: VaultRecord) -> None:
        self.engines = [engine for engine in self.engines if engine.record.id != record.id]

    def remove(self, record: VaultRecord, *, delete_data: bool) -> None:
        self.removed = (record.id, delete_data)

    def held(self, record: VaultRecord) -> Hold:
        engine = next(engine for engine in self.engines if engine.record == record)
        return Hold(engine, lambda: None)

    def settings(self, record: VaultRecord) -> Settings:
        return self._newer

    def use_sections(self, names: Iterable[str], for_vault: Callable[[Path], Settings]) -> None:
        for engine in self.engines:
            newer = for_vault(engine.record.path)
            self._newer = self._newer.with_sections(names, newer)
            if "ask" in names:
                engine.asking.use_rules(newer.ask)

    def directory(self, record: VaultRecord) -> Path:
        return self._root / "index" / record.id

    def close(self) -> None:
        self.closed = True
