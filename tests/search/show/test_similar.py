"""Similar notes: by vectors or key terms, never the note itself, with reasons."""

from __future__ import annotations

import pytest

from notewell.base.errors import NotFoundError, UsageError
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


def test_a_long_text_is_shortened_in_the_reply(library: Library) -> None:
    assert len(library.similar(text="valves and pistons " * 100).query) == 200


def test_a_note_that_has_vectors_needs_no_model(library: Library) -> None:
    assert library.similar(path="Bread.md", model=False).results[0].path == "Pizza.md"


def test_without_vectors_key_terms_are_searched_and_the_reply_says_so(
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
def test_a_request_has_a_path_or_a_text(library: Library, request_: dict[str, str]) -> None:
    with pytest.raises(TypeError):  # there is no record of such a request
        library.similar(**request_)


def test_explain_and_limit(library: Library) -> None:
    reply = library.similar(path="Bread.md", limit=1, explain=True)
    assert len(reply.results) == 1
    assert reply.total > 1
    assert [stage.name for stage in reply.explain.stages] == [
        "source",
        "retrieve",
        "rank",
        "duplicates",
        "snippet",
    ]


def test_words_that_match_by_chance_are_not_highlighted(library: Library) -> None:
    for result in library.similar(path="Bread.md").results:
        assert result.highlights == ()


TEMPLATE = (
    "Source of the recipe. Rating out of five stars. Ingredients by weight. Method step by step."
    " Servings. Preparation time. Cooking time. Remarks of the family."
)
WORDS = [f"{first}{second}" for first in "bdfgklmnprst" for second in ("olo", "imi", "ara", "ude")]
RECIPES = {
    f"Recipes/{n}.md": f"{TEMPLATE} {WORDS[n % 48]} {WORDS[n * 7 % 48]}\n" for n in range(60)
}


def test_text_repeated_by_a_template_counts_little(make_library: MakeLibrary) -> None:
    made = {
        **RECIPES,
        "Recipes/Honey.md": f"{TEMPLATE} Bees, hives, nectar.\n",
        "Garden/Hive.md": "Bees bring nectar into hives.\n",
    }
    library = make_library(made)
    reply = library.similar(path="Recipes/Honey.md")
    assert reply.results[0].path == "Garden/Hive.md"
    assert library.similar(path="Garden/Hive.md").results[0].path == "Recipes/Honey.md"


@pytest.mark.parametrize("count", [6, 7, 9, 11])
def test_a_small_group_of_one_template_counts_little_too(
    make_library: MakeLibrary, count: int
) -> None:
    """Fewer than the neighbours that are looked at, and apart from the rest of the vault."""
    group = {path: text for path, text in RECIPES.items() if int(path[8:-3]) < count - 1}
    others = {f"Other/{n}.md": f"{WORDS[n]} {WORDS[n + 24]}\n" for n in range(20)}
    made = {**group, **others}
    made |= {
        "Recipes/Honey.md": f"{TEMPLATE} Bees, hives, nectar.\n",
        "Garden/Hive.md": "Bees bring nectar into hives.\n",
    }
    library = make_library(made)
    assert library.similar(path="Recipes/Honey.md").results[0].path == "Garden/Hive.md"


KIN = {
    "Bees.md": "# Bees\nBees gather nectar and pollen. [[Garden]]\n\n#insects #outside\n",
    "Wasps.md": "# Wasps\nWasps gather nectar, wood and pollen. [[Garden]] [[Bees]]\n\n#Insects\n",
    "Garden.md": "# Garden\nBeds of flowers with nectar and pollen.\n",
    "Shed.md": "# Shed\nRake, spade, hose and barrow. [[Garden]]\n",
    "Copy of Bees.md": "# Bees\nBees gather nectar and pollen. [[Garden]]\n\n#insects #outside\n",
}


@pytest.fixture(scope="module")
def kin(make_library: MakeLibrary) -> Library:
    return make_library(KIN)


def test_reasons_say_what_two_notes_share(kin: Library) -> None:
    found = {result.path: result for result in kin.similar(path="Bees.md").results}
    wasps = {reason.kind: reason.text for reason in found["Wasps.md"].reasons}
    assert wasps["links"] == "Garden"
    assert wasps["tags"] == "#insects"
    assert wasps["passage"] == "Bees"
    assert found["Wasps.md"].linked == "in"
    assert found["Garden.md"].linked == "out"
    assert found["Shed.md"].linked is None


def test_a_copy_is_marked_as_a_duplicate(kin: Library) -> None:
    first = kin.similar(path="Bees.md").results[0]
    assert first.path == "Copy of Bees.md"
    assert first.score > 0.9
    assert ("duplicate", "nearly the same text as 'Bees'") in [
        (reason.kind, reason.text) for reason in first.reasons
    ]


def test_near_duplicates_are_one_result(kin: Library) -> None:
    reply = kin.similar(path="Wasps.md")
    paths = [result.path for result in reply.results]
    assert len({"Bees.md", "Copy of Bees.md"}.intersection(paths)) == 1
    one = next(result for result in reply.results if result.path in {"Bees.md", "Copy of Bees.md"})
    assert {one.path, *one.duplicates} == {"Bees.md", "Copy of Bees.md"}
    assert reply.filtered == {"near_duplicate": 1}
    assert reply.total == len(reply.results)


@pytest.mark.parametrize("model", [True, False])
def test_equal_texts_are_one_result_however_short(make_library: MakeLibrary, model: bool) -> None:
    text = "The plan for the orchard has quince trees and a wall of stone.\n"
    notes = dict.fromkeys(("A.md", "Sub/A.md", "Copy of A.md"), text)
    # Of the same size, and another text.
    library = make_library({**notes, "Other.md": text.replace("quince", "medlar")})
    for path in notes:
        shown = list(library.similar(path=path, weak=True, model=model).results)
        alike = [result for result in shown if result.path in notes]
        assert len(alike) == 1
        assert {path, alike[0].path, *alike[0].duplicates} == set(notes)


def test_similarity_is_symmetric(library: Library) -> None:
    for path in NOTES:
        best = library.similar(path=path).results[0].path
        back = [result.path for result in library.similar(path=best).results]
        assert path in back[:2]


def test_links_raise_a_note_by_the_amount_in_the_reply(kin: Library) -> None:
    plain = {result.path: result for result in kin.similar(path="Shed.md").results}
    moved = {result.path: result for result in kin.similar(path="Shed.md", links=1.0).results}
    assert moved["Garden.md"].scores.graph == pytest.approx(1.0)
    assert moved["Wasps.md"].scores.graph == pytest.approx(0.75)  # by Garden: two hops
    for path, result in moved.items():
        assert result.raw.cosine == pytest.approx(plain[path].raw.cosine, abs=1e-4)
        score = result.scores.fused * result.scores.graph
        assert result.score == pytest.approx(score, abs=1e-4)
    against = kin.similar(path="Shed.md", links=1.0, direction="in").results
    assert {result.scores.graph for result in against} == {0.5}


PARTS = {
    "Week.md": "# Week\n\n## Kitchen\nKnead flour and water into dough for bread.\n\n"
    "## Workshop\nValves, pistons and the crankshaft of the engine.\n",
    "Bread.md": "Knead flour, water and salt into dough, bake bread.\n",
    "Engine.md": "Pistons and valves drive the crankshaft.\n",
}


@pytest.mark.parametrize(
    ("part", "expected"),
    [
        ({"heading": "kitchen"}, "Bread.md"),
        ({"heading": "Week > Workshop"}, "Engine.md"),
        ({"line": 4}, "Bread.md"),
        ({"line": 900}, "Engine.md"),
    ],
)
def test_a_part_of_a_note_finds_what_is_like_it(
    make_library: MakeLibrary, part: dict[str, str | int], expected: str
) -> None:
    assert make_library(PARTS).similar(path="Week.md", **part).results[0].path == expected


def test_an_unknown_heading_is_an_error_that_lists_the_headings(library: Library) -> None:
    with pytest.raises(NotFoundError, match="Bread"):
        library.similar(path="Bread.md", heading="Oven")


def test_a_text_has_no_parts_to_choose(library: Library) -> None:
    with pytest.raises(TypeError):  # there is no record of such a request
        library.similar(text="x", line=1)


def test_one_part_of_a_note_is_chosen(library: Library) -> None:
    with pytest.raises(UsageError):
        library.similar(path="Bread.md", line=1, heading="Bread")


def test_a_copy_is_never_weak(make_library: MakeLibrary) -> None:
    copies = {f"Copies/{n}.md": f"{TEMPLATE} Nothing else.\n" for n in range(60)}
    library = make_library(copies)
    reply = library.similar(path="Copies/0.md", weak=False)
    assert len(reply.results) == 1
    assert reply.results[0].match == "strong"
    assert len(reply.results[0].duplicates) > 5


def test_notes_that_are_hardly_similar_are_left_out_and_counted(library: Library) -> None:
    everything = library.similar(path="Bread.md")
    reply = library.similar(path="Bread.md", weak=False)
    matches = [result.match for result in everything.results]
    assert {"Engines.md", "Motors.md"} == {
        result.path for result in everything.results if result.match == "weak"
    }
    assert len(reply.results) == len(matches) - 2
    assert (reply.total, reply.filtered["weak"]) == (everything.total, 2)


def test_a_linked_note_is_kept_where_links_count(make_library: MakeLibrary) -> None:
    library = make_library({**NOTES, "Oven.md": "# Oven\nBrick and clay. [[Engines|Those]]\n"})
    assert library.similar(path="Oven.md", weak=False).results == ()
    linked = library.similar(path="Oven.md", weak=False, links=0.5).results
    assert [result.path for result in linked] == ["Engines.md"]
