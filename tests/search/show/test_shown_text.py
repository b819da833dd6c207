"""What a passage shows: cases that the plugin's tests read too, and what only the server has."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TypedDict

import pytest

from notewell.base.types import ChunkSizes
from notewell.index.shown_text import shown_text
from notewell.index.template_lines import line_hashes
from notewell.search.show.snippets import Snippets
from notewell.vault.chunk import chunk
from notewell.vault.parse import parse
from tests.search.show.test_snippet import marked
from tests.vault.notes import source

FILE = Path(__file__).parents[2] / "contract" / "snippet-cases.json"


class Case(TypedDict):
    """A note of one passage, the words that are searched for, and the snippet to expect."""

    what: str
    note: str
    title: str
    words: list[str]
    chars: int
    snippet: str
    marks: list[str]


CASES: list[Case] = json.loads(FILE.read_text(encoding="utf-8"))


@pytest.mark.parametrize("case", CASES, ids=[case["what"] for case in CASES])
def test_a_snippet_reads_as_a_person_would_write_it(case: Case) -> None:
    note = parse(f"{case['title']}.md", source(case["note"]), modified=0.0)
    passage, *others = chunk(note, count_tokens=_words, sizes=ChunkSizes(400, 40, 0))
    assert not others
    snippets = Snippets(dict.fromkeys(case["words"], 1.0), case["chars"])
    names = (case["title"], *passage.headings[-1:])
    snippet = snippets.make(passage.text, names=names, lines=passage.lines)
    assert (snippet.text, marked(snippet)) == (case["snippet"], case["marks"])


def _words(text: str) -> int:
    return len(text.split())


def test_a_match_is_found_again_in_the_passage() -> None:
    text = "## Bread\n- one **bold** item\n- the dough rests\n\nOther | Cells\na | dough"
    snippet = Snippets({"rests": 1.0}, 200).make(text)
    assert text[snippet.at :].startswith("rests")


def test_the_rest_of_a_table_is_shown_by_row_without_a_head() -> None:
    shown = shown_text("rye | 80 %\nspelt | 65 %", lines=(7, 8))
    assert shown.text == "rye · 80 % · spelt · 65 %"
    assert shown.between_walls(14) == (13, len(shown.text))


def test_a_table_is_not_taken_for_running_text() -> None:
    text = "Flour of two kinds.\nFlour | Water\nrye | 80 %\nspelt | 65 %\nAll of it is ground."
    lines = (1, 3, 5, 6, 8)
    snippets = Snippets({"spelt": 1.0}, 200)
    assert snippets.make(text, lines=lines).text == "Flour: spelt · Water: 65 %…"
    assert Snippets({"ground": 1.0}, 200).make(text, lines=lines).text == "All of it is ground."


def test_lines_that_many_notes_have_are_shown_only_for_their_own_words() -> None:
    text = "Edit in GitHub\nAdds a clock.\nMobile compatible: Yes"
    template = set(line_hashes(["Edit in GitHub\nMobile compatible: Yes"]).tolist())
    assert Snippets({"clock": 1.0}, 200, template=template).make(text).text == "Adds a clock."
    mobile = Snippets({"mobile": 1.0}, 200, template=template).make(text)
    assert marked(mobile) == ["Mobile"]
    assert Snippets({}, 200, template=template).make("Edit in GitHub").text == "Edit in GitHub"


def test_a_passage_that_only_repeats_the_title_shows_nothing() -> None:
    assert shown_text("Rye Bread", names=("rye-bread",)).text == ""


@pytest.mark.parametrize(
    ("stated", "shown"),
    [
        (
            "categories: Movies · cover: https://m.example/images/M/MV5BNzQ_V1_SX300.jpg · genre: Sci-fi",
            "categories: Movies · genre: Sci-fi",
        ),
        ("rating: 5 · poster: http://x.example/a.png?size=2", "rating: 5"),
        ("created: {{date}} · rating: 5 · last: {{date}}", "rating: 5"),
        ("source: https://example.com/an/essay · rating: 5", None),
        ("Write {{title}} where the title belongs: {{date}} is the day.", None),
    ],
)
def test_properties_that_are_no_text_are_left_out(stated: str, shown: str | None) -> None:
    assert shown_text(stated).text == (stated if shown is None else shown)
