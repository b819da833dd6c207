"""Parses Markdown into a `Note`: properties, headings, links, tags, and spans of readable text."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator

from notewell.base.types import NOTE_TYPES, Heading, Link, Note, PropertyValue, SourceText, Span
from notewell.base.types.frozen import frozen
from notewell.vault.blocks import BlockScanner, make_body
from notewell.vault.frontmatter import Frontmatter, read_frontmatter
from notewell.vault.inline import InlineScanner
from notewell.vault.properties import (
    CREATED_KEYS,
    MODIFIED_KEYS,
    aliases_of,
    date_of,
    fold,
    merge_fields,
    tags_of,
    text_of,
)
from notewell.vault.regions import Drawing, Region, Regions, find_drawing, find_regions, is_drawing


def parse(
    path: str,
    source: SourceText,
    *,
    modified: float,
    created: float | None = None,
    types: tuple[str, ...] = NOTE_TYPES,
) -> Note:
    """Parse a note; never raises.

    `modified` and `created` are the file's times, used where the properties have none. `types` are
    the endings of files that a Markdown link counts as a note.
    """
    text = one_line_end(source.text)
    front = read_frontmatter(text)
    scanned = _scan(text, front, path, types)
    properties = merge_fields(front.properties, scanned.fields)
    stated = fold(front.properties)
    everything = fold(properties) if scanned.fields else stated
    made = date_of(everything, CREATED_KEYS)
    changed = date_of(everything, MODIFIED_KEYS)
    return Note(
        path=path,
        title=text_of(stated, "title") or _name_of(path),
        aliases=aliases_of(stated),
        tags=tags_of(stated, scanned.tags.values()),
        properties=properties,
        description=text_of(stated, "description"),
        created=created if made is None else made,
        modified=modified if changed is None else changed,
        headings=tuple(scanned.headings),
        links=tuple(scanned.links),
        spans=tuple(scanned.spans),
        warnings=(*source.warnings, *front.warnings),
    )


@frozen
class MarkdownBody:
    """What the text below a note's properties holds."""

    headings: list[Heading]
    links: list[Link]
    tags: dict[str, str]  # by their case-folded form
    fields: list[tuple[str, PropertyValue]]
    spans: list[Span]


def scan_body(text: str, types: tuple[str, ...] = NOTE_TYPES) -> MarkdownBody:
    r"""Scan Markdown that has no properties block, such as a card's. Line ends must be `\n`."""
    return _scan(text, Frontmatter(), "", types)


def _scan(text: str, front: Frontmatter, path: str, types: tuple[str, ...]) -> MarkdownBody:
    """Scan the body; the data of an Excalidraw drawing is replaced by the texts in it."""
    drawing = find_drawing(text, front.body) if is_drawing(path, front.properties) else None
    regions = find_regions(text, front.body) if drawing is None else _around(text, drawing, front)
    body = make_body(regions.text, regions.blocks, front.body)
    inline = InlineScanner(body.starts, types)
    inline.gather_wikilinks(text[front.start : front.end], front.start)
    blocks = BlockScanner(body, inline)
    blocks.run()
    if drawing is not None:
        blocks.spans.extend(_drawn_spans(text, drawing, blocks))
        blocks.spans.sort(key=lambda span: span.start)
        inline.links.sort(key=lambda link: link.start)
    return MarkdownBody(blocks.headings, inline.links, inline.tags, inline.fields, blocks.spans)


def _around(text: str, drawing: Drawing, front: Frontmatter) -> Regions:
    """Find the regions before and after a drawing, which becomes an empty region between them."""
    before = find_regions(text[: drawing.start], front.body)
    behind = find_regions(text, drawing.end)
    between = Region("code", drawing.start, drawing.end, drawing.start, drawing.start)
    shown = before.text + behind.text[drawing.start :]
    return Regions(shown, (*before.blocks, between, *behind.blocks))


def _drawn_spans(text: str, drawing: Drawing, blocks: BlockScanner) -> Iterator[Span]:
    """Make a paragraph of each text of a drawing, and record what its elements link to."""
    inline, starts = blocks.inline, blocks.starts
    section = bisect_right([heading.start for heading in blocks.headings], drawing.start) - 1
    for drawn in drawing.texts:
        seen = inline.clean(text[drawn.start : drawn.end], drawn.start)
        first = bisect_right(starts, drawn.start)
        rows = [(row.strip(), first + n) for n, row in enumerate(seen.split("\n")) if row.strip()]
        if rows:
            shown, lines = zip(*rows, strict=True)
            place = (drawn.start, drawn.end)
            yield Span("paragraph", *place, "\n".join(shown), lines, section, drawn.block)
    for start, end, embedded in drawing.links:
        inline.gather_wikilinks(text[start:end], start, embed=embedded)


def one_line_end(text: str) -> str:
    r"""Make every line end `\n` without moving any offset."""
    if "\r" not in text:
        return text
    return text.replace("\r\n", " \n").replace("\r", "\n")


def _name_of(path: str) -> str:
    return file_title(path, ".markdown" if path.lower().endswith(".markdown") else ".md")


def file_title(path: str, suffix: str) -> str:
    """A file's name without its folder and without `suffix`, whatever its case."""
    name = path.rpartition("/")[2]
    return (
        name[: -len(suffix)] if name.lower().endswith(suffix) and len(name) > len(suffix) else name
    )
