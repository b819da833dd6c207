"""Exports that are files of text: of Notion, Bear and Apple Notes, any folder of notes, Evernote.

Notion writes an id behind every name; it is taken off, also in links. Bear's text bundles are
folders with one text each.

Evernote's (`.enex`) are notes in XML, each with its content in ENML, a kind of XHTML. See
https://dev.evernote.com/doc/articles/enml.php. Entities are not expanded but for the usual ones,
and nothing outside the file is read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from html import unescape
from html.parser import HTMLParser
from pathlib import Path, PurePosixPath

import yaml

from notewell.base.errors import SourceError
from notewell.features.sources.export_files import ExportFile, ExportFiles
from notewell.features.sources.pages import Item, SourceDocument, Unread
from notewell.features.sources.source_state import TYPES

_NOTION_ID = re.compile(r"(?: |%20)[0-9a-f]{32}(?=[/.)_]|\Z)")
_BUNDLE = re.compile(r"(.*)\.textbundle/text\.(?:md|markdown|txt)", re.IGNORECASE | re.DOTALL)
_CHUNK = 1024 * 1024
_MAX_NOTE = 100 * 1024 * 1024  # characters, with its attachments
_NOTE = re.compile(r"<note>(.*?)</note>", re.DOTALL)
_CONTENT = re.compile(r"<content>\s*(?:<!\[CDATA\[(.*)\]\]>|(.*?))\s*</content>", re.DOTALL)
_RESOURCE = re.compile(r"<resource>.*?</resource>", re.DOTALL)
_HEADINGS = {f"h{level}": "#" * level + " " for level in range(1, 7)}
_BLOCKS = frozenset({"div", "p", "li", "ul", "ol", "tr", "table", "blockquote", "pre", *_HEADINGS})


class TextExport:
    """The notes of a folder or zip file of texts. The methods are those of `Feed`."""

    def __init__(self, place: Path) -> None:
        """Nothing is read yet."""
        self._files = ExportFiles(place)

    def stamps(self, _known: Mapping[str, int]) -> Mapping[str, int]:
        """See `Feed.stamps`."""
        return {_uid(one): one.edited for one in self._notes()}

    def items(self, uids: Sequence[str] | None) -> Iterator[Item]:
        """See `Feed.items`."""
        wanted = None if uids is None else set(uids)
        with self._files.opened() as opened:
            for one in self._notes():
                if wanted is not None and _uid(one) not in wanted:
                    continue
                content = opened.read(one)
                if isinstance(content, Unread):
                    yield content
                else:
                    yield _document(one, content)

    def _notes(self) -> Iterator[ExportFile]:
        return (one for one in self._files.list() if one.path.lower().endswith(TYPES))


class EvernoteExport:
    """The notes of one `.enex` file. The methods are those of `Feed`."""

    def __init__(self, place: Path) -> None:
        """Nothing is read yet."""
        self._file = place

    def stamps(self, _known: Mapping[str, int]) -> None:
        """See `Feed.stamps`: the file has to be read whole."""
        return

    def items(self, uids: Sequence[str] | None) -> Iterator[Item]:
        """See `Feed.items`. The file has to be read whole, whatever is asked for."""
        wanted = None if uids is None else set(uids)
        for one in notes_of(self._file):
            if wanted is None or isinstance(one, Unread) or one.uid in wanted:
                yield one


def _uid(file: ExportFile) -> str:
    return f"{file.inner}/{file.path}" if file.inner else file.path


def _document(file: ExportFile, content: bytes) -> SourceDocument:
    path = _NOTION_ID.sub("", file.path)
    if bundled := _BUNDLE.fullmatch(path):
        path = f"{bundled[1]}.md"
    if PurePosixPath(path).suffix.lower() in {".md", ".markdown"} and path != file.path:
        text = content.decode("utf-8", "surrogateescape")
        content = _NOTION_ID.sub("", text).encode("utf-8", "surrogateescape")
    return SourceDocument(_uid(file), path, content, file.edited)


def notes_of(file: Path) -> Iterator[Item]:
    """The notes of an export, read one after the other. Raises SourceError if it is none."""
    number = 0
    try:
        for raw in _raw_notes(file):
            number += 1
            if raw is None:
                yield Unread(f"note {number} of {file.name}", "it is cut off or far too large")
            else:
                yield _note(raw, number)
    except OSError as error:
        raise SourceError(f"{file} cannot be read: {error.strerror or error}") from error
    if not number:
        raise SourceError(f"{file} has no notes of Evernote in it.")


def _raw_notes(file: Path) -> Iterator[str | None]:
    """The XML of each note without its attachments; None for one that does not end."""
    text = ""
    with file.open(encoding="utf-8", errors="replace", newline="") as stream:
        while more := stream.read(_CHUNK):
            text += more
            end = 0
            for found in _NOTE.finditer(text):
                yield _RESOURCE.sub("", found[1])
                end = found.end()
            text = text[end:]
            if len(text) > _MAX_NOTE:
                yield None
                text = text[-16:]
    if "<note>" in text:
        yield None


def _note(raw: str, number: int) -> Item:
    title = _element(raw, "title") or f"Note {number}"
    content = _CONTENT.search(raw)
    if content is None:
        return Unread(title, "it has no content")
    created, updated = (_moment(_element(raw, name)) for name in ("created", "updated"))
    tags = [unescape(tag) for tag in re.findall(r"<tag>(.*?)</tag>", raw, re.DOTALL)]
    properties: dict[str, str | list[str]] = {"title": title}
    if tags:
        properties["tags"] = ["-".join(tag.split()) for tag in tags]
    for name, moment in (("created", created), ("modified", updated)):
        if moment is not None:
            properties[name] = moment.isoformat(timespec="seconds")
    for name, element in (("source", "source-url"), ("author", "author")):
        if value := _element(raw, element):
            properties[name] = value
    head = yaml.safe_dump(properties, allow_unicode=True, sort_keys=False, width=10_000)
    body = markdown_of(content[1] if content[1] is not None else unescape(content[2]))
    edited = updated or created
    return SourceDocument(
        uid=f"{title}\0{_element(raw, 'created') or number}",
        path=f"{title.replace('/', ' ')}.md",
        content=f"---\n{head}---\n\n{body}\n".encode(),
        edited=0 if edited is None else int(edited.timestamp() * 1000),
    )


def _element(raw: str, name: str) -> str:
    found = re.search(rf"<{name}>(.*?)</{name}>", raw, re.DOTALL)
    return " ".join(unescape(found[1]).split()) if found else ""


def _moment(text: str) -> datetime | None:
    try:
        return datetime.strptime(text, "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC)
    except ValueError:
        return None


def markdown_of(enml: str) -> str:
    """The text of a note with its headings, lists, tasks and links."""
    writer = _Writer()
    writer.feed(enml)
    writer.close()
    return writer.text()


class _Writer(HTMLParser):
    """Writes Markdown while ENML is read."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self._lines = [""]
        self._lists: list[str] = []
        self._address: str | None = None
        self._code = 0

    def text(self) -> str:
        """The text written, without blank lines behind each other."""
        return re.sub(r"\n{3,}", "\n\n", "\n".join(line.rstrip() for line in self._lines)).strip()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag in _BLOCKS or tag == "br":
            self._end_line(gap=tag in {"p", "table", "ul", "ol", *_HEADINGS} and not self._lists)
        if tag in {"ul", "ol"}:
            self._lists.append(tag)
        elif tag == "li":
            mark = "1. " if self._lists[-1:] == ["ol"] else "- "
            self._write("\t" * max(len(self._lists) - 1, 0) + mark)
        elif tag in _HEADINGS:
            self._write(_HEADINGS[tag])
        elif tag == "en-todo":
            done = given.get("checked") == "true"
            mark = "" if self._lines[-1].endswith("- ") else "- "
            self._write(f"{mark}[{'x' if done else ' '}] ")
        elif tag == "a":
            self._address = given.get("href")
            self._write("[" if self._address else "")
        elif tag in {"td", "th"} and self._lines[-1]:
            self._write(" | ")

    def handle_endtag(self, tag: str) -> None:
        if tag == "a" and self._address:
            self._write(f"](<{self._address}>)")
            self._address = None
        if tag in {"ul", "ol"} and self._lists:
            self._lists.pop()
        if tag in _BLOCKS:
            self._end_line(gap=tag in _HEADINGS)

    def handle_data(self, data: str) -> None:
        self._write(re.sub(r"\s+", " ", data) if self._lines[-1] else data.lstrip())

    def _write(self, text: str) -> None:
        self._lines[-1] += text

    def _end_line(self, *, gap: bool) -> None:
        """Begin a new line, unless the mark of a list item waits for its text."""
        line = self._lines[-1]
        if line.strip(" -\t"):
            self._lines.append("")
        elif line:
            return
        if gap and len(self._lines) > 1 and self._lines[-2]:
            self._lines.append("")
