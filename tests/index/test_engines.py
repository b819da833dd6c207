"""The promises of the engine port, tested for every registered engine."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from notewell.base.errors import ConfigError, MissingExtraError, ModelError, NotFoundError
from notewell.base.types import (
    Batch,
    IdArray,
    LedgerEntry,
    ManifestEntry,
    NoteFieldWeights,
    NoteMove,
    NotePut,
    VectorPut,
)
from notewell.engine.feature import engines
from notewell.features import FEATURES
from notewell.index.analyze import tokens, words
from notewell.index.engines import ENGINES, delete_index, open_index
from notewell.index.lexical import QueryTerm
from notewell.index.note_terms import PROPERTY_BITS
from notewell.index.port import Index
from notewell.index.template_lines import hash_of_line
from notewell_postgres.address import parse, write
from tests import in_memory, postgres_server
from tests.index.conftest import Material
from tests.index.inside import fields_of_mask

ADDED = {**engines(FEATURES), "in_memory": in_memory.ENGINE}
ALL = {**ENGINES, **ADDED}


@pytest.fixture(params=sorted(ALL))
def engine(request: pytest.FixtureRequest) -> str:
    if request.param == "postgres":
        request.getfixturevalue("postgres")
    return str(request.param)


@pytest.fixture
def folder(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[..., Path]:
    """Folders of indexes by name, each with the address that its engine needs."""

    def made(name: str, engine: str) -> Path:
        if engine == "postgres":
            server = request.getfixturevalue("postgres")
            address, _ = parse(server.url())
            write(tmp_path / name, replace(address, vault=f"{tmp_path}-{name}"))
        return tmp_path / name

    return made


@pytest.fixture
def index(engine: str, folder: Callable[..., Path], make: Material) -> Iterator[Index]:
    opened = open_index(folder("index", engine), writable=True, engine=engine, added=ADDED)
    opened.use_model(make.model, make.dimensions)
    yield opened
    opened.close()


def put(index: Index, make: Material, *notes: NotePut) -> None:
    index.apply(Batch(puts=notes, model=make.model))


def ids_of(index: Index, *paths: str) -> IdArray:
    found = [index.note_at(path) for path in paths]
    return np.array([note.id for note in found if note is not None], np.int64)


def searched(index: Index, query: str, notes: IdArray | None = None) -> list[str]:
    """Paths of the notes that a keyword search finds, by their best chunk."""
    terms = [QueryTerm(token) for token in tokens(query)]
    hits = index.keywords.search(terms, limit=10, notes=notes)
    found = index.notes(index.note_ids_of(hits.chunk_ids).tolist())
    return list(
        dict.fromkeys(found[each].path for each in index.note_ids_of(hits.chunk_ids).tolist())
    )


def paths(index: Index, ids: Sequence[int] | IdArray | frozenset[int]) -> set[str]:
    return {note.path for note in index.notes([int(each) for each in ids]).values()}


def everything(index: Index) -> object:
    """All that a reader sees, to compare before and after."""
    ledger = tuple(replace(entry, updated=0.0) for entry in index.ledger())
    texts = [[each.text for each in index.chunks_of(note.id)] for note in index.all_notes()]
    return (
        index.generation,
        index.text_generation,
        index.all_notes(),
        texts,
        ledger,
        index.manifest(),
        index.counts(),
        index.vectors.count,
        searched(index, "kettle"),
    )


# --- batches -----------------------------------------------------------------------------------


def test_a_batch_is_visible_as_a_whole_in_the_next_generation(index: Index, make: Material) -> None:
    before = index.generation

    applied = index.apply(
        Batch(
            puts=(make.note("A.md", "the kettle boils", "tea"), make.note("B.md", "a kettle")),
            ledger=(LedgerEntry("C.png", "excluded", rule="type"),),
            model=make.model,
        )
    )

    assert applied.generation == index.generation == index.text_generation > before
    assert (applied.chunks_added, applied.chunks_removed) == (3, 0)
    assert [note.path for note in index.all_notes()] == ["A.md", "B.md"]
    assert searched(index, "kettle") == ["B.md", "A.md"]
    assert [entry.path for entry in index.ledger()] == ["A.md", "B.md", "C.png"]
    counts = index.counts()
    assert (counts.notes, counts.chunks, counts.vectors) == (2, 3, 0)
    assert (counts.ledger["keyword_only"], counts.ledger["excluded"]) == (2, 1)
    assert index.chunk_count == 3


def test_a_batch_that_fails_changes_nothing(index: Index, make: Material) -> None:
    put(index, make, make.note("A.md", "the kettle boils"))
    make.embed(index)
    before = everything(index)
    broken = replace(make.note("B.md", "kettle"), chunks=(None,))

    with pytest.raises((AttributeError, TypeError)):
        index.apply(
            Batch(puts=(make.note("A.md", "other"), broken), removes=("A.md",), model=make.model)  # type: ignore[arg-type]
        )

    assert everything(index) == before


def test_an_unchanged_passage_keeps_its_id_and_ids_are_not_used_again(
    index: Index, make: Material
) -> None:
    put(index, make, make.note("A.md", "first", "second"))
    [note_id] = ids_of(index, "A.md").tolist()
    first, second = index.chunks_of(note_id)

    put(index, make, make.note("A.md", "second", "third"))

    kept, new = index.chunks_of(note_id)
    assert (kept.id, kept.text, new.text) == (second.id, "second", "third")
    assert new.id not in {first.id, second.id}
    assert index.chunks([first.id]) == {}
    assert index.note_ids_of(np.array([second.id, first.id])).tolist() == [note_id, -1]


def test_changed_rows_are_read_again(index: Index, make: Material) -> None:
    put(index, make, make.note("A.md", "apple"), make.note("B.md", "birch"))
    a, b = ids_of(index, "A.md", "B.md").tolist()
    (apple,), (birch,) = index.chunks_of(a), index.chunks_of(b)
    assert set(index.notes([b, a])) == {a, b}
    assert set(index.chunks([birch.id, apple.id])) == {apple.id, birch.id}

    index.apply(Batch(moves=(NoteMove("A.md", "C.md", 1, 2),)))
    assert index.notes([a, b])[a].path == "C.md"

    index.apply(Batch(removes=("C.md",)))
    assert list(index.notes([a, b])) == [b]
    assert list(index.chunks([apple.id, birch.id])) == [birch.id]


def test_a_moved_note_keeps_its_id_and_notes_may_swap(index: Index, make: Material) -> None:
    put(index, make, make.note("A.md", "apple"), make.note("B.md", "birch"))
    a, b = ids_of(index, "A.md", "B.md").tolist()

    index.apply(Batch(moves=(NoteMove("A.md", "B.md", 1, 2), NoteMove("B.md", "A.md", 3, 4))))

    assert ids_of(index, "A.md", "B.md").tolist() == [b, a]
    assert searched(index, "apple") == ["B.md"]
    assert index.manifest()["B.md"].mtime_ns == 2
    assert [entry.size for entry in index.ledger(path="A.md")] == [3]


def test_a_note_s_former_title_is_stored_until_it_is_put_without(
    index: Index, make: Material
) -> None:
    note = make.note("A.md", "apple")
    put(index, make, replace(note, kept_title="Once"))
    index.apply(Batch(moves=(NoteMove("A.md", "B.md", 1, 2),)))
    stored = index.manifest()["B.md"]
    assert (stored.title, stored.kept_title) == (note.note.title, "Once")
    assert index.former_titles() == 1

    put(index, make, make.note("B.md", "apple"))
    assert index.manifest()["B.md"].kept_title is None
    assert index.former_titles() == 0


def test_a_removed_note_is_found_by_nothing(index: Index, make: Material) -> None:
    put(index, make, make.note("A.md", "apple", links=["B"]), make.note("B.md", "birch"))
    make.embed(index)
    [b] = ids_of(index, "B.md").tolist()
    vector = make.vector(index.chunks_of(b)[0].text_hash)

    applied = index.apply(Batch(removes=("B.md", "not there.md")))

    assert applied.chunks_removed == 1
    assert index.note_at("B.md") is None
    assert searched(index, "birch") == []
    assert paths(index, index.note_ids_of(index.vectors.search(vector, limit=5).chunk_ids)) == {
        "A.md"
    }
    assert index.ledger(path="B.md") == ()
    assert len(index.graph.unresolved()) == 1


def test_a_touch_changes_size_and_time_alone(index: Index, make: Material) -> None:
    put(index, make, make.note("A.md", "apple"))
    text_generation = index.text_generation
    entry = index.manifest()["A.md"]

    index.apply(Batch(touches=(ManifestEntry(entry.note_id, "A.md", 7, 8, entry.content_hash),)))

    assert index.manifest()["A.md"] == replace(entry, size=7, mtime_ns=8)
    assert index.text_generation == text_generation


def test_the_first_chunks_of_notes(index: Index, make: Material) -> None:
    put(
        index, make, make.note("A.md", "apple", "pear"), make.note("B.md"), make.note("C.md", "fig")
    )
    put(index, make, make.note("A.md", "plum", "pear", "quince"))
    ids = ids_of(index, "C.md", "A.md", "B.md").tolist()

    found = index.first_chunks([*ids, 99])

    assert {each: chunk.text for each, chunk in found.items()} == {ids[0]: "fig", ids[1]: "plum"}
    assert index.first_chunks([]) == {}


def test_the_paths_of_notes(index: Index, make: Material) -> None:
    put(index, make, make.note("A.md", "apple"), make.note("B.md"), make.note("C.md", "fig"))
    first, second = ids_of(index, "C.md", "A.md").tolist()

    assert index.paths([first, 99, second]) == {first: "C.md", second: "A.md"}
    assert index.paths([]) == {}


def test_notes_changed_since_a_generation(index: Index, make: Material) -> None:
    put(index, make, make.note("A.md", "apple"))
    between = index.generation
    put(index, make, make.note("B.md", "birch"))

    ids, changed = index.notes_changed_since(between)

    assert ids.tolist() == ids_of(index, "A.md", "B.md").tolist()
    assert [note.path for note in changed] == ["B.md"]


def test_reads_within_folders(index: Index, make: Material) -> None:
    put(index, make, *(make.note(path, path) for path in ("a/A.md", "ab/B.md", "a.md")))

    assert sorted(index.manifest(["a"])) == ["a/A.md"]
    assert sorted(index.manifest(["a.md", "ab"])) == ["a.md", "ab/B.md"]
    assert [entry.path for entry in index.ledger_within(["a"])] == ["a/A.md"]


# --- keywords ----------------------------------------------------------------------------------


def test_keyword_search_ranks_filters_and_stems(index: Index, make: Material) -> None:
    put(
        index,
        make,
        make.note("Often.md", "kettle kettle kettle, and a pot"),
        make.note("Once.md", "one kettle among many, many other words of a longer passage"),
        make.note("Kettles.md", "these are kettles"),
        make.note("None.md", "no such thing"),
    )

    assert searched(index, "kettle")[0] == "Often.md"
    assert set(searched(index, "kettle")) == {"Often.md", "Once.md", "Kettles.md"}
    only = ids_of(index, "Once.md", "None.md")
    assert searched(index, "kettle", only) == ["Once.md"]
    assert searched(index, "kettle", only[:0]) == []
    assert searched(index, "absent") == []
    assert index.keywords.document_count == 4
    assert index.keywords.document_frequency("kettle") == 3
    assert index.keywords.terms_with_prefix("kett", 5) == (("kettle", 2), ("kettles", 1))


def test_phrases_and_conjunctions(index: Index, make: Material) -> None:
    put(
        index,
        make,
        make.note("A.md", "the green kettle boils", tags=["tea"]),
        make.note("B.md", "kettle, green", "boils"),
    )
    keywords = index.keywords

    assert paths(index, keywords.notes_with_phrase(words("green kettle"))) == {"A.md"}
    assert paths(index, keywords.notes_with_phrase(words("kettle"))) == {"A.md", "B.md"}
    assert paths(index, keywords.notes_with_all(["kettle", "boils"])) == {"A.md"}
    assert paths(index, keywords.notes_with_all(["tea"])) == {"A.md"}
    assert keywords.notes_with_all([]).tolist() == []
    every = np.array([note.id for note in index.all_notes()], np.int64)
    for groups, found in (
        ([["kettle"], ["boil"]], {"A.md"}),  # of B, two chunks have them
        ([["kettle", "pot"], ["green"]], {"A.md", "B.md"}),
        ([["tea"], ["kettle"]], {"A.md"}),
        ([["kettle"], ["nowhere"]], set()),
        ([], set()),
    ):
        assert paths(index, keywords.notes_with_each(groups, every)) == found
    assert paths(index, keywords.notes_with_each([["kettle"]], every[:1])) == {"A.md"}
    assert keywords.notes_with_each([["kettle"]], every[:0]).tolist() == []
    assert keywords.chunks_with([]).tolist() == []
    assert keywords.chunks_with([], adjacent=True).tolist() == []


def test_chunks_with_words_side_by_side_or_anywhere(index: Index, make: Material) -> None:
    put(
        index,
        make,
        make.note("A.md", "the green kettle boils", "a kettle, and green"),
        make.note("Kettle.md", "green"),
        make.note("Tea/Green kettle.md"),
    )

    def found(words: str, *, adjacent: bool) -> list[tuple[str, int]]:
        ids = index.keywords.chunks_with(words.split(), adjacent=adjacent)
        chunks = index.chunks(ids.tolist())
        assert sorted(ids.tolist()) == ids.tolist() == sorted(chunks)
        notes = index.notes([chunk.note_id for chunk in chunks.values()])
        return sorted((notes[each.note_id].path, each.ordinal) for each in chunks.values())

    anywhere = [("A.md", 0), ("A.md", 1), ("Kettle.md", 0), ("Tea/Green kettle.md", 0)]
    assert found("green kettle", adjacent=False) == anywhere
    assert found("green kettle", adjacent=True) == [("A.md", 0), ("Tea/Green kettle.md", 0)]
    assert found("kettle", adjacent=True) == anywhere
    assert found("kettle absent", adjacent=False) == []


def test_the_fields_of_a_note_say_where_its_terms_stand(index: Index, make: Material) -> None:
    put(index, make, make.note("A.md", "kettle", tags=["drafts"]), make.note("B.md", "kettle"))
    ids = ids_of(index, "A.md", "B.md")

    masks = index.keywords.fields_of([QueryTerm("draft"), QueryTerm("kettle")], ids).masks

    # The notes of this test have the property `status: draft`.
    assert [fields_of_mask(int(mask)) for mask in masks[:, 0]] == [
        ("tags", "properties"),
        ("properties",),
    ]
    assert (masks & PROPERTY_BITS > 0).tolist() == [[True, False], [True, False]]


def test_whole_notes_are_scored(index: Index, make: Material) -> None:
    put(
        index,
        make,
        make.note("Both.md", "green tea", "black kettle"),
        make.note("One.md", "green tea", "black pot"),
    )

    matches = index.keywords.match_notes(
        [QueryTerm("tea"), QueryTerm("kettle")],
        weights=NoteFieldWeights(),
        notes=np.array([*ids_of(index, "Both.md", "One.md"), 99]),
    )
    found, scores = matches.note_ids, matches.bm25

    known = index.notes(found.tolist())
    by_path = {known[each].path: score for each, score in zip(found.tolist(), scores, strict=True)}
    assert set(by_path) == {"Both.md", "One.md"}
    assert by_path["Both.md"] > by_path["One.md"] > 0


def test_all_notes_with_a_term_in_any_field_are_matched(index: Index, make: Material) -> None:
    put(
        index,
        make,
        make.note("Both.md", "green tea", "black kettle", tags=["drinks"]),
        make.note("One.md", "green tea", "black pot"),
        make.note("Kettles/None.md", "coffee"),
        make.note("Empty.md"),
    )
    keywords, weights = index.keywords, NoteFieldWeights()
    terms = [QueryTerm("kettles"), QueryTerm("tea"), QueryTerm("absent")]

    found = keywords.match_notes(terms, weights=weights, unknown_idf=1.0)

    both, one, folder, empty = ids_of(
        index, "Both.md", "One.md", "Kettles/None.md", "Empty.md"
    ).tolist()
    assert found.note_ids.tolist() == [both, one, folder]
    assert found.bm25[0] > found.bm25[1] > found.bm25[2] > 0
    assert 1 > found.coverage[0] > found.coverage[1] == found.coverage[2] > 0
    assert [fields_of_mask(int(mask)) for mask in found.fields] == [("body",), ("body",), ("path",)]
    assert found.lengths[0] == found.lengths[1] + 1  # its tag
    only = keywords.match_notes(terms, weights=weights, notes=ids_of(index, "One.md", "Empty.md"))
    assert only.note_ids.tolist() == [one]
    assert keywords.note_count == 4
    assert keywords.note_frequency("kettle") == 2
    assert keywords.note_frequency("draft") == 4  # a property of each
    shown = keywords.fields_of(terms, np.array([empty, folder, both]))
    assert (shown.masks > 0).tolist() == [[False] * 3, [True, False, False], [True, True, False]]
    assert shown.frequencies.tolist() == [[0, 0, 0], [0, 0, 0], [1, 1, 0]]


def test_note_scores_after_changes_are_those_of_a_fresh_index(
    engine: str, index: Index, folder: Callable[..., Path], make: Material
) -> None:
    first = [make.note(f"{n}.md", f"kettle {'pot ' * n}", f"tea {n}") for n in range(12)]
    put(index, make, *first)
    for _ in range(3):
        put(index, make, *(make.note(f"{n}.md", "kettle kettle", "pan") for n in range(3, 9)))
        index.apply(Batch(removes=("1.md",), moves=(NoteMove("2.md", "Pot.md", 1, 2),)))
        put(index, make, *first)
        index.apply(Batch(removes=("Pot.md",)))
    fresh = open_index(folder("fresh", engine), writable=True, engine=engine, added=ADDED)
    put(fresh, make, *first)

    terms = [QueryTerm("kettle"), QueryTerm("pot", 0.5), QueryTerm("pan")]
    found, expected = (
        {
            each.notes([note_id])[note_id].path: (score, coverage)
            for note_id, score, coverage in zip(
                matches.note_ids.tolist(),
                matches.bm25.tolist(),
                matches.coverage.tolist(),
                strict=True,
            )
        }
        for each in (index, fresh)
        for matches in [each.keywords.match_notes(terms, weights=NoteFieldWeights())]
    )
    fresh.close()

    assert set(found) == set(expected)
    for path, scores in expected.items():
        assert found[path] == pytest.approx(scores, rel=1e-6)


def test_a_note_without_text_is_found_by_its_name_and_properties(
    index: Index, make: Material
) -> None:
    put(index, make, make.note("Samovar.md"))

    assert searched(index, "samovar") == ["Samovar.md"]
    assert searched(index, "draft") == ["Samovar.md"]
    assert index.chunk_count == 0
    assert index.keywords.document_count == 1
    [chunk_id] = index.keywords.search([QueryTerm("draft")], limit=1).chunk_ids.tolist()
    assert index.chunks([chunk_id])[chunk_id].text == ""
    assert next(index.passages()).text == "Samovar"


def test_all_engines_score_alike(
    postgres: postgres_server.Server, folder: Callable[..., Path], make: Material
) -> None:
    """Up to what tantivy rounds (lengths to a byte) and counts (one document more)."""
    vocabulary = [f"{first}{second}a" for first in "bcdfghklmn" for second in "aeiou"]
    chance = np.random.default_rng(7)
    notes = [
        make.note(f"{number}.md", *(" ".join(chance.choice(vocabulary, size=9)) for _ in "ab"))
        for number in range(60)
    ]
    queries = [[QueryTerm(token) for token in chance.choice(vocabulary, 3)] for _ in range(10)]
    of_engines = []
    for engine in sorted(ALL):
        index = open_index(folder(engine, engine), writable=True, engine=engine, added=ADDED)
        put(index, make, *notes)
        hits = [index.keywords.search(query, limit=1000) for query in queries]
        of_engines.append(
            [dict(zip(each.chunk_ids.tolist(), each.scores.tolist(), strict=True)) for each in hits]
        )
        index.close()

    for other in of_engines[1:]:
        for scores, those in zip(of_engines[0], other, strict=True):
            assert scores == pytest.approx(those, rel=0.05)


def test_the_lines_that_documents_lack_are_known(index: Index, make: Material) -> None:
    footer = "copy this page"
    put(index, make, *(make.note(f"{n}.md", f"kettle {n}\n{footer}") for n in range(12)))
    assert set(index.keywords.template_lines) == {hash_of_line(footer)}
    index.apply(Batch(removes=tuple(f"{n}.md" for n in range(6)), model=make.model))
    assert not index.keywords.template_lines


# --- vectors and models ------------------------------------------------------------------------


def test_dense_search_ranks_and_filters(index: Index, make: Material) -> None:
    put(index, make, *(make.note(f"{name}.md", name) for name in ("a", "b", "c")))
    make.embed(index)
    [b] = ids_of(index, "b.md").tolist()
    vector = make.vector(index.chunks_of(b)[0].text_hash)

    hits = index.vectors.search(vector, limit=2)
    others = index.vectors.search(vector, limit=5, notes=ids_of(index, "a.md", "c.md"))

    assert index.note_ids_of(hits.chunk_ids).tolist()[0] == b
    assert hits.scores[0] == pytest.approx(1.0, abs=1e-3)
    assert len(hits.scores) == 2
    assert paths(index, index.note_ids_of(others.chunk_ids)) == {"a.md", "c.md"}
    assert (hits.searched, others.searched) == (3, 2)
    assert -1.0 < hits.mean < 1.0
    assert hits.deviation > 0.0
    assert index.vectors.model == make.model
    further = index.vectors.search(vector, limit=1, also=ids_of(index, "a.md"))
    assert index.note_ids_of(further.chunk_ids).tolist() == [b, *ids_of(index, "a.md")]
    assert further.scores.tolist() == sorted(further.scores.tolist(), reverse=True)
    ids, rows = index.vectors.of_chunks(np.array([hits.chunk_ids[1], 10**6, hits.chunk_ids[0]]))
    assert ids.tolist() == [hits.chunk_ids[1], hits.chunk_ids[0]]
    assert rows[1] == pytest.approx(vector, abs=1e-3)
    notes, means = index.vectors.note_means()
    assert notes.tolist() == ids_of(index, "a.md", "b.md", "c.md").tolist()
    assert means[1] == pytest.approx(vector, abs=1e-3)
    with pytest.raises(ModelError):
        index.vectors.search(vector[:3], limit=1)


def test_pending_texts_come_newest_first_and_each_once(index: Index, make: Material) -> None:
    put(
        index,
        make,
        make.note("Old.md", "shared", "old", modified=1.0),
        make.note("New.md", "shared", "new", modified=2.0),
    )

    pending = index.pending_texts(make.model, 10)

    assert [each.text for each in pending] == ["shared", "new", "old"]
    assert pending[0].path == "New.md"
    assert index.pending_count(make.model) == 3
    skip = {pending[0].text_hash}
    assert [each.text for each in index.pending_texts(make.model, 1, skip=skip)] == ["new"]
    assert make.embed(index) == 3
    assert index.pending_texts(make.model, 10) == ()
    assert index.counts().vectors == index.vectors.count == 4
    assert {entry.state for entry in index.ledger()} == {"indexed"}


def test_a_vector_is_reused_wherever_its_text_comes_again(index: Index, make: Material) -> None:
    put(index, make, make.note("A.md", "apple"))
    make.embed(index)
    index.apply(Batch(removes=("A.md",)))
    assert index.stored_vector_count(make.model) == 1

    applied = index.apply(Batch(puts=(make.note("B.md", "apple", "new"),), model=make.model))

    assert applied.reused == 1
    assert [each.text for each in index.pending_texts(make.model, 10)] == ["new"]
    assert index.vectors.count == 1
    assert [entry.state for entry in index.ledger()] == ["keyword_only"]
    assert [len(batch) for batch in index.vectors_in_use(make.model, 5)] == [1]


def test_stored_vectors_are_read_by_the_hash_of_their_text(index: Index, make: Material) -> None:
    text_hash = b"h" * 16
    vector = np.full(make.dimensions, 0.5, np.float32)
    index.store_vectors(make.model, [VectorPut(text_hash, vector)])

    found = index.stored_vectors(make.model, {text_hash, b"another"})

    assert found == {text_hash: vector.astype(np.float16).tobytes()}
    assert index.stored_vectors(make.other_model, {text_hash}) == {}


def test_a_changed_passage_keeps_the_earlier_vector_until_it_has_its_own(
    index: Index, make: Material
) -> None:
    put(index, make, make.note("A.md", "apple pie"))
    make.embed(index)

    put(index, make, make.note("A.md", "apple tart"))

    assert index.vectors.count == 1
    assert index.counts().vectors == 0
    assert index.covered_chunks(make.model) == 1
    make.embed(index)
    assert index.counts().vectors == index.vectors.count == 1


def test_returning_to_an_earlier_model_embeds_nothing(index: Index, make: Material) -> None:
    put(index, make, make.note("A.md", "apple"))
    make.embed(index)

    index.use_model(make.other_model, make.dimensions)

    assert index.current_model_key() == make.other_model
    assert index.vectors.count == index.covered_chunks(make.other_model) == 0
    assert index.pending_count(make.other_model) == 1
    index.use_model(make.model, make.dimensions)
    assert index.vectors.count == 1
    current = index.current_model()
    assert current is not None
    assert (current.key, current.dimensions, current.vectors) == (make.model, make.dimensions, 1)
    assert [(each.key, each.vectors) for each in index.stats().models] == [
        (make.model, 1),
        (make.other_model, 0),
    ]
    index.use_model(None, 0)
    assert index.vectors.count == 0
    assert [entry.state for entry in index.ledger()] == ["keyword_only"]


def test_one_invalid_vector_refuses_the_whole_batch(index: Index, make: Material) -> None:
    put(index, make, make.note("A.md", "apple", "pear"))
    first, second = index.pending_texts(make.model, 2)
    before = everything(index)

    for bad in (np.ones(3, np.float32), np.full(make.dimensions, np.nan, np.float32)):
        with pytest.raises(ModelError):
            index.store_vectors(
                make.model,
                [
                    VectorPut(first.text_hash, make.vector(first.text_hash)),
                    VectorPut(second.text_hash, bad),
                ],
            )
    with pytest.raises(ModelError):
        index.use_model(make.model, 3)

    assert everything(index) == before
    assert index.stored_vector_count(make.model) == 0


# --- links, values, opening --------------------------------------------------------------------


def test_links_are_resolved_again_when_names_change(index: Index, make: Material) -> None:
    put(
        index,
        make,
        make.note("A.md", "a", links=["B", "Missing", "B"]),
        make.note("B.md", "b", links=["A"]),
    )
    a, b = ids_of(index, "A.md", "B.md").tolist()
    graph = index.graph

    assert [target for _, target in graph.links_out(a)] == [b, None, b]
    assert [source for source, _ in graph.links_in(b)] == [a, a]
    assert (graph.neighbours(a), graph.backlinks(a)) == ({b}, {b})
    assert graph.backlink_counts(np.array([a, b, 99])).tolist() == [1, 1, 0]
    assert [ends.tolist() for ends in graph.links_among(np.array([b, 99, a]), 2)] == [[0], [2]]
    assert [link.target for _, link in graph.unresolved()] == ["Missing"]
    assert graph.edge_count == 2
    assert graph.resolve("B", "A.md") == b

    index.apply(Batch(moves=(NoteMove("B.md", "Missing.md", 1, 1),)))

    assert [target for _, target in index.graph.links_out(a)] == [None, b, None]


def test_meta_values_and_cached_arrays_are_stored(index: Index) -> None:
    index.set_meta("colour", "green")
    index.array_cache.save("facts", "v1", {"numbers": np.arange(3)})

    assert (index.meta("colour"), index.meta("size")) == ("green", None)
    saved = index.array_cache.load("facts", "v1")
    assert saved is not None
    assert saved["numbers"].tolist() == [0, 1, 2]
    assert index.array_cache.load("facts", "v2") is None
    assert index.array_cache.load("other", "v1") is None


def test_a_persistent_index_can_be_opened_again(
    engine: str, folder: Callable[..., Path], make: Material
) -> None:
    opened = open_index(folder("index", engine), writable=True, engine=engine, added=ADDED)
    put(opened, make, make.note("A.md", "apple"))
    opened.close()
    opened.close()

    if engine != "in_memory":
        again = open_index(folder("index", engine), writable=False, engine=engine, added=ADDED)
        assert searched(again, "apple") == ["A.md"]
        again.close()
        delete_index(folder("index", engine), engine=engine, added=ADDED)
    with pytest.raises(NotFoundError):
        open_index(folder("index", engine), writable=False, engine=engine, added=ADDED)


def test_an_unknown_engine_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="embedded"):
        open_index(tmp_path, writable=True, engine="abacus", added=ADDED)


def test_an_index_in_a_database_is_not_begun_anew_where_its_package_is_missing(
    tmp_path: Path,
) -> None:
    (tmp_path / "postgres.json").write_text("{}", encoding="utf-8")

    for refused in (
        lambda: open_index(tmp_path, writable=True),
        lambda: open_index(tmp_path, writable=False),
        lambda: delete_index(tmp_path),
    ):
        with pytest.raises(MissingExtraError, match="pip install notewell-postgres"):
            refused()
    assert [path.name for path in tmp_path.iterdir()] == ["postgres.json"]
