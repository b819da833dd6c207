"""All tools, in the order in which assistants see them. A new one is added to its module."""

from __future__ import annotations

from notewell.mcp import exploring, memory_tools, namespaces, reading, writing
from notewell.mcp.tool import Tool

TOOLS: tuple[Tool, ...] = (
    *reading.TOOLS,
    *exploring.TOOLS,
    *namespaces.TOOLS,
    *memory_tools.TOOLS,
    *writing.TOOLS,
)
