"""Parses Markdown into a `Note`: properties, headings, links, tags, and spans of readable text."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import replace
from itertools import accumulate

from notewell.base.types import (
    NOTE_TYPES,
    Heading,
    Link,
    Note,
    PropertyValue,
    SourceText,
    Span,
    SpanKind,
)
from notewell.base.types.frozen import frozen
from notewell.vault.indents import INDENT_OF_CODE, column_of, without_indent
from notewell.vault.inline import REFERENCE, InlineScanner
from notewell.vault.properties import (
    CREATED_KEYS,
    MODIFIED_KEYS,
    Frontmatter,
    aliases_of,
    date_of,
    fold,
    merge_fields,
    read_frontmatter,
    tags_of,
    text_of,
    without_comments,
)
from notewell.vault.regions import Drawing, Region, Regions, find_drawing, find_regions, is_drawing

_HEADING = re.compile(r"#{1,6}(?=[ \t]|$)")
_HEADING_TAIL = re.compile(r"[ \t]#+[ \t]*$")
_LIST_ITEM = re.compile(r"(?:[-*+]|\d{1,9}[.)])(?:[ \t]|$)")
_BLOCK_ID = re.compile(r"(?:^|[ \t])\^([A-Za-z0-9-]{1,100})[ \t]*$")
_CALLOUT = re.compile(r"[ \t]*(?:>[ \t]?)+\[!([^\]\n]{1,50})\][+-]?[ \t]*")
_FOOTNOTE = re.compile(r"\[\^[^\]\s]{1,100}\]:[ \t]*")
_RULE = re.compile(r"(?:(?:-[ \t]*){3,}|(?:\*[ \t]*){3,}|(?:_[ \t]*){3,})$")
# Lines that end a paragraph, by their first character. A number begins a list inside a paragraph
# only if it is 1, as in CommonMark.
_ITEM_OR_RULE = re.compile(f"{_LIST_ITEM.pattern}|{_RULE.pattern}")
_INTERRUPTING = {
    "#": _HEADING,
    "[": _FOOTNOTE,
    "-": _ITEM_OR_RULE,
    "*": _ITEM_OR_RULE,
    "+": _LIST_ITEM,
    "_": _RULE,
    "1": re.compile(r"1[.)](?:[ \t]|$)"),
}
_TABLE_RULE = frozenset("|-: \t")
# Only a line that begins with one of these can be anything but a paragraph's.
_MARKERS = frozenset("#>-*+`[_0123456789")
_TASK = re.compile(r"^([ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+)\[.\](?:[ \t]+|$)", re.MULTILINE)
_QUOTE_MARK = re.compile(r"^[ \t]*(?:>[ \t]?)+", re.MULTILINE)
_CALLOUT_MARK = re.compile(r"^([ \t]*)\[!([^\]\n]{1,50})\][+-]?[ \t]*(.*)$", re.MULTILINE)
_CELL_EDGE = re.compile(r"[ \t]*\|[ \t]*")
# Characters: a longer line is a paragraph, because every passage below repeats its headings.
LONGEST_HEADING = 1_000
# Stands in for a region's first line, so that whatever block is being read ends before it.
REGION_LINE = "```"


@frozen
class Body:
    """The lines of a note. A region's first line reads `REGION_LINE`, its others are unread.

    `starts` are the offsets of the lines; `regions` are by the index of their first line. Scanning
    begins at the line of index `first`.
    """

    text: str
    lines: list[str]
    starts: list[int]
    regions: dict[int, Region]
    first: int


def make_body(text: str, regions: tuple[Region, ...], start: int) -> Body:
    r"""Cut `text` into lines; `start` is the offset of the first line that is not properties."""
    lines = text.split("\n")
    starts = [0, *accumulate(map((1).__add__, map(len, lines[:-1])))]
    by_line: dict[int, Region] = {}
    for region in regions:
        index = bisect_right(starts, region.start) - 1
        by_line[index] = region
        lines[index] = REGION_LINE
    return Body(text, lines, starts, by_line, bisect_left(starts, start))


class BlockScanner:
    """Splits one body into spans and headings, in source order."""

    def __init__(self, body: Body, inline: InlineScanner) -> None:
        """Prepare; `run` does the work."""
        self._text = body.text
        self._lines = body.lines
        self.starts = body.starts
        self._regions = body.regions
        self._first = body.first
        self.inline = inline
        self.headings: list[Heading] = []
        self.spans: list[Span] = []

    def run(self) -> None:
        lines, count = self._lines, len(self._lines)
        index = self._first
        while index < count:
            bare = lines[index].lstrip()
            if not bare:
                index += 1
            elif index in self._regions:
                index = self._region(index)
            elif bare[0] in _MARKERS:
                index = self._mark(index, bare)
            else:
                index = self._paragraph(index)

    def add_paragraph(self, start: int, end: int) -> None:
        """Add the lines of a part of the text as one paragraph."""
        self._add("paragraph", bisect_right(self.starts, start) - 1, bisect_left(self.starts, end))

    def _mark(self, index: int, bare: str) -> int:
        """Read the block that a marked line begins; return the index of the line after it."""
        first = bare[0]
        if first == "#" and _HEADING.match(bare) and len(bare) <= LONGEST_HEADING:
            return self._heading(index, bare)
        if first == ">":
            return self._quote(index)
        if first in "-*_" and _RULE.match(bare):
            return index + 1
        if first in "-*+0123456789" and _LIST_ITEM.match(bare):
            return self._list(index)
        if first == "[" and _FOOTNOTE.match(bare):
            end = self._text_end(index + 1)
            self._add("footnote", index, end, skip=_FOOTNOTE)
            return end
        return self._paragraph(index)

    def _interrupts(self, index: int) -> bool:
        """True if a line, such as a blank one or a heading, ends the paragraph before it."""
        bare = self._lines[index].lstrip()
        if not bare:
            return True
        first = bare[0]
        if first not in _MARKERS:
            return False
        if first == ">" or index in self._regions:
            return True
        pattern = _INTERRUPTING.get(first)
        return pattern is not None and pattern.match(bare) is not None

    def _text_end(self, index: int) -> int:
        """Return the index of the line that ends a paragraph's continuation."""
        count = len(self._lines)
        while index < count and not self._interrupts(index):
            index += 1
        return index

    def _heading(self, index: int, bare: str) -> int:
        mark = _HEADING.match(bare)
        level = mark.end() if mark else 1
        lead = len(self._lines[index]) - len(bare)
        self._add_heading(level, index, lead, lead + level)
        return index + 1

    def _add_heading(self, level: int, index: int, lead: int, skip: int) -> None:
        """Add a heading whose `#` stands `lead` characters and whose text `skip` into the line."""
        line = self._lines[index]
        tail = _HEADING_TAIL.search(line, skip) if "#" in line[skip:] else None
        source = line[skip : tail.start() if tail else len(line)]
        named = _BLOCK_ID.search(source) if "^" in source else None
        if named:
            source = source[: named.start()]
        offset = self.starts[index] + skip
        text = self.inline.clean(source, offset).strip()
        start = self.starts[index] + lead
        number = index + 1
        self.headings.append(Heading(level, text, number, start))
        if text:
            end = self.starts[index] + len(line)
            section = len(self.headings) - 1
            block = named[1] if named else None
            self.spans.append(Span("heading", start, end, text, (number,), section, block))

    def _paragraph(self, index: int) -> int:
        """Read a paragraph, a table, or an underlined heading."""
        lines = self._lines
        if "|" in lines[index] and self._is_table_rule(index + 1):
            return self._table(index)
        end = index + 1
        if "]:" in lines[index] and REFERENCE.match(lines[index]):
            self._add("paragraph", index, end)  # the address of links; no text that goes on
            return end
        count = len(lines)
        while end < count:
            bare = lines[end].strip()
            if bare and _is_deep(lines[end]) and end not in self._regions:
                end += 1  # whatever it begins with, it goes on with the paragraph
                continue
            if end == index + 1 and _is_underline(bare) and len(lines[index]) <= LONGEST_HEADING:
                lead = len(lines[index]) - len(lines[index].lstrip())
                self._add_heading(1 if bare[0] == "=" else 2, index, lead, lead)
                return end + 1
            if self._interrupts(end) or ("|" in bare and self._is_table_rule(end + 1)):
                break
            end += 1
        self._add("paragraph", index, end)
        return end

    def _is_table_rule(self, index: int) -> bool:
        if index >= len(self._lines):
            return False
        bare = self._lines[index].strip(" \t>")
        return "-" in bare and "|" in bare and _TABLE_RULE.issuperset(bare)

    def _table(self, index: int) -> int:
        end = index + 2
        count = len(self._lines)
        while end < count and end not in self._regions and "|" in self._lines[end]:
            end += 1
        self._add("table", index, end)
        return end

    def _quote(self, index: int) -> int:
        """Read a quote or callout, including unmarked lines that continue its last paragraph."""
        lines, count = self._lines, len(self._lines)
        kind: SpanKind = "callout" if _CALLOUT.match(lines[index]) else "quote"
        end = index + 1
        while end < count and end not in self._regions:
            if not lines[end].lstrip().startswith(">"):
                if self._interrupts(end) or not lines[end - 1].strip(" \t>"):
                    break
            elif kind == "callout" and _CALLOUT.match(lines[end]) and lines[end].count(">") < 2:
                break
            end += 1
        self._add(kind, index, end)
        return end

    def _list(self, index: int) -> int:
        """Read a list up to a line that is neither an item nor a continuation.

        An item with a block id is a span of its own, so that the id names just that item.
        """
        lines, count = self._lines, len(self._lines)
        begin, end, blank = index, index + 1, False
        while end <= count:
            if "^" in lines[end - 1] and _BLOCK_ID.search(lines[end - 1]):
                begin = self._split_item(begin, end)
            if end == count or end in self._regions:
                break
            bare = lines[end].lstrip()
            if not bare:
                blank = True
            else:
                item = bare[0] in "-*+0123456789" and _LIST_ITEM.match(bare) is not None
                if item and bare[0] in "-*" and _RULE.match(bare):
                    break
                indented = lines[end][0] in " \t"
                if not item and ((blank and not indented) or (not blank and self._interrupts(end))):
                    break
                blank = False
            end += 1
        if begin < end:
            self._add("list", begin, end)
        return end

    def _split_item(self, begin: int, end: int) -> int:
        """Close spans so that the item ending at line `end` stands alone; return the next begin."""
        first = end - 1
        while first > begin and not _LIST_ITEM.match(self._lines[first].lstrip()):
            first -= 1
        if first > begin:
            self._add("list", begin, first)
        self._add("list", first, end)
        return end

    def _region(self, index: int) -> int:
        """Read a code or math block found before."""
        region = self._regions[index]
        source = self._text[region.inner_start : region.inner_end]
        rows = code_rows(source, quoted=region.quoted)
        if region.indent:
            rows = [without_indent(row, region.indent) for row in rows]
        if any(rows):
            first = bisect_right(self.starts, region.inner_start) - 1
            self._append(region.kind, (region.start, region.end), rows, first)
        return max(bisect_left(self.starts, region.end), index + 1)

    def _add(
        self, kind: SpanKind, index: int, end: int, *, skip: re.Pattern[str] | None = None
    ) -> None:
        """Clean lines `index` to `end` and add them as one span."""
        while end > index + 1 and not self._lines[end - 1].strip():
            end -= 1
        start = self.starts[index]
        last = self._lines[end - 1]
        block, stop = None, self.starts[end - 1] + len(last)
        source = self._text[start:stop]
        if "^" in last and (named := _BLOCK_ID.search(last)):
            block = named[1]
            source = source[: len(source) - len(last) + named.start()]
            if not source.strip() and self.spans:
                # An id that stands alone names the block before it.
                self.spans[-1] = replace(self.spans[-1], block=block)
                return
        if skip is not None and (marked := skip.match(source.lstrip())):
            lead = len(source) - len(source.lstrip())
            source = " " * (lead + marked.end()) + source[lead + marked.end() :]
        rows = rows_of(kind, self.inline.clean(source, start))
        self._append(kind, (start, stop), rows, index, block)

    def _append(
        self,
        kind: SpanKind,
        place: tuple[int, int],
        rows: list[str],
        index: int,
        block: str | None = None,
    ) -> None:
        """Add a span of the non-empty rows; code keeps its inner blank lines."""
        number = index + 1
        if kind == "code":
            lead = next(n for n, row in enumerate(rows) if row)
            rows, number = rows[lead:], number + lead
            numbers = tuple(range(number, number + len(rows)))
        elif all(rows):
            numbers = tuple(range(number, number + len(rows)))
        else:
            numbers = tuple(number + n for n, row in enumerate(rows) if row)
            rows = [row for row in rows if row]
        if rows:
            section = len(self.headings) - 1
            text = rows[0] if len(rows) == 1 else "\n".join(rows)
            self.spans.append(Span(kind, *place, text, numbers, section, block))


