"""All notes of a vault as plain values, as the checks of the gardener see them."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from notewell.base.types import FloatArray, Link, PropertyValue
from notewell.base.types.frozen import frozen
from notewell.vault.frontmatter import body_start, read_frontmatter
from notewell.vault.links import NoteNames
from notewell.vault.parse import file_title, one_line_end
from notewell.vault.topics import Ontology

_NO_TOPICS = Ontology((), {}, None)


@frozen
class NoteFacts:
    """A note as the index knows it. `links` are in order, each with the path it leads to."""

    path: str
    title: str
    content_hash: bytes
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
    in POSIX seconds. `markdown_links`: the vault writes links as `[text](Note.md)`.
    """

    notes: Mapping[str, NoteFacts]
    tended: frozenset[str]
    read: Callable[[str], NoteBody | None]
    known: tuple[str, ...] = ()
    vectors: FloatArray = field(default_factory=lambda: np.zeros((0, 1), np.float32))
    ontology: Ontology = _NO_TOPICS
    now: float = 0.0
    markdown_links: bool = False
    is_daily: Callable[[NoteFacts], bool] = lambda _: False
    # The sentence of a note that is nearest to what another note says, or None.
    sentence: Callable[[str, str], str | None] = lambda _one, _other: None

    @cached_property
    def names(self) -> NoteNames:
        """All names under which notes can be linked."""
        names = NoteNames()
        for note in self.notes.values():
            names.add(note.path, note.aliases)
        return names

    @cached_property
    def linked_from(self) -> Mapping[str, frozenset[str]]:
        """The notes that link to each note, itself left out."""
        found: dict[str, set[str]] = {}
        for note in self.notes.values():
            for _, target in note.links:
                if target is not None and target != note.path:
                    found.setdefault(target, set()).add(note.path)
        return {path: frozenset(sources) for path, sources in found.items()}

    @cached_property
    def row_of(self) -> Mapping[str, int]:
        """The row in `vectors` of each note that has one."""
        return {path: row for row, path in enumerate(self.known)}

    def tended_notes(self) -> tuple[NoteFacts, ...]:
        """The notes that may be edited, by path."""
        return tuple(self.notes[path] for path in sorted(self.tended) if path in self.notes)
