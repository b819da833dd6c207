"""Requests about the links of a vault, with a real engine."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from notewell.base.errors import NotFoundError
from notewell.contract.notes import NeighborsReply, NeighborsRequest
from notewell.contract.search import SearchRequest
from notewell.engine.answers import answer
from notewell.engine.engine import Engine
from notewell.features.graph.requests import (
    BridgesReply,
    BridgesRequest,
    CommunitiesReply,
    CommunitiesRequest,
    DanglingReply,
    DanglingRequest,
    GraphStatsReply,
    GraphStatsRequest,
    HubsReply,
    HubsRequest,
    MissingLinksReply,
    MissingLinksRequest,
    NeighborhoodReply,
    NeighborhoodRequest,
    OrphansReply,
    OrphansRequest,
    PathReply,
    PathRequest,
)
from tests.vaults import indexed, tiny_rules

NOTES = {
    ".obsidian/daily-notes.json": '{"folder": "Days"}',
    "Days/2026-01-01.md": "[[Bees]] and [[Roof]].",
    "Bees.md": "---\ntags: [garden]\naliases: [Honey]\n---\nBees in the garden. See [[Hive]], ![[bee.png]].",
    "Hive.md": "The hive. [[Bees]] [[Smoker]] [[Smoker]]",
    "Roof.md": "---\ntags: [garden/roof]\n---\nA garden on the roof: bees and a hive.",
    "Alone.md": "Nothing to see.",
}


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    home = tmp_path_factory.mktemp("explore")
    with indexed(home, NOTES, model=tiny_rules(home)) as opened:
        yield opened


def neighbors(engine: Engine, question: NeighborsRequest) -> NeighborsReply:
    reply = answer(engine, question)
    assert isinstance(reply, NeighborsReply)
    return reply


def test_the_graph_of_a_search_has_its_results_and_their_links(engine: Engine) -> None:
    found = answer(engine, SearchRequest("hive", weak=True))
    drawn = answer(engine, NeighborhoodRequest(q="hive", weak=True, similar=False))
    assert isinstance(drawn, NeighborhoodReply)
    assert [node.path for node in drawn.nodes] == [result.path for result in found.results]
    pairs = {frozenset((drawn.nodes[a].path, drawn.nodes[b].path)) for a, b in drawn.links}
    assert frozenset(("Bees.md", "Hive.md")) in pairs
    assert drawn.path is None


def test_neighbors_of_a_note(engine: Engine) -> None:
    reply = neighbors(engine, NeighborsRequest("Bees.md", hops=2))

    assert [(neighbor.path, neighbor.hops, neighbor.link) for neighbor in reply.neighbors] == [
        ("Days/2026-01-01.md", 1, "in"),
        ("Hive.md", 1, "both"),
        ("Roof.md", 2, None),
    ]
    assert neighbors(engine, NeighborsRequest("Bees.md", limit=1)).total == 2


def test_a_note_can_be_named_as_in_a_link(engine: Engine) -> None:
    assert neighbors(engine, NeighborsRequest("honey")).path == "Bees.md"


def test_the_error_about_an_unknown_note_lists_similar_names(engine: Engine) -> None:
    with pytest.raises(NotFoundError, match=r"Bees\.md"):
        answer(engine, NeighborsRequest("Beez.md"))


def test_daily_notes_can_be_left_out(engine: Engine) -> None:
    path = PathRequest("Bees.md", "Roof.md")
    there, gone = answer(engine, path), answer(engine, replace(path, daily=False))

    assert isinstance(there, PathReply)
    assert isinstance(gone, PathReply)
    assert (there.length, [step.link for step in there.steps]) == (2, [None, "in", "out"])
    assert (gone.length, gone.steps) == (None, ())
    around = neighbors(engine, NeighborsRequest("Days/2026-01-01.md", daily=False))
    assert around.total == 2


def test_graph_statistics(engine: Engine) -> None:
    reply = answer(engine, GraphStatsRequest())

    assert isinstance(reply, GraphStatsReply)
    assert (reply.nodes, reply.edges, reply.unresolved) == (5, 4, 1)
    assert (reply.components, reply.largest, reply.isolated, reply.orphans) == (2, 4, 1, 2)
    assert reply.hubs[0].path == "Bees.md"


def test_hubs_bridges_orphans_and_communities(engine: Engine) -> None:
    hubs, cuts = answer(engine, HubsRequest(by="pagerank")), answer(engine, BridgesRequest())
    orphans = answer(engine, OrphansRequest(daily=False))
    communities = answer(engine, CommunitiesRequest(path="Hive"))

    assert isinstance(hubs, HubsReply)
    assert hubs.total == 3
    assert isinstance(cuts, BridgesReply)
    assert [note.path for note in cuts.notes] == ["Bees.md", "Days/2026-01-01.md"]
    assert (cuts.bridges[0].source, cuts.bridges[0].cut_off) == ("Days/2026-01-01.md", 2)
    assert isinstance(orphans, OrphansReply)
    assert [note.path for note in orphans.notes] == ["Alone.md", "Roof.md"]
    assert isinstance(communities, CommunitiesReply)
    (own,) = communities.communities
    assert {note.path for note in own.notes} >= {"Hive.md", "Bees.md"}
    assert communities.single == 1


def test_dangling_links(engine: Engine) -> None:
    reply = answer(engine, DanglingRequest())

    assert isinstance(reply, DanglingReply)
    (target,) = reply.targets
    assert (target.target, target.links, target.notes) == ("Smoker", 2, ("Hive.md",))
    assert reply.attachments == 1


def test_missing_links(engine: Engine) -> None:
    reply = answer(engine, MissingLinksRequest())

    assert isinstance(reply, MissingLinksReply)
    linked = {("Bees.md", "Hive.md"), ("Days/2026-01-01.md", "Bees.md")}
    assert not linked & {(link.source, link.target) for link in reply.links}
    assert reply.compared == 5
