"""Deleted documents do not count: scores after any changes are those of a new index."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
import tantivy
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from notewell.base.types import Batch, NoteMove, NotePut
from notewell.index.embedded import EmbeddedIndex, balance, keywords
from notewell.index.embedded.postings import stored_length
from notewell.index.lexical import QueryTerm
from tests.index.conftest import Material
from tests.index.inside import postings_of

WORDS = ("honey", "hive", "snow", "winter", "bees", "spring")
MAKE = Material()


def scores(index: EmbeddedIndex, *words: str) -> dict[tuple[str, int], float]:
    """BM25 of passages by path and place."""
    hits = index.keywords.search([QueryTerm(word) for word in words], limit=1000)
    chunks = index.chunks(hits.chunk_ids.tolist())
    paths = {note.id: note.path for note in index.all_notes()}
    return {
        (paths[chunks[chunk_id].note_id], chunks[chunk_id].ordinal): score
        for chunk_id, score in zip(hits.chunk_ids.tolist(), hits.scores.tolist(), strict=True)
    }


@contextmanager
def fresh_copy(index: EmbeddedIndex, puts: dict[str, NotePut]) -> Iterator[EmbeddedIndex]:
    """An index that was given the notes as they are now, at once."""
    with TemporaryDirectory() as folder:
        made = EmbeddedIndex.open(Path(folder) / "index", writable=True)
        made.apply(Batch(puts=tuple(puts[path] for path in sorted(puts))))
        made.save()
        yield made
        made.close()


def same(
    one: dict[tuple[str, int], float], other: dict[tuple[str, int], float], within: float = 2e-6
) -> None:
    assert set(one) == set(other)
    for place, score in other.items():
        assert one[place] == pytest.approx(score, rel=within)


# Up to lengths that tantivy does not store exactly.
TEXT = st.tuples(st.lists(st.sampled_from(WORDS), max_size=12), st.sampled_from([1, 5, 30])).map(
    lambda drawn: " ".join(drawn[0] * drawn[1])
)
TEXTS = st.lists(TEXT, max_size=3)
STEPS = st.lists(
    st.tuples(
        st.dictionaries(st.sampled_from("ABCDEFGHIJ"), TEXTS, max_size=5),
        st.sets(st.sampled_from("ABCDEFGHIJ"), max_size=3),
        st.booleans(),
    ),
    min_size=1,
    max_size=5,
)


@given(STEPS, st.sampled_from([0, balance.WRITTEN_AGAIN]))
@settings(
    max_examples=6,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    phases=[Phase.explicit, Phase.generate],  # to make a failure smaller takes minutes
)
def test_scores_after_any_changes_are_those_of_a_new_index(
    steps: list[tuple[dict[str, list[str]], set[str], bool]], written_again: int
) -> None:
    puts = {f"{n}.md": MAKE.note(f"{n}.md", "honey in a hive", f"word{n}") for n in range(9)}
    with TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr(balance, "WRITTEN_AGAIN", written_again)
        index = EmbeddedIndex.open(Path(folder) / "index", writable=True)
        index.apply(Batch(puts=tuple(puts.values())))
        for changed, gone, moved in steps:
            now = {f"{name}.md": MAKE.note(f"{name}.md", *texts) for name, texts in changed.items()}
            removes = tuple(f"{name}.md" for name in sorted(gone) if f"{name}.md" in puts)
            moves = (NoteMove("0.md", "Moved.md", 1, 2),) if moved and "0.md" in puts else ()
            index.apply(Batch(puts=tuple(now.values()), removes=removes, moves=moves))
            puts = {path: put for path, put in puts.items() if path not in removes} | now
            if moves:
                del puts["0.md"]
                puts["Moved.md"] = MAKE.note("Moved.md", "honey in a hive", "word0", title="0")
            index.save()
            with fresh_copy(index, puts) as fresh:
                for query in (("honey",), ("snow", "winter", "hive"), ("bees", "moved", "spring")):
                    same(scores(index, *query), scores(fresh, *query))
        index.close()


def test_frequencies_are_right_before_deleted_documents_are_dropped(
    index: EmbeddedIndex, make: Material
) -> None:
    """And so the idf: only the mean length still counts them, here of equally long passages."""
    puts = {f"{n}.md": make.note(f"{n}.md", "honey hive", f"word{n} snow") for n in range(300)}
    index.apply(Batch(puts=tuple(puts.values())))
    before = scores(index, "honey", "word3")
    for text in ("winter bees", "honey hive"):
        index.apply(
            Batch(puts=tuple(make.note(f"{n}.md", text, f"word{n} snow") for n in range(40)))
        )
    keywords = index.keywords
    assert postings_of(keywords).document_count > keywords.document_count + 1
    assert keywords.document_frequency("honey") == 300
    assert keywords.document_frequency("winter") == 0
    assert keywords.terms_with_prefix("winter", 3) == ()
    assert keywords.terms_with_prefix("word12", 3)[0] == ("word12", 1)
    same(scores(index, "honey", "word3"), before, within=1e-3)
    assert len(scores(index, "honey")) == 300

    index.save()

    assert postings_of(keywords).document_count == keywords.document_count + 1
    same(scores(index, "honey", "word3"), before)


def test_frequencies_of_very_common_words_are_estimated(
    index: EmbeddedIndex, make: Material, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(keywords, "_COUNTED", 200)
    index.apply(
        Batch(puts=tuple(make.note(f"{n}.md", "honey" + " hive" * (n % 9 > 0)) for n in range(900)))
    )
    index.apply(Batch(removes=("0.md", "5.md", "7.md")))
    found = index.keywords
    deleted = postings_of(found).deleted_count
    assert deleted >= 3
    assert found.document_count == 897
    assert found.document_frequency("honey") == pytest.approx(897, abs=deleted)
    assert found.document_frequency("hive") == pytest.approx(798, abs=deleted)


def test_lengths_are_stored_exactly(index: EmbeddedIndex, make: Material) -> None:
    lengths = [*range(1, 700), 1023, 5000, 77_777]
    assert stored_length(0) == 0
    assert [stored_length(each) for each in (40, 41, 55, 57, 89, 145)] == [40, 42, 56, 60, 96, 152]
    postings = postings_of(index.keywords)
    index.apply(Batch(puts=tuple(make.note(f"{n}.md", "bee " * n) for n in lengths)))
    searcher = postings.searcher
    query = tantivy.Query.term_query(postings.schema, "body", "bee")
    stored = {
        int(_value(json.loads(query.explain(searcher, address).to_json()), "dl, "))
        for _, address in searcher.search(query, 1000).hits
    }
    assert stored == {stored_length(each) for each in lengths}


def _value(explained: Any, name: str) -> float:
    """The number of this name in tantivy's explanation of a score."""
    if explained["description"].startswith(name):
        return float(explained["value"])
    return max([_value(part, name) for part in explained.get("details", ())], default=-1.0)


