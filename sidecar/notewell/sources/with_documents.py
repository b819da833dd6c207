"""A vault's own notes and its documents as one source; the path tells which of them is meant."""

from __future__ import annotations

from collections.abc import Sequence

from notewell.sources.documents import DocumentSource, joined
from notewell.sources.source import Source
from notewell.types import FileRef, Walk
from notewell.vault.files import NoteText
from notewell.vault.mirror import Mirror
from notewell.vault.paths import is_document


class WithDocuments:
    """See `Source`. Place, types, watching and receiving are those of the vault's own notes."""

    def __init__(self, own: Source, documents: DocumentSource) -> None:
        """`own` are the notes of the vault."""
        self._own = own
        self._documents = documents
        self.place = own.place
        self.types = own.types
        self.watched = own.watched

    def list(self, within: Sequence[str] = ()) -> Walk:
        """See `Source.list`."""
        if not within:
            return joined((self._own.list(), self._documents.list()))
        documents = tuple(path for path in within if is_document(path))
        notes = tuple(path for path in within if not is_document(path))
        walks = [self._own.list(notes)] if notes else []
        return joined([*walks, *([self._documents.list(documents)] if documents else [])])

    def stamp(self, path: str) -> FileRef:
        """See `Source.stamp`."""
        return self._of(path).stamp(path)

    def read(self, stamp: FileRef) -> NoteText:
        """See `Source.read`."""
        return self._of(stamp.path).read(stamp)

    def content_hash(self, stamp: FileRef) -> bytes:
        """See `Source.content_hash`."""
        return self._of(stamp.path).content_hash(stamp)

    def excluded(self, path: str) -> tuple[str, str] | None:
        """See `Source.excluded`."""
        return self._of(path).excluded(path)

    def uri(self, path: str, anchor: str | None = None) -> str:
        """See `Source.uri`."""
        return self._of(path).uri(path, anchor)

    def receiver(self) -> Mirror | None:
        """See `Source.receiver`."""
        return self._own.receiver()

    def _of(self, path: str) -> Source | DocumentSource:
        return self._documents if is_document(path) else self._own
