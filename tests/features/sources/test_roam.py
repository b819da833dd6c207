"""Graphs at Roam, asked as its documentation says, with what goes wrong there."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from notewell.base.errors import CancelledError, SourceError
from notewell.features.sources.feeds import Reach, RoamGraph, feed_of
from notewell.features.sources.roam_api import (
    Pace,
    RoamDesktop,
    RoamServers,
    desktop_port,
    requested_token,
)
from notewell.features.sources.spec import SourceSpec
from tests.features.sources.fake_roam import DESKTOP_TOKEN, TOKEN, FakeRoam, running
from tests.features.sources.test_sync import Counting, Place


class Clock:
    """Time that passes only by waiting."""

    def __init__(self) -> None:
        self.time = 1000.0

    def __call__(self) -> float:
        return self.time

    def wait(self, seconds: float) -> None:
        self.time += seconds


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def roam(clock: Clock) -> Iterator[FakeRoam]:
    with running(FakeRoam(now=clock)) as served:
        yield served


@pytest.fixture
def graph(roam: FakeRoam, clock: Clock) -> RoamGraph:
    return graph_of(roam, clock)


def graph_of(roam: FakeRoam, clock: Clock, token: str = TOKEN) -> RoamGraph:
    return RoamGraph(RoamServers("mine", token, Pace(clock.wait, clock), roam.base))


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def test_pages_are_fetched_with_their_blocks_in_order(
    roam: FakeRoam, graph: RoamGraph, place: Place
) -> None:
    roam.put("page-a", "Bees", "They dance", "They sleep", edited=10)
    roam.put("page-b", "Empty", edited=0)
    assert place.sync(graph).changed == 2
    assert place.notes()["Bees.md"].endswith("- They dance ^page-a-0\n- They sleep ^page-a-1\n")


def test_only_pages_whose_blocks_changed_are_asked_for_again(
    roam: FakeRoam, graph: RoamGraph, place: Place
) -> None:
    for number in range(5):
        roam.put(f"page-{number}", f"Page {number}", "x", edited=10 + number)
    place.sync(graph)
    roam.pulled.clear()
    roam.put("page-2", "Page 2", "changed", edited=99)  # its own time does not move
    roam.put("page-9", "New", "y", edited=1)
    del roam.pages["page-4"]

    done = place.sync(graph)

    assert sorted(roam.pulled) == ["page-2", "page-9"]
    assert (done.changed, done.removed) == (2, 1)
    roam.pulled.clear()
    assert place.sync(graph).changed == 0
    assert roam.pulled == []


def test_the_limit_of_requests_is_kept(roam: FakeRoam, graph: RoamGraph, place: Place) -> None:
    for number in range(3000):  # 60 pulls and a query
        roam.put(f"page-{number:04}", f"Page {number}", edited=0)
    assert len(list(graph.items(list(roam.pages)))) == 3000
    assert roam.refused == []
    assert len(roam.pulled) == len(set(roam.pulled)) == 3000


def test_what_passes_is_waited_for(roam: FakeRoam, graph: RoamGraph, place: Place) -> None:
    roam.put("page-a", "Bees", "They dance", edited=10)
    roam.faults.extend(
        [(503, "the graph is not ready"), (500, "the query took too long to run"), (429, "slow")]
    )
    assert place.sync(graph).changed == 1


def test_a_page_that_cannot_be_pulled_keeps_no_other_out(
    roam: FakeRoam, graph: RoamGraph, place: Place
) -> None:
    for number in range(4):
        roam.put(f"page-{number}", f"Page {number}", "x", edited=10)
    roam.broken = frozenset({"page-2"})
    done = place.sync(graph)
    assert (done.changed, done.unread) == (3, 1)
    roam.broken = frozenset()
    assert place.sync(graph).changed == 1  # it was still to be asked for


def test_a_stop_at_any_instant_goes_on_from_there(
    roam: FakeRoam, graph: RoamGraph, place: Place
) -> None:
    for number in range(400):
        roam.put(f"page-{number:03}", f"Page {number}", f"((page-{number:03}-0)) x", edited=number)
    drawn = random.Random(7)
    for _ in range(200):
        try:
            place.sync(graph, Counting(stop_at=drawn.randint(1, 120)))
            break
        except CancelledError:
            continue
    asked = Counter(roam.pulled)
    assert len(place.notes()) == len(asked) == 400
    place.sync(graph)
    assert Counter(roam.pulled) == asked  # nothing is asked for once all is here


def test_the_token_goes_to_roam_alone(roam: FakeRoam, clock: Clock) -> None:
    roam.elsewhere = "https://evil.example"
    with pytest.raises(SourceError, match="not Roam's"):
        graph_of(roam, clock).stamps({})
    assert TOKEN not in repr(RoamServers("mine", TOKEN, Pace(clock.wait)))


@pytest.mark.parametrize(
    ("status", "words", "code"),
    [(400, "encrypted graphs are not supported", "encrypted_graph"), (404, "no", "bad_source")],
)
def test_what_will_not_pass_is_said(
    roam: FakeRoam, graph: RoamGraph, status: int, words: str, code: str
) -> None:
    roam.faults.append((status, words))
    with pytest.raises(SourceError) as refused:
        graph.stamps({})
    assert refused.value.code == code


def test_a_wrong_token_is_said(roam: FakeRoam, clock: Clock) -> None:
    with pytest.raises(SourceError) as refused:
        graph_of(roam, clock, "wrong").stamps({})
    assert refused.value.code == "token_refused"


def test_the_desktop_program_gives_the_same_notes(
    roam: FakeRoam, graph: RoamGraph, tmp_path: Path
) -> None:
    roam.put("page-a", "Bees", "They dance", edited=10)
    first, second = Place(tmp_path / "servers"), Place(tmp_path / "desktop")
    first.sync(graph)
    second.sync(RoamGraph(RoamDesktop("mine", DESKTOP_TOKEN, int(roam.peer.rpartition(":")[2]))))
    assert first.notes() == second.notes()


def test_a_graph_kept_on_this_computer_alone_is_asked_as_one(roam: FakeRoam) -> None:
    roam.put("page-a", "Bees", "They dance", edited=10)
    roam.is_offline = True
    desktop = RoamDesktop("mine", DESKTOP_TOKEN, int(roam.peer.rpartition(":")[2]))
    assert list(RoamGraph(desktop).stamps({})) == ["page-a"]


def test_a_token_to_read_is_granted_in_the_window_of_the_desktop_program(roam: FakeRoam) -> None:
    port = int(roam.peer.rpartition(":")[2])
    assert requested_token("mine", port) == DESKTOP_TOKEN
    assert (roam.asked[0]["graph"], roam.asked[0]["accessLevel"]) == ("mine", "read-only")


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        ("USER_REJECTED", "denied there."),
        ("GRAPH_BLOCKED", "denied there for ever"),
        ("REQUEST_IN_PROGRESS", "asking already"),
        ("TIMEOUT", "five minutes"),
    ],
)
def test_a_token_that_is_not_granted_says_why(roam: FakeRoam, answer: str, told: str) -> None:
    roam.grants = answer
    with pytest.raises(SourceError, match=told) as refused:
        requested_token("mine", int(roam.peer.rpartition(":")[2]))
    assert refused.value.code == "no_token"


def test_the_desktop_program_is_found_by_its_file(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="not found"):
        desktop_port(tmp_path)
    (tmp_path / ".roam-local-api.json").write_text(json.dumps({"port": 3334}), encoding="utf-8")
    assert desktop_port(tmp_path) == 3334


def test_nothing_is_asked_without_a_token_or_offline() -> None:
    spec = SourceSpec("roam", "", "mine")
    with pytest.raises(SourceError, match="no token"):
        feed_of(spec, Reach(lambda _: "", lambda _: None))
    with pytest.raises(SourceError, match="offline"):
        feed_of(spec, Reach(lambda _: "x", lambda _: None, offline=True))
