"""`notewell topics`: the topics of a vault, and their problems."""

from __future__ import annotations

from collections.abc import Iterator

from notewell.doors.cli.asking import Say, Table, asking, group
from notewell.features.topics.requests import CheckTopics, TopicCheckReply, TopicsRequest


def _problems(reply: TopicCheckReply) -> Iterator[tuple[str, str, str]]:
    for one in reply.unknown:
        meant = f" (meant: {one.nearest})" if one.nearest else ""
        yield "no topic", one.note, f"{one.value}{meant}"
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
