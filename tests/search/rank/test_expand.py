"""Expansion of short queries, and its report in the reply."""

from __future__ import annotations

import numpy as np
import pytest

from notewell.search.rank import expand
from tests.search.library import Library, MakeLibrary

NOTES = {
    "Loaf.md": "Sourdough needs flour, water and patience. Sourdough ferments overnight.\n",
    "Starter.md": "Sourdough starter: feed flour daily, it ferments.\n",
    "Rye.md": "Dark rye: flour that ferments slowly.\n",
    "Zeppelin.md": "# LZ 129\nAn airship of great size.\n",
    "Trip.md": "We saw [[Zeppelin|the silver cigar]] over the lake.\n",
    "Other.md": "Nothing to do with the rest of it.\n",
}


@pytest.fixture(scope="module")
def library(make_library: MakeLibrary) -> Library:
    return make_library(NOTES)


def test_terms_common_to_the_first_results_are_added(library: Library) -> None:
    reply = library.search("sourdough", expand=True)
    assert set(reply.expanded) == {"flour", "ferments"}
    plain = library.search("sourdough", mode="keyword").results
    more = library.search("sourdough", mode="keyword", expand=True).results
    assert [result.path for result in plain] == ["Loaf.md", "Starter.md"]
    assert [result.path for result in more] == ["Loaf.md", "Starter.md", "Rye.md"]


def test_expansion_is_off_by_default_and_for_longer_queries(library: Library) -> None:
    assert library.search("sourdough").expanded == ()
    assert library.search("sourdough flour water", expand=True).expanded == ()


def test_only_words_of_running_text_are_added(make_library: MakeLibrary) -> None:
    clutter = "https://example.org/wiki img_width=200 🍞 🍞 2024 another also stattdessen можно"
    library = make_library(
        {
            "A.md": f"Sourdough ferments. {clutter} bread.html\n",
            "B.md": f"Sourdoughs: it ferments well. {clutter} bread.html\n",
            "C.md": "Something else.\n",
        }
    )
    assert library.search("sourdough", expand=True).expanded == ("ferments",)


def test_a_part_of_a_link_text_adds_no_note(library: Library) -> None:
    reply = library.search("silver cigar", expand=True, mode="keyword")
    assert [result.path for result in reply.results] == ["Trip.md"]


def test_a_link_text_adds_the_linked_note(make_library: MakeLibrary) -> None:
    library = make_library(
        {
            "Zeppelin.md": "# LZ 129\nAn airship of great size.\n",
            "Trip.md": "We saw the [[Zeppelin|silver cigar]] over the lake.\n",
            "Lake.md": "Water and boats.\n",
        }
    )
    reply = library.search("Silver cigar", expand=True, mode="keyword")
    assert "zeppelin" in reply.expanded
    assert {"Trip.md", "Zeppelin.md"} == {result.path for result in reply.results}
    hidden = frozenset({"Trip.md"})
    without = library.search("Silver cigar", expand=True, mode="keyword", hidden=hidden)
    assert (without.expanded, without.results) == ((), ())


def test_the_query_vector_moves_towards_the_first_results(library: Library) -> None:
    query = library.embedder.embed_query("sourdough")
    note = library.index.note_at("Rye.md")
    assert note is not None
    passages = np.array([chunk.id for chunk in library.index.chunks_of(note.id)])
    moved = expand.feedback_vector(library.index, query, passages)
    rows = library.index.vectors.of_chunks(passages)[1]
    assert np.linalg.norm(moved) == pytest.approx(1.0, abs=1e-5)
    assert float(rows[0] @ moved) > float(rows[0] @ query)
    nothing = np.empty(0, np.int64)
    assert expand.feedback_vector(library.index, query, nothing) is query
