"""Says of results which conflict copies lie beside their notes, and which passages are of these."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from notewell.base.types.frozen import frozen
from notewell.contract.search import Passage, Result
from notewell.index.port import IndexReader
from notewell.vault.conflicts import CONFLICT_COPY, original_names
from notewell.vault.copied_passages import copy_name

Copies = Mapping[str, tuple[str, ...]]  # the paths of conflict copies by that of their note
_MOST_NAMED = 3
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
    found: dict[str, list[str]] = {}
    for path in entries:
        original = next((name for name in candidates[path] if name in notes), None)
        if original is not None:
            found.setdefault(original, []).append(path)
    return {path: tuple(copies) for path, copies in found.items()}


def with_copies(shown: Sequence[Result], copies: Copies) -> tuple[Result, ...]:
    """The results with the conflict copies of their notes, and what stands in these alone."""
    if not copies:
        return tuple(shown)
    return tuple(
        _marked(result, copies[result.path]) if result.path in copies else result
        for result in shown
    )


def told_copies(paths: Sequence[str]) -> tuple[str, ...]:
    """A sentence about the conflict copies beside the note that is looked at, if there are any."""
    if not paths:
        return ()
    names = ", ".join(path.rpartition("/")[2] for path in paths[:_MOST_NAMED])
    more = f" and {len(paths) - _MOST_NAMED} more" if len(paths) > _MOST_NAMED else ""
    return (f"A synchroniser left conflict copies of this note: {names}{more}.",)


def _marked(result: Result, copies: tuple[str, ...]) -> Result:
    return replace(
        result,
        copies=copies,
        copy=_copy_of(result.heading, copies),
        passages=tuple(_marked_passage(passage, copies) for passage in result.passages),
    )


def _marked_passage(passage: Passage, copies: tuple[str, ...]) -> Passage:
    copy = _copy_of(passage.heading, copies)
    return passage if copy is None else replace(passage, copy=copy)


def _copy_of(heading: str | None, copies: tuple[str, ...]) -> str | None:
    name = copy_name((heading or "").split(" > ", 1))
    return next((path for path in copies if name and path.rpartition("/")[2] == name), None)
