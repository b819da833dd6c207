"""The tool of assistants: notes that answer a question together."""

from __future__ import annotations

from notewell.api.tools import QUERY, Document, pick, tool_of
from notewell.contract.companions import CompanionsReply, CompanionsRequest


def _document(reply: CompanionsReply) -> Document:
    return {
        "first": pick(reply.first, "path", "line", "snippet") if reply.first else None,
        "companions": [
            {**pick(companion.result, "path", "line", "snippet"), "linked_by": companion.link_text}
            for companion in reply.companions
        ],
        "warnings": reply.warnings,
    }


TOOLS = (
    tool_of(
        CompanionsRequest,
        "Companions",
        "The best note on a question, and notes it links that say what it does not.",
        fields=("q", "path", "limit"),
        changes={"q": QUERY},
        shows=_document,
        cut=("companions",),
    ),
)
