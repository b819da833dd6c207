"""The parts of one vault at work: its index and what it stores, its source, writer and runs."""

from notewell.base.types import (
    Embedder,
    ExcludedFile,
    FileRef,
    Link,
    ModelKey,
    StoredChunk,
    StoredNote,
    Walk,
)
from notewell.engine.runs import RunProgress
from notewell.index.port import IndexReader
from notewell.vault.added_notes import add_notes
from notewell.vault.sources import Source
from notewell.vault.write import VaultWriter, Written

__all__ = [
    "Embedder",
    "ExcludedFile",
    "FileRef",
    "IndexReader",
    "Link",
    "ModelKey",
    "RunProgress",
    "Source",
    "StoredChunk",
    "StoredNote",
    "VaultWriter",
    "Walk",
    "Written",
    "add_notes",
]
