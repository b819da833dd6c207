"""Suggestions of the gardener, and the exact edits that they are."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import field

from notewell.base.types import PropertyValue
from notewell.base.types.frozen import frozen
from notewell.features.gardener.requests import GardenCheck


@frozen
class Replacement:
    """`old` becomes `new` in the text below a note's properties.

    `start` is its offset from where that text begins, so edits of properties do not move it;
    `line` is the line of the note, 1-based, for people.
    """

    start: int
    line: int
    old: str
    new: str


@frozen
class NoteEdit:
    """The changes of one note. `content_hash` is that of the note the edit was made for.

    `set` gives properties a value, `add` appends items to lists, `swap` exchanges texts in lists
    (or a text that is the whole value) by property. `create` is the text of a new note, where there
    is none; its `content_hash` is empty.
    """

    path: str
    content_hash: bytes
    replacements: tuple[Replacement, ...] = ()
    set: Mapping[str, PropertyValue] = field(default_factory=dict)
    add: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    swap: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    create: str = ""


@frozen
class Suggestion:
    """One thing to tend: why, how sure (0..1), and the edits of all notes that it touches.

    `path` is the note that it is about. `subject` is what it says of that note apart from places
    that move when the note is edited; with the check and the path it makes the id.
    """

    check: GardenCheck
    path: str
    title: str
    evidence: str
    confidence: float
    edits: tuple[NoteEdit, ...]
    subject: str

    @property
    def id(self) -> str:
        """12 hexadecimal digits of what is suggested; the same suggestion has the same id again."""
        key = json.dumps([self.check, self.path, self.subject], ensure_ascii=False)
        return hashlib.blake2b(key.encode("utf-8", "replace"), digest_size=6).hexdigest()
