"""`notewell context`: what a language model should read to answer a question."""

from __future__ import annotations

from typing import TypedDict

import click

from notewell.cli.backend import answers
from notewell.cli.documents import parse
from notewell.cli.options import (
    Command,
    invocation,
    json_option,
    mode_option,
    plain_option,
    vault_option,
)
from notewell.cli.output import clean_lines, emit
from notewell.contract import context as questions
from notewell.types import SearchMode


class ContextDocument(TypedDict):
    """A context, as far as the terminal shows it."""

    text: str
    tokens: int
    budget_tokens: int
    tokenizer: str
    sources: list[dict[str, object]]
    left_out: int
    warnings: list[str]


@click.command(cls=Command)
@click.argument("query")
@vault_option
@click.option(
    "--budget",
    type=click.IntRange(questions.MIN_BUDGET, questions.MAX_BUDGET),
    default=4000,
    show_default=True,
    help="Most tokens of the text.",
)
@click.option(
    "--sources", type=click.IntRange(1, 100), default=20, show_default=True, help="Most notes."
)
@click.option("--fill", is_flag=True, help="Spend what is left of the budget on further notes.")
@mode_option
@plain_option
@json_option
def context(
    *,
    query: str,
    vault: str | None,
    budget: int,
    sources: int,
    fill: bool,
    mode: SearchMode,
    plain: bool,
    as_json: bool,
) -> None:
    """Put together what the notes have on QUERY, for a language model.

    Whole notes, passages and headings, by how near each note is to the best one; numbered, so that
    an answer can cite them.
    """
    question = questions.ContextRequest(
        query,
        budget_tokens=budget,
        sources=sources,
        fill=fill,
        mode=mode,
        plain=plain,
        door="cli",
    )
    with answers(invocation(), vault) as (_, source):
        document = source.document(question)
    if as_json:
        emit(document)
        return
    made = parse(document, ContextDocument)
    invocation().warn(made["warnings"])
    if made["text"]:
        click.echo(clean_lines(made["text"]))
    invocation().say(
        f"{made['tokens']:,} of {made['budget_tokens']:,} tokens ({made['tokenizer']}),"
        f" {len(made['sources'])} notes; {made['left_out']:,} found and left out"
    )
