"""`notewell stats`: a vault in figures."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypedDict

import click

from notewell.cli.backend import answers
from notewell.cli.documents import parse
from notewell.cli.options import Command, invocation, json_option, vault_option
from notewell.cli.output import emit, print_facts, print_table
from notewell.cli.status import counts_text
from notewell.contract.manage import StatsRequest

_SHOWN = 10  # names of each kind
_MONTHS = 12


class CountDocument(TypedDict):
    """How many notes have something; see `replies.manage.NamedCount`."""

    name: str | None
    notes: int


class MonthDocument(TypedDict):
    """A month; see `replies.manage.MonthCount`."""

    month: str
    created: int
    modified: int


class VectorsDocument(TypedDict):
    """Vectors of a model; see `replies.manage.ModelVectors`."""

    model: str
    quantisation: str
    dimensions: int
    vectors: int
    answering: bool


class SizesDocument(TypedDict):
    """Bytes; see `replies.manage.Sizes`."""

    notes: int
    median_note: int
    index: int


class StatsDocument(TypedDict):
    """The answer of `/api/stats`, as far as it is shown."""

    notes: int
    chunks: int
    links: int
    files: dict[str, int]
    sizes: SizesDocument
    types: list[CountDocument]
    folders: list[CountDocument]
    tags: list[CountDocument]
    months: list[MonthDocument]
    models: list[VectorsDocument]


@click.command(cls=Command)
@vault_option
@json_option
def stats(vault: str | None, as_json: bool) -> None:
    """Show a vault in figures: types, folders, tags, months, sizes and vectors."""
    with answers(invocation(), vault) as (record, source):
        document = source.document(StatsRequest(limit=_SHOWN))
    if as_json:
        emit(document)
        return
    figures = parse(document, StatsDocument)
    print_facts([("vault", f"{record.name} ({record.path})"), *_facts(figures)])
    for heading, counts in (
        ("type", figures["types"]),
        ("folder", figures["folders"]),
        ("tag", figures["tags"]),
    ):
        rows = [(count["name"] or "(none)", f"{count['notes']:,}") for count in counts]
        _table((heading, "notes"), rows, right=("notes",))
    months = [
        (month["month"], f"{month['created']:,}", f"{month['modified']:,}")
        for month in figures["months"][-_MONTHS:]
    ]
    _table(("month", "created", "modified"), months, right=("created", "modified"))


def _table(
    headings: tuple[str, ...], rows: Sequence[tuple[str, ...]], *, right: tuple[str, ...]
) -> None:
    if rows:
        click.echo()
        print_table(headings, rows, right=right)


def _facts(figures: StatsDocument) -> Iterator[tuple[str, str]]:
    sizes = figures["sizes"]
    yield "notes", f"{figures['notes']:,}, in {figures['chunks']:,} passages"
    yield "links", f"{figures['links']:,} between notes"
    yield "files", counts_text(figures["files"])
    yield "text", f"{_size(sizes['notes'])}; the middle note has {_size(sizes['median_note'])}"
    yield "index", _size(sizes["index"])
    for model in figures["models"]:
        name = f"{model['model']}, {model['quantisation']}, {model['dimensions']} dimensions"
        answers_now = "" if model["answering"] else "; not in use"
        yield "vectors", f"{model['vectors']:,} of {name}{answers_now}"


def _size(count: float) -> str:
    for unit in ("bytes", "KB", "MB", "GB"):
        if count < 1000 or unit == "GB":
            break
        count /= 1000
    return f"{count:,.0f} {unit}" if unit == "bytes" else f"{count:,.1f} {unit}"
