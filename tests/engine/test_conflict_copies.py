"""Conflict copies of synchronisers in what an engine answers: never a note of their own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from notewell.base.errors import NotFoundError
from notewell.contract.notes import NoteRequest
from notewell.contract.search import SearchRequest, SimilarRequest
from notewell.engine.engine import Engine
from tests.vaults import QUIET, indexed

TEXT = "The plan for the orchard has quince trees and a wall of stone.\n"
COPY = "A.sync-conflict-20260101-120000-ABCDEFG.md"
EQUAL = "A (conflicted copy 2026-01-01).md"


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    notes = {
        "A.md": TEXT,
        COPY: TEXT + "\nMedlars ripen in November.\n",
        EQUAL: TEXT,
        "Z.md": f"The orchard plan of quince trees: [[A]] and [[{COPY[:-3]}]].",
    }
    with indexed(tmp_path, notes, name="Notes", vault=QUIET) as opened:
        yield opened


def test_what_a_copy_alone_says_is_found_with_its_note(engine: Engine) -> None:
    (found,) = engine.search(SearchRequest("medlars")).results
    assert (found.path, found.copy, found.copies) == ("A.md", COPY, (EQUAL, COPY))
    assert found.heading == f"Conflict copy: {COPY}"


def test_a_note_is_one_result_with_its_copies(engine: Engine) -> None:
    found = engine.search(SearchRequest("quince wall stone", weak=True)).results
    assert [result.path for result in found] == ["A.md", "Z.md"]
    assert [(result.copy, result.copies) for result in found] == [(None, (EQUAL, COPY)), (None, ())]


def test_similar_notes_have_no_copies_and_tell_of_them(engine: Engine) -> None:
    own = engine.answer(SimilarRequest("A.md", weak=True))
    assert [result.path for result in own.results] == ["Z.md"]
    assert any(COPY in warning for warning in own.warnings)
    other = engine.answer(SimilarRequest("Z.md", weak=True))
    assert [(result.path, result.copies) for result in other.results] == [("A.md", (EQUAL, COPY))]


def test_links_do_not_lead_to_a_copy_and_the_ledger_says_why(engine: Engine) -> None:
    linked = engine.answer(NoteRequest("Z.md"))
    assert [link.path for link in linked.links_out] == ["A.md", None]
    with pytest.raises(NotFoundError):
        engine.answer(NoteRequest(COPY))
    rows = {row.path: row.rule for row in engine.ledger().entries}
    assert rows[COPY] == rows[EQUAL] == "conflict_copy"
