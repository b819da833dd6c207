"""`notewell search` and `notewell similar`: what is found for a query, or like a note."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, get_args

import click

from notewell.base.types import Signal, VaultRecord
from notewell.contract.codec import to_json
from notewell.contract.search import SearchReply, SearchRequest, SimilarRequest
from notewell.doors.cli.backend import answer, backend_for, note_path, print_reply
from notewell.doors.cli.layout import paged
from notewell.doors.cli.options import (
    Command,
    QueryCommand,
    current_invocation,
    json_option,
    vault_option,
)
from notewell.doors.cli.output import emit
from notewell.doors.cli.request_options import (
    query_argument,
    request_argument,
    request_option,
    request_options,
)
from notewell.doors.cli.search_output import NOTHING_MATCHES, correction, print_results, summary
from notewell.engine.several_vaults import merged, named, part_of

_long_option = click.option(
    "--long",
    is_flag=True,
    help="Show the whole passage of each note and where else it matches, not two lines.",
)


@click.command(cls=QueryCommand)
@query_argument(SearchRequest)
@vault_option
@request_options(
    SearchRequest,
    "limit",
    "mode",
    "group",
    "plain",
    "everything",
    "weak",
    "recency",
    "graph",
    "collapse",
)
@request_option(SearchRequest, "expand", help="Also search for related words.")
@click.option(
    "--expand-llm",
    is_flag=True,
    help="Also search for other wordings, by the language model set under [ask].",
)
@request_options(SearchRequest, "rerank")
@click.option(
    "--ignore",
    multiple=True,
    type=click.Choice(get_args(Signal)),
    help="A signal of the ranking to ignore; spelling: search for exactly what was typed."
    " May be given several times.",
)
@request_options(SearchRequest, "explain")
@_long_option
@json_option
def search(
    *,
    vault: str | None,
    as_json: bool,
    long: bool,
    expand_llm: bool,
    ignore: tuple[Signal, ...],
    **fields: Any,
) -> None:
    """Find notes by meaning and by keyword.

    QUERY is the rest of the line: words, exact phrases ('"left-hand thread"') and -exclusions.
    `--vault all`, or names with commas between, searches several vaults as one.
    """
    if expand_llm:
        fields["expand"] = "llm"
    request = SearchRequest(**fields, ignore=frozenset(ignore), door="cli")
    show = partial(_show, long=long, began=time.monotonic())
    records = named(vault, current_invocation().known().records())
    if records:
        _show_all(records, request, show, as_json=as_json)
    else:
        answer(vault, request, show, as_json=as_json)


def _of_vault(record: VaultRecord, request: SearchRequest) -> SearchReply:
    with backend_for(current_invocation(), record.id) as (_, backend):
        return backend.answer(request)


def _show_all(
    records: tuple[VaultRecord, ...],
    request: SearchRequest,
    show: Callable[[SearchReply], None],
    *,
    as_json: bool,
) -> None:
    """Search several vaults, each by its server or its index, and print one list."""
    parts = [part_of(record.name, partial(_of_vault, record, request)) for record in records]
    reply = merged(parts, request.limit)
    if as_json:
        emit(to_json(reply))
    else:
        show(reply)


@click.command(cls=Command)
@request_argument(SimilarRequest, "path", "NOTE")
@vault_option
@request_options(SimilarRequest, "limit", "heading", "line", "unlinked", "links", "weak")
@_long_option
@json_option
def similar(*, path: str, vault: str | None, as_json: bool, long: bool, **fields: Any) -> None:
    """Find notes similar to NOTE, or to a part of it.

    NOTE is a path in the vault, or a file relative to the current folder; `.md` may be left out.
    """
    with backend_for(current_invocation(), vault) as (record, backend):
        request = SimilarRequest(note_path(path, record, cwd=Path.cwd()), **fields)
        show = partial(_show, long=long, began=time.monotonic())
        print_reply(backend, request, show, as_json=as_json)


def _show(found: SearchReply, *, long: bool, began: float) -> None:
    invocation = current_invocation()
    # Where nothing matches well, `print_results` says it, with what to try on a terminal.
    invocation.warn([text for text in found.warnings if not text.startswith(NOTHING_MATCHES)])
    corrected = correction(found)
    if corrected is not None:
        invocation.say(corrected)
    seconds = time.monotonic() - began
    with paged():
        print_results(found, long=long)
    several = len(invocation.known().records()) > 1
    invocation.say(summary(found, seconds=seconds, name_vault=several))
