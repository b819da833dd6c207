"""Where notes come from: one class for each kind of source.

A new kind is one file in this package, one row in `SOURCES` and its name in `VaultRecord.source`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from notewell.sources.document_store import DocumentStore
from notewell.sources.documents import DocumentSource
from notewell.sources.folder import FolderSource, MirrorSource
from notewell.sources.imported import ImportedSource
from notewell.sources.source import Source
from notewell.sources.with_documents import WithDocuments
from notewell.types import Settings, VaultRecord, VaultRules

__all__ = ["SOURCES", "Source", "source_of", "whole_source"]

SOURCES: Mapping[str, Callable[[VaultRecord, VaultRules], Source]] = {
    "folder": FolderSource,
    "mirror": MirrorSource,
    "import": ImportedSource,
    "roam": ImportedSource,
    "logseq": ImportedSource,
}


def source_of(record: VaultRecord, rules: VaultRules | None = None) -> Source:
    """The source of a vault's notes. Without `rules` it is good for `uri` alone."""
    return SOURCES[record.source](record, rules or VaultRules())


def whole_source(record: VaultRecord, settings: Settings, store: DocumentStore) -> Source:
    """The source of a vault's notes and of the documents that are indexed with it."""
    documents = DocumentSource(store, settings.vault, settings.documents.allow)
    return WithDocuments(source_of(record, settings.vault), documents)
