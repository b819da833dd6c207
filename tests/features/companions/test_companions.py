"""Notes that answer a question together with its best result: its links, asked for the rest."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from notewell.base.errors import NotFoundError
from notewell.contract.companions import Companion, CompanionsReply, CompanionsRequest
from notewell.contract.context import ContextRequest
from notewell.engine.engine import Engine
from notewell.features.evidence.requests import EvidenceRequest
from tests.vaults import indexed, tiny_rules

SHOWCASE = (
    "---\nspeaker: '[[Ida Holm]]'\n---\n"
    "A showcase of the breadcrumbs plugin.\n\n- Held in the [[Town hall]].\nFilmed for [[Video channel]].\n"
)
NOTES = {
    "Breadcrumbs showcase.md": SHOWCASE,
    "Ida Holm.md": "Her plugins: Breadcrumbs, Cursors and Matrix. Her newsletter is The Iceberg.\n",
    "Town hall.md": "Opens at nine in the morning. The capacity is 300 chairs.\n",
    "Video channel.md": "All talks since 2021, and the [[Breadcrumbs showcase]].\n",
    "Bread.md": "Bread is baked for an hour. See [[Oven]].\n",
    "Oven.md": "The oven is in the kitchen, beside the window.\n",
    "Alone.md": "Nobody links snails, and this note links nothing but [[Nowhere]] and [[Alone]].\n",
}


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    home = tmp_path_factory.mktemp("companions")
    with indexed(home, NOTES, name="Home", model=tiny_rules(home)) as opened:
        yield opened


def ask(engine: Engine, question: str, path: str | None = None, limit: int = 3) -> CompanionsReply:
    return engine.answer(CompanionsRequest(question, path, limit))


def paths(companions: tuple[Companion, ...]) -> list[str]:
    return [companion.result.path for companion in companions]


def test_the_linked_note_that_says_the_rest_comes_first(engine: Engine) -> None:
    reply = ask(engine, "which newsletter has the speaker of the breadcrumbs showcase")
    assert reply.first is not None
    assert reply.first.path == "Breadcrumbs showcase.md"
    assert paths(reply.companions)[0] == "Ida Holm.md"
    reply = ask(engine, "what is the capacity of the hall of the breadcrumbs showcase")
    assert paths(reply.companions)[0] == "Town hall.md"


def test_the_line_of_the_first_note_that_links_it_is_told(engine: Engine) -> None:
    reply = ask(engine, "what is the capacity of the hall of the breadcrumbs showcase")
    hall = reply.companions[0]
    assert SHOWCASE.split("\n")[hall.link_line - 1] == "- Held in the [[Town hall]]."
    assert hall.link_text == "Held in the Town hall."


def test_of_a_link_in_a_property_the_property_is_told(engine: Engine) -> None:
    reply = ask(engine, "which newsletter has the speaker of the breadcrumbs showcase")
    assert reply.companions[0].link_text == "speaker: Ida Holm"


def test_what_the_first_title_says_is_not_asked_of_its_links(engine: Engine) -> None:
    reply = ask(engine, "which newsletter has the speaker of the breadcrumbs showcase")
    assert reply.rest == "which newsletter has the speaker of the"


@pytest.mark.parametrize(
    "question",
    [
        "is bread baked for an hour",  # the first note says it
        "which snails have the fastest ship",  # it links nothing but itself and a note that is not there
        "xyzzy",
        "",
        "   ",
    ],
)
def test_there_are_none(engine: Engine, question: str) -> None:
    assert ask(engine, question).companions == ()


def test_another_note_than_the_best_can_be_the_first(engine: Engine) -> None:
    reply = ask(engine, "where is the newsletter baked", path="Bread.md")
    assert reply.first is not None
    assert reply.first.path == "Bread.md"
    assert paths(reply.companions) == ["Oven.md"]
    assert ask(engine, "where is the newsletter baked", path="[[bread]]").first == reply.first
    with pytest.raises(NotFoundError, match="Missing"):
        ask(engine, "where is it baked", path="Missing.md")


def test_there_are_at_most_so_many(engine: Engine) -> None:
    question = "which newsletter has the speaker of the breadcrumbs showcase"
    assert len(ask(engine, question, limit=1).companions) == 1
    assert len(ask(engine, question, limit=5).companions) == 3


@given(st.text(max_size=80))
@settings(max_examples=60, deadline=None)
def test_any_question_is_answered_by_linked_notes_alone(engine: Engine, question: str) -> None:
    reply = ask(engine, question)
    if reply.first is None:
        assert not reply.companions
        return
    index = engine.vault.index
    note = index.note_at(reply.first.path)
    assert note is not None
    linked = {index.paths([to])[to] for _, to in index.graph.links_out(note.id) if to is not None}
    assert set(paths(reply.companions)) <= linked - {reply.first.path}


def test_sentences_that_answer_come_with_them(engine: Engine) -> None:
    reply = engine.answer(EvidenceRequest("where is bread baked for an hour in the kitchen"))
    assert reply.answers[0].path == "Bread.md"
    assert paths(reply.companions) == ["Oven.md"]


def test_a_context_has_their_passage_behind_the_first_note(engine: Engine) -> None:
    request = ContextRequest("which newsletter has the speaker of the breadcrumbs showcase")
    reply = engine.answer(request)
    assert [source.path for source in reply.sources[:2]] == [
        "Breadcrumbs showcase.md",
        "Ida Holm.md",
    ]
    assert "The Iceberg" in reply.text
