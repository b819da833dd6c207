"""All notes of a vault as plain values, as the checks of the gardener see them."""

from __future__ import annotations

import posixpath
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path

import numpy as np

from notewell.api import OpenVault
from notewell.api.errors import UnreadableNoteError
from notewell.api.notes import DailyNotes, is_document, read_frontmatter
from notewell.api.text import sentences_of
from notewell.api.types import FloatArray, PropertyValue, frozen
from notewell.api.vault import IndexReader, Link, Source, StoredNote
from notewell.base.errors import VaultError
from notewell.features.gardener import GardenRules
from notewell.index.analyze import tokens
from notewell.search.facts.copies import copies_of
from notewell.search.rank.candidates import centred_vectors
from notewell.vault.daily import obsidian_settings, template_folder
from notewell.vault.link_targets import NoteNames
from notewell.vault.parse import file_title, one_line_end
from notewell.vault.properties import body_start
from notewell.vault.regions import is_drawing
from notewell.vault.topics import Ontology, read_ontology

_NO_TOPICS = Ontology((), {}, None)
_APP = Path(".obsidian/app.json")
_IGNORE = "gardener-ignore"
_YES = frozenset({"true", "yes", "1"})
_LONGEST_SENTENCE = 200
NEIGHBOURS = 10
MIN_COSINE = 0.25  # centred; less alike notes have no vote
_BLOCK_ROWS = 512


@frozen
class NoteFacts:
    """A note as the index knows it. `links` are in order, each with the path it leads to."""

    path: str
    title: str
    hash: str  # of its content
    aliases: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    properties: Mapping[str, PropertyValue] = field(default_factory=dict)
    links: tuple[tuple[Link, str | None], ...] = ()
    touched: float = 0.0  # when its file was written last, in POSIX seconds

    @property
    def name(self) -> str:
        """The file's name without folder and ending, as links write it."""
        return file_title(self.path, ".md")

    @property
    def folder(self) -> str:
        """The note's folder; "" is the vault itself."""
        return posixpath.dirname(self.path)


class NoteBody:
    r"""The text of a note, with line ends made `\n` without moving any offset."""

    def __init__(self, text: str) -> None:
        """`text` is the note as decoded from its file, properties included."""
        self.text = one_line_end(text)
        self.start = body_start(self.text)  # where the text below the properties begins

    @cached_property
    def properties(self) -> Mapping[str, PropertyValue]:
        """The properties as written, without fields in the text."""
        return read_frontmatter(self.text).properties

    def line_at(self, offset: int) -> int:
        """The line of an offset, 1-based."""
        return self.text.count("\n", 0, offset) + 1


@dataclass(frozen=True)
class Garden:
    """A vault as the checks see it.

    `notes` are all Markdown notes, by path; `tended` are those that may be edited and suggested.
    `read` gives the text of a note, or None if it is not as the index has it. `known` and
    `vectors` (notes, dimensions) are the notes that have a mean vector, of unit length. `now` is
    in POSIX seconds. `markdown_links`: the vault writes links as `[text](Note.md)`. `new_notes` is
    the folder where Obsidian makes notes, None that of the note with the link.
    """

    notes: Mapping[str, NoteFacts]
    tended: frozenset[str]
    read: Callable[[str], NoteBody | None]
    known: tuple[str, ...] = ()
    vectors: FloatArray = field(default_factory=lambda: np.zeros((0, 1), np.float32))
    ontology: Ontology = _NO_TOPICS
    now: float = 0.0
    markdown_links: bool = False
    new_notes: str | None = ""
    is_daily: Callable[[NoteFacts], bool] = lambda _: False
    # The sentence of a note that is nearest to what another note says, or None.
    sentence: Callable[[str, str], str | None] = lambda _one, _other: None
    # The conflict copies of notes, by the path of the note, and the text of one, or None.
    copies: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    read_copy: Callable[[str], NoteBody | None] = lambda _: None

    @cached_property
    def names(self) -> NoteNames:
        names = NoteNames()
        for note in self.notes.values():
            names.add(note.path, note.aliases)
        return names

    @cached_property
    def linked_from(self) -> Mapping[str, frozenset[str]]:
        """The notes that link to each note, itself left out."""
        linking: dict[str, set[str]] = {}
        for note in self.notes.values():
            for _, target in note.links:
                if target is not None and target != note.path:
                    linking.setdefault(target, set()).add(note.path)
        return {path: frozenset(sources) for path, sources in linking.items()}

    @cached_property
    def row_of(self) -> Mapping[str, int]:
        """The row in `vectors` of each note that has one."""
        return {path: row for row, path in enumerate(self.known)}

    def tended_notes(self) -> tuple[NoteFacts, ...]:
        """The notes that may be edited, by path."""
        return tuple(self.notes[path] for path in sorted(self.tended) if path in self.notes)


