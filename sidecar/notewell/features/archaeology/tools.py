"""The tool that lays a topic out over time."""

from __future__ import annotations

from collections.abc import Mapping

from notewell.doors.mcp.tool import (
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
from notewell.features.archaeology.requests import ArchaeologyReply, ArchaeologyRequest

_SHOWN_NOTES = 3  # of a peak


def _timeline(reply: ArchaeologyReply) -> Document:
    return {
        **pick(reply, "first", "last", "total", "undated", "granularity"),
        **pick(reply, "intervals", "gaps", "warnings"),
        "peaks": [
            {
                **pick(peak, "start", "end", "count"),
                "notes": [note.path for note in peak.notes[:_SHOWN_NOTES]],
            }
            for peak in reply.peaks
        ],
        "notes": [pick(note, "date", "path", "score") for note in reply.notes],
    }


def _history(_context: ToolContext, given: Mapping[str, str]) -> str:
    return (
        f"When, and in which phases, did I write about: {given['topic']}\n\n"
        "Use `archaeology`, then read the notes of the peaks. Answer with a timeline: what was"
        f" thought when, what changed, what was left open. {CITE}"
    )


TOOLS = (
    tool_of(
        ArchaeologyRequest,
        "A topic over time",
        "When a topic was written about: periods of activity, pauses, peaks, dated notes.",
        fields=("q", "limit", "granularity"),
        changes={"q": QUERY, "limit": ArgumentChange(default=100)},
        shows=_timeline,
        cut=("notes", "peaks", "gaps", "intervals"),
    ),
)

PROMPTS = (
    PromptText(
        "topic_history",
        "History of a topic",
        "How a topic developed over time",
        (Argument("topic", "What it is about"),),
        _history,
    ),
)
