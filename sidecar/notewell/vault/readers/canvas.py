"""Canvases (`.canvas`): text nodes are passages, files and edges are links, groups are headings.

The note's text is made here: Markdown of the nodes in reading order (from top to bottom, then from
left to right), those of a group beneath its label. A passage is named by the id of its node.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Literal, TypeAlias, get_args

from notewell.base.errors import UnreadableNoteError
from notewell.base.types import Heading, Link, Note, PropertyValue, Span, SpanKind
from notewell.base.types.frozen import frozen
from notewell.vault.inline import split_address
from notewell.vault.parse import file_title, scan_body
from notewell.vault.properties import merge_fields
from notewell.vault.readers.reader import FileFacts, Reader, ReadNote, decode_text

Json: TypeAlias = object

_MAX_NAME = 1000  # characters of an id, a path or a label
_FAR = 1e9  # pixels; beyond it a number is no position


def load_object(text: str, path: str, what: str) -> Mapping[str, Json]:
    """Read a JSON object; UnreadableNoteError (code "unreadable") where it is none.

    `what` is what the file should be: "canvas".
    """
    try:
        loaded: Json = json.loads(text)
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        why = f"its JSON is broken or cut off at {place}: {error.msg}"
        raise refused(path, what, why) from error
    except (ValueError, RecursionError) as error:
        raise refused(path, what, f"its JSON cannot be read: {error}") from error
    if not isinstance(loaded, dict):
        raise refused(path, what, "its JSON is no object")
    return loaded


def refused(path: str, what: str, why: str) -> UnreadableNoteError:
    """The error for a file that is not what its name says."""
    return UnreadableNoteError(f"{path} is no valid {what}: {why}.", code="unreadable")


def text_of(value: Json) -> str:
    """A text without lone surrogates and NUL, which no database could store; "" if it is none."""
    if not isinstance(value, str):
        return ""
    text = value.encode("utf-8", "replace").decode().replace("\x00", "�")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def name_of(value: Json) -> str:
    """A text of one line; one that is far too long for a name is none."""
    name = " ".join(text_of(value).split())
    return name if len(name) <= _MAX_NAME else ""


def number_of(value: Json) -> float:
    """A position or size. What is no number, or infinite, counts as 0."""
    if isinstance(value, int | float) and -_FAR <= value <= _FAR:
        return float(value)
    return 0.0


NodeKind = Literal["text", "file", "link", "group"]

MAX_NODES = 10_000
MAX_GROUPS = 200
MAX_EDGES = 10_000
_CANVAS = "canvas"


@frozen
class CanvasNode:
    """A node: its rectangle in pixels, and what it shows (a text, a path, a URL or a label)."""

    id: str
    kind: NodeKind
    x: float
    y: float
    width: float
    height: float
    shown: str
    subpath: str = ""  # of a file: the heading or block within it, with its `#`
    order: int = 0  # its place in the file

    def covers(self, node: CanvasNode) -> bool:
        """True if the middle of `node` lies in this rectangle."""
        across = self.x <= node.x + node.width / 2 <= self.x + self.width
        return across and self.y <= node.y + node.height / 2 <= self.y + self.height


@frozen
class Edge:
    """An edge between the nodes of two ids, which need not be there."""

    source: str
    target: str
    label: str


@frozen
class Canvas:
    """The nodes and edges of a canvas, in the order of the file."""

    nodes: tuple[CanvasNode, ...] = ()
    edges: tuple[Edge, ...] = ()
    warnings: tuple[str, ...] = ()


def load_canvas(text: str, path: str) -> Canvas:
    """Read a canvas; UnreadableNoteError (code "unreadable") where it is none. Empty text is one.

    Texts that come back hold no lone surrogates and no NUL, which no database could store.
    """
    if not text.strip():
        return Canvas()
    loaded = load_object(text, path, _CANVAS)
    entries, links = loaded.get("nodes", []), loaded.get("edges", [])
    if not isinstance(entries, list) or not isinstance(links, list):
        raise refused(path, _CANVAS, "`nodes` and `edges` of its JSON are not lists")
    nodes = tuple(_nodes(entries[:MAX_NODES]))
    warnings = (*_cut("nodes", len(entries), MAX_NODES), *_cut("edges", len(links), MAX_EDGES))
    return Canvas(nodes, tuple(_edges(links[:MAX_EDGES])), warnings)


def _cut(what: str, count: int, most: int) -> Iterator[str]:
    if count > most:
        yield f"Only the first {most:,} of {count:,} {what} are read."


def _nodes(entries: list[Json]) -> Iterator[CanvasNode]:
    groups = 0
    for order, entry in enumerate(entries):
        node = _node(entry, order) if isinstance(entry, dict) else None
        if node is None:
            continue
        groups += node.kind == "group"
        if node.kind != "group" or groups <= MAX_GROUPS:
            yield node


def _node(entry: Mapping[str, Json], order: int) -> CanvasNode | None:
    kind = next((kind for kind in get_args(NodeKind) if entry.get("type") == kind), None)
    if kind is None:
        return None
    shown = {"text": "text", "file": "file", "link": "url", "group": "label"}[kind]
    return CanvasNode(
        id=name_of(entry.get("id")),
        kind=kind,
        x=number_of(entry.get("x")),
        y=number_of(entry.get("y")),
        width=max(number_of(entry.get("width")), 0.0),
        height=max(number_of(entry.get("height")), 0.0),
        shown=text_of(entry.get(shown)) if kind == "text" else name_of(entry.get(shown)),
        subpath=name_of(entry.get("subpath")) if kind == "file" else "",
        order=order,
    )


def _edges(entries: list[Json]) -> Iterator[Edge]:
    for entry in entries:
        if isinstance(entry, dict):
            source, target = name_of(entry.get("fromNode")), name_of(entry.get("toNode"))
            if source and target:
                yield Edge(source, target, name_of(entry.get("label")))


_SUFFIX = ".canvas"
_MAX_BYTES = 10 * 1024 * 1024  # its JSON takes several times as much memory
_DEEPEST = 6  # level of a heading
_NO_GROUP = -1


def _read(raw: bytes, file: FileFacts) -> ReadNote:
    decoded = decode_text(raw, file.path)
    canvas = load_canvas(decoded.text, file.path)
    writer = _CanvasWriter(canvas, file.types)
    writer.write()
    properties = merge_fields({}, writer.fields)
    note = Note(
        path=file.path,
        title=file_title(file.path, _SUFFIX),
        aliases=(),
        tags=tuple(writer.tags.values()),
        properties=properties,
        description=None,
        created=file.created,
        modified=file.modified,
        headings=tuple(writer.headings),
        links=tuple(writer.links),
        spans=tuple(writer.spans),
        warnings=(*decoded.warnings, *canvas.warnings),
    )
    return ReadNote(note, writer.text)


class _CanvasWriter:
    """Writes the text of one canvas and records what stands where in it."""

    def __init__(self, canvas: Canvas, types: tuple[str, ...]) -> None:
        self._types = types
        self._nodes = {node.id: node for node in reversed(canvas.nodes) if node.id}
        self._edges: defaultdict[str, list[Edge]] = defaultdict(list)
        for edge in canvas.edges:
            self._edges[edge.source].append(edge)
        self._members = _by_group(canvas.nodes)
        self._parts: list[str] = []
        self._length = 0  # of all parts
        self._line = 1  # on which the next part begins
        self.headings: list[Heading] = []
        self.links: list[Link] = []
        self.spans: list[Span] = []
        self.tags: dict[str, str] = {}
        self.fields: list[tuple[str, PropertyValue]] = []

    @property
    def text(self) -> str:
        return "".join(self._parts)

    def write(self) -> None:
        """Write the nodes that lie in no group, then the groups."""
        self._group(_NO_GROUP, section=-1, depth=0)

    def _group(self, group: int, *, section: int, depth: int) -> None:
        """Write the members of a group, its inner groups last. At most MAX_GROUPS lie nested."""
        members = self._members.get(group, ())
        for node in members:
            if node.kind != "group":
                self._node(node, section, depth)
        for node in members:
            if node.kind != "group":
                continue
            inner, below = section, depth
            if node.shown:
                below = min(depth + 1, _DEEPEST)
                inner = self._heading(node, below)
            self._edges_of(node, inner)
            self._group(node.order, section=inner, depth=below)

    def _heading(self, node: CanvasNode, level: int) -> int:
        section = len(self.headings)
        mark = "#" * level
        self.headings.append(Heading(level, node.shown, self._line, self._length))
        self._span("heading", f"{mark} {node.shown}", node.shown, section, node.id)
        return section

    def _node(self, node: CanvasNode, section: int, depth: int) -> None:
        if not node.shown.strip():
            return
        if node.kind == "text":
            self._markdown(node, section, depth)
        elif node.kind == "file":
            start = self._length
            source = f"![[{node.shown}{node.subpath}]]"
            self._link(_to_file(node), start, source)
            name = file_title(node.shown, ".md").strip() or node.shown  # of a path ending in "/"
            self._span("paragraph", source, name, section, node.id)
        else:
            self._span("paragraph", node.shown, node.shown, section, node.id)
        self._edges_of(node, section)

    def _markdown(self, node: CanvasNode, section: int, depth: int) -> None:
        """Write a text node and take over all that its Markdown holds."""
        found = scan_body(node.shown, self._types)
        first, start, line = len(self.headings), self._length, self._line - 1
        for heading in found.headings:
            level = min(heading.level + depth, _DEEPEST)
            moved = replace(
                heading, level=level, line=heading.line + line, start=heading.start + start
            )
            self.headings.append(moved)
        for span in found.spans:
            self.spans.append(
                replace(
                    span,
                    start=span.start + start,
                    end=span.end + start,
                    lines=tuple(number + line for number in span.lines),
                    section=section if span.section < 0 else first + span.section,
                    block=node.id or None,
                )
            )
        for link in found.links:
            self.links.append(
                replace(link, line=link.line + line, start=link.start + start, end=link.end + start)
            )
        for key, tag in found.tags.items():
            self.tags.setdefault(key, tag)
        self.fields += found.fields
        self._write(node.shown)

    def _edges_of(self, node: CanvasNode, section: int) -> None:
        """Write a link for each edge that leaves a node; its label is text."""
        for edge in self._edges.get(node.id, ()):
            target = self._nodes.get(edge.target)
            if target is None:
                continue
            link = _to_file(target) if target.kind == "file" else _to_node(target)
            address = target.shown + target.subpath if target.kind == "file" else f"#^{target.id}"
            source = f"[[{address}|{edge.label}]]" if edge.label else f"[[{address}]]"
            display = edge.label or None
            self._link(replace(link, display=display, embed=False), self._length, source)
            if edge.label:
                self._span("paragraph", source, edge.label, section, node.id)
            else:
                self._write(source)

    def _link(self, link: Link, start: int, source: str) -> None:
        """Record a link that is about to be written at `start`, if it leads anywhere."""
        if link.target or link.block:
            self.links.append(replace(link, line=self._line, start=start, end=start + len(source)))

    def _span(self, kind: SpanKind, source: str, seen: str, section: int, block: str) -> None:
        end = self._length + len(source)
        lines = (self._line,)
        self.spans.append(Span(kind, self._length, end, seen, lines, section, block or None))
        self._write(source)

    def _write(self, source: str) -> None:
        part = f"{source}\n\n"
        self._parts.append(part)
        self._length += len(part)
        self._line += part.count("\n")


def _to_file(node: CanvasNode) -> Link:
    """A link to the file of a node; its place is set where it is written."""
    target, heading, block = split_address(node.shown + node.subpath)
    return Link(target, None, heading, block, True, "wikilink", 1, 0, 0)


def _to_node(node: CanvasNode) -> Link:
    return Link("", None, None, node.id, False, "wikilink", 1, 0, 0)


def _by_group(nodes: Sequence[CanvasNode]) -> Mapping[int, Sequence[CanvasNode]]:
    """The nodes in reading order by the `order` of the smallest group around them."""
    groups = sorted(
        (node for node in nodes if node.kind == "group"),
        key=lambda group: (group.width * group.height, group.order),
    )
    rank = {group.order: place for place, group in enumerate(groups)}
    members: defaultdict[int, list[CanvasNode]] = defaultdict(list)
    for node in sorted(nodes, key=lambda node: (node.y, node.x, node.order)):
        # A group lies only in larger ones, so that no two lie in each other.
        larger = groups[rank[node.order] + 1 :] if node.kind == "group" else groups
        around = next((group.order for group in larger if group.covers(node)), _NO_GROUP)
        members[around].append(node)
    return members


CANVAS = Reader(_SUFFIX, "canvases", _read, "canvas", anchor="node", max_bytes=_MAX_BYTES)
