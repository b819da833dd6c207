"""The file types that can become notes: one reader for each ending.

A new type is one file in this package and one row in `_ROWS`. Which of them are on is the setting
`vault.types`; `NOTE_TYPES` are on by default.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from os.path import splitext

from notewell.vault.readers.base import BASE
from notewell.vault.readers.canvas import CANVAS
from notewell.vault.readers.code import CODE
from notewell.vault.readers.docx import DOCX
from notewell.vault.readers.epub import EPUB
from notewell.vault.readers.excalidraw import EXCALIDRAW
from notewell.vault.readers.html import HTML
from notewell.vault.readers.image import IMAGES
from notewell.vault.readers.pdf import PDF
from notewell.vault.readers.reader import Reader
from notewell.vault.readers.table import TABLES
from notewell.vault.readers.text import LONG_MARKDOWN, MARKDOWN, PLAIN_TEXT
from notewell.vault.readers.transcript import TRANSCRIPTS

_ROWS = (
    MARKDOWN,
    LONG_MARKDOWN,
    PLAIN_TEXT,
    CANVAS,
    BASE,
    PDF,
    EXCALIDRAW,
    *HTML,
    DOCX,
    EPUB,
    *TABLES,
    *CODE,
    *IMAGES,
    *TRANSCRIPTS,
)

READERS: Mapping[str, Reader] = {reader.suffix: reader for reader in _ROWS}
_LINKED_BY_STEM = tuple(reader.suffix for reader in _ROWS if reader.linked_by_stem)


def readable(types: Iterable[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The endings of the setting `vault.types` that have a reader, and a warning of each other.

    `md` and `.MD` mean `.md`.
    """
    endings = tuple(dict.fromkeys(f".{name.strip().lower().lstrip('.')}" for name in types))
    known = ", ".join(sorted(READERS))
    warnings = (
        f"vault.types: there is no reader for {ending} files; there is one for {known}."
        for ending in endings
        if ending not in READERS
    )
    return tuple(ending for ending in endings if ending in READERS), tuple(warnings)


def is_readable(name: str, types: tuple[str, ...]) -> bool:
    """True if a file of this name has one of the endings `types` (lower case, with their dot)."""
    return name.lower().endswith(types)


@lru_cache(maxsize=1024)  # every search asks for all of its results
def reader_of(path: str) -> Reader | None:
    """The reader for a file of this name, whether its type is on or not."""
    return READERS.get(splitext(path)[1].lower())  # noqa: PTH122 - called for every result


def kinds_of(path: str) -> tuple[str, ...]:
    """The words by which the filter `type:` finds a file without such a property.

    The ending without its dot, and the kind of file: ("png", "image").
    """
    reader = reader_of(path)
    return () if reader is None else (reader.suffix.removeprefix("."), reader.kind)


def is_markdown(path: str) -> bool:
    """True if a file of this name is a note of Obsidian, not an attachment or a canvas."""
    reader = reader_of(path)
    return reader is not None and reader.kind == MARKDOWN.kind


def describe_types(types: Iterable[str]) -> str:
    """Names the files with these endings: "Markdown files (.md), canvases (.canvas)"."""
    return ", ".join(f"{READERS[ending].name} ({ending})" for ending in types)


def link_name(path: str) -> str:
    """The path as links name it: without its ending where Obsidian lets links leave it out."""
    for suffix in _LINKED_BY_STEM:
        if path.endswith(suffix):
            return path.removesuffix(suffix)
    return path


def spellings(path: str) -> tuple[str, ...]:
    """The paths that a typed one may mean: itself, or with an ending that links leave out."""
    return (path, *(f"{path}{suffix}" for suffix in _LINKED_BY_STEM))
