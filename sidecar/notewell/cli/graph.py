"""`notewell graph`: what the links between notes tell."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import click

from notewell.cli import documents_explore as shapes
from notewell.cli.backend import answers
from notewell.cli.documents import parse
from notewell.cli.options import AnyFunction, Group, invocation, json_option, vault_option
from notewell.cli.output import emit, print_facts, print_table
from notewell.cli.search import note_path
from notewell.contract import graph as questions
from notewell.contract.graph_replies import HubOrder
from notewell.types import Direction, VaultRecord

_ARROWS = {"out": "->", "in": "<-", "both": "<->", None: ""}


@click.group(cls=Group)
def graph() -> None:
    """See how notes are linked with each other."""


def _limit(default: int) -> Callable[[AnyFunction], AnyFunction]:
    return click.option(
        "--limit", type=click.IntRange(1, 1000), default=default, show_default=True, help="Most."
    )


def _daily_option(function: AnyFunction) -> AnyFunction:
    option = click.option(
        "--daily/--no-daily", default=True, show_default=True, help="Whether daily notes take part."
    )
    return option(function)


@graph.command()
@click.argument("note")
@click.option(
    "--hops",
    type=click.IntRange(1, questions.MAX_HOPS),
    default=1,
    show_default=True,
    help="How many links away at most.",
)
@click.option(
    "--direction",
    type=click.Choice(["out", "in", "both"]),
    default="both",
    show_default=True,
    help="Along links, against them, or either way.",
)
@click.option(
    "--decay",
    type=click.FloatRange(0, 1, min_open=True),
    default=0.5,
    show_default=True,
    help="What each hop leaves of a score.",
)
@_limit(100)
@_daily_option
@vault_option
@json_option
def neighbors(
    *,
    note: str,
    hops: int,
    direction: Direction,
    decay: float,
    limit: int,
    daily: bool,
    vault: str | None,
    as_json: bool,
) -> None:
    """List the notes within some links of NOTE."""
    with answers(invocation(), vault) as (record, source):
        document = source.document(
            questions.NeighborsRequest(
                _path(note, record), hops, direction, decay, limit, daily=daily
            )
        )
    if as_json:
        emit(document)
        return
    near = parse(document, shapes.NeighborsDocument)
    rows = [
        (
            f"{one['hops']}",
            f"{one['score']:.3f}",
            f"{one['ways']}",
            _ARROWS[one["link"]],
            one["path"],
        )
        for one in near["neighbors"]
    ]
    if rows:
        columns = ("hops", "score", "ways", "link", "note")
        print_table(columns, rows, right=("hops", "score", "ways"))
    _count(len(rows), near["total"], f"notes near {near['path']}")


@graph.command()
@click.argument("source")
@click.argument("target")
@click.option("--directed", is_flag=True, help="Only along links, not against them.")
@_daily_option
@vault_option
@json_option
def path(
    *, source: str, target: str, directed: bool, daily: bool, vault: str | None, as_json: bool
) -> None:
    """Show the shortest way from SOURCE to TARGET along links."""
    with answers(invocation(), vault) as (record, answering):
        document = answering.document(
            questions.PathRequest(
                _path(source, record), _path(target, record), directed=directed, daily=daily
            )
        )
    if as_json:
        emit(document)
        return
    found = parse(document, shapes.PathDocument)
    if found["length"] is None:
        invocation().say(f"No links lead from {found['source']} to {found['target']}.")
        return
    print_table(("", "note"), [(_ARROWS[one["link"]], one["path"]) for one in found["steps"]])
    invocation().say(f"{found['length']} links")


@graph.command()
@click.option(
    "--by",
    type=click.Choice(["links", "pagerank"]),
    default="links",
    show_default=True,
    help="By how many notes link there, or by PageRank.",
)
@_limit(10)
@_daily_option
@vault_option
@json_option
def hubs(*, by: HubOrder, limit: int, daily: bool, vault: str | None, as_json: bool) -> None:
    """List the notes that most others link to."""
    with answers(invocation(), vault) as (_, source):
        document = source.document(questions.HubsRequest(by, limit, daily=daily))
    if as_json:
        emit(document)
        return
    found = parse(document, shapes.HubsDocument)
    _print_hubs(found["hubs"])
    _count(len(found["hubs"]), found["total"], "notes that others link to")


@graph.command()
@_daily_option
@vault_option
@json_option
def stats(*, daily: bool, vault: str | None, as_json: bool) -> None:
    """Count notes and links, and say how they hang together."""
    with answers(invocation(), vault) as (_, source):
        document = source.document(questions.GraphStatsRequest(daily=daily))
    if as_json:
        emit(document)
        return
    found = parse(document, shapes.GraphStatsDocument)
    parts = f"{found['components']:,}, the largest with {found['largest']:,} notes"
    print_facts(
        [
            ("notes", f"{found['nodes']:,}"),
            ("links", f"{found['edges']:,} between two notes, {found['unresolved']:,} to none"),
            ("parts", parts),
            ("orphans", f"{found['orphans']:,}, {found['isolated']:,} of them without any link"),
        ]
    )
    if found["hubs"]:
        click.echo()
        _print_hubs(found["hubs"])


@graph.command()
@_limit(10)
@_daily_option
@vault_option
@json_option
def bridges(*, limit: int, daily: bool, vault: str | None, as_json: bool) -> None:
    """List the links and notes without which a part is cut off."""
    with answers(invocation(), vault) as (_, source):
        document = source.document(questions.BridgesRequest(limit, daily=daily))
    if as_json:
        emit(document)
        return
    found = parse(document, shapes.BridgesDocument)
    if found["notes"]:
        rows = [(f"{one['cut_off']:,}", one["path"]) for one in found["notes"]]
        print_table(("cuts off", "note"), rows, right=("cuts off",))
        click.echo()
    if found["bridges"]:
        links = [(f"{one['cut_off']:,}", one["source"], one["target"]) for one in found["bridges"]]
        print_table(("cuts off", "link from", "to"), links, right=("cuts off",))
    invocation().say(
        f"{found['total_notes']:,} notes and {found['total_bridges']:,} links hold parts together"
    )


@graph.command()
@click.argument("note", required=False)
@_limit(10)
@click.option(
    "--members",
    type=click.IntRange(1, 1000),
    default=5,
    show_default=True,
    help="Notes shown of each.",
)
@_daily_option
@vault_option
@json_option
def communities(
    *, note: str | None, limit: int, members: int, daily: bool, vault: str | None, as_json: bool
) -> None:
    """List groups of notes that link to each other; with NOTE, its own."""
    with answers(invocation(), vault) as (record, source):
        document = source.document(
            questions.CommunitiesRequest(
                _path(note, record) if note else None, limit, members, daily=daily
            )
        )
    if as_json:
        emit(document)
        return
    found = parse(document, shapes.CommunitiesDocument)
    for one in found["communities"]:
        tags = "".join(f" #{tag}" for tag in one["tags"])
        print_facts([(f"{one['size']:,}", f"{one['name']}{tags}")])
        print_facts([(" ", member["path"]) for member in one["notes"]])
    _count(len(found["communities"]), found["total"], "communities")
    invocation().say(f"modularity {found['modularity']:.2f}; {found['single']:,} notes in none")


@graph.command()
@_limit(100)
@_daily_option
@vault_option
@json_option
def orphans(*, limit: int, daily: bool, vault: str | None, as_json: bool) -> None:
    """List the notes that no note links to."""
    with answers(invocation(), vault) as (_, source):
        document = source.document(questions.OrphansRequest(limit, daily=daily))
    if as_json:
        emit(document)
        return
    found = parse(document, shapes.OrphansDocument)
    rows = [(f"{one['links_out']:,}", one["path"]) for one in found["notes"]]
    if rows:
        print_table(("links out", "note"), rows, right=("links out",))
    _count(len(rows), found["total"], f"orphans, {found['isolated']:,} without any link")


@graph.command()
@_limit(100)
@_daily_option
@vault_option
@json_option
def dangling(*, limit: int, daily: bool, vault: str | None, as_json: bool) -> None:
    """List the links that lead to no note, by their target."""
    with answers(invocation(), vault) as (_, source):
        document = source.document(questions.DanglingRequest(limit, daily=daily))
    if as_json:
        emit(document)
        return
    found = parse(document, shapes.DanglingDocument)
    rows = [(f"{one['links']:,}", one["target"], _sources(one)) for one in found["targets"]]
    if rows:
        print_table(("links", "target", "from"), rows, right=("links",))
    _count(len(rows), found["total"], "targets that no note answers to")


@graph.command()
@click.argument("note", required=False)
@_limit(10)
@_daily_option
@vault_option
@json_option
def missing(*, note: str | None, limit: int, daily: bool, vault: str | None, as_json: bool) -> None:
    """List notes that are alike and not linked; with NOTE, those like it."""
    with answers(invocation(), vault) as (record, source):
        document = source.document(
            questions.MissingLinksRequest(_path(note, record) if note else None, limit, daily=daily)
        )
    if as_json:
        emit(document)
        return
    found = parse(document, shapes.MissingLinksDocument)
    invocation().warn(found["warnings"])
    rows = [
        (
            f"{one['score']:.2f}",
            f"{one['shared_links']:,}",
            " ".join(f"#{tag}" for tag in one["shared_tags"]),
            one["source"],
            one["target"],
        )
        for one in found["links"]
    ]
    if rows:
        print_table(("alike", "shared", "tags", "note", "like it"), rows, right=("alike", "shared"))
    invocation().say(f"{len(rows)} pairs of {found['compared']:,} notes")


def _path(word: str, record: VaultRecord) -> str:
    return note_path(word, record, cwd=Path.cwd())


def _print_hubs(hubs: list[shapes.HubDocument]) -> None:
    if not hubs:
        return
    rows = [
        (f"{one['links_in']:,}", f"{one['links_out']:,}", f"{one['pagerank']:.4f}", one["path"])
        for one in hubs
    ]
    print_table(("in", "out", "pagerank", "note"), rows, right=("in", "out", "pagerank"))


def _sources(target: shapes.TargetDocument) -> str:
    more = target["total_notes"] - len(target["notes"])
    return ", ".join(target["notes"]) + (f" and {more:,} more" if more else "")


def _count(shown: int, total: int, what: str) -> None:
    part = f"{shown:,} of {total:,}" if shown < total else f"{total:,}"
    invocation().say(f"{part} {what}")
