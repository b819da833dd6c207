"""`notewell context`: what the notes have on a query, for a language model."""

from __future__ import annotations

from typing import Any

import click

from notewell.contract.context import ContextReply, ContextRequest
from notewell.doors.cli.backend import answer
from notewell.doors.cli.options import QueryCommand, current_invocation, json_option, vault_option
from notewell.doors.cli.output import clean_lines
from notewell.doors.cli.request_options import query_argument, request_option, request_options


@click.command(cls=QueryCommand)
@query_argument(ContextRequest)
@vault_option
@request_option(ContextRequest, "budget_tokens", "--budget")
@request_options(ContextRequest, "sources", "fill", "mode", "plain")
@json_option
def context(*, vault: str | None, as_json: bool, **fields: Any) -> None:
    """Collect what the notes have on QUERY, for a language model.

    Whole notes, passages and headings, depending on how relevant each note is; numbered, so that
    an answer can cite them.
    """
    answer(vault, ContextRequest(**fields, door="cli"), _show_context, as_json=as_json)


def _show_context(reply: ContextReply) -> None:
    current_invocation().warn(reply.warnings)
    if reply.text:
        click.echo(clean_lines(reply.text))
    current_invocation().say(
        f"{reply.tokens:,} of {reply.budget_tokens:,} tokens ({reply.tokenizer}),"
        f" {len(reply.sources)} notes; {reply.left_out:,} found and left out"
    )
