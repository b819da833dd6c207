"""Finds rows that the disk has changed: SQLite has no checksums, and reads what is there."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from contextlib import contextmanager

from notewell.base.types import embedded_text
from notewell.vault.chunk import embed_hash


class DamagedRowError(ValueError):
    """A row that is not what was written; the message says of what."""


# What reading a changed row raises. Of rows that are read by thousands it is caught where they are
# read: entering a context for each takes as long as the rest.
UNSOUND = (ValueError, TypeError, LookupError, struct.error)


@contextmanager
def sound_rows(kind: str) -> Iterator[None]:
    """Turn what a changed row raises when it is read into DamagedRowError."""
    try:
        yield
    except UNSOUND as error:
        raise DamagedRowError(f"{kind}: {error}") from error


def check_text(header: str, text: str, text_hash: bytes) -> None:
    """Check that a passage has the text that its hash was made of. Raises ValueError."""
    if embed_hash(embedded_text(header, text)) != text_hash:
        raise ValueError("its text was changed")
