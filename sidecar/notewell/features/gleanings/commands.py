"""`notewell gleanings`: links saved in daily notes, the notes made of them; and its tool."""

from __future__ import annotations

import sys
from functools import partial

import click

from notewell.api.commands import (
    Command,
    Invocation,
    Say,
    Table,
    asking,
    backend_for,
    clean,
    current_invocation,
    emit_object,
    group,
    json_option,
    print_reply,
    request_options,
    server_for,
    show_run,
    vault_option,
    writing_backend,
)
from notewell.api.tools import QUERY, tool_of
from notewell.api.types import VaultRecord
from notewell.doors.cli.asking import EachLine, FactList, Option
from notewell.doors.cli.run_progress import ended_run
from notewell.doors.mcp.tool import pick_fields
from notewell.features.gleanings import GleaningRules
from notewell.features.gleanings.requests import (
    ExtractGleanings,
    ExtractReply,
    GleaningReply,
    GleaningRequest,
    GleaningsRequest,
    GleaningStatsReply,
    GleaningStatsRequest,
    MaintainGleanings,
    MarkGleaning,
    StatusChange,
)

_FOLDER = "gleanings.folder"


@click.command(cls=Command)
@request_options(ExtractGleanings, "full", "fetch", "dry_run")
@vault_option
@json_option
def extract(*, vault: str | None, as_json: bool, **fields: bool) -> None:
    """Make a note of each saved link, once for each address."""
    invocation = current_invocation()
    record = invocation.vault(vault)
    if not as_json and not fields["dry_run"]:
        _choose_folder(invocation, record)
    folder = invocation.settings(vault=record.path).of(GleaningRules).folder or "the vault"
    with writing_backend(invocation, record, writes_notes=True) as backend:
        show = partial(_show_extracted, folder)
        print_reply(backend, ExtractGleanings(**fields), show, as_json=as_json)


def _choose_folder(invocation: Invocation, record: VaultRecord) -> None:
    """Ask once for the folder of the notes, at a terminal and where no server has settings."""
    configuration = invocation.configuration()
    if _FOLDER in configuration.sources(record.path) or not sys.stdin.isatty():
        return
    if server_for(invocation.known(), record) is None:
        usual = invocation.settings(vault=record.path).of(GleaningRules).folder
        chosen = click.prompt("Folder of the vault for the notes", default=usual, err=True)
        configuration.put(_FOLDER, chosen)


def _show_extracted(folder: str, done: ExtractReply) -> None:
    say = current_invocation().say
    say(
        f"{done.found:,} links in {done.files:,} new or changed daily notes;"
        f" {done.created:,} notes made, {done.skipped:,} links have one"
    )
    if done.created:
        say(
            f"The notes are in {clean(folder)}, as the setting `gleanings.folder` says:"
            " `notewell gleanings list` names them"
        )
    if not done.found and not done.skipped:
        say("Links are read below the headings that `gleanings.headings` names: docs/gleanings.md")
    if done.errors:
        say(f"{done.errors:,} errors: `notewell runs show {done.run}`")
    if done.undo is not None:
        say(f"`notewell undo {done.undo}` takes the last notes back")


@click.command(cls=Command)
@request_options(MaintainGleanings, "dry_run")
@vault_option
@json_option
def maintain(*, dry_run: bool, vault: str | None, as_json: bool) -> None:
    """Check the links on the web, and wait for the end; Ctrl-C stops it.

    A link that fails on two different days becomes inactive, and active again when it answers.
    """
    with backend_for(current_invocation(), vault) as (_, backend):
        run = backend.answer(MaintainGleanings(dry_run)).run
        ended = ended_run(backend, run)
    if as_json:
        emit_object(ended)
    else:
        show_run(ended)


def _status(reply: GleaningReply) -> str:
    one = reply.gleaning
    return f"{one.status} ({one.reason})" if one.reason else one.status


def _change(one: StatusChange) -> str:
    at = f"{one.at} " if one.at else ""
    return f"{at}{one.status} by {one.by}: {one.reason}"


def _statuses(stats: GleaningStatsReply) -> str:
    return ", ".join(f"{count:,} {name}" for name, count in stats.statuses.items())


_SHOWN = (
    FactList(
        {
            "id": "{gleaning.id}",
            "title": "{gleaning.title}",
            "address": "{gleaning.url}",
            "description": "{gleaning.description}",
            "status": _status,
            "saved in": "{gleaning.days}",
            "note": lambda reply: reply.gleaning.note or "none yet",
        }
    ),
    EachLine("history", _change),
)

gleanings = group(
    "gleanings",
    """Find, extract and check links saved below a heading of daily notes.

    The settings `gleanings.*` name the headings and the folder of the notes. Nothing is requested
    from the web before `gleanings.web` is switched on.
    """,
    extract,
    asking(
        "list",
        GleaningsRequest,
        "List saved links, the newest first.",
        Table(
            "gleanings",
            {"id": "{id}", "status": "{status}", "day": "{created}", "link": "{title} <{url}>"},
        ),
        Say("{gleanings:count} of {total:,} links"),
        options=("status", Option("q", ("--find",), {"metavar": "WORDS"}), "limit"),
    ),
    asking("show", GleaningRequest, "Show one saved link.", *_SHOWN, arguments={"id": "ID"}),
    asking(
        "mark",
        MarkGleaning,
        "Give a saved link a status; hidden ones are never checked.",
        *_SHOWN,
        arguments={"id": "ID"},
        options=("status", "reason"),
    ),
    asking(
        "stats",
        GleaningStatsRequest,
        "Show the saved links in figures.",
        FactList({"links": "{total:,}, {extracted:,} with a note", "status": _statuses}),
        Table("domains", {">links": "{count:,}", "host": "{domain}"}),
    ),
    maintain,
)


# The tool of assistants.

TOOLS = (
    tool_of(
        GleaningsRequest,
        "Saved links",
        "Links saved in daily notes, the newest first.",
        changes={"q": QUERY},
        shows=pick_fields(
            "vault",
            "total",
            gleanings=("id", "title", "url", "description", "created", "status", "source", "note"),
        ),
        cut=("gleanings",),
        core=("query", "status", "limit", "vault"),
    ),
)
