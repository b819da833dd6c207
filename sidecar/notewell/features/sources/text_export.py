"""Exports that are files of text: of Notion, Bear and Apple Notes, any folder of notes, Evernote.

Notion writes an id behind every name; it is taken off, also in links. Bear's text bundles are
folders with one text each.

Evernote's (`.enex`) are notes in XML, each with its content in ENML, a kind of XHTML. See
https://dev.evernote.com/doc/articles/enml.php. Entities are not expanded but for the usual ones,
and nothing outside the file is read.
"""

from __future__ import annotations

import os
import re
import zipfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from html import unescape
from html.parser import HTMLParser
from io import BytesIO, TextIOWrapper
from pathlib import Path, PurePosixPath

import yaml

from notewell.api.errors import SourceError
from notewell.api.files import open_plain, read_plain
from notewell.features.sources.pages import Item, SourceDocument, Unread
from notewell.features.sources.spec import TYPES

MAX_FILE_BYTES = 100 * 1024 * 1024
MAX_BYTES = 4 * 1024 * 1024 * 1024  # of all files of one export, unpacked
_MAX_FILES = 500_000
_PACKED = re.compile(r".*\.(?:zip|bear2bk)", re.IGNORECASE)
_DAMAGED = (zipfile.BadZipFile, zlib.error)
_LEFT_OUT = frozenset({"__MACOSX", "logseq", "node_modules"})
_NOTION_ID = re.compile(r"(?: |%20)[0-9a-f]{32}(?=[/.)_]|\Z)")
_BUNDLE = re.compile(r"(.*)\.textbundle/text\.(?:md|markdown|txt)", re.IGNORECASE | re.DOTALL)
_CHUNK = 1024 * 1024
_MAX_NOTE = 100 * 1024 * 1024  # characters, with its attachments
_NOTE = re.compile(r"<note>(.*?)</note>", re.DOTALL)
_CONTENT = re.compile(r"<content>\s*(?:<!\[CDATA\[(.*)\]\]>|(.*?))\s*</content>", re.DOTALL)
_RESOURCE = re.compile(r"<resource>.*?</resource>", re.DOTALL)
_HEADINGS = {f"h{level}": "#" * level + " " for level in range(1, 7)}
_BLOCKS = frozenset({"div", "p", "li", "ul", "ol", "tr", "table", "blockquote", "pre", *_HEADINGS})


@dataclass(frozen=True, slots=True)
class ExportFile:
    """A file: its path within the export, and the time of its last change in milliseconds.

    `inner` is the path of the zip file within the zip file that it is in, "" mostly.
    """

    path: str
    edited: int
    size: int
    name: str  # as the folder or the zip file calls it
    inner: str = ""


class ExportFiles:
    """Lists and reads the files of one export."""

    def __init__(self, place: Path) -> None:
        self._place = place

    def list(self) -> list[ExportFile]:
        """All files, sorted by path. Raises SourceError if the export cannot be read."""
        try:
            if self._place.is_dir():
                listed = list(_in_folder(self._place))
            else:
                with open_plain(self._place) as stream, zipfile.ZipFile(stream) as packed:
                    listed = list(_in_zip(packed))
        except (OSError, RuntimeError, EOFError, *_DAMAGED) as error:
            raise SourceError(f"{self._place} cannot be read: {error}") from error
        if len(listed) > _MAX_FILES or sum(file.size for file in listed) > MAX_BYTES:
            raise SourceError(
                f"{self._place} has more than {_MAX_FILES:,} files or {MAX_BYTES >> 30} GB."
                " Export fewer notes at once."
            )
        return sorted(listed, key=lambda one: one.path)

    @contextmanager
    def opened(self) -> Iterator[OpenedFiles]:
        if self._place.is_dir():
            yield OpenedFiles(self._place, None)
            return
        with ExitStack() as held:
            try:
                stream = held.enter_context(open_plain(self._place))
                packed = held.enter_context(zipfile.ZipFile(stream))
            except (OSError, zipfile.BadZipFile) as error:
                raise SourceError(f"{self._place} cannot be read: {error}") from error
            yield OpenedFiles(self._place, packed)


class OpenedFiles:
    """Reads files; a zip file within the zip file is kept open, because its files follow."""

    def __init__(self, place: Path, packed: zipfile.ZipFile | None) -> None:
        """`packed` None: `place` is a folder."""
        self._place = place
        self._packed = packed
        self._inner: tuple[str, zipfile.ZipFile] | None = None

    def read(self, file: ExportFile, *, most: int = MAX_FILE_BYTES) -> bytes | Unread:
        """The content of a file of at most so many bytes, or why it cannot be read."""
        if file.size <= most:
            try:
                if self._packed is None:
                    content = read_plain(self._place / file.name, most=most)
                else:
                    with self._zip(file.inner).open(file.name) as stream:
                        content = stream.read(most + 1)
            except (OSError, RuntimeError, EOFError, ValueError, KeyError, *_DAMAGED) as error:
                return Unread(file.path, f"it cannot be read: {error}")
            if len(content) <= most:  # a zip file may state a size that is not true
                return content
        return Unread(file.path, f"it has more than {most >> 20} MB")

    def _zip(self, inner: str) -> zipfile.ZipFile:
        packed = self._packed
        if packed is None:
            raise FileNotFoundError(inner)  # a folder has no zip files that are looked into
        if not inner:
            return packed
        if self._inner is None or self._inner[0] != inner:
            self._inner = (inner, _inner_zip(packed, inner))
        return self._inner[1]


