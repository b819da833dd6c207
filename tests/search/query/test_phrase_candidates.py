"""A phrase is found whatever its case, also among words that many passages have."""

from __future__ import annotations

import pytest

from notewell.search.query.text_matching import candidate_chunks
from tests.search.library import Library, MakeLibrary

COUNT = 130


@pytest.fixture(scope="module")
def library(make_library: MakeLibrary) -> Library:
    return make_library(
        {f"{number}.md": f"In note {number} we use GitHub actions.\n" for number in range(COUNT)}
        | {
            "Apart.md": "We use git hub actions, and GitHub.\n",
            "Small.md": "They use github actions.\n",
            "Mixed.md": "Actions of GitHub use it.\n",
        }
    )


@pytest.mark.parametrize(
    "phrase", ["use github actions", "use GitHub Actions", "USE GITHUB ACTIONS"]
)
def test_a_compound_counts_as_one_word_in_any_case(library: Library, phrase: str) -> None:
    found = set(library.paths(f'"{phrase}"', mode="keyword", limit=500))

    assert len(found) == COUNT + 1
    assert "Small.md" in found
    assert not {"Apart.md", "Mixed.md"} & found


def test_candidates_are_few_where_the_words_are_everywhere(library: Library) -> None:
    def candidates(phrase: str) -> int:
        return len(candidate_chunks(phrase, library.index.keywords))

    assert candidates("they use") == 1
    assert candidates("use github") == COUNT + 2  # also where it is two words
    assert candidates("github use") == 1
    assert candidates("nothing of it") == 0
