"""Prompts for common tasks, which a person picks from a list in their assistant."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from notewell.doors.mcp.tool import ToolContext

CITE = (
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
