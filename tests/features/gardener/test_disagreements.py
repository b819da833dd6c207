"""Statements of two notes that disagree, and what looks alike and does not."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from notewell.features.gardener.checks import CHECKS
from notewell.features.gardener.checks.disagreements import disagreements, statements
from tests.eval.gardening.gardens import garden_of


def kinds(one: str, other: str) -> list[str]:
    said = statements(garden_of({"One.md": one, "Other.md": other}))
    return [kind for _, _, kind in disagreements(said)]


@pytest.mark.parametrize(
    ("one", "other", "kind"),
    [
        (
            "The report for the garden committee is due on 3 May.",
            "The report for the garden committee is due on 5 May.",
            "numbers or dates",
        ),
        (
            "- The report for the garden committee is due in June.",
            "Also, the report for the garden committee is due in July!",
            "numbers or dates",
        ),
        (
            "The billing service of the shop uses Postgres in production.",
            "The billing service of the shop does not use Postgres in production.",
            "what is and what is not",
        ),
        (
            "The north door of the library building is open on weekends.",
            "The north door of the library building is closed on weekends.",
            "states",
        ),
    ],
)
def test_what_disagrees_is_told_with_what_differs(one: str, other: str, kind: str) -> None:
    assert kinds(one, other) == [kind]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The report for the committee is due on 3 May.", "The report for the committee is due on 3 May."),
        ("Walked 5 km.", "Walked 7 km."),
        ("The shop sells 3 kinds of red garden roses.", "The library has 5 rooms for quiet reading work."),
        ("| price of a garden chair in spring | 30 |", "| price of a garden chair in spring | 40 |"),
        ("```\nlet retries of the garden service be 3 now\n```", "```\nlet retries of the garden service be 5 now\n```"),
        (
            "See https://example.com/garden/chairs/in/spring/offers/3 there.",
            "See https://example.com/garden/chairs/in/spring/offers/4 there.",
        ),
        (
            "The garden plan of 3 beds needs 12 sacks of compost soil.",
            "The garden plan of 4 beds needs 15 sacks of compost soil.",
        ),
    ],
)  # fmt: skip
def test_what_does_not_disagree_is_left_alone(one: str, other: str) -> None:
    assert kinds(one, other) == []


@pytest.mark.parametrize(
    ("one", "other", "kind"),
    [
        ("The pool opens on 3 May.", "Pool opens on 5 May", "numbers or dates"),
        ("The pool opens on May 3rd.", "Pool opens on June 3rd", "numbers or dates"),
        ("- Budget of the pool: 8000 €", "The budget of the pool is 9000 €.", "numbers or dates"),
        ("Status of the pool: confirmed", "Pool status: cancelled", "states"),
        ("Dogs are allowed in the pool.", "Dogs are not allowed in the pool.", "what is and what is not"),
    ],
)  # fmt: skip
def test_short_statements_disagree_where_a_note_is_named_after_what_they_are_about(
    one: str, other: str, kind: str
) -> None:
    said = statements(garden_of({"Pool.md": one, "Summer.md": other}))
    assert [kind for _, _, kind in disagreements(said)] == [kind]
    assert kinds(one, other) == []  # neither note is named so


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The pool opens on 3 May.", "The pool closes on 5 May."),
        ("We may open the pool.", "We open the pool."),
        ("Pool: 8000", "Pool: 9000"),
    ],
)
def test_short_statements_about_something_else_are_left_alone(one: str, other: str) -> None:
    said = statements(garden_of({"Pool.md": one, "Summer.md": other}))
    assert list(disagreements(said)) == []


def test_one_note_may_say_both() -> None:
    text = "The report for the garden committee is due on 3 May.\n\nThe report for the garden committee is due on 5 May."
    assert list(disagreements(statements(garden_of({"One.md": text})))) == []


def test_sentences_of_a_template_and_of_a_series_are_no_statements() -> None:
    template = {
        f"N{n}.md": f"The plugin of this page was loaded {n} times so far." for n in range(6)
    }
    series = {
        f"Part {n}.md": f"Welcome to part {n} of this course about garden soil." for n in (1, 2)
    }
    said = statements(garden_of({**template, **series}))
    assert list(disagreements(said)) == []


def found(texts: Mapping[str, str]) -> list[tuple[str, dict[str, object]]]:
    made = CHECKS["disagreements"].find(garden_of(texts))
    return [(each.path, dict(each.edit[0].set)) for each in made]


def test_one_note_is_marked_and_both_lines_are_quoted() -> None:
    texts = {
        "Early.md": "# Plan\n\nThe report for the garden committee is due on 3 May.",
        "Late.md": "The report for the garden committee is due on 5 May.",
    }
    (one,) = CHECKS["disagreements"].find(garden_of(texts))
    assert (one.path, one.edit[0].set) == ("Early.md", {"disagrees_with": "[[Late]]"})
    assert (
        "Early.md, line 3: “The report for the garden committee is due on 3 May.”" in one.evidence
    )
    assert "Late.md, line 1: “" in one.evidence


def test_a_pair_that_is_marked_is_not_suggested_again() -> None:
    texts = {
        "Old.md": '---\ndisagrees_with: "[[New]]"\n---\nThe report for the garden committee is due on 3 May.',
        "New.md": "The report for the garden committee is due on 5 May.",
    }
    assert found(texts) == []


def test_a_note_that_another_replaces_is_marked() -> None:
    texts = {
        "Plan 2.md": "This plan replaces the earlier [[Plan 1]], and mentions [[Soil]].",
        "Plan 1.md": "Beds first.",
        "Soil.md": "Replaces nothing.",
    }
    assert found(texts) == [("Plan 1.md", {"superseded_by": "[[Plan 2]]"})]
    marked = texts | {"Plan 1.md": '---\nsuperseded_by: "[[Plan 2]]"\n---\nBeds first.'}
    assert found(marked) == []


@pytest.mark.parametrize(
    "said",
    [
        "Superseded by [[Plan 2]].",
        "> [!warning] Superseded by [[Plan 2]]",
        "**Replaced by:** [[Plan 2]]",
        "This plan has been replaced by the newer [[Plan 2]].",
        "This is now superseded by [[Plan 2]]",
    ],
)
def test_a_note_that_says_what_replaces_it_is_marked(said: str) -> None:
    texts = {"Plan 1.md": f"# Plan\n\n{said}\n\nBeds first.", "Plan 2.md": "Paths first."}
    assert found(texts) == [("Plan 1.md", {"superseded_by": "[[Plan 2]]"})]


@pytest.mark.parametrize(
    "said",
    [
        "The old settings were replaced by [[Plan 2]].",
        "Wood was superseded by steel, see [[Plan 2]].",
        "Nothing is replaced by what stands in the long list of [[Plan 2]].",
    ],
)
def test_something_else_than_the_note_may_be_replaced(said: str) -> None:
    assert found({"Plan 1.md": said, "Plan 2.md": "Paths first."}) == []


def test_notes_that_name_each_other_as_old_and_new_are_one_suggestion() -> None:
    texts = {
        "Plan 1.md": "Superseded by [[Plan 2]].",
        "Plan 2.md": "This plan replaces [[Plan 1]].",
    }
    assert found(texts) == [("Plan 1.md", {"superseded_by": "[[Plan 2]]"})]
