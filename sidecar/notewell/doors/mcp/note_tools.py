"""Notes as assistants read them: the tools read_note and list_notes, and notes as resources."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Literal
from urllib.parse import quote, unquote, urlsplit

from pydantic import Field

from notewell.base.errors import NotFoundError, StalePassageError, UsageError
from notewell.base.types import CountTokens
from notewell.contract.context import MAX_BUDGET
from notewell.contract.notes import NoteReply, NoteRequest
from notewell.contract.search import Result, SearchRequest
from notewell.contract.status import LedgerRequest, LedgerRow
from notewell.doors.mcp.answer import refuse_while_building
from notewell.doors.mcp.arguments import NamespacedRequest, ToolPath, ToolRequest
from notewell.doors.mcp.tool import Document, Tool, ToolContext
from notewell.search.query.find_note import plain_path
from notewell.vault.named_section import section_lines
from notewell.vault.paths import DOCUMENTS

SCHEME = "notewell"
URI_TEMPLATE = f"{SCHEME}://note/{{vault}}/{{+path}}"
PAGE = 100  # resources of one list
_MAX_FOUND = 1000


class ReadRequest(ToolRequest):
    """The request of `read_note`."""

    path: ToolPath | None = Field(
        None, min_length=1, description="The note's path; `.md` may be left out"
    )
    id: str | None = Field(None, pattern=r"#\d+$", description="Or a passage's id")
    hash: str | None = Field(
        None, pattern="^[0-9a-f]{8,32}$", description="Its hash: finds it after a change"
    )
    section: str | None = Field(
        None, description="Only what is under this heading, or the block ^id"
    )
    lines: str | None = Field(
        None, pattern=r"^\d+(-\d+)?$", description="Only these lines, such as 10-40"
    )
    budget_tokens: int = Field(
        8000, ge=100, le=MAX_BUDGET, description="Maximum tokens of its text"
    )


class ListRequest(NamespacedRequest):
    """The request of `list_notes`."""

    path: ToolPath | None = Field(None, description="Only notes of this folder")
    filter: str | None = Field(None, description="Only notes that meet this, e.g. tag:x or 7d")
    order: Literal["modified", "path"] = "modified"
    limit: int = Field(50, ge=1, le=_MAX_FOUND, description="Maximum number of notes")
    offset: int = Field(0, ge=0, description="How many to skip")


@dataclass(frozen=True, slots=True)
class NotePart:
    """Lines `first` to `last` (from 1) of `total`. `cut`: the budget ended it early."""

    first: int
    last: int
    total: int
    text: str
    cut: bool


@dataclass(frozen=True, slots=True)
class NoteResource:
    """A note that can be read as a resource. `size` is in bytes."""

    uri: str
    path: str
    size: int


def read_note(context: ToolContext, request: ReadRequest) -> Document:
    """Return a note's text, or a part of it, and the lines of its headings."""
    note, stale = _asked_for(context, request)
    if note.passage is not None and request.section is None and request.lines is None:
        first, last = note.passage.lines
        request = request.model_copy(update={"lines": f"{first}-{last}"})
    part = note_part(note, request, context.count_tokens)
    return {
        "vault": note.vault,
        "path": note.path,
        "id": note.passage.id if note.passage is not None else None,
        "stale": stale,
        "title": note.title,
        "tags": note.tags,
        "modified": _day(note.modified),
        "hash": note.hash,
        "lines": f"{part.first}-{part.last}",
        "total_lines": part.total,
        "text": part.text,
        "next_line": part.last + 1 if part.cut else None,
        "headings": [
            f"{heading.line}: {'#' * heading.level} {heading.text}" for heading in note.headings
        ],
        "links": sorted({link.path for link in note.links_out if link.path}),
        "linked_from": sorted({link.path for link in note.links_in if link.path}),
    }


def _asked_for(context: ToolContext, request: ReadRequest) -> tuple[NoteReply, str | None]:
    """Return the note, and why its passage is another one than that of a stale id."""
    wanted = NoteRequest(request.path, request.id, request.hash)
    try:
        return context.backend.answer(wanted), None
    except StalePassageError as error:
        if error.nearest is None:
            raise
        return context.backend.answer(NoteRequest(id=error.nearest)), error.message


def list_notes(context: ToolContext, request: ListRequest) -> Document:
    """List paths of notes, the latest first or by path.

    Raises NotFoundError where there is no such folder, if there is no filter either.
    """
    notes: Sequence[LedgerRow | Result] = (
        _matching(context, request.filter) if request.filter else _list_indexed(context)
    )
    inside = sorted(_below(context, request, notes), key=attrgetter("path"))
    if not inside:
        refuse_while_building(context.backend)
        named = request.path or request.folder
        if named and not request.filter:
            raise NotFoundError(f"no note is in '{named}'")
    if request.order == "modified":
        inside.sort(key=lambda one: one.modified or "", reverse=True)
    return {
        "total": len(inside),
        "offset": request.offset,
        "notes": [
            {
                "path": row.path,
                "modified": _day(row.modified),
                "tags": row.tags if isinstance(row, Result) else None,
            }
            for row in inside[request.offset : request.offset + request.limit]
        ],
    }


