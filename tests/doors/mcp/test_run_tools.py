"""The tools about runs, called by the official client."""

from __future__ import annotations

from tests.doors.mcp.conftest import Home, connected
from tests.doors.mcp.test_tools import ask, refused


async def test_an_assistant_sees_what_was_done(own_home: Home) -> None:
    # In the shared home the runs of other tests may stand before the first one.
    async with connected(own_home) as client:
        listed = await ask(client, "runs")
        first = next(run["id"] for run in listed["runs"] if run["kind"] == "index")
        one = await ask(client, "runs", id=first)
        missing = await refused(client, "runs", id="999999")

    assert (one["kind"], one["result"]) == ("index", "done")
    assert one["counts"]["read"] > 0
    assert missing["code"] == "not_found"


async def test_a_run_is_cancelled_only_where_writing_is_allowed(own_home: Home) -> None:
    async with connected(own_home) as client:
        assert (await refused(client, "cancel_run", id="1"))["code"] == "read_only"
    async with connected(own_home, allow_write=True) as client:
        assert (await ask(client, "cancel_run", id="1"))["result"] == "done"  # it has ended
