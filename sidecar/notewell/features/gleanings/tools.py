"""The tool about gleanings: the links that were saved in daily notes."""

from __future__ import annotations

from notewell.doors.mcp.tool import QUERY, picked, tool_of
from notewell.features.gleanings.requests import GleaningsRequest

TOOLS = (
    tool_of(
        GleaningsRequest,
        "Saved links",
        "Links saved in daily notes, the newest first.",
        changes={"q": QUERY},
        shows=picked(
            "vault",
            "total",
            gleanings=("id", "title", "url", "description", "created", "status", "source", "note"),
        ),
        cut=("gleanings",),
        core=("query", "status", "limit", "vault"),
    ),
)