def test_a_large_index_has_the_scores_of_a_new_one(
    index: EmbeddedIndex, make: Material, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whether the deleted passages were longer or shorter than those that are left."""
    monkeypatch.setattr(balance, "WRITTEN_AGAIN", 100)
    puts = {
        f"{n}.md": make.note(f"{n}.md", "honey hive " * (n % 7 + 1), f"word{n} snow", tags=["bees"])
        for n in range(400)
    }
    index.apply(Batch(puts=tuple(puts.values())))
    for step, (text, tags) in enumerate(
        [("honey snow " * 300, ["a", "b"]), ("snow", []), ("", [])]
    ):
        changed = {f"{n}.md": make.note(f"{n}.md", text, tags=tags) for n in range(step, 400, 9)}
        index.apply(Batch(puts=tuple(changed.values()), removes=(f"{200 + step}.md",)))
        puts = {path: put for path, put in (puts | changed).items() if path != f"{200 + step}.md"}
        index.save()
        with fresh_copy(index, puts) as fresh:
            for query in (("honey",), ("snow", "hive"), ("bees", "word33")):
                same(scores(index, *query), scores(fresh, *query))
            assert index.keywords.document_count == fresh.keywords.document_count
            assert index.keywords.document_frequency("snow") == fresh.keywords.document_frequency(
                "snow"
            )
        commits = postings_of(index.keywords).commits
        index.save()
        assert postings_of(index.keywords).commits == commits
