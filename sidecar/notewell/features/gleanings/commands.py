"""`notewell gleanings`: links saved in daily notes, and the notes made of them."""

from __future__ import annotations

import click

from notewell.doors.cli.backend import answer, backend_for
from notewell.doors.cli.options import Group, current_invocation, json_option, vault_option
from notewell.doors.cli.output import clean, emit_object, print_facts, print_table
from notewell.doors.cli.progress import ended_run, show_run
from notewell.doors.cli.request_options import request_argument, request_option, request_options
from notewell.features.gleanings.requests import (
    ExtractGleanings,
    ExtractReply,
    GleaningReply,
    GleaningRequest,
    GleaningsReply,
    GleaningsRequest,
    GleaningStatsReply,
    GleaningStatsRequest,
    GleaningStatus,
    MaintainGleanings,
    MarkGleaning,
)


@click.group(cls=Group)
def gleanings() -> None:
    """Find, extract and check links saved below a heading of daily notes.

    The settings `gleanings.*` name the headings and the folder of the notes. Nothing is requested
    from the web before `gleanings.web` is switched on.
    """


@gleanings.command()
@request_options(ExtractGleanings, "full", "fetch", "dry_run")
@vault_option
@json_option
def extract(*, vault: str | None, as_json: bool, **fields: bool) -> None:
    """Make a note of each saved link, once for each address."""
    answer(vault, ExtractGleanings(**fields), _show_extracted, as_json=as_json)


@gleanings.command(name="list")
@request_options(GleaningsRequest, "status")
@request_option(GleaningsRequest, "q", "--find", metavar="WORDS")
@request_options(GleaningsRequest, "limit")
@vault_option
@json_option
def list_gleanings(
    *, status: GleaningStatus | None, q: str, limit: int, vault: str | None, as_json: bool
) -> None:
    """List saved links, the newest first."""
    answer(vault, GleaningsRequest(status, q, limit), _show_list, as_json=as_json)


@gleanings.command()
@request_argument(GleaningRequest, "id", "ID")
@vault_option
@json_option
def show(*, id: str, vault: str | None, as_json: bool) -> None:  # noqa: A002 - the contract's name
    """Show one saved link."""
    answer(vault, GleaningRequest(id), _show_one, as_json=as_json)


@gleanings.command()
@request_argument(MarkGleaning, "id", "ID")
@request_options(MarkGleaning, "status", "reason")
@vault_option
@json_option
def mark(
    *,
    id: str,  # noqa: A002 - the contract's name
    status: GleaningStatus,
    reason: str,
    vault: str | None,
    as_json: bool,
) -> None:
    """Give a saved link a status; hidden ones are never checked."""
    answer(vault, MarkGleaning(id, status, reason), _show_one, as_json=as_json)


@gleanings.command()
@vault_option
@json_option
def stats(*, vault: str | None, as_json: bool) -> None:
    """Show the saved links in figures."""
    answer(vault, GleaningStatsRequest(), _show_stats, as_json=as_json)


@gleanings.command()
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


def _show_extracted(done: ExtractReply) -> None:
    for one in done.ids:
        click.echo(one)
    say = current_invocation().say
    say(
        f"{done.found:,} links in {done.files:,} new or changed daily notes;"
        f" {done.created:,} notes made, {done.skipped:,} links have one"
    )
    if not done.found and not done.skipped:
        say("Links are read below the headings that `gleanings.headings` names: docs/gleanings.md")
    if done.errors:
        say(f"{done.errors:,} errors: `notewell runs show {done.run}`")
    if done.undo is not None:
        say(f"`notewell undo {done.undo}` takes the last notes back")


def _show_list(reply: GleaningsReply) -> None:
    rows = [
        (one.id, one.status, one.created or "", f"{one.title} <{one.url}>")
        for one in reply.gleanings
    ]
    if rows:
        print_table(("id", "status", "day", "link"), rows)
    current_invocation().say(f"{len(rows):,} of {reply.total:,} links")


def _show_one(reply: GleaningReply) -> None:
    one = reply.gleaning
    facts = [
        ("id", one.id),
        ("title", one.title),
        ("address", one.url),
        ("description", one.description),
        ("status", f"{one.status}{f' ({one.reason})' if one.reason else ''}"),
        ("saved in", ", ".join(one.days)),
        ("note", one.note or "none yet"),
    ]
    print_facts([fact for fact in facts if fact[1]])
    for change in reply.history:
        click.echo(clean(f"{change.at} {change.status} by {change.by}: {change.reason}"))


def _show_stats(stats: GleaningStatsReply) -> None:
    statuses = ", ".join(f"{count:,} {name}" for name, count in stats.statuses.items())
    print_facts(
        [("links", f"{stats.total:,}, {stats.extracted:,} with a note"), ("status", statuses)]
    )
    if stats.domains:
        rows = [(f"{one.count:,}", one.domain) for one in stats.domains]
        print_table(("links", "host"), rows, right=("links",))
