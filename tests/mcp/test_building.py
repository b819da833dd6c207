"""While an index is being built, an empty answer is none: when to ask again is told instead."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

import orjson
import pytest
from mcp.client.client import Client

from notewell.client.backend import Backend
from notewell.contract.notes import NoteRequest
from notewell.contract.status import LedgerRequest, StatusRequest
from notewell.errors import BusyError, NotFoundError
from notewell.mcp import search_tools
from notewell.mcp.failures import failure
from notewell.mcp.jobs import Jobs
from notewell.mcp.server import build
from notewell.mcp.tool import Desk

T = TypeVar("T")


class Building:
    """An index that has hardly begun, or is ready."""

    def __init__(self, state: str, pending: int, eta: float | None) -> None:
        self._status = {
            "vault": "Home",
            "state": state,
            "notes": 3,
            "queue": {"pending": pending, "eta_s": eta},
        }

    def document(self, request: object) -> bytes:
        match request:
            case StatusRequest():
                return orjson.dumps(self._status)
            case NoteRequest(path):
                raise NotFoundError(f"no note {path!r} in the index")
            case LedgerRequest(state, path):
                waits = state == "pending" and path == "Garden/Waits.md"
                entries = [{"path": path, "state": "pending"}] if waits else []
                return orjson.dumps({"entries": entries})
        reply = {"vault": "Home", "total": 0, "confidence": None, "results": [], "warnings": []}
        return orjson.dumps(reply)


def desk(answers: Any) -> Desk:
    answering: Backend = answers
    return Desk("id", answering, len, Jobs(), ())


def ask(answers: Building) -> dict[str, Any]:
    return search_tools.search(desk(answers), search_tools.SearchAsked(query="bees"))


@dataclass(frozen=True)
class Only:
    """Answers with one index, whatever vault is named."""

    answers: Building

    async def run(self, _vault: str | None, work: Callable[[Desk], T]) -> T:
        return work(desk(self.answers))


async def code_of_reading(answers: Building, path: str) -> str:
    async with Client(build(Only(answers), may_write=lambda _: False)) as client:
        result = await client.call_tool("read_note", {"path": path})
    assert result.structured_content is not None
    code: str = result.structured_content["error"]["code"]
    return code


@pytest.mark.parametrize(
    ("pending", "path", "code"),
    [
        (900, "Garden/Bees.md", "index_building"),
        (2, "Garden/Waits", "index_building"),
        (2, "Garden/Bees.md", "not_found"),
    ],
)
async def test_a_note_that_may_yet_come_is_not_said_to_be_none(
    pending: int, path: str, code: str
) -> None:
    assert await code_of_reading(Building("indexing", pending, 9.0), path) == code
    assert await code_of_reading(Building("ready", 0, None), path) == "not_found"


@pytest.mark.parametrize(("eta", "wait"), [(12.5, 12.5), (None, 5.0), (687.0, 30.0)])
def test_nothing_found_in_an_index_that_has_hardly_begun(eta: float | None, wait: float) -> None:
    with pytest.raises(BusyError) as caught:
        ask(Building("indexing", 900, eta))
    error = failure(caught.value)["error"]
    assert (error["code"], error["retry_after"]) == ("index_building", wait)
    assert "900 wait" in error["message"]


@pytest.mark.parametrize("answers", [Building("ready", 0, None), Building("indexing", 1, None)])
def test_nothing_found_in_an_index_that_is_there(answers: Building) -> None:
    assert ask(answers)["results"] == []
