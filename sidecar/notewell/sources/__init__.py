"""Where notes come from: the protocol of a source, and the sources of folders and mirrors.

Features have the others; `open_source` of `engine.feature` opens any.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from notewell.errors import NotFoundError
from notewell.sources.folder import FolderSource, MirrorSource
from notewell.sources.source import Source
from notewell.types import VaultRecord, VaultRules

__all__ = ["SOURCES", "Source", "source_of"]

SOURCES: Mapping[str, Callable[[VaultRecord, VaultRules], Source]] = {
    "folder": FolderSource,
    "mirror": MirrorSource,
}


def source_of(record: VaultRecord, rules: VaultRules | None = None) -> Source:
    """The source of a vault's notes. Without `rules` it is good for `uri` alone."""
    if record.source not in SOURCES:
        raise NotFoundError(
            f"Notes of the kind '{record.source}' need a feature that this program does not have.",
            code="feature_missing",
        )
    return SOURCES[record.source](record, rules or VaultRules())
