"""Making notes of saved links: once, with all days; statuses; undo."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeAlias

import pytest

from notewell.base.errors import NotFoundError, ReadOnlyError
from notewell.contract.search import SearchRequest
from notewell.contract.status import RunRequest
from notewell.engine.engine import Engine
from notewell.features.gleanings.parse import gleaning_id
from notewell.features.gleanings.requests import (
    ExtractGleanings,
    GleaningRequest,
    GleaningsRequest,
    GleaningStatsRequest,
    MaintainGleanings,
    MarkGleaning,
)
from notewell.features.writes.requests import UndoRequest
from tests.vaults import QUIET, indexed

FIRST = "# Day\n\n## Gleanings\n\n- [Bees: a study](https://bees.example/?utm_source=x) [14:30]\n  Of the *hive*.\n- https://bare.example\n- broken\n"
SECOND = "## Gleanings\n- [Again](https://bees.example)\n- [New](https://new.example/a)\n"
BEES = gleaning_id("https://bees.example")
NOTE = f"L/Gleanings/{BEES}.md"
Open: TypeAlias = Callable[[], Engine]


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    folder = tmp_path / "vault"
    (folder / "Daily").mkdir(parents=True)
    (folder / "Daily/2026-11-21.md").write_text(FIRST, encoding="utf-8")
    (folder / "Other.md").write_text(FIRST, encoding="utf-8")  # no daily note
    return folder


@pytest.fixture
def engine(tmp_path: Path, vault: Path) -> Iterator[Engine]:
    with indexed(tmp_path, name="Notes", vault=QUIET) as opened:
        yield opened


def test_notes_are_made_once_with_all_their_days(engine: Engine, vault: Path) -> None:
    planned = engine.answer(ExtractGleanings(dry_run=True))
    assert (planned.created, len(planned.ids), list(vault.glob("L/**/*.md"))) == (0, 2, [])

    done = engine.answer(ExtractGleanings())
    assert (done.files, done.found, done.created, done.errors) == (1, 2, 2, 1)
    assert engine.answer(RunRequest(done.run)).errors[0].path == "Daily/2026-11-21.md"
    assert (vault / NOTE).read_text(encoding="utf-8") == (
        '---\ntitle: "Bees: a study"\nurl: "https://bees.example/?utm_source=x"\ndate: 2026-11-21\n'
        "timestamp: 2026-11-21T14:30\ntags:\n  - gleaning\ntype: gleaning\nstatus: active\n"
        "migrated_from: Daily/2026-11-21.md\ndomain: bees.example\ncreated: 2026-11-21\n"
        f'source: "[[Daily/2026-11-21]]"\ngleaning_id: "{BEES}"\ndescription: "Of the *hive*."\n'
        "---\n# Bees: a study\n\nOf the *hive*.\n"
    )
    again = engine.answer(ExtractGleanings())
    assert (again.files, again.created) == (0, 0)

    (vault / "Daily/2026-11-22.md").write_text(SECOND, encoding="utf-8")
    engine.index_now()
    later = engine.answer(ExtractGleanings())
    assert (later.files, later.found, later.created, later.skipped) == (1, 2, 1, 1)
    text = (vault / NOTE).read_text(encoding="utf-8")
    assert '"[[Daily/2026-11-21]]"' in text
    assert '"[[Daily/2026-11-22]]"' in text
    engine.index_now()
    found = engine.answer(GleaningsRequest(q="bees study"))
    assert (found.total, found.gleanings[0].note) == (1, NOTE)
    assert found.gleanings[0].days == ("Daily/2026-11-21.md", "Daily/2026-11-22.md")


def test_an_extraction_is_undone_as_one(engine: Engine, vault: Path) -> None:
    done = engine.answer(ExtractGleanings())
    engine.answer(UndoRequest(done.undo))

    assert list(vault.glob("L/**/*.md")) == []
    full = engine.answer(ExtractGleanings(full=True))
    assert full.created == 2


def test_a_note_of_the_same_name_is_never_overwritten(engine: Engine, vault: Path) -> None:
    (vault / "L/Gleanings").mkdir(parents=True)
    (vault / NOTE).write_text("mine", encoding="utf-8")

    done = engine.answer(ExtractGleanings())

    assert (done.created, done.skipped) == (1, 1)
    assert (vault / NOTE).read_text(encoding="utf-8") == "mine"


def test_a_status_is_kept_before_and_after_there_is_a_note(engine: Engine, vault: Path) -> None:
    marked = engine.answer(MarkGleaning(BEES, "hidden", "read it"))
    assert (marked.gleaning.status, marked.history[0].by) == ("hidden", "hand")
    assert engine.answer(GleaningsRequest(status="active")).total == 1

    engine.answer(ExtractGleanings())
    assert "status: hidden" in (vault / NOTE).read_text(encoding="utf-8")
    engine.index_now()
    engine.answer(ExtractGleanings(full=True))
    assert engine.answer(GleaningRequest(BEES)).gleaning.status == "hidden"
    shown = engine.search(SearchRequest("bees study", mode="keyword", weak=True))
    assert NOTE not in [result.path for result in shown.results]
    asked = engine.search(SearchRequest("bees type:gleaning status:hidden", mode="keyword"))
    assert [result.path for result in asked.results] == [NOTE]

    engine.answer(MarkGleaning(BEES, "active"))
    engine.index_now()
    assert engine.answer(GleaningRequest(BEES)).gleaning.status == "active"
    assert engine.answer(GleaningStatsRequest()).statuses == {
        "active": 2,
        "inactive": 0,
        "hidden": 0,
    }
    with pytest.raises(NotFoundError, match="gleanings list"):
        engine.answer(GleaningRequest("0" * 12))


def test_a_status_reaches_a_note_that_is_not_indexed_yet(engine: Engine, vault: Path) -> None:
    engine.answer(ExtractGleanings())
    engine.answer(MarkGleaning(BEES, "hidden"))
    assert "status: hidden" in (vault / NOTE).read_text(encoding="utf-8")

    (vault / NOTE).write_text("---\nstatus: mine\n---\n", encoding="utf-8")  # another note now
    engine.answer(MarkGleaning(BEES, "active"))
    assert (vault / NOTE).read_text(encoding="utf-8") == "---\nstatus: mine\n---\n"


def test_an_unreadable_status_counts_as_active(engine: Engine, vault: Path) -> None:
    engine.answer(ExtractGleanings())
    text = (vault / NOTE).read_text(encoding="utf-8")
    (vault / NOTE).write_text(text.replace("status: active", "status: [odd]"), encoding="utf-8")
    engine.index_now()

    assert engine.answer(GleaningRequest(BEES)).gleaning.status == "active"


def test_nothing_is_requested_before_a_person_allows_it(engine: Engine) -> None:
    with pytest.raises(ReadOnlyError, match=r"gleanings|offline"):
        engine.answer(ExtractGleanings(fetch=True))
    with pytest.raises(ReadOnlyError):
        engine.answer(MaintainGleanings())
