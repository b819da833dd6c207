"""Searches that other processes do: the same replies, what was saved, and processes that end."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any, BinaryIO

import psutil
import pytest

from notewell.base.errors import ModelError, QueryTooLongError
from notewell.base.querylog.database import MAX_ROWS
from notewell.base.types import FloatArray, ModelKey, ModelRules, SearchRules, VaultRecord
from notewell.contract.search import SearchReply, SearchRequest
from notewell.engine import reader_pool
from notewell.engine.engine import Engine
from notewell.engine.reader_pool import AskedSearch, LentModel, ReaderPool, reader_count
from notewell.features import FEATURES
from notewell.search.weights import UNTUNED
from tests.stress.served import environment
from tests.tiny_model import write_tiny_model
from tests.vaults import settings_in
from tests.waiting import HANG_S, PROCESS_S, until

NOTES = {
    "Bread/Starter.md": "---\ntags: [baking]\n---\n# Feeding\nFeed the sourdough starter.\n",
    "Bread/Loaf.md": "The loaf uses the [[Starter]] and bakes for an hour. ^first\n",
    "Bicycle.md": "# Chain\nThe chain slips because the cassette is worn.\n\n# Brake\nSqueals.\n",
}
REQUESTS = [
    SearchRequest("sourdough starter"),
    SearchRequest("the chain slips", mode="keyword"),
    SearchRequest("how long does it bake", mode="semantic", weak=True),
    SearchRequest("tag:baking", explain=True),
    SearchRequest("loa", typing=True, group="block"),
]
needs_signals = pytest.mark.skipif(os.name == "nt", reason="sends signals")


def write(folder: Path, notes: dict[str, str]) -> None:
    for path, text in notes.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")


class Shared:
    """An engine that shares its searches with one other process."""

    def __init__(self, folder: Path) -> None:
        self.notes, self.pool = folder / "vault", ReaderPool(1)
        weights = write_tiny_model(folder / "weights")
        model = ModelRules(name="tiny", folder=str(weights), quantisation="fp32", threads=1)
        self.settings = settings_in(folder, model=model)
        self.engine = Engine.open(
            VaultRecord("v1", "vault", self.notes),
            folder / "index",
            self.settings,
            writable=True,
            features=FEATURES,
            readers=self.pool,
        )
        write(self.notes, NOTES)
        self.engine.index_now()

    @contextmanager
    def busy(self) -> Iterator[None]:
        """Keep the engine searching, so that further searches are another process's."""
        going, free = threading.Event(), threading.Event()
        own = self.engine.searcher.search

        def search(request: SearchRequest) -> SearchReply:
            if request.q == "busy":
                going.set()
                assert free.wait(HANG_S)
            return own(request)

        self.engine.searcher.search = search  # type: ignore[method-assign]
        with ThreadPoolExecutor(1) as thread:
            try:
                done = thread.submit(self.engine.search, SearchRequest("busy"))
                assert going.wait(HANG_S)
                yield
            finally:
                free.set()
                done.result()

    def reader(self, besides: int | None = None) -> int:
        """The number of a reader's process that has the vault open, once there is one."""

        def ready() -> int | None:
            self.engine.search(SearchRequest("starter"))  # has to wait, which starts readers
            found = [number for number in self.pool.ready() if number != besides]
            return found[0] if found else None

        return until(ready, seconds=PROCESS_S) or 0

    def here(self) -> list[str]:
        """Note the queries that are searched in this process from now on."""
        asked: list[str] = []
        own = self.engine.searcher.search

        def search(request: SearchRequest) -> SearchReply:
            asked.append(request.q)
            return own(request)

        self.engine.searcher.search = search  # type: ignore[method-assign]
        return asked

    def by_the_reader(self, asked: SearchRequest, here: list[str]) -> SearchReply:
        """The first reply that another process gives; `here` are the queries of this one."""

        def reply() -> SearchReply | None:
            here.clear()
            found = self.engine.search(asked)
            return None if here else found

        found = until(reply, seconds=PROCESS_S)
        assert found is not None
        return found


