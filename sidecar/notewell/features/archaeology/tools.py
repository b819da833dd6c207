"""The tool that lays a topic out over time."""

from __future__ import annotations

from notewell.features.archaeology.requests import ArchaeologyRequest
from notewell.mcp.answer import pick
from notewell.mcp.requests import QUERY, BudgetedRequest, Change, request_model
from notewell.mcp.tool import Document, Tool, ToolContext

_SHOWN_NOTES = 3  # of a peak


def archaeology(context: ToolContext, request: BudgetedRequest) -> Document:
    """Return when a topic was written about."""
    reply = context.backend.answer(request.to_record(ArchaeologyRequest))
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


TOOLS = (
    Tool(
        "archaeology",
        "A topic over time",
        "When a topic was written about: periods of activity, pauses, peaks, dated notes.",
        request_model(
            ArchaeologyRequest,
            BudgetedRequest,
            fields=("q", "limit", "granularity"),
            changes={"q": QUERY, "limit": Change(default=100)},
        ),
        archaeology,
        cut=("notes", "peaks", "gaps", "intervals"),
    ),
)
