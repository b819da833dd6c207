"""Plans: made, read, applied, taken back, rejected; changed notes and killed processes."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from notewell.base.errors import NotFoundError, WriteError
from notewell.base.types import VaultRecord
from notewell.contract.status import RunsRequest
from notewell.engine.engine import Engine
from notewell.features import FEATURES
from notewell.features.gardener import GardenRules, changes
from notewell.features.gardener.requests import MakePlan, PlanReply
from notewell.features.writes.requests import UndoRequest
from notewell.vault.write import VaultWriter
from notewell.vault.write_journal import Journal
from tests.features.gardener.asked import Plans, killed_steps
from tests.vaults import QUIET, settings_in

CHECKS = ("broken_links", "unlinked_mentions", "tag_variants", "missing_properties")
NOTES = {
    **{f"Use {n}.md": f"The [[Queen Bee]] of hive {n}.\n" for n in range(5)},
    "Queen Bee.md": "#bees\r\n",
    "A.md": "---\ntags: [Bees]  # mine\n---\nSee [[Old/Queen-Bee]].\r\n\r\n#Bees\r\n",
    "B.md": "The Queen Bee, and [[quen bee#Part|her]]; the hive.\n",
    "C.md": "#bees of a Queen Bee",
    "Ignored.md": "---\ngardener-ignore: 1\n---\nThe Queen Bee [[Quen Bee]]",
    "Private/P.md": "The Queen Bee [[Quen Bee]]",
    **{f"Books/{n}.md": f"---\nkind: book\nrating: {n}\n---\n" for n in range(7)},
    "Books/x.md": "---\nrating: 3\n---\nText",
}
Open = Callable[..., Engine]


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    for path, text in NOTES.items():
        file = tmp_path / "vault" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text.encode())
    return tmp_path / "vault"


@pytest.fixture
def opened(tmp_path: Path, vault: Path) -> Iterator[Open]:
    engines: list[Engine] = []

    def again(**rules: str) -> Engine:
        for engine in engines:
            engine.close()
        settings = settings_in(
            tmp_path,
            vault=QUIET,
            of_features={"garden": GardenRules(ignore=("Private",), checks=CHECKS, **rules)},
        )
        record = VaultRecord("v1", "Notes", vault)
        engines.append(
            Engine.open(record, tmp_path / "index", settings, writable=True, features=FEATURES)
        )
        engines[-1].index_now()
        return engines[-1]

    yield again
    for one in engines:
        one.close()


def bytes_of(vault: Path) -> dict[str, bytes]:
    return {
        file.relative_to(vault).as_posix(): file.read_bytes()
        for file in sorted(vault.rglob("*.md"))
        if not file.name.startswith("Gardener Plan")
    }


def made(plans: Plans) -> PlanReply:
    return plans.make(MakePlan())


APPLIED = {
    "A.md": b"---\ntags: [bees]  # mine\n---\nSee [[Queen Bee]].\r\n\r\n#bees\r\n",
    "B.md": b"The [[Queen Bee]], and [[Queen Bee#Part|her]]; the hive.\n",
    "C.md": b"#bees of a [[Queen Bee]]",
    "Books/x.md": b"---\nrating: 3\nkind: book\n---\nText",
}


def test_a_plan_is_applied_and_taken_back_as_one(opened: Open, vault: Path) -> None:
    engine = opened()
    plans, before = Plans(engine), bytes_of(vault)
    plan = made(plans)

    assert bytes_of(vault) == before
    changed = {edit.path for suggestion in plan.suggestions for edit in suggestion.edit}
    assert changed == APPLIED.keys()
    assert all(
        suggestion.diff and suggestion.evidence and suggestion.confidence >= 0.7
        for suggestion in plan.suggestions
    )
    assert engine.answer(RunsRequest(1)).runs[0].kind == "plan"

    done = plans.apply(plan.id, ())
    assert (len(done.applied), done.refused) == (len(plan.suggestions), ())
    assert {path: bytes_of(vault)[path] for path in APPLIED} == APPLIED
    assert plans.show(plan.id).counts["applied"] == len(plan.suggestions)

    back = plans.undo(plan.id, ())
    assert bytes_of(vault) == before
    assert (len(back.applied), plans.show(plan.id).counts["open"]) == (len(plan.suggestions),) * 2

    # Applied once more, then taken back by the undo for all writes.
    again = plans.apply(plan.id, ())
    engine.answer(UndoRequest(again.undo))
    assert bytes_of(vault) == before
    assert plans.show(plan.id).counts["open"] == len(plan.suggestions)


def test_suggestions_of_one_note_are_applied_one_by_one(opened: Open, vault: Path) -> None:
    plans = Plans(opened())
    before = bytes_of(vault)
    plan = made(plans)
    for suggestion in plan.suggestions:
        assert plans.apply(plan.id, (suggestion.id,)).refused == ()
    assert {path: bytes_of(vault)[path] for path in APPLIED} == APPLIED

    mine = [suggestion for suggestion in plan.suggestions if suggestion.edit[0].path == "A.md"]
    assert len(mine) == 2
    plans.undo(plan.id, (mine[0].id,))
    part = bytes_of(vault)["A.md"]
    assert part not in {before["A.md"], APPLIED["A.md"]}
    plans.undo(plan.id, ())
    assert bytes_of(vault) == before


def test_a_changed_note_is_refused_and_the_rest_applied(opened: Open, vault: Path) -> None:
    plans = Plans(opened())
    plan = made(plans)
    (vault / "A.md").write_bytes(b"mine now")
    done = plans.apply(plan.id, ())

    mine = {
        suggestion.id
        for suggestion in plan.suggestions
        if any(edit.path == "A.md" for edit in suggestion.edit)
    }
    assert {each.id for each in done.refused} == mine
    assert "A.md was changed" in done.refused[0].why
    assert bytes_of(vault)["A.md"] == b"mine now"
    assert bytes_of(vault)["C.md"] == APPLIED["C.md"]
    assert plans.show(plan.id).counts["refused"] == len(mine)

    # What a person changed after it was applied stays as well.
    (vault / "C.md").write_bytes(b"changed later")
    assert "C.md" in plans.undo(plan.id, ()).refused[0].why
    assert bytes_of(vault)["C.md"] == b"changed later"
    assert bytes_of(vault)["B.md"] == NOTES["B.md"].encode()


def test_a_note_that_was_deleted_is_refused_and_the_rest_applied(opened: Open, vault: Path) -> None:
    plans = Plans(opened())
    plan = made(plans)
    (vault / "A.md").unlink()
    done = plans.apply(plan.id, ())

    assert {each.why.partition(" ")[0] for each in done.refused} == {"A.md"}
    assert not (vault / "A.md").exists()
    assert {path: bytes_of(vault)[path] for path in APPLIED if path != "A.md"} == {
        path: text for path, text in APPLIED.items() if path != "A.md"
    }


def test_more_notes_than_one_undo_holds_are_applied_in_several_turns(
    opened: Open, vault: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(changes, "MOST_NOTES", 2)
    plans, before = Plans(opened()), bytes_of(vault)
    plan = made(plans)
    first = plans.apply(plan.id, ())

    assert {each.why for each in first.refused} == {
        "Too many notes for one undo. Apply the rest by itself."
    }
    now = bytes_of(vault)
    assert len([path for path in APPLIED if now[path] != before[path]]) == 2
    second = plans.apply(plan.id, ())
    assert (second.refused, {path: bytes_of(vault)[path] for path in APPLIED}) == ((), APPLIED)
    for done in (second, first):
        plans.engine.answer(UndoRequest(done.undo))
    assert bytes_of(vault) == before


def test_a_disk_that_refuses_one_note_leaves_it_and_the_others_are_written(
    opened: Open, vault: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = opened()
    plans = Plans(engine)
    plan = made(plans)
    edit = VaultWriter.edit

    def refuse(writer: VaultWriter, path: str, *given: Any, **options: Any) -> Any:
        if path == "A.md":
            raise WriteError("A.md cannot be written: the disk is full.")
        return edit(writer, path, *given, **options)

    with monkeypatch.context() as patch:
        patch.setattr(VaultWriter, "edit", refuse)
        done = plans.apply(plan.id, ())
    assert {each.why for each in done.refused} == {"A.md cannot be written: the disk is full."}
    assert bytes_of(vault)["A.md"] == NOTES["A.md"].encode()
    assert bytes_of(vault)["C.md"] == APPLIED["C.md"]

    # The plan knows which are still to be done, and does them once the disk has room.
    assert plans.apply(plan.id, ()).refused == ()
    assert {path: bytes_of(vault)[path] for path in APPLIED} == APPLIED


def test_without_the_text_of_before_nothing_is_taken_back(
    opened: Open, vault: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = opened()
    plans = Plans(engine)
    plan = made(plans)
    plans.apply(plan.id, ())
    monkeypatch.setattr(Journal, "before", lambda *_: None)
    refused = plans.undo(plan.id, ()).refused

    assert len(refused) == len(plan.suggestions)
    assert "journal no longer has" in refused[0].why
    assert {path: bytes_of(vault)[path] for path in APPLIED} == APPLIED


def test_what_was_decided_does_not_come_again(opened: Open, vault: Path, tmp_path: Path) -> None:
    engine = opened()
    plans = Plans(engine)
    plan = made(plans)
    no = next(suggestion for suggestion in plan.suggestions if suggestion.path == "C.md")
    yes = next(suggestion for suggestion in plan.suggestions if suggestion.path == "B.md")
    assert plans.reject(plan.id, (no.id,)).rejected == (no.id,)
    plans.apply(plan.id, (yes.id,))
    (vault / "C.md").write_text("More.\n\n" + NOTES["C.md"])
    (vault / "B.md").write_text(NOTES["B.md"])  # the person has taken it back
    engine.index_now()

    again = {suggestion.id for suggestion in made(plans).suggestions}
    assert again == {suggestion.id for suggestion in plan.suggestions} - {no.id, yes.id}
    state = json.loads((tmp_path / "data/vaults/v1/garden.json").read_text())
    assert state["rejected"][no.id]["path"] == "C.md"
    assert state["applied"][yes.id]["title"] == yes.title


def test_a_plan_in_a_note(opened: Open, vault: Path) -> None:
    engine = opened(folder="Gardener/Plans")
    plans = Plans(engine)
    plan = made(plans)
    assert plan.note is not None
    text = (vault / plan.note).read_text()
    block = json.loads(text.split("```gardener-plan\n")[1].split("\n```")[0])
    assert [load["id"] for load in block["suggestions"]] == [
        suggestion.id for suggestion in plan.suggestions
    ]
    assert "- [ ] `B.md`" in text

    engine.index_now()
    assert engine.ledger(path=plan.note).entries[0].rule == "gardener_plan"
    done = plans.apply(plan.id, ())
    assert "- [x] `B.md`" in (vault / plan.note).read_text()
    engine.answer(UndoRequest(done.undo))
    assert (vault / plan.note).read_text() == text

    assert plans.reject(plan.id, ()).deleted
    assert not (vault / plan.note).exists()
    with pytest.raises(NotFoundError):
        plans.show(plan.id)


def test_old_plans_are_deleted(opened: Open, vault: Path, tmp_path: Path) -> None:
    plans = Plans(opened(folder="Plans"))
    old = made(plans)
    file = tmp_path / "data/vaults/v1/garden.json"
    file.write_text(file.read_text().replace(old.created, "2020-01-01T00:00:00+00:00"))
    made(plans)

    (new,) = plans.plans(10).plans
    assert not new.created.startswith("2020")
    assert len(list(vault.glob("Plans/*.md"))) == 1


def test_an_orphan_is_left_alone_while_it_is_new(opened: Open, vault: Path) -> None:
    from notewell.features.gardener.checks import CHECKS as ALL  # noqa: PLC0415
    from notewell.features.gardener.garden import read_garden  # noqa: PLC0415

    engine = opened()
    garden = read_garden(engine.vault, engine.vault.settings().of(GardenRules))
    assert list(ALL["orphans"].find(garden)) == []
    assert "Private/P.md" not in garden.tended
    assert "Ignored.md" not in garden.tended
    assert time.time() - garden.now < 60


@pytest.mark.skipif(not hasattr(os, "fork"), reason="kills copies of a process")
@pytest.mark.parametrize("what", ["apply", "undo"])
def test_a_process_may_be_killed_between_any_two_writes(
    opened: Open, vault: Path, tmp_path: Path, what: str
) -> None:
    plans = Plans(opened(folder="Plans"))
    plan = plans.make(MakePlan(("tag_variants", "missing_properties")))  # edits two notes
    steps = killed_steps(vault, tmp_path / "data/vaults/v1", plan.id, what, 10)

    # Before and after each of two notes and the plan's own, and before the record is changed.
    assert [step[0] for step in steps] == [True] * 8 + [False] * 2
    many = len(plan.suggestions)
    expected = {"before": 0, "after": many}
    assert all(applied == expected[state] for _, state, applied, _ in steps)
    assert {state for _, state, *_ in steps} == {"before", "after"}
    assert all(restored for *_, restored in steps)


def test_a_rejection_can_be_taken_back(opened: Open) -> None:
    engine = opened()
    plans = Plans(engine)
    plan = made(plans)
    first, second = (suggestion.id for suggestion in plan.suggestions[:2])
    plans.reject(plan.id, (first, second))
    assert {rejection.id for rejection in plans.rejections(10).rejections} == {first, second}
    assert len(plans.rejections(1).rejections) == 1

    left = plans.forget((first,))
    assert ([rejection.id for rejection in left.rejections], left.total) == ([second], 1)
    assert {suggestion.id for suggestion in made(plans).suggestions} >= {first}
    with pytest.raises(NotFoundError):
        plans.forget((first,))


def test_the_checks_of_the_next_plan_are_those_of_the_rules_that_hold_then(opened: Open) -> None:
    engine = opened()
    plans = Plans(engine)
    assert {check.name for check in plans.plans(1).checks if check.usual} == set(CHECKS)
    rules = GardenRules(checks=("tag_variants",))
    engine.use_settings(replace(engine.vault.settings(), of_features={"garden": rules}))
    assert [check.name for check in plans.plans(1).checks if check.usual] == ["tag_variants"]
    assert made(plans).checks == ("tag_variants",)


def test_a_conflict_copy_is_shown_and_can_only_be_rejected(opened: Open, vault: Path) -> None:
    copy = "Queen Bee (conflicted copy 2026-01-01).md"
    (vault / copy).write_text("#bees\n\nShe was marked blue.\n", encoding="utf-8")
    engine = opened()
    plans = Plans(engine)
    before = bytes_of(vault)
    made = plans.make(MakePlan(checks=("conflict_copy", "broken_links")))
    (shown,) = [
        suggestion for suggestion in made.suggestions if suggestion.check == "conflict_copy"
    ]
    assert (shown.path, shown.edit) == ("Queen Bee.md", ())
    assert "+She was marked blue." in shown.diff

    told = plans.apply(made.id, [shown.id])
    assert (told.applied, told.undo) == ((), None)
    assert [each.id for each in told.refused] == [shown.id]
    assert bytes_of(vault) == before

    assert shown.id not in plans.apply(made.id, []).applied
    plans.undo(made.id, [])
    assert bytes_of(vault) == before
    assert plans.reject(made.id, [shown.id]).rejected == (shown.id,)
    again = plans.make(MakePlan(checks=("conflict_copy",)))
    assert again.suggestions == ()
