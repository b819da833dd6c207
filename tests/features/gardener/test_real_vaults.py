"""Plans of real vaults: applied and taken back byte for byte, whatever a person edits meanwhile."""

from __future__ import annotations

import os
import random
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from notewell.base.types import Settings, VaultRecord, VaultRules
from notewell.engine.engine import Engine
from notewell.features import FEATURES
from notewell.features.gardener import GardenRules
from notewell.features.gardener.checks import CHECKS
from notewell.features.gardener.requests import MakePlan, PlanReply
from tests.features.gardener.asked import Plans, killed_steps

EDITS = 500
SPOILT = 5  # notes with a misspelled link: one of the vaults is tended too well
VAULTS = ["obsidian-help-en", "kepano-obsidian"]


@contextmanager
def tended(vault: Path, data: Path) -> Iterator[Plans]:
    settings = Settings(
        data_dir=data,
        model_dir=data / "models",
        state_dir=data / "state",
        offline=True,
        vault=VaultRules(watch="off", reconcile_at=""),
        of_features={"garden": GardenRules(folder="Plans")},
    )
    engine = Engine.open(
        VaultRecord("v1", "Notes", vault),
        data / "index",
        settings,
        writable=True,
        features=FEATURES,
    )
    try:
        engine.index_now()
        yield Plans(engine)
    finally:
        engine.close()


@pytest.fixture
def copied(tmp_path: Path, shared_data: Callable[[str], Path]) -> Callable[[str], Path]:
    def copy(name: str) -> Path:
        vault = Path(shutil.copytree(shared_data(name), tmp_path / "vault"))
        notes = [each for each in sorted(vault.rglob("*.md")) if 6 < len(each.stem) < 30]
        for note, other in zip(notes[:SPOILT], reversed(notes), strict=False):
            note.write_bytes(note.read_bytes() + f"\n\nSee [[{other.stem}s]].\n".encode())
        return vault

    return copy


def bytes_of(vault: Path) -> dict[str, bytes]:
    return {
        file.relative_to(vault).as_posix(): file.read_bytes()
        for file in sorted(vault.rglob("*"))
        if file.is_file() and not file.name.startswith("Gardener Plan")
    }


def planned(plans: Plans) -> PlanReply:
    """Everything that the checks find without a model, as far as one plan has room."""
    return plans.make(MakePlan(tuple(CHECKS), limit=200))


@pytest.mark.parametrize("name", VAULTS)
def test_a_plan_is_applied_and_taken_back_whatever_a_person_edits(
    name: str, copied: Callable[[str], Path], tmp_path: Path
) -> None:
    vault = copied(name)
    before = bytes_of(vault)
    with tended(vault, tmp_path / "data") as plans:
        plan = planned(plans)
        assert bytes_of(vault) == before
        done = plans.apply(plan.id, ())
        after = bytes_of(vault)
        edits = [edit for suggestion in plan.suggestions for edit in suggestion.edit]
        made = {edit.path for edit in edits if edit.create}
        edited = {edit.path for edit in edits} - made
        assert (len(edited) >= SPOILT, done.refused) == (True, ())
        assert {path for path in before if after[path] != before[path]} == edited
        assert after.keys() == before.keys() | made
        plans.undo(plan.id, ())
        assert bytes_of(vault) == before
        written = interrupted(plans, plan, vault, sorted(edited))
        assert bytes_of(vault) == {**before, **written}


def interrupted(plans: Plans, plan: PlanReply, vault: Path, notes: list[str]) -> dict[str, bytes]:
    """Edit half of the notes at random, and apply and undo the plan meanwhile.

    Returns what the person wrote last to each note, which stays; what they left alone is as it was.
    """
    chance = random.Random(18)
    ids = [suggestion.id for suggestion in plan.suggestions]
    written: dict[str, bytes] = {}
    for n in range(EDITS):
        path = chance.choice(notes[: len(notes) // 2])
        written[path] = edit(vault / path, chance)
        if n % 50 == 0:
            plans.apply(plan.id, tuple(chance.sample(ids, 5)))
        if n % 120 == 119:
            plans.undo(plan.id, tuple(chance.sample(ids, 5)))
        if n % 100 == 99:
            assert {each: (vault / each).read_bytes() for each in written} == written
    done = plans.apply(plan.id, ())
    assert done.applied
    assert done.refused
    plans.undo(plan.id, ())
    return written


def edit(file: Path, chance: random.Random) -> bytes:
    """Change a note anywhere, or empty it; returns what is written."""
    raw = file.read_bytes()
    at = chance.randint(0, len(raw))
    word = f" edit {chance.random()} ".encode()
    changed = chance.choice([raw[:at] + word + raw[at:], raw + word, raw[:at], word + raw])
    if changed == raw:
        changed = raw + word
    file.write_bytes(changed)
    return changed


@pytest.mark.skipif(not hasattr(os, "fork"), reason="kills copies of a process")
def test_a_process_may_be_killed_between_any_two_writes(
    copied: Callable[[str], Path], tmp_path: Path
) -> None:
    vault = copied(VAULTS[1])
    with tended(vault, tmp_path / "data") as plans:
        plan = planned(plans)
    many = len({edit.path for suggestion in plan.suggestions for edit in suggestion.edit})
    steps = 2 * (many + 1) + 2  # before and after each note and the plan's own, and the record
    told = killed_steps(vault, tmp_path / "data/vaults/v1", plan.id, "apply", steps)
    assert [died for died, *_ in told] == [True] * steps
    assert {(state, applied) for _, state, applied, _ in told} == {
        ("before", 0),
        ("after", len(plan.suggestions)),
    }
    assert all(restored for *_, restored in told)
