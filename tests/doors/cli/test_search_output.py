"""Results on a terminal: highlights are in the right place in any script."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import click
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from notewell.base.types import Match
from notewell.contract.search import (
    Contribution,
    Explain,
    Fusion,
    Passage,
    RawScores,
    Reason,
    Removed,
    Result,
    Scores,
    SearchReply,
    StageTrace,
)
from notewell.doors.cli.output import clean
from notewell.doors.cli.search import (
    correction,
    highlight,
    nothing_found,
    print_results,
    summary,
)
from tests.doors.cli.support import terminal

OTHER_WORDS = ["  other words or fewer of them, or `notewell status`: is the index complete?"]


def bold(snippet: str, highlights: list[tuple[int, int]]) -> list[str]:
    return [piece.text for piece in highlight(snippet, highlights) if piece.bold]


def plain(snippet: str, highlights: list[tuple[int, int]]) -> str:
    return "".join(piece.text for piece in highlight(snippet, highlights))


def test_highlights_count_utf16_units() -> None:
    assert bold("👩 bees and 蜂", [(3, 7), (12, 13)]) == ["bees", "蜂"]


def test_overlapping_and_invalid_highlights_are_ignored() -> None:
    assert plain("bees", [(0, 3), (1, 4), (3, 3), (9, 12)]) == "bees"


def test_a_snippet_is_printed_as_one_escaped_line() -> None:
    assert plain("a\n\n  b\tc \x1b[2J", [(0, 1)]) == "a b c \\x1b[2J"


@given(
    st.text(st.characters(max_codepoint=0xFFFF, exclude_categories=["Cs"])),
    st.lists(st.tuples(st.integers(0, 30), st.integers(0, 30))),
)
def test_highlights_never_lose_text(snippet: str, highlights: list[tuple[int, int]]) -> None:
    shown = plain(snippet, highlights)

    assert "".join(shown.split()) == clean("".join(snippet.split()))


def found(**changed: Any) -> Result:
    result = Result(
        path="Garden/Bees.md",
        title="Bees",
        description=None,
        heading="Hives > Way home",
        block=None,
        parent=None,
        line=3,
        snippet="Bees find their way.",
        highlights=((0, 4),),
        score=0.874,
        scores=Scores(),
        raw=RawScores(),
        passages=(),
        tags=(),
        properties={},
        created=None,
        modified=None,
        uri="",
    )
    return replace(result, **changed)


def answer(
    *results: Result, total: int | None = None, explain: Explain | None = None, **changed: Any
) -> SearchReply:
    reply = SearchReply(
        query="bees",
        vault="v",
        mode="hybrid",
        fusion=Fusion("rrf"),
        expanded=(),
        filtered={},
        generation=1,
        took_ms=3.21,
        total=len(results) if total is None else total,
        confidence=None,
        results=results,
        warnings=(),
        explain=explain,
    )
    return replace(reply, **changed)


def test_a_result_shows_place_text_and_score(capsys: pytest.CaptureFixture[str]) -> None:
    passage = Passage(None, None, None, line=9, snippet="", highlights=(), score=0.5)
    print_results(answer(found(passages=(passage,))), long=True)

    lines = [line.strip() for line in capsys.readouterr().out.splitlines()]
    assert lines == [
        "1  Bees  0.87",
        "Garden/Bees.md:3",
        "Hives > Way home",
        "Bees find their way.",
        "also at line 9",
        "",
    ]


def test_a_result_takes_two_lines_its_name_and_place_and_its_passage(
    capsys: pytest.CaptureFixture[str],
) -> None:
    print_results(answer(found(match="strong"), found(title="Wax", heading=None, match="related")))

    assert capsys.readouterr().out.splitlines() == [
        " 1  Bees  strong match  Garden/Bees.md:3",
        "    Hives > Way home · Bees find their way.",
        " 2  Wax  related  Garden/Bees.md:3",
        "    Bees find their way.",
    ]


def test_ten_results_fit_on_a_small_screen_and_no_path_is_cut(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    stdout = terminal(monkeypatch, columns=80)
    word = "the light of the sun " * 20
    result = found(
        title="A title that is much too long for a line " * 2,
        heading="A heading",
        snippet=f"{word}bees {word}",
        highlights=((len(word), len(word) + 4),),
        match="strong",
    )
    print_results(answer(*[result] * 10))

    lines = click.unstyle(stdout.getvalue()).splitlines()
    assert len(lines) == 20
    assert all(cell_len(line) <= 80 for line in lines)
    assert all("Garden/Bees.md:3" in line for line in lines[::2])
    assert all("bees" in line for line in lines[1::2])


@pytest.mark.parametrize(
    ("match", "code"), [("strong", "\x1b[32m"), ("related", "\x1b[36m"), ("weak", "\x1b[2m")]
)
def test_the_colour_of_a_title_says_how_well_it_matches(
    monkeypatch: pytest.MonkeyPatch, match: Match, code: str
) -> None:
    stdout = terminal(monkeypatch, columns=80)
    print_results(answer(found(match=match)))

    assert stdout.getvalue().startswith(f" 1  {code}")


def test_a_title_is_a_link_where_the_terminal_opens_links(monkeypatch: pytest.MonkeyPatch) -> None:
    uri = "obsidian://open?vault=v&file=Bees"
    monkeypatch.setenv("FORCE_HYPERLINK", "1")
    with_links = terminal(monkeypatch, columns=80)
    print_results(answer(found(uri=uri)))
    monkeypatch.setenv("FORCE_HYPERLINK", "0")
    without = terminal(monkeypatch, columns=80)
    print_results(answer(found(uri=uri)))

    assert f"\x1b]8;;{uri}\x1b\\" in with_links.getvalue()
    assert "\x1b]8;;" not in without.getvalue()


def test_a_result_in_a_pdf_shows_its_page_and_who_embeds_it(
    capsys: pytest.CaptureFixture[str],
) -> None:
    further = Passage(None, None, None, 9, "", (), 0.5, page=7)
    print_results(
        answer(
            found(path="a/Paper.pdf", page=3, embedded_in=("b/Reading.md",), passages=(further,))
        ),
        long=True,
    )

    lines = [line.strip() for line in capsys.readouterr().out.splitlines()]
    assert lines[1] == "a/Paper.pdf, page 3, embedded in Reading"
    assert lines[4] == "also on page 7"


@pytest.mark.parametrize(
    ("match", "shown"),
    [("strong", "strong match"), ("related", "related"), ("weak", "weak match")],
)
def test_a_result_says_how_well_it_matches_instead_of_its_share_of_the_best(
    capsys: pytest.CaptureFixture[str], match: Match, shown: str
) -> None:
    print_results(answer(found(match=match, score=1.0)), long=True)

    assert capsys.readouterr().out.splitlines()[0] == f" 1  Bees  {shown}"


def test_text_that_is_gone_or_of_another_day_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    print_results(answer(found(current=False), found(as_of="2025-02-01"), found(current=True)))
    printed = capsys.readouterr().out
    assert printed.count("(no longer there)") == 1
    assert printed.count("(as of 2025-02-01)") == 1


def test_a_long_path_is_not_cut(capsys: pytest.CaptureFixture[str]) -> None:
    path = "long folder/" * 30 + "n.md"
    print_results(answer(found(path=path)))

    assert f"{path}:3" in capsys.readouterr().out


def test_stages_are_shown_with_explain(capsys: pytest.CaptureFixture[str]) -> None:
    removed = (Removed("duplicate", 28),)
    stage = StageTrace("fuse", 0.31, 40, 12, removed, ("Bees.md",))
    print_results(answer(found(), explain=Explain({}, (stage,))))

    assert "fuse   0.31  40   12  28 duplicate  Bees.md" in capsys.readouterr().out


def test_an_empty_result_prints_a_message(capsys: pytest.CaptureFixture[str]) -> None:
    print_results(answer())

    assert capsys.readouterr().out.splitlines() == ["Nothing found.", "Try:", *OTHER_WORDS]


def test_where_nothing_matches_well_it_says_what_to_try(capsys: pytest.CaptureFixture[str]) -> None:
    print_results(answer(query='"busy bees"', filtered={"weak": 3, "daily": 2, "status": 1}))

    assert capsys.readouterr().out.splitlines() == [
        "Nothing matches well.",
        "Try:",
        "  without the quotation marks, to find the words anywhere in a note",
        "  --weak, to see the 3 notes that hardly match",
        "  --everything, to search 3 shelved or daily notes too",
    ]


def test_notes_that_a_condition_on_the_status_left_out_are_not_offered() -> None:
    reply = answer(query="bees status:draft", filtered={"status": 4})

    assert nothing_found(reply) == ["Nothing found.", "Try:", *OTHER_WORDS]


def test_a_corrected_query_says_what_was_searched_for_and_how_to_search_for_what_was_typed() -> (
    None
):
    reply = answer(query="beees", corrected={"text": "bees", "from": ("beees",)})

    assert correction(reply) == (
        "Showing results for bees (searched: beees; --ignore spelling searches for exactly this)."
    )
    assert correction(answer()) is None


def test_the_summary_counts_what_is_not_shown() -> None:
    assert summary(answer(found(), total=1)) == "1 note, 3.2 ms, hybrid"
    assert summary(answer(found()), seconds=4.04) == "1 note, 3.2 ms (4.0 s in all), hybrid"
    assert summary(answer(found(), total=1), name_vault=True) == "1 note in v, 3.2 ms, hybrid"
    assert summary(answer(found(), total=1200)) == "1 of 1,200 notes, 3.2 ms, hybrid"


@pytest.mark.parametrize(
    ("heading", "shown"),
    [("Bees", False), ("Bees > Way home", False), ("Hives > Bees", True), (None, False)],
)
def test_a_heading_that_repeats_the_title_is_left_out(
    capsys: pytest.CaptureFixture[str], heading: str | None, *, shown: bool
) -> None:
    print_results(answer(found(title="Bees", heading=heading)), long=True)

    lines = [line.strip() for line in capsys.readouterr().out.splitlines()]
    assert ("Hives > Bees" in lines) is shown
    assert "Bees" not in lines
    assert ("Way home" in lines) is (heading == "Bees > Way home")


def test_a_similar_note_shows_its_reasons(capsys: pytest.CaptureFixture[str]) -> None:
    reasons = (Reason("passage", "Hives"), Reason("tags", "#bees"))
    result = found(reasons=reasons, linked="in", duplicates=("Copy.md",))
    print_results(answer(result), long=True)
    why = "like “Hives” · both #bees · linked already · nearly the same: Copy.md"
    assert why in " ".join(capsys.readouterr().out.split())


def test_an_explanation_shows_the_components_of_a_score(capsys: pytest.CaptureFixture[str]) -> None:
    made = Contribution(
        path="Garden/Bees.md",
        score=0.87,
        ranks={"keyword": 2, "semantic": None},
        adds={"keyword": 0.7, "semantic": 0.0},
        times={"graph": 1.25, "tag": 1.0},
        words={"bees": 3.5},
    )
    print_results(answer(found(), explain=Explain({}, (), (made,))))
    shown = " ".join(capsys.readouterr().out.split())
    assert "Garden/Bees.md 0.87 0.70 (#2) 0.00 (#-) graph x1.25 bees 3.5" in shown


def test_an_explanation_of_a_sum_shows_every_addend(capsys: pytest.CaptureFixture[str]) -> None:
    made = Contribution(
        path="Bees.md",
        score=0.87,
        ranks={"keyword": 2, "semantic": None},
        adds={"words": 0.4, "meaning": 0.1, "coverage": 0.3, "names": 0.0, "links": 0.07},
        times={},
        words={},
    )
    print_results(answer(found(), explain=Explain({}, (), (made,))))
    shown = " ".join(capsys.readouterr().out.split())
    assert "score words meaning coverage names links" in shown
    assert "Bees.md 0.87 0.40 (#2) 0.10 (#-) 0.30 0.00 0.07" in shown
