"""`notewell topics`: the topics of a vault, and what is not right with them."""

from __future__ import annotations

import click

from notewell.doors.cli.backend import answer
from notewell.doors.cli.options import Group, current_invocation, json_option, vault_option
from notewell.doors.cli.output import print_table
from notewell.features.topics.requests import (
    CheckTopics,
    TopicCheckReply,
    TopicsReply,
    TopicsRequest,
)


@click.group(cls=Group)
def topics() -> None:
    """Show and check topics: the notes of a folder that other notes name in `topics`.

    The setting `topics.folder` names the folder, `Ontology` by default.
    """


@topics.command(name="list")
@vault_option
@json_option
def list_topics(*, vault: str | None, as_json: bool) -> None:
    """List the topics, and how many notes name each."""
    answer(vault, TopicsRequest(), _show_topics, as_json=as_json)


@topics.command()
@vault_option
@json_option
def check(*, vault: str | None, as_json: bool) -> None:
    """List values that are no topic, unused topics, and topics that are alike."""
    answer(vault, CheckTopics(), _show_check, as_json=as_json)


def _show_topics(reply: TopicsReply) -> None:
    rows = [(str(one.notes), one.path, ", ".join(one.aliases)) for one in reply.topics]
    if rows:
        print_table(("notes", "topic", "aliases"), rows, right=("notes",))
    current_invocation().say(f"{len(rows):,} topics in {len(reply.folders):,} described folders")


def _show_check(reply: TopicCheckReply) -> None:
    rows = [
        *(
            (
                "no topic",
                one.note,
                f"{one.value} (meant: {one.nearest})" if one.nearest else one.value,
            )
            for one in reply.unknown
        ),
        *(("unused", path, "") for path in reply.unused),
        *(("alike", one.one, f"{one.other} ({one.by}, {one.score:.2f})") for one in reply.alike),
    ]
    if rows:
        print_table(("what", "note", "which"), rows)
    current_invocation().say(
        f"{len(reply.unknown):,} values that are no topic, {len(reply.unused):,} unused topics,"
        f" {len(reply.alike):,} pairs alike"
    )
