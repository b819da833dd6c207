"""Tools that search: search, similar, context, namespaces."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated, Self

from pydantic import Field, model_validator

from notewell.contract.context import MIN_BUDGET, ContextReply, ContextRequest
from notewell.contract.search import (
    Result,
    SearchReply,
    SearchRequest,
    SimilarRequest,
    SimilarTextRequest,
)
from notewell.contract.status import LedgerRequest
from notewell.mcp.answer import compact, encode, pick, refuse_while_building
from notewell.mcp.requests import QUERY, BudgetedRequest, Change, ToolRequest, request_model
from notewell.mcp.tool import DOOR, Document, Tool, ToolContext

_MAX_RESULTS = 100
_MAX_LIMIT = 1000  # of a search as the contract has it
_TOKENS_FIELD = 10  # tokens of the field `tokens` itself

_LANGUAGE = (
    'Query language: words are ranked; "exact phrase", -word, tag:x, path:folder, file:name,'
    " [property:value], created:/modified:2026-01..2026-03 or 7d are hard conditions."
)


class SearchArguments(BudgetedRequest):
    """What `search` adds to the contract's request.

    A namespace is a vault (`Home`) or a folder of one (`Home/Projects/2026`); names of vaults have
    no slash.
    """

    namespace: (
        Annotated[
            str,
            Field(description="Only notes of this vault, or folder of it: VAULT or VAULT/FOLDER"),
        ]
        | None
    ) = None

    @property
    def vault_name(self) -> str | None:
        """The vault, named by itself or as the first part of the namespace."""
        return self.vault or (self.namespace.partition("/")[0] if self.namespace else None)

    @property
    def folder(self) -> str:
        """The namespace's folder with a / at its end; empty where it is a whole vault."""
        folder = (self.namespace or "").partition("/")[2].strip("/")
        return f"{folder}/" if folder else ""


class SimilarArguments(BudgetedRequest):
    """What `similar` adds: one tool for two requests, notes like a note and like a text."""

    path: str | None = Field(None, description="A note's path")
    text: str | None = Field(None, description="Or a text")

    @model_validator(mode="after")
    def _check_one_is_given(self) -> Self:
        if (self.path is None) == (self.text is None):
            raise ValueError("give either `path` or `text`")
        return self


class NamespacesRequest(BudgetedRequest):
    """The request of `namespaces`."""

    depth: int = Field(1, ge=1, le=10, description="How many levels of folders")


def search(context: ToolContext, request: SearchArguments) -> Document:
    """Find notes that match, best first, each with its best passage."""
    wanted = replace(request.to_record(SearchRequest), door=DOOR)
    sent, folder = wanted, request.folder
    if folder and not wanted.plain and '"' not in folder:
        # `path:` matches anywhere in a path, so more is asked for than is shown.
        limit = min(4 * wanted.limit, _MAX_LIMIT)
        sent = replace(wanted, q=f'{wanted.q} path:"{folder}"', limit=limit)
    elif folder:
        sent = replace(wanted, limit=_MAX_LIMIT)
    reply = context.backend.answer(sent)
    inside = [result for result in reply.results if result.path.startswith(folder)]
    if not inside:
        refuse_while_building(context.backend)
    return _results(reply, inside[: wanted.limit])


def similar(context: ToolContext, request: SimilarArguments) -> Document:
    """Find notes like a note or like a text."""
    if request.path is not None:
        reply = context.backend.answer(request.to_record(SimilarRequest))
    else:
        reply = context.backend.answer(request.to_record(SimilarTextRequest))
    if not reply.results:
        refuse_while_building(context.backend)
    return _results(reply, reply.results)


def _results(reply: SearchReply, results: Sequence[Result]) -> Document:
    return {
        **pick(reply, "vault", "total", "confidence"),
        "results": [_result(result) for result in results],
        "warnings": reply.warnings,
    }


def _result(result: Result) -> Document:
    return {
        **pick(result, "path", "title", "heading", "line", "score"),
        "modified": result.modified and result.modified[:10],
        **pick(result, "tags", "snippet"),
        "more": [pick(passage, "heading", "line", "snippet") for passage in result.passages],
    }


def question_context(context: ToolContext, request: ToolRequest) -> Document:
    """Gather text to answer from, with numbered sources; the whole answer is within the budget."""
    wanted = replace(request.to_record(ContextRequest), door=DOOR)
    budget = wanted.budget_tokens
    while True:
        reply = context.backend.answer(replace(wanted, budget_tokens=budget))
        if not reply.sources:
            refuse_while_building(context.backend)
        document = _context_document(reply)
        # The sources are added to the text, and JSON writes line ends and quotes longer.
        tokens = context.count_tokens(encode(compact(document))) + _TOKENS_FIELD
        excess = tokens - wanted.budget_tokens
        if excess <= 0 or budget <= MIN_BUDGET:
            return document
        budget = max(MIN_BUDGET, min(reply.tokens, budget) - excess)


def _context_document(reply: ContextReply) -> Document:
    return {
        "vault": reply.vault,
        "context": reply.text,
        "sources": [
            pick(source, "n", "path", "heading", "line", "detail") for source in reply.sources
        ],
        **pick(reply, "left_out", "confidence", "tokenizer", "warnings"),
    }


def namespaces(context: ToolContext, request: NamespacesRequest) -> Document:
    """List the vaults, and the folders of one with how many notes each has."""
    ledger = context.backend.answer(LedgerRequest())
    counts: Counter[str] = Counter()
    for entry in ledger.entries:
        if entry.state in {"indexed", "keyword_only"}:
            folders = entry.path.split("/")[:-1][: request.depth]
            counts.update(
                "/".join([ledger.vault, *folders[:level]]) for level in range(len(folders) + 1)
            )
    return {
        "vaults": [vault.name for vault in context.vaults],
        "namespaces": [
            {"namespace": namespace, "notes": notes}
            for namespace, notes in sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
        ],
    }


TOOLS = (
    Tool(
        "search",
        "Search notes",
        f"Find notes by meaning and by keyword; each result has its best passage. {_LANGUAGE}",
        request_model(
            SearchRequest,
            SearchArguments,
            fields=("q", "limit", "mode", "plain", "min_score", "everything"),
            changes={
                "q": QUERY,
                "limit": Change(at_most=_MAX_RESULTS),
                "mode": Change(doc="By keyword, by meaning, or both"),
                "plain": Change(doc="Take query as text, without operators"),
            },
        ),
        search,
        cut=("results",),
    ),
    Tool(
        "similar",
        "Similar notes",
        "Find notes like a note (`path`) or like a text.",
        request_model(
            SimilarRequest,
            SimilarArguments,
            fields=("limit", "unlinked"),
            changes={"limit": Change(at_most=_MAX_RESULTS)},
        ),
        similar,
        cut=("results",),
    ),
    Tool(
        "context",
        "Context for a question",
        "Text from the notes to answer a question with: whole notes, passages and headings, with"
        " numbers to cite as [n], within a budget of tokens.",
        request_model(
            ContextRequest,
            ToolRequest,
            fields=("q", "budget_tokens", "sources", "fill"),
            changes={"q": QUERY, "budget_tokens": Change(doc="Maximum tokens of the answer")},
        ),
        question_context,
    ),
    Tool(
        "namespaces",
        "Namespaces",
        "What `namespace` of search may be: the vaults, and a vault's folders with how many notes"
        " each has.",
        NamespacesRequest,
        namespaces,
        cut=("namespaces",),
    ),
)
