"""The graph of links between notes, updated note by note.

A link is stored as written, and resolved again when it, its note or a note that it may lead to
changes. The links that a name may concern are found by the last part of their targets. The graph of
a snapshot or a full build is an immutable table of arrays (link_table.py); notes that changed since
are in dictionaries that take precedence over it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import msgpack
import numpy.typing as npt

from notewell.base.types import IdArray, Link
from notewell.index.link_table import LinkTable, Node
from notewell.index.row_values import link_of
from notewell.vault.link_targets import NoteNames

_MOST_CHANGED = 4096  # changed notes, or half the table's, before the table is rebuilt


class LinkGraph:
    """Links out of and into every note. Read in any thread, changed in one.

    A reader looks at the changed notes first, then at the table. A new table is in place before the
    changes are dropped.
    """

    def __init__(self, table: LinkTable | None = None) -> None:
        """Start with the notes of a table, or without any."""
        self._table = LinkTable.of({}) if table is None else table
        self._changed: dict[int, Node | None] = {}  # None: gone
        self._into: dict[int, frozenset[int]] = {}  # of notes whose backlinks changed
        self._by_name: defaultdict[int, set[int]] = defaultdict(
            set
        )  # name key -> changed notes with links to it
        self._names: Names | None = None

    # --- reading ---

    def links_out(self, note_id: int) -> tuple[tuple[Link, int | None], ...]:
        node = self._node(note_id)
        if node is None:
            return ()
        return tuple(
            (link_of(link), target) for link, target in zip(node.links, node.targets, strict=True)
        )

    def links_in(self, note_id: int) -> tuple[tuple[int, Link], ...]:
        links = []
        for source in sorted(self.backlinks(note_id)):
            links += [
                (source, link) for link, target in self.links_out(source) if target == note_id
            ]
        return tuple(links)

    def neighbours(self, note_id: int) -> frozenset[int]:
        if note_id not in self._changed:
            return self._table.targets_of(note_id)
        node = self._node(note_id)
        targets = node.targets if node is not None else ()
        return frozenset(target for target in targets if target is not None and target != note_id)

    def links_among(self, note_ids: IdArray, first: int) -> tuple[IdArray, IdArray]:
        changed = self._changed
        own = {
            place: self.neighbours(note_id)
            for place, note_id in enumerate(note_ids[:first].tolist())
            if note_id in changed
        }
        return self._table.links_among(note_ids, first, own)

    def backlinks(self, note_id: int) -> frozenset[int]:
        known = self._into.get(note_id)
        return self._table.sources_of(note_id) if known is None else known

    def backlink_counts(self, note_ids: IdArray) -> IdArray:
        into = self._into
        counts = self._table.source_counts(note_ids)
        if into:
            for at, note_id in enumerate(note_ids.tolist()):
                if note_id in into:
                    counts[at] = len(into[note_id])
        return counts

    def unresolved(self) -> tuple[tuple[int, Link], ...]:
        changed = frozenset(self._changed)
        return tuple(
            (note_id, link)
            for note_id in sorted(changed | self._table.unresolved())
            for link, target in self.links_out(note_id)
            if target is None
        )

    def resolve(self, target: str, source_path: str) -> int | None:
        return self._known_names().resolve(target, source_path)

    def __len__(self) -> int:
        return sum(1 for _ in self._ids())

    @property
    def edge_count(self) -> int:
        into, table = self._into.copy(), self._table
        others = len(table.sources) - sum(len(table.sources_of(note_id)) for note_id in into)
        return others + sum(map(len, into.values()))

    def _node(self, note_id: int) -> Node | None:
        changed = self._changed
        return changed[note_id] if note_id in changed else self._table.node(note_id)

    def _ids(self) -> Iterator[int]:
        changed = self._changed.copy()
        yield from (note_id for note_id in self._table.ids.tolist() if note_id not in changed)
        yield from (note_id for note_id, node in changed.items() if node is not None)

    def _nodes(self) -> Iterator[tuple[int, Node]]:
        for note_id in self._ids():
            node = self._node(note_id)
            if node is not None:
                yield note_id, node

    # --- changing ---

    def update(
        self,
        *,
        gone: Iterable[int] = (),
        moved: Iterable[tuple[int, str]] = (),
        put: Iterable[tuple[int, str, Sequence[str], Sequence[Sequence[Any]]]] = (),
    ) -> None:
        """Apply a batch: notes removed, moved to a path, put as (id, path, aliases, links)."""
        dirty: set[int] = set()
        renamed: set[int] = set()
        for note_id in gone:
            renamed |= self._drop(note_id)
        moving = [(note_id, self._node(note_id), path) for note_id, path in moved]
        for note_id, _, _ in moving:  # all leave before one arrives: they may swap names
            renamed |= self._drop(note_id)
        for note_id, node, path in moving:
            if node is not None:
                renamed |= self._add(note_id, Node(path, node.aliases, node.packed))
                dirty.add(note_id)
        for note_id, path, aliases, links in put:
            before = self._node(note_id)
            node = Node(path, tuple(aliases), msgpack.packb(links))
            if before is not None and (before.path, before.aliases) == (node.path, node.aliases):
                if not self._rewrite(note_id, before, node):
                    dirty.add(note_id)
            else:
                renamed |= self._drop(note_id)
                renamed |= self._add(note_id, node)
                dirty.add(note_id)
        self._resolve(dirty | self._linking_to(renamed))
        self._tidy()

    def _drop(self, note_id: int) -> set[int]:
        node = self._node(note_id)
        if node is None:
            return set()
        self._known_names().remove(node.path)
        self._forget_names(note_id, node)
        self._point(note_id, node.targets, ())
        self._changed[note_id] = None
        return node.names

    def _add(self, note_id: int, node: Node) -> set[int]:
        self._known_names().add(node.path, node.aliases, note_id)
        self._place(note_id, node, (None,) * len(node.links))
        return node.names

    def _rewrite(self, note_id: int, before: Node, node: Node) -> bool:
        """Replace the links of a note; returns whether all are resolved already.

        Most notes are saved with the same links, which lead to the same notes: then the names
        of all notes need not be loaded.
        """
        led = {target: to for (target, *_), to in zip(before.links, before.targets, strict=True)}
        links = node.links
        known = all(target in led for target, *_ in links)
        self._forget_names(note_id, before)
        targets = tuple(led.get(target) for target, *_ in links)
        self._point(note_id, before.targets, targets)
        self._place(note_id, node, targets)
        return known

    def _place(self, note_id: int, node: Node, targets: tuple[int | None, ...]) -> None:
        """Replace a node atomically: a reader sees the old one or this one."""
        for name in node.target_keys:
            self._by_name[name].add(note_id)
        self._changed[note_id] = Node(node.path, node.aliases, node.packed, targets)

    def _resolve(self, note_ids: Iterable[int]) -> None:
        for note_id in note_ids:
            node = self._node(note_id)
            if node is None:
                continue
            targets = []
            for target, *_ in node.links:
                targets.append(self._known_names().resolve(target, node.path, by_alias=False))
            if tuple(targets) != node.targets:
                self._point(note_id, node.targets, targets)
                self._place(note_id, node, tuple(targets))

    def _point(
        self, source: int, before: Iterable[int | None], after: Iterable[int | None]
    ) -> None:
        old = {target for target in before if target is not None and target != source}
        new = {target for target in after if target is not None and target != source}
        for target in old - new:
            self._into[target] = self.backlinks(target) - {source}
        for target in new - old:
            self._into[target] = self.backlinks(target) | {source}

    def _known_names(self) -> Names:
        """Names of all notes, loaded at the first change that needs them: searches do not."""
        if self._names is None:
            names = Names()
            for note_id, path, aliases in self._table.names():
                if note_id not in self._changed:
                    names.add(path, aliases, note_id)
            for note_id, node in self._changed.items():
                if node is not None:
                    names.add(node.path, node.aliases, note_id)
            self._names = names
        return self._names

    def _linking_to(self, names: set[int]) -> set[int]:
        """The notes with a link to one of these name keys, and some that had one before."""
        if not names:
            return set()
        changed = [self._by_name.get(name, set()) for name in names]
        return set().union(self._table.linking_to(names), *changed)

    def _forget_names(self, note_id: int, node: Node) -> None:
        for name in node.target_keys:
            self._by_name[name].discard(note_id)

    def _tidy(self) -> None:
        """Rebuild the table when many notes have changed."""
        if len(self._changed) > max(_MOST_CHANGED, len(self._table.ids) // 2):
            self._table = self._table.changed(self._changed)
            self._changed, self._into, self._by_name = {}, {}, defaultdict(set)

    # --- loading ---

    @classmethod
    def of(
        cls, notes: Iterable[tuple[int, str, Sequence[str], Sequence[Sequence[Any]]]]
    ) -> LinkGraph:
        """Of all notes, as (id, path, aliases, LINK_COLUMNS of each link); every link resolved."""
        known = list(notes)
        names = Names()
        for note_id, path, aliases, _ in known:
            names.add(path, aliases, note_id)
        nodes = {}
        for note_id, path, aliases, own in known:
            targets = tuple(names.resolve(target, path, by_alias=False) for target, *_ in own)
            nodes[note_id] = Node(path, tuple(aliases), msgpack.packb(own), targets)
        return cls(LinkTable.of(nodes))

    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        return self._table.changed(self._changed).arrays()

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, npt.NDArray[Any]]) -> LinkGraph:
        """The graph of a snapshot.

        Raises:
            ValueError: it is damaged.

        """
        return cls(LinkTable.from_arrays(arrays))


class Names:
    """Names of all notes, to resolve link targets to note ids."""

    def __init__(self) -> None:
        self._paths = NoteNames()
        self._ids: dict[str, int] = {}

    def add(self, path: str, aliases: Sequence[str], note_id: int) -> None:
        self._paths.add(path, aliases)
        self._ids[path] = note_id

    def remove(self, path: str) -> None:
        self._paths.remove(path)
        self._ids.pop(path, None)

    def resolve(self, target: str, source_path: str, *, by_alias: bool = True) -> int | None:
        """The note that a target written in the note at `source_path` means, or None.

        `by_alias`: it may be an alias, which a link cannot lead to.
        """
        path = self._paths.resolve(target, source_path, by_alias=by_alias)
        return None if path is None else self._ids.get(path)


# The topics that notes name, by id; kept until the text of the vault changes.
