"""Reads the parts of a ZIP file with XML in it (DOCX, EPUB), within bounds.

A part may be packed to a thousandth of its size, and XML may define entities that multiply: both
are refused before they take memory.
"""

from __future__ import annotations

import io
import lzma
import struct
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import field
from typing import Literal
from xml.parsers import expat

from notewell.base.errors import UnreadableNoteError
from notewell.base.types.frozen import frozen

MAX_PART = 64 * 1024 * 1024  # bytes of one part, unpacked
MAX_TOTAL = 256 * 1024 * 1024  # bytes of all parts that are read
_MAX_MEMBERS = 20_000
_MAX_DEPTH = 500  # of nested elements
# What zipfile raises for wrong sizes, places, names and methods; the last is a RuntimeError too.
_DAMAGED = (
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    struct.error,
    ArithmeticError,
    EOFError,
    LookupError,
    OSError,
    ValueError,
    NotImplementedError,
)


class Package:
    """A ZIP file whose parts are read one by one."""

    def __init__(self, raw: bytes, path: str, what: str) -> None:
        """`what` it should be, for people. Raises UnreadableNoteError if it is no ZIP file."""
        self._path, self._what = path, what
        self._left = MAX_TOTAL
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(raw))
            self._names = frozenset(self._zip.namelist())
        except _DAMAGED as error:
            raise self.refused(f"its ZIP file is damaged ({error})") from error
        if len(self._names) > _MAX_MEMBERS:
            raise self.too_large(f"has more than {_MAX_MEMBERS:,} parts")

    def __contains__(self, name: str) -> bool:
        return name in self._names

    def read(self, name: str) -> bytes:
        """The bytes of a part; b"" if there is none.

        Raises UnreadableNoteError with code "too_large", "encrypted" or "unreadable".
        """
        if name not in self._names:
            return b""
        most = min(MAX_PART, self._left)
        try:
            with self._zip.open(name) as part:
                content = part.read(most + 1)
        except _DAMAGED as error:
            raise self.refused(f"its part {name} is damaged ({error})") from error
        except RuntimeError as error:  # of zipfile, for a part with a password
            raise UnreadableNoteError(
                f"{self._path} is encrypted, so it is not read.", code="encrypted"
            ) from error
        if len(content) > most:
            raise self.too_large(f"unpacks to more than {MAX_TOTAL / 1e6:.0f} MB")
        self._left -= len(content)
        return content

    def elements(self, name: str) -> Iterator[XmlEvent]:
        """The events of a part's XML, in order; none if there is no such part."""
        content = self.read(name)
        try:
            yield from xml_events(content)
        except (expat.ExpatError, ValueError) as error:
            raise self.refused(f"the XML of its part {name} is broken ({error})") from error

    def refused(self, why: str) -> UnreadableNoteError:
        """The error for a file that is not what its name says."""
        message = f"{self._path} is no valid {self._what}: {why}."
        return UnreadableNoteError(message, code="unreadable")

    def too_large(self, why: str) -> UnreadableNoteError:
        """The error for a file that unpacks to too much."""
        return UnreadableNoteError(f"{self._path} {why}, so it is not read.", code="too_large")


@frozen
class XmlEvent:
    """A start or end of an element, or text in one. `tag` and attributes have no namespace."""

    kind: Literal["start", "end", "text"]
    tag: str = ""
    text: str = ""
    attributes: Mapping[str, str] = field(default_factory=dict)


def xml_events(content: bytes) -> Iterator[XmlEvent]:
    """Parse XML without entities of its own; raises ExpatError or ValueError if it is broken."""
    if not content:
        return
    gathered: list[XmlEvent] = []
    depth = 0

    def start(name: str, attributes: dict[str, str]) -> None:
        nonlocal depth
        depth += 1
        if depth > _MAX_DEPTH:
            raise ValueError(f"it nests deeper than {_MAX_DEPTH} elements")
        named = {_local(key): value for key, value in attributes.items()}
        gathered.append(XmlEvent("start", _local(name), attributes=named))

    def end(name: str) -> None:
        nonlocal depth
        depth -= 1
        gathered.append(XmlEvent("end", _local(name)))

    def entity(*_: object) -> None:
        raise ValueError("it defines entities")

    parser = expat.ParserCreate(namespace_separator=" ")
    parser.buffer_text = True
    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.CharacterDataHandler = lambda text: gathered.append(XmlEvent("text", text=text))
    parser.EntityDeclHandler = entity
    step = 64 * 1024
    for at in range(0, len(content), step):
        parser.Parse(content[at : at + step], at + step >= len(content))
        yield from gathered
        gathered.clear()


def _local(name: str) -> str:
    return name.rpartition(" ")[2]
