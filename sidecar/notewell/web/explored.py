"""The routes that look at a vault as a whole: name, request, reply, summary and example of each.

`routes` makes them from this; what they have in common stands there.
"""

from __future__ import annotations

from collections.abc import Mapping

from notewell.contract.explore import ArchaeologyReply, CompleteReply
from notewell.contract.graph import (
    BridgesReply,
    CommunitiesReply,
    DanglingReply,
    GraphStatsReply,
    HubsReply,
    MissingLinksReply,
    NeighborhoodReply,
    NeighborsReply,
    OrphansReply,
    PathReply,
)
from notewell.web import schema_explore as schema
from notewell.web.limits import Rate
from notewell.web.route import Example

# Whose rate limit is not that of other questions.
RATES: Mapping[str, Rate] = {
    "graph_bridges": "heavy",
    "graph_communities": "heavy",
    "graph_missing": "heavy",
    "graph_neighborhood": "heavy",
    "complete": "search",
}

EXPLORED: tuple[tuple[str, type[schema.ExploreAsked], type, str, Example], ...] = (
    (
        "graph_neighbors",
        schema.NeighborsAsked,
        NeighborsReply,
        "The notes within some links of a note",
        {"path": "Garden/Bees.md", "hops": 2},
    ),
    (
        "graph_neighborhood",
        schema.NeighborhoodAsked,
        NeighborhoodReply,
        "What a picture of the links shows: notes, links, likeness",
        {"path": "Garden/Bees.md", "limit": 50},
    ),
    (
        "graph_path",
        schema.PathAsked,
        PathReply,
        "The shortest way from one note to another",
        {"source": "Garden/Bees.md", "target": "Garden/Compost.md"},
    ),
    (
        "graph_hubs",
        schema.HubsAsked,
        HubsReply,
        "The notes that most others link to",
        {"limit": 5},
    ),
    (
        "graph_stats",
        schema.GraphStatsAsked,
        GraphStatsReply,
        "How many notes and links there are, and how they hang together",
        {"daily": False},
    ),
    (
        "graph_bridges",
        schema.BridgesAsked,
        BridgesReply,
        "Links and notes without which a part of the vault is cut off",
        {"limit": 5},
    ),
    (
        "graph_communities",
        schema.CommunitiesAsked,
        CommunitiesReply,
        "Groups of notes that link to each other",
        {"members": 3},
    ),
    (
        "graph_orphans",
        schema.OrphansAsked,
        OrphansReply,
        "Notes that no note links to",
        {"limit": 20},
    ),
    (
        "graph_dangling",
        schema.DanglingAsked,
        DanglingReply,
        "Links that lead to no note",
        {"limit": 20},
    ),
    (
        "graph_missing",
        schema.MissingLinksAsked,
        MissingLinksReply,
        "Notes that are alike and not linked",
        {"path": "Garden/Bees.md", "limit": 5},
    ),
    (
        "archaeology",
        schema.ArchaeologyAsked,
        ArchaeologyReply,
        "When a topic was on somebody's mind",
        {"q": "bees", "granularity": "month"},
    ),
    (
        "complete",
        schema.CompleteAsked,
        CompleteReply,
        "How a query that is being typed may go on",
        {"prefix": "spring tag:gar", "limit": 5},
    ),
)
