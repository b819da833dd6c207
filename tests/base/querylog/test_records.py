"""When two queries are the same, and when one is an extension of the other."""

from __future__ import annotations

import unicodedata
from dataclasses import replace
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from notewell.base.querylog.database import BURST_SECONDS, QueryEntry, continues, fold, storable

FIRST = QueryEntry("a", 100.0, "plugin", "bees", "hybrid", 1.0, 1)


def typed_on(text: str, *, after: float = 0.5, door: str = "plugin") -> bool:
    return continues(FIRST, replace(FIRST, id="b", at=FIRST.at + after, text=text, door=door))


def test_a_query_typed_further_continues_the_earlier_one() -> None:
    assert typed_on("bees in")
    assert typed_on("Bees ")
    assert typed_on("bees")


def test_another_query_a_pause_or_another_client_starts_a_new_one() -> None:
    assert not typed_on("wasps")
    assert not typed_on("bee")
    assert not typed_on("bees in", after=BURST_SECONDS + 0.1)
    assert not typed_on("bees in", after=-0.1)
    assert not typed_on("bees in", door="cli")


def test_composed_syllables_and_accents_continue_a_query() -> None:
    for text in ("한국", "Zürich", "forêt"):
        keys = unicodedata.normalize("NFD", text)
        steps = [unicodedata.normalize("NFC", keys[:n]) for n in range(1, len(keys) + 1)]
        asked = [replace(FIRST, at=float(n), text=step) for n, step in enumerate(steps)]
        assert all(continues(one, next_) for one, next_ in pairwise(asked))


@given(st.text(st.characters(categories=("Lu", "Ll", "Lo", "Nd", "Zs"))), st.integers(0, 40))
def test_every_prefix_of_a_text_continues_to_it(text: str, cut: int) -> None:
    keys = unicodedata.normalize("NFKD", text)
    begun = replace(FIRST, text=keys[:cut])

    assert continues(begun, replace(FIRST, at=FIRST.at + 1, text=text))


@given(st.text())
def test_folding_is_idempotent_and_ignores_case_and_spacing(text: str) -> None:
    assert fold(fold(text)) == fold(text)
    assert fold(f"  {text}\n") == fold(text)
    assert fold("  Bees \t In ") == fold("bees in")


@given(st.text(st.characters(exclude_categories=())))
def test_any_text_can_be_stored(text: str) -> None:
    assert storable(text).encode("utf-8").decode("utf-8") == storable(text)
    assert fold(text) == fold(storable(text))