def read_garden(vault: OpenVault, rules: GardenRules) -> Garden:
    """The vault as the index has it now; texts are read from the notes when a check needs them.

    Notes in folders that only another feature edits are not tended.
    """
    index, root = vault.index, vault.record.path
    untouched = (*rules.ignore, *vault.own_folders(), template_folder(root) or "")
    stored = {
        note.id: note
        for note in index.all_notes()
        if note.path.lower().endswith(".md") and not is_document(note.path)
    }
    hashes = {path: entry.content_hash.hex() for path, entry in index.manifest().items()}
    notes = {
        note.path: _facts(index, note, stored, hashes[note.path])
        for note in stored.values()
        if note.path in hashes
    }
    ids, means = index.vectors.note_means()
    rows = [row for row, note_id in enumerate(ids.tolist()) if note_id in stored]
    daily = DailyNotes.read(root)
    kinds = [link.kind == "markdown" for note in notes.values() for link, _ in note.links]
    return Garden(
        notes=notes,
        tended=_find_tended(untouched, notes),
        read=_BodyReader(vault.source, hashes),
        known=tuple(stored[int(ids[row])].path for row in rows),
        vectors=_unit(means[rows]),
        ontology=read_ontology(stored.values(), vault.settings().topics.folder),
        now=time.time(),
        markdown_links=sum(kinds) * 2 > len(kinds),
        new_notes=_new_notes(root),
        is_daily=lambda note: daily.day(note.path, note.properties) is not None,
        sentence=_Sentences(index, {note.path: note for note in stored.values()}),
        copies=copies_of(index),
        read_copy=partial(_read_copy, vault.source),
    )


def is_ignored(properties: Mapping[str, PropertyValue]) -> bool:
    """True if a note asks to be left alone."""
    value = next((v for name, v in properties.items() if name.lower() == _IGNORE), None)
    return str(value).strip().casefold() in _YES


def _facts(
    index: IndexReader, note: StoredNote, stored: Mapping[int, StoredNote], content_hash: str
) -> NoteFacts:
    links = tuple((link, _target(to, index, stored)) for link, to in index.graph.links_out(note.id))
    return NoteFacts(
        path=note.path,
        title=note.title,
        hash=content_hash,
        aliases=note.aliases,
        tags=note.tags,
        properties=note.properties,
        links=links,
        touched=note.mtime_ns / 1e9,
    )


def _target(to: int | None, index: IndexReader, stored: Mapping[int, StoredNote]) -> str | None:
    """The path that a link leads to, whatever the type of the file."""
    if to is None or to in stored:
        return None if to is None else stored[to].path
    other = index.notes([to]).get(to)
    return None if other is None else other.path


def _find_tended(untouched: Iterable[str], notes: Mapping[str, NoteFacts]) -> frozenset[str]:
    left = tuple(f"{folder.strip('/').casefold()}/" for folder in untouched if folder.strip("/"))
    return frozenset(
        path
        for path, note in notes.items()
        if not path.casefold().startswith(left)
        and not is_ignored(note.properties)
        and not is_drawing(path, note.properties)
    )


def _new_notes(root: Path) -> str | None:
    """The folder where Obsidian makes notes; None: that of the note with the link."""
    stored = obsidian_settings(root / _APP)
    place, folder = stored.get("newFileLocation"), stored.get("newFileFolderPath")
    if place == "current":
        return None
    return folder.strip("/ ") if place == "folder" and isinstance(folder, str) else ""


def _unit(vectors: FloatArray) -> FloatArray:
    rows = vectors.astype(np.float32)
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    unit: FloatArray = rows / np.maximum(lengths, np.float32(1e-6))
    return unit


