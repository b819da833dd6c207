"""The inverted index over whole notes: its scores, and that they do not depend on history."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import fields, replace
from typing import get_args

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from notewell.base.errors import ConfigError
from notewell.base.types import NoteField, NoteFieldWeights, PropertyValue, SearchRules
from notewell.index import note_postings
from notewell.index.analyze import stemmer, tokens
from notewell.index.lexical import ChunkText, QueryTerm, SearchText, note_text
from notewell.index.note_postings import NoteMatches, NoteTable
from notewell.index.note_segments import Segment
from notewell.index.note_terms import (
    FIELD_BITS,
    NOTE_FIELDS,
    field_weights,
    hash_of,
    hashed_terms,
    pack_terms,
    unpack_terms,
)
from tests.index.inside import fields_of_mask, parts_of

STEMMER = stemmer()
WEIGHTS = NoteFieldWeights()


def note(
    number: int,
    *bodies: str,
    title: str = "",
    path: str = "",
    headings: tuple[str, ...] = (),
    properties: Mapping[str, PropertyValue] | None = None,
) -> SearchText:
    chunks = [ChunkText(10 * number + at, headings, body) for at, body in enumerate(bodies)]
    return note_text(
        number,
        path or f"{number}.md",
        title=title,
        aliases=(),
        tags=(),
        properties=properties or {},
        chunks=chunks,
    )


def row(text: SearchText) -> tuple[int, bytes]:
    return text.note_id, pack_terms(text, STEMMER)


def table_of(*notes: SearchText) -> NoteTable:
    return NoteTable.of_segment(Segment.of([row(each) for each in notes]))


def matched(table: NoteTable, query: str, **how: object) -> NoteMatches:
    stems = hashed_terms([QueryTerm(token) for token in tokens(query)], STEMMER)
    return table.match(stems, **{"weights": WEIGHTS, **how})  # type: ignore[arg-type]


def scores(table: NoteTable, query: str, **how: object) -> dict[int, float]:
    found = matched(table, query, **how)
    return dict(zip(found.note_ids.tolist(), found.bm25.tolist(), strict=True))


THREE = (
    note(1, "honey in spring", "the hive", "winter feed", title="Bees"),
    note(2, "honey honey honey", "prices of honey", title="Honey"),
    note(3, "snow", title="Winter"),
)


def test_words_in_different_passages_of_a_note_count_together() -> None:
    found = scores(table_of(*THREE), "hive winter spring")
    assert set(found) == {1, 3}
    assert found[1] > found[3] > 0


def test_the_score_is_bm25_with_the_idf_among_notes() -> None:
    idf = math.log1p((3 - 2 + 0.5) / (2 + 0.5))  # "honey" stands in two of three notes
    lengths = {1: 1 + 7, 2: 1 + 3 + 3}
    mean = (lengths[1] + lengths[2] + 2) / 3
    often = {1: 1.0, 2: 1 + 3 + 1.0}  # title, body
    found = scores(table_of(*THREE), "honey")
    assert set(found) == {1, 2}
    for number, score in found.items():
        norm = 1.2 * (0.25 + 0.75 * lengths[number] / mean)
        expected = idf * often[number] * 2.2 / (often[number] + norm)
        assert score == pytest.approx(expected, rel=1e-5)


def test_the_weights_of_fields_count() -> None:
    table = table_of(note(1, "bees", title="Honey"), note(2, "honey", title="Bees"))
    plain = scores(table, "honey")
    assert plain[1] == plain[2]
    high = scores(table, "honey", weights=replace(WEIGHTS, title=3.0))
    assert high[1] > plain[1]
    assert high[2] == plain[2]
    without = scores(table, "honey", weights=replace(WEIGHTS, body=0.0))
    assert without[1] == plain[1]
    assert without[2] == 0.0


def test_settings_choose_the_weights_of_fields() -> None:
    assert field_weights(SearchRules()) == WEIGHTS
    chosen = field_weights(SearchRules(field_preset="copilot", field_weights={"path": 0.0}))
    assert (chosen.title, chosen.tags, chosen.body, chosen.path) == (3.0, 4.0, 1.0, 0.0)
    for wrong in (-1.0, math.nan, math.inf):
        with pytest.raises(ConfigError, match="field_weights"):
            field_weights(SearchRules(field_weights={"title": wrong}))


def test_every_field_has_a_weight_and_a_bit() -> None:
    names = {each.name for each in fields(NoteFieldWeights)}
    assert names == set(NOTE_FIELDS) == set(get_args(NoteField)) == set(FIELD_BITS)
    assert len(set(FIELD_BITS.values())) == len(NOTE_FIELDS) <= 16


def test_coverage_is_the_share_of_the_query_that_a_note_holds() -> None:
    table = table_of(*THREE)
    found = matched(table, "honey hive")
    by_note = dict(zip(found.note_ids.tolist(), found.coverage.tolist(), strict=True))
    honey, hive = (math.log1p((3 - n + 0.5) / (n + 0.5)) for n in (2, 1))
    assert by_note[1] == 1.0
    assert by_note[2] == pytest.approx(honey / (honey + hive))
    found = matched(table, "hive zeppelin", unknown_idf=3.0)
    assert found.coverage.tolist() == pytest.approx([hive / (hive + 3.0)])
    assert matched(table, "hive zeppelin").coverage.tolist() == [1.0]


def test_a_note_is_found_by_its_properties_too() -> None:
    properties: dict[str, PropertyValue] = {
        "author": "Jane Doe",
        "topics": ("palaeontology", "[Eras](/Ontology/Concepts/Deep%20time.md)"),
        "Summary": "about fossils",
        "shelf": {"room": "attic", "row": 7},
        "done": True,
    }
    table = table_of(
        note(
            1, "plain text", properties=properties, path="Old things/Bones.md", headings=("Teeth",)
        ),
        note(2, "jane writes"),
    )
    masks = {
        word: fields_of_mask(int(matched(table, word, notes=np.array([1])).fields[0]))
        for word in (
            "doe",
            "palaeontology",
            "eras",
            "deep",
            "fossils",
            "attic",
            "7",
            "plain",
            "bones",
            "things",
            "teeth",
        )
    }
    assert masks == {
        "doe": ("author",),
        "palaeontology": ("topics",),
        "eras": ("topics",),
        "deep": ("topics",),
        "fossils": ("description",),
        "attic": ("properties",),
        "7": ("properties",),
        "plain": ("body",),
        "bones": ("file_name",),
        "things": ("path",),
        "teeth": ("headings",),
    }
    assert matched(table, "ontology").note_ids.tolist() == []  # a folder in the address of a link
    assert matched(table, "true").note_ids.tolist() == []
    assert matched(table, "jane").note_ids.tolist() == [1, 2]


def test_a_note_of_properties_alone_has_no_body() -> None:
    found = matched(table_of(note(1, properties={"genre": "noir"})), "noir")
    assert fields_of_mask(int(found.fields[0])) == ("properties",)


def test_a_filter_limits_matches_but_not_the_statistics() -> None:
    table = table_of(*THREE)
    only = matched(table, "honey", notes=np.array([2, 99]))
    assert only.note_ids.tolist() == [2]
    assert only.bm25[0] == np.float32(scores(table, "honey")[2])
    assert only.lengths.tolist() == [7]
    assert matched(table, "honey", notes=np.empty(0, np.int64)).note_ids.tolist() == []
    assert matched(table, "").note_ids.tolist() == []
    assert matched(NoteTable(), "honey").note_ids.tolist() == []


def test_frequencies_and_fields_ignore_deleted_notes() -> None:
    table = table_of(*THREE).updated([row(note(3, "honey"))], gone=[2])
    assert table.note_count == 2
    assert table.frequency(hash_of("honey")) == 2
    assert table.frequency(hash_of("snow")) == 0
    found = table.fields_of([hash_of("honey"), hash_of("hive")], np.array([3, 1, 2, 77]))
    body = FIELD_BITS["body"]
    assert found.masks.tolist() == [[body, 0], [body, body], [0, 0], [0, 0]]
    assert found.frequencies.tolist() == [[1, 0], [1, 1], [0, 0], [0, 0]]


def test_a_frequency_has_an_upper_limit_and_the_length_has_none() -> None:
    terms = unpack_terms([pack_terms(note(1, "bee " * 300), STEMMER)])
    assert terms.frequencies.max() == 255
    assert terms.lengths.tolist() == [300]


def test_damaged_terms_are_refused() -> None:
    with pytest.raises(ValueError, match="damaged"):
        unpack_terms([pack_terms(THREE[0], STEMMER)[:-1]])


def test_arrays_that_do_not_fit_each_other_are_refused() -> None:
    arrays = Segment.of([row(each) for each in THREE]).arrays()
    assert len(Segment.from_arrays(arrays).note_ids) == 3
    with pytest.raises(KeyError):
        Segment.from_arrays({name: a for name, a in arrays.items() if name != "masks"})
    for name in ("lengths", "offsets", "masks"):
        with pytest.raises(ValueError, match="fit"):
            Segment.from_arrays({**arrays, name: arrays[name][:-1]})
    with pytest.raises(ValueError, match="fit"):
        Segment.from_arrays({**arrays, "notes": arrays["notes"] + np.uint32(3)})
    with pytest.raises(ValueError, match="fit"):
        Segment.from_arrays(arrays, largest=3)


def test_common_words_are_searched_with_the_same_result(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = [note(n, "honey " * (n % 5), f"hive {n % 7}", title="Bees") for n in range(1, 61)]
    table = table_of(*texts).updated([row(note(3, "snow"))], gone=[4, 5])
    pair_by_pair = matched(table, "honey hive bees 3")
    monkeypatch.setattr(note_postings, "_COMMON_LEAST", 0)
    for _ in range(2):  # the second time from the columns made at the first
        by_column = matched(table, "honey hive bees 3")
        assert by_column.note_ids.tolist() == pair_by_pair.note_ids.tolist()
        assert by_column.fields.tolist() == pair_by_pair.fields.tolist()
        np.testing.assert_allclose(by_column.bm25, pair_by_pair.bm25, rtol=3e-7)
        np.testing.assert_allclose(by_column.coverage, pair_by_pair.coverage, rtol=3e-7)


def test_of_common_words_each_weight_and_each_change_counts(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    texts = [note(n, "honey " * (n % 5 + 1), f"hive {n % 7}", title="Bees") for n in range(1, 31)]
    table, other = table_of(*texts), replace(WEIGHTS, body=3.0, title=0.5)
    changed = [note(3, "honey", "snow " * 40)]
    right = [
        scores(table_of(*texts), "honey bees"),
        scores(table_of(*texts), "honey bees", weights=other),
        scores(table_of(*texts).updated([row(changed[0])]), "honey bees"),
    ]
    monkeypatch.setattr(note_postings, "_COMMON_LEAST", 0)
    for _ in range(2):
        assert scores(table, "honey bees") == pytest.approx(right[0])
        assert scores(table, "honey bees", weights=other) == pytest.approx(right[1])
        assert scores(table.updated([row(changed[0])]), "honey bees") == pytest.approx(right[2])


WORDS = ["honey", "hive", "snow", "winter", "bee", "spring", "flower", "ice"]
CHANGES = st.lists(
    st.tuples(
        st.lists(
            st.tuples(st.integers(1, 12), st.lists(st.sampled_from(WORDS), max_size=9)),
            max_size=6,
            unique_by=lambda change: change[0],
        ),
        st.sets(st.integers(1, 12), max_size=3),
        st.booleans(),
    ),
    max_size=12,
)


@given(CHANGES)
@settings(max_examples=150, deadline=None)
def test_scores_after_any_changes_are_those_of_a_new_table(
    changes: list[tuple[list[tuple[int, list[str]]], set[int], bool]],
) -> None:
    table = NoteTable()
    now: dict[int, SearchText] = {}
    for puts, gone, merge in changes:
        notes = [
            note(number, " ".join(words), title=words[0] if words else "") for number, words in puts
        ]
        kept = gone - {each.note_id for each in notes}
        for number in kept:
            now.pop(number, None)
        now |= {each.note_id: each for each in notes}
        table = table.updated([row(each) for each in notes], gone=sorted(kept))
        if merge:
            table = table.merged()
        fresh = table_of(*now.values())
        assert table.note_ids().tolist() == sorted(now)
        for query in ("honey", "snow winter bee honey", "ice flower spring hive winter"):
            one, other = matched(table, query), matched(fresh, query)
            assert one.note_ids.tolist() == other.note_ids.tolist()
            assert one.fields.tolist() == other.fields.tolist()
            assert one.lengths.tolist() == other.lengths.tolist()
            np.testing.assert_allclose(one.bm25, other.bm25, rtol=1e-6)
            np.testing.assert_allclose(one.coverage, other.coverage, rtol=1e-6)
        hashes = [hash_of(word) for word in ("honey", "snow")]
        wanted = np.arange(14)
        assert np.array_equal(
            table.fields_of(hashes, wanted).masks, fresh.fields_of(hashes, wanted).masks
        )
        assert [table.frequency(each) for each in hashes] == [
            fresh.frequency(each) for each in hashes
        ]


def test_many_changes_leave_few_segments() -> None:
    table = NoteTable()
    for number in range(300):
        table = table.updated([row(note(number, "honey"))])
    assert len(parts_of(table)) < 8
    for number in range(300):
        table = table.updated([row(note(number, "snow"))])
    assert len(parts_of(table)) < 10
    assert sum(len(part.segment.note_ids) for part in parts_of(table)) < 450
