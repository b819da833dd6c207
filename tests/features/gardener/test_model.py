"""Plans with a language model, served from a script on loopback, in the form of both protocols."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from notewell.base.errors import ConfigError, ProviderError, UsageError
from notewell.base.types import AskRules, VaultRecord
from notewell.contract.status import RunsRequest
from notewell.engine.engine import Engine
from notewell.features import FEATURES
from notewell.features.gardener import GardenRules
from notewell.features.gardener.garden import Garden, NoteFacts
from notewell.features.gardener.model_gardener import due, remember_checked
from notewell.features.gardener.model_prompt import RequestSizes, read_advice
from notewell.features.gardener.plans import CheckedNote, GardenFile
from notewell.features.gardener.requests import MakePlan, PlanReply
from notewell.models.chat import ToolCall, Turn
from notewell.models.chat.providers import price
from tests.features.ask.scripted import Says, ScriptedModel
from tests.features.gardener.asked import Plans, killed_steps
from tests.vaults import QUIET, settings_in

OLD = 1_700_000_000
NOTES = {
    "Ontology/Concepts/Bee.md": "---\naliases: [Honeybee]\n---\nAn insect.\n",
    "Ontology/Concepts/Bees keeping.md": "The craft.\n",
    "Ontology/Concepts/Beekeeping.md": "The craft.\n",
    "Ontology/Concepts/Concepts.md": "Ideas, not things.\n",
    "Ontology/Concepts/Dust.md": "Nothing.\n",
    "Ontology/Concepts/Secret.md": "---\ngardener: ignore\n---\nNever sent.\n",
    "Ontology/Instructions.md": "Prefer few topics.\n",
    "Swarm.md": "---\nkind: note  # mine\n---\nThe bees [[swarm]] in May. `[[Bee]]`\r\n",
    "Hive.md": "---\ntopics:\n  - '[[Bees keeping]]'\ndescription: Where bees live.\n---\nA box.\n",
    "Empty.md": "",
    "Left.md": "---\ngardener-ignore: true\n---\nLeave me alone.\n",
    "Private/Diary.md": "My secret.\n",
}
SENT = {"Swarm.md", "Hive.md"}
Open = Callable[..., Engine]


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    for path, text in NOTES.items():
        file = tmp_path / "vault" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text.encode())
        os.utime(file, (OLD, OLD))
    return tmp_path / "vault"


@pytest.fixture
def opened(tmp_path: Path, vault: Path) -> Iterator[Open]:
    engines: list[Engine] = []

    def again(ask: AskRules, *, offline: bool = True, **rules: Any) -> Engine:
        for engine in engines:
            engine.close()
        settings = settings_in(
            tmp_path,
            offline=offline,
            vault=QUIET,
            of_features={
                "garden": GardenRules(ignore=("Private",), checks=("tag_variants",), **rules)
            },
            ask=ask,
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


@pytest.fixture
def script() -> Iterator[Callable[..., ScriptedModel]]:
    running: list[ScriptedModel] = []

    def start(*turns: Says) -> ScriptedModel:
        running.append(ScriptedModel(turns))
        return running[-1]

    yield start
    for model in running:
        model.close()


Script = Callable[..., ScriptedModel]


def asks(model: ScriptedModel, provider: str = "openai") -> AskRules:
    return AskRules(
        provider=provider,  # type: ignore[arg-type]
        base_url=model.url,
        model="test-model",
        context_tokens=32_000,
    )


def tends(**advice: Any) -> Says:
    """A turn that calls the tool."""
    return Says("", [("tend", {"notes": [], **advice})])


def of(path: str, *topics: str, **more: str) -> dict[str, Any]:
    return {"path": path, "topics": list(topics), **more}


def wire(body: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """What a request says, after a check of its form: what the services' documentation demands."""
    assert body["model"] == "test-model"
    assert body["stream"] is True
    assert 0 < body["max_tokens"] <= 32_000
    [tool] = body["tools"]
    if "function" in tool:  # OpenAI
        assert tool["type"] == "function"
        named, schema = tool["function"]["name"], tool["function"]["parameters"]
        system, user = body["messages"]
        assert (system["role"], user["role"]) == ("system", "user")
        told, said = system["content"], user["content"]
    else:  # Anthropic
        named, schema = tool["name"], tool["input_schema"]
        [user] = body["messages"]
        [block] = user["content"]
        assert (user["role"], block["type"]) == ("user", "text")
        told, said = body["system"], block["text"]
    assert named == "tend"
    assert schema["type"] == "object"
    assert set(schema["required"]) <= set(schema["properties"])
    for field in schema["properties"].values():
        assert field["type"] == "array"
        assert set(field["items"]["required"]) <= set(field["items"]["properties"])
    return told, json.loads(said)


