"""Canvases (`.canvas`): text nodes are passages, files and edges are links, groups are headings.

The note's text is made here: Markdown of the nodes in reading order (from top to bottom, then from
left to right), those of a group beneath its label. A passage is named by the id of its node.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace

from notewell.base.types import Heading, Link, Note, PropertyValue, Span, SpanKind
from notewell.vault.inline import split_address
from notewell.vault.parse import file_title, scan_body
from notewell.vault.properties import merge_fields
from notewell.vault.readers.canvas_file import Canvas, CanvasNode, Edge, load_canvas
from notewell.vault.readers.reader import FileFacts, Reader, ReadNote, decode_text

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
        scan = scan_body(node.shown, self._types)
        first, start, line = len(self.headings), self._length, self._line - 1
        for heading in scan.headings:
            level = min(heading.level + depth, _DEEPEST)
            moved = replace(
                heading, level=level, line=heading.line + line, start=heading.start + start
            )
            self.headings.append(moved)
        for span in scan.spans:
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
        for link in scan.links:
            self.links.append(
                replace(link, line=link.line + line, start=link.start + start, end=link.end + start)
            )
        for key, tag in scan.tags.items():
            self.tags.setdefault(key, tag)
        self.fields += scan.fields
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
