"""The parts of a note where a link may be put: running text, and nothing that is markup."""

from __future__ import annotations

import re

from notewell.features.gardener.garden import NoteBody, NoteFacts
from notewell.vault.regions import code_spans, find_drawing, find_regions

# What is no running text in a line, besides what `prose_of` hides: headings, links and images,
# addresses, tags, HTML, math, block ids, fields, templates.
_MARKUP = re.compile(
    r"^[ \t>]*#{1,6}[ \t].*"
    r"|!?\[\[[^\[\]]*\]\]"
    r"|!?\[(?:[^\[\]]|\[[^\[\]]*\])*\](?:\([^()]*(?:\([^()]*\)[^()]*)*\)|\[[^\[\]]*\])?"
    r"|<[^<>]{1,1000}>"
    r"|[A-Za-z][A-Za-z0-9+.-]*://[^\s<>\"`|]+|\bwww\.[^\s<>\"`|]+|[\w.+-]+@[\w-]+\.[\w.]+"
    r"|(?<!\S)\#\S+"
    r"|\$[^$]+\$"
    r"|(?<!\S)\^[A-Za-z0-9-]+[ \t]*$"
    r"|^[ \t>]*(?:[-*+][ \t]+)?[\w -]{1,60}::"
    r"|\{\{[^{}]*\}\}|<%.*?%>"
)
_UNDERLINE = re.compile(r"[ \t]*(?:=+|-{2,})[ \t]*")  # makes a heading of the line above
_LONGEST_LINE = 10_000  # a longer one is data
_NOT_NEWLINE = re.compile(r"[^\n]")
HIDDEN = "\x00"


def prose_of(note: NoteFacts, body: NoteBody) -> str:
    """The text of a note with properties, code, math, comments and links `HIDDEN`, or blank.

    Its length is the same. What is markup in a line is told by `is_markup`, for the few places
    where that matters.
    """
    text = body.text
    drawing = find_drawing(text, body.start) if "excalidraw-plugin" in note.properties else None
    until = len(text) if drawing is None else drawing.start
    regions = find_regions(text[:until], body.start)
    hidden = [(0, body.start), (until, len(text))]
    hidden += [(block.start, block.end) for block in regions.blocks]
    hidden += [(start, end) for start, end in code_spans(text, body.start).items()]
    hidden += [(link.start, link.end) for link, _ in note.links]
    # Comments are blanked out in the scanned text; a blank there is no text either.
    scanned = regions.text + text[until:]
    return _without(scanned, hidden)


def is_markup(text: str, start: int, end: int) -> bool:
    """True if [start, end), a part of one line, is in a heading, a link, a tag or other markup."""
    first = text.rfind("\n", 0, start) + 1
    last = text.find("\n", end)
    last = len(text) if last < 0 else last
    if last - first > _LONGEST_LINE:
        return True
    below = text.find("\n", last + 1)
    if _UNDERLINE.fullmatch(text, last + 1, len(text) if below < 0 else below):
        return True
    return any(
        first + found.start() < end and start < first + found.end()
        for found in _MARKUP.finditer(text[first:last])
    )


def _without(text: str, hidden: list[tuple[int, int]]) -> str:
    """The text with some ranges of it hidden; they may overlap."""
    pieces: list[str] = []
    position = 0
    for start, end in sorted(hidden):
        if end > position:
            pieces += [text[position:start], _hide(text[max(start, position) : end])]
            position = end
    return "".join([*pieces, text[position:]])


def _hide(text: str) -> str:
    return _NOT_NEWLINE.sub(HIDDEN, text)


def code_hidden(body: NoteBody) -> str:
    """The text of a note in which code and comments are `HIDDEN` or blank."""
    text = body.text
    regions = find_regions(text, body.start)
    hidden = [(block.start, block.end) for block in regions.blocks]
    hidden += [(start, end) for start, end in code_spans(text, body.start).items()]
    return _without(regions.text, hidden)
