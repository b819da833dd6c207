"""Caches which conflict copies lie beside the notes of one index."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from notewell.base.types.frozen import frozen
from notewell.index.port import IndexReader
from notewell.vault.conflicts import CONFLICT_COPY, original_names

Copies = Mapping[str, tuple[str, ...]]  # the paths of conflict copies by that of their note
NO_COPIES: Copies = MappingProxyType({})


@frozen
class _CopiesNow:
    generation: int = -1
    copies: Copies = field(default_factory=dict)


@dataclass(eq=False, slots=True)
class CopiesCache:
    """Caches the conflict copies of one index by the notes they belong to. Thread-safe."""

    _lock: threading.Lock = field(default_factory=threading.Lock)
    _known: _CopiesNow = field(default_factory=_CopiesNow)

    def current(self, index: IndexReader) -> Copies:
        with self._lock:
            if self._known.generation != index.generation:
                self._known = _CopiesNow(index.generation, copies_of(index))
            return self._known.copies


def copies_of(index: IndexReader) -> Copies:
    """The conflict copies of an index, as its ledger has them; copies of copies are the note's."""
    entries = [entry.path for entry in index.ledger(rule=CONFLICT_COPY)]
    if not entries:
        return {}
    candidates = {path: original_names(path) for path in entries}
    notes = index.manifest([name for names in candidates.values() for name in names])
    by_copy: dict[str, list[str]] = {}
    for path in entries:
        original = next((name for name in candidates[path] if name in notes), None)
        if original is not None:
            by_copy.setdefault(original, []).append(path)
    return {path: tuple(copies) for path, copies in by_copy.items()}
