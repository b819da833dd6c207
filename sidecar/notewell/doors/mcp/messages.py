"""Messages of JSON-RPC, as they arrive: what the SDK would drop without an answer gets one.

JSON-RPC 2.0, section 5: what is not JSON gets error -32700, and JSON that is no request -32600,
with the id of the request where it has one, else null. Section 4: an id is a text or a number; MCP
leaves null and fractions out. The SDK takes a message with another id for a notification, which
nobody answers: such a message is put into a form that is refused.
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import AsyncIterator, Iterable, Mapping
from contextvars import Context
from io import TextIOWrapper
from types import TracebackType
from typing import Any, Self

import anyio
import mcp_types as types
from mcp.os.win32.utilities import rebind_std_handle_to_fd
from mcp.shared._stream_protocols import ReadStream, WriteStream
from mcp.shared.message import SessionMessage
from pydantic import ValidationError

_HALF_A_PAIR = re.compile("[\ud800-\udfff]")
_ESCAPED_HALF = re.compile(r"\\u[dD][89a-fA-F]")  # either half of a pair


def repair_message(text: str) -> str:
    r"""A message, with what is JSON and yet read by no SDK put right.

    An id of 1.0 is the number 1. A message with any other id that is no text and no whole number
    loses its method, so that it is refused. Half of a surrogate pair (`\ud83e` alone), which RFC
    8259, section 8.2 allows, becomes U+FFFD.
    """
    try:
        message = json.loads(text)
    except (ValueError, RecursionError):
        return text
    if not isinstance(message, dict):
        return text
    changed = _repair_id(message)
    if not changed and not _ESCAPED_HALF.search(text):
        return text
    return _HALF_A_PAIR.sub("\ufffd", json.dumps(message, ensure_ascii=False))


def _repair_id(message: dict[str, Any]) -> bool:
    """Put the id of a message right; returns whether anything was changed."""
    if "id" not in message or is_id(message["id"]):
        return False
    given = message["id"]
    if isinstance(given, float) and given.is_integer():
        message["id"] = int(given)
        return True
    # A response to a message that could not be read has the id null, and no method.
    return message.pop("method", None) is not None


def is_id(value: object) -> bool:
    """True for what a request's id may be: a text, or a whole number."""
    return isinstance(value, str) or (isinstance(value, int) and not isinstance(value, bool))


def read_message(body: bytes) -> tuple[bytes, types.JSONRPCError | None]:
    """The body of an HTTP request, repaired; and its refusal, if it is no message."""
    text = repair_message(body.decode("utf-8", "replace"))
    try:
        types.jsonrpc_message_adapter.validate_json(text, by_name=False)
    except ValidationError as error:
        return body, refusal_of(error) or _error(None, types.PARSE_ERROR, "The body is empty.")
    return text.encode(), None


class StandardInput:
    """The lines of standard input, repaired, from a descriptor of their own.

    The process's own standard input is empty from then on, so that no child of a tool reads what an
    assistant sends.
    """

    def __init__(self) -> None:
        number = sys.stdin.fileno()
        lines = os.fdopen(os.dup(number), "rb", closefd=False)
        nothing = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nothing, number)
        os.close(nothing)
        if sys.platform == "win32":
            rebind_std_handle_to_fd(number)
        self._lines = anyio.wrap_file(TextIOWrapper(lines, encoding="utf-8", errors="replace"))

    async def __aiter__(self) -> AsyncIterator[str]:
        async for line in self._lines:
            yield repair_message(line)


class WellFormedMessages:
    """The messages that arrive; malformed ones are left out and answered with an error."""

    def __init__(
        self,
        incoming: ReadStream[SessionMessage | Exception],
        outgoing: WriteStream[SessionMessage],
    ) -> None:
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
    given = message.get("id")
    return _error(
        given if is_id(given) else None,
        types.INVALID_REQUEST,
        "This is not a message of JSON-RPC 2.0: an object with `jsonrpc`, `method`, `params`, and"
        " an `id` that is a text or a whole number.",
    )


def _error(request: str | int | None, code: int, message: str) -> types.JSONRPCError:
    return types.JSONRPCError(
        jsonrpc="2.0", id=request, error=types.ErrorData(code=code, message=message)
    )
