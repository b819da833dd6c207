"""An immutable table of all notes' links as arrays: small in memory, and mapped from a snapshot.

As objects, the links of 25,000 notes take a fifth of a second to load and 30 MB. A search reads
from the arrays which notes are linked; a link's text is unpacked only where it is needed.
Compressed sparse rows: the entries of the note at place `n` are `starts[n]` to `starts[n + 1]`.
"""

from __future__ import annotations

import unicodedata
import zlib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from itertools import accumulate, chain
from typing import Any, NamedTuple
from urllib.parse import unquote

import msgpack
import numpy as np
import numpy.typing as npt

from notewell.base.types import IdArray
from notewell.vault.readers import link_name

NO_NOTE = -1


@dataclass(frozen=True, slots=True)
class Node:
    """A note; `targets[n]` is the note that its link n leads to.

    `packed` are its links as columns (row_values.LINK_COLUMNS) in msgpack: most are never read, and
    as objects they would make every garbage collection slow.
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

    @property
    def target_keys(self) -> list[int]:
        """The `name_key` of each link's target, in order."""
        return [name_key(target) for target, *_ in self.links]

    @property
    def names(self) -> set[int]:
        """The `name_key` of the note's path and aliases."""
        return {name_key(name) for name in (self.path, *self.aliases)}


class _NodeRow(NamedTuple):
    """The columns of one node."""

    words: bytes
    targets: Sequence[int]
    asked: Sequence[int]


def _row_of(node: Node) -> _NodeRow:
    words = msgpack.packb((node.path, node.aliases, node.packed))
    return _NodeRow(words, [NO_NOTE if to is None else to for to in node.targets], node.target_keys)


def name_key(name: str) -> int:
    """The same 32-bit key for all spellings of a link to one note: a hash of its last part, folded.

    Different names that share a key only cost a superfluous lookup.
    """
    part = unquote(name) if "%" in name else name
    part = part.lower() if part.isascii() else unicodedata.normalize("NFC", part).casefold()
    part = part.rsplit("/", 1)[-1].strip()
    # A link may carry the suffix, and a note be called `x.md.md`.
    while (shorter := link_name(part)) != part:
        part = shorter
    return zlib.crc32(part.strip().encode("utf-8", "surrogatepass"))


