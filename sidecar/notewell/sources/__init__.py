"""Where notes come from: one class for each kind of source.

A new kind is one file in this package, one row in `SOURCES` and its name in `VaultRecord.source`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from notewell.sources.folder import FolderSource, MirrorSource
from notewell.sources.imported import ImportedSource
from notewell.sources.source import Source
from notewell.types import VaultRecord, VaultRules

__all__ = ["SOURCES", "Source", "source_of"]

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
