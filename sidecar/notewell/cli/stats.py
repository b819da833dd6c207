"""`notewell stats`: a vault in figures."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

import click

from notewell.cli.backend import backend_for, print_reply
from notewell.cli.options import Command, invocation, json_option, vault_option
from notewell.cli.output import print_facts, print_table
from notewell.cli.status import counts_text
from notewell.contract.manage import StatsReply, StatsRequest
from notewell.types import VaultRecord

_SHOWN = 10  # names of each kind
_MONTHS = 12


@click.command(cls=Command)
@vault_option
@json_option
def stats(vault: str | None, as_json: bool) -> None:
    """Show a vault in figures: types, folders, tags, months, sizes and vectors."""
    with backend_for(invocation(), vault) as (record, backend):
        print_reply(backend, StatsRequest(limit=_SHOWN), partial(_show, record), as_json=as_json)


def _show(record: VaultRecord, figures: StatsReply) -> None:
    print_facts([("vault", f"{record.name} ({record.path})"), *_facts(figures)])
    for heading, counts in (
        ("type", figures.types),
        ("folder", figures.folders),
        ("tag", figures.tags),
    ):
        rows = [(count.name or "(none)", f"{count.notes:,}") for count in counts]
        _table((heading, "notes"), rows, right=("notes",))
    months = [
        (month.month, f"{month.created:,}", f"{month.modified:,}")
        for month in figures.months[-_MONTHS:]
    ]
    _table(("month", "created", "modified"), months, right=("created", "modified"))


def _table(
    headings: tuple[str, ...], rows: Sequence[tuple[str, ...]], *, right: tuple[str, ...]
) -> None:
    if rows:
        click.echo()
        print_table(headings, rows, right=right)


def _facts(figures: StatsReply) -> Iterator[tuple[str, str]]:
    sizes = figures.sizes
    yield "notes", f"{figures.notes:,}, in {figures.chunks:,} passages"
    yield "links", f"{figures.links:,} between notes"
    yield "files", counts_text(figures.files)
    yield "text", f"{_size(sizes.notes)}; the middle note has {_size(sizes.median_note)}"
    yield "index", _size(sizes.index)
    for model in figures.models:
        name = f"{model.model}, {model.quantisation}, {model.dimensions} dimensions"
        answers_now = "" if model.answering else "; not in use"
        yield "vectors", f"{model.vectors:,} of {name}{answers_now}"


def _size(count: float) -> str:
    for unit in ("bytes", "KB", "MB", "GB"):
        if count < 1000 or unit == "GB":
            break
        count /= 1000
    return f"{count:,.0f} {unit}" if unit == "bytes" else f"{count:,.1f} {unit}"
