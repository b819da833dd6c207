"""Which of words, meaning and names decides: the properties of the sum that users rely on."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from notewell.index.analyze import tokens
from notewell.search.facts.readability import ReadabilityCache
from notewell.search.rank.evidence import NoteEvidence, QueryEvidence
from notewell.search.rank.relevance import QueryRequirements, Relevance, judge
from tests.search.library import HashedWords, Library, MakeLibrary

NOTES = {
    "Visit.md": "The car brought the cat to the doctor.",
    "Shed.md": "One vehicle, a ladder and two barrels of rain water.",
    "Water.md": "Rain water is kept in barrels behind the house.",
    "Oil.md": "Old oil is drained before winter.",
}
IN_OTHER_WORDS = "vehicle feline physician"


class Foreign(HashedWords):
    """A model that knows no word of the vault: each takes five tokens."""

    def __init__(self) -> None:
        self.counted = 0

    def count_tokens(self, text: str) -> int:
        self.counted += 1
        return 5 * len(tokens(text))


def first(library: Library, query: str) -> str:
    return library.search(query).results[0].path


def test_meaning_decides_where_no_note_has_the_words_of_a_query(make_library: MakeLibrary) -> None:
    assert first(make_library(NOTES), IN_OTHER_WORDS) == "Visit.md"


def test_words_lead_in_a_vault_that_the_model_does_not_read(make_library: MakeLibrary) -> None:
    library = make_library(NOTES, Foreign())
    assert first(library, IN_OTHER_WORDS) == "Shed.md"
    params = library.search(IN_OTHER_WORDS).fusion.params
    assert params["vault_unreadable"] == 1.0
    # Whoever asks for exactly these words asks in the same language.
    exact = library.search(IN_OTHER_WORDS, ignore=frozenset({"spelling"}))
    assert exact.results[0].path == "Shed.md"


def test_what_a_model_reads_of_a_vault_is_measured_once(make_library: MakeLibrary) -> None:
    library, cache = make_library(NOTES), ReadabilityCache()
    foreign, ids = Foreign(), np.array([note.id for note in library.index.all_notes()])
    assert cache.unreadable(library.index, ids, foreign) == 1.0
    counted = foreign.counted
    assert cache.unreadable(library.index, ids, foreign) == 1.0
    assert foreign.counted == counted > 0


def test_a_short_note_with_every_word_is_not_passed_by_one_that_means_the_same(
    make_library: MakeLibrary,
) -> None:
    library = make_library({**NOTES, "Exact.md": "A vehicle, a feline, a physician."})
    assert first(library, IN_OTHER_WORDS) == "Exact.md"


KINDS = {
    "Concepts/PARA.md": "A method that sorts notes by use: projects, areas, resources, archives.",
    "Plugins/para-shortcuts.md": "Keys that file a note. By an admirer of sorting.",
    "Plugins/Dataview.md": "Lists notes by their properties.",
    "Guides/Dataview and tasks.md": "How to list tasks of all projects.",
    "Themes/Minimal.md": "Quiet colours, few lines.",
    "Plugins/Minimal settings.md": "Options for colours and lines.",
    "Books/Dune.md": "---\ntype: novel\n---\nSand and spice.",
    "Talks/Dune buggies.md": "Cars for sand, and a novel way to build them cheaply.",
    "Trips/Oslo.md": "---\ntags: [travel]\n---\nBoats and museums.",
    "Trips/Oslo to Bergen.md": "By train.",
}


@pytest.mark.parametrize(
    ("query", "path"),
    [
        ("PARA method", "Concepts/PARA.md"),
        ("dataview plugin", "Plugins/Dataview.md"),
        ("minimal theme", "Themes/Minimal.md"),
        ("dune novel", "Books/Dune.md"),
        ("oslo travel", "Trips/Oslo.md"),
    ],
)
def test_a_thing_is_found_by_its_name_and_a_word_for_its_kind(
    make_library: MakeLibrary, query: str, path: str
) -> None:
    assert first(make_library(KINDS), query) == path


def test_a_name_with_one_word_of_several_does_not_come_first(make_library: MakeLibrary) -> None:
    notes = {
        "Checkbox sounds.md": "Plays a tone once a task is finished, loud or quiet.",
        "White noise.md": "Rain, wind and waves in the background.",
    }
    assert first(make_library(notes), "noise when a task is finished") == "Checkbox sounds.md"


def test_notes_of_the_month_that_a_query_names_are_never_weak(make_library: MakeLibrary) -> None:
    notes = {f"{n}.md": f"Rows and beds of plot {n}." for n in range(12)}
    notes["2024-03-05 Walk.md"] = "Up the hill and down again."
    shown = make_library(notes).search("hedgehog census march 2024", weak=False).results
    assert "2024-03-05 Walk.md" in [result.path for result in shown]


QUERY = QueryEvidence(
    known_idf=10.0, words=3, passages=5000, cosine_mean=0.05, cosine_deviation=0.1
)


def judged(cosines: list[float], words: float, known: float = 1.0) -> Relevance:
    """Two notes; their scores are 1 and .6 of the best."""

    def column(values: object) -> np.ndarray:
        return np.broadcast_to(np.asarray(values, np.float32), (2,)).copy()

    notes = NoteEvidence(
        ids=np.arange(2),
        passage_bm25=column(words * 10.0),
        cosine=column(cosines),
        mean_cosine=column(cosines),
        whole_bm25=column(words * 10.0),
        coverage=column([0.5, 0.1]),
        held=column([0.5, 0.1]),
        lengths=column(100.0),
        names=column(0.0),
        exact=np.zeros(2, np.bool_),
        begun=column(0.0),
        said=np.zeros(2, np.bool_),
        described=column(0.0),
    )
    asked = QueryRequirements(known=known, content=1.0, required=False)
    return judge(notes, replace(QUERY, known=known), "hybrid", asked, column([1.0, 0.6]))


def test_a_query_without_an_answer_ends_without_results() -> None:
    assert judged([0.2, 0.15], 0.3, known=0.4).matches(np.arange(2)) == ["weak", "weak"]


def test_where_the_vault_answers_notes_near_the_best_are_related() -> None:
    """A paraphrase has few of its words in the second note, which is as good."""
    found = judged([0.65, 0.45], 0.8)
    assert "weak" not in found.matches(np.arange(2))


def test_one_known_word_of_a_query_is_not_every_word_of_it() -> None:
    half = QueryRequirements(
        known=0.46, content=1.0, required=False, known_words=0.46
    )  # "car insurance"
    whole = replace(half, known=1.0, known_words=1.0)
    for asked, expected in ((half, False), (whole, True)):
        assert (
            asked.is_all_in(np.ones(1, np.float32), np.arange(1), answered=True).all() == expected
        )
