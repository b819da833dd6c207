"""E-books (`.epub`): the chapters in reading order, as the book's package file lists them.

See https://www.w3.org/TR/epub-33/ for the format.
"""

from __future__ import annotations

import posixpath
from collections import defaultdict
from collections.abc import Iterator
from urllib.parse import unquote

from notewell.base.types import PropertyValue
from notewell.base.types.frozen import frozen
from notewell.vault.parse import file_title
from notewell.vault.readers.html import write_markup
from notewell.vault.readers.note_builder import FileDescription, NoteBuilder
from notewell.vault.readers.packed import Package
from notewell.vault.readers.reader import FileFacts, Reader, ReadNote, decode

_SUFFIX = ".epub"
_CONTAINER = "META-INF/container.xml"
_MAX_CHAPTERS = 2000


@frozen
class _Book:
    """Content of the package file: the paths of the chapters in order, and Dublin Core."""

    chapters: tuple[str, ...]
    stated: dict[str, list[str]]


def _read(raw: bytes, file: FileFacts) -> ReadNote:
    package = Package(raw, file.path, "EPUB book")
    book = _book(package)
    builder = NoteBuilder()
    warnings: list[str] = []
    for path in book.chapters[:_MAX_CHAPTERS]:
        decoded = decode(package.read(path))
        if decoded is None:
            warnings.append(f"The chapter {path} is no text and left out.")
            continue
        if builder.full:
            break
        write_markup(builder, decoded.text, is_link=_no_link, titled=True)
    return builder.note(file, _describe(book, file, tuple(warnings)))


def _no_link(_: str) -> bool:
    return False  # links of a book lead within the book


def _book(package: Package) -> _Book:
    path = next(_attributes(package, _CONTAINER, "rootfile", "full-path"), "")
    if path not in package:
        raise package.refused("it has no package file")
    files: dict[str, str] = {}
    order: list[str] = []
    stated: defaultdict[str, list[str]] = defaultdict(list)
    inside = tag = ""
    for event in package.elements(path):
        if event.kind == "start":
            tag = event.tag
            if tag in ("metadata", "manifest", "spine"):
                inside = tag
            elif tag == "item":
                files[event.attributes.get("id", "")] = event.attributes.get("href", "")
            elif tag == "itemref":
                order.append(event.attributes.get("idref", ""))
        elif event.kind == "text" and inside == "metadata" and event.text.strip():
            stated[tag].append(" ".join(event.text.split()))
    folder = posixpath.dirname(path)
    chapters = [
        posixpath.normpath(posixpath.join(folder, unquote(files[name])))
        for name in order
        if files.get(name)
    ]
    return _Book(tuple(dict.fromkeys(chapters)), dict(stated))


def _attributes(package: Package, part: str, tag: str, name: str) -> Iterator[str]:
    for event in package.elements(part):
        if event.kind == "start" and event.tag == tag and name in event.attributes:
            yield event.attributes[name]


def _describe(book: _Book, file: FileFacts, warnings: tuple[str, ...]) -> FileDescription:
    stated = book.stated
    properties: dict[str, PropertyValue] = {}
    for name, key in (("author", "creator"), ("subject", "subject"), ("publisher", "publisher")):
        if stated.get(key):
            properties[name] = tuple(stated[key]) if len(stated[key]) > 1 else stated[key][0]
    return FileDescription(
        next(iter(stated.get("title", ())), "") or file_title(file.path, _SUFFIX),
        properties,
        description=next(iter(stated.get("description", ())), None),
        warnings=warnings,
    )


EPUB = Reader(_SUFFIX, "e-books", _read, "epub", in_child=True, binary=True)
