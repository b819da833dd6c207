"""What a fake engine answers to questions about its vault as a whole: one reply of each kind."""

from __future__ import annotations

from collections.abc import Mapping

from recollect.explore import Explored
from recollect.questions.vault import (
    ArchaeologyQuestion,
    BridgesQuestion,
    CommunitiesQuestion,
    CompleteQuestion,
    DanglingQuestion,
    GraphStatsQuestion,
    HubsQuestion,
    MissingLinksQuestion,
    NeighborhoodQuestion,
    NeighborsQuestion,
    OrphansQuestion,
    PathQuestion,
    Question,
)
from recollect.replies import explore as replies

BEES, ZURICH = "Garden/Bees.md", "Zürich.md"
_NOTE = replies.GraphNote(ZURICH, "Zürich", 2, 1)
_HUB = replies.Hub(ZURICH, "Zürich", 2, 1, 0.5)
_DAY = "2026-03-02"
_DATED = replies.DatedNote(_DAY, "daily", BEES, "Bees", None, 1, "Bees …", 0.5, "obsidian://open")
_STEPS = (replies.PathStep(BEES, "Bees", None), replies.PathStep(ZURICH, "Zürich", "out"))

EXPLORED: Mapping[type[Question], Explored] = {
    NeighborsQuestion: replies.NeighborsReply(
        "Home", 7, BEES, 1, "out", 0.5, 1, (replies.Neighbor(ZURICH, "Zürich", 1, 0.5, 1, "out"),)
    ),
    NeighborhoodQuestion: replies.NeighborhoodReply(
        vault="Home",
        generation=7,
        path=BEES,
        total=2,
        nodes=(
            replies.NeighborhoodNote(BEES, "Bees", 0, 1),
            replies.NeighborhoodNote(ZURICH, "Zürich", None, 1),
        ),
        links=((0, 1),),
        similar=((0, 1, 0.5),),
        warnings=(),
    ),
    PathQuestion: replies.PathReply(
        "Home", 7, BEES, ZURICH, directed=False, length=1, steps=_STEPS
    ),
    HubsQuestion: replies.HubsReply("Home", 7, "links", 1, (_HUB,)),
    GraphStatsQuestion: replies.GraphStatsReply("Home", 7, 3, 2, 1, 1, 3, 0, 1, (_HUB,)),
    BridgesQuestion: replies.BridgesReply(
        "Home",
        7,
        1,
        1,
        (replies.BridgeLink(BEES, ZURICH, 1),),
        (replies.CutNote(ZURICH, "Zürich", 1),),
    ),
    CommunitiesQuestion: replies.CommunitiesReply(
        "Home", 7, 1, 0, 0.25, (replies.Community("Zürich", 3, ("lake",), (_NOTE,)),)
    ),
    OrphansQuestion: replies.OrphansReply("Home", 7, 1, 0, (_NOTE,)),
    DanglingQuestion: replies.DanglingReply(
        "Home", 7, 1, 0, (replies.DanglingTarget("Bern", 2, 1, (ZURICH,)),)
    ),
    MissingLinksQuestion: replies.MissingLinksReply(
        "Home", 7, 3, (replies.MissingLink(BEES, ZURICH, 0.5, 1, ("lake",)),), ("a warning",)
    ),
    ArchaeologyQuestion: replies.ArchaeologyReply(
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
        intervals=(replies.Interval(_DAY, _DAY, 1),),
        gaps=(replies.Gap("2026-01-01", "2026-03-01", 60),),
        peaks=(replies.Peak(_DAY, _DAY, 1, (_DATED,)),),
        buckets=(replies.Bucket(_DAY, _DAY, 1),),
        notes=(_DATED,),
        warnings=(),
    ),
    CompleteQuestion: replies.CompleteReply(
        "tag:gar", "Home", 7, (replies.Completion("tag", "garden", "tag:garden", 0, 2),)
    ),
}
