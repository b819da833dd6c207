"""Backends of a vault: the server that runs for it, or an engine in this process.

Clients of a vault send it requests of the contract and need not know which one it is.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from notewell.contract.codec import to_json
from notewell.contract.request import Request, StreamEvent

if TYPE_CHECKING:  # whoever has an engine has it loaded
    from notewell.engine.engine import Engine

R = TypeVar("R")


class Backend(Protocol):
    """Answers requests about one vault; may block. Errors are those of the package."""

    def answer(self, request: Request[R]) -> R:
        """Answer a request with its reply."""
        ...

    def document(self, request: Request[object]) -> bytes:
        """Answer a request with the JSON of its reply, as over HTTP."""
        ...

    def stream(self, request: Request[Any]) -> Iterator[StreamEvent]:
        """Answer a request with the events of a stream, as they come."""
        ...


class LocalBackend:
    """Answers from an engine of this process."""

    def __init__(self, engine: Engine) -> None:
        """The engine stays the caller's, to close."""
        self._engine = engine

    def answer(self, request: Request[R]) -> R:
        """Answer a request with its reply."""
        return self._engine.answer(request)

    def document(self, request: Request[object]) -> bytes:
        """Answer a request with the JSON of its reply."""
        return to_json(self.answer(request))

    def stream(self, request: Request[Any]) -> Iterator[StreamEvent]:
        """Answer a request with the events of a stream, which this thread makes."""
        from notewell.base.support.http import Cancel  # noqa: PLC0415 - other requests need none

        yield from self._engine.features.stream(request, Cancel())
