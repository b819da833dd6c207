"""Answers what is not a message of JSON-RPC, which the SDK drops without an answer.

JSON-RPC 2.0, section 5: what is not JSON gets error -32700, and JSON that is no request -32600,
with the id of the request where it has one, else null.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextvars import Context
from types import TracebackType
from typing import Any, Self

import anyio
import mcp_types as types
from mcp.shared._stream_protocols import ReadStream, WriteStream
from mcp.shared.message import SessionMessage
from pydantic import ValidationError


class Refusing:
    """The messages that arrive, without what is malformed: that gets its answer here."""

    def __init__(
        self,
        incoming: ReadStream[SessionMessage | Exception],
        outgoing: WriteStream[SessionMessage],
    ) -> None:
        """Take the messages of `incoming`; answers go to `outgoing`."""
        self._incoming = incoming
        self._outgoing = outgoing

    @property
    def last_context(self) -> Context | None:
        """The context in which the last message was sent, which the SDK runs its handler in."""
        return getattr(self._incoming, "last_context", None)

    async def receive(self) -> SessionMessage | Exception:
        """Return the next message that is one."""
        while True:
            item = await self._incoming.receive()
            if not isinstance(item, ValidationError):
                return item
            refusal = refusal_of(item)
            if refusal is not None:
                await self._outgoing.send(SessionMessage(refusal))

    async def aclose(self) -> None:
        """Stop receiving."""
        await self._incoming.aclose()

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> SessionMessage | Exception:
        try:
            return await self.receive()
        except anyio.EndOfStream:
            raise StopAsyncIteration from None

    async def __aenter__(self) -> Self:
        await self._incoming.__aenter__()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> bool | None:
        return await self._incoming.__aexit__(kind, error, trace)


def refusal_of(error: ValidationError) -> types.JSONRPCError | None:
    """The answer to a malformed message; None for an empty line, which is no message."""
    details: Iterable[Any] = error.errors(include_url=False)
    for detail in details:
        if detail["type"] == "json_invalid":
            if not str(detail["input"]).strip():
                return None
            return _error(
                None, types.PARSE_ERROR, "This is not JSON: one message a line, in UTF-8."
            )
    message = next((d["input"] for d in details if isinstance(d["input"], Mapping)), {})
    known = message.get("id")
    usable = isinstance(known, str) or (isinstance(known, int) and not isinstance(known, bool))
    return _error(
        known if usable else None,
        types.INVALID_REQUEST,
        "This is not a message of JSON-RPC 2.0: an object with `jsonrpc`, `method`, `id` and"
        " `params`.",
    )


def _error(request: str | int | None, code: int, message: str) -> types.JSONRPCError:
    return types.JSONRPCError(
        jsonrpc="2.0", id=request, error=types.ErrorData(code=code, message=message)
    )
