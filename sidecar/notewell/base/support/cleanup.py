"""Undoing a step that was begun, when what follows fails."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager


@contextmanager
def on_error(undo: Callable[[], object]) -> Iterator[None]:
    """Call `undo` if the block raises anything, an interrupt included; the error is raised on.

    For what nobody else could release, because the caller has not got it yet.
    """
    with ExitStack() as undoing:
        undoing.callback(undo)
        yield
        undoing.pop_all()
