"""Messages between this process and the child process that reads files.

A message is its two lengths, a JSON header, and a body of bytes. Nothing is pickled: what comes
back from a process that read a hostile file must not be able to run code here.

The child says once that it is ready. It answers each request with the note or a reason, and before
that it may ask for the text of images, one after the other.
"""

from __future__ import annotations

import struct
from typing import BinaryIO, Literal, TypeVar

from notewell.base.types.frozen import frozen
from notewell.contract.codec import from_json, to_json

_LENGTHS = struct.Struct(">IQ")  # of the header and the body, in bytes
_MAX_HEADER = 1024 * 1024
MAX_BODY = 512 * 1024 * 1024

Header = TypeVar("Header")
OcrState = Literal["off", "missing", "installed"]


@frozen
class ReadRequest:
    """Asks for the note of a file, whose bytes are the body. The times are those of the file."""

    path: str
    modified: float
    created: float | None
    types: tuple[str, ...]
    ocr: OcrState
    seconds: float  # after which the child ends itself, if nobody did before


@frozen
class ImageText:
    """The text of an image that the child asked for is the body. `stopped`: see `Ocr`."""

    stopped: bool


@frozen
class ReadReply:
    """A message of the child.

    `ready`: it waits for files; `message` says why it is not confined, if it is not. `image`: the
    body is an image. `read`: the body is the note. `unread`: `code` is that of the error.
    """

    state: Literal["ready", "image", "read", "unread"]
    code: str = ""
    message: str = ""


def send(stream: BinaryIO, header: ReadRequest | ImageText | ReadReply, body: bytes) -> None:
    """Write a message; raises OSError if nobody reads it."""
    encoded = to_json(header)
    stream.write(_LENGTHS.pack(len(encoded), len(body)))
    stream.write(encoded)
    stream.write(body)
    stream.flush()


def receive(stream: BinaryIO, kind: type[Header]) -> tuple[Header, bytes] | None:
    """Read a message; None if the stream ended, also within a message.

    Raises ServerError for a header of another kind, ValueError for impossible lengths.
    """
    lengths = stream.read(_LENGTHS.size)
    if len(lengths) < _LENGTHS.size:
        return None
    of_header, of_body = _LENGTHS.unpack(lengths)
    if of_header > _MAX_HEADER or of_body > MAX_BODY:
        raise ValueError("the lengths of a message are out of bounds")
    header, body = stream.read(of_header), stream.read(of_body)
    if len(header) < of_header or len(body) < of_body:
        return None
    return from_json(kind, header), body
