"""Saved web pages (`.html`, `.htm`, `.xhtml`): readable text, title, headings and links.

`write_markup` writes the paragraphs, headings, lists and tables of HTML, also for chapters of EPUB.
The rules of HTML have a parser look through all open elements at many a tag, so a page of nested
elements takes time by the square of its depth, four seconds at 50,000: `shallow` makes it as deep
as a browser does.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import unquote

from notewell.base.types import PropertyValue, SpanKind
from notewell.base.types.frozen import frozen
from notewell.vault.parse import file_title
from notewell.vault.readers.note_builder import FileDescription, NoteBuilder
from notewell.vault.readers.reader import Decoded, FileFacts, Reader, ReadNote, decode_text

_DEEPEST_ELEMENT = 512  # elements; Chromium's parser goes no deeper
_MANY = 5_000  # tags; fewer are parsed in a moment, however they nest
_TAG = re.compile(r"<(/?)([A-Za-z][A-Za-z0-9:-]*)[^<>]*>")
# Elements without an end, and those whose end need not be written: they stand beside each other.
_NAMES = (
    "area base br col embed hr img input link meta param source track wbr"
    " html head body p li dt dd rb rt rtc rp optgroup option thead tbody tfoot tr td th"
    " colgroup caption"
)
_ENDLESS = frozenset(_NAMES.split())
# What is no text of the page itself.
_DROPPED = (
    "script", "style", "noscript", "template", "iframe", "object", "svg", "canvas", "nav", "aside",
    "footer", "form", "button", "select", "menu", "dialog",
)  # fmt: skip
_HEADING = re.compile(r"h([1-6])\Z")
_KINDS: Mapping[SpanKind, str] = {
    "paragraph": "body main article section div p header address figure figcaption details summary"
    " caption center",
    "heading": "h1 h2 h3 h4 h5 h6",
    "list": "li dt dd",
    "table": "tr td th",
    "code": "pre",
    "quote": "blockquote",
}
_BLOCKS: Mapping[str, SpanKind] = {
    tag: kind for kind, tags in _KINDS.items() for tag in tags.split()
}
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:|//")
_DEEPEST = 60  # elements between a text and its paragraph; a real page has a few
_MAX_INDENT = 6
# Where a page states its encoding, and how far from its beginning browsers look for it.
_CHARSET = re.compile(rb"""charset\s*=\s*["']?\s*([A-Za-z0-9_.:-]{1,40})""", re.IGNORECASE)
_HEAD_BYTES = 2048
_SUFFIX = re.compile(r"\.[A-Za-z0-9]{1,8}\Z")


def shallow(source: str) -> str:
    """Return the source of a page without the tags of elements nested deeper than 512."""
    if source.count("<") < _MANY:
        return source
    parts, taken = [], 0
    for start, end in _too_deep(source):
        parts.append(source[taken:start])
        taken = end
    return "".join([*parts, source[taken:]])


def _too_deep(source: str) -> Iterator[tuple[int, int]]:
    depth = 0
    for tag in _TAG.finditer(source):
        closes, name = tag.groups()
        if name.lower() in _ENDLESS:
            continue
        if not closes:
            depth += 1
        if depth > _DEEPEST_ELEMENT:
            yield tag.span()
        if closes:
            depth = max(depth - 1, 0)


@dataclass(slots=True)
class _Block:
    """The element whose text is being gathered."""

    id: int = 0
    kind: SpanKind = "paragraph"
    level: int = 0  # of a heading, or of the nesting of a list
    row: int = 0  # identity of the table's row
    parts: list[str] = field(default_factory=list)


@frozen
class PageHead:
    """Title and metadata in the head of a page. `meta` has the values by name, in lower case."""

    title: str
    meta: Mapping[str, str]


def write_markup(
    builder: NoteBuilder, source: str, *, is_link: Callable[[str], bool], titled: bool = False
) -> PageHead:
    """Write the readable text of a page; links for which `is_link` are recorded.

    `titled`: a page without a heading gets its title as one.

    Imports selectolax, which a process that reads no HTML should not load.
    """
    from selectolax.lexbor import LexborHTMLParser  # noqa: PLC0415 - see above

    tree = LexborHTMLParser(shallow(source))
    title = tree.css_first("head > title")
    shown_title = " ".join(title.text().split()) if title is not None else ""
    meta = {
        (meta.attributes.get("name") or "").lower(): meta.attributes.get("content") or ""
        for meta in tree.css("meta[name]")
    }
    tree.strip_tags(list(_DROPPED), recursive=True)
    writer = _PageWriter(builder, is_link)
    root = tree.css_first("main") or tree.css_first("article") or tree.body
    if titled and tree.css_first("h1, h2, h3, h4, h5, h6") is None:
        builder.heading(1, shown_title)
    if root is not None:
        for node in root.traverse(include_text=True):
            writer.node(node)
    writer.flush()
    return PageHead(shown_title, meta)


