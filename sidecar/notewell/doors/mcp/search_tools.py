"""Tools that search: search, similar, namespaces."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Self

from pydantic import Field, model_validator

from notewell.base.errors import NotFoundError
from notewell.contract.request import request_fields
from notewell.contract.search import (
    Result,
    SearchReply,
    SearchRequest,
    SimilarRequest,
    SimilarTextRequest,
)
from notewell.contract.status import LedgerRequest
from notewell.doors.mcp.answer import indexed_paths, refuse_while_building
from notewell.doors.mcp.arguments import (
    BudgetedRequest,
    NamespacedRequest,
    ToolPath,
    request_model,
)
from notewell.doors.mcp.filters import Filters, plain_words, quote_value
from notewell.doors.mcp.tool import (
    DOOR,
    QUERY,
    ArgumentChange,
    Document,
    Tool,
    ToolContext,
    pick,
)
from notewell.vault.paths import DOCUMENTS

_MAX_RESULTS = 100
_MAX_LIMIT = 1000  # of a search as the contract has it
_MORE = 4  # times as many results as are shown are looked through

_HASH_DIGITS = 12  # enough to find a passage again, and cheap

_LANGUAGE = (
    'Query language: words are ranked; "exact phrase", -word, tag:x, path:folder, file:name,'
    " [property:value], created:/modified:2026-01..2026-03 or 7d are hard conditions."
)


# For people who look at how a search went, for pages that show list items, or filled by the tool.
_NOT_OFFERED = frozenset({"explain", "typing", "door", "group"})
_SEARCH_FIELDS = tuple(
    field.name for field in request_fields(SearchRequest) if field.name not in _NOT_OFFERED
)


class SearchArguments(NamespacedRequest):
    """Arguments of `search` beside those of the contract's request."""

    filters: Filters | None = Field(None, description="Conditions that all have to hold")

    @model_validator(mode="after")
    def _check_there_is_one_namespace(self) -> Self:
        inner = self.filters.namespace if self.filters is not None else None
        if None not in (self.namespace, inner) and self.namespace != inner:
            raise ValueError("`namespace` and `filters.namespace` differ; give one of them")
        return self

    @property
    def named(self) -> str:
        return self.namespace or (self.filters and self.filters.namespace) or ""

    def with_namespace(self, namespace: str) -> Self:
        filters = self.filters and self.filters.model_copy(update={"namespace": None})
        return self.model_copy(update={"namespace": namespace, "filters": filters})

    def shows(self, path: str) -> bool:
        """True if a note that was found is wanted."""
        globbed = self.filters is None or self.filters.matches(path)
        return path.startswith(self.folder) and globbed

    @property
    def narrows(self) -> bool:
        """True if the query may find notes that are not wanted: `path:` matches anywhere."""
        return bool(self.folder or (self.filters is not None and self.filters.path))

    def as_query(self, query: str, *, plain: bool) -> str:
        """Return a query with all conditions; in words alone where nothing of it is an operator."""
        parts = [self.filters.conditions()] if self.filters is not None else []
        if self.folder:
            parts.append(f"path:{quote_value(self.folder)}")
        conditions = " ".join(part for part in parts if part)
        if not conditions:
            return query
        text = plain_words(query) if plain else query
        return f"({text}) {conditions}" if " OR " in text else f"{text} {conditions}".strip()


class SimilarArguments(BudgetedRequest):
    """Arguments of `similar`: one tool for two requests, notes like a note and like a text."""

    path: ToolPath | None = Field(None, description="A note's path")
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
    query = request.as_query(wanted.q, plain=wanted.plain)
    sent = replace(wanted, q=query, plain=wanted.plain and query == wanted.q)
    reply = _narrow(context, request, sent) if request.narrows else context.backend.answer(sent)
    if not reply.results:
        refuse_while_building(context.backend)
        _check_documents(context, request.folder)
    return _results(reply)


def _check_documents(context: ToolContext, folder: str) -> None:
    """Raise NotFoundError where there are no documents of the namespace with this folder."""
    known = indexed_paths(context.backend) if folder.startswith(DOCUMENTS) else [folder]
    if not any(path.startswith(folder) for path in known):
        raise NotFoundError(f"no documents have the namespace '{folder.split('/')[1]}'")


