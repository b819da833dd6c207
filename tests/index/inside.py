"""Parts of an index that tests look into, each in one place."""

from __future__ import annotations

from typing import Any

from notewell.base.types import NoteField
from notewell.index.embedded import EmbeddedIndex
from notewell.index.note_terms import FIELD_BITS, NOTE_FIELDS


def store_of(index: EmbeddedIndex) -> Any:
    """The database of an index, with its directory."""
    return index._store


def connection_of(index: EmbeddedIndex) -> Any:
    """The connection that writes the database."""
    return store_of(index)._writer


def postings_of(keywords: Any) -> Any:
    """The postings on the disk, of which tests count documents and commits."""
    return keywords._postings


def view_of(vectors: Any) -> Any:
    """The arrays of a search by meaning."""
    return vectors._view


def parts_of(table: Any) -> Any:
    """The segments that a table of postings has now."""
    return table._parts


def fields_of_mask(mask: int) -> tuple[NoteField, ...]:
    """The names of the fields in a mask."""
    return tuple(name for name in NOTE_FIELDS if mask & FIELD_BITS[name])
