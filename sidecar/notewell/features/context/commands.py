"""`notewell context`: what the notes have on a query, for a language model; and its tool."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from notewell.api.commands import QueryCommand, Say, TextLine, asking, warn
from notewell.api.search import ContextReply, ContextRequest
from notewell.api.tools import (
    CITE,
    QUERY,
    Argument,
    ArgumentChange,
    Document,
    PromptText,
    ToolContext,
    pick,
    tool_of,
)
from notewell.contract.context import MIN_BUDGET
from notewell.doors.cli.asking import Option
from notewell.doors.mcp.answer import compact, refuse_while_building
from notewell.doors.mcp.budget import tokens_of
from notewell.doors.mcp.tool import DOOR

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


# The tool of assistants, and prompts that begin with it.

_SOURCE_FIELDS = ("n", "path", "heading", "line", "detail")
_ENOUGH_FOR_A_NAME = 1000  # tokens of a context in which at least one note is
_LEAST_TEXT = 0.5  # of the budget of a context, below which its sources are told in fewer words


def question_context(context: ToolContext, request: ContextRequest) -> Document:
    """Gather text to answer from, with numbered sources; the whole answer is within the budget.

    Where little room is left, the text has it: the list of sources repeats what its end says.
    """
    wanted = replace(request, door=DOOR)
    for fields in (_SOURCE_FIELDS, _SOURCE_FIELDS[:2], ()):
        reply, document = _context_within(context, wanted, fields)
        if document is not None and reply.sources:
            return document
    # Not even its text: what was found is at least named.
    named = context.backend.answer(replace(wanted, budget_tokens=_ENOUGH_FOR_A_NAME))
    if not named.sources:
        refuse_while_building(context.backend)
        return _context_document(named, ())
    return {"vault": named.vault, "sources": [pick(named.sources[0], "n", "path")]}


def _context_within(
    context: ToolContext, wanted: ContextRequest, fields: tuple[str, ...]
) -> tuple[ContextReply, Document | None]:
    """Ask for less text until the document fits; None if its text would have less than its part.

    The sources and JSON's line ends and quotes come on top of the text.
    """
    budget = wanted.budget_tokens
    least = max(MIN_BUDGET, int(wanted.budget_tokens * _LEAST_TEXT)) if fields else MIN_BUDGET
    while True:
        reply = context.backend.answer(replace(wanted, budget_tokens=budget))
        document = _context_document(reply, fields)
        excess = tokens_of(compact(document), context.count_tokens) - wanted.budget_tokens
        if excess <= 0:
            return reply, document
        if budget <= least:
            return reply, None
        budget = max(least, min(reply.tokens, budget) - excess)


def _context_document(reply: ContextReply, fields: tuple[str, ...]) -> Document:
    return {
        "vault": reply.vault,
        "context": reply.text,
        "sources": [pick(source, *fields) for source in reply.sources] if fields else None,
        **pick(reply, "left_out", "confidence"),
        "tokenizer": reply.tokenizer if fields == _SOURCE_FIELDS else None,
        "warnings": reply.warnings,
    }


def _answer(context: ToolContext, given: Mapping[str, str]) -> str:
    question = given["question"]
    reply = context.backend.answer(ContextRequest(question, fill=True, door=DOOR))
    text = reply.text or "(Nothing in the notes matches the question.)"
    return f"Answer from these notes: {question}\n\n{CITE}\n\n{text}"


def _summarize(_context: ToolContext, given: Mapping[str, str]) -> str:
    return (
        f"Summarize what my notes say about: {given['topic']}\n\n"
        "Use `context` for the topic, then `read_note` for what matters most. Group by theme, say"
        f" where notes disagree and how old they are. {CITE}"
    )


TOOLS = (
    tool_of(
        ContextRequest,
        "Context for a question",
        "Text from the notes to answer a question with, numbered to cite as [n].",
        fields=("q", "budget_tokens", "sources", "fill"),
        changes={
            "q": QUERY,
            "budget_tokens": ArgumentChange(doc="Maximum tokens of the answer"),
        },
        run=question_context,
        writes=False,
        core=("query", "budget_tokens", "vault"),
    ),
    PromptText(
        "answer_from_notes",
        "Answer from my notes",
        "Answers a question from the notes alone, with citations",
        (Argument("question", "What you want to know"),),
        _answer,
    ),
    PromptText(
        "summarize_topic",
        "Summarize a topic",
        "What the notes say about a topic, by theme, with citations",
        (Argument("topic", "What it is about"),),
        _summarize,
    ),
)
