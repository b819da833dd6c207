"""`notewell context`: what the notes have on a query, for a language model."""

from __future__ import annotations

from notewell.contract.context import ContextRequest
from notewell.doors.cli.asking import Option, Say, TextLine, asking, warn
from notewell.doors.cli.options import QueryCommand

context = asking(
    "context",
    ContextRequest,
    """Collect what the notes have on QUERY, for a language model.

    Whole notes, passages and headings, depending on how relevant each note is; numbered, so that
    an answer can cite them.
    """,
    warn,
    TextLine("{text}", when="text"),
    Say(
        "{tokens:,} of {budget_tokens:,} tokens ({tokenizer}),"
        " {sources:count} notes; {left_out:,} found and left out"
    ),
    arguments={"q": "QUERY"},
    options=("vault", Option("budget_tokens", ("--budget",)), "sources", "fill", "mode", "plain"),
    fixed={"door": "cli"},
    command=QueryCommand,
)
