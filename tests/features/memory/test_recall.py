"""Which memories a recall finds and why; contexts and the health check."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from notewell.base.types import SourceText
from notewell.features.memory.note import Validation, read_memory, with_validation
from notewell.features.memory.recall import compose
from notewell.features.memory.requests import (
    MemoryChangedReply,
    MemoryContext,
    MemoryContextReply,
    MemoryHealth,
    MemoryHealthReply,
    MemoryOutcome,
    MemoryView,
    RecalledMemory,
    RecallMemories,
    RecallReply,
    RelateMemories,
)
from tests.features.memory.conftest import DAY, Desk


def recall(desk: Desk, query: str, **more: object) -> tuple[RecalledMemory, ...]:
    return desk.ask(RecallMemories(query, **more), RecallReply).memories  # type: ignore[arg-type]


def health(desk: Desk) -> MemoryHealthReply:
    return desk.ask(MemoryHealth(), MemoryHealthReply)


def promote(desk: Desk, memory: MemoryView) -> None:
    for _ in range(6):
        desk.ask(MemoryOutcome(memory.id, helped=True), MemoryChangedReply)


def test_similarity_counts_most_and_trust_breaks_ties(desk: Desk) -> None:
    near, far, other = desk.store("Tabs"), desk.store("Blanks"), desk.store("The moon")
    desk.near = {near.path: 0.8, far.path: 0.8, other.path: 0.1}
    desk.ask(MemoryOutcome(far.id, helped=True), MemoryChangedReply)

    found = recall(desk, "indentation")

    assert [each.memory.title for each in found] == ["Blanks", "Tabs"]
    parts = found[0].parts
    assert (parts.similarity, parts.confidence, parts.importance, parts.recency) == (
        0.8,
        0.4,
        0.5,
        1.0,
    )
    assert found[0].score == round(0.8 * (0.5 + 0.25 * 0.4 + 0.15 * 0.5 + 0.1), 4)
    assert found[0].why.startswith("similarity 0.80 x (0.5 + 0.25 x confidence 0.40")


def test_memories_not_indexed_yet_are_found_by_their_words(desk: Desk) -> None:
    desk.store("The garden gate squeaks.")

    assert [each.parts.similarity for each in recall(desk, "the squeaking gate")] == [0.5]
    assert not recall(desk, "the moon")


def test_recency_halves_in_thirty_days(desk: Desk) -> None:
    desk.store("Bees")
    desk.now += 30 * DAY

    assert recall(desk, "bees")[0].parts.recency == 0.5


def test_a_superseded_memory_scores_less_and_names_the_newer(desk: Desk) -> None:
    old, new = desk.store("Deploy on Friday"), desk.store("Deploy on Monday")
    desk.answer(RelateMemories(new.id, old.id, "supersedes"))

    found = recall(desk, "deploy")

    assert [each.memory.id for each in found] == [new.id, old.id]
    assert found[1].superseded_by == (new.id,)
    assert found[1].parts.standing == 0.5
    assert "a newer memory takes its place" in found[1].why


def test_relations_are_followed_to_a_depth(desk: Desk) -> None:
    one, two, three = desk.store("Alpha"), desk.store("Beta"), desk.store("Gamma")
    desk.answer(RelateMemories(one.id, two.id, "caused_by", 0.8))
    desk.answer(RelateMemories(three.id, two.id))

    def titles(depth: int) -> list[tuple[str, int, str | None]]:
        found = recall(desk, "alpha", depth=depth)
        return [(hit.memory.title, hit.depth, hit.via) for hit in found]

    assert titles(0) == [("Alpha", 0, None)]
    assert titles(1) == [("Alpha", 0, None), ("Beta", 1, one.id)]
    assert titles(2) == [("Alpha", 0, None), ("Beta", 1, one.id), ("Gamma", 2, two.id)]
    assert recall(desk, "alpha", depth=2)[2].parts.similarity == 0.2


def test_contradictions_are_shown_from_both_sides(desk: Desk) -> None:
    one, two = desk.store("Tea is green"), desk.store("Tea is black")
    desk.answer(RelateMemories(one.id, two.id, "contradicts"))

    assert {hit.memory.id: hit.contradicted_by for hit in recall(desk, "tea")} == {
        one.id: (two.id,),
        two.id: (one.id,),
    }


def test_a_context_begins_with_golden_rules_and_keeps_its_budget(desk: Desk) -> None:
    desk.store("Bees like lavender")
    rule = desk.store("Always answer in French")
    promote(desk, rule)

    whole = desk.ask(MemoryContext("bees"), MemoryContextReply)
    small = desk.ask(MemoryContext("bees", budget_tokens=whole.tokens - 1), MemoryContextReply)

    assert whole.text.startswith("## Golden rules\n- Always answer in French (golden_rule, ")
    assert "\n## Memories\n- Bees like lavender (fact, confidence 0.3, mem-" in whole.text
    assert small.memories == (rule.id,)
    assert len(small.left_out) == 1
    assert small.tokens < whole.tokens


def test_a_context_has_what_took_a_place_and_not_what_lost_it(desk: Desk) -> None:
    old = desk.store("Deploy on Friday", type="golden_rule")
    new = desk.store("Releases go out on Monday")
    desk.answer(RelateMemories(new.id, old.id, "supersedes"))

    for depth in (0, 1):
        made = desk.ask(MemoryContext("deploy friday", depth=depth), MemoryContextReply)
        assert (made.memories, made.left_out) == ((new.id,), ())
        assert "Golden rules" not in made.text


def test_a_context_marks_what_is_contradicted(desk: Desk) -> None:
    rule = desk.store("Tea is green", type="golden_rule")
    other = desk.store("Tea is black")
    desk.answer(RelateMemories(other.id, rule.id, "contradicts"))

    text = desk.ask(MemoryContext("tea"), MemoryContextReply).text
    assert f"confidence 0.9, {rule.id}, contradicted by {other.id})" in text
    assert f"confidence 0.3, {other.id}, contradicted by {rule.id})" in text

    newer = desk.store("Tea is white")
    desk.answer(RelateMemories(newer.id, other.id, "supersedes"))
    text = desk.ask(MemoryContext("tea"), MemoryContextReply).text
    assert "contradicted" not in text
    assert other.id not in text


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=60), max_size=6),
    st.integers(0, 120),
)
def test_a_context_never_has_one_token_more_than_its_budget(
    contents: list[str], budget: int
) -> None:
    memories = [
        read_memory(f"M/{n}.md", SourceText(text, "utf-8", b""), modified=0.0)
        for n, text in enumerate(contents)
    ]
    composed = compose(memories[:2], memories[2:], budget_tokens=budget, count_tokens=len)

    assert len(composed.text) == composed.tokens <= budget
    assert sorted(composed.taken + composed.left_out) == sorted(memory.id for memory in memories)


@given(st.text(st.characters(exclude_categories=["Cs"])), st.text())
def test_adding_history_never_changes_the_text(text: str, comment: str) -> None:
    said = Validation("2026-01-01T00:00:00Z", "helped", 0.3, 0.4, comment)
    once = with_validation(text, said)
    twice = with_validation(once, said)

    assert once.startswith(text)
    memory = read_memory("M.md", SourceText(twice, "utf-8", b""), modified=0.0)
    assert [each.kind for each in memory.history][-2:] == ["helped", "helped"]
    assert memory.history[-1].after == 0.4


def test_the_health_check_finds_problems(desk: Desk) -> None:
    one = desk.store("Use tabs for indentation in Python files")
    two = desk.store("Never use tabs for indentation in Python files")
    port = desk.store("The server listens on port 8765")
    desk.store("The server listens on port 9000")
    orphan = desk.store("From a note", provenance="Gone.md")
    linked = desk.store("Linked")
    desk.answer(RelateMemories(linked.id, orphan.id))
    (desk.vault / orphan.path).rename(desk.vault / "Memory" / "Moved.md")
    copy = desk.vault / "Memory" / "Copy.md"
    copy.write_text(desk.text(port), encoding="utf-8")
    desk.now += 91 * DAY

    found = health(desk)

    pairs = {frozenset((each.one, each.other)): each.reason for each in found.contradictions}
    assert pairs[frozenset((one.id, two.id))] == "one negates the other"
    assert "the same with other numbers" in pairs.values()
    assert len(found.stale) == found.total == 7
    assert {each.reason for each in found.orphaned} == {
        "its source no longer exists: Gone.md",
        "related to notes that no longer exist: Memory/From a note",
    }
    assert {each.reason for each in found.doubles} == {
        "says the same as Memory/Copy.md",
        "has the same id as Memory/Copy.md; change one of them",
    }
    assert (found.golden, found.average_confidence) == (0, 0.3)


def test_a_contradiction_that_was_superseded_is_settled(desk: Desk) -> None:
    old = desk.store("The server listens on port 8765")
    new = desk.store("The server listens on port 9000")
    assert [contradiction.stated for contradiction in health(desk).contradictions] == [False]

    desk.answer(RelateMemories(new.id, old.id, "contradicts"))
    assert [contradiction.stated for contradiction in health(desk).contradictions] == [True]
    desk.answer(RelateMemories(new.id, old.id, "supersedes"))
    assert not health(desk).contradictions


@pytest.mark.parametrize("query", ["", "  "])
def test_without_a_query_memories_are_sorted_by_trust(desk: Desk, query: str) -> None:
    desk.store("Low", importance=0.1)
    desk.store("High", importance=0.9)

    assert [each.memory.title for each in recall(desk, query)] == ["High", "Low"]