def _narrow(context: ToolContext, request: SearchArguments, sent: SearchRequest) -> SearchReply:
    """Search for more than is shown, and leave out what is not wanted."""
    limit = min(_MORE * sent.limit, _MAX_LIMIT)
    reply = context.backend.answer(replace(sent, limit=limit))
    wanted = tuple(result for result in reply.results if request.shows(result.path))
    if len(wanted) < sent.limit and reply.total > limit:
        limit = _MAX_LIMIT
        reply = context.backend.answer(replace(sent, limit=limit))
        wanted = tuple(result for result in reply.results if request.shows(result.path))
    left_out = len(reply.results) - len(wanted)
    return replace(reply, results=wanted[: sent.limit], total=reply.total - left_out)


def similar(context: ToolContext, request: SimilarArguments) -> Document:
    """Find notes like a note or like a text."""
    if request.path is not None:
        reply = context.backend.answer(request.to_record(SimilarRequest))
    else:
        reply = context.backend.answer(request.to_record(SimilarTextRequest))
    if not reply.results:
        refuse_while_building(context.backend)
    return _results(reply)


def _results(reply: SearchReply) -> Document:
    return {
        **pick(reply, "vault", "total", "confidence", "corrected"),
        "results": [_result(result) for result in reply.results],
        "warnings": reply.warnings,
    }


def _result(result: Result) -> Document:
    of_files = {
        "page": result.page,
        "node": result.node,
        "embedded_in": list(result.embedded_in),
        "copies": list(result.copies),
        "reasons": [reason.text for reason in result.reasons],
        "vault": result.vault,
        "as_of": result.as_of,
    }
    return {
        "id": result.id,
        "hash": result.hash and result.hash[:_HASH_DIGITS],
        **pick(result, "path", "title", "heading", "line", "score", "match"),
        **_lines(result.lines),
        **{name: value for name, value in of_files.items() if value},
        "modified": result.modified and result.modified[:10],
        "mtime": result.mtime,
        **pick(result, "tags", "snippet"),
        "more": [
            {
                **pick(passage, "id", "heading", "line", "snippet"),
                "hash": passage.hash and passage.hash[:_HASH_DIGITS],
                **_lines(passage.lines),
            }
            for passage in result.passages
        ],
    }


def _lines(lines: tuple[int, int] | None) -> Document:
    """The lines of a passage, in short; of one line `line` says it."""
    return {"lines": f"{lines[0]}-{lines[1]}"} if lines and lines[0] < lines[1] else {}


def namespaces(context: ToolContext, request: NamespacesRequest) -> Document:
    """List the vaults, and the folders and documents of one with how many files each has."""
    ledger = context.backend.answer(LedgerRequest())
    counts: Counter[str] = Counter()
    for entry in ledger.entries:
        if entry.state in {"indexed", "keyword_only"}:
            folders = entry.path.split("/")[:-1]
            if folders[:1] == [DOCUMENTS]:
                counts["/".join(folders[1 : request.depth + 1])] += 1
                continue
            folders = folders[: request.depth]
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
            fields=_SEARCH_FIELDS,
            changes={
                "q": QUERY,
                "limit": ArgumentChange(at_most=_MAX_RESULTS),
                "mode": ArgumentChange(doc="By keyword, by meaning, or both"),
                "plain": ArgumentChange(doc="Take query as text, without operators"),
                "weak": ArgumentChange(doc="Keep weak matches"),
                "min_score": ArgumentChange(doc="Lowest score"),
            },
        ),
        search,
        cut=("results",),
        core=("query", "limit", "mode", "namespace", "weak", "budget_tokens"),
    ),
    Tool(
        "similar",
        "Similar notes",
        "Find notes like a note (`path`) or like a text.",
        request_model(
            SimilarRequest,
            SimilarArguments,
            fields=("limit", "unlinked"),
            changes={"limit": ArgumentChange(at_most=_MAX_RESULTS)},
        ),
        similar,
        cut=("results",),
        core=("path", "text", "limit", "vault"),
    ),
    Tool(
        "namespaces",
        "Namespaces",
        "What `namespace` of search may be: the vaults, a vault's folders and its namespaces of"
        " documents, with how many files each has.",
        NamespacesRequest,
        namespaces,
        cut=("namespaces",),
    ),
)
