"""Sentences that promise, decide or ask something are told from those that only look so."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from notewell.features.open_ends.lines import is_transcript, lines_of
from notewell.features.open_ends.rules import said_in


def said(text: str) -> list[tuple[str, str]]:
    return [(each.kind, each.text) for each in said_in(list(lines_of(text)))]


def kinds(text: str) -> list[str]:
    return [kind for kind, _ in said(text)]


@pytest.mark.parametrize(
    "text",
    [
        "I should call the dentist.",
        "I'll send you the photos on Monday.",
        "I\N{RIGHT SINGLE QUOTATION MARK}ll have to look into that.",
        "We talked long. I really need to order new tyres.",
        "We should plan a visit soon!",
        "TODO add a screenshot",
        "- Ask Tom whether the boiler is serviced",
        "Don't forget to water plot 14.",
        "%% Ask Jonas whether the fridge can be set to 10 °C %%",
        "I'll keep you posted.",
        "Ich muss noch die Reifen bestellen.",
        "- Tom fragen, ob die Heizung gewartet ist",
        "- Versicherung anrufen nicht vergessen",
    ],
)
def test_a_promise_is_one(text: str) -> None:
    assert kinds(text) == ["promised"]


@pytest.mark.parametrize(
    "text",
    [
        "Decision: we buy the blue one.",
        "**Agreed**: a script sorts the lists.",
        "- **Decision:** we buy the blue one.",
        "We decided to paint the hall next week.",
        "Wir haben gestern beschlossen, das Dach zu decken.",
    ],
)
def test_a_decision_is_one(text: str) -> None:
    assert kinds(text) == ["decided"]


@pytest.mark.parametrize(
    "text",
    [
        "- Do we take the tent?",
        "- [ ] Who waters plot 14?",
        "## Open questions\n- Which wood?",
        "## Offene Fragen\n- Welches Holz?",
        "Can it stay in the shed over the winter? #question",
        "> [!question] Open\n> - Should I plant them earlier?",
        "%%Should we have a rule for this?%%",
    ],
)
def test_a_question_to_oneself_is_one(text: str) -> None:
    assert kinds(text) == ["asked"]


@pytest.mark.parametrize(
    "text",
    [
        "I should have bought it first.",
        "I must admit that it was good.",
        "It must be great to live there.",
        "If I had time, I'd build a shed.",
        "Maybe I'll go back some day.",
        "I'll keep going, whatever comes.",
        "I'm going to a wedding.",
        "Now I'm going to show you the settings.",
        "You should restart the app. Don't forget to save your work.",
        "Why do we forget? Because traces decay.",
        "How do I install it?",
        "- **Anna:** Have you seen it?\n- **Ben:** No.",
        "## FAQ\n- Can I use it offline?",
        "- Do we take the tent?\n  - It is packed",
        "- Do we take the tent? Yes, the small one.",
        "- Do we take the tent?\n- → no",
        "- [x] I should call the dentist.",
        "- ~~I should call the dentist.~~",
        "## Done\n- I should call the dentist.",
        "> I should call the dentist.",
        "```\nI should call the dentist.\n```",
        "---\nnote: I should call the dentist.\n---\n",
        "| I should call the dentist. |",
        "# I should call the dentist",
        "Decision: rejected.",
        "Ich werde nicht fahren.",
    ],
)
def test_what_leaves_nothing_open_is_left_out(text: str) -> None:
    assert said(text) == []


def test_a_sentence_is_quoted_with_its_line_and_without_its_speaker() -> None:
    text = "---\nx: 1\n---\n# Call\n\n- **Ben:** Fine. I'll send you the plan.\n"
    (found,) = said_in(list(lines_of(text)))
    assert (found.text, found.line.number) == ("I'll send you the plan.", 6)


def test_recorded_speech_is_told_by_its_time_stamps() -> None:
    assert is_transcript("\n".join(f"00:0{minute}:12 and then" for minute in range(6)))
    assert not is_transcript("Lunch at 12:30:00, then a walk.")


@given(st.text(alphabet="-*>#`~%[]x |\n\t.?!:aIlwe'", max_size=200))
def test_any_text_can_be_read(text: str) -> None:
    lines = list(lines_of(text))
    written = text.split("\n")
    assert all(line.text in written[line.number - 1] for line in lines)
    assert [line.number for line in lines] == sorted({line.number for line in lines})
    assert all(sentence.text in sentence.line.text for sentence in said_in(lines))