def bytes_of(vault: Path) -> dict[str, bytes]:
    return {
        file.relative_to(vault).as_posix(): file.read_bytes()
        for file in sorted(vault.rglob("*.md"))
    }


def titles(plan: PlanReply) -> set[tuple[str, str, str]]:
    return {
        (suggestion.check, suggestion.path, suggestion.title) for suggestion in plan.suggestions
    }


ADVICE = tends(
    notes=[
        of("Swarm.md", "honeybee", "Swarming", description="Bees leave in May.", why="says so"),
        of("Hive.md", "Bees keeping", "Swarming", description="Another one."),
    ],
    new_topics=[
        {"name": "Swarming", "definition": "A colony divides.", "folder": "Ontology/Concepts"}
    ],
    merge=[{"source": "Bees keeping", "target": "Beekeeping", "why": "the same craft"}],
    archive=[{"topic": "Dust", "why": "empty"}],
)


@pytest.mark.parametrize("provider", ["openai", "anthropic"])
def test_a_plan_with_the_model_is_applied_and_taken_back(
    opened: Open, vault: Path, script: Script, provider: str
) -> None:
    model, before = script(ADVICE), bytes_of(vault)
    engine = opened(asks(model, provider))
    plans = Plans(engine)
    plan = plans.make(MakePlan(model=True))

    assert titles(plan) == {
        ("update_topics", "Swarm.md", "topic Bee"),  # by its alias
        ("update_topics", "Swarm.md", "topic Swarming"),
        ("missing_descriptions", "Swarm.md", "a description"),  # Hive.md has one
        ("archive_topic", "Ontology/Concepts/Dust.md", "archive topic Dust"),
        ("merge_topics", "Ontology/Concepts/Bees keeping.md", "topic Bees keeping → Beekeeping"),
        # Not both this and another topic of Hive.md: they edit one property.
    }
    merge = next(
        suggestion for suggestion in plan.suggestions if suggestion.check == "merge_topics"
    )
    assert {edit.path for edit in merge.edit} == {"Hive.md", "Ontology/Concepts/Bees keeping.md"}
    assert "1 notes name Bees keeping: Hive.md" in merge.evidence
    assert bytes_of(vault) == before

    [body] = model.asked
    told, said = wire(body)
    assert "never instructions" in told
    assert {note["path"] for note in said["notes"]} == SENT
    assert said["instructions"] == "Prefer few topics."
    assert said["folders"] == [{"folder": "Ontology/Concepts", "purpose": "Ideas, not things."}]
    assert {topic["name"] for topic in said["topics"]} == {
        "Bee",
        "Bees keeping",
        "Beekeeping",
        "Dust",
    }
    assert "ecret" not in json.dumps(body)

    done = plans.apply(plan.id, ())
    assert done.refused == ()
    after = bytes_of(vault)
    assert after["Ontology/Concepts/Swarming.md"] == b"A colony divides.\n"
    assert after["Swarm.md"] == (
        b'---\nkind: note  # mine\ntopics:\n  - "[[Bee]]"\n  - "[[Swarming]]"\n'
        b"description: Bees leave in May.\n---\nThe bees [[swarm]] in May. `[[Bee]]`\r\n"
    )
    assert b"[[Beekeeping]]" in after["Hive.md"]
    assert b"gardener: ignore" in after["Ontology/Concepts/Dust.md"]

    plans.undo(plan.id, ())
    assert bytes_of(vault) == before
    run = engine.answer(RunsRequest(1)).runs[0]
    assert (run.counts["model_notes"], run.counts["model_requests"]) == (2, 1)
    assert 0 < run.counts["model_tokens"] <= 100_000


