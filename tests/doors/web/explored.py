"""Fake replies to requests about a whole vault: one of each kind."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from notewell.contract.notes import Neighbor, NeighborsReply, NeighborsRequest
from notewell.contract.request import Request
from notewell.contract.search import CompleteReply, CompleteRequest, Completion
from notewell.features.archaeology.requests import (
    ArchaeologyReply,
    ArchaeologyRequest,
    Bucket,
    DatedNote,
    Gap,
    Interval,
    Peak,
)
from notewell.features.graph.requests import (
    BridgeLink,
    BridgesReply,
    BridgesRequest,
    CommunitiesReply,
    CommunitiesRequest,
    Community,
    CutNote,
    DanglingReply,
    DanglingRequest,
    DanglingTarget,
    GraphNote,
    GraphStatsReply,
    GraphStatsRequest,
    Hub,
    HubsReply,
    HubsRequest,
    MissingLink,
    MissingLinksReply,
    MissingLinksRequest,
    NeighborhoodNote,
    NeighborhoodReply,
    NeighborhoodRequest,
    OrphansReply,
    OrphansRequest,
    PathReply,
    PathRequest,
    PathStep,
)

BEES, ZURICH = "Garden/Bees.md", "Zürich.md"
_NOTE = GraphNote(ZURICH, "Zürich", 2, 1)
_HUB = Hub(ZURICH, "Zürich", 2, 1, 0.5)
_DAY = "2026-03-02"
_DATED = DatedNote(_DAY, "daily", BEES, "Bees", None, 1, "Bees …", 0.5, "obsidian://open")
_STEPS = (PathStep(BEES, "Bees", None), PathStep(ZURICH, "Zürich", "out"))

EXPLORED: Mapping[type[Request[Any]], object] = {
    NeighborsRequest: NeighborsReply(
        "Home", 7, BEES, 1, "out", 0.5, 1, (Neighbor(ZURICH, "Zürich", 1, 0.5, 1, "out"),)
    ),
    NeighborhoodRequest: NeighborhoodReply(
        vault="Home",
        generation=7,
        path=BEES,
        total=2,
        nodes=(
            NeighborhoodNote(BEES, "Bees", 0, 1),
            NeighborhoodNote(ZURICH, "Zürich", None, 1),
        ),
        links=((0, 1),),
        similar=((0, 1, 0.5),),
        warnings=(),
    ),
    PathRequest: PathReply("Home", 7, BEES, ZURICH, directed=False, length=1, steps=_STEPS),
    HubsRequest: HubsReply("Home", 7, "links", 1, (_HUB,)),
    GraphStatsRequest: GraphStatsReply("Home", 7, 3, 2, 1, 1, 3, 0, 1, (_HUB,)),
    BridgesRequest: BridgesReply(
        "Home",
        7,
        1,
        1,
        (BridgeLink(BEES, ZURICH, 1),),
        (CutNote(ZURICH, "Zürich", 1),),
    ),
    CommunitiesRequest: CommunitiesReply(
        "Home", 7, 1, 0, 0.25, (Community("Zürich", 3, ("lake",), (_NOTE,)),)
    ),
    OrphansRequest: OrphansReply("Home", 7, 1, 0, (_NOTE,)),
    DanglingRequest: DanglingReply("Home", 7, 1, 0, (DanglingTarget("Bern", 2, 1, (ZURICH,)),)),
    MissingLinksRequest: MissingLinksReply(
        "Home", 7, 3, (MissingLink(BEES, ZURICH, 0.5, 1, ("lake",)),), ("a warning",)
    ),
    ArchaeologyRequest: ArchaeologyReply(
        query="bees",
        vault="Home",
        generation=7,
        by="auto",
        granularity="day",
        min_score=0.25,
        total=1,
        undated=0,
        first=_DAY,
        last=_DAY,
        intervals=(Interval(_DAY, _DAY, 1),),
        gaps=(Gap("2026-01-01", "2026-03-01", 60),),
        peaks=(Peak(_DAY, _DAY, 1, (_DATED,)),),
        buckets=(Bucket(_DAY, _DAY, 1),),
        notes=(_DATED,),
        warnings=(),
    ),
    CompleteRequest: CompleteReply(
        "tag:gar", "Home", 7, (Completion("tag", "garden", "tag:garden", 0, 2),)
    ),
}
