"""The graph of links between notes, kept in step note by note.

A link is kept as written and resolved when it, its note or a note it might mean changes. Which
links a name might concern is known from the last part of their targets.
"""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

import msgpack  # type: ignore[import-untyped]

from recollect.index import reads, rows
from recollect.index.store import Store
from recollect.types import Link
from recollect.vault.links import NoteNames

if TYPE_CHECKING:
    import networkx as nx


@dataclass(slots=True)
class _Node:
    """A note; `targets[n]` is the note that its link n leads to.

    `packed` are its links as columns (rows.LINK_COLUMNS) in msgpack: most are never looked at, and
    as objects they would make loading and every garbage collection slow.
    """

    path: str
    aliases: tuple[str, ...]
    packed: bytes
    targets: tuple[int | None, ...] = ()

    @property
    def links(self) -> list[list[Any]]:
        """Columns of the links, in order."""
        columns: list[list[Any]] = msgpack.unpackb(self.packed)
        return columns


class LinkGraph:
    """Links out of and into every note. Read in any thread, changed in one."""

    def __init__(self) -> None:
        """Start without notes."""
        self._nodes: dict[int, _Node] = {}
        self._into: dict[int, frozenset[int]] = {}
        self._by_path: dict[str, int] = {}
        self._asking: defaultdict[str, set[int]] | None = None  # name -> notes that link to it
        self._names: NoteNames | None = None

    # --- reading ---

    def links_out(self, note_id: int) -> tuple[tuple[Link, int | None], ...]:
        """A note's links in order, each with the note it leads to; None: to none."""
        node = self._nodes.get(note_id)
        if node is None:
            return ()
        return tuple(
            (rows.link_of(link), target)
            for link, target in zip(node.links, node.targets, strict=True)
        )

    def links_in(self, note_id: int) -> tuple[tuple[int, Link], ...]:
        """Links of other notes that lead to a note, as (note, link), by note id."""
        found = []
        for source in sorted(self._into.get(note_id, ())):
            found += [
                (source, link) for link, target in self.links_out(source) if target == note_id
            ]
        return tuple(found)

    def neighbours(self, note_id: int) -> frozenset[int]:
        """The notes a note links to, itself left out."""
        node = self._nodes.get(note_id)
        targets = node.targets if node is not None else ()
        return frozenset(each for each in targets if each is not None and each != note_id)

    def backlinks(self, note_id: int) -> frozenset[int]:
        """The notes that link to a note, itself left out."""
        return self._into.get(note_id, frozenset())

    def unresolved(self) -> tuple[tuple[int, Link], ...]:
        """Links that lead to no note, as (note, link), by note id."""
        return tuple(
            (note_id, rows.link_of(link))
            for note_id, node in sorted(self._nodes.items())
            for link, target in zip(node.links, node.targets, strict=True)
            if target is None
        )

    def resolve(self, target: str, source_path: str) -> int | None:
        """The note that a link target written in the note at `source_path` leads to."""
        path = self._known_names().resolve(target, source_path)
        return None if path is None else self._by_path.get(path)

    def __len__(self) -> int:
        return len(self._nodes)

    @property
    def edge_count(self) -> int:
        """How many pairs of different notes are linked, by direction."""
        return sum(len(sources) for sources in self._into.values())

    def networkx(self) -> nx.DiGraph[int]:
        """The graph for algorithms: nodes are note ids, `weight` counts the links of an edge."""
        import networkx as nx  # noqa: PLC0415 (a tenth of a second that a search must not pay)

        graph: nx.DiGraph[int] = nx.DiGraph()
        graph.add_nodes_from(sorted(self._nodes))
        for note_id, node in sorted(self._nodes.items()):
            for target in node.targets:
                if target is None or target == note_id:
                    continue
                weight = graph.get_edge_data(note_id, target, {"weight": 0})["weight"]
                graph.add_edge(note_id, target, weight=weight + 1)
        return graph

    # --- changing ---

    def update(
        self,
        *,
        gone: Iterable[int] = (),
        moved: Iterable[tuple[int, str]] = (),
        put: Iterable[tuple[int, str, Sequence[str], Sequence[Sequence[Any]]]] = (),
    ) -> None:
        """Follow a batch: notes removed, moved to a path, put as (id, path, aliases, links)."""
        dirty: set[int] = set()
        renamed: set[str] = set()
        moves = [(note_id, path) for note_id, path in moved if note_id in self._nodes]
        for note_id in gone:
            renamed |= self._drop(note_id)
        nodes = [(note_id, self._nodes[note_id], path) for note_id, path in moves]
        for note_id, _, _ in nodes:  # all leave before one arrives: they may swap names
            renamed |= self._drop(note_id)
        for note_id, node, path in nodes:
            renamed |= self._add(note_id, _Node(path, node.aliases, node.packed))
            dirty.add(note_id)
        for note_id, path, aliases, links in put:
            before = self._nodes.get(note_id)
            if before is None or (before.path, before.aliases) != (path, tuple(aliases)):
                renamed |= self._drop(note_id)
                renamed |= self._add(note_id, _Node(path, tuple(aliases), msgpack.packb(links)))
            else:
                self._forget_questions(note_id, before)
                self._point(note_id, before.targets, ())
                self._place(note_id, _Node(path, before.aliases, msgpack.packb(links)))
            dirty.add(note_id)
        asking = self._known_questions()
        for name in renamed:
            dirty |= asking.get(name, set())
        self._resolve(dirty)

    def _drop(self, note_id: int) -> set[str]:
        """Take a note out; returns the names it was known by."""
        node = self._nodes.get(note_id)
        if node is None:
            return set()
        self._known_names().remove(node.path)
        self._forget_questions(note_id, node)
        self._point(note_id, node.targets, ())
        del self._nodes[note_id]
        self._by_path.pop(node.path, None)
        return _names_of(node)

    def _add(self, note_id: int, node: _Node) -> set[str]:
        self._known_names().add(node.path, node.aliases)
        self._by_path[node.path] = note_id
        self._place(note_id, node)
        return _names_of(node)

    def _place(self, note_id: int, node: _Node) -> None:
        """Put a node in at once, unresolved: a reader sees the one before it or this one."""
        node.targets = (None,) * self._remember_questions(note_id, node)
        self._nodes[note_id] = node

    def _resolve(self, note_ids: Iterable[int]) -> None:
        names = self._known_names()
        for note_id in note_ids:
            node = self._nodes.get(note_id)
            if node is None:
                continue
            targets = []
            for target, *_ in node.links:
                path = node.path if target == "" else names.resolve(target, node.path)
                targets.append(None if path is None else self._by_path.get(path))
            self._point(note_id, node.targets, targets)
            node.targets = tuple(targets)

    def _point(
        self, source: int, before: Iterable[int | None], after: Iterable[int | None]
    ) -> None:
        """Keep the other direction: who links to whom."""
        old, new = set(before) - {None, source}, set(after) - {None, source}
        for target in old - new:
            left = self._into.get(target, frozenset()) - {source}  # type: ignore[arg-type]  # None was taken out
            if left:
                self._into[target] = left  # type: ignore[index]  # None was taken out
            else:
                self._into.pop(target, None)  # type: ignore[arg-type]  # None was taken out
        for target in new - old:
            self._into[target] = self._into.get(target, frozenset()) | {source}  # type: ignore[index,arg-type]  # None was taken out

    def _known_names(self) -> NoteNames:
        """Made at the first change or question: a search needs none."""
        if self._names is None:
            names = NoteNames()
            for node in self._nodes.values():
                names.add(node.path, node.aliases)
            self._names = names
        return self._names

    def _known_questions(self) -> defaultdict[str, set[int]]:
        if self._asking is None:
            self._asking = defaultdict(set)
            for note_id, node in self._nodes.items():
                self._remember_questions(note_id, node)
        return self._asking

    def _remember_questions(self, note_id: int, node: _Node) -> int:
        """Enter the names a note links to; returns how many links it has."""
        asking, links = self._known_questions(), node.links
        for target, *_ in links:
            asking[_last_part(target)].add(note_id)
        return len(links)

    def _forget_questions(self, note_id: int, node: _Node) -> None:
        asking = self._known_questions()
        for target, *_ in node.links:
            asking[_last_part(target)].discard(note_id)

    # --- loading ---

    @classmethod
    def build(cls, store: Store) -> LinkGraph:
        """From the database, every link resolved."""
        graph = cls()
        links: defaultdict[int, list[Sequence[Any]]] = defaultdict(list)
        for note_id, *link in reads.links(store):
            links[note_id].append(link)
        graph.update(
            put=[
                (note_id, path, rows.strings(aliases), links.get(note_id, ()))
                for note_id, path, aliases in store.read("SELECT id, path, aliases FROM notes")
            ]
        )
        return graph

    def packed(self) -> list[Any]:
        """Everything in plain lists, for a snapshot."""
        return [
            [note_id, node.path, node.aliases, node.packed, node.targets]
            for note_id, node in self._nodes.items()
        ]

    @classmethod
    def unpacked(cls, packed: Iterable[Sequence[Any]]) -> LinkGraph:
        """The graph of a snapshot."""
        graph = cls()
        into: defaultdict[int, set[int]] = defaultdict(set)
        for note_id, path, aliases, links, targets in packed:
            graph._nodes[note_id] = _Node(path, tuple(aliases), links, tuple(targets))
            graph._by_path[path] = note_id
            for target in targets:
                if target is not None and target != note_id:
                    into[target].add(note_id)
        graph._into = {target: frozenset(sources) for target, sources in into.items()}
        return graph


def _names_of(node: _Node) -> set[str]:
    return {_last_part(name) for name in (node.path, *node.aliases)}


def _last_part(name: str) -> str:
    """What two spellings of a link to one note have in common: the last part, folded."""
    part = unquote(name) if "%" in name else name
    part = part.lower() if part.isascii() else unicodedata.normalize("NFC", part).casefold()
    part = part.rsplit("/", 1)[-1].strip()
    while part.endswith(".md"):  # a link may carry the suffix, and a note be called `x.md.md`
        part = part.removesuffix(".md")
    return part.strip()