def _below(
    context: ToolContext, request: ListRequest, notes: Sequence[LedgerRow | Result]
) -> list[LedgerRow | Result]:
    """The notes of a folder, whose name may be in other case or Unicode form.

    It may be a namespace too: one of documents, or a folder with the vault's name in front.
    """
    name = plain_path(request.path or "")
    vault = next((vault.name for vault in context.vaults if vault.id == context.vault_id), "")
    first, _, rest = name.partition("/")

    def below(*folders: str) -> list[LedgerRow | Result]:
        begin = tuple(
            _fold(f"{request.folder}{folder}/" if folder else request.folder) for folder in folders
        )
        return [note for note in notes if _fold(note.path).startswith(begin)]

    if not name:
        return below("")
    return below(name, f"{DOCUMENTS}/{name}") or (below(rest) if first == vault else [])


def _fold(path: str) -> str:
    return unicodedata.normalize("NFC", path).casefold()


def resource_uri(vault: str, path: str) -> str:
    """Return the address of a note; `vault` is an id or a name."""
    return f"{SCHEME}://note/{quote(vault, safe='')}/{quote(path)}"


def parse_resource_uri(uri: str) -> tuple[str, str]:
    """Return vault and path of a note's address; raises NotFoundError where it is not one."""
    parts = urlsplit(uri)
    vault, _, path = parts.path.lstrip("/").partition("/")
    if parts.scheme != SCHEME or parts.netloc != "note" or not vault or not path:
        raise NotFoundError(f"'{uri[:200]}' is not the address of a note: {URI_TEMPLATE}")
    return unquote(vault), unquote(path)


def list_resources(
    context: ToolContext, offset: int
) -> tuple[tuple[NoteResource, ...], int | None]:
    """Return one page of the notes, the latest first, and the offset of the next page."""
    notes = sorted(
        _list_indexed(context), key=lambda one: (one.modified or "", one.path), reverse=True
    )
    page = tuple(
        NoteResource(resource_uri(context.vault_id, note.path), note.path, note.size)
        for note in notes[offset : offset + PAGE]
    )
    following = offset + PAGE
    return page, following if following < len(notes) else None


def read_resource(context: ToolContext, path: str) -> str:
    """Return the note's text."""
    return context.backend.answer(NoteRequest(path)).content


def note_part(note: NoteReply, request: ReadRequest, count: CountTokens) -> NotePart:
    """Return the part of a note that is asked for, within the budget.

    Raises:
        SectionNotFoundError: `section` names no heading and no block; the nearest are named.
        UsageError: both `section` and `lines` are given, or the lines are not in the note.

    """
    if request.section is not None and request.lines is not None:
        raise UsageError("Give either `section` or `lines`, not both.")
    rows = note.content.splitlines()
    first, last = 1, len(rows)
    if request.section is not None:
        first, last = section_lines(note, request.section)
    elif request.lines is not None:
        first, last = _line_range(request.lines, len(rows))
    fitting = _fitting(rows[first - 1 : last], request.budget_tokens, count)
    return NotePart(
        first=first,
        last=first + len(fitting) - 1,
        total=len(rows),
        text="\n".join(fitting),
        cut=len(fitting) < last - first + 1,
    )


def _line_range(wanted: str, total: int) -> tuple[int, int]:
    begin, _, end = wanted.partition("-")
    first, last = int(begin), int(end or begin)
    if not 1 <= first <= last or first > max(total, 1):
        raise UsageError(f"The note has lines 1 to {total}; `{wanted}` is not among them.")
    return first, min(last, total)


def _fitting(rows: list[str], budget: int, count: CountTokens) -> list[str]:
    """Return the first rows that have at most `budget` tokens; at least a part of the first."""
    if count("\n".join(rows)) <= budget:
        return rows
    low, high = 0, len(rows) - 1
    while low < high:
        middle = (low + high + 1) // 2
        if count("\n".join(rows[:middle])) <= budget:
            low = middle
        else:
            high = middle - 1
    return rows[:low] or [_beginning(rows[0], budget, count)]


def _beginning(row: str, budget: int, count: CountTokens) -> str:
    """Return as much of one long line as fits."""
    size = len(row)
    while size > 1 and count(row[:size]) > budget:
        size = size * 3 // 4
    return f"{row[:size]}…"


def _list_indexed(context: ToolContext) -> list[LedgerRow]:
    entries = context.backend.answer(LedgerRequest()).entries
    return [entry for entry in entries if entry.state in {"indexed", "keyword_only"}]


def _matching(context: ToolContext, condition: str) -> Sequence[Result]:
    request = SearchRequest(condition, limit=_MAX_FOUND, mode="keyword", everything=True)
    return context.backend.answer(request).results


def _day(time: str | None) -> str | None:
    return time[:10] if time else None


TOOLS = (
    Tool(
        "read_note",
        "Read a note",
        "Read a note: all of it, the section under a heading, or some lines.",
        ReadRequest,
        read_note,
        core=("path", "section", "lines", "budget_tokens", "vault"),
    ),
    Tool(
        "list_notes",
        "List notes",
        "List notes by folder or by conditions of the query language, the latest first.",
        ListRequest,
        list_notes,
        cut=("notes",),
        core=("path", "filter", "limit", "vault"),
    ),
)
