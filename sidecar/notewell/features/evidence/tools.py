"""The tool of assistants that answers a question by sentences of the notes."""

from __future__ import annotations

from notewell.doors.mcp.tool import QUERY, Document, pick, tool_of
from notewell.features.evidence.requests import EvidenceReply, EvidenceRequest


def _document(reply: EvidenceReply) -> Document:
    return {
        "said": reply.said,
        "answers": [pick(one, "text", "path", "line", "confidence") for one in reply.answers],
        "nearest": [pick(one, "path", "line", "snippet") for one in reply.nearest],
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
        cut=("nearest", "answers"),
    ),
)