@dataclass(frozen=True, slots=True, eq=False)
class LinkTable:
    """Nodes by note id; never changed. `ids` are ascending, all starts have one more entry."""

    ids: IdArray
    words: npt.NDArray[np.uint8]  # of each note, in msgpack: its path, aliases and packed links
    word_starts: IdArray
    targets: IdArray  # of each link; NO_NOTE where it leads to none
    asked: npt.NDArray[np.uint32]  # of each link: the `name_key` of its target
    link_starts: IdArray
    sources: IdArray  # of each note: the others that link to it, ascending
    source_starts: IdArray

    @classmethod
    def of(cls, nodes: Mapping[int, Node]) -> LinkTable:
        return cls._of_rows({note_id: _row_of(node) for note_id, node in nodes.items()})

    def changed(self, nodes: Mapping[int, Node | None]) -> LinkTable:
        """The table with nodes put in or, where there is None, taken out."""
        kept = np.flatnonzero(~np.isin(self.ids, np.array([*nodes], np.int64)))
        ids = self.ids[kept].tolist()
        rows = {note_id: self._row(at) for note_id, at in zip(ids, kept.tolist(), strict=True)}
        put = {note_id: _row_of(node) for note_id, node in nodes.items() if node is not None}
        return self._of_rows(rows | put)

    @classmethod
    def _of_rows(cls, rows: Mapping[int, _NodeRow]) -> LinkTable:
        ids = np.array(sorted(rows), np.int64)
        ordered = [rows[note_id] for note_id in ids.tolist()]
        link_starts = _starts(len(row.targets) for row in ordered)
        targets = np.fromiter(chain.from_iterable(row.targets for row in ordered), np.int64)
        asked = np.fromiter(chain.from_iterable(row.asked for row in ordered), np.uint32)
        sources, source_starts = _reverse(ids, targets, np.diff(link_starts))
        return cls(
            ids=ids,
            words=np.frombuffer(b"".join([row.words for row in ordered]), np.uint8),
            word_starts=_starts(len(row.words) for row in ordered),
            targets=targets,
            asked=asked,
            link_starts=link_starts,
            sources=sources,
            source_starts=source_starts,
        )

    def _row(self, at: int) -> _NodeRow:
        words = slice(self.word_starts[at], self.word_starts[at + 1])
        links = slice(self.link_starts[at], self.link_starts[at + 1])
        return _NodeRow(
            self.words[words].tobytes(), self.targets[links].tolist(), self.asked[links].tolist()
        )

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, npt.NDArray[Any]]) -> LinkTable:
        """The table that gave `arrays`.

        Raises:
            ValueError: they are damaged.

        """
        names = [field.name for field in fields(cls)]
        if not arrays.keys() >= {*names, "checksum"}:
            raise ValueError("an array is missing")
        table = cls(**{name: arrays[name] for name in names})
        if table._checksum() != int(arrays["checksum"][0]):
            raise ValueError("the checksum does not fit")
        return table

    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        named = {field.name: getattr(self, field.name) for field in fields(self)}
        return named | {"checksum": np.array([self._checksum()], np.uint32)}

    def _checksum(self) -> int:
        crc = 0
        for field in fields(self):
            crc = zlib.crc32(np.ascontiguousarray(getattr(self, field.name)).data, crc)
        return crc

    def place(self, note_id: int) -> int | None:
        """The place of a note in the arrays; None: it is not in the table."""
        at = int(np.searchsorted(self.ids, note_id))
        return at if at < len(self.ids) and self.ids[at] == note_id else None

    def node(self, note_id: int) -> Node | None:
        """A note, unpacked; None: it is not in the table."""
        at = self.place(note_id)
        if at is None:
            return None
        row = self._row(at)
        path, aliases, links = msgpack.unpackb(row.words)
        targets = tuple([None if to == NO_NOTE else to for to in row.targets])
        return Node(path, tuple(aliases), links, targets)

    def names(self) -> Iterator[tuple[int, str, Sequence[str]]]:
        """(id, path, aliases) of every note: a third of the time of unpacking each with `node`."""
        words, starts = self.words.tobytes(), self.word_starts.tolist()
        for note_id, start, stop in zip(self.ids.tolist(), starts, starts[1:], strict=False):
            path, aliases, _ = msgpack.unpackb(words[start:stop])
            yield note_id, path, aliases

    def targets_of(self, note_id: int) -> frozenset[int]:
        """The notes that a note links to, itself left out."""
        at = self.place(note_id)
        if at is None:
            return frozenset()
        targets = self.targets[self.link_starts[at] : self.link_starts[at + 1]].tolist()
        return frozenset(targets) - {NO_NOTE, note_id}

    def links_among(
        self, note_ids: IdArray, first: int, changed: Mapping[int, Collection[int]]
    ) -> tuple[IdArray, IdArray]:
        """Links among notes (`LinkIndex`); `changed`: other targets than the table has."""
        none = np.empty(0, np.int64)
        parts = [none] * first
        if len(self.ids):
            rows = np.minimum(np.searchsorted(self.ids, note_ids[:first]), len(self.ids) - 1)
            known = (self.ids[rows] == note_ids[:first]).tolist()
            begins, ends = self.link_starts[rows].tolist(), self.link_starts[rows + 1].tolist()
            parts = [
                self.targets[begin:end] if there else none
                for there, begin, end in zip(known, begins, ends, strict=True)
            ]
        for place, targets_now in changed.items():
            parts[place] = np.array([*targets_now], np.int64)
        sources = np.repeat(np.arange(first), [len(part) for part in parts])
        targets = _places(note_ids, np.concatenate([*parts, np.empty(0, np.int64)]))
        linked = np.zeros((len(parts), len(note_ids)), np.bool_)
        kept = (targets >= 0) & (targets != sources)
        linked[sources[kept], targets[kept]] = True
        found_sources, found_targets = np.nonzero(linked)
        return found_sources, found_targets

    def sources_of(self, note_id: int) -> frozenset[int]:
        """The other notes that link to a note."""
        at = self.place(note_id)
        if at is None:
            return frozenset()
        return frozenset(self.sources[self.source_starts[at] : self.source_starts[at + 1]].tolist())

    def source_counts(self, note_ids: IdArray) -> IdArray:
        """The number of other notes that link to each note; 0 for one that is not in the table."""
        if not len(self.ids):
            return np.zeros(len(note_ids), np.int64)
        at = np.minimum(np.searchsorted(self.ids, note_ids), len(self.ids) - 1)
        counts = self.source_starts[at + 1] - self.source_starts[at]
        return np.where(self.ids[at] == note_ids, counts, 0)

    def linking_to(self, keys: Collection[int]) -> frozenset[int]:
        """The notes with a link whose target has one of these keys."""
        links = np.flatnonzero(np.isin(self.asked, np.array([*keys], np.uint32)))
        places = np.searchsorted(self.link_starts, links, side="right") - 1
        return frozenset(self.ids[places].tolist())

    def unresolved(self) -> frozenset[int]:
        """The notes with a link that leads to none."""
        links = np.flatnonzero(self.targets == NO_NOTE)
        places = np.searchsorted(self.link_starts, links, side="right") - 1
        return frozenset(self.ids[places].tolist())


def _places(note_ids: IdArray, wanted: IdArray) -> IdArray:
    """The place of each wanted id among different ids; -1 where it is none of them."""
    if not len(note_ids):
        return np.full(len(wanted), -1, np.int64)
    order = np.argsort(note_ids)
    ordered = note_ids[order]
    at = np.minimum(np.searchsorted(ordered, wanted), len(ordered) - 1)
    known = (ordered[at] == wanted) & (wanted != NO_NOTE)
    return np.where(known, order[at], -1)


def _starts(lengths: Iterable[int]) -> IdArray:
    return np.array([*accumulate(lengths, initial=0)], np.int64)


def _reverse(ids: IdArray, targets: IdArray, counts: IdArray) -> tuple[IdArray, IdArray]:
    """The links reversed: the sources of each note, and where they start."""
    pairs = np.stack((targets, np.repeat(ids, counts)), axis=1)
    pairs = pairs[(pairs[:, 0] != NO_NOTE) & (pairs[:, 0] != pairs[:, 1])]
    pairs = np.unique(pairs, axis=0)
    return pairs[:, 1].copy(), np.searchsorted(pairs[:, 0], [*ids.tolist(), np.iinfo(np.int64).max])
