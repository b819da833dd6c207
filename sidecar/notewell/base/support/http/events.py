"""Server-sent events, as HTML's standard has them, from the pieces of a reply."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

_LINE_END = re.compile(rb"\r\n|\n|\r")
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class ServerEvent:
    """One event. `id` is the last id that the server sent, "" before the first."""

    kind: str
    data: str
    id: str = ""


def parse_events(pieces: Iterable[bytes]) -> Iterator[ServerEvent]:
    """Parse a stream that arrives in pieces of any size; an event is given once it is complete.

    Unlike the standard, an event whose closing blank line is missing at the end of the stream is
    given too, because several model servers leave that line out.
    """
    event = _Event()
    for line in _lines(pieces):
        if line:
            event.take(line)
        else:
            yield from event.finish()
    yield from event.finish()


@dataclass(slots=True)
class _Event:
    """The event whose lines are arriving."""

    kind: str = ""
    data: list[str] = field(default_factory=list)
    last_id: str = ""

    def take(self, line: bytes) -> None:
        name, _, raw = line.partition(b":")  # a comment begins with the colon and has no name
        value = raw.removeprefix(b" ").decode("utf-8", "replace")
        if name == b"data":
            self.data.append(value)
        elif name == b"event":
            self.kind = value
        elif name == b"id" and "\0" not in value:
            self.last_id = value

    def finish(self) -> Iterator[ServerEvent]:
        """The event, unless it has no data; the next one begins."""
        if self.data:
            yield ServerEvent(self.kind or "message", "\n".join(self.data), self.last_id)
        self.kind, self.data = "", []


def _lines(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Lines without their ends, which are CRLF, LF or CR."""
    rest = bytearray()
    searched = 0  # `rest` has no line end before this offset
    first = True
    for piece in pieces:
        rest += piece
        start = 0
        while match := _LINE_END.search(rest, max(start, searched)):
            if match.group() == b"\r" and match.end() == len(rest):
                break  # its LF may come with the next piece
            line = bytes(rest[start : match.start()])
            yield line.removeprefix(_BYTE_ORDER_MARK) if first else line
            start, first = match.end(), False
        del rest[:start]
        searched = max(len(rest) - 1, 0)
    if rest:
        last = bytes(rest).removesuffix(b"\r")
        yield last.removeprefix(_BYTE_ORDER_MARK) if first else last
