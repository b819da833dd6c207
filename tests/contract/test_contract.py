"""Real replies of a real server, kept as files that the clients' validators are tested on.

A reply that no longer equals its file fails here. Where the change is meant, run this file with
NOTEWELL_TEST_UPDATE_CONTRACT=1 and commit what it writes.
"""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, get_args

import aiohttp
import pytest

from notewell.base.support.log_files import LOGS
from notewell.base.types import DocumentRules, ModelRules, Settings, VaultRecord
from notewell.contract.codec import from_json, to_json
from notewell.contract.request import JSON_MEDIA
from notewell.doors.web import pages
from notewell.doors.web.openapi import document
from notewell.doors.web.routes import ROUTES
from notewell.doors.web.server import BoundServer, serve
from notewell.engine.access import Devices
from notewell.engine.configuration import Configuration
from notewell.engine.feature import sections
from notewell.engine.ingest.reports import EventKind
from notewell.engine.open_vaults import Vaults
from notewell.features import FEATURES
from notewell.features.ask.citations import CitedSource
from notewell.features.ask.requests import LocalModels
from notewell.features.ask.service import Conversations
from notewell.features.ask.tool_loop import AnswerDraft
from notewell.features.memory import MemoryRules
from tests.contract.vault import write_vault
from tests.doors.web.fits import misfits
from tests.features.history.repository import needs_git
from tests.tiny_model import write_tiny_model
from tests.vaults import settings_in
from tests.waiting import PROCESS_S

FOLDER = Path(__file__).parent
UPDATE = os.environ.get("NOTEWELL_TEST_UPDATE_CONTRACT") == "1"
TOKEN = "contract"
# What differs from run to run, and what stands for it in the files.
STEADY: Mapping[str, object] = {
    "version": "0.0.0",
    "generation": 1,
    "took_ms": 1.5,
    "ms": 0.25,
    "seconds": 0.0,
    "started": "2026-03-02T10:00:00+00:00",
    "ended": "2026-03-02T10:00:01+00:00",
    "run": "6",  # the id of one
    "updated": "2026-03-02T10:00:01+00:00",
    "written": "2026-03-02T10:00:01+00:00",
    "at": "2026-03-02T10:00:02+00:00",
    "query_id": "89abcdef01234567",
    "keyring": False,  # whether the extra is installed
    "index": 100_000,  # bytes on the disk
    "file": "/home/me/.config/notewell/config.toml",
}
MEMORY = "Bees find the hive by its smell"
STEADY_PAIR: Mapping[str, str] = {
    "url": "https://notes.home.arpa/#/pair?code=abcdefghijklmnopqrstuv&name=box&scope=write",
    "obsidian": "obsidian://notewell-pair?url=https%3A%2F%2Fnotes.home.arpa"
    "&code=abcdefghijklmnopqrstuv&name=box&scope=write",
    "code": "abcdefghijklmnopqrstuv",
    "expires": "2026-03-02T10:10:00+00:00",
    "qr": "data:image/svg+xml,%3Csvg/%3E",
}
STEADY_QUESTION = {"id": "01234567", "added": STEADY["at"]}
STEADY_ID, STEADY_FOLDER, STEADY_HOME = "0123456789ab", "/home/me/Home", "/home/me"
PAPERS = "/home/me/Papers"  # documents outside the vault; stands for a folder of the test

TALK = "fedcba9876543210"  # a conversation
BASE = """\
filters: file.inFolder("Garden")
views:
  - {type: table, name: To read, order: [file.name, file.folder], limit: 2}
"""
AUDITED = """\
2026-03-02T10:00:00.000+00:00 INFO notewell.audit: signed in by pairing from 192.168.1.9
2026-03-02T10:00:01.000+00:00 INFO notewell.audit: PATCH /api/config 200, phone (write) from 192.168.1.9
2026-03-02T10:00:02.000+00:00 WARNING notewell.audit: refused GET /api/note: unauthorized, unknown from 10.0.0.8
"""
# What would be found depends on the computer that runs the tests.
RUNNING = LocalModels("ollama", "Ollama", "http://127.0.0.1:11434/v1", ("qwen3:8b", "gemma3:4b"))

