"""Prompts for common tasks, which a person picks from a list in their assistant."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from notewell.contract.context import ContextRequest
from notewell.mcp.tool import DOOR, ToolContext

_CITE = (
    "Cite the notes that you use as [n], and name their paths at the end. Say so where the notes"
    " do not answer; do not fill gaps from general knowledge."
)


@dataclass(frozen=True, slots=True)
class Argument:
    """An argument of a prompt."""

    name: str
    description: str
    required: bool = True


@dataclass(frozen=True, slots=True)
class PromptText:
    """A prompt; `text` makes the message to the assistant from checked arguments."""

    name: str
    title: str
    description: str
    arguments: tuple[Argument, ...]
    text: Callable[[ToolContext, Mapping[str, str]], str]


def _answer(context: ToolContext, given: Mapping[str, str]) -> str:
    question = given["question"]
    reply = context.backend.answer(ContextRequest(question, fill=True, door=DOOR))
    found = reply.text or "(Nothing in the notes matches the question.)"
    return f"Answer from these notes: {question}\n\n{_CITE}\n\n{found}"


def _summarize(_context: ToolContext, given: Mapping[str, str]) -> str:
    return (
        f"Summarize what my notes say about: {given['topic']}\n\n"
        "Use `context` for the topic, then `read_note` for what matters most. Group by theme, say"
        f" where notes disagree and how old they are. {_CITE}"
    )


def _connect(_context: ToolContext, given: Mapping[str, str]) -> str:
    return (
        f"Find notes that should be linked with `{given['path']}` and are not.\n\n"
        "Use `similar` with `unlinked`, and `graph_neighbors` for what is linked already. For each"
        " candidate read enough to say in one sentence what connects the two. Change nothing."
    )


def _history(_context: ToolContext, given: Mapping[str, str]) -> str:
    return (
        f"When, and in which phases, did I write about: {given['topic']}\n\n"
        "Use `archaeology`, then read the notes of the peaks. Answer with a timeline: what was"
        f" thought when, what changed, what was left open. {_CITE}"
    )


_TOPIC = (Argument("topic", "What it is about"),)

PROMPTS = (
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
        _TOPIC,
        _summarize,
    ),
    PromptText(
        "find_connections",
        "Find missing links",
        "Notes that belong together and are not linked",
        (Argument("path", "Path of a note"),),
        _connect,
    ),
    PromptText(
        "topic_history",
        "History of a topic",
        "How a topic developed over time",
        _TOPIC,
        _history,
    ),
)