@pytest.fixture
def shared(tmp_path: Path) -> Iterator[Shared]:
    made = Shared(tmp_path)
    yield made
    made.engine.close()
    made.pool.close()
    assert made.pool.ready() == ()


def told(reply: SearchReply) -> SearchReply:
    """A reply without its times."""
    explain = reply.explain
    if explain is not None:
        explain = replace(explain, stages=tuple(replace(stage, ms=0) for stage in explain.stages))
    return replace(reply, took_ms=0, query_id=None, explain=explain)


def test_another_process_replies_as_this_one(shared: Shared) -> None:
    ours = [shared.engine.search(request) for request in REQUESTS]
    with shared.busy():
        shared.reader()
        here = shared.here()
        theirs = [shared.engine.search(request) for request in REQUESTS]
    assert here == []
    assert list(map(told, theirs)) == list(map(told, ours))
    assert any(reply.results for reply in ours)


def test_the_server_embeds_the_queries_of_other_processes(
    shared: Shared, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = shared.engine.vault.embedder()
    assert model is not None
    asked: list[str] = []
    own = model.embed_query

    def embed(text: str) -> FloatArray:
        asked.append(text)
        if "fails" in text:
            raise ModelError("The model had no memory left.")
        return own(text)

    with shared.busy():
        number = shared.reader()
        monkeypatch.setattr(model, "embed_query", embed)
        here = shared.here()
        found = shared.engine.search(SearchRequest("how the chain slips"))
        failed = shared.engine.search(SearchRequest("what fails"))
        loaded = {Path(map_.path).name for map_ in psutil.Process(number).memory_maps()}
        assert here == []
        assert asked == ["how the chain slips", "what fails"]
    assert found.results
    assert "Semantic search is unavailable: The model had no memory left." in failed.warnings
    assert not [name for name in loaded if "onnxruntime" in name]


def test_a_reader_whose_search_fails_here_is_not_asked_again(
    shared: Shared, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = shared.engine.vault.embedder()
    assert model is not None
    own = model.embed_query

    def embed(text: str) -> FloatArray:
        if "fails" in text:
            raise MemoryError
        return own(text)

    with shared.busy():
        number = shared.reader()
        monkeypatch.setattr(model, "embed_query", embed)
        with pytest.raises(MemoryError):  # while it is typed, its reader asks for the vector
            shared.engine.search(SearchRequest("what fails", typing=True))
        assert number not in shared.pool.ready()
        assert not psutil.pid_exists(number)
        assert shared.reader() != number


def test_a_reader_that_waits_for_a_vector_keeps_the_search_that_comes_ahead(
    shared: Shared, monkeypatch: pytest.MonkeyPatch
) -> None:
    typed, settled = SearchRequest("how the chain", typing=True), SearchRequest("soup")
    ours = [shared.engine.search(request) for request in (typed, settled)]
    model = shared.engine.vault.embedder()
    assert model is not None
    own, sent = model.embed_query, reader_pool.send
    embeds, ahead = threading.Event(), threading.Event()

    def embed(text: str) -> FloatArray:
        if "chain" in text:
            embeds.set()
            assert ahead.wait(HANG_S)
        return own(text)

    def send(stream: BinaryIO, message: object) -> None:
        sent(stream, message)
        if embeds.is_set():
            ahead.set()

    with shared.busy(), ThreadPoolExecutor(2) as threads:
        shared.reader()
        here = shared.here()
        monkeypatch.setattr(model, "embed_query", embed)
        monkeypatch.setattr(reader_pool, "send", send)
        first = threads.submit(shared.engine.search, typed)
        assert embeds.wait(HANG_S)
        theirs = [shared.engine.search(settled), first.result()]
    assert here == []
    assert list(map(told, reversed(theirs))) == list(map(told, ours))


def test_a_search_alone_starts_no_process(shared: Shared) -> None:
    for _ in range(50):
        shared.engine.search(SearchRequest("starter"))
    assert shared.pool.ready() == ()


def test_what_was_saved_is_found_by_the_next_search_and_soon_by_the_reader(shared: Shared) -> None:
    with shared.busy():
        shared.reader()
        here = shared.here()
        for number in range(2):
            write(shared.notes, {f"New{number}.md": f"A marmalade of number{number}."})
            shared.engine.index_now()
            asked = SearchRequest(f"number{number}")
            reply = shared.engine.search(asked)
            assert [result.path for result in reply.results][:1] == [f"New{number}.md"]
            assert reply.generation == shared.engine.status().generation
            assert told(shared.by_the_reader(asked, here)) == told(reply)


def test_changed_settings_hold_for_the_next_search(shared: Shared) -> None:
    rules = SearchRules(snippet_chars=20, folder_weights={"Bread": 0.1})
    with shared.busy():
        shared.reader()
        shared.engine.use_settings(replace(shared.settings, search=rules))
        own = shared.engine.searcher.search(SearchRequest("loaf starter"))
        assert told(shared.engine.search(SearchRequest("loaf starter"))) == told(own)
        here = shared.here()

        assert told(shared.by_the_reader(SearchRequest("loaf starter"), here)) == told(own)


def test_what_fails_in_another_process_fails_here_and_the_next_search_is_its_own(
    shared: Shared,
) -> None:
    with shared.busy():
        shared.reader()
        here = shared.here()
        with pytest.raises(QueryTooLongError):
            shared.engine.search(SearchRequest("long " * 10_000))
        shared.engine.search(SearchRequest("loaf"))
    assert "loaf" not in here


def test_with_another_model_in_use_the_server_searches_itself(shared: Shared) -> None:
    with shared.busy():
        shared.reader()
        index = shared.engine.vault.index
        other = LentModel(ModelKey("other", "0", "fp32"), None)
        asked = AskedSearch("v1", index.generation, other, UNTUNED, REQUESTS[0])
        vault = shared.engine.shared
        assert vault is not None
        expected = shared.engine.searcher.search(REQUESTS[0])
        assert shared.pool.search(vault, asked, lambda: expected) is expected
        here = shared.here()
        assert told(shared.engine.search(REQUESTS[0])) == told(expected)
        assert here == []  # the reader still has the vault open with the right model


@needs_signals
def test_the_search_of_a_killed_process_is_done_here_and_another_is_started(
    shared: Shared,
) -> None:
    expected = told(shared.engine.search(SearchRequest("loaf")))
    with shared.busy(), ThreadPoolExecutor(1) as thread:
        reader = shared.reader()
        here = shared.here()
        os.kill(reader, signal.SIGSTOP)
        asked = thread.submit(shared.engine.search, SearchRequest("loaf"))
        until(lambda: shared.pool.ready() == ())  # it was handed over
        os.kill(reader, signal.SIGKILL)
        assert told(asked.result(HANG_S)) == expected
        assert here == ["loaf"]
        assert shared.reader(besides=reader) != reader


@needs_signals
def test_the_search_of_a_process_that_hangs_is_taken_back(
    shared: Shared, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reader_pool, "_HUNG_S", 0.1)
    expected = told(shared.engine.search(SearchRequest("loaf")))
    with shared.busy():
        reader = shared.reader()
        os.kill(reader, signal.SIGSTOP)
        assert told(shared.engine.search(SearchRequest("loaf"))) == expected
    assert not psutil.pid_exists(reader)


def test_a_process_that_nobody_asks_for_long_ends(
    shared: Shared, monkeypatch: pytest.MonkeyPatch
) -> None:
    with shared.busy():
        reader = shared.reader()
        monkeypatch.setattr(reader_pool, "_IDLE_S", 0.0)
        until(lambda: not psutil.pid_exists(reader))


def test_closing_a_vault_ends_the_processes_that_have_it_open(shared: Shared) -> None:
    with shared.busy():
        reader = shared.reader()
    shared.pool.forget("another")
    assert psutil.pid_exists(reader)
    shared.engine.close()
    assert not psutil.pid_exists(reader)


def test_automatic_is_one_fewer_than_processors(monkeypatch: pytest.MonkeyPatch) -> None:
    counts = iter((1, 2, 8))
    monkeypatch.setattr(reader_pool, "usable_processors", lambda: next(counts))
    assert [reader_count("auto") for _ in range(3)] == [1, 1, 7]
    assert reader_count(0) == 0


# --- a real server ---------------------------------------------------------------------------


REPLY_BYTES = 1000  # fewer than a reply to a search has


class Served:
    """A server in a process of its own, with one reader at most."""

    def __init__(self, folder: Path, limit: int = 0) -> None:
        write(folder / "vault", NOTES)
        settings = environment(folder) | {
            "NOTEWELL_SERVER_READERS": "1",
            "NOTEWELL_LIMITS_SEARCH": str(limit),
        }
        command = [sys.executable, "-m", "notewell", "serve", str(folder / "vault")]
        self.process = subprocess.Popen(
            [*command, "--port", "0", "--handshake"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, **settings},
            text=True,
        )
        assert self.process.stdout is not None
        self._asked = count()
        self._bound = json.loads(self.process.stdout.readline())
        until(lambda: self.get("status")[1]["state"] == "ready", seconds=PROCESS_S)

    def get(self, route: str, **fields: object) -> tuple[int, Any]:
        address = (
            f"http://127.0.0.1:{self._bound['port']}/api/{route}?{urllib.parse.urlencode(fields)}"
        )
        token = {"Authorization": f"Bearer {self._bound['token']}"}
        try:
            with urllib.request.urlopen(urllib.request.Request(address, headers=token)) as reply:
                return reply.status, json.load(reply)
        except urllib.error.HTTPError as error:
            return error.code, json.load(error)

    def readers(self) -> list[psutil.Process]:
        with suppress(psutil.Error):
            children = psutil.Process(self.process.pid).children()
            return [
                child
                for child in children
                if any("reader_process" in part for part in child.cmdline())
            ]
        return []

    def at_work(self) -> list[psutil.Process]:
        """The readers that have answered a search: one that ends while it starts has no successor
        for a minute. Where the system does not tell what a process wrote, all readers."""
        with suppress(psutil.Error):
            return [
                reader
                for reader in self.readers()
                if not hasattr(reader, "io_counters")
                or reader.io_counters().write_chars > REPLY_BYTES
            ]
        return []

    def search_together(self, number: int, done: Callable[[], object]) -> list[tuple[int, Any]]:
        """Search with eight clients, so often, and until `done`."""
        replies: list[tuple[int, Any]] = []

        def ask(_: int) -> None:  # each another query: the log takes equal ones for one
            replies.append(self.get("search", q=f"{next(self._asked):05}x loaf starter"))

        with ThreadPoolExecutor(8) as clients:
            until(lambda: list(clients.map(ask, range(number))) and done(), seconds=PROCESS_S)
        return replies

    def close(self) -> None:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        with suppress(OSError):
            self.process.stdin.close()
        self.process.wait(PROCESS_S)
        self.process.stdout.close()


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    server = Served(tmp_path)
    yield server
    server.close()


def test_no_reply_is_lost_when_a_reader_is_killed_and_each_search_is_logged_once(
    served: Served,
) -> None:
    replies = served.search_together(40, served.at_work)
    (first,) = served.readers()
    first.kill()
    replies += served.search_together(
        40, lambda: any(each.pid != first.pid for each in served.at_work())
    )
    assert {status for status, _ in replies} == {200}
    assert {reply["results"][0]["path"] for _, reply in replies} == {"Bread/Loaf.md"}
    ids = {reply["query_id"] for _, reply in replies}
    assert len(ids) == len(replies)
    assert served.get("log", limit=1)[1]["total"] == min(len(replies), MAX_ROWS)


def test_a_server_that_is_killed_leaves_no_reader(served: Served) -> None:
    served.search_together(40, served.at_work)
    (reader,) = served.readers()
    served.process.kill()
    reader.wait(HANG_S)


def test_the_rate_limit_counts_the_searches_of_all_processes(tmp_path: Path) -> None:
    server = Served(tmp_path, limit=60)
    try:
        statuses = [status for status, _ in server.search_together(100, lambda: True)]
    finally:
        server.close()
    assert statuses.count(200) == 60
    assert statuses.count(429) == 40
