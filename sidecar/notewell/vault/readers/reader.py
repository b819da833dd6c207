"""What a reader of one file type is, and what it makes of a file."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias

from notewell.errors import UnreadableNoteError
from notewell.types import NOTE_TYPES, Note
from notewell.vault.decode import Decoded, decode

# What a place in a file is named by, beside its line in the text that was read: nothing more, a
# page, a cell of a notebook, or a node of a canvas. Such a name is the `block` of a span.
Anchor = Literal["line", "page", "cell", "node"]


@dataclass(frozen=True, slots=True)
class FileFacts:
    """What is known of a file beside its bytes. Times are those of the file."""

    path: str
    modified: float
    created: float | None = None
    types: tuple[str, ...] = NOTE_TYPES  # the endings that are notes in this vault


@dataclass(frozen=True, slots=True)
class ReadNote:
    """A note, and the text that its offsets and lines count in.

    For a text file that is the file as decoded; for others it is made by the reader.
    """

    note: Note
    text: str


ReadBytes: TypeAlias = Callable[[bytes, FileFacts], ReadNote]


@dataclass(frozen=True, slots=True)
class Reader:
    """How files with one ending become notes.

    `read` is a pure function of its arguments. It raises UnreadableNoteError (code "binary" or
    "unreadable") for bytes that it cannot read, and nothing else, whatever the bytes are.
    """

    suffix: str  # lower case, with its dot
    name: str  # the plural, for people: "Markdown files"
    read: ReadBytes
    anchor: Anchor = "line"
    max_bytes: int | None = None  # None: only what the setting vault.max_note_bytes allows
    # Whether a file of this type may crash or hang its parser, so that it has to be read in a
    # child process. No reader needs it yet.
    in_child: bool = False
    # Whether a link to a note may leave the ending out, as Obsidian has it for Markdown.
    linked_by_stem: bool = False


def decode_text(raw: bytes, path: str) -> Decoded:
    """Decode the bytes of a text file; UnreadableNoteError (code "binary") where they are none."""
    decoded = decode(raw)
    if decoded is None:
        raise UnreadableNoteError(
            f"{path} holds NUL bytes, so it is binary, not text.", code="binary"
        )
    return decoded
