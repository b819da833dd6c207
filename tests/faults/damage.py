"""Ways in which a disk damages a file: gone, empty, cut in half, or with a byte changed."""

from __future__ import annotations

import os
import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Harm:
    """One way to damage a file; `at` is the place of a changed byte."""

    kind: str
    at: int = 0

    def __str__(self) -> str:
        return f"{self.kind} at {self.at}" if self.kind == "changed" else self.kind

    def do(self, file: Path) -> None:
        """Damage a file."""
        if self.kind == "gone":
            file.unlink()
        elif self.kind == "changed":
            content = bytearray(file.read_bytes())
            # Made again, a file with times in it may be some bytes shorter.
            content[min(self.at, len(content) - 1)] ^= 0x15
            file.write_bytes(content)
        else:
            os.truncate(file, 0 if self.kind == "empty" else file.stat().st_size // 2)


def harms(file: Path, seed: int, *, changed: int) -> Iterator[Harm]:
    """Every way, with bytes changed at `changed` random places."""
    yield from (Harm("gone"), Harm("empty"), Harm("cut"))
    size = file.stat().st_size
    places = random.Random(f"{seed} {file.name[:4]} {size}")
    for _ in range(changed if size else 0):
        yield Harm("changed", places.randrange(size))
