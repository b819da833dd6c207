"""Citations in an answer: only of sources that there are, and never none where there are some."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass

_GROUP = re.compile(r"\[(\d{1,3}(?:\s*[,;]\s*\d{1,3})*)\](?!\()")
_CODE = re.compile(r"(```.*?(?:```|\Z)|`[^`\n]*`)", re.DOTALL)
_BEFORE_STOP = re.compile(r"[ \t]+(?=[.,;:!?])")


@dataclass(frozen=True, slots=True)
class Checked:
    """An answer with its valid citations alone, which they are, and which were taken out."""

    text: str
    cited: tuple[int, ...]
    invalid: tuple[int, ...]


def check(text: str, numbers: Collection[int]) -> Checked:
    """Take out citations of sources that are not among `numbers`; code is left as it is."""
    cited: dict[int, None] = {}
    invalid: dict[int, None] = {}

    def valid(match: re.Match[str]) -> str:
        named = [int(part) for part in re.findall(r"\d+", match[1])]
        kept = [number for number in named if number in numbers]
        cited.update(dict.fromkeys(kept))
        invalid.update(dict.fromkeys(number for number in named if number not in numbers))
        return "".join(f"[{number}]" for number in kept)

    parts = _CODE.split(text)
    for at in range(0, len(parts), 2):
        before = parts[at]
        after = _GROUP.sub(valid, before)
        parts[at] = _BEFORE_STOP.sub("", after) if len(after) < len(before) else after
    return Checked("".join(parts), tuple(cited), tuple(invalid))
