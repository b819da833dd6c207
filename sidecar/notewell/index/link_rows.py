"""Links as rows of the database, and back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from notewell.base.types import Link, Note
from notewell.index.row_values import Row, maybe, storable

LINK_COLUMNS = "target, display, heading, block, embed, kind, line, start, stop"


def link_rows(note_id: int, note: Note) -> list[Row]:
    """Rows of `links`."""
    return [(note_id, ordinal, *link_columns(link)) for ordinal, link in enumerate(note.links)]


def link_columns(link: Link) -> Row:
    """LINK_COLUMNS of a link, in the order of its fields."""
    return (
        storable(link.target),
        maybe(link.display),
        maybe(link.heading),
        maybe(link.block),
        int(link.embed),
        link.kind,
        link.line,
        link.start,
        link.end,
    )


def link_of(columns: Sequence[Any]) -> Link:
    """A link from LINK_COLUMNS."""
    target, display, heading, block, embed, kind, line, start, stop = columns
    return Link(target, display, heading, block, bool(embed), kind, line, start, stop)
