"""`notewell graph`: how the notes of a vault are linked."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import click

from notewell.base.types import VaultRecord
from notewell.contract.notes import NeighborsReply, NeighborsRequest
from notewell.contract.request import Request
from notewell.doors.cli.backend import answer, backend_for, note_path, print_reply
from notewell.doors.cli.options import Group, current_invocation, json_option, vault_option
from notewell.doors.cli.output import print_facts, print_table
from notewell.doors.cli.request_options import request_argument, request_options
from notewell.features.graph.requests import (
    BridgesReply,
    BridgesRequest,
    CommunitiesReply,
    CommunitiesRequest,
    DanglingReply,
    DanglingRequest,
    DanglingTarget,
    GraphStatsReply,
    GraphStatsRequest,
    Hub,
    HubsReply,
    HubsRequest,
    MissingLinksReply,
    MissingLinksRequest,
    OrphansReply,
    OrphansRequest,
    PathReply,
    PathRequest,
)

R = TypeVar("R")
_ARROWS = {"out": "->", "in": "<-", "both": "<->", None: ""}


@click.group(cls=Group)
def graph() -> None:
    """Explore how notes are linked with each other."""


@graph.command()
@request_argument(NeighborsRequest, "path", "NOTE")
@request_options(NeighborsRequest, "hops", "direction", "mode", "decay", "limit", "daily")
@vault_option
@json_option
def neighbors(*, vault: str | None, as_json: bool, **fields: Any) -> None:
    """List the notes within some links of NOTE."""
    _answer_about_notes(vault, NeighborsRequest, fields, _show_neighbors, as_json=as_json)


def _show_neighbors(near: NeighborsReply) -> None:
    rows = [
        (f"{one.hops}", f"{one.score:.3f}", f"{one.ways}", _ARROWS[one.link], one.path)
        for one in near.neighbors
    ]
    if rows:
        columns = ("hops", "score", "ways", "link", "note")
        print_table(columns, rows, right=("hops", "score", "ways"))
    _say_count(len(rows), near.total, f"notes near {near.path}")


@graph.command()
@request_argument(PathRequest, "source", "SOURCE")
@request_argument(PathRequest, "target", "TARGET")
@request_options(PathRequest, "directed", "daily")
@vault_option
@json_option
def path(*, vault: str | None, as_json: bool, **fields: Any) -> None:
    """Show the shortest path along links from SOURCE to TARGET."""
    _answer_about_notes(vault, PathRequest, fields, _show_path, as_json=as_json)


def _show_path(found: PathReply) -> None:
    if found.length is None:
        current_invocation().say(f"No links lead from {found.source} to {found.target}.")
        return
    print_table(("", "note"), [(_ARROWS[step.link], step.path) for step in found.steps])
    current_invocation().say("1 link" if found.length == 1 else f"{found.length} links")


@graph.command()
@request_options(HubsRequest, "by", "limit", "daily")
@vault_option
@json_option
def hubs(*, vault: str | None, as_json: bool, **fields: Any) -> None:
    """List the notes that most others link to."""
    answer(vault, HubsRequest(**fields), _show_hubs, as_json=as_json)


def _show_hubs(found: HubsReply) -> None:
    _print_hubs(found.hubs)
    _say_count(len(found.hubs), found.total, "notes that others link to")


@graph.command()
@request_options(GraphStatsRequest, "daily")
@vault_option
@json_option
def stats(*, vault: str | None, as_json: bool, **fields: Any) -> None:
    """Count notes and links, and the parts that links connect."""
    answer(vault, GraphStatsRequest(**fields), _show_stats, as_json=as_json)


def _show_stats(found: GraphStatsReply) -> None:
    parts = f"{found.components:,}, the largest with {found.largest:,} notes"
    print_facts(
        [
            ("notes", f"{found.nodes:,}"),
            ("links", f"{found.edges:,} between two notes, {found.unresolved:,} to none"),
            ("parts", parts),
            ("orphans", f"{found.orphans:,}, {found.isolated:,} of them without any link"),
        ]
    )
    if found.hubs:
        click.echo()
        _print_hubs(found.hubs)


@graph.command()
@request_options(BridgesRequest, "limit", "daily")
@vault_option
@json_option
def bridges(*, vault: str | None, as_json: bool, **fields: Any) -> None:
    """List the links and notes without which a part is disconnected."""
    answer(vault, BridgesRequest(**fields), _show_bridges, as_json=as_json)


def _show_bridges(found: BridgesReply) -> None:
    if found.notes:
        rows = [(f"{one.cut_off:,}", one.path) for one in found.notes]
        print_table(("cuts off", "note"), rows, right=("cuts off",))
        click.echo()
    if found.bridges:
        links = [(f"{one.cut_off:,}", one.source, one.target) for one in found.bridges]
        print_table(("cuts off", "link from", "to"), links, right=("cuts off",))
    current_invocation().say(
        f"{found.total_notes:,} notes and {found.total_bridges:,} links hold parts together"
    )


@graph.command()
@request_argument(CommunitiesRequest, "path", "NOTE")
@request_options(CommunitiesRequest, "limit", "members", "daily")
@vault_option
@json_option
def communities(*, vault: str | None, as_json: bool, **fields: Any) -> None:
    """List groups of notes that link to each other; with NOTE, its own group."""
    _answer_about_notes(vault, CommunitiesRequest, fields, _show_communities, as_json=as_json)


def _show_communities(found: CommunitiesReply) -> None:
    for one in found.communities:
        tags = "".join(f" #{tag}" for tag in one.tags)
        print_facts([(f"{one.size:,}", f"{one.name}{tags}")])
        print_facts([(" ", member.path) for member in one.notes])
    _say_count(len(found.communities), found.total, "communities")
    current_invocation().say(f"modularity {found.modularity:.2f}; {found.single:,} notes in none")


@graph.command()
@request_options(OrphansRequest, "limit", "daily")
@vault_option
@json_option
def orphans(*, vault: str | None, as_json: bool, **fields: Any) -> None:
    """List the notes that no note links to."""
    answer(vault, OrphansRequest(**fields), _show_orphans, as_json=as_json)


def _show_orphans(found: OrphansReply) -> None:
    rows = [(f"{one.links_out:,}", one.path) for one in found.notes]
    if rows:
        print_table(("links out", "note"), rows, right=("links out",))
    _say_count(len(rows), found.total, f"orphans, {found.isolated:,} without any link")


@graph.command()
@request_options(DanglingRequest, "limit", "daily")
@vault_option
@json_option
def dangling(*, vault: str | None, as_json: bool, **fields: Any) -> None:
    """List the links that lead to no note, by their target."""
    answer(vault, DanglingRequest(**fields), _show_dangling, as_json=as_json)


def _show_dangling(found: DanglingReply) -> None:
    rows = [(f"{one.links:,}", one.target, _linking_notes(one)) for one in found.targets]
    if rows:
        print_table(("links", "target", "from"), rows, right=("links",))
    _say_count(len(rows), found.total, "targets that are no note")


@graph.command()
@request_argument(MissingLinksRequest, "path", "NOTE")
@request_options(MissingLinksRequest, "limit", "daily")
@vault_option
@json_option
def missing(*, vault: str | None, as_json: bool, **fields: Any) -> None:
    """List pairs of notes that are similar and not linked; with NOTE, only its pairs."""
    _answer_about_notes(vault, MissingLinksRequest, fields, _show_missing, as_json=as_json)


def _show_missing(found: MissingLinksReply) -> None:
    current_invocation().warn(found.warnings)
    rows = [
        (
            f"{one.score:.2f}",
            f"{one.shared_links:,}",
            " ".join(f"#{tag}" for tag in one.shared_tags),
            one.source,
            one.target,
        )
        for one in found.links
    ]
    if rows:
        headings = ("similarity", "shared", "tags", "note", "similar note")
        print_table(headings, rows, right=("similarity", "shared"))
    current_invocation().say(f"{len(rows)} pairs of {found.compared:,} notes")


def _answer_about_notes(
    vault: str | None,
    request: Callable[..., Request[R]],
    fields: dict[str, Any],
    show: Callable[[R], None],
    *,
    as_json: bool,
) -> None:
    """Answer a request whose fields name notes, which are looked for in the vault first."""
    with backend_for(current_invocation(), vault) as (record, backend):
        found = dict(_with_note_paths(fields, record))
        print_reply(backend, request(**found), show, as_json=as_json)


def _with_note_paths(fields: dict[str, Any], record: VaultRecord) -> Iterator[tuple[str, Any]]:
    for name, value in fields.items():
        names_note = name in {"path", "source", "target"} and value
        yield name, note_path(value, record, cwd=Path.cwd()) if names_note else value


def _print_hubs(hubs: Iterable[Hub]) -> None:
    rows = [
        (f"{hub.links_in:,}", f"{hub.links_out:,}", f"{hub.pagerank:.4f}", hub.path) for hub in hubs
    ]
    if rows:
        print_table(("in", "out", "pagerank", "note"), rows, right=("in", "out", "pagerank"))


def _linking_notes(target: DanglingTarget) -> str:
    more = target.total_notes - len(target.notes)
    return ", ".join(target.notes) + (f" and {more:,} more" if more else "")


def _say_count(shown: int, total: int, what: str) -> None:
    part = f"{shown:,} of {total:,}" if shown < total else f"{total:,}"
    current_invocation().say(f"{part} {what}")
