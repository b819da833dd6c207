"""`notewell evidence` and `questions`: what answers, now or later; and the tool of assistants."""

from __future__ import annotations

from collections.abc import Iterator

import click

from notewell.api.commands import QueryCommand, Say, asking, clean, clean_lines, group, warn
from notewell.api.tools import QUERY, Document, pick, tool_of
from notewell.features.evidence.requests import EvidenceReply, EvidenceRequest
from notewell.features.evidence.standing_requests import (
    AddQuestion,
    QuestionShown,
    QuestionsReply,
    QuestionsRequest,
    RemoveQuestion,
)

SILENT = "Your notes do not say."
_SHOWN_CHARS = 100  # of a note that answers together with the best one


def _print(reply: EvidenceReply) -> None:
    for answer in reply.answers:
        click.echo(f"“{clean(answer.text)}”")
        click.echo(clean_lines(f"  {answer.path}:{answer.line}  {answer.confidence:.0%}"))
    if not reply.said:
        click.echo(SILENT)
        for line in _near_lines(reply):
            click.echo(line)
    for line in _companion_lines(reply):
        click.echo(line)


def _near_lines(reply: EvidenceReply) -> Iterator[str]:
    if reply.nearest:
        yield "The nearest notes:"
    for note in reply.nearest:
        yield clean_lines(f"  {note.path}:{note.line}")


def _companion_lines(reply: EvidenceReply) -> Iterator[str]:
    if reply.companions:
        yield "And, with it:"
    for companion in reply.companions:
        result = companion.result
        text = clean(" ".join(result.snippet.split()))
        cut = "…" if len(text) > _SHOWN_CHARS else ""
        yield clean_lines(f"  {result.path}:{result.line}  {text[:_SHOWN_CHARS]}{cut}")


evidence = asking(
    "evidence",
    EvidenceRequest,
    """Print the sentences of the notes that answer QUESTION, or that none does.

    They are quoted word for word, the surest first, without a language model.
    """,
    warn,
    _print,
    Say("{answers:count sentence}", when="said"),
    arguments={"q": "QUESTION"},
    options=("limit",),
    command=QueryCommand,
)


def _question_lines(reply: QuestionsReply) -> Iterator[str]:
    for question in reply.questions:
        yield f"{question.id}  {clean(question.text)}"
        for answer in question.answers:
            mark = "new: " if answer.is_new else ""
            yield f"          {mark}“{clean(answer.text)}”"
            yield clean_lines(f"          {answer.path}:{answer.line}  {answer.confidence:.0%}")


def _print_questions(reply: QuestionsReply) -> None:
    for line in _question_lines(reply):
        click.echo(line)


questions = group(
    "questions",
    """Keep questions that your notes do not answer yet, and be told when one does.

    `notewell questions add "when do the bees swarm?"`
    """,
    asking(
        "list",
        QuestionsRequest,
        "List the questions that wait, and what was written since that answers them.",
        _print_questions,
        Say("{questions:count question}, {new:count new answer}"),
    ),
    asking(
        "add",
        AddQuestion,
        "Keep TEXT, a question. What the notes say already is never told.",
        Say("{questions:count question} waiting"),
        arguments={"text": "TEXT"},
    ),
    asking(
        "shown",
        QuestionShown,
        "Mark the answers of the question ID as shown.",
        Say("{new:count new answer}"),
        arguments={"id": "ID"},
    ),
    asking(
        "remove",
        RemoveQuestion,
        "Keep the question ID no longer.",
        Say("{questions:count question} waiting"),
        arguments={"id": "ID"},
    ),
)


# The tool of assistants.


def _document(reply: EvidenceReply) -> Document:
    return {
        "said": reply.said,
        "answers": [pick(answer, "text", "path", "line", "confidence") for answer in reply.answers],
        "nearest": [pick(note, "path", "line", "snippet") for note in reply.nearest],
        "with_it": [
            {**pick(companion.result, "path", "line", "snippet"), "linked_by": companion.link_text}
            for companion in reply.companions
        ],
        "warnings": reply.warnings,
    }


TOOLS = (
    tool_of(
        EvidenceRequest,
        "Evidence",
        "The sentences of the notes that answer a question, quoted; or that the notes do not say.",
        fields=("q", "limit"),
        changes={"q": QUERY},
        shows=_document,
        cut=("with_it", "nearest", "answers"),
    ),
)
