"""Open ends of a vault: by week, closed by what is written later, dismissed for good."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from notewell.base.errors import WriteError
from notewell.engine.engine import Engine
from notewell.features.open_ends.requests import DismissOpenEnd, OpenEndsReply, OpenEndsRequest
from notewell.features.open_ends.service import FILE
from tests.vaults import indexed, write_notes

NOTES = {
    "Daily/2026-03-02.md": "I should order new tyres for the bicycle.\n- Do we take the tent?\n",
    "Daily/2026-03-06.md": "Decision: the hall becomes blue.\n",
    "Daily/2026-03-11.md": "I need to ask Mara about the courgette seeds.\n",
}


def texts(reply: OpenEndsReply) -> list[str]:
    return [end.text for week in reply.weeks for end in week.ends]


def ends(engine: Engine, **wanted: str) -> OpenEndsReply:
    engine.index_now()
    return engine.vault.ask(OpenEndsRequest(**wanted))  # type: ignore[arg-type]


def test_they_stand_by_week_the_newest_first(tmp_path: Path) -> None:
    with indexed(tmp_path, NOTES) as engine:
        reply = ends(engine)
    assert [(week.start, [end.kind for end in week.ends]) for week in reply.weeks] == [
        ("2026-03-09", ["promised"]),
        ("2026-03-02", ["decided", "promised", "asked"]),
    ]
    end = reply.weeks[0].ends[0]
    assert (end.path, end.title, end.line) == ("Daily/2026-03-11.md", "2026-03-11", 1)
    assert end.uri.startswith("obsidian://")
    assert (reply.total, reply.dismissed) == (4, 0)


def test_a_kind_or_a_folder_can_be_asked_for(tmp_path: Path) -> None:
    with indexed(tmp_path, {**NOTES, "Work/2026-03-12.md": "I must call Tom.\n"}) as engine:
        assert texts(ends(engine, kind="asked")) == ["Do we take the tent?"]
        assert texts(ends(engine, folder="Work")) == ["I must call Tom."]


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("Daily/2026-03-04.md", "- [x] new tyres for the bicycle ordered\n"),
        ("Daily/2026-03-04.md", "Ordered the tyres for my bicycle, at last.\n"),
        ("Daily/2026-03-02.md", "- [x] order tyres for the bicycle\n"),
    ],
)
def test_what_a_later_text_takes_up_is_closed(tmp_path: Path, path: str, text: str) -> None:
    before = NOTES.get(path, "")
    with indexed(tmp_path, {**NOTES, path: before + text}) as engine:
        assert not any("tyres" in text for text in texts(ends(engine)))


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("Daily/2026-02-20.md", "Ordered the tyres for my bicycle, at last.\n"),  # before
        ("Daily/2026-03-04.md", "Ordered a lamp.\n"),  # something else
        ("Daily/2026-03-04.md", "I still have to order tyres for the bicycle!\n"),  # not yet
    ],
)
def test_what_does_not_take_it_up_leaves_it_open(tmp_path: Path, path: str, text: str) -> None:
    with indexed(tmp_path, {**NOTES, path: text}) as engine:
        assert "I should order new tyres for the bicycle." in texts(ends(engine))


def test_the_words_of_others_and_of_templates_are_not_the_persons(tmp_path: Path) -> None:
    others = {
        "Clip.md": "---\nsource: https://example.org\n---\nI should call the dentist.\n",
        "Templates/Day.md": "I should call the dentist.\n",
        "Clippings/In.md": "I should call the dentist.\n",
        **{f"Day {n}.md": "I need to write down three things.\n" for n in range(3)},
    }
    with indexed(tmp_path, {**others, "Own.md": "I should call a plumber.\n"}) as engine:
        assert texts(ends(engine)) == ["I should call a plumber."]


def test_a_dismissed_one_stays_away_wherever_it_stands_until_it_is_taken_back(
    tmp_path: Path,
) -> None:
    with indexed(tmp_path, NOTES) as engine:
        id_ = ends(engine).weeks[0].ends[0].id
        reply = engine.vault.ask(DismissOpenEnd(id=id_))
        assert (reply.total, reply.dismissed) == (3, 1)
        vault = engine.vault.record.path
        moved = "## Later\n* I **need** to ask Mara about the courgette seeds.\n"
        write_notes(vault, {"Daily/2026-03-12.md": moved})
        (vault / "Daily/2026-03-11.md").unlink()
        assert not any("courgette" in text for text in texts(ends(engine)))
        assert engine.vault.ask(DismissOpenEnd(id=id_, dismissed=False)).total == 4


def test_a_note_that_changes_is_read_anew(tmp_path: Path) -> None:
    with indexed(tmp_path, NOTES) as engine:
        ends(engine)
        write_notes(engine.vault.record.path, {"Daily/2026-03-11.md": "I must mend the fence.\n"})
        os.utime(engine.vault.record.path / "Daily/2026-03-11.md", (1.9e9, 1.9e9))
        assert "I must mend the fence." in texts(ends(engine))


def test_a_file_of_state_that_is_broken_is_told_and_kept(tmp_path: Path) -> None:
    with indexed(tmp_path, NOTES) as engine:
        id_ = ends(engine).weeks[0].ends[0].id
        file = engine.vault.folder / FILE
        file.write_text("{", encoding="utf-8")
        with pytest.raises(WriteError, match="dismissed open ends cannot be used"):
            engine.vault.ask(DismissOpenEnd(id=id_))
        assert file.read_text(encoding="utf-8") == "{"
