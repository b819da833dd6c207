"""The tool about the topics of a vault."""

from __future__ import annotations

from notewell.base.types.frozen import frozen
from notewell.doors.mcp.tool import Arguments, Document, Tool, ToolContext, pick
from notewell.features.topics.requests import CheckTopics, TopicsRequest


@frozen
class TopicsArguments:
    """Arguments of the tool `topics`."""

    check: bool = False


def topics(context: ToolContext, request: TopicsArguments) -> Document:
    """Return the topics, or what is not right with them."""
    if request.check:
        checked = context.backend.answer(CheckTopics())
        return {
            "unknown": [pick(one, "note", "value", "nearest") for one in checked.unknown],
            "unused": list(checked.unused),
            "alike": [pick(one, "one", "other", "score", "by") for one in checked.alike],
        }
    reply = context.backend.answer(TopicsRequest())
    return {
        "topics": [pick(one, "name", "path", "aliases", "notes") for one in reply.topics],
        "folders": [pick(one, "path", "purpose") for one in reply.folders],
        "instructions": reply.instructions,
    }


TOOLS = (
    Tool(
        "topics",
        "Topics",
        "The topics of a vault, or with check: unknown, unused and similar ones.",
        Arguments(TopicsArguments, budgeted=True),
        topics,
        cut=("topics", "unknown", "unused", "alike"),
    ),
)