# No replies: tests of their own write them.
CASES = {"score-cases", "snippet-cases", "queries", "conditions"}
EVENTS = "events"  # a stream, so it is asked for apart
# file name -> route, parameters, status; a route with a body is a POST
Asked = tuple[str, dict[str, Any], int]
REPLIES: dict[str, Asked] = {
    "health": ("GET /api/health", {}, 200),
    "vaults": ("GET /api/vaults", {}, 200),
    "status": ("GET /api/status", {}, 200),
    "runs": ("GET /api/runs", {"limit": 5}, 200),
    "run": ("GET /api/runs/{id}", {"id": "1"}, 200),
    "cancel-run": ("POST /api/runs/{id}/cancel", {"id": "1"}, 202),
    "problem-run": ("GET /api/runs/{id}", {"id": "99"}, 404),
    "search": ("GET /api/search", {"q": "bees find the way home", "limit": 3}, 200),
    "search-explained": ("GET /api/search", {"q": "water -moon", "explain": True}, 200),
    "search-keyword": ("GET /api/search", {"q": '"two bees"', "mode": "keyword"}, 200),
    "search-semantic": (
        "GET /api/search",
        {"q": "garden city", "mode": "semantic", "limit": 2},
        200,
    ),
    "search-nothing": ("GET /api/search", {"q": ""}, 200),
    "similar": ("GET /api/similar", {"path": "Garden/Bees.md", "limit": 2}, 200),
    "similar-text": ("POST /api/similar", {"text": "water in spring", "limit": 2}, 200),
    "around": ("GET /api/note/around", {"path": "Garden/Bees.md", "line": 5, "limit": 1}, 200),
    "note": ("GET /api/note", {"path": "Garden/Bees.md"}, 200),
    "edit-note": (
        "POST /api/note/edit",
        {
            "path": "Garden/Bees.md",
            "expected_hash": "f425158d64f7f8e51c917e02c2b14c98",  # as in note.json
            "how": "append",
            "section": "The hive",
            "text": "Shade is as good.",
            "dry_run": True,
        },
        200,
    ),
    "conflict": (
        "GET /api/conflict",
        {"path": "Garden/Bees.md", "other": "Garden/Compost.md"},
        200,
    ),
    "heal-conflict": (
        "POST /api/conflict/heal",
        {
            "path": "Garden/Bees.md",
            "other": "Garden/Compost.md",
            "hash": "f425158d64f7f8e51c917e02c2b14c98",  # as in conflict.json
            "other_hash": "9ebcb3b4ab8bd5092b16ed9f431901f0",
            "choices": [],
            "dry_run": True,
        },
        200,
    ),
    "problem-changed-note": (
        "POST /api/note/edit",
        {
            "path": "Garden/Bees.md",
            "expected_hash": "0" * 32,
            "how": "append",
            "text": "More.",
        },
        409,
    ),
    "note-passage": ("GET /api/note", {"id": "Garden/Bees.md#0"}, 200),
    "problem-stale": ("GET /api/note", {"id": "Garden/Bees.md#0", "hash": "0" * 32}, 409),
    "graph-neighborhood": ("GET /api/graph/neighborhood", {"path": "Garden/Bees.md"}, 200),
    "graph-neighbors": ("GET /api/graph/neighbors", {"path": "Garden/Bees.md", "hops": 2}, 200),
    "graph-path": (
        "GET /api/graph/path",
        {"source": "Daily/2026-03-02.md", "target": "Garden/Roof.md"},
        200,
    ),
    "graph-hubs": ("GET /api/graph/hubs", {"by": "pagerank", "limit": 2}, 200),
    "graph-stats": ("GET /api/graph/stats", {}, 200),
    "graph-bridges": ("GET /api/graph/bridges", {"limit": 2}, 200),
    "graph-communities": ("GET /api/graph/communities", {"members": 2}, 200),
    "graph-orphans": ("GET /api/graph/orphans", {"daily": False, "limit": 2}, 200),
    "graph-dangling": ("GET /api/graph/dangling", {}, 200),
    "graph-missing": ("GET /api/graph/missing", {"path": "Garden/Compost.md", "limit": 2}, 200),
    "context": ("POST /api/context", {"q": "bees find the way", "budget_tokens": 900}, 200),
    "archaeology": ("GET /api/archaeology", {"q": "bees", "granularity": "month"}, 200),
    "diagnose": ("GET /api/diagnose", {"q": "bees tag:roof", "path": "Garden/Bees.md"}, 200),
    "companions": ("GET /api/companions", {"q": "how long do the insects of the garden live"}, 200),
    "evidence": ("GET /api/evidence", {"q": "how do bees find their way"}, 200),
    "problem-no-history": ("GET /api/history", {"q": "bees"}, 400),
    "complete": ("GET /api/complete", {"prefix": "spring tag:gar"}, 200),
    "complete-words": ("GET /api/complete", {"prefix": "hive \u2014 ho", "limit": 5}, 200),
    "ledger": ("GET /api/ledger", {}, 200),
    "ledger-excluded": ("GET /api/ledger", {"path": "Private/Diary.md"}, 200),
    "guard": ("POST /api/guard", {"remove": False}, 202),
    "queue-pause": ("POST /api/queue/pause", {}, 202),
    "queue-resume": ("POST /api/queue/resume", {}, 202),
    "queue-retry": ("POST /api/queue/retry", {}, 202),
    "queue-cancel": ("POST /api/queue/cancel", {}, 202),
    "sync": (
        "POST /api/sync",
        {"files": [["Garden/Bees.md", 1, 1], ["Neu/Zu\u0308rich.md", 9, 1_772_445_600_000]]},
        200,
    ),
    "changes": (
        "POST /api/changes",
        {
            "changes": [
                {"kind": "rename", "path": "Garden/Roof.md", "old_path": "Roof.md", "mtime": 1},
                {"kind": "modify", "path": "Garden/Bees.md", "content": "Not for a folder."},
            ]
        },
        202,
    ),
    "server-writes": ("GET /api/changes", {"after": 0}, 200),
    "confirm-writes": (
        "POST /api/changes/confirm",
        {"confirmed": [{"path": "Garden/Bees.md", "hash": "0" * 64, "mtime": 1}]},
        202,
    ),
    "session": ("GET /api/session", {}, 200),
    "pair": ("POST /api/pair", {"address": "https://notes.home.arpa"}, 200),
    "pair-cancel": ("POST /api/pair/cancel", {}, 200),
    "problem-pair": ("POST /api/pair/redeem", {"code": "not that one", "name": "phone"}, 403),
    "devices": ("GET /api/devices", {}, 200),
    "revoke-device-nothing": ("DELETE /api/devices", {"id": "0123456789ab"}, 404),
    "audit": ("GET /api/audit", {}, 200),
    "phone-index": ("GET /api/phone-index", {}, 200),
    "phone-index-on": ("POST /api/phone-index", {"on": True}, 200),
    "models": ("GET /api/models", {}, 200),
    "config": ("GET /api/config", {"section": "log"}, 200),
    "config-changed": ("PATCH /api/config", {"changes": {"vault.exclude": ["Private/**"]}}, 200),
    "models-suggest": ("GET /api/models/suggest", {}, 200),
    "stats": ("GET /api/stats", {"limit": 3}, 200),
    "reindex": ("POST /api/reindex", {"paths": ["Garden/Bees.md"]}, 202),
    "verdict": (
        "POST /api/verdict",
        {"q": "garden water", "path": "Garden/Roof.md", "verdict": "never_for_this"},
        200,
    ),
    "search-judged": ("GET /api/search", {"q": "garden water", "door": "plugin"}, 200),
    "opened": ("POST /api/opened", {"q": "garden water", "path": "Garden/Bees.md"}, 200),
    "log": ("GET /api/log", {"limit": 2}, 200),
    "tune": ("POST /api/tune", {"apply": True}, 200),
    "log-clear": ("POST /api/log/clear", {"keep_verdicts": False}, 200),
    "memory-store": (
        "POST /api/memory/store",
        {"content": "Bees find the hive by its smell.", "provenance": "Garden/Bees.md"},
        200,
    ),
    "memory-relate": (
        "POST /api/memory/relate",
        {"source": MEMORY, "target": "Garden/Bees", "kind": "caused_by", "weight": 0.5},
        200,
    ),
    "memory-recall": ("GET /api/memory/recall", {"query": "smell of the hive", "depth": 1}, 200),
    "memory-context": ("GET /api/memory/context", {"query": "smell of the hive"}, 200),
    "memory-apply": ("POST /api/memory/apply", {"id": MEMORY}, 200),
    "memory-outcome": (
        "POST /api/memory/outcome",
        {"id": MEMORY, "helped": True, "comment": "found them"},
        200,
    ),
    "memory-inspect": ("GET /api/memory/inspect", {"id": MEMORY}, 200),
    "memory-list": ("GET /api/memory/list", {}, 200),
    "memory-history": ("GET /api/memory/history", {}, 200),
    "memory-health": ("GET /api/memory/health", {}, 200),
    "memory-unrelate": (
        "POST /api/memory/unrelate",
        {"source": MEMORY, "target": "Garden/Bees", "kind": "caused_by"},
        200,
    ),
    "memory-forget": ("POST /api/memory/forget", {"id": MEMORY}, 200),
    "ask-models-off": ("GET /api/ask/models", {}, 400),
    "ask-conversation": ("GET /api/ask/conversation", {"conversation": TALK}, 200),
    "ask-kept": ("GET /api/ask/conversations", {}, 200),
    "ask-conversation-nothing": (
        "GET /api/ask/conversation",
        {"conversation": "0123456789abcdef"},
        404,
    ),
    "ask-forget-nothing": ("POST /api/ask/forget", {"conversation": "0123456789abcdef"}, 404),
    "ask-local": ("GET /api/ask/local", {}, 200),
    "add-vault-fixed": ("POST /api/vaults", {"folder": "/home/me/Notes"}, 403),
    "remove-vault-fixed": ("DELETE /api/vaults", {"id": "0123456789ab"}, 403),
    "ask-setup": ("GET /api/ask/setup", {}, 200),
    "ask-setup-unasked": ("POST /api/ask/setup", {"service": "anthropic"}, 400),
    "ask-use-unknown": ("POST /api/ask/use", {"server": "elsewhere"}, 400),
    "ask-events-nothing": ("GET /api/ask/{id}", {"id": "0123456789abcdef" * 2}, 404),
    "ask-permit-nothing": (
        "POST /api/ask/permit",
        {"id": "0123456789abcdef" * 2, "allow": True},
        404,
    ),
    "ask-stop-nothing": ("POST /api/ask/stop", {"id": "0123456789abcdef" * 2}, 404),
    "ask-save-nothing": (
        "POST /api/ask/save",
        {"conversation": "0123456789abcdef", "path": "Answers/Bees.md"},
        404,
    ),
    "questions-shown-nothing": ("POST /api/questions/shown", {"id": "01234567"}, 404),
    "remove-question-nothing": ("DELETE /api/questions", {"id": "01234567"}, 404),
    "edit-properties": (
        "POST /api/note/properties",
        {
            "path": "Garden/Bees.md",
            "set": {"rating": 4},
            "add": {"tags": ["garden", "new"]},
            "remove": ["description"],
            "rename": {"seen": "watched"},
            "dry_run": True,
        },
        200,
    ),
    "edit-properties-batch": (
        "POST /api/note/properties/batch",
        {
            "edits": [
                {"path": "Garden/Bees", "set": {"rating": 4}},
                {"path": "Garden/Beez.md", "set": {"rating": 4}},
            ],
            "dry_run": True,
        },
        200,
    ),
    "problem-note-changed": (
        "POST /api/note/properties",
        {"path": "Garden/Bees.md", "expected_hash": "0" * 32, "set": {"rating": 4}},
        409,
    ),
    "topics": ("GET /api/topics", {}, 200),
    "topics-check": ("POST /api/topics/check", {}, 200),
    "gleanings-extract": ("POST /api/gleanings/extract", {"dry_run": True}, 200),
    "gleanings": ("GET /api/gleanings", {"status": "active"}, 200),
    "gleanings-stats": ("GET /api/gleanings/stats", {}, 200),
    "gleaning-nothing": ("GET /api/gleanings/{id}", {"id": "0123456789ab"}, 404),
    "gleaning-mark-nothing": (
        "POST /api/gleanings/{id}/status",
        {"id": "0123456789ab", "status": "hidden"},
        404,
    ),
    "gleanings-maintain-off": ("POST /api/gleanings/maintain", {}, 403),
    "garden-plan-made": ("POST /api/garden/plans", {"checks": ["orphans"]}, 200),
    "garden-model-off": ("GET /api/garden/model", {}, 400),
    "garden-plans": ("GET /api/garden/plans", {"limit": 1}, 200),
    "garden-plan-nothing": ("GET /api/garden/plans/{id}", {"id": "20000101-000000"}, 404),
    "garden-apply-nothing": ("POST /api/garden/plans/{id}/apply", {"id": "20000101-000000"}, 404),
    "garden-reject-nothing": (
        "POST /api/garden/plans/{id}/reject",
        {"id": "20000101-000000"},
        404,
    ),
    "garden-rejections": ("GET /api/garden/rejections", {}, 200),
    "garden-forget-nothing": (
        "POST /api/garden/rejections/forget",
        {"ids": ["0123456789ab"]},
        404,
    ),
    "garden-undo-nothing": ("POST /api/garden/plans/{id}/undo", {"id": "20000101-000000"}, 404),
    "writes": ("GET /api/writes", {"limit": 2}, 200),
    "undo": ("POST /api/writes/undo", {}, 200),
    "problem-change": (
        "POST /api/changes",
        {"changes": [{"kind": "create", "path": "../Elsewhere.md"}]},
        400,
    ),
    "problem-parameter": ("GET /api/search", {"q": "x", "limit": 0}, 400),
    "problem-note": ("GET /api/note", {"path": "Garden/Beez.md"}, 404),
    "problem-host": ("POST /api/models/allow", {"host": "api.openai.com"}, 400),
    "add-documents": ("POST /api/documents", {"place": PAPERS, "namespace": "Papers"}, 200),
    "problem-documents": ("POST /api/documents", {"place": "/etc"}, 403),
    "documents": ("GET /api/documents", {}, 200),
    "remove-documents": ("DELETE /api/documents", {"namespace": "Papers", "keep": True}, 200),
    "add-source": ("POST /api/sources", {"place": PAPERS, "name": "Wasps"}, 200),
    "sources": ("GET /api/sources", {}, 200),
    "source-sync-nothing": ("POST /api/sources/{id}/sync", {"id": "Bees"}, 404),
    "remove-source": ("DELETE /api/sources", {"id": "Wasps"}, 200),
}
# A route that is not in the table is asked for its example.
_ASKED = {route for route, _, _ in REPLIES.values()}
REPLIES |= {
    route.endpoint.name.replace("_", "-"): (
        shown,
        dict(route.endpoint.example),
        route.endpoint.status,
    )
    for route in ROUTES
    if (shown := f"{route.endpoint.method} {route.endpoint.path}") not in _ASKED
    and route.endpoint.media == JSON_MEDIA
}