def _is_deep(line: str) -> bool:
    """Tell whether a line is indented as code is, which cannot interrupt a paragraph."""
    return line[0] in " \t" and column_of(line) >= INDENT_OF_CODE


def _is_underline(bare: str) -> bool:
    return bare[:1] in ("=", "-") and not bare.strip(bare[0])


def rows_of(kind: SpanKind, text: str) -> list[str]:
    """Return the rows of a block, one for each of its lines; a row with nothing to see is empty.

    Lists keep their bullets and indents, which tell outer items from inner ones.
    """
    if kind == "list":
        text = _TASK.sub(r"\1", text) if "]" in text else text
        return [row.rstrip() for row in text.split("\n")]
    if kind in ("quote", "callout"):
        text = _QUOTE_MARK.sub("", text)
        if "[!" in text:
            text = _CALLOUT_MARK.sub(_callout_title, text)
    rows = [row.strip() for row in text.split("\n")]
    if kind == "table":
        rows = [_CELL_EDGE.sub(" | ", row.strip("|").strip()) for row in rows]
        rows[1] = ""  # the rule between head and body
    return rows


def code_rows(source: str, *, quoted: bool) -> list[str]:
    """Return the rows of code or math, whose indents count; `quoted` code stands in a quote."""
    rows = [row.rstrip() for row in source.rstrip().split("\n")]
    return [_QUOTE_MARK.sub("", row, count=1) for row in rows] if quoted else rows


