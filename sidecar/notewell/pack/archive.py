"""Finds the members of a pack: a strict reader of plain tar for untrusted files.

The reader of the standard library supports extensions whose headers alone can fill the memory, and
links, devices and sparse files. A pack has only regular files with known names, so this reads the
headers of such files and refuses everything else.
"""

from __future__ import annotations

import os
import re
import tarfile
from dataclasses import dataclass
from typing import BinaryIO

from notewell.errors import PackError

MANIFEST = "manifest.json"
MAX_MEMBERS = 100_000
_NAME = re.compile(r"manifest\.json|vectors-[0-9]{5}\.msgpack")
_BLOCK = tarfile.BLOCKSIZE
_END = bytes(_BLOCK)


@dataclass(frozen=True, slots=True)
class Member:
    """A file in the pack: the offset of its first byte, and its size in bytes."""

    name: str
    start: int
    size: int


def members(stream: BinaryIO) -> dict[str, Member]:
    """All members by name. Only headers are read.

    Raises PackError if the stream is not a tar file or has other members than a pack.
    """
    total = stream.seek(0, os.SEEK_END)
    at = 0
    found: dict[str, Member] = {}
    while True:
        stream.seek(at)
        block = stream.read(_BLOCK)
        if block == _END:
            break
        member = _member(block, at + _BLOCK)
        if member.start + member.size > total:
            raise PackError("This pack is cut off: it ends within a file. Copy it again.")
        if member.name in found or len(found) >= MAX_MEMBERS:
            raise PackError("This is no pack of Notewell: it holds a file twice, or too many.")
        found[member.name] = member
        at = member.start + -(-member.size // _BLOCK) * _BLOCK
    if MANIFEST not in found:
        raise PackError(f"This is no pack of Notewell: it has no {MANIFEST}.")
    return found


def _member(block: bytes, start: int) -> Member:
    try:
        info = tarfile.TarInfo.frombuf(block, "ascii", "strict")
    except (tarfile.HeaderError, ValueError) as error:
        raise PackError(
            "This is no pack of Notewell, or it is cut off: it does not read as an uncompressed"
            " tar. Copy or export it again."
        ) from error
    plain = info.type in {tarfile.REGTYPE, tarfile.AREGTYPE}
    if not plain or info.size < 0 or _NAME.fullmatch(info.name) is None:
        raise PackError(
            f"This is no pack of Notewell: it holds {info.name[:100]!r}, which no pack has."
        )
    return Member(info.name, start, info.size)


def read_member(stream: BinaryIO, member: Member, *, most: int | None = None) -> bytes:
    """The bytes of a member; PackError if it has more than `most` bytes or is cut off."""
    if most is not None and member.size > most:
        raise PackError(f"This is no pack of Notewell: its {member.name} is too large.")
    stream.seek(member.start)
    content = stream.read(member.size)
    if len(content) != member.size:
        raise PackError("This pack is cut off: it ends within a file. Copy it again.")
    return content
