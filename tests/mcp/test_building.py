"""While an index is being built, an empty answer is none: when to ask again is told instead."""

from __future__ import annotations

from typing import Any

import orjson
import pytest

from recollect.answers import Answers
from recollect.errors import BusyError
from recollect.mcp import reading
from recollect.mcp.failures import failure
from recollect.mcp.jobs import Jobs
from recollect.mcp.tool import Desk


class Building:
    """An index that has hardly begun, or is ready."""

    def __init__(self, state: str, pending: int, eta: float | None) -> None:
        self._status = {
            "vault": "Home",
            "state": state,
            "notes": 3,
            "queue": {"pending": pending, "eta_s": eta},
        }

    def status(self) -> bytes:
        return orjson.dumps(self._status)

    def search(self, _request: object) -> bytes:
        reply = {"vault": "Home", "total": 0, "confidence": None, "results": [], "warnings": []}
        return orjson.dumps(reply)


def desk(answers: Any) -> Desk:
    answering: Answers = answers
    return Desk("id", answering, len, Jobs(), ())


def ask(answers: Building) -> dict[str, Any]:
    return reading.search(desk(answers), reading.SearchAsked(query="bees"))


@pytest.mark.parametrize(("eta", "wait"), [(12.5, 12.5), (None, 5.0)])
def test_nothing_found_in_an_index_that_has_hardly_begun(eta: float | None, wait: float) -> None:
    with pytest.raises(BusyError) as caught:
        ask(Building("indexing", 900, eta))
    error = failure(caught.value)["error"]
    assert (error["code"], error["retry_after"]) == ("index_building", wait)
    assert "900 wait" in error["message"]


@pytest.mark.parametrize("answers", [Building("ready", 0, None), Building("indexing", 1, None)])
def test_nothing_found_in_an_index_that_is_there(answers: Building) -> None:
    assert ask(answers)["results"] == []
