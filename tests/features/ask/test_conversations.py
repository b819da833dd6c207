"""Stored conversations: reading, continuing, stopping, saving as notes."""

from __future__ import annotations

import threading
from dataclasses import replace
from pathlib import Path

import pytest

from notewell.base.errors import CancelledError, NotFoundError, ProviderError
from notewell.features.ask.requests import AskNotice, AskReply, AskRequest, AskSource, AskText
from notewell.features.ask.service import MOST, Conversations, as_note
from notewell.features.ask.tool_loop import AnswerDraft, newest_within
from tests.features.ask.conftest import Asking
from tests.features.ask.scripted import Says, Script

QUESTION = "How do bees find their way home?"
STANDALONE = Says("When do bees find their way home?")


def turn(question: str, answer: str, *sources: AskSource) -> AskReply:
    empty = AnswerDraft(question, "vault", "0" * 16).stopped()
    return replace(empty, answer=answer, sources=sources, cancelled=False)


def kept(ask: Asking, conversation: str) -> tuple[AskReply, ...]:
    return Conversations(ask.folder).read(conversation)


def stop_after_text(ask: Asking, script: Script, asked: AskRequest) -> str:
    """Ask, give up in the middle of the answer; gives the conversation."""
    hold = threading.Event()
    rewriting = (STANDALONE,) if asked.conversation else ()
    model = script(*rewriting, Says("They follow the light of the sun [1], which", hold=hold))
    conversation = ""
    try:
        for event in ask.agent(model).answer(asked):
            if isinstance(event.data, AskNotice):
                conversation = event.data.conversation
            if isinstance(event.data, AskText):
                ask.cancel.cancel()
    except CancelledError:
        return conversation
    finally:
        hold.set()
    raise AssertionError("it was not stopped")


def test_conversations_can_be_saved_as_notes_and_fit_into_budgets(tmp_path: Path) -> None:
    talks = Conversations(tmp_path)
    name = talks.new_id()
    bees = AskSource(1, "Bees.md", "Bees", "", cited=True)
    web = AskSource(2, "https://bees.example", "Bees", "", cited=True)
    unread = AskSource(3, "Hive.md", "Hive", "", cited=False)
    said = (turn("Why\nbees?", "# Because\nof honey [1]", bees, web, unread), turn("More?", "No."))
    for each in said:
        talks.save_turn(name, each)

    assert talks.read(name) == said
    assert as_note(said) == (
        "## Why bees?\n\n### Because\nof honey [1]\n\n- [1] [[Bees]]\n- [2] <https://bees.example>\n"
        "\n## More?\n\nNo.\n"
    )
    assert newest_within(said, 12, len) == (said[1],)
    assert newest_within([*said, turn("Stopped?", "")], 12, len) == (said[1],)


def test_headings_of_a_saved_answer_are_lowered_and_code_is_not() -> None:
    said = "# Top\n\n```sh\n# a comment\n```\n\n## Sub"
    note = as_note([turn("Why?", said)])
    assert note == "## Why?\n\n### Top\n\n```sh\n# a comment\n```\n\n#### Sub\n"


def test_the_address_of_a_source_cannot_add_to_a_saved_note() -> None:
    page = AskSource(1, "https://a.example/> ![x](https://b.example/)", "A", "", cited=True)
    assert "![x]" not in as_note([turn("Why?", "So [1].", page)])


def test_an_unknown_conversation_is_not_found(tmp_path: Path) -> None:
    talks = Conversations(tmp_path)
    (tmp_path / "conversations").mkdir()
    (tmp_path / "conversations" / f"{'1' * 16}.json").write_text('[{"question": "Why?"}]')

    for wrong in ("../x", "", "0" * 16, "1" * 16):
        with pytest.raises(NotFoundError) as refused:
            talks.read(wrong)
        assert refused.value.code == "conversation_not_found"


def test_only_the_newest_conversations_are_kept(tmp_path: Path) -> None:
    talks = Conversations(tmp_path)
    for _ in range(MOST + 3):
        talks.save_turn(talks.new_id(), turn("Why?", "Because."))
    assert len(list((tmp_path / "conversations").iterdir())) == MOST


def test_conversations_are_listed_and_deleted(tmp_path: Path) -> None:
    talks = Conversations(tmp_path)
    first, second = "1" * 16, "2" * 16
    for name, question in ((first, "Why?"), (second, "How?"), (first, "And?")):
        talks.save_turn(name, turn(question, "So."))
    (tmp_path / "conversations" / "odd.json").write_text("{}")

    listed = [(each.conversation, each.question, each.turns) for each in talks.all()]
    assert listed == [(first, "Why?", 2), (second, "How?", 1)]
    talks.delete(first)
    assert [each.conversation for each in talks.all()] == [second]
    for wrong in (first, "../odd"):
        with pytest.raises(NotFoundError):
            talks.delete(wrong)


def test_conversations_persist_for_other_processes(ask: Asking, script: Script) -> None:
    first = ask(script(Says("By the sun [1].")), QUESTION)
    second = ask(script(STANDALONE, Says("At noon [1].")), "And when?", first.conversation)

    assert kept(ask, first.conversation) == (first, second)
    assert second.standalone == STANDALONE.text


def test_a_stopped_answer_is_stored_and_the_conversation_continues(
    ask: Asking, script: Script
) -> None:
    conversation = stop_after_text(ask, script, AskRequest(QUESTION))

    (stopped,) = kept(ask, conversation)
    assert stopped.cancelled
    assert stopped.answer.startswith("They")
    assert not stopped.answer.endswith("which")
    assert "(This answer is not complete.)" in as_note([stopped])

    ask.cancel = type(ask.cancel)()
    model = script(STANDALONE, Says("At noon [1]."))
    further = ask(model, "And when?", conversation)
    assert [each.cancelled for each in kept(ask, conversation)] == [True, False]
    assert kept(ask, conversation)[-1] == further
    assert stopped.answer in str(model.asked[-1])


def test_a_repeated_stopped_question_is_stored_once(ask: Asking, script: Script) -> None:
    conversation = stop_after_text(ask, script, AskRequest(QUESTION))
    ask.cancel = type(ask.cancel)()
    again = ask(script(Says("By the sun [1].")), QUESTION, conversation)

    assert kept(ask, conversation) == (again,)


@pytest.mark.parametrize("end", [GeneratorExit, KeyboardInterrupt])
def test_the_question_of_a_disconnected_client_is_stored(
    ask: Asking, script: Script, end: type[BaseException]
) -> None:
    events = ask.agent(script(Says("By the sun [1]."))).answer(AskRequest(QUESTION))
    notice = next(events).data
    next(events)
    with pytest.raises(end):
        events.throw(end)  # type: ignore[attr-defined]  # a generator

    assert isinstance(notice, AskNotice)
    (left,) = kept(ask, notice.conversation)
    assert (left.question, left.answer, left.cancelled) == (QUESTION, "", True)


def test_a_question_without_an_answer_is_not_stored(ask: Asking, script: Script) -> None:
    with pytest.raises(ProviderError):
        ask(script(Says(status=401)), QUESTION)
    assert not list((ask.folder / "conversations").iterdir())

    first = ask(script(Says("By the sun [1].")), QUESTION)
    with pytest.raises(ProviderError):
        ask(script(STANDALONE, Says(status=401)), "And when?", first.conversation)
    assert kept(ask, first.conversation) == (first,)
