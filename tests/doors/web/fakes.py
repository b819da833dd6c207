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
from notewell.contract.changes import (
    AcceptedReply,
    Change,
    ConfirmedWrite,
    ServerWritesReply,
    ServerWriteView,
    SyncReply,
)
from notewell.contract.context import ContextReply, ContextRequest, ContextSource
from notewell.contract.log import (
    ClearedReply,
    LoggedOpen,
    LoggedQuery,
    LoggedResult,
    LogReply,
    OpenedReply,
    VerdictReply,
    VerdictView,
)
from notewell.contract.manage import (
    LanguageShare,
    ModelVectors,
    MonthCount,
    NamedCount,
    SizedNote,
    Sizes,
    StatsReply,
    SuggestedModel,
    SuggestReply,
)
from notewell.contract.notes import NeighborsRequest, NoteReply, NoteRequest
from notewell.contract.request import Request, StreamEvent
from notewell.contract.runs import (
    CancelRun,
    NextRun,
    RunError,
    RunRequest,
    RunsReply,
    RunsRequest,
    RunView,
)
from notewell.contract.search import (
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
from notewell.contract.status import LedgerReply, LedgerRow, QueueStatus, StatusReply
from notewell.doors.web.handlers import from_engine
from notewell.doors.web.site import Site
from notewell.engine.answers import answer
from notewell.engine.event_loop import EventStream
from notewell.engine.ingest.reports import EventLog, Tally
from notewell.engine.vaults.opened import Hold
from notewell.features import FEATURES
from notewell.features.ask.requests import AskRequest
from notewell.features.documents.requests import (
    AddDocuments,
    AddedReply,
    DocumentNamespace,
    DocumentPlace,
    DocumentsReply,
    ListDocuments,
    RemoveDocuments,
)
from notewell.features.evaluate.requests import (
    TunedWeight,
    TuneGain,
    TuneOutcome,
    TuneReply,
    TuneRequest,
)
from notewell.features.gardener.requests import (
    ApplyPlan,
    ForgetRejections,
    GardenModelReply,
    GardenModelRequest,
    GardenReply,
    MakePlan,
    PlanReply,
    PlanRequest,
    PlansReply,
    PlansRequest,
    RejectionsReply,
    RejectionsRequest,
    RejectionView,
    RejectPlan,
    RejectReply,
    UndoPlan,
)
from notewell.features.gleanings.requests import (
    DomainCount,
    ExtractGleanings,
    ExtractReply,
    GleaningReply,
    GleaningRequest,
    GleaningsReply,
    GleaningsRequest,
    GleaningStatsReply,
    GleaningStatsRequest,
    GleaningView,
    MaintainGleanings,
    MaintainReply,
    MarkGleaning,
    StatusChange,
)
from notewell.features.memory.requests import MemoryReply, MemoryRequest
from notewell.features.phone.requests import (
    PhoneIndexReply,
    PhoneIndexRequest,
    PhoneIndexSize,
    SwitchPhoneIndex,
)
from notewell.features.properties.requests import (
    EditedNote,
    EditProperties,
    EditPropertiesBatch,
    PropertiesBatchReply,
    PropertiesReply,
)
from notewell.features.sources.requests import (
    AddSource,
    RemoveSource,
    SourcesReply,
    SourcesRequest,
    SourceSyncReply,
    SourceView,
    SyncSource,
)
from notewell.features.topics.requests import (
    AlikeTopics,
    CheckTopics,
    TopicCheckReply,
    TopicFolder,
    TopicsReply,
    TopicsRequest,
    TopicView,
    UnknownTopic,
)
from notewell.features.writes.requests import (
    UndoneReply,
    UndoRequest,
    WritesReply,
    WritesRequest,
    WriteView,
)
from tests.doors.web.asked import FakeAsking
from tests.doors.web.explored import EXPLORED
from tests.doors.web.remembered import REMEMBERED

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


class FakeDocuments:
    """One namespace with a folder of one file."""

    def __init__(self, vault: str, heard: Callable[[object], None]) -> None:
        self._vault = vault
        self._heard = heard

    def reply(self) -> DocumentsReply:
        self._heard("documents")
        place = DocumentPlace(".documents/Papers/Papers", "/home/ada/Papers", True, (), ())
        namespace = DocumentNamespace("Papers", ".documents/Papers", (place,), 1, 2, 0, 0)
        return DocumentsReply(self._vault, (namespace,), ("/home/ada",))

    def add(self, request: AddDocuments) -> AddedReply:
        self._heard(request)
        path = f".documents/{request.namespace}/Papers"
        ids = (f"{path}/Bees.pdf#0", f"{path}/Bees.pdf#1")
        return AddedReply(self._vault, request.namespace, path, 1, 0, 0, 2, ids, 0, path)

    def remove(self, request: RemoveDocuments) -> DocumentsReply:
        self._heard(request)
        return self.reply()


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
        at = "2026-03-02T10:00:00+00:00"
        opened = LoggedOpen("Garden/Bees.md", 1, at)
        results = (LoggedResult("Garden/Bees.md", 1.0),)
        entry = LoggedQuery("q1", at, "web", "bees", "hybrid", 1.5, 7, results, (opened,))
        verdict = VerdictView("bees", "Zürich.md", "never_for_this", at)
        return LogReply(self._vault, True, 1, (entry,), (verdict,))

    def clear(self, *, keep_verdicts: bool) -> ClearedReply:
        self._asked.append(keep_verdicts)
        return ClearedReply(1, 1, 0 if keep_verdicts else 1)


class FakeSuggestions:
    """Suggests a model for German notes."""

    def __init__(self, vault: str) -> None:
        self._vault = vault

    def reply(self) -> SuggestReply:
        return SuggestReply(
            vault=self._vault,
            model="all-MiniLM-L6-v2",
            languages=(LanguageShare("de", "German", 0.75), LanguageShare("en", "English", 0.25)),
            suggestion=SuggestedModel("multilingual-e5-small-q4", 91, 20, "75% are in German."),
            service=None,
        )


def tuned(vault: str, request: TuneRequest) -> TuneReply:
    """Answer what a tuning that always finds the same does."""
    outcome: TuneOutcome = "applied" if request.apply else "better"
    weights = {"names": TunedWeight(1.0, 0.5)}
    return TuneReply(vault, outcome, 40, 0, weights, TuneGain(0.7, 0.8, 0.1, 0.05, 0.15))


class FakeMemories:
    """Memories that always answer the same; `asked` is the engine's."""

    def __init__(self, asked: list[object]) -> None:
        self._asked = asked

    def answer(self, asked: MemoryRequest) -> MemoryReply:
        self._asked.append(asked)
        return REMEMBERED[type(asked)]


RUN = RunView(
    "1",
    "reconcile",
    "schedule",
    "2026-03-02T10:00:00+00:00",
    None,
    "running",
    {"read": 2},
    (RunError("Garden/Bees.md", "it cannot be read"),),
)


class FakeRuns:
    """Two runs; `asked` is the engine's."""

    def __init__(self, asked: list[object]) -> None:
        self._asked = asked

    def reply(self, limit: int) -> RunsReply:
        self._asked.append(limit)
        return RunsReply("Home", (RUN,), (NextRun("reconcile", "2026-03-03T03:30:00+00:00"),))

    def show(self, number: str) -> RunView:
        self._asked.append(number)
        if number != RUN.id:
            raise NotFoundError(f"There is no run {number}.")
        return RUN


GLEANING = GleaningView(
    id="0123456789ab",
    title="Bees",
    url="https://bees.example/",
    domain="bees.example",
    description="",
    created="2026-03-02",
    source="Daily/2026-03-02.md",
    line=7,
    days=("Daily/2026-03-02.md",),
    status="active",
    reason="",
    note=None,
)


class FakeGleanings:
    """One saved link; `asked` is the engine's."""

    def __init__(self, asked: list[object]) -> None:
        self._asked = asked

    def extract(self, request: ExtractGleanings) -> ExtractReply:
        self._asked.append(request)
        return ExtractReply("Home", "2", 1, 1, 1, 0, (GLEANING.id,), 0, None)

    def reply(self, request: GleaningsRequest) -> GleaningsReply:
        self._asked.append(request)
        return GleaningsReply("Home", (GLEANING,), 1)

    def stats(self) -> GleaningStatsReply:
        counted = (DomainCount("bees.example", 1),)
        return GleaningStatsReply("Home", 1, 0, {"active": 1, "inactive": 0, "hidden": 0}, counted)

    def show(self, key: str) -> GleaningReply:
        self._asked.append(key)
        if key != GLEANING.id:
            raise NotFoundError(f"There is no gleaning {key}.")
        change = StatusChange("2026-03-02T10:00:00+00:00", "active", "", "maintain")
        return GleaningReply("Home", GLEANING, (change,))

    def mark(self, request: MarkGleaning) -> GleaningReply:
        self._asked.append(request)
        return self.show(request.id)

    def maintain(self, *, dry_run: bool) -> MaintainReply:
        self._asked.append(dry_run)
        return MaintainReply("Home", "3")


class FakePhoneIndex:
    """The phone index of a vault with one note; `fails` is raised where it is written."""

    def __init__(self) -> None:
        self.on = False
        self.fails: Exception | None = None

    def reply(self) -> PhoneIndexReply:
        expected = PhoneIndexSize(500, 1, 1, 384, None)
        name, place = "notewell-phone-index.bin", "/home/me/Home/notewell-phone-index.bin"
        there = (500, "2026-03-02T10:00:00+00:00", 1, 1, 384) if self.on else (None, None, 0, 0, 0)
        return PhoneIndexReply("Home", self.on, name, place, *there, None, expected)

    def switch(self, *, on: bool) -> PhoneIndexReply:
        if on and self.fails is not None:
            raise self.fails
        self.on = on
        return self.reply()


BEES = "Garden/Bees.md"
TOPICS = TopicsReply(
    "Home",
    (TopicView("Bees", "Ontology/Bees.md", ("Apis",), 2),),
    (TopicFolder("Ontology", "All."),),
    None,
)
CHECKED_TOPICS = TopicCheckReply(
    "Home",
    (UnknownTopic("A.md", "Bee", "Ontology/Bees.md"),),
    ("Ontology/Bee.md",),
    (AlikeTopics("Ontology/Bees.md", "Ontology/Bee.md", 1.0, "name"),),
)
EDITED = EditedNote(BEES, False, "0" * 32, "")
UNCHANGED = PropertiesReply("Home", BEES, False, "0" * 32, "", None)
PLAN = PlanReply(
    "Home", "20260302-100000", "2026-03-02T10:00:00+00:00", None, (), (), {"open": 0}, 0
)
GARDEN_MODEL = GardenModelReply(
    "Home", "openai", "127.0.0.1", True, "test-model", 2, 3, 1, 900, 720, 0.0, "2026-03", "notes"
)
REJECTED = RejectionView(
    "0123456789ab", "broken_links", "Home.md", "[[Bes]]", "2026-03-02T10:00:00+00:00"
)
WRITE = WriteView(1, "2026-03-02T10:00:00+00:00", "Memory/Hives.md", "memory store", False)


class FakeFeatures:
    """The answers of features by the kind of the request; `asked` is the engine's."""

    def __init__(
        self, vault: str, asked: list[object], explorer: FakeExplorer, asking: FakeAsking
    ) -> None:
        gleanings = FakeGleanings(asked)
        documents = FakeDocuments(vault, asked.append)
        runs = FakeRuns(asked)
        self.phone = FakePhoneIndex()
        self._asking = asking

        def fixed(reply: object) -> Callable[[object], object]:
            """Record the request, and answer it always alike."""

            def answer(request: object) -> object:
                asked.append(request)
                return reply

            return answer

        self._answers: Mapping[type, Callable[[Any], object]] = {
            ExtractGleanings: gleanings.extract,
            GleaningsRequest: gleanings.reply,
            GleaningStatsRequest: lambda _: gleanings.stats(),
            GleaningRequest: lambda one: gleanings.show(one.id),
            MarkGleaning: gleanings.mark,
            MaintainGleanings: lambda one: gleanings.maintain(dry_run=one.dry_run),
            **dict.fromkeys(REMEMBERED, FakeMemories(asked).answer),
            **dict.fromkeys(EXPLORED, explorer.answer),
            SyncSource: fixed(SourceSyncReply("Home", "1")),
            ListDocuments: lambda _: documents.reply(),
            AddDocuments: documents.add,
            RemoveDocuments: documents.remove,
            TuneRequest: lambda one: tuned(vault, one),
            TopicsRequest: fixed(TOPICS),
            CheckTopics: fixed(CHECKED_TOPICS),
            EditProperties: fixed(UNCHANGED),
            EditPropertiesBatch: fixed(PropertiesBatchReply("Home", 0, (EDITED,), (), None)),
            ContextRequest: FakeAssembler(vault, asked).assemble,
            RunsRequest: lambda one: runs.reply(one.limit),
            RunRequest: lambda one: runs.show(one.id),
            CancelRun: lambda one: runs.show(one.id),
            PhoneIndexRequest: lambda _: self.phone.reply(),
            SwitchPhoneIndex: lambda one: self.phone.switch(on=one.on),
            MakePlan: fixed(PLAN),
            GardenModelRequest: fixed(GARDEN_MODEL),
            PlansRequest: fixed(PlansReply("Home", (), ())),
            PlanRequest: fixed(PLAN),
            ApplyPlan: fixed(GardenReply("Home", PLAN.id, (), (), None)),
            RejectPlan: fixed(RejectReply("Home", PLAN.id, (), False)),
            UndoPlan: fixed(GardenReply("Home", PLAN.id, (), (), None)),
            RejectionsRequest: fixed(RejectionsReply("Home", (REJECTED,), 1)),
            ForgetRejections: fixed(RejectionsReply("Home", (), 0)),
            WritesRequest: fixed(WritesReply("Home", (WRITE,))),
            UndoRequest: fixed(UndoneReply("Home", "Memory/Hives.md", 2)),
            **asking.answers,
        }

    def answer(self, request: Request[Any]) -> object:
        return self._answers[type(request)](request)

    def stream(self, request: AskRequest, cancel: Cancel) -> Iterator[StreamEvent]:
        return self._asking.answer(request, cancel)


class FakeAssembler:
    """A context of one note, whatever is asked."""

    def __init__(self, vault: str, asked: list[object]) -> None:
        self._vault = vault
        self._asked = asked

    def assemble(self, asked: ContextRequest) -> ContextReply:
        self._asked.append(asked)
        path = "Garden/Bees.md"
        source = ContextSource(1, path, "Bees", None, 1, 1.0, "full", 20, "obsidian://open")
        return ContextReply(
            asked.q, self._vault, 7, asked.budget_tokens, 20, "tiny", "text", (source,), 0, 0.5, ()
        )


class FakeExplorer:
    """Replies about links, topics and words; `heard` is called with each request."""

    def __init__(self, notes: Mapping[str, str], heard: Callable[[object], None]) -> None:
        self._notes = notes
        self._heard = heard

    def answer(self, question: Request[Any]) -> object:
        self._heard(question)
        if isinstance(question, NeighborsRequest) and question.path not in self._notes:
            raise NotFoundError(f"There is no note {question.path!r}.", code="note_not_found")
        return EXPLORED[type(question)]

    reply = answer


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
        self.suggestions = FakeSuggestions(record.name)
        self.asking = FakeAsking(self.asked)
        self.completions = FakeExplorer(self.notes, self._heard)
        self.features = FakeFeatures(record.name, self.asked, self.completions, self.asking)
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
        return StatsReply(
            vault=self.record.name,
            generation=7,
            notes=len(self.notes),
            chunks=len(self.notes),
            links=1,
            files={"indexed": len(self.notes)},
            sizes=Sizes(100, 30, 2000, (SizedNote("Garden/Bees.md", 60),)),
            types=(NamedCount(None, 2), NamedCount("person", 1)),
            folders=(NamedCount("Garden", 2), NamedCount(None, 1)),
            tags=(NamedCount("garden", 2),),
            months=(MonthCount("2026-03", 1, 2),),
            models=(ModelVectors("tiny", "fp32", 16, 3, answering=True),),
        )

    def tally(self) -> Tally:
        return Tally(runs=2, read=5, embedded=4, reused=1)

    def follow(self, *, after: int | None = None) -> EventStream:
        self._heard(after)
        return EventStream(partial(self.events.subscribe, after=after))

    def start(self) -> None:
        self.started = True


SOURCE = SourceView("c3d4", "Roam", "import", "Roam", "/home/ada/Roam.json", None, "new", None, 0)


async def fake_sources(site: Site, _vault: str | None, request: object) -> object:
    """One source, whose notes are in the first vault."""
    if isinstance(request, AddSource):
        if not request.place.startswith("/home/ada"):
            raise ForbiddenError("That may not be read.", code="not_allowed")
        return replace(SOURCE, name=request.name or "Roam", vault=request.name or "Roam")
    if isinstance(request, SourcesRequest):
        return SourcesReply((SOURCE,))
    assert isinstance(request, SyncSource | RemoveSource)
    if request.id != "Roam":
        raise NotFoundError(f"There is no source {request.id}.", code="source_not_found")
    if isinstance(request, RemoveSource):
        return SourcesReply(())
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
        self._engines = list(engines)
        self._root = root
        self.closed = False
        self._newer = Settings(
            data_dir=root,
            model_dir=root,
            state_dir=root,
        )
        for engine in self._engines:
            self.directory(engine.record).mkdir(parents=True)

    def records(self) -> tuple[VaultRecord, ...]:
        return tuple(engine.record for engine in self._engines)

    def notice(self) -> str | None:
        return None

    def opened(self) -> tuple[FakeEngine, ...]:
        return tuple(self._engines)

    def served(self) -> tuple[VaultRecord, ...]:
        return self.records()

    def add(self, folder: Path) -> VaultRecord:
        if not folder.is_dir():
            raise NotFoundError(f"{folder} is not a folder")
        record = VaultRecord("e5f6", folder.name, folder)
        self._added = FakeEngine(record, {})
        return record

    def serve_also(self, record: VaultRecord) -> None:
        self._engines.append(self._added)

    def serve_no_more(self, record: VaultRecord) -> None:
        self._engines = [one for one in self._engines if one.record.id != record.id]

    def remove(self, record: VaultRecord, *, delete_data: bool) -> None:
        self.removed = (record.id, delete_data)

    def held(self, record: VaultRecord) -> Hold:
        engine = next(engine for engine in self._engines if engine.record == record)
        return Hold(engine, lambda: None)

    def settings(self, record: VaultRecord) -> Settings:
        return self._newer

    def use_sections(self, names: Iterable[str], for_vault: Callable[[Path], Settings]) -> None:
        for engine in self._engines:
            newer = for_vault(engine.record.path)
            self._newer = self._newer.with_sections(names, newer)
            if "ask" in names:
                engine.asking.use_rules(newer.ask)

    def directory(self, record: VaultRecord) -> Path:
        return self._root / "index" / record.id

    def close(self) -> None:
        self.closed = True