def test_two_suggestions_may_share_a_new_topic(opened: Open, vault: Path, script: Script) -> None:
    """Its note is made with the first that is applied, and goes with the last that is taken back."""
    (vault / "Hive.md").write_text("A box.\n")
    new = [{"name": "Home", "definition": "Where one lives."}]
    advice = tends(notes=[of("Swarm.md", "home"), of("Hive.md", "Home")], new_topics=new)
    plans = Plans(opened(asks(script(advice))))
    before = bytes_of(vault)
    plan = plans.make(MakePlan(("update_topics",), model=True))
    first, second = (suggestion.id for suggestion in plan.suggestions)
    made = vault / "Ontology/Concepts/Home.md"

    assert plans.apply(plan.id, (first,)).applied == (first,)
    assert made.read_bytes() == b"Where one lives.\n"
    assert plans.apply(plan.id, (second,)).applied == (second,)
    plans.undo(plan.id, (first,))
    assert made.exists()
    plans.undo(plan.id, (second,))
    assert bytes_of(vault) == before

    made.write_text("Mine.\n")  # in the meantime
    refused = plans.apply(plan.id, ())
    assert refused.applied == ()
    assert all("was changed" in each.why for each in refused.refused)
    assert made.read_text() == "Mine.\n"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="kills copies of a process")
@pytest.mark.parametrize("what", ["apply", "undo"])
def test_a_process_may_be_killed_while_a_note_is_made(
    opened: Open, tmp_path: Path, vault: Path, script: Script, what: str
) -> None:
    new = [{"name": "Home", "definition": "Where one lives."}]
    engine = opened(asks(script(tends(notes=[of("Swarm.md", "Home")], new_topics=new))))
    plan = Plans(engine).make(MakePlan(("update_topics",), model=True))
    steps = killed_steps(vault, tmp_path / "data/vaults/v1", plan.id, what, 7)
    assert steps[0][0] is True
    assert steps[-1][0] is False
    assert {state for _, state, *_ in steps} <= {"before", "after"}
    assert all(restored for *_, restored in steps)


def test_what_the_model_makes_up_is_left_out(opened: Open, script: Script) -> None:
    advice = tends(
        notes=[
            of("Swarm.md", "Astrology", "HONEYBEES", "../x", "Secret"),
            of("Nowhere.md", "Bee"),
            of("Left.md", "Bee"),
            {"path": 7},
            "text",
        ],
        new_topics=[
            {"name": "Undefined"},
            {"name": "a/b", "definition": "A path."},
            {"name": "Honeybees", "definition": "One that exists, in the plural."},
        ],
        merge=[{"source": "Bee", "target": "Nothing"}, {"source": "Bee", "target": "Honeybee"}],
        archive=[{"topic": "Bees keeping"}, {"topic": "Hive"}],
    )
    engine = opened(asks(script(advice)))
    plan = Plans(engine).make(MakePlan(model=True))
    assert titles(plan) == {("update_topics", "Swarm.md", "topic Bee")}
    run = engine.answer(RunsRequest(1)).runs[0]
    assert run.counts["model_ignored"] == 4
    told = " ".join(error.why for error in run.errors)
    assert "“Astrology”" in told
    assert "not sent" in told


BAD = {
    "a refusal": Says("I cannot help with that."),
    "broken JSON": Says("", [("tend", '{"notes": [{"path": "Swarm.md"')]),
    "another tool": Says("", [("search", {"notes": []})]),
    "no notes": Says("", [("tend", {"topics": []})]),
    "a list": Says("", [("tend", "[]")]),
    "nothing": Says(""),
}


@pytest.mark.parametrize("turn", BAD.values(), ids=BAD)
def test_an_answer_in_no_form_gives_nothing_and_waits_for_a_week(
    opened: Open, tmp_path: Path, script: Script, turn: Says
) -> None:
    model = script(turn)
    engine = opened(asks(model))
    plan = Plans(engine).make(MakePlan(model=True))
    assert plan.suggestions == ()
    run = engine.answer(RunsRequest(1)).runs[0]
    assert (run.result, run.counts["errors"]) == ("done", 2)
    assert Plans(engine).estimate().waiting == 0
    state = json.loads((tmp_path / "data/vaults/v1/garden.json").read_text())
    assert {path for path, one in state["checked"].items() if one["skipped"]} == SENT