def _callout_title(match: re.Match[str]) -> str:
    """Show a callout's title, or its kind where it has none, as Obsidian does."""
    kind = match[2].partition("|")[0].strip()
    return match[1] + (match[3] or kind.capitalize())


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
    created_date = date_of(everything, CREATED_KEYS)
    changed = date_of(everything, MODIFIED_KEYS)
    return Note(
        path=path,
        title=text_of(stated, "title") or _name_of(path),
        aliases=aliases_of(stated),
        tags=tags_of(stated, scanned.tags.values()),
        properties=properties,
        description=text_of(stated, "description"),
        created=created if created_date is None else created_date,
        modified=modified if changed is None else changed,
        headings=tuple(scanned.headings),
        links=tuple(scanned.links),
        spans=tuple(scanned.spans),
        warnings=(*source.warnings, *front.warnings),
    )


@frozen
class MarkdownBody:
    """The spans, headings, links and tags of the text below a note's properties."""

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
    inline.gather_wikilinks(without_comments(text[front.start : front.end]), front.start)
    blocks = BlockScanner(body, inline)
    for start, end in front.unread:
        blocks.add_paragraph(start, end)
    blocks.run()
    for start, end in regions.comments:
        inline.gather(text[start:end], start)
    if regions.comments:
        inline.links.sort(key=lambda link: link.start)
    if drawing is not None:
        blocks.spans.extend(_draw_spans(text, drawing, blocks))
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


def _draw_spans(text: str, drawing: Drawing, blocks: BlockScanner) -> Iterator[Span]:
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
