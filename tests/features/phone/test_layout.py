"""The bytes of the phone index, which two languages read; and what does not fit into a phone."""

from __future__ import annotations

import hashlib
import json
import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from notewell.features.phone.contents import (
    HEADER,
    Amount,
    MatchRule,
    PhoneContents,
    PhoneHead,
    PhoneNote,
    describe_left_out,
    encode,
    fitting,
    is_ours,
    quantise,
    read_figures,
)
from notewell.models.query_table import WORDPIECE, QueryTable, TableHead, TokenVocabulary, pack
from tests.features.phone.reading import read

FOLDER = Path(__file__).parent
UPDATE = os.environ.get("NOTEWELL_TEST_UPDATE_CONTRACT") == "1"
# The notes of the sample: each with the lines of its passages, and the words of each passage.
NOTES = {
    "Garden/Bees.md": (
        "# Bees\n\nBees find the hive.\n\nThey like the sun.\n",
        ((1, 3, "bees hive"), (5, 5, "bees sun")),
    ),
    "Garden/Roof.md": ("A hive stands on the roof in the sun.\n", ((1, 1, "hive sun roof"),)),
    "Kitchen/Bread.md": ("Bread needs flour.\n", ((1, 1, "bread flour"),)),
    "Kitchen/Honey cake.md": (
        "A cake of flour.\n\nWith honey of bees.\n",
        ((1, 1, "cake flour"), (3, 3, "bees honey")),
    ),
    "Reisen/Zürich.md": ("\ufeffEine Stadt am See. 🏔\r\n", ((1, 1, "city lake"),)),
}
WORDS = sorted(
    {word for _, passages in NOTES.values() for *_, words in passages for word in words.split()}
)


def vector(words: str) -> np.ndarray:
    found = np.array([1.0 if word in words.split() else 0.0 for word in WORDS], np.float32)
    return found / np.float32(np.sqrt(found.sum()))


def sample() -> PhoneContents:
    passages = [passage for _, of in NOTES.values() for passage in of]
    vectors = np.array([vector(words) for *_, words in passages])
    means = np.array([sum(vector(words) for *_, words in of) for _, of in NOTES.values()])
    means /= np.linalg.norm(means, axis=1, keepdims=True)
    return PhoneContents(
        PhoneHead(
            model="tiny/0123456789ab/int8",
            model_dimensions=384,
            dimensions=len(WORDS),
            made=1_795_000_000.5,
            scale=1.0,
            shift=0.0,
            match=MatchRule(14.0, 7.5, -6.0, -8.5),
            stamp=b"12345678",
        ),
        [
            PhoneNote(path, hashlib.blake2b(text.encode(), digest_size=16).digest(), len(of))
            for path, (text, of) in NOTES.items()
        ],
        quantise(means.astype(np.float32)),
        quantise(vectors.astype(np.float32)),
        np.array([[first, last] for first, last, _ in passages], np.uint32),
    )


def table() -> QueryTable:
    """A table in which each word is the axis that it is in the vectors of passages."""
    rows, scales = pack(np.array([vector(word) for word in WORDS], np.float32))
    head = TableHead("tiny/0123456789ab/int8", 1_795_000_000.5, 7, 0.9, 0.5, (0.9, 0.0, -0.8, 0.0))
    vocabulary = TokenVocabulary(WORDPIECE, 15, (*WORDS, "wasps"), np.empty(0, np.float32))
    weak = np.zeros(len(WORDS), np.uint8)
    return QueryTable(head, vocabulary, rows, scales, weak, np.zeros(len(WORDS), np.float32))


def test_the_sample_that_the_plugin_is_tested_on_has_these_bytes() -> None:
    made = encode(sample())
    found = read(made)
    told = {
        "model": found.model,
        "made": found.made,
        "dimensions": found.dimensions,
        "model_dimensions": found.model_dimensions,
        "cosines": found.cosines,
        "rule": found.rule,
        "notes": [
            {
                "path": path,
                "text": NOTES[path][0],
                "hash": found.hashes[n].hex(),
                "lines": [found.lines[passage] for passage in found.passages_of[n]],
            }
            for n, path in enumerate(found.paths)
        ],
        "products": (found.passage_vectors @ found.passage_vectors.T).round(4).tolist(),
    }
    if UPDATE:
        (FOLDER / "sample.bin").write_bytes(made)
        text = json.dumps(told, indent=1, ensure_ascii=False) + "\n"
        (FOLDER / "sample.json").write_text(text, encoding="utf-8")

    assert made == (FOLDER / "sample.bin").read_bytes()
    assert json.loads(json.dumps(told)) == json.loads(
        (FOLDER / "sample.json").read_text(encoding="utf-8")
    )


