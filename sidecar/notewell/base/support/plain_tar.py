"""Reads tar files of a known form, which anybody may have made.

The tar reader of the standard library supports extensions whose headers alone can fill the memory,
and links, devices and sparse files. The files read here have only regular members with known names,
so this reads the headers of such members and refuses everything else.
"""

from __future__ import annotations

import os
import re
import tarfile
from dataclasses import dataclass
from typing import BinaryIO

from notewell.base.errors import NotewellError

_BLOCK = tarfile.BLOCKSIZE
_END = bytes(_BLOCK)


@dataclass(frozen=True, slots=True)
class Member:
    """A file in a tar file: the offset of its first byte, and its size in bytes."""

    name: str
    start: int
    size: int


@dataclass(frozen=True, slots=True)
class TarForm:
    """The members that a kind of tar file consists of.

    `what` is its name in messages, `names` the names that its members may have, `manifest` the
    member that each has, `error` what is raised for one that is not of this kind.
    """

    what: str
    names: re.Pattern[str]
    manifest: str
    max_members: int
    error: type[NotewellError]

    def members(self, stream: BinaryIO) -> dict[str, Member]:
        """All members by name; only headers are read. Raises `error` for another kind of file."""
        total = stream.seek(0, os.SEEK_END)
        at = 0
        by_name: dict[str, Member] = {}
        while True:
            stream.seek(at)
            block = stream.read(_BLOCK)
            if block == _END:
                break
            member = self._member(block, at + _BLOCK)
            if member.start + member.size > total:
                raise self._incomplete()
            if member.name in by_name or len(by_name) >= self.max_members:
                raise self.error(
                    f"This is not a Notewell {self.what}: it has a duplicate file, or too many"
                    " files."
                )
            by_name[member.name] = member
            at = member.start + -(-member.size // _BLOCK) * _BLOCK
        if self.manifest not in by_name:
            raise self.error(f"This is not a Notewell {self.what}: it has no {self.manifest}.")
        return by_name

    def read(self, stream: BinaryIO, member: Member, *, most: int | None = None) -> bytes:
        """The bytes of a member; `error` if it has more than `most` bytes or is incomplete."""
        if most is not None and member.size > most:
            raise self.error(f"This is not a Notewell {self.what}: its {member.name} is too large.")
        stream.seek(member.start)
        content = stream.read(member.size)
        if len(content) != member.size:
            raise self._incomplete()
        return content

    def _member(self, block: bytes, start: int) -> Member:
        try:
            info = tarfile.TarInfo.frombuf(block, "ascii", "strict")
        except (tarfile.HeaderError, ValueError) as error:
            raise self.error(
                f"This is not a Notewell {self.what}, or it is incomplete: it cannot be read as an"
                " uncompressed tar file. Copy or export it again."
            ) from error
        plain = info.type in {tarfile.REGTYPE, tarfile.AREGTYPE}
        if not plain or info.size < 0 or self.names.fullmatch(info.name) is None:
            raise self.error(
                f"This is not a Notewell {self.what}: it contains {info.name[:100]!r}, which no"
                f" {self.what} contains."
            )
        return Member(info.name, start, info.size)

    def _incomplete(self) -> NotewellError:
        return self.error(f"This {self.what} is incomplete: it ends within a file. Copy it again.")
