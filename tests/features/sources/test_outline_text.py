"""Roam's and Logseq's markup as Obsidian's Markdown."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from notewell.features.sources.pages import Target, write_text
from notewell.features.sources.spec import OutlineKind


class Known:
    """Pages whose note has another name, and blocks."""

    def __init__(self, **blocks: str) -> None:
        self._blocks = blocks

    def note(self, title: str) -> str | None:
        return {"Bees: all": "Bees all", "Ada": "Ada"}.get(title)

    def block(self, uid: str) -> Target | None:
        text = self._blocks.get(uid)
        return None if text is None else Target("Ada", uid, text)


def written(text: str, kind: OutlineKind = "roam", **blocks: str) -> str:
    made = write_text(text, kind, Known(**blocks))
    return made.task + made.text


@pytest.mark.parametrize(
    ("text", "markdown"),
    [
        ("see [[Ada]] and [[Bees: all]]", "see [[Ada]] and [[Bees all|Bees: all]]"),
        ("[[nested [[pages]]]] here", "[[nested pages|nested pages]] here"),
        ("#tag #[[two words]]", "#tag #two-words"),
        ("__slanted__ ^^marked^^ **bold**", "*slanted* ==marked== **bold**"),
        ("{{[[TODO]]}} water", "[ ] water"),
        ("{{[[DONE]]}} water", "[x] water"),
        ("[her]([[Ada]]) [x](https://a.example/)", "[[Ada|her]] [x](https://a.example/)"),
        ("{{[[query]]: {and: [[a]] [[b]]}}} text", " text"),
        ("{{[[youtube]]: https://a.example/v}}", "https://a.example/v"),
        ("`[[code]]` and ```\n[[more]]\n```", "`[[code]]` and ```\n[[more]]\n```"),
        ("[[never closed", "[[never closed"),
        ("((unknown1))", "((unknown1))"),
    ],
)
def test_markup_of_roam(text: str, markdown: str) -> None:
    assert written(text) == markdown


def test_a_reference_is_its_text_with_a_link() -> None:
    assert (
        written("as ((uid-00001)) says", **{"uid-00001": "bees [[Ada]] dance"})
        == "as [[Ada#^uid-00001|bees Ada dance]] says"
    )
    assert written("[why](((uid-00001)))", **{"uid-00001": "x"}) == "[[Ada#^uid-00001|why]]"
    assert (
        written("{{[[embed]]: ((uid-00001))}}", **{"uid-00001": "whole"})
        == "[[Ada#^uid-00001|whole]]"
    )


def test_references_are_followed_three_deep_and_cycles_end() -> None:
    chain = {f"uid-{n}": f"{n} ((uid-{n + 1}))" for n in range(6)}
    assert written("((uid-0))", **chain) == "[[Ada#^uid-0|0 1 2 …]]"
    assert written("((uid-a))", **{"uid-a": "a ((uid-a))"}) == "[[Ada#^uid-a|a …]]"


def test_what_a_block_uses_is_told() -> None:
    made = write_text(
        "((uid-a)) [[x [[y]]]]", "roam", Known(**{"uid-a": "a ((uid-b))", "uid-b": "b"})
    )
    assert set(made.used) == {"uid-a", "uid-b"}
    assert made.inner == ("y",)


def test_tasks_of_logseq_are_words() -> None:
    assert written("TODO water", "logseq") == "[ ] water"
    assert written("DONE water", "logseq") == "[x] water"
    assert written("TODOs are many", "logseq") == "TODOs are many"
    assert written("NOW I know", "roam") == "NOW I know"


@given(st.text(alphabet="[](){}#^_`ab \n:T", max_size=60))
def test_any_text_is_converted(text: str) -> None:
    made = write_text(text, "roam", Known(abab="((abab)) [[a]]"))
    assert isinstance(made.text, str)
