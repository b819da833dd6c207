"""While an index is being built, an empty result says when to try again."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import pytest
from mcp.client.client import Client

from notewell.base.errors import BusyError, NotFoundError
from notewell.contract.notes import NoteRequest
from notewell.contract.search import Fusion, SearchReply, SearchRequest
from notewell.contract.status import (
    EngineState,
    LedgerReply,
    LedgerRequest,
    LedgerRow,
    QueueStatus,
    StatusReply,
    StatusRequest,
)
from notewell.doors.mcp import search_tools
from notewell.doors.mcp.answer import failure
from notewell.doors.mcp.arguments import request_of
from notewell.doors.mcp.server import build
from notewell.doors.mcp.tool import Jobs, ToolContext
from notewell.engine.client import Backend

T = TypeVar("T")
SEARCH = next(tool for tool in search_tools.TOOLS if tool.name == "search")


class Building:
    """A backend whose index has hardly begun, or is ready."""

    def __init__(self, state: EngineState, pending: int, eta: float | None) -> None:
        self.told = StatusReply(
            vault="Home",
            notes=3,
            chunks=3,
            vectors=3,
            model=None,
            generation=1,
            state=state,
            semantic="partial",
            semantic_reason=None,
            queue=QueueStatus(pending=pending, eta_s=eta),
            ledger={"pending": pending},
        )

    def answer(self, request: object) -> object:
        match request:
            case StatusRequest():
                return self.told
            case NoteRequest(path):
                raise NotFoundError(f"no note {path!r} in the index")
            case LedgerRequest(state, path):
                return ledger(path) if state == "pending" else all_files()
            case SearchRequest(q):
                return nothing_found(q)
        raise AssertionError(request)


def ledger(path: str | None) -> LedgerReply:
    """The pending files: one."""
    if path != "Garden/Waits.md":
        return LedgerReply("Home", 1, {}, ())
    row = LedgerRow(path, "pending", None, None, (), 0, 0, None, None)
    return LedgerReply("Home", 1, {}, (row,))


def all_files() -> LedgerReply:
    """The whole ledger: one note, which still waits for its embedding."""
    row = LedgerRow("Garden/Beehives.md", "keyword_only", None, None, (), 0, 9, None, None)
    return LedgerReply("Home", 1, {}, (row,))


def nothing_found(query: str) -> SearchReply:
    return SearchReply(
        query=query,
        vault="Home",
        mode="hybrid",
        fusion=Fusion("auto"),
        expanded=(),
        filtered={},
        generation=1,
        took_ms=0.0,
        total=0,
        confidence=None,
        results=(),
        warnings=(),
    )


def context(building: Any) -> ToolContext:
    backend: Backend = building
    return ToolContext("id", backend, len, Jobs(), ())


def search(building: Building) -> dict[str, Any]:
    return SEARCH.run(context(building), request_of(SEARCH).model_validate({"query": "bees"}))


@dataclass(frozen=True)
class OneVault:
    """A source with one index, whatever vault is named."""

    building: Building

    async def run(self, _vault: str | None, work: Callable[[ToolContext], T]) -> T:
        return work(context(self.building))


async def error_of_reading(building: Building, path: str) -> dict[str, Any]:
    async with Client(build(OneVault(building), may_write=lambda _: False)) as client:
        result = await client.call_tool("read_note", {"path": path})
    error: dict[str, Any] = json.loads(result.content[0].text)["error"]  # type: ignore[union-attr]
    return error


@pytest.mark.parametrize(
    ("pending", "path", "code"),
    [
        (900, "Garden/Bees.md", "not_found"),
        (2, "Garden/Waits", "index_building"),
        (2, "Garden/Bees.md", "not_found"),
    ],
)
async def test_a_missing_note_may_still_be_indexed(pending: int, path: str, code: str) -> None:
    error = await error_of_reading(Building("indexing", pending, 9.0), path)
    assert error["code"] == code
    assert (await error_of_reading(Building("ready", 0, None), path))["code"] == "not_found"


async def test_the_nearest_notes_are_told_before_they_are_embedded() -> None:
    error = await error_of_reading(Building("indexing", 900, 9.0), "Garden/Beehive.md")
    assert (error["code"], error["nearest"]) == ("not_found", ["Garden/Beehives.md"])


def test_notes_that_only_wait_for_embeddings_are_not_being_built() -> None:
    embedding = Building("indexing", 0, None)
    embedding.told = replace(embedding.told, queue=QueueStatus(pending=900))
    assert search(embedding)["results"] == []


@pytest.mark.parametrize(("eta", "wait"), [(12.5, 12.5), (None, 5.0), (687.0, 30.0)])
def test_no_results_in_an_incomplete_index(eta: float | None, wait: float) -> None:
    with pytest.raises(BusyError) as caught:
        search(Building("indexing", 900, eta))
    error = failure(caught.value)["error"]
    assert (error["code"], error["retry_after"]) == ("index_building", wait)
    assert "900 wait" in error["message"]


@pytest.mark.parametrize("building", [Building("ready", 0, None), Building("indexing", 1, None)])
def test_no_results_in_a_complete_index(building: Building) -> None:
    assert search(building)["results"] == []
