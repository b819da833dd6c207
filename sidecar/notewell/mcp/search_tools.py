"""Tools that find and read notes: search, similar, read_note, list_notes, context."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal, Self

from pydantic import Field, model_validator

from notewell.contract.context import MAX_BUDGET, MIN_BUDGET, ContextRequest
from notewell.contract.fields import MAX_QUERY_CHARS
from notewell.contract.notes import NoteRequest
from notewell.contract.search import SearchRequest, SimilarRequest, SimilarTextRequest
from notewell.contract.status import LedgerRequest
from notewell.errors import UsageError
from notewell.mcp.answer import compact, encode
from notewell.mcp.building import refuse_while_building
from notewell.mcp.namespaces import Namespace, folder_of
from notewell.mcp.note_part import part_of
from notewell.mcp.tool import Asked, BudgetAsked, Desk, Document, Tool, read
from notewell.types import SearchMode

DOOR = "mcp"
MAX_FOUND = 1000
_TOKENS_FIELD = 10  # tokens of the field that says how many there are

_LANGUAGE = (
    'Query language: words are ranked; "exact phrase", -word, tag:x, path:folder, file:name,'
    " [property:value], created:/modified:2026-01..2026-03 or 7d are hard conditions."
)


class SearchAsked(BudgetAsked):
    """`search`."""

    query: str = Field(
        max_length=MAX_QUERY_CHARS, description="What to find; see the tool's description"
    )
    limit: int = Field(10, ge=1, le=100, description="Most notes")
    mode: SearchMode = Field("hybrid", description="By keyword, by meaning, or both")
    plain: bool = Field(default=False, description="Take query as text, without operators")
    min_score: float = Field(0.0, ge=0, le=1, description="Leave out notes that score below")
    namespace: Namespace | None = None
    everything: bool = Field(default=False, description="Also shelved and daily notes")


class SimilarAsked(BudgetAsked):
    """`similar`."""

    path: str | None = Field(None, description="A note's path")
    text: str | None = Field(None, description="Or a text")
    limit: int = Field(10, ge=1, le=100, description="Most notes")
    unlinked: bool = Field(default=False, description="Leave out notes that are linked already")

    @model_validator(mode="after")
    def _names_one(self) -> Self:
        if (self.path is None) == (self.text is None):
            raise ValueError("give either `path` or `text`")
        return self


class ReadAsked(Asked):
    """`read_note`."""

    path: str = Field(min_length=1, description="The note's path; `.md` may be left out")
    section: str | None = Field(None, description="Only what stands under this heading")
    lines: str | None = Field(
        None, pattern=r"^\d+(-\d+)?$", description="Only these lines, such as 10-40"
    )
    budget_tokens: int = Field(8000, ge=100, le=MAX_BUDGET, description="Most tokens of its text")


class ListAsked(BudgetAsked):
    """`list_notes`."""

    path: str | None = Field(None, description="Only notes of this folder")
    filter: str | None = Field(None, description="Only notes that meet this, e.g. tag:x or 7d")
    order: Literal["modified", "path"] = "modified"
    limit: int = Field(50, ge=1, le=MAX_FOUND, description="Most notes")
    offset: int = Field(0, ge=0, description="How many to pass over")


class ContextAsked(Asked):
    """`context`."""

    query: str = Field(max_length=MAX_QUERY_CHARS, description="The question to answer")
    budget_tokens: int = Field(4000, ge=MIN_BUDGET, le=MAX_BUDGET, description="Most tokens of it")
    sources: int = Field(20, ge=1, le=100, description="Most notes")
    fill: bool = Field(
        default=False, description="Spend what is left of the budget on notes further down"
    )


def search(desk: Desk, asked: SearchAsked) -> Document:
    """Notes that match, best first, each with its best passage."""
    folder = folder_of(asked.namespace)
    query, limit = asked.query, asked.limit
    if folder:
        # The query's `path:` matches anywhere in a path, so what it lets through is looked at.
        limit = MAX_FOUND
        if not asked.plain and '"' not in folder:
            query = f'{query} path:"{folder}"'
            limit = min(4 * asked.limit, MAX_FOUND)
    request = SearchRequest(
        query,
        limit=limit,
        mode=asked.mode,
        plain=asked.plain,
        min_score=asked.min_score,
        everything=asked.everything,
        door=DOOR,
    )
    found = read(desk.answers.document(request))
    inside = [one for one in found["results"] if one["path"].startswith(folder)]
    if not inside:
        refuse_while_building(desk)
    return _results(found, inside[: asked.limit])


def similar(desk: Desk, asked: SimilarAsked) -> Document:
    """Notes like a note or a text."""
    if (asked.path is None) == (asked.text is None):
        raise UsageError("Similar notes are asked for by a path or by a text: give one of them.")
    request: SimilarRequest | SimilarTextRequest
    if asked.path is not None:
        request = SimilarRequest(asked.path, limit=asked.limit, unlinked=asked.unlinked)
    else:
        request = SimilarTextRequest(asked.text or "", limit=asked.limit)
    found = read(desk.answers.document(request))
    if not found["results"]:
        refuse_while_building(desk)
    return _results(found, found["results"])


def read_note(desk: Desk, asked: ReadAsked) -> Document:
    """A note's text, or a part of it, with where its headings are."""
    note = read(desk.answers.document(NoteRequest(asked.path)))
    part = part_of(
        note, section=asked.section, lines=asked.lines, budget=asked.budget_tokens, count=desk.count
    )
    return {
        "vault": note["vault"],
        "path": note["path"],
        "title": note["title"],
        "tags": note["tags"],
        "modified": _day(note["modified"]),
        "lines": f"{part.first}-{part.last}",
        "total_lines": part.total,
        "text": part.text,
        "next_line": part.last + 1 if part.cut else None,
        "headings": [
            f"{one['line']}: {'#' * one['level']} {one['text']}" for one in note["headings"]
        ],
        "links": sorted({one["path"] for one in note["links_out"] if one["path"]}),
        "linked_from": sorted({one["path"] for one in note["links_in"] if one["path"]}),
    }