def test_an_answer_as_text_is_read_too(opened: Open, script: Script) -> None:
    said = json.dumps({"notes": [of("Swarm.md", "Bee")]})
    model = script(Says(f"Here it is:\n```json\n{said}\n```"))
    plan = Plans(opened(asks(model))).make(MakePlan(model=True))
    assert titles(plan) == {("update_topics", "Swarm.md", "topic Bee")}


def test_an_answer_that_is_too_long_is_asked_for_in_two_parts(opened: Open, script: Script) -> None:
    model = script(
        Says("", [("tend", '{"notes": [{')], finish="length"),
        tends(notes=[of("Hive.md", "Bee")]),
        Says("too long again", finish="length"),
    )
    plan = Plans(opened(asks(model))).make(MakePlan(model=True))
    assert titles(plan) == {("update_topics", "Hive.md", "topic Bee")}
    parts = [{note["path"] for note in wire(body)[1]["notes"]} for body in model.asked]
    assert parts == [SENT, {"Hive.md"}, {"Swarm.md"}]


def test_a_service_that_fails_leaves_notes_to_be_looked_at_again(
    opened: Open, script: Script
) -> None:
    busy = Says(status=429, headers={"Retry-After": "0"})
    model = script(*[busy] * 6, Says(status=401), busy, tends(notes=[of("Swarm.md", "Bee")]))
    plans = Plans(opened(asks(model)))
    with pytest.raises(ProviderError, match="429"):
        plans.make(MakePlan(model=True))
    del model.turns[:-3]
    with pytest.raises(ProviderError, match="key"):
        plans.make(MakePlan(model=True))
    assert plans.estimate().waiting == 3
    assert len(plans.make(MakePlan(model=True)).suggestions) == 1
    assert plans.estimate().waiting == 0


def test_what_came_before_a_failure_stays(opened: Open, vault: Path, script: Script) -> None:
    for n in range(12):
        (vault / f"New {n:02}.md").write_text("Bees.\n")
        os.utime(
            vault / f"New {n:02}.md", (2_000_000_000 + n, 2_000_000_000 + n)
        )  # the last is sent first
    model = script(tends(notes=[of("New 11.md", "Bee")]), Says(status=401))
    engine = opened(asks(model))
    plan = Plans(engine).make(MakePlan(model=True))
    assert len(plan.suggestions) == 1
    run = engine.answer(RunsRequest(1)).runs[0]
    assert (run.result, run.counts["model_notes"]) == ("done", 10)
    assert "key" in run.errors[-1].why
    assert Plans(engine).estimate().waiting == 4


def test_nothing_is_sent_before_a_person_agreed(opened: Open, script: Script) -> None:
    model = script(ADVICE)
    plans = Plans(opened(asks(model)))
    would = plans.estimate()
    assert (would.notes, would.waiting, would.requests) == (2, 3, 1)
    assert (would.host, would.local, would.dollars) == ("127.0.0.1", True, 0.0)
    assert plans.make(MakePlan(("tag_variants",))).suggestions == ()  # without the model
    assert not model.asked
    plans.make(MakePlan(model=True))
    [body] = model.asked
    assert would.tokens * 4 > len(json.dumps(body))  # an estimate, rather too high

    away = AskRules(provider="openai", base_url="http://models.example:1", model="test-model")
    plans = Plans(opened(away, offline=False))
    for host in (None, "api.openai.com"):
        with pytest.raises(UsageError) as refused:
            plans.make(MakePlan(model=True, host=host))
        assert refused.value.code == "consent_required"
        assert "models.example" in refused.value.message
    with pytest.raises(ConfigError, match="offline"):
        Plans(opened(away)).make(MakePlan(model=True, host="models.example"))
    with pytest.raises(ConfigError) as off:
        Plans(opened(AskRules())).make(MakePlan(model=True))
    assert off.value.code == "ask_off"
    with pytest.raises(UsageError, match="needs the language model"):
        plans.make(MakePlan(("merge_topics",)))


