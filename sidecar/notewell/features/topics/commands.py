"""`notewell topics`: the topics of a vault, and their problems; and its tool."""

from __future__ import annotations

from collections.abc import Iterator

from notewell.api.commands import Say, Table, asking, group
from notewell.api.tools import Document, Tool, ToolContext, pick
from notewell.api.types import frozen
from notewell.doors.mcp.tool import Arguments
from notewell.features.topics.requests import CheckTopics, TopicCheckReply, TopicsRequest


def _problems(reply: TopicCheckReply) -> Iterator[tuple[str, str, str]]:
    for topic in reply.unknown:
        meant = f" (meant: {topic.nearest})" if topic.nearest else ""
        yield "no topic", topic.note, f"{topic.value}{meant}"
    for path in reply.unused:
        yield "unused", path, ""
    for pair in reply.alike:
        yield "alike", pair.one, f"{pair.other} ({pair.by}, {pair.score:.2f})"


topics = group(
    "topics",
    """Show and check topics: the notes of a folder that other notes name in `topics`.

    The setting `topics.folder` names the folder, `Ontology` by default.
    """,
    asking(
        "list",
        TopicsRequest,
        "List the topics, and how many notes name each.",
        Table("topics", {">notes": "{notes}", "topic": "{path}", "aliases": "{aliases}"}),
        Say("{topics:count} topics in {folders:count} described folders"),
    ),
    asking(
        "check",
        CheckTopics,
        "List values that are no topic, unused topics, and topics that are alike.",
        Table(_problems, {"what": "{0}", "note": "{1}", "which": "{2}"}),
        Say(
            "{unknown:count} values that are no topic, {unused:count} unused topics,"
            " {alike:count} pairs alike"
        ),
    ),
)


# The tool of assistants.


@frozen
class TopicsArguments:
    """Arguments of the tool `topics`."""

    check: bool = False


def _topics(context: ToolContext, request: TopicsArguments) -> Document:
    """Return the topics, or what is not right with them."""
    if request.check:
        checked = context.backend.answer(CheckTopics())
        return {
            "unknown": [pick(topic, "note", "value", "nearest") for topic in checked.unknown],
            "unused": list(checked.unused),
            "alike": [pick(topics, "one", "other", "score", "by") for topics in checked.alike],
        }
    reply = context.backend.answer(TopicsRequest())
    return {
        "topics": [pick(topic, "name", "path", "aliases", "notes") for topic in reply.topics],
        "folders": [pick(folder, "path", "purpose") for folder in reply.folders],
        "instructions": reply.instructions,
    }


TOOLS = (
    Tool(
        "topics",
        "Topics",
        "The topics of a vault, or with check: unknown, unused and similar ones.",
        Arguments(TopicsArguments),
        _topics,
        cut=("topics", "unknown", "unused", "alike"),
    ),
)