@frozen
class _BodyReader:
    """Reads the notes that are as the index has them."""

    source: Source
    hashes: Mapping[str, str]

    def __call__(self, path: str) -> NoteBody | None:
        try:
            read = self.source.read(self.source.stamp(path))
        except (UnreadableNoteError, VaultError):
            return None
        return NoteBody(read.text) if read.content_hash.hex() == self.hashes.get(path) else None


def _read_copy(source: Source, path: str) -> NoteBody | None:
    try:
        return NoteBody(source.read(source.stamp(path)).text)
    except (UnreadableNoteError, VaultError):
        return None


@frozen
class _Sentences:
    """Finds the sentence of a note that shares most words with another note."""

    index: IndexReader
    notes: Mapping[str, StoredNote]

    def __call__(self, path: str, about: str) -> str | None:
        vectors = self.index.vectors
        mine = self.index.chunks_of(self.notes[path].id)
        theirs = self.index.chunks_of(self.notes[about].id)
        ids, rows = vectors.of_chunks(np.array([chunk.id for chunk in mine], np.int64))
        _, others = vectors.of_chunks(np.array([their.id for their in theirs], np.int64))
        if not len(rows) or not len(others):
            return None
        best = int(ids[int((rows @ others.T).max(axis=1).argmax())])
        text = next(chunk.text for chunk in mine if chunk.id == best)
        wanted = {word for their in theirs for word in tokens(their.text)}
        sentences = [text[start:end] for start, end in sentences_of(text)]
        if not sentences:
            return None
        chosen = max(sentences, key=lambda sentence: _share_of_words(sentence, wanted))
        return " ".join(chosen.split())[:_LONGEST_SENTENCE]


def _share_of_words(sentence: str, wanted: set[str]) -> float:
    """The number of wanted words in a sentence, by its length: less for a longer one."""
    own = set(tokens(sentence))
    return len(own & wanted) / (len(own) + 3.0) if own else 0.0


@frozen
class Neighbour:
    """A similar note, and its centred cosine."""

    path: str
    cosine: float


def centre_vectors(garden: Garden) -> FloatArray:
    """The vectors of a garden without what all its notes have in common, of unit length."""
    return centred_vectors(garden.vectors, [0] * len(garden.known))


def neighbours(
    garden: Garden, paths: list[str], vectors: FloatArray, *, most: int = NEIGHBOURS
) -> Iterator[tuple[str, tuple[Neighbour, ...]]]:
    """Yield each of `paths` that has a vector, with the notes most similar to it, best first."""
    rows = np.array([garden.row_of[path] for path in paths if path in garden.row_of], np.int64)
    for start in range(0, len(rows), _BLOCK_ROWS):
        block = rows[start : start + _BLOCK_ROWS]
        cosines = vectors[block] @ vectors.T
        cosines[np.arange(len(block)), block] = -1.0
        best = np.argpartition(-cosines, min(most, cosines.shape[1]) - 1, axis=1)[:, :most]
        for at, row in enumerate(block.tolist()):
            nearest = sorted((-float(cosines[at, n]), garden.known[n]) for n in best[at].tolist())
            yield (
                garden.known[row],
                tuple(
                    Neighbour(path, -cosine) for cosine, path in nearest if -cosine >= MIN_COSINE
                ),
            )


@frozen
class Vote:
    """Something that similar notes have: the share of their votes, and those notes."""

    what: str
    share: float
    notes: tuple[str, ...]


def votes(around: tuple[Neighbour, ...], has: Mapping[str, frozenset[str]]) -> tuple[Vote, ...]:
    """The values of the neighbours by share of their cosines, the largest first."""
    total = sum(neighbour.cosine for neighbour in around)
    if not total:
        return ()
    shares: dict[str, float] = {}
    voters: dict[str, list[str]] = {}
    for neighbour in around:
        for what in has.get(neighbour.path, ()):
            shares[what] = shares.get(what, 0.0) + neighbour.cosine / total
            voters.setdefault(what, []).append(neighbour.path)
    ranked = sorted(shares, key=lambda what: (-shares[what], what))
    return tuple(Vote(what, shares[what], tuple(voters[what])) for what in ranked)
