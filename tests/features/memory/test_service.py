"""Storing memories, changing their confidence, relating and deleting them, as notes."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest

from notewell.base.errors import (
    NotewellError,
    NotFoundError,
    ProtectedError,
    ReadOnlyError,
    UsageError,
)
from notewell.base.support.relative_paths import is_device
from notewell.features.memory.note import note_name
from notewell.features.memory.requests import (
    ApplyMemory,
    ForgetMemory,
    InspectMemory,
    ListMemories,
    MemoryChangedReply,
    MemoryContext,
    MemoryForgottenReply,
    MemoryHealth,
    MemoryHistory,
    MemoryHistoryReply,
    MemoryInspectReply,
    MemoryListReply,
    MemoryOutcome,
    MemoryView,
    RecallMemories,
    RecallReply,
    RelateMemories,
    StoreMemory,
    UnrelateMemories,
)
from tests.features.memory.conftest import DAY, Desk

RULE = "Use tabs, never spaces."


def outcome(desk: Desk, memory: MemoryView, *, helped: bool, comment: str = "") -> MemoryView:
    asked = MemoryOutcome(memory.id, helped=helped, comment=comment)
    return desk.ask(asked, MemoryChangedReply).memory


def listed(desk: Desk) -> list[str]:
    return [memory.title for memory in desk.ask(ListMemories(), MemoryListReply).memories]


def test_a_memory_is_a_note_that_a_person_can_read(desk: Desk) -> None:
    memory = desk.store(RULE, type="preference", importance=0.8, provenance="a review")

    assert desk.text(memory) == (
        "---\n"
        f"id: {memory.id}\n"
        "type: preference\n"
        "namespace: default\n"
        "importance: 0.8\n"
        "confidence: 0.3\n"
        "provenance: a review\n"
        "created: 2026-01-01T00:00:00Z\n"
        "accessed: 2026-01-01T00:00:00Z\n"
        "access_count: 0\n"
        "---\n"
        "Use tabs, never spaces.\n"
        "\n"
        "%% history\n"
        "- 2026-01-01T00:00:00Z stored\n"
        "%%\n"
    )
    assert memory.path == "Memory/Use tabs, never spaces.md"
    assert (memory.content, memory.confidence, memory.golden) == (RULE, 0.3, False)
    assert desk.changed == [memory.path]


def test_storing_the_same_content_returns_the_existing_memory(desk: Desk) -> None:
    first = desk.store(RULE)
    again = desk.ask(StoreMemory("  Use tabs,\nnever   spaces.\n", type="fact"), MemoryChangedReply)
    elsewhere = desk.store(RULE, namespace="work")

    assert (again.existing, again.undo, again.memory) == (True, None, first)
    assert elsewhere.path == "Memory/work/Use tabs, never spaces.md"
    assert len(listed(desk)) == 2


def test_outcomes_raise_and_lower_confidence(desk: Desk) -> None:
    memory = desk.store(RULE)

    assert outcome(desk, memory, helped=True).confidence == 0.4
    assert outcome(desk, memory, helped=False).confidence == 0.25
    assert outcome(desk, memory, helped=False).confidence == 0.1
    assert outcome(desk, memory, helped=False).confidence == 0


def test_at_nine_tenths_it_becomes_a_golden_rule_that_is_not_deleted_by_mistake(
    desk: Desk,
) -> None:
    memory = desk.store(RULE, type="preference")
    for _ in range(5):
        memory = outcome(desk, memory, helped=True)
    assert (memory.confidence, memory.type) == (0.8, "preference")

    memory = outcome(desk, memory, helped=True)
    assert (memory.confidence, memory.type, memory.golden) == (0.9, "golden_rule", True)
    with pytest.raises(ProtectedError):
        desk.answer(ForgetMemory(memory.id))
    assert listed(desk) == ["Use tabs, never spaces"]

    gone = desk.ask(ForgetMemory(memory.id, force=True), MemoryForgottenReply)
    assert listed(desk) == []
    desk.writer.undo(gone.undo)
    assert listed(desk) == ["Use tabs, never spaces"]


def test_every_validation_is_stored_in_the_note(desk: Desk) -> None:
    memory = desk.store(RULE)
    desk.now += 60
    desk.answer(ApplyMemory(memory.id, comment="while reviewing %% this"))
    desk.now += 60
    outcome(desk, memory, helped=False, comment="the file\nhad spaces")

    history = desk.ask(MemoryHistory(memory.id), MemoryHistoryReply)
    told = [(entry.kind, entry.before, entry.after, entry.comment) for entry in history.entries]

    assert told == [
        ("failed", 0.3, 0.15, "the file had spaces"),
        ("applied", None, None, "while reviewing % this"),
        ("stored", None, None, ""),
    ]
    inspected = desk.ask(InspectMemory(memory.id), MemoryInspectReply)
    assert inspected.history == history.entries
    assert inspected.memory.access_count == 1
    assert inspected.memory.accessed == "2026-01-01T00:01:00+00:00"
    assert inspected.memory.content == RULE


def test_manual_edits_are_respected_and_kept(desk: Desk) -> None:
    memory = desk.store(RULE)
    file = desk.vault / memory.path
    edited = desk.text(memory).replace("confidence: 0.3", "confidence: 0.6 # I am sure")
    edited = edited.replace(RULE, "Use spaces.\n\nMine:\n- a list").replace(
        "---\nid", "---\nmine: 1\nid"
    )
    file.write_text(edited, encoding="utf-8")

    after = outcome(desk, memory, helped=True)

    assert after.confidence == 0.7
    assert after.content == "Use spaces.\n\nMine:\n- a list"
    assert desk.text(after) == edited.replace("0.6 # I", "0.7 # I").replace(
        "stored\n%%", "stored\n- 2026-01-01T00:00:00Z helped 0.6 -> 0.7\n%%"
    )


def test_a_note_written_by_hand_is_a_memory(desk: Desk) -> None:
    (desk.vault / "Memory").mkdir()
    (desk.vault / "Memory" / "Tea.md").write_text("No sugar.", encoding="utf-8")

    after = outcome(desk, desk.ask(ListMemories(), MemoryListReply).memories[0], helped=True)

    assert (after.id, after.type, after.confidence, after.content) == (
        "Memory/Tea",
        "fact",
        0.4,
        "No sugar.",
    )
    assert desk.text(after) == (
        "---\nconfidence: 0.4\n---\nNo sugar.\n\n%% history\n"
        "- 2026-01-01T00:00:00Z helped 0.3 -> 0.4\n%%\n"
    )


def test_invalid_properties_get_defaults_and_warnings(desk: Desk) -> None:
    (desk.vault / "Memory").mkdir()
    (desk.vault / "Memory" / "Odd.md").write_text(
        "---\ntype: opinion\nconfidence: high\nimportance: 7\naccess_count: many\n"
        "relates_to: Bees\n---\nText",
        encoding="utf-8",
    )

    odd = desk.ask(ListMemories(), MemoryListReply).memories[0]

    assert (odd.type, odd.confidence, odd.importance, odd.access_count) == ("fact", 0.3, 1.0, 0)
    assert len(odd.warnings) == 5
    health = desk.answer(MemoryHealth())
    assert [each.id for each in health.unreadable] == ["Memory/Odd"]  # type: ignore[union-attr]


def test_files_can_be_deleted_and_moved_by_hand(desk: Desk) -> None:
    memory, other = desk.store(RULE), desk.store("Tea without sugar.")
    (desk.vault / memory.path).unlink()
    (desk.vault / "Memory" / "Drinks").mkdir()
    (desk.vault / other.path).rename(desk.vault / "Memory" / "Drinks" / "Tea.md")

    assert listed(desk) == ["Tea"]
    assert outcome(desk, other, helped=True).path == "Memory/Drinks/Tea.md"
    with pytest.raises(NotFoundError):
        desk.answer(InspectMemory(memory.id))


def test_relations_are_links_with_weights(desk: Desk) -> None:
    tabs, tools = desk.store(RULE), desk.store("The formatter decides.")
    (desk.vault / "Style.md").write_text("# Style", encoding="utf-8")

    desk.answer(RelateMemories(tabs.id, tools.id, "caused_by", 0.8))
    desk.answer(RelateMemories(tabs.id, "Style", "relates_to"))
    again = desk.ask(
        RelateMemories(tabs.id, "The formatter decides", "caused_by", 0.5), MemoryChangedReply
    )

    assert 'caused_by:\n  - "[[Memory/The formatter decides|0.5]]"\n' in desk.text(tabs)
    assert 'relates_to:\n  - "[[Style]]"\n' in desk.text(tabs)
    assert [
        (relation.kind, relation.path, relation.weight) for relation in again.memory.relations
    ] == [
        ("caused_by", tools.path, 0.5),
        ("relates_to", "Style.md", 1.0),
    ]
    inspected = desk.ask(InspectMemory(tools.id), MemoryInspectReply)
    assert [(each.kind, each.target) for each in inspected.related_from] == [("caused_by", tabs.id)]

    desk.answer(UnrelateMemories(tabs.id, tools.id, "caused_by"))
    gone = desk.ask(UnrelateMemories(tabs.id, tools.id, "caused_by"), MemoryChangedReply)
    assert gone.existing
    assert "caused_by" not in desk.text(tabs)


def test_only_existing_notes_can_be_related(desk: Desk) -> None:
    tabs = desk.store(RULE)
    with pytest.raises(NotFoundError):
        desk.answer(RelateMemories(tabs.id, "nothing"))
    with pytest.raises(UsageError):
        desk.answer(RelateMemories(tabs.id, tabs.title))


@pytest.mark.parametrize("content", ["", " \n ", "x" * 20_001, "a\n%% history\n%%"])
def test_invalid_content_is_refused(desk: Desk, content: str) -> None:
    with pytest.raises(UsageError):
        desk.answer(StoreMemory(content))
    assert listed(desk) == []


@pytest.mark.parametrize(
    ("content", "name"),
    [
        ("# [[Bees]] / *honey*: a | b #x", "Bees honey a b x"),
        ("../../etc/passwd", "etc passwd"),
        (".hidden", "hidden"),
        ("???", "Memory"),
        ("word " * 40, "word word word word word word word word word word word word"),
    ],
)
def test_any_content_gets_a_safe_file_name(desk: Desk, content: str, name: str) -> None:
    assert desk.store(content).path == f"Memory/{name}.md"


def test_memories_with_equal_names_are_separate_notes(desk: Desk) -> None:
    paths = [desk.store(f"Same line\n\n{n}").path for n in range(3)]
    assert paths == ["Memory/Same line.md", "Memory/Same line 2.md", "Memory/Same line 3.md"]


@pytest.mark.parametrize("how", [{"folder": None}, {"writable": False}])
def test_without_a_configured_folder_nothing_is_written(
    tmp_path: Path, how: dict[str, None]
) -> None:
    (tmp_path / "vault").mkdir()
    desk = Desk(tmp_path / "vault", **how)  # type: ignore[arg-type]

    for asked in (
        StoreMemory(RULE),
        ApplyMemory("x"),
        MemoryOutcome("x", helped=True),
        ForgetMemory("x"),
    ):
        with pytest.raises(ReadOnlyError):
            desk.answer(asked)
    for reading in (RecallMemories("x"), MemoryContext("x"), MemoryHealth(), MemoryHistory()):
        desk.answer(reading)
    assert not list((tmp_path / "vault").iterdir())


def test_concurrent_outcomes_all_count(desk: Desk) -> None:
    memory = desk.store(RULE)
    failed: list[NotewellError] = []

    def help_once() -> None:
        try:
            outcome(desk, memory, helped=True)
        except NotewellError as error:
            failed.append(error)

    threads = [threading.Thread(target=help_once) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert not failed
    inspected = desk.ask(InspectMemory(memory.id), MemoryInspectReply)
    assert inspected.memory.confidence == 0.7
    assert len(inspected.history) == 5


def test_a_list_can_be_filtered_and_sorted(desk: Desk) -> None:
    for n, content in enumerate(("One", "Two", "Three")):
        desk.now += DAY
        desk.store(content, importance=[0.2, 0.9, 0.5][n], namespace="work" if n else "default")

    by_importance = desk.ask(ListMemories(order="importance", limit=2), MemoryListReply)
    at_work = desk.ask(ListMemories(namespace="work"), MemoryListReply)

    assert [memory.title for memory in by_importance.memories] == ["Two", "Three"]
    assert [memory.title for memory in at_work.memories] == ["Three", "Two"]
    assert (by_importance.total, dict(by_importance.namespaces)) == (3, {"default": 1, "work": 2})


def test_namespaces_are_separate(desk: Desk) -> None:
    desk.store("Bees at home")
    desk.store("Bees at work", namespace="work")

    found = desk.ask(RecallMemories("bees", namespace="work"), RecallReply)

    assert [memory.memory.content for memory in found.memories] == ["Bees at work"]


def by_hand(desk: Desk, memory: MemoryView, old: str, new: str) -> None:
    text = desk.text(memory)
    assert old in text
    (desk.vault / memory.path).write_text(text.replace(old, new), encoding="utf-8")


def inspected(desk: Desk, memory: MemoryView) -> MemoryView:
    return desk.ask(InspectMemory(memory.id), MemoryInspectReply).memory


def test_a_golden_rule_falls_below_six_tenths_and_gets_its_type_back(desk: Desk) -> None:
    memory = desk.store(RULE, type="preference")
    for _ in range(6):
        memory = outcome(desk, memory, helped=True)
    assert (memory.golden, memory.confidence) == (True, 0.9)

    memory = outcome(desk, memory, helped=False)
    memory = outcome(desk, memory, helped=False)
    assert (memory.golden, memory.confidence, memory.type) == (True, 0.6, "golden_rule")

    memory = outcome(desk, memory, helped=False)
    assert (memory.golden, memory.confidence, memory.type) == (False, 0.45, "preference")
    assert "former_type" not in desk.text(memory)
    desk.answer(ForgetMemory(memory.id))


def test_a_superseded_golden_rule_is_none(desk: Desk) -> None:
    old = desk.store(RULE, type="golden_rule")
    new = desk.store("Use spaces, never tabs.")
    assert (old.golden, old.confidence) == (True, 0.9)

    desk.answer(RelateMemories(new.id, old.id, "supersedes"))

    assert not inspected(desk, old).golden
    health = desk.answer(MemoryHealth())
    assert health.golden == 0  # type: ignore[union-attr]
    desk.answer(UnrelateMemories(new.id, old.id, "supersedes"))
    assert inspected(desk, old).golden


def test_a_person_grants_a_golden_rule_in_the_note(desk: Desk) -> None:
    memory = desk.store(RULE)
    by_hand(desk, memory, "type: fact", "type: golden_rule")
    assert inspected(desk, memory).golden

    assert outcome(desk, memory, helped=True).golden
    fallen = outcome(desk, memory, helped=False)
    assert (fallen.golden, fallen.confidence, fallen.type) == (False, 0.25, "fact")


def test_a_rule_that_was_judged_wrong_before_it_could_fall_is_none(desk: Desk) -> None:
    (desk.vault / "Memory").mkdir()
    (desk.vault / "Memory" / "Old.md").write_text(
        "---\ntype: golden_rule\nconfidence: 0.15\n---\nOld.\n\n%% history\n"
        "- 2026-01-01T00:00:00Z failed 0.3 -> 0.15\n%%\n",
        encoding="utf-8",
    )
    memory = desk.ask(ListMemories(), MemoryListReply).memories[0]
    assert not memory.golden

    helped = outcome(desk, memory, helped=True)
    assert (helped.golden, helped.type) == (False, "fact")


def test_granting_the_same_content_makes_the_memory_a_rule(desk: Desk) -> None:
    memory = desk.store(RULE, type="preference")
    granted = desk.ask(StoreMemory(RULE, type="golden_rule"), MemoryChangedReply)

    assert (granted.memory.id, granted.existing) == (memory.id, False)
    assert (granted.memory.golden, granted.memory.confidence) == (True, 0.9)
    history = desk.ask(MemoryHistory(memory.id), MemoryHistoryReply).entries
    assert (history[0].kind, history[0].before, history[0].after) == ("granted", 0.3, 0.9)
    assert desk.ask(StoreMemory(RULE, type="golden_rule"), MemoryChangedReply).existing


def test_several_are_forgotten_and_protected_ones_are_named(desk: Desk) -> None:
    rule = desk.store(RULE, type="golden_rule")
    one, two = desk.store("One"), desk.store("Two")
    named = (one.id, rule.title, two.path, "mem-none", one.id)

    gone = desk.ask(ForgetMemory(ids=named), MemoryForgottenReply)

    assert [each.id for each in gone.forgotten] == [one.id, two.id]
    assert (gone.id, gone.path, gone.undo) == (one.id, one.path, gone.forgotten[0].undo)
    assert (gone.protected_ids, gone.missing_ids) == ((rule.id,), ("mem-none",))
    assert listed(desk) == [rule.title]
    forced = desk.ask(ForgetMemory(ids=(rule.id,), force=True), MemoryForgottenReply)
    assert (forced.id, forced.protected_ids, listed(desk)) == (rule.id, (), [])
    nothing = desk.ask(ForgetMemory(ids=("mem-none",)), MemoryForgottenReply)
    assert (nothing.id, nothing.forgotten, nothing.missing_ids) == (None, (), ("mem-none",))


@pytest.mark.parametrize("named", [{}, {"id": "x", "ids": ("y",)}])
def test_forgetting_needs_one_or_several(desk: Desk, named: dict[str, Any]) -> None:
    with pytest.raises(UsageError):
        desk.answer(ForgetMemory(**named))


@pytest.mark.parametrize("name", ["CON", "con", "Aux", "COM1", "lpt9", "NUL.txt", "COM¹", "PRN."])
def test_no_memory_is_called_like_a_device_of_windows(name: str) -> None:
    made = note_name(name)
    assert not is_device(f"{made}.md")
    assert name.strip(". ") in made