@pytest.fixture(scope="module")
def replies(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Any]:
    """All replies of `REPLIES`, from a server that has indexed the whole vault."""
    home = tmp_path_factory.mktemp("contract")
    settings = settings_in(
        home,
        of_features={"memory": MemoryRules("Memory")},
        documents=DocumentRules(allow=(str(home / "Papers"),)),
        model=ModelRules(
            name="tiny", folder=str(write_tiny_model(home / "tiny")), quantisation="fp32", threads=1
        ),
    )
    vaults = Vaults(settings, features=FEATURES)
    record = vaults.add(write_vault(home / "Home"))
    vaults.open(record, writable=True)
    papers = home / "Papers"
    papers.mkdir()
    (papers / "Wasps.txt").write_text("Wasps make paper of wood.\n", encoding="utf-8")
    talk = AnswerDraft("How do bees find home?", record.name, TALK, "2026-03-02T10:00:00+00:00")
    talk.catalogue.number(CitedSource("Garden/Bees.md", "Bees", "obsidian://open", 7))
    talk.text, talk.model, talk.steps = "By the sun [1], and", "test-model", 1
    Conversations(settings.data_dir / "vaults" / record.id).save_turn(TALK, talk.stopped())
    Devices(settings.state_dir).add("phone", "read")
    logs = settings.state_dir / LOGS
    logs.mkdir()
    (logs / "audit.log").write_text(AUDITED, encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("notewell.features.ask.handlers.find_servers", lambda: (RUNNING,))
        return asyncio.run(_collect(vaults, settings, record))


async def _collect(vaults: Vaults, settings: Settings, record: VaultRecord) -> dict[str, Any]:
    listening: asyncio.Future[BoundServer] = asyncio.get_running_loop().create_future()
    server = asyncio.create_task(
        serve(
            vaults,
            settings,
            host="127.0.0.1",
            port=0,
            token=TOKEN,
            handshake=False,
            kept_token=TOKEN,
            ready=listening.set_result,
            configuration=_configuration(settings.data_dir),
        )
    )
    try:
        async with aiohttp.ClientSession(
            (await listening).url, headers={"Authorization": f"Bearer {TOKEN}"}
        ) as session:
            await _indexed(session)
            events = await _events(session)
            told = {}
            for name, asked in sorted(REPLIES.items(), key=lambda named: named[0] == "base"):
                if name == "memory-recall":  # it also searches the notes that were just written
                    await _indexed(session)
                if name == "base":  # the last one: the other replies are of a vault without bases
                    await _add_base(session, record)
                told[name] = await _ask(session, _in_place(asked, record))
            return {name: steady(reply, record) for name, reply in {EVENTS: events, **told}.items()}
    finally:
        server.cancel()
        await asyncio.gather(server, return_exceptions=True)


async def _add_base(session: aiohttp.ClientSession, record: VaultRecord) -> None:
    (record.path / "Books.base").write_text(BASE, encoding="utf-8")
    await session.post("/api/reindex", json={"paths": ["Books.base"]})
    async with asyncio.timeout(PROCESS_S):
        while True:
            async with session.get("/api/note", params={"path": "Books.base"}) as response:
                if response.status == 200:
                    return
            await asyncio.sleep(0.02)


def _configuration(folder: Path) -> Configuration:
    file = folder / "config.toml"
    file.write_text('[log]\nlevel = "debug"\n')
    return Configuration(
        {"NOTEWELL_CONFIG": str(file), "NOTEWELL_LOG_FORMAT": "json"}, features=sections(FEATURES)
    )


def _in_place(asked: Asked, record: VaultRecord) -> Asked:
    """The request with the place of its documents on this machine."""
    route, given, status = asked
    if given.get("place") == PAPERS:
        given = {**given, "place": str(record.path.parent / "Papers")}
    return route, given, status


async def _indexed(session: aiohttp.ClientSession) -> None:
    async with asyncio.timeout(PROCESS_S):
        while True:
            async with session.get("/api/status") as response:
                status = await response.json()
            assert status["state"] != "degraded", status
            if (status["state"], status["semantic"]) == ("ready", "ready") and status["notes"]:
                return
            await asyncio.sleep(0.02)


async def _ask(session: aiohttp.ClientSession, asked: Asked) -> Any:
    (method, place), given, status = asked[0].split(), asked[1], asked[2]
    path = place.format(**given)
    given = {name: value for name, value in given.items() if f"{{{name}}}" not in place}
    named = {n: str(v).lower() if isinstance(v, bool) else v for n, v in given.items()}
    how = {"json": given} if method != "GET" else {"params": named}
    async with session.request(method, path, **how) as response:
        body = await response.json(content_type=None)
        assert response.status == status, body
        return body


async def _events(session: aiohttp.ClientSession) -> list[dict[str, Any]]:
    """The first event of each kind since the server started, numbered anew."""
    first: dict[str, Any] = {}
    async with (
        asyncio.timeout(PROCESS_S),
        session.get("/api/events", params={"after": 0}) as response,
    ):
        assert response.content_type == "text/event-stream"
        while len(first) < len(get_args(EventKind)):
            frame = (await response.content.readuntil(b"\n\n")).decode()
            fields = dict(line.split(": ", 1) for line in frame.splitlines() if line)
            if "event" in fields:
                first.setdefault(fields["event"], json.loads(fields["data"]))
    kinds = sorted(first)
    return [{"id": n, "event": kind, "data": first[kind]} for n, kind in enumerate(kinds, 1)]


@pytest.mark.parametrize("name", [EVENTS, *REPLIES])
def test_a_reply_equals_its_file(replies: Mapping[str, Any], name: str) -> None:
    if name == "problem-no-history":
        needs_git()
    file = FOLDER / f"{name}.json"
    if UPDATE:
        text = json.dumps(replies[name], indent=2, ensure_ascii=False)
        file.write_text(f"{text}\n", encoding="utf-8", newline="\n")

    kept = json.loads(file.read_text(encoding="utf-8"))

    assert differences(replies[name], kept) == []


@pytest.fixture(scope="module")
def described() -> dict[str, Any]:
    """The document of all routes; to make it takes longer than a test of it."""
    return document(ROUTES, "0.0.0")


@pytest.mark.parametrize("name", REPLIES)
def test_a_reply_matches_the_openapi_document(
    replies: Mapping[str, Any], described: dict[str, Any], name: str
) -> None:
    (method, path), _, status = REPLIES[name][0].split(), *REPLIES[name][1:]
    answers = described["paths"][path][method.lower()]["responses"][str(status)]["content"]
    (content,) = answers.values()

    assert misfits(replies[name], content["schema"], described) == []


def test_an_event_matches_the_openapi_document(
    replies: Mapping[str, Any], described: dict[str, Any]
) -> None:
    schema = described["components"]["schemas"]["EventReply"]

    assert [misfits(event, schema, described) for event in replies[EVENTS]] == [[]] * 4


@pytest.mark.parametrize("name", [name for name, (_, _, status) in REPLIES.items() if status < 400])
def test_every_reply_survives_encoding_and_decoding(name: str) -> None:
    document = (FOLDER / f"{name}.json").read_bytes()
    route = REPLIES[name][0]
    (kind,) = (one.reply for one in ROUTES if f"{one.endpoint.method} {one.endpoint.path}" == route)

    reply = from_json(kind, document)

    assert isinstance(reply, kind)
    assert json.loads(to_json(reply)) == json.loads(document)


def test_every_example_file_is_a_reply_and_every_route_has_one() -> None:
    files = {file.stem for file in FOLDER.glob("*.json")} - CASES
    shown = {asked[0] for asked in REPLIES.values()}
    in_json = {
        f"{route.endpoint.method} {route.endpoint.path}"
        for route in ROUTES
        if route.endpoint.media == JSON_MEDIA
    }

    assert files == {EVENTS, *REPLIES}
    assert shown == in_json


def steady(value: Any, record: VaultRecord) -> Any:
    """Put what stays the same in the place of what differs from run to run."""
    if isinstance(value, dict):
        if "features" in value:  # the pages have theirs where they are built
            value["features"] = [
                *(f for f in value["features"] if f not in pages.FEATURES),
                *pages.FEATURES,
            ]
        if "access_count" in value:  # a memory, made during the test
            value |= dict.fromkeys(("created", "accessed"), STEADY["at"])
        if "held" in value and "place" in value:  # a source, made during the test
            value["id"] = STEADY_ID
        if "more" in value:  # a plan, named by the time at which it was made
            value |= {"id": "20260302-100000", "created": STEADY["at"]}
        if "last_used" in value:  # a device
            value |= {"id": STEADY_ID, "created": STEADY["at"]}
        value |= STEADY_QUESTION if {"added", "answers"} <= value.keys() else {}
        if "obsidian" in value:  # a pairing link
            value |= STEADY_PAIR
        return {
            name: STEADY[name] if name in STEADY and part is not None else steady(part, record)
            for name, part in value.items()
        }
    if isinstance(value, list):
        return [steady(part, record) for part in value]
    if isinstance(value, str):
        own = value.replace(record.id, STEADY_ID).replace(str(record.path), STEADY_FOLDER)
        return own.replace(str(record.path.parent), STEADY_HOME)
    return value


def differences(new: Any, old: Any, at: str = "$") -> list[str]:
    """Where two documents differ; numbers of different machines may differ in the fourth digit."""
    if isinstance(new, dict) and isinstance(old, dict):
        if list(new) != list(old):
            return [f"{at}: fields {list(new)} were {list(old)}"]
        return [text for name in new for text in differences(new[name], old[name], f"{at}.{name}")]
    if isinstance(new, list) and isinstance(old, list) and len(new) == len(old):
        pairs = enumerate(zip(new, old, strict=True))
        return [text for n, (a, b) in pairs for text in differences(a, b, f"{at}[{n}]")]
    if type(new) is float and type(old) is float and new == pytest.approx(old, abs=1e-3):
        return []
    return [] if type(new) is type(old) and new == old else [f"{at}: {new!r} was {old!r}"]