def test_a_table_is_the_end_of_the_file_and_finds_passages() -> None:
    raw = encode(replace(sample(), table=table().encode()))

    found = read(raw)
    carried = QueryTable.decode(found.table)
    guess = carried.guess("honey of bees")

    assert (len(raw) - len(found.table)) % 8 == 0
    assert read_figures(raw[: HEADER.size], len(raw)).table_bytes == len(found.table)
    assert guess is not None
    assert int(np.argmax(found.passage_vectors @ guess.vector)) == 5  # of the honey cake
    assert carried.guess("wasps") is None


def test_vectors_come_back_nearly_as_they_were() -> None:
    vectors = np.random.default_rng(1).standard_normal((200, 384)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    small = quantise(vectors)

    back = small.values * small.scales[:, np.newaxis]

    assert np.vecdot(vectors, back).min() > 0.999
    assert quantise(np.zeros((1, 4), np.float32)).values.tolist() == [[0, 0, 0, 0]]


@given(st.integers(0, 1000))
def test_a_file_that_is_not_whole_is_refused(end: int) -> None:
    raw = (FOLDER / "sample.bin").read_bytes()
    end %= len(raw)

    with pytest.raises(ValueError, match=r"not whole|no phone index|ends within"):
        read_figures(raw[:end][: HEADER.size], end)


def test_another_version_and_other_files_are_refused() -> None:
    raw = bytearray((FOLDER / "sample.bin").read_bytes())
    raw[8] = 1

    with pytest.raises(ValueError, match="version 1"):
        read_figures(bytes(raw), len(raw))
    assert is_ours(raw)
    assert not is_ours(b"PK\x03\x04")


@given(
    notes=st.integers(1, 2_000_000),
    passages=st.integers(0, 20),
    dimensions=st.integers(8, 1536),
    megabytes=st.integers(1, 20),
)
def test_what_is_written_fits_into_the_memory_that_is_allowed(
    notes: int, passages: int, dimensions: int, megabytes: int
) -> None:
    there = Amount(notes, notes * passages, notes * 40, dimensions)
    kept = fitting(there, megabytes * 1_000_000)

    assert kept.file_bytes <= megabytes * 1_000_000
    assert (describe_left_out(there, kept) is None) == (kept == there)


def test_dimensions_go_first_then_passages_then_old_notes() -> None:
    def left(notes: int, passages: int) -> Amount:
        return fitting(Amount(notes, passages, notes * 60, 384), 20_000_000)

    with_table = Amount(6_571, 9_784, 394_260, 384, 30_517, 250_000)
    assert fitting(with_table, 20_000_000) == replace(with_table, tokens=12_000)
    small = fitting(with_table, 5_000_000)
    assert (small.tokens, small.passages, small.dimensions) == (6_000, 9_784, 192)
    assert "6,000 of 30,517 words" in (describe_left_out(with_table, small) or "")
    least = fitting(with_table, 3_000_000)
    assert (least.tokens, least.table_bytes) == (0, 0)
    assert "by words alone" in (describe_left_out(with_table, least) or "")
    assert left(6_571, 9_784) == Amount(6_571, 9_784, 394_260, 384)
    assert left(20_000, 40_000).dimensions == 256
    assert left(20_000, 70_000).dimensions == 192
    assert left(20_000, 110_000).dimensions == 128
    assert left(20_000, 200_000) == Amount(20_000, 0, 1_200_000, 384)
    assert left(60_000, 200_000).dimensions == 192
    few = left(200_000, 200_000)
    assert (few.dimensions, few.passages) == (128, 0)
    assert 80_000 < few.notes < 100_000
    assert "newest" in (describe_left_out(Amount(200_000, 200_000, 0, 384), few) or "")
