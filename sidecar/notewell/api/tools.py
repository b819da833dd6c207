"""Tools of assistants (MCP), made of requests, and prompts for them."""

from notewell.doors.mcp.tool import (
    CITE,
    QUERY,
    Argument,
    ArgumentChange,
    Document,
    PromptText,
    Tool,
    ToolContext,
    pick,
    tool_of,
)

__all__ = [
    "CITE",
    "QUERY",
    "Argument",
    "ArgumentChange",
    "Document",
    "PromptText",
    "Tool",
    "ToolContext",
    "pick",
    "tool_of",
]