class _PageWriter:
    """Writes a page node after node, in the order of the document."""

    def __init__(self, builder: NoteBuilder, is_link: Callable[[str], bool]) -> None:
        self._builder = builder
        self._is_link = is_link
        self._block = _Block()
        self._rows: list[str] = []  # of the list or table that is being written
        self._rows_kind: SpanKind = "list"
        self._cells: list[str] = []
        self._row = 0
        self._links: list[tuple[str, str]] = []

    def node(self, node: Any) -> None:
        """Take the next node (LexborNode; its library's types say little)."""
        if node.tag == "-text":
            self._text(node)
        elif node.tag == "br":
            self._block.parts.append("\n")
        elif node.tag == "img":
            self._block.parts.append(f" {node.attributes.get('alt') or ''} ")
        elif node.tag == "a":
            address = node.attributes.get("href") or ""
            if address and not _SCHEME.match(address) and self._is_link(unquote(address)):
                self._links.append((unquote(address), node.text().strip()))

    def _text(self, node: Any) -> None:
        text = node.text(deep=False)
        if not text:
            return
        around = _around(node)
        if around.id != self._block.id:
            if not text.strip():
                return
            self._end_block()
            self._block = around
        self._block.parts.append(text)

    def _end_block(self) -> None:
        block, raw = self._block, "".join(self._block.parts)
        self._block = _Block()
        if block.kind == "code":
            self._end_rows()
            self._builder.paragraph(raw.expandtabs(4), "code")
            return
        rows = [" ".join(row.split()) for row in raw.split("\n")] if "\n" in raw else [raw]
        text = " ".join(filter(None, (" ".join(row.split()) for row in rows)))
        if not text:
            return
        if block.kind in ("list", "table"):
            self._item(block, text)
            return
        self._end_rows()
        if block.kind == "heading":
            self._builder.heading(block.level, text)
        else:
            self._builder.paragraph(text, block.kind)
        self._write_links()

    def _item(self, block: _Block, text: str) -> None:
        if self._rows_kind != block.kind:
            self._end_rows()
            self._rows_kind = block.kind
        if block.kind == "list":
            self._rows.append(f"{'  ' * block.level}- {text}")
            return
        if block.row != self._row:
            self._end_cells()
            self._row = block.row
        self._cells.append(text)

    def _end_cells(self) -> None:
        if self._cells:
            self._rows.append(" | ".join(self._cells))
            self._cells = []

    def _end_rows(self) -> None:
        self._end_cells()
        if self._rows:
            self._builder.paragraph("\n".join(self._rows), self._rows_kind)
            self._rows = []
        self._write_links()

    def _write_links(self) -> None:
        for address, shown in self._links:
            self._builder.link(address, shown, kind="markdown")
        self._links = []

    def flush(self) -> None:
        self._end_block()
        self._end_rows()


def _around(node: Any) -> _Block:
    """The block that a text stands in: the nearest element that makes one."""
    block = _Block()
    lists = 0
    above = node.parent
    for _ in range(_DEEPEST):
        if above is None:
            break
        tag = above.tag
        kind = _BLOCKS.get(tag)
        if kind is not None and not block.id:
            heading = _HEADING.match(tag)
            block = _Block(above.mem_id, kind, int(heading[1]) if heading else 0)
        elif tag == "li" and block.kind == "paragraph" and block.id:
            block.kind = "list"  # <li><p>
        if tag in ("td", "th") and block.kind == "paragraph":
            block.kind = "table"
        if tag == "tr" and block.kind == "table":
            block.row = above.mem_id
            break
        lists += tag in ("ul", "ol")
        above = above.parent
    if block.kind == "list":
        block.level = min(max(lists - 1, 0), _MAX_INDENT)
    return block


def _read(raw: bytes, file: FileFacts) -> ReadNote:
    decoded = _decode(raw, file.path)
    builder = NoteBuilder()

    def is_link(address: str) -> bool:
        target = address.partition("#")[0]
        return bool(target) and (not _SUFFIX.search(target) or target.lower().endswith(file.types))

    page = write_markup(builder, decoded.text, is_link=is_link)
    ending = file.path[file.path.rfind(".") :]
    properties: dict[str, PropertyValue] = {
        name: page.meta[name] for name in ("author", "keywords") if page.meta.get(name)
    }
    described = FileDescription(
        page.title or file_title(file.path, ending),
        properties,
        description=" ".join(page.meta.get("description", "").split()) or None,
        warnings=decoded.warnings,
    )
    return builder.note(file, described)


def _decode(raw: bytes, path: str) -> Decoded:
    """Decode a page, by the encoding it states where it is not UTF-8 or UTF-16."""
    decoded = decode_text(raw, path)
    stated = _CHARSET.search(raw, 0, _HEAD_BYTES)
    if not decoded.warnings or stated is None:
        return decoded
    try:
        encoding = codecs.lookup(stated[1].decode()).name
        return Decoded(raw.decode(encoding), encoding)
    except (LookupError, UnicodeDecodeError):
        return decoded


HTML = tuple(
    Reader(suffix, "web pages", _read, "html", in_child=True)
    for suffix in (".html", ".htm", ".xhtml")
)