def test_a_plan_stays_within_its_tokens_and_notes(
    opened: Open, vault: Path, script: Script
) -> None:
    for n in range(60):
        file = vault / f"Many/{n:02}.md"
        file.parent.mkdir(exist_ok=True)
        file.write_text(f"Note {n}. " + "bees and hives " * 300)
        os.utime(file, (OLD + n + 1, OLD + n + 1))
    model = script(*[tends(notes=[of("x", "Bee")])] * 10)
    engine = opened(asks(model), model_tokens=20_000)
    would = Plans(engine).estimate()
    Plans(engine).make(MakePlan(model=True))
    said = [wire(body)[1] for body in model.asked]
    paths = [note["path"] for each in said for note in each["notes"]]
    assert paths == [f"Many/{59 - n:02}.md" for n in range(len(paths))]  # newest first
    assert 10 < len(paths) == would.notes < 50
    counts = engine.answer(RunsRequest(1)).runs[0].counts
    assert counts["model_tokens"] == would.tokens <= 20_000

    engine = opened(asks(script(*[tends()] * 10)), model_tokens=1_000_000)
    assert Plans(engine).estimate().notes == 50 - 0


def test_a_small_model_gets_small_requests() -> None:
    assert RequestSizes.of(4096, None) == RequestSizes(2048, 1024, 3)
    assert RequestSizes.of(1_000_000, 8_000) == RequestSizes(24_000, 8_000, 10)
    assert RequestSizes.of(2048, 300).notes == 1


def test_a_rejected_suggestion_does_not_come_again(
    opened: Open, vault: Path, script: Script
) -> None:
    other = tends(notes=[of("Swarm.md", "Bee", description="In other words.")])
    engine = opened(asks(script(ADVICE, other)))
    plans = Plans(engine)
    plan = plans.make(MakePlan(model=True))
    plans.reject(plan.id, ())
    GardenFile(engine.vault.folder).change(lambda state: replace(state, checked={}))
    assert plans.make(MakePlan(model=True)).suggestions == ()


# --- pure parts --------------------------------------------------------------------------------

NOW = datetime(2026, 11, 22, tzinfo=UTC)


def ago(**time: float) -> str:
    return (NOW - timedelta(**time)).isoformat()


def test_which_notes_are_due() -> None:
    notes = {f"{n}.md": NoteFacts(f"{n}.md", "", f"{n:02x}", touched=n) for n in range(7)}
    garden = Garden(notes, frozenset(notes) - {"6.md"}, lambda _: None)
    checked = {
        "1.md": CheckedNote("01", ago(days=30)),  # as it was
        "2.md": CheckedNote("ff", ago(hours=23)),  # changed, and looked at today
        "3.md": CheckedNote("ff", ago(hours=25)),
        "4.md": CheckedNote("ff", ago(days=6), skipped=True),
        "5.md": CheckedNote("05", ago(days=7), skipped=True),
    }
    assert [note.path for note in due(garden, "Ontology", checked, NOW)] == ["5.md", "3.md", "0.md"]

    after = remember_checked(checked, [notes["3.md"], notes["5.md"]], ["5.md"], NOW)
    assert after["3.md"] == CheckedNote("03", NOW.isoformat(), skipped=False)
    assert after["5.md"] == CheckedNote("05", NOW.isoformat(), skipped=True)
    assert [note.path for note in due(garden, "Ontology", after, NOW)] == ["0.md"]


def test_prices_are_known_for_a_service_s_own_models_alone() -> None:
    def of(host: str, model: str, *, local: bool = False) -> float | None:
        return price(host, model, read=1_000_000, written=100_000, local=local)

    assert of("api.openai.com", "gpt-4.1-mini-2025-04-14") == pytest.approx(0.56)
    assert of("api.openai.com", "gpt-4.1-unheard") is None
    assert of("openrouter.ai", "gpt-4.1-mini") is None
    assert of("127.0.0.1", "qwen3", local=True) == 0.0


ANY = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["notes", "path", "topics", "new_topics", "name", "merge", "definition"]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@given(ANY)
def test_no_answer_of_any_form_is_an_error(given: Any) -> None:
    advice = read_advice(Turn("", (ToolCall("1", "tend", json.dumps(given)),)))
    for each in () if advice is None else advice.notes:
        assert all(0 < len(name) <= 80 for name in each.topics)
