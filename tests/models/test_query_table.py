"""The query table: bytes, tokenizers and sums, by the cases that the plugin is tested on as well."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path
from string import ascii_lowercase

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers

from notewell.models.query_table import (
    UNIGRAM,
    WORDPIECE,
    QueryTable,
    TableHead,
    TokenVocabulary,
    pack,
)

FOLDER = Path(__file__).parents[1] / "features" / "query_table"
UPDATE = os.environ.get("NOTEWELL_TEST_UPDATE_CONTRACT") == "1"
HEAD = TableHead("tiny/0123456789ab/int8", 1_795_000_000.5, 12, 0.8, 0.35, (0.4, 0.3, -0.5, -0.2))
BERT = 15
WORDS = [
    "note",
    "notes",
    "hive",
    "bee",
    "garden",
    "sun",
    "roof",
    "bread",
    "flour",
    "the",
    "of",
    "in",
    "how",
    "do",
    "i",
    "make",
    "keep",
    "phone",
]
PIECES = [*ascii_lowercase, "s", "ing", "less", "keep"]
OTHERS = [
    "restaurant",
    "straße",
    "ß",
    "日",
    "本",
    "é",
    ",",
    ".",
    "'",
    "!",
    "(",
    ")",
    "2",
    "##2",
    "26",
    "σ",
    "##ς",
    "σα",
]
ENGLISH = (
    "the hive",
    "Bees, in THE garden!",
    "beekeeping notes",
    "restaurant of the sun",
    "restaurants",
    "Häuser",
    "Straße",
    "café café",
    "日本の garden",
    "how do I keep bread?",
    "zero\u200bwidth a\x85b",
    "tab\tand\nline\u00a0break",
    "2026 (26)",
    "ΣΑΣ σας",
    "İstanbul",
    "note\ue000 ✅ note",
    "",
    " \t",
    "x" * 101 + " note",
    "note " * 70,
    "don't",
    "the the the",
)
SCORED = {
    "▁": -3.0,
    "▁die": -4.0,
    "▁biene": -7.5,
    "n": -5.0,
    "▁notiz": -8.0,
    "en": -4.5,
    "▁garten": -8.5,
    "▁im": -4.2,
    "haus": -7.0,
    "▁haus": -6.5,
    "tür": -7.2,
    "笔记": -8.1,
    "笔": -9.0,
    "记": -9.1,
    "本": -8.9,
    "▁за": -6.0,
    "метки": -8.8,
    "▁заметки": -11.0,
    "а": -6.2,
    "е": -6.1,
    "e": -4.9,
    "i": -5.1,
    "t": -5.2,
    "s": -5.0,
    ".": -4.0,
    "2": -6.0,
    "fi": -8.0,
}  # fmt: skip
WORLD = (
    "die biene",
    "die bienen im garten.",
    "haustür",
    "notizen",
    "Die Biene",
    "笔记本",
    "写笔记",
    "заметки",
    "за метки а",
    "zwölf bienen",
    "ﬁ",
    "\u2460 haus",
    "２ haus",
    "die\u3000biene",
    "a\u200bb",
    "haus\u00adtür",
    "✅✅ haus",
    "",
    "die\x07biene",
    "▁die",
    "haus " * 70,
    "tset",
)
DIMENSIONS = 7


def tables() -> dict[str, QueryTable]:
    begun = [f"##{piece}" for piece in PIECES]
    known = sorted({*WORDS, *begun, *ascii_lowercase, *OTHERS[1:]}, key=str.encode)
    wordpiece = TokenVocabulary(WORDPIECE, BERT, (*known, "restaurant"), np.empty(0, np.float32))
    pieces = sorted(SCORED, key=str.encode)
    scores = np.array([SCORED[piece] for piece in pieces], np.float32)
    unigram = TokenVocabulary(UNIGRAM, 16, tuple(pieces), scores)
    return {
        "wordpiece": _table(wordpiece, len(known)),
        "unigram": _table(unigram, len(pieces)),
    }


def _table(vocabulary: TokenVocabulary, rows: int) -> QueryTable:
    random = np.random.default_rng(rows)
    values, scales = pack(random.standard_normal((rows, DIMENSIONS)).astype(np.float32) / 2)
    weakness = random.integers(0, 255, rows).astype(np.uint8)
    bias = random.standard_normal(DIMENSIONS).astype(np.float32) / 20
    return QueryTable(HEAD, vocabulary, values, scales, weakness, bias)


def _told(table: QueryTable, texts: Sequence[str]) -> list[dict[str, object]]:
    told = []
    for text in texts:
        measured, guess = table.measured(text), table.guess(text)
        agreement = None if measured is None else measured[1].agreement(table.head.weights)
        told.append(
            {
                "text": text,
                "tokens": table.tokens(text),
                "agreement": None if agreement is None else round(agreement, 5),
                "silent": guess is None,
                "vector": None if guess is None else guess.vector.round(5).tolist(),
            }
        )
    return told


def test_the_cases_that_the_plugin_is_tested_on_are_so() -> None:
    made = tables()
    told = {
        "wordpiece": _told(made["wordpiece"], ENGLISH),
        "unigram": _told(made["unigram"], WORLD),
    }
    if UPDATE:
        for name, table in made.items():
            (FOLDER / f"{name}.bin").write_bytes(table.encode())
        text = json.dumps(told, indent=1, ensure_ascii=False) + "\n"
        (FOLDER / "cases.json").write_text(text, encoding="utf-8")

    kept = {name: (FOLDER / f"{name}.bin").read_bytes() for name in made}
    assert {name: table.encode() for name, table in made.items()} == kept
    stored = json.loads((FOLDER / "cases.json").read_text(encoding="utf-8"))
    for name, texts in (("wordpiece", ENGLISH), ("unigram", WORLD)):
        read = _told(QueryTable.decode(kept[name]), texts)
        for found, wanted in zip(read, stored[name], strict=True):
            assert found["tokens"] == wanted["tokens"], found["text"]
            assert found["silent"] == wanted["silent"], found["text"]
            np.testing.assert_allclose(found["vector"] or [], wanted["vector"] or [], atol=2e-5)
    assert {load["silent"] for load in stored["wordpiece"]} == {True, False}


def _bert(tokens: Sequence[str]) -> Tokenizer:
    vocab = {token: at for at, token in enumerate(["[UNK]", "[CLS]", "[SEP]", *tokens])}
    made = Tokenizer(models.WordPiece(vocab, unk_token="[UNK]", max_input_chars_per_word=100))
    made.normalizer = normalizers.BertNormalizer()
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    made.add_special_tokens(["[UNK]", "[CLS]", "[SEP]"])
    return made


@given(st.text())
def test_the_tokens_are_those_of_the_model(text: str) -> None:
    tokens = tables()["wordpiece"].vocabulary.tokens
    model = _bert(tokens)
    vocabulary = TokenVocabulary.of(model.to_str())
    assert vocabulary is not None
    rows = np.zeros((vocabulary.size, 1), np.uint8)
    table = QueryTable(
        HEAD, vocabulary, rows, np.ones(len(rows), np.float32), rows[:, 0], np.zeros(2, np.float32)
    )

    found = [vocabulary.tokens[token] if token >= 0 else "[UNK]" for token in table.tokens(text)]

    assert found == model.encode(text, add_special_tokens=False).tokens[:64]


def test_four_bits_turn_vectors_little() -> None:
    numbers = np.random.default_rng(1).standard_normal((5000, 384)).astype(np.float32)
    rows, scales = pack(numbers)
    none = np.zeros(5000, np.uint8)
    vocabulary = TokenVocabulary(
        WORDPIECE, BERT, tuple(map(str, range(5000))), np.empty(0, np.float32)
    )
    back = QueryTable(HEAD, vocabulary, rows, scales, none, np.zeros(384, np.float32)).dense()

    lengths = np.linalg.norm(numbers, axis=1) * np.linalg.norm(back, axis=1)
    assert (np.vecdot(numbers, back) / lengths).min() > 0.98
    assert rows.nbytes == 5000 * 192


def test_a_table_for_few_tokens_says_unknown_rather_than_pieces() -> None:
    table = tables()["wordpiece"]
    bee = table.vocabulary.tokens.index("bee")

    small = table.with_rows(np.array([bee]))

    assert small.tokens("bee") == [0]
    assert small.tokens("garden") == [-1]
    assert QueryTable.decode(small.encode()).tokens("the bee garden") == [-1, 0, -1]


@given(st.integers(0, 2**31), st.integers(0, 7))
def test_a_damaged_table_is_refused(place: int, bit: int) -> None:
    raw = bytearray((FOLDER / "unigram.bin").read_bytes())
    raw[place % len(raw)] ^= 1 << bit

    with pytest.raises(ValueError, match=r"no query table|damaged"):
        QueryTable.decode(bytes(raw))
    with pytest.raises(ValueError, match=r"no query table|damaged"):
        QueryTable.decode(bytes(raw[: place % len(raw)]))
