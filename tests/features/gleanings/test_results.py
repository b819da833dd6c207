"""Saved links are results of their own before a note is made of them, and one result after."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from notewell.contract.search import SearchRequest
from notewell.engine.engine import Engine
from notewell.features.gleanings.parse import gleaning_id
from notewell.features.gleanings.requests import ExtractGleanings, GleaningsRequest, MarkGleaning
from notewell.features.writes.requests import UndoRequest
from tests.vaults import QUIET, indexed

DAY = "Daily/2026-11-21.md"
TEXT = "# Day\n\nWalked.\n\n## Gleanings\n\n- [A study of bees](https://bees.example/a)\n  Of the hive.\n- [Ferries](https://sea.example/f)\n"
BEES = gleaning_id("https://bees.example/a")
RESULT = f".documents/.gleanings/{DAY}/{BEES}.md"
NOTE = f"L/Gleanings/{BEES}.md"


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    folder = tmp_path / "vault"
    (folder / "Daily").mkdir(parents=True)
    (folder / DAY).write_text(TEXT, encoding="utf-8")
    (folder / "Other.md").write_text("# Other\n\n" + TEXT, encoding="utf-8")  # no daily note
    return folder


@pytest.fixture
def engine(tmp_path: Path, vault: Path) -> Iterator[Engine]:
    with indexed(tmp_path, name="Notes", vault=QUIET) as opened:
        yield opened


def found(engine: Engine, query: str) -> list[str]:
    return sorted(result.path for result in engine.search(SearchRequest(query)).results)


def test_a_saved_link_is_a_result_with_its_own_properties(engine: Engine, vault: Path) -> None:
    assert found(engine, "type:gleaning bees") == [RESULT]
    (result,) = engine.search(SearchRequest("type:gleaning bees")).results
    assert result.title == "A study of bees"
    assert result.uri is not None
    assert "Daily%2F2026-11-21" in result.uri
    assert result.uri.endswith("&line=7")  # where it is saved
    assert len(found(engine, "type:gleaning")) == 2
    assert sorted(str(path.relative_to(vault)) for path in vault.rglob("*.md")) == [
        DAY,
        "Other.md",
    ]  # nothing was written
    listed = engine.answer(GleaningsRequest())
    assert (listed.total, {gleaning.note for gleaning in listed.gleanings}) == (2, {None})


def test_a_link_saved_on_two_days_is_one_result(engine: Engine, vault: Path) -> None:
    (vault / "Daily" / "2026-11-22.md").write_text(TEXT, encoding="utf-8")
    engine.index_now()
    assert len(found(engine, "type:gleaning bees")) == 1
    assert found(engine, "bees hive")[0].endswith(f"/{BEES}.md")


def test_it_is_one_result_once_extracted_and_back_when_that_is_undone(engine: Engine) -> None:
    done = engine.answer(ExtractGleanings())
    engine.index_now()
    assert found(engine, "type:gleaning bees") == [NOTE]

    engine.answer(UndoRequest(done.undo))
    engine.index_now()
    assert found(engine, "type:gleaning bees") == [RESULT]


def test_a_look_at_the_daily_note_alone_follows_its_links(engine: Engine, vault: Path) -> None:
    (vault / DAY).write_text(TEXT.replace("- [Ferries](https://sea.example/f)\n", ""), "utf-8")
    engine.work.look_now(DAY)
    assert found(engine, "type:gleaning") == [RESULT]

    (vault / DAY).unlink()
    engine.work.look_now(DAY)
    assert found(engine, "type:gleaning") == []


def test_a_look_at_a_note_that_was_made_or_is_gone_follows(engine: Engine, vault: Path) -> None:
    engine.answer(ExtractGleanings())
    engine.work.look_now("L")
    assert found(engine, "type:gleaning bees") == [NOTE]

    (vault / NOTE).unlink()
    engine.work.look_now(NOTE)
    assert found(engine, "type:gleaning bees") == [RESULT]


def test_a_hidden_link_is_left_out_as_its_note_would_be(engine: Engine) -> None:
    engine.answer(MarkGleaning(BEES, "hidden", "read"))
    engine.index_now()

    assert found(engine, "type:gleaning bees") == []
    assert found(engine, "type:gleaning status:hidden") == [RESULT]


def test_an_index_that_is_up_to_date_reads_no_link_again(engine: Engine, vault: Path) -> None:
    reader = Counter[str]()
    (vault / DAY).write_text(TEXT.replace("Walked", "Rode"), encoding="utf-8")
    engine.index_now(progress=lambda at: reader.update([at.current or ""]))
    assert reader[DAY]
    assert not any(".gleanings" in path for path in reader)
