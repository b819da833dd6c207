"""All tools, in the order in which assistants see them. A new one is added to its module."""

from __future__ import annotations

from notewell.mcp import index_tools, memory_tools, namespaces, search_tools, vault_tools
from notewell.mcp.tool import Tool

TOOLS: tuple[Tool, ...] = (
    *search_tools.TOOLS,
    *vault_tools.TOOLS,
    *namespaces.TOOLS,
    *memory_tools.TOOLS,
    *index_tools.TOOLS,
)
