"""Exact token counts, texts cut at the model's limit, and unusual texts."""

import re
import string
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tokenizers import Tokenizer, models, pre_tokenizers

from notewell.base.errors import ModelDamagedError
from notewell.models import tokens
from notewell.models.tokens import TextTokenizer, WordCounter, WordPlaces
from tests.tiny_model import tiny_tokenizer

LIMIT = 64


@pytest.fixture(scope="module")
def tokenizer() -> TextTokenizer:
    return TextTokenizer(tiny_tokenizer(), LIMIT)


PLAIN = tiny_tokenizer()
ODD = st.text(
    st.sampled_from("aé ́—[SEP]#.\t\n\r\v\f\x00\x1c\x1f\x85\xa0\u2028\u3000中ﬁẞİß\u200d😀-")
)


@settings(max_examples=300, deadline=None)
@given(st.one_of(st.text(), ODD))
@example("foo\x1cbar")
@example("a\x85b c\x0bd")
@example("[SEP] [CLS]x [MASK]")
@example("x" * 101 + " " + "y" * 100)
@example("e \u0301")
def test_counting_word_by_word_is_exact(text: str) -> None:
    counter = TextTokenizer(tiny_tokenizer(), LIMIT)
    if any("\ud800" <= character <= "\udfff" for character in text):
        return
    expected = len(PLAIN.encode(text, add_special_tokens=False).ids)
    assert counter.count(text) == expected
    assert counter.count(text) == expected  # from memory


@settings(max_examples=300, deadline=None)
@given(st.one_of(st.text(max_size=40), ODD))
@example("foo\x1cbar")
@example("a\x85b c\x0bd")
@example("[SEP] [CLS]x [MASK]")
@example("x" * 101 + " " + "y" * 10)
@example("e \u0301")
@example("Grüße,  中文。\u3000the book")
def test_finding_tokens_word_by_word_is_exact(text: str) -> None:
    if any("\ud800" <= character <= "\udfff" for character in text):
        return
    whole = PLAIN.encode(text, add_special_tokens=False)
    expected = whole.ids[:LIMIT], [start for start, _ in whole.offsets][:LIMIT]
    places = TextTokenizer(tiny_tokenizer(), LIMIT)
    assert places.places(text) == expected
    assert places.places(text) == expected  # from memory


def test_the_memory_of_words_tokens_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tokens, "_PLACES_CHARACTERS", 1000)
    read: list[str] = []

    def places(text: str) -> tuple[list[int], list[int]]:
        read.extend(text.split())
        starts = [match.start() for match in re.finditer(r"\S+", text)]
        return list(range(len(starts))), starts

    words = WordPlaces(places)
    for start in range(0, 5000, 50):
        ids, starts = words(" ".join(f"word{number}" for number in range(start, start + 50)))
        assert len(ids) == len(starts) == 50
    assert len(read) == 5000
    words("word0")
    assert read.count("word0") == 2, "it was forgotten"


def test_wordpiece_counts_are_cached(tokenizer: TextTokenizer) -> None:
    assert isinstance(tokenizer.count, WordCounter)


def test_other_tokenizers_count_whole_texts() -> None:
    other = Tokenizer(models.WordLevel({"a": 0, "[UNK]": 1}, unk_token="[UNK]"))
    other.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    assert TextTokenizer(other, LIMIT).count("a b\nc") == 3


def test_the_cache_of_word_counts_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tokens, "_MEMO_CHARACTERS", 1000)
    counted = []

    def count(word: str) -> int:
        counted.append(word)
        return 1

    counter = WordCounter(count)
    for start in range(0, 5000, 50):
        assert counter(" ".join(f"word{number}" for number in range(start, start + 50))) == 50
    assert len(counted) == 5000
    counter("word0")
    assert counted.count("word0") == 2, "it was forgotten"


def test_a_text_within_the_limit_is_unchanged(tokenizer: TextTokenizer) -> None:
    assert tokenizer.ids("the book") == PLAIN.encode("the book").ids


def test_a_longer_text_is_truncated_and_keeps_its_closing_token(tokenizer: TextTokenizer) -> None:
    text = "book " * 200
    reference = tiny_tokenizer()
    reference.enable_truncation(LIMIT)
    assert tokenizer.ids(text) == reference.encode(text).ids
    assert len(tokenizer.ids(text)) == LIMIT


def test_truncation_and_padding_of_the_file_are_switched_off() -> None:
    file = tiny_tokenizer()
    file.enable_truncation(4)
    file.enable_padding(length=16)
    assert len(TextTokenizer(file, LIMIT).ids("the book of the sea")) == 7


@pytest.mark.parametrize(
    "text",
    ["", " \n", "\x00", "\ud800", "a\udfffb", "😀" * 1000, "x" * 10_000_000, " " * 10_000_000],
)
def test_any_text_can_be_tokenized(tokenizer: TextTokenizer, text: str) -> None:
    assert 2 <= len(tokenizer.ids(text)) <= LIMIT
    assert tokenizer.count(text[:10_000]) >= 0
    ids, starts = tokenizer.places(text)
    assert len(ids) == len(starts) <= LIMIT


@pytest.mark.parametrize("content", ["", "{}", string.printable])
def test_an_unreadable_tokenizer_is_a_damaged_model(tmp_path: Path, content: str) -> None:
    path = tmp_path / "tokenizer.json"
    path.write_text(content)
    with pytest.raises(ModelDamagedError, match=r"tokenizer\.json"):
        TextTokenizer.from_file(path, LIMIT)
