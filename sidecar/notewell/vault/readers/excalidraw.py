"""Excalidraw drawings (`.excalidraw`): texts are passages, frames are headings, links are links.

A drawing that Obsidian's plugin keeps in a note (`.excalidraw.md`) is Markdown and read as such.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence

from notewell.vault.parse import file_title
from notewell.vault.readers.canvas_file import (
    Json,
    load_object,
    name_of,
    number_of,
    refusal,
    text_of,
)
from notewell.vault.readers.note_builder import FileDescription, NoteBuilder
from notewell.vault.readers.reader import FileFacts, Reader, ReadNote, decode_text

_SUFFIX = ".excalidraw"
_MAX_BYTES = 10 * 1024 * 1024  # its JSON takes several times as much memory
_MAX_ELEMENTS = 20_000
_WHAT = "Excalidraw drawing"
_WIKILINK = re.compile(r"\[\[([^\[\]\n|]{1,500})(?:\|([^\[\]\n]{0,500}))?\]\]")

Element = Mapping[str, Json]


def _read(raw: bytes, file: FileFacts) -> ReadNote:
    decoded = decode_text(raw, file.path)
    builder = NoteBuilder()
    elements = _elements(decoded.text, file.path)
    frames = {
        name_of(element.get("id")): element
        for element in elements
        if element.get("type") == "frame"
    }
    inside: defaultdict[str, list[Element]] = defaultdict(list)
    for element in elements:
        inside[name_of(element.get("frameId"))].append(element)
    _write(
        builder, [element for element in elements if name_of(element.get("frameId")) not in frames]
    )
    for key, frame in frames.items():
        builder.heading(1, name_of(frame.get("name")), key or None)
        _write(builder, inside[key])
    title = file_title(file.path, _SUFFIX)
    return builder.note(file, FileDescription(title, warnings=decoded.warnings))


def _elements(text: str, path: str) -> Sequence[Element]:
    """The elements of a drawing that were not deleted, from top to bottom and left to right."""
    if not text.strip():
        return ()
    entries = load_object(text, path, _WHAT).get("elements", [])
    if not isinstance(entries, list):
        raise refusal(path, _WHAT, "its `elements` are no list")
    kept = [
        entry
        for entry in entries[:_MAX_ELEMENTS]
        if isinstance(entry, dict) and entry.get("isDeleted") is not True
    ]
    return sorted(kept, key=lambda one: (number_of(one.get("y")), number_of(one.get("x"))))


def _write(builder: NoteBuilder, elements: Sequence[Element]) -> None:
    for element in elements:
        if element.get("type") == "text":
            # `text` has the line breaks that fit it into its box.
            text = text_of(element.get("originalText")) or text_of(element.get("text"))
            builder.paragraph(
                _WIKILINK.sub(lambda link: link[2] or link[1], text),
                block=name_of(element.get("id")) or None,
            )
            _link(builder, text)
        _link(builder, name_of(element.get("link")))


def _link(builder: NoteBuilder, text: str) -> None:
    for match in _WIKILINK.finditer(text):
        builder.link(match[1], match[2] or "")


EXCALIDRAW = Reader(
    _SUFFIX, "Excalidraw drawings", _read, "excalidraw", anchor="node", max_bytes=_MAX_BYTES
)
