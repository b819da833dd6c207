"""`notewell search` and `notewell similar`."""

from __future__ import annotations

import unicodedata
from pathlib import Path

import click

from notewell.cli.backend import answers
from notewell.cli.documents import SearchDocument, parse
from notewell.cli.options import (
    Command,
    invocation,
    json_option,
    mode_option,
    plain_option,
    vault_option,
)
from notewell.cli.output import emit
from notewell.cli.search_output import print_results, summary
from notewell.contract.search import SearchRequest, SimilarRequest
from notewell.types import SearchMode, VaultRecord

_LIMIT = click.option(
    "--limit", type=click.IntRange(1, 1000), default=10, show_default=True, help="Most notes."
)


@click.command(cls=Command)
@click.argument("query")
@vault_option
@_LIMIT
@mode_option
@plain_option
@click.option("--everything", is_flag=True, help="Find shelved and daily notes as well.")
@click.option("--recency", type=click.FloatRange(0, 1), help="How much a note of today gains.")
@click.option(
    "--graph", type=click.FloatRange(0, 1), help="How much a note gains that the best link to."
)
@click.option("--collapse", is_flag=True, default=None, help="Leave out near-duplicates.")
@click.option("--expand", is_flag=True, default=None, help="Ask for related words as well.")
@click.option(
    "--expand-llm", is_flag=True, help="Ask the language model of [ask] for other wordings."
)
@click.option("--rerank", is_flag=True, default=None, help="Let a model read the first results.")
@click.option("--explain", is_flag=True, help="Show what each stage of the search did.")
@json_option
def search(
    *,
    query: str,
    vault: str | None,
    limit: int,
    mode: SearchMode,
    plain: bool,
    everything: bool,
    recency: float | None,
    graph: float | None,
    collapse: bool | None,
    expand: bool | None,
    expand_llm: bool,
    rerank: bool | None,
    explain: bool,
    as_json: bool,
) -> None:
    """Find notes by meaning and by keyword.

    QUERY is words, "exact phrases" and -exclusions.
    """
    request = SearchRequest(
        query,
        limit=limit,
        mode=mode,
        plain=plain,
        everything=everything,
        recency=recency,
        graph=graph,
        collapse=collapse,
        expand="llm" if expand_llm else expand,
        rerank=rerank,
        explain=explain,
        door="cli",
    )
    with answers(invocation(), vault) as (_, source):
        _show(source.document(request), as_json=as_json)


@click.command(cls=Command)
@click.argument("note")
@vault_option
@_LIMIT
@click.option("--heading", metavar="TEXT", help="Like what stands under this heading of NOTE.")
@click.option("--line", type=click.IntRange(min=1), help="Like the passage on this line of NOTE.")
@click.option("--unlinked", is_flag=True, help="Leave out notes that are linked with NOTE.")
@click.option(
    "--links",
    type=click.FloatRange(0, 1),
    default=0.0,
    show_default=True,
    help="How much being near by links counts beside being alike.",
)
@json_option
def similar(
    *,
    note: str,
    vault: str | None,
    limit: int,
    heading: str | None,
    line: int | None,
    unlinked: bool,
    links: float,
    as_json: bool,
) -> None:
    """Find notes like NOTE, or like a part of it.

    NOTE is a path within the vault, or of a file from where you are; `.md` may be left out.
    """
    with answers(invocation(), vault) as (record, source):
        request = SimilarRequest(
            path=note_path(note, record, cwd=Path.cwd()),
            heading=heading,
            line=line,
            limit=limit,
            unlinked=unlinked,
            links=links,
        )
        _show(source.document(request), as_json=as_json)


def note_path(word: str, record: VaultRecord, *, cwd: Path) -> str:
    """The vault-relative path that `word` means: within the vault first, then from `cwd`."""
    for base in (record.path, cwd):
        for name in (word, f"{word}.md"):
            file = (base / name).resolve()
            if file.is_file() and file.is_relative_to(record.path):
                return unicodedata.normalize("NFC", file.relative_to(record.path).as_posix())
    return word  # not on disk (any more); the index knows, or says that it does not


def _show(document: bytes, *, as_json: bool) -> None:
    if as_json:
        emit(document)
        return

    found = parse(document, SearchDocument)
    invocation().warn(found["warnings"])
    print_results(found)
    invocation().say(summary(found))
