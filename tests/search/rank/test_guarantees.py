"""Orders that hold whatever the vault, the query and the model are."""

from __future__ import annotations

import numpy as np
import pytest

from tests.search.library import MakeLibrary
from tests.search.rank.drawn import check, check_strangers


@pytest.mark.parametrize("seed", [*range(24), 20114])
def test_every_order_holds_in_drawn_vaults(seed: int) -> None:
    found = check(seed, 25)
    assert found.pop("asked") > 0
    assert found == {}


WORDS = "hammer nail plank saw shed gate fence post rail hinge".split()  # noqa: SIM905


def filled(word: str, length: int) -> str:
    drawn = np.random.default_rng(length)
    return " ".join([*drawn.choice(WORDS, length), word, *drawn.choice(WORDS, length)])


@pytest.mark.parametrize("length", [20, 215, 2500])
@pytest.mark.parametrize("mode", ["hybrid", "keyword"])
def test_the_only_note_with_the_word_is_first(
    make_library: MakeLibrary, mode: str, length: int
) -> None:
    notes = {"Diary.md": filled("lathe", length), "Wood turning.md": "Bowls are turned from wood."}
    notes |= {f"{n}.md": filled("oak", 30) for n in range(5)}
    assert make_library(notes).paths("lathe", mode=mode)[0] == "Diary.md"


@pytest.mark.parametrize("typing", [True, False])
def test_a_note_with_both_words_is_before_one_named_after_one(
    make_library: MakeLibrary, *, typing: bool
) -> None:
    notes = {
        "Olaf.md": "A friend from school.",
        "Birthday.md": "Cakes and candles.",
        "Plans.md": filled("Olaf has his birthday in May.", 60),
    }
    library = make_library(notes)
    assert library.paths("olaf birthday", typing=typing)[0] == "Plans.md"
    assert library.paths("olaf", typing=typing)[0] == "Olaf.md"


def test_the_parts_of_a_score_add_up(make_library: MakeLibrary) -> None:
    notes = {"Diary.md": filled("lathe", 400), "Wood.md": "Bowls are turned from wood."}
    reply = make_library(notes).search("lathe")
    best = float(reply.fusion.params["best"] or 0)
    for result in reply.results:
        parts = (getattr(result.scores, name) or 0.0 for name in ("words", "meaning", "coverage"))
        total = sum(parts) + (result.scores.names or 0.0) + (result.scores.links or 0.0)
        assert result.scores.fused == pytest.approx(total / best, abs=1e-4)


@pytest.mark.parametrize("seed", range(4))
def test_strangers_reverse_no_pair_of_which_one_is_greater_in_every_part(seed: int) -> None:
    found = check_strangers(seed, 12)
    assert found["pairs"] > 0
    assert found["5"] == 0
    assert found["reversed"] <= 0.02 * found["pairs"]


@pytest.mark.parametrize("typing", [True, False])
@pytest.mark.parametrize("mode", ["hybrid", "keyword"])
def test_function_words_alone_are_a_quotation(
    make_library: MakeLibrary, mode: str, *, typing: bool
) -> None:
    notes = {
        "Hamlet.md": "To be, or not to be, that is the question.",
        "What it is to be.md": "The not to be or to be are in the words; it is up to us to be or not.",
        "Talk.md": "We talked about who would be the one to do it, or not. " * 6,
    }
    library = make_library(notes)
    assert library.paths("to be or not to be", mode=mode, typing=typing)[0] == "Hamlet.md"
    assert library.paths("what it is to be", mode=mode)[0] == "What it is to be.md"
