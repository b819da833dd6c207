"""Makes new inputs from valid ones: pieces of the format are inserted, repeated, cut and mixed."""

from __future__ import annotations

import random
from collections.abc import Sequence

# Characters that parsers treat in a special way, in any format.
ODD = (
    "\x00", "\r", "\n", "\r\n", "\t", "\v", "\f", "\x1c", "\x85", "\u2028", "\u200b", "\u200d",
    "\u0301", "\ufeff", "\ufffd", "\u202e", "İ", "ß", "ﬁ", "é", "漢字", "👩‍👩‍👧", "\U0010ffff",
    "\\", '"', "'", "`", "%", "$", "~", "0", "-1", "9" * 20, "1e999", "NaN", " ", " " * 50,
)  # fmt: skip
_MAX_CHANGES = 6
_LONGEST_RUN = 3000
_LONGEST = 200_000


def mutate(rng: random.Random, seeds: Sequence[bytes], pieces: Sequence[bytes]) -> bytes:
    """Change a seed in a few places. `pieces` are tokens of the format."""
    data = bytearray(rng.choice(seeds))
    for _ in range(rng.randint(1, _MAX_CHANGES)):
        _CHANGES[rng.randrange(len(_CHANGES))](rng, data, seeds, pieces)
    return bytes(data[:_LONGEST])


def made_of(rng: random.Random, pieces: Sequence[bytes], most: int = 40) -> bytes:
    """Join random pieces; nothing but the tokens of the format."""
    return b"".join(rng.choices(pieces, k=rng.randint(0, most)))


def odd_bytes() -> tuple[bytes, ...]:
    """The odd characters in UTF-8, and bytes that are not valid UTF-8."""
    return (
        *(text.encode() for text in ODD),
        b"\xff",
        b"\xc3",
        b"\xed\xa0\x80",
        b"\xf4\x90\x80\x80",
    )


_ODD_BYTES = odd_bytes()


def _span(rng: random.Random, data: bytearray) -> tuple[int, int]:
    start = rng.randint(0, len(data))
    return start, min(len(data), start + int(rng.expovariate(1 / 12)))


def _insert(
    rng: random.Random, data: bytearray, seeds: Sequence[bytes], pieces: Sequence[bytes]
) -> None:
    at = rng.randint(0, len(data))
    data[at:at] = rng.choice(pieces)


def _insert_odd(
    rng: random.Random, data: bytearray, seeds: Sequence[bytes], pieces: Sequence[bytes]
) -> None:
    at = rng.randint(0, len(data))
    data[at:at] = rng.choice(_ODD_BYTES)


def _replace(
    rng: random.Random, data: bytearray, seeds: Sequence[bytes], pieces: Sequence[bytes]
) -> None:
    start, end = _span(rng, data)
    data[start:end] = rng.choice(pieces)


def _remove(
    rng: random.Random, data: bytearray, seeds: Sequence[bytes], pieces: Sequence[bytes]
) -> None:
    start, end = _span(rng, data)
    del data[start:end]


def _copy(
    rng: random.Random, data: bytearray, seeds: Sequence[bytes], pieces: Sequence[bytes]
) -> None:
    start, end = _span(rng, data)
    at = rng.randint(0, len(data))
    data[at:at] = data[start:end]


def _repeat(
    rng: random.Random, data: bytearray, seeds: Sequence[bytes], pieces: Sequence[bytes]
) -> None:
    """Repeat a piece often enough to meet limits of nesting and quadratic loops."""
    at = rng.randint(0, len(data))
    times = int(2 ** rng.uniform(1, 12))
    data[at:at] = (rng.choice(pieces) * times)[: _LONGEST_RUN * 4]


def _flip(
    rng: random.Random, data: bytearray, seeds: Sequence[bytes], pieces: Sequence[bytes]
) -> None:
    if data:
        data[rng.randrange(len(data))] = rng.randrange(256)


def _cut(
    rng: random.Random, data: bytearray, seeds: Sequence[bytes], pieces: Sequence[bytes]
) -> None:
    del data[rng.randint(0, len(data)) :]


def _mix(
    rng: random.Random, data: bytearray, seeds: Sequence[bytes], pieces: Sequence[bytes]
) -> None:
    """Continue with the rest of another seed."""
    other = rng.choice(seeds)
    data[rng.randint(0, len(data)) :] = other[rng.randint(0, len(other)) :]


# Small changes are more frequent, because large ones are refused at once.
_CHANGES = (
    _insert, _insert, _insert, _insert_odd, _insert_odd, _replace, _replace, _remove, _copy,
    _repeat, _flip, _flip, _cut, _mix,
)  # fmt: skip


def change_json(rng: random.Random, value: object) -> object:
    """Change one place of a JSON value: its type, its size, or a name."""
    if isinstance(value, dict) and value and rng.random() < 0.8:
        name = rng.choice(list(value))
        if rng.random() < 0.1:
            rest = {key: part for key, part in value.items() if key != name}
            return rest if rng.random() < 0.5 else {**rest, rng.choice(ODD): value[name]}
        return {**value, name: change_json(rng, value[name])}
    if isinstance(value, list) and value and rng.random() < 0.7:
        at = rng.randrange(len(value))
        return [*value[:at], change_json(rng, value[at]), *value[at + 1 :]]
    if isinstance(value, str) and rng.random() < 0.6:
        at = rng.randint(0, len(value))
        return value[:at] + rng.choice(ODD) * rng.choice((1, 1, 2, 300)) + value[at:]
    return rng.choice(_VALUES)


_VALUES: tuple[object, ...] = (
    None, True, False, 0, -1, 1, 2**31, 2**53 + 1, -(2**63), 2**63, 2**64, 10**30, 0.1, -0.0, 1e308,
    "", " ", "x" * 5000, "../..", "/etc/passwd", "Garden/Bees.md", "2026-02-30", "\x00", "\ud800",
    [], [[]], {}, {"": {}}, ["a"] * 200, [None],
)  # fmt: skip