def _in_folder(place: Path) -> Iterator[ExportFile]:
    """The files below a folder. Links are not followed; hidden files are left out."""
    for folder, folders, names in os.walk(place):
        folders[:] = sorted(folder for folder in folders if not _is_left_out(folder))
        for name in names:
            file = Path(folder, name)
            if name.startswith(".") or file.is_symlink() or not file.is_file():
                continue
            stat = file.stat()
            inside = file.relative_to(place)
            yield ExportFile(
                inside.as_posix(), stat.st_mtime_ns // 1_000_000, stat.st_size, str(inside)
            )


def _in_zip(packed: zipfile.ZipFile, inner: str = "") -> Iterator[ExportFile]:
    for info in packed.infolist():
        path = _inside(info.filename)
        if info.is_dir() or path is None:
            continue
        if _PACKED.fullmatch(path) and not inner:
            if info.file_size <= MAX_BYTES // 4:  # it is read into memory
                yield from _in_zip(_inner_zip(packed, info.filename), info.filename)
            continue
        yield ExportFile(path, _time(info), info.file_size, info.filename, inner)


def _inner_zip(packed: zipfile.ZipFile, name: str) -> zipfile.ZipFile:
    with packed.open(name) as stream:
        return zipfile.ZipFile(BytesIO(stream.read(MAX_BYTES // 4)))


def _inside(name: str) -> str | None:
    """The path of a member; None where it leads out of the folder or nobody wants it."""
    path = PurePosixPath(name.replace("\\", "/"))
    if path.is_absolute() or ".." in path.parts or not path.parts:
        return None
    hidden = any(part.startswith(".") or _is_left_out(part) for part in path.parts)
    return None if hidden else path.as_posix()


def _is_left_out(name: str) -> bool:
    return name.startswith(".") or name in _LEFT_OUT


def _time(info: zipfile.ZipInfo) -> int:
    try:
        return int(datetime(*info.date_time, tzinfo=UTC).timestamp() * 1000)
    except (ValueError, OverflowError):
        return 0


class TextExport:
    """The notes of a folder or zip file of texts. The methods are those of `Feed`."""

    def __init__(self, place: Path) -> None:
        self._files = ExportFiles(place)

    def stamps(self, _known: Mapping[str, int]) -> Mapping[str, int]:
        return {_uid(note): note.edited for note in self._notes()}

    def items(self, uids: Sequence[str] | None) -> Iterator[Item]:
        wanted = None if uids is None else set(uids)
        with self._files.opened() as opened:
            for note in self._notes():
                if wanted is not None and _uid(note) not in wanted:
                    continue
                content = opened.read(note)
                if isinstance(content, Unread):
                    yield content
                else:
                    yield _document(note, content)

    def _notes(self) -> Iterator[ExportFile]:
        return (file for file in self._files.list() if file.path.lower().endswith(TYPES))


class EvernoteExport:
    """The notes of one `.enex` file. The methods are those of `Feed`."""

    def __init__(self, place: Path) -> None:
        self._file = place

    def stamps(self, _known: Mapping[str, int]) -> None:
        """See `Feed.stamps`: the file has to be read whole."""
        return

    def items(self, uids: Sequence[str] | None) -> Iterator[Item]:
        """See `Feed.items`. The file has to be read whole, whatever is asked for."""
        wanted = None if uids is None else set(uids)
        for note in notes_of(self._file):
            if wanted is None or isinstance(note, Unread) or note.uid in wanted:
                yield note


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
    """Read the notes of an export one after the other. Raises SourceError for another file."""
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
    with TextIOWrapper(open_plain(file), "utf-8", "replace", newline="") as stream:
        while more := stream.read(_CHUNK):
            text += more
            end = 0
            for match in _NOTE.finditer(text):
                yield _RESOURCE.sub("", match[1])
                end = match.end()
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
    match = re.search(rf"<{name}>(.*?)</{name}>", raw, re.DOTALL)
    return " ".join(unescape(match[1]).split()) if match else ""


def _moment(text: str) -> datetime | None:
    try:
        return datetime.strptime(text, "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC)
    except ValueError:
        return None


def markdown_of(enml: str) -> str:
    """The text of a note with its headings, lists, tasks and links."""
    writer = _MarkdownWriter()
    writer.feed(enml)
    writer.close()
    return writer.text()


class _MarkdownWriter(HTMLParser):
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