def list_notes(desk: Desk, asked: ListAsked) -> Document:
    """Paths of notes, the latest first or by path."""
    folder = f"{asked.path.strip('/')}/" if asked.path and asked.path.strip("/") else ""
    rows = _filtered(desk, asked.filter) if asked.filter else _indexed(desk)
    inside = [one for one in rows if one["path"].startswith(folder)]
    if not inside:
        refuse_while_building(desk)
    key: Callable[[Mapping[str, Any]], Any] = lambda one: one["path"]  # noqa: E731 - named for `sort`
    inside.sort(key=key)
    if asked.order == "modified":
        inside.sort(key=lambda one: one["modified"] or "", reverse=True)
    shown = inside[asked.offset : asked.offset + asked.limit]
    return {
        "total": len(inside),
        "offset": asked.offset,
        "notes": [
            {"path": one["path"], "modified": _day(one["modified"]), "tags": one.get("tags")}
            for one in shown
        ],
    }


def context(desk: Desk, asked: ContextAsked) -> Document:
    """Text to answer from, with numbered sources; the whole answer is within the budget."""
    budget = asked.budget_tokens
    while True:
        question = ContextRequest(
            asked.query,
            budget_tokens=budget,
            sources=asked.sources,
            fill=asked.fill,
            door=DOOR,
        )
        made = read(desk.answers.document(question))
        if not made["sources"]:
            refuse_while_building(desk)
        document = _context(made)
        # The sources stand beside the text, and JSON writes line ends and quotes longer.
        over = desk.count(encode(compact(document))) + _TOKENS_FIELD - asked.budget_tokens
        if over <= 0 or budget <= MIN_BUDGET:
            return document
        budget = max(MIN_BUDGET, min(made["tokens"], budget) - over)


def _context(made: Document) -> Document:
    shown = ("n", "path", "heading", "line", "detail")
    return {
        "vault": made["vault"],
        "context": made["text"],
        "sources": [{name: one[name] for name in shown} for one in made["sources"]],
        "left_out": made["left_out"],
        "confidence": made["confidence"],
        "tokenizer": made["tokenizer"],
        "warnings": made["warnings"],
    }


def _results(found: Document, results: list[Document]) -> Document:
    return {
        "vault": found["vault"],
        "total": found["total"],
        "confidence": found["confidence"],
        "results": [_result(one) for one in results],
        "warnings": found["warnings"],
    }


def _result(one: Document) -> Document:
    return {
        "path": one["path"],
        "title": one["title"],
        "heading": one["heading"],
        "line": one["line"],
        "score": one["score"],
        "modified": _day(one["modified"]),
        "tags": one["tags"],
        "snippet": one["snippet"],
        "more": [
            {"heading": part["heading"], "line": part["line"], "snippet": part["snippet"]}
            for part in one["passages"]
        ],
    }


def _indexed(desk: Desk) -> list[Document]:
    rows: list[Document] = read(desk.answers.document(LedgerRequest()))["entries"]
    return [one for one in rows if one["state"] in {"indexed", "keyword_only"}]


def _filtered(desk: Desk, condition: str) -> list[Document]:
    request = SearchRequest(condition, limit=MAX_FOUND, mode="keyword", everything=True)
    rows: list[Document] = read(desk.answers.document(request))["results"]
    return rows


def _day(time: str | None) -> str | None:
    return time[:10] if time else None


TOOLS = (
    Tool(
        "search",
        "Search notes",
        f"Find notes by meaning and by keyword; each result has its best passage. {_LANGUAGE}",
        SearchAsked,
        search,
        cut=("results",),
    ),
    Tool(
        "similar",
        "Similar notes",
        "Find notes like a note (`path`) or like a text.",
        SimilarAsked,
        similar,
        cut=("results",),
    ),
    Tool(
        "read_note",
        "Read a note",
        "Read a note: all of it, the section under a heading, or some lines.",
        ReadAsked,
        read_note,
    ),
    Tool(
        "list_notes",
        "List notes",
        "List notes by folder or by conditions of the query language, the latest first.",
        ListAsked,
        list_notes,
        cut=("notes",),
    ),
    Tool(
        "context",
        "Context for a question",
        "What the notes have on a question, ready to answer from: whole notes, passages and"
        " headings with numbers to cite as [n], within a budget of tokens.",
        ContextAsked,
        context,
    ),
)
