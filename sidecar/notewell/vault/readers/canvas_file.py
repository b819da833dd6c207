"""The contents of a canvas file: its nodes and edges, without what is malformed or too much."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Literal, TypeAlias, get_args

from notewell.base.errors import UnreadableNoteError
from notewell.base.types.frozen import frozen

Json: TypeAlias = object
_MAX_NAME = 1000  # characters of an id, a path or a label
_FAR = 1e9  # pixels; beyond it a number is no position


def load_object(text: str, path: str, what: str) -> Mapping[str, Json]:
    """Read a JSON object; UnreadableNoteError (code "unreadable") if it is not one.

    `what` is what the file should be: "canvas".
    """
    try:
        loaded: Json = json.loads(text)
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        why = f"its JSON is broken or cut off at {place}: {error.msg}"
        raise refusal(path, what, why) from error
    except (ValueError, RecursionError) as error:
        raise refusal(path, what, f"its JSON cannot be read: {error}") from error
    if not isinstance(loaded, dict):
        raise refusal(path, what, "its JSON is no object")
    return loaded


def refusal(path: str, what: str, why: str) -> UnreadableNoteError:
    """The error for a file that is not what its name says."""
    return UnreadableNoteError(f"{path} is no valid {what}: {why}.", code="unreadable")


def text_of(value: Json) -> str:
    """A text without lone surrogates and NUL, which no database stores; "" for other values."""
    if not isinstance(value, str):
        return ""
    text = value.encode("utf-8", "replace").decode().replace("\x00", "�")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def name_of(value: Json) -> str:
    """A text of one line; "" if it is far too long for a name."""
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
    """Read a canvas; UnreadableNoteError (code "unreadable") if it is not one. Empty text is one.

    Texts that come back hold no lone surrogates and no NUL, which no database could store.
    """
    if not text.strip():
        return Canvas()
    loaded = load_object(text, path, _CANVAS)
    entries, links = loaded.get("nodes", []), loaded.get("edges", [])
    if not isinstance(entries, list) or not isinstance(links, list):
        raise refusal(path, _CANVAS, "`nodes` and `edges` of its JSON are not lists")
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
