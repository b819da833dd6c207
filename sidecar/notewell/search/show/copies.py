"""Says of results which conflict copies lie beside their notes, and which passages are of these."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from notewell.contract.search import Passage, Result
from notewell.search.facts.copies import Copies
from notewell.vault.copied_passages import copy_name

_MOST_NAMED = 3


def with_copies(shown: Sequence[Result], copies: Copies) -> tuple[Result, ...]:
    """The results with the conflict copies of their notes, and what stands in these alone."""
    if not copies:
        return tuple(shown)
    return tuple(
        _mark(result, copies[result.path]) if result.path in copies else result for result in shown
    )


def told_copies(paths: Sequence[str]) -> tuple[str, ...]:
    """A sentence about the conflict copies beside the note that is looked at, if there are any."""
    if not paths:
        return ()
    names = ", ".join(path.rpartition("/")[2] for path in paths[:_MOST_NAMED])
    more = f" and {len(paths) - _MOST_NAMED} more" if len(paths) > _MOST_NAMED else ""
    return (f"A synchroniser left conflict copies of this note: {names}{more}.",)


def _mark(result: Result, copies: tuple[str, ...]) -> Result:
    return replace(
        result,
        copies=copies,
        copy=_copy_of(result.heading, copies),
        passages=tuple(_mark_passage(passage, copies) for passage in result.passages),
    )


def _mark_passage(passage: Passage, copies: tuple[str, ...]) -> Passage:
    copy = _copy_of(passage.heading, copies)
    return passage if copy is None else replace(passage, copy=copy)


def _copy_of(heading: str | None, copies: tuple[str, ...]) -> str | None:
    name = copy_name((heading or "").split(" > ", 1))
    return next((path for path in copies if name and path.rpartition("/")[2] == name), None)
