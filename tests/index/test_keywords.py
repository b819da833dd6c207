"""Keyword search over chunks: fields, phrases, filters, and the order of BM25."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rank_bm25 import BM25Okapi

from notewell.base.errors import IndexFailure
from notewell.base.types import Batch
from notewell.index.analyze import tokens, words
from notewell.index.embedded import EmbeddedIndex
from notewell.index.embedded.keywords import Keywords
from notewell.index.embedded.postings import Postings, check_files
from notewell.index.lexical import ChunkText, FieldWeights, QueryTerm, SearchText

Search = Callable[..., list[str]]
BODY_ALONE = FieldWeights(title=0, headings=0, tags=0, path=0, stems=0, body=1)


def terms(query: str) -> list[QueryTerm]:
    return [QueryTerm(token) for token in tokens(query)]


def postings_of(bodies: Sequence[str]) -> Postings:
    made = Postings(None)
    made.update(
        [
            SearchText(i, f"{i}.md", "", (), (), (ChunkText(i, (), b),))
            for i, b in enumerate(bodies)
        ],
        gone=(),
        database="test",
        generation=1,
    )
    return made


@pytest.fixture
def vault(index: EmbeddedIndex, make: Any) -> EmbeddedIndex:
    index.apply(
        Batch(
            puts=(
                make.note("Gardening.md", "roses need sun", "pruning in winter", tags=("plants",)),
                make.note("Work/Plan.md", "a well-known plan", headings=("Next steps",)),
                make.note("日记.md", "今天学习机器学习", aliases=("diary",)),
            ),
            model=make.model,
        )
    )
    return index


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("roses", "roses need sun"),
        ("ROSE", "roses need sun"),
        ("steps", "a well-known plan"),
        ("wellknown", "a well-known plan"),
        ("work", "a well-known plan"),
        ("diary", "今天学习机器学习"),
        ("机器", "今天学习机器学习"),
        ("今", "今天学习机器学习"),
    ],
)
def test_a_word_is_found_in_any_field(
    vault: EmbeddedIndex, search: Search, query: str, text: str
) -> None:
    assert search(vault, query)[0] == text


def test_a_tag_and_a_title_find_every_chunk_of_their_note(
    vault: EmbeddedIndex, search: Search
) -> None:
    assert len(search(vault, "plants")) == 2
    assert len(search(vault, "gardening")) == 2


def test_the_exact_word_ranks_before_its_stem(
    index: EmbeddedIndex, make: Any, search: Search
) -> None:
    puts = [
        make.note(f"{word}.md", f"they were {word} there", title="x")
        for word in ("walks", "walking", "walked")
    ]
    index.apply(Batch(puts=tuple(puts), model=make.model))
    assert search(index, "walked")[0] == "they were walked there"
    assert len(search(index, "walked")) == 3


def test_unknown_words_and_no_words_find_nothing(vault: EmbeddedIndex) -> None:
    for query in ("zzz", "", "!?"):
        assert not len(vault.keywords.search(terms(query), limit=10).chunk_ids)
    assert not len(vault.keywords.search(terms("roses"), limit=0).chunk_ids)


def test_a_filter_leaves_only_its_notes(vault: EmbeddedIndex) -> None:
    note = vault.note_at("Gardening.md")
    assert note is not None
    inside = vault.keywords.search(terms("plan roses"), limit=10, notes=np.array([note.id]))
    assert set(vault.note_ids_of(inside.chunk_ids)) == {note.id}
    nothing = vault.keywords.search(terms("roses"), limit=10, notes=np.array([], dtype=np.int64))
    assert not len(nothing.chunk_ids)


def test_a_wide_filter_finds_what_a_narrow_one_would() -> None:
    chance = random.Random(4)
    bodies = [" ".join(chance.choices("abcdefgh", k=12)) for _ in range(3000)]
    keywords = Keywords(postings_of(bodies))
    allowed = np.arange(1, 3000, 2)
    found = keywords.search(terms("a b"), limit=40, notes=allowed)
    every = keywords.search(terms("a b"), limit=3000)
    inside = np.isin(every.chunk_ids, allowed)
    assert found.chunk_ids.tolist() == every.chunk_ids[inside][:40].tolist()


def test_phrases_are_words_side_by_side_in_one_field(vault: EmbeddedIndex) -> None:
    def notes(phrase: str) -> list[str]:
        ids = vault.keywords.notes_with_phrase(words(phrase)).tolist()
        return [note.path for note in vault.notes(ids).values()]

    assert notes("need sun") == ["Gardening.md"]
    assert notes("sun need") == []
    assert notes("sun pruning") == []
    assert notes("well known plan") == ["Work/Plan.md"]
    assert notes("Well-Known plan") == ["Work/Plan.md"]
    assert notes("机器学习") == ["日记.md"]
    assert notes("学机") == []
    assert notes("next steps") == ["Work/Plan.md"]
    assert notes("") == []


def test_a_phrase_may_be_given_as_tokens(vault: EmbeddedIndex) -> None:
    assert len(vault.keywords.notes_with_phrase(tokens("a well-known plan"))) == 1


def test_all_words_must_be_in_one_chunk(vault: EmbeddedIndex) -> None:
    assert len(vault.keywords.notes_with_all(["roses", "sun", "plants"])) == 1
    assert len(vault.keywords.notes_with_all(["roses", "winter"])) == 0
    assert len(vault.keywords.notes_with_all([])) == 0


def test_prefixes_and_frequencies_come_from_the_vocabulary(vault: EmbeddedIndex) -> None:
    assert vault.keywords.document_count == 4
    assert vault.keywords.document_frequency("plants") == 2
    assert vault.keywords.document_frequency("planting") == 2  # by its stem
    assert vault.keywords.document_frequency("work") == 1  # in a path, and nowhere else
    assert vault.keywords.document_frequency("zzz") == 0
    assert dict(vault.keywords.terms_with_prefix("pl", 10)) == {"plants": 2, "plan": 1}
    assert vault.keywords.terms_with_prefix("pl", 1) == (("plants", 2),)


def test_weights_of_terms_order_hits(vault: EmbeddedIndex) -> None:
    for heavy, text in (("roses", "roses need sun"), ("winter", "pruning in winter")):
        asked = [QueryTerm(t, 9.0 if t == heavy else 1.0) for t in ("roses", "winter")]
        hits = vault.keywords.search(asked, limit=1)
        assert vault.chunks(hits.chunk_ids.tolist())[int(hits.chunk_ids[0])].text == text


def test_equal_scores_are_ordered_by_chunk() -> None:
    keywords = Keywords(postings_of(["same words"] * 50))
    assert keywords.search(terms("same"), limit=20).chunk_ids.tolist() == list(range(20))


def test_very_common_words_are_not_searched_beside_rare_ones(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("notewell.index.clauses._COMMON_LEAST", 2)
    keywords = Keywords(postings_of(["the rose", "the tulip", "the lily", "the fern"]))
    assert keywords.search(terms("the rose"), limit=10).chunk_ids.tolist() == [0]
    assert keywords.search(terms("the"), limit=10).chunk_ids.tolist() == [0, 1, 2, 3]


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_the_order_agrees_with_rank_bm25(seed: int) -> None:
    """On one field: same formula but for lengths, rounded up by 6 % at most: so are the top hits."""
    chance = random.Random(seed)
    vocabulary = [f"w{n}" for n in range(400)]
    weights = [1 / (n + 1) for n in range(400)]
    bodies = [
        " ".join(chance.choices(vocabulary, weights, k=chance.randint(20, 60))) for _ in range(300)
    ]
    ours = Keywords(postings_of(bodies), BODY_ALONE)
    reference = BM25Okapi([body.split() for body in bodies], k1=1.2, b=0.75)
    overlap = []
    for _ in range(20):
        query = chance.choices(vocabulary[20:], k=4)
        scores = reference.get_scores(query)
        expected = np.argsort(-scores, kind="stable")[:10]
        got = ours.search([QueryTerm(word) for word in set(query)], limit=10).chunk_ids
        overlap.append(len(set(expected.tolist()) & set(got.tolist())) / 10)
        assert scores[got[0]] >= 0.95 * scores[expected[0]]
    assert sum(overlap) / len(overlap) >= 0.9


def test_postings_of_another_format_are_rebuilt(
    tmp_path: Path,
    make: Any,
    search: Search,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with monkeypatch.context() as older:
        older.setattr("notewell.index.embedded.postings.FORMAT", "0/older")
        first = EmbeddedIndex.open(tmp_path, writable=True)
        first.apply(Batch(puts=(make.note("a.md", "roses"),), model=make.model))
        first.close()
    for writable in (False, True):
        again = EmbeddedIndex.open(tmp_path, writable=writable)
        assert search(again, "roses") == ["roses"]
        again.close()


@pytest.mark.parametrize("harm", ["meta.json", "folder"])
def test_a_damaged_folder_is_rebuilt(
    tmp_path: Path,
    make: Any,
    search: Search,
    harm: str,
) -> None:
    first = EmbeddedIndex.open(tmp_path, writable=True)
    first.apply(Batch(puts=(make.note("a.md", "roses"),), model=make.model))
    first.close()
    folder = tmp_path / "keywords"
    if harm == "folder":
        for file in folder.iterdir():
            file.write_bytes(b"\x00broken")
    else:
        (folder / harm).write_text("{")
    for writable in (False, True):
        again = EmbeddedIndex.open(tmp_path, writable=writable)
        assert search(again, "roses") == ["roses"]
        again.close()


def test_files_that_several_threads_read_are_checked_as_well(
    tmp_path: Path, make: Any, search: Search, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("notewell.index.embedded.postings._LARGE", 0)
    first = EmbeddedIndex.open(tmp_path, writable=True)
    first.apply(Batch(puts=(make.note("a.md", "roses"),), model=make.model))
    first.close()
    check_files(tmp_path / "keywords")
    for file in (tmp_path / "keywords").glob("*.term"):
        whole = file.read_bytes()
        file.write_bytes(bytes([whole[0] ^ 1]) + whole[1:])
    with pytest.raises(IndexFailure, match="damaged"):
        check_files(tmp_path / "keywords")
    for writable in (False, True):
        again = EmbeddedIndex.open(tmp_path, writable=writable)
        assert search(again, "roses") == ["roses"]
        again.close()
