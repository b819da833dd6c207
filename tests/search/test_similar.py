"""Notes alike: by meaning, by words where no model answers, never the note itself."""

from __future__ import annotations

import pytest

from recollect.errors import NotFoundError, UsageError
from tests.search.library import Library, MakeLibrary

NOTES = {
    "Bread.md": "# Bread\nKnead flour, water, salt and yeast into dough. See [[Pizza]].\n",
    "Pizza.md": "# Pizza\nKnead flour, water, oil and yeast into a dough, top with tomato.\n",
    "Cake.md": "# Cake\nStir flour, sugar, butter and eggs into a dough.\n",
    "Engines.md": "# Engines\nPistons and valves drive the crankshaft of an engine.\n",
    "Motors.md": "# Motors\nNo pistons, valves, crankshaft: an electric engine.\n",
}


@pytest.fixture(scope="module")
def library(make_library: MakeLibrary) -> Library:
    return make_library(NOTES)


def test_the_most_alike_comes_first_and_never_the_note_itself(library: Library) -> None:
    paths = [result.path for result in library.similar(path="Bread.md").results]
    assert paths[:2] == ["Pizza.md", "Cake.md"]
    assert "Bread.md" not in paths


def test_scores_are_cosines(library: Library) -> None:
    reply = library.similar(path="Engines.md")
    assert reply.results[0].path == "Motors.md"
    assert reply.mode == "semantic"
    for result in reply.results:
        assert 0.0 <= result.score <= 1.0
        assert result.score == pytest.approx(max(0.0, result.raw.cosine), abs=1e-5)


def test_the_ending_may_be_left_out(library: Library) -> None:
    assert library.similar(path="Bread").results == library.similar(path="Bread.md").results


def test_linked_notes_can_be_left_out(library: Library) -> None:
    reply = library.similar(path="Bread.md", unlinked=True)
    assert reply.results[0].path == "Cake.md"
    assert reply.filtered == {"linked": 1}
    assert library.similar(path="Pizza.md", unlinked=True).results[0].path == "Cake.md"


@pytest.mark.parametrize("model", [True, False])
def test_a_text_finds_notes_like_it(library: Library, model: bool) -> None:
    reply = library.similar(text="valves and pistons " * 100, model=model)
    assert {result.path for result in reply.results[:2]} == {"Engines.md", "Motors.md"}


@pytest.mark.parametrize("text", ["", "  \n\t "])
def test_a_text_of_blanks_finds_nothing(library: Library, text: str) -> None:
    reply = library.similar(text=text)
    assert (reply.total, reply.results, reply.warnings) == (0, (), ())


def test_a_long_text_is_not_carried_back(library: Library) -> None:
    assert len(library.similar(text="valves and pistons " * 100).query) == 200


def test_a_note_that_has_vectors_needs_no_model(library: Library) -> None:
    assert library.similar(path="Bread.md", model=False).results[0].path == "Pizza.md"


def test_without_vectors_telling_words_answer_and_the_reply_says_so(
    make_library: MakeLibrary,
) -> None:
    library = make_library(NOTES)
    library.index.use_model(None, 0)
    reply = library.similar(path="Bread.md", model=False)
    assert [result.path for result in reply.results[:2]] == ["Pizza.md", "Cake.md"]
    assert reply.mode == "keyword"
    assert any("models get" in warning for warning in reply.warnings)


def test_an_unknown_note_is_an_error_that_names_the_nearest(library: Library) -> None:
    with pytest.raises(NotFoundError, match=r"Pizza\.md"):
        library.similar(path="Piza.md")


@pytest.mark.parametrize("request_", [{}, {"path": "Bread.md", "text": "bread"}])
def test_a_path_or_a_text_is_needed(library: Library, request_: dict[str, str]) -> None:
    with pytest.raises(UsageError):
        library.similar(**request_)


def test_explain_and_limit(library: Library) -> None:
    reply = library.similar(path="Bread.md", limit=1, explain=True)
    assert len(reply.results) == 1
    assert reply.total > 1
    assert [stage.name for stage in reply.explain.stages] == [
        "source",
        "retrieve",
        "rank",
        "snippet",
    ]
