"""An item of Zotero as a note: properties, abstract, annotations with their pages, notes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from html.parser import HTMLParser

from notewell.api.notes import edit_properties
from notewell.api.types import PropertyValue
from notewell_zotero.library import LibraryItem

TAG = "zotero"
_GROUP = "group "  # how the folder of a group is called, before its number
_YEAR = re.compile(r"\b(\d{4})\b")
_CITATION_KEY = re.compile(r"(?im)^citation key: *(\S+)$")  # as Better BibTeX writes it
# What would be a link, a tag, code, a comment, mathematics or HTML in a note, and is not meant so.
_MARKS = re.compile(r"[\[`$]|#(?=\S)|%(?=%)|<(?=[A-Za-z/!?])|(?<=\s)\^(?=[\w-]+$)", re.MULTILINE)
_LINE_STARTS = re.compile(r"(?m)^(\s*)([#>+*|=~-]|\d+(?=[.)]))")
_BLOCKS = frozenset(
    {"p", "div", "li", "h1", "h2", "h3", "h4", "h5", "h6", "blockquote", "tr", "pre", "br"}
)
_UNSEEN = frozenset({"script", "style"})
_BREAK = "\x1e"  # a character that no text has
_MOST_TITLE = 200


@dataclass(frozen=True, slots=True)
class LibraryNote:
    """The note of an item: its Markdown, and its time in seconds."""

    text: str
    modified: float


def note_of(item: LibraryItem) -> LibraryNote:
    """Make the note of an item."""
    title = _title(item)
    parts = [f"# {_escape(title)}", *_body(item)]
    text = edit_properties("\n\n".join(parts) + "\n", _properties(item, title))
    return LibraryNote(text, item.modified)


def name_of(item: LibraryItem) -> str:
    """The path of an item's note below the folder of the library."""
    folder = f"{_GROUP}{item.group}/" if item.group is not None else ""
    return f"{folder}{item.key}.md"


def address_of(name: str) -> str:
    """The address that shows an item in Zotero, by the path of its note as `name_of` gives it."""
    folder, _, file = name.rpartition("/")
    library = f"groups/{folder.removeprefix(_GROUP)}" if folder else "library"
    return f"zotero://select/{library}/items/{file.removesuffix('.md')}"


def _title(item: LibraryItem) -> str:
    own = item.fields.get("title") or item.fields.get("caseName") or item.fields.get("subject")
    if own:
        return _one_line(own)
    return next((line[:_MOST_TITLE] for note in item.notes for line in _lines(note)), item.key)


def _properties(item: LibraryItem, title: str) -> dict[str, PropertyValue]:
    year = _YEAR.search(item.fields.get("date", ""))
    people = tuple(map(_one_line, item.people))
    citation = item.fields.get("citationKey") or next(
        iter(_CITATION_KEY.findall(item.fields.get("extra", ""))), ""
    )
    family = people[0].rpartition(" ")[2] if people else ""
    named = f"{family} {year[1]}" if family and year else ""
    values: dict[str, PropertyValue] = {
        "title": title,
        "aliases": tuple(filter(None, (citation, named))),
        "authors": people,
        "year": int(year[1]) if year else None,
        "kind": item.kind,
        "publication": _one_line(
            item.fields.get("publicationTitle") or item.fields.get("publisher") or ""
        ),
        "doi": _one_line(item.fields.get("DOI", "")),
        "url": _one_line(item.fields.get("url", "")),
        "tags": (TAG, *filter(None, map(_tag, item.tags))),
        "type": TAG,
        "created": _day(item.added),
    }
    return {name: value for name, value in values.items() if value not in (None, "", ())}


def _body(item: LibraryItem) -> Iterator[str]:
    abstract = item.fields.get("abstractNote", "").strip()
    if abstract:
        yield _escape(abstract)
    if item.annotations:
        yield "## Annotations"
    for mark in item.annotations:
        page = f" (p. {_escape(_one_line(mark.page))})" if mark.page else ""
        if mark.text:
            yield f"> {_escape(_one_line(mark.text))}{page}"
        if mark.comment:
            yield _escape(mark.comment.strip()) + ("" if mark.text else page)
    for note in item.notes:
        lines = [_escape(line) for line in _lines(note)]
        if lines:
            yield "## Note"
            yield "\n\n".join(lines)


def _lines(html: str) -> list[str]:
    """The text of a note, a line for each block of it."""
    reader = _NoteText()
    reader.feed(html)
    reader.close()
    lines = "".join(reader.parts).split(_BREAK)
    return [line for line in map(_one_line, lines) if line]


class _NoteText(HTMLParser):
    """The text of a note in pieces, with `_BREAK` where a block begins or ends."""

    def __init__(self) -> None:
        super().__init__()
        self.parts: list[str] = []
        self._unseen = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:  # noqa: ARG002 - the library's signature
        self._unseen += tag in _UNSEEN
        if tag in _BLOCKS:
            self.parts.append(_BREAK)

    def handle_endtag(self, tag: str) -> None:
        self._unseen -= tag in _UNSEEN
        if tag in _BLOCKS:
            self.parts.append(_BREAK)

    def handle_data(self, data: str) -> None:
        if not self._unseen:
            self.parts.append(data)


def _escape(text: str) -> str:
    """Text that is no Markdown as Markdown that shows it."""
    text = _MARKS.sub(r"\\\g<0>", text.replace("\\", "\\\\"))
    return _LINE_STARTS.sub(r"\1\\\2", text)


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _tag(name: str) -> str:
    """A tag of Zotero, which may have spaces, as Obsidian writes it; "" for one without letters."""
    tag = re.sub(r"[^\w/-]+", "-", name).strip("-/")
    return tag if re.search(r"[^\W\d_]", tag) else ""


def _day(seconds: float) -> str | None:
    return datetime.fromtimestamp(seconds, UTC).date().isoformat() if seconds else None
