"""Topics: which notes are topics, which values name them, and what is not right."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from notewell.base.types import ModelRules, VaultRecord
from notewell.contract.notes import NeighborsRequest
from notewell.engine.engine import Engine
from notewell.features import FEATURES
from notewell.features.topics.requests import CheckTopics, TopicsRequest
from notewell.vault.topics import target_of
from tests.tiny_model import write_tiny_model
from tests.vaults import QUIET, settings_in

SAME = "water and light in spring. " * 20
NOTES = {
    "Ontology/Ontology.md": "All topics.",
    "Ontology/Instructions.md": "Use *few* topics.",
    "Ontology/Concepts/Concepts.md": f"---\nx: 1\n---\nIdeas{' and more' * 100}",
    "Ontology/Concepts/Bee keeping.md": "---\naliases: [Apiculture]\n---\n" + SAME,
    "Ontology/Concepts/Bee-Keeping.md": "moon",
    "Ontology/Entities/Queen.md": SAME,
    "Ontology/Entities/Old.md": "---\ngardener: ignore\n---\nold",
    "A.md": '---\ntopics:\n  - "[Bees](/Ontology/Concepts/Bee%20keeping.md)"\n  - "[[Queen|her]]"\n---\na',
    "B.md": "---\ntopics: apiculture\n---\nb",
    "C.md": "---\ntopics: [Quen, Nothing like it, Apiculture]\n---\nc",
    "Ontology/Concepts/D.md": "---\ntopics: [Elsewhere]\n---\nA topic's own topics are not checked.",
}


Open = Callable[..., Engine]


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Open]:
    for path, text in NOTES.items():
        file = tmp_path / "vault" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    settings = settings_in(
        tmp_path,
        vault=QUIET,
        model=ModelRules(
            name="tiny",
            folder=str(write_tiny_model(tmp_path / "tiny")),
            quantisation="fp32",
            threads=1,
        ),
    )
    record = VaultRecord("v1", "Notes", tmp_path / "vault")
    engines: list[Engine] = []

    def one_more(*, writable: bool) -> Engine:
        engines.append(
            Engine.open(record, tmp_path / "index", settings, writable=writable, features=FEATURES)
        )
        return engines[-1]

    one_more(writable=True).index_now()
    yield one_more
    for one in engines:
        one.close()


@pytest.fixture
def engine(opened: Open) -> Engine:
    return opened(writable=False)


def test_topics_are_listed_with_their_notes_and_folders(engine: Engine) -> None:
    reply = engine.answer(TopicsRequest())

    assert [(topic.name, topic.aliases, topic.notes) for topic in reply.topics] == [
        ("Bee keeping", ("Apiculture",), 3),
        ("Bee-Keeping", (), 0),
        ("D", (), 0),
        ("Queen", (), 1),
    ]
    assert [(folder.path, len(folder.purpose)) for folder in reply.folders] == [
        ("Ontology", 11),
        ("Ontology/Concepts", 500),
    ]
    assert reply.folders[1].purpose.startswith("Ideas and more")
    assert reply.instructions == "Use *few* topics."


def test_a_check_names_what_is_no_topic_unused_or_alike(engine: Engine) -> None:
    reply = engine.answer(CheckTopics())

    assert [(each.note, each.value, each.nearest) for each in reply.unknown] == [
        ("C.md", "Quen", "Ontology/Entities/Queen.md"),
        ("C.md", "Nothing like it", None),
    ]
    assert reply.unused == ("Ontology/Concepts/Bee-Keeping.md", "Ontology/Concepts/D.md")
    alike = {(each.one, each.other, each.by) for each in reply.alike}
    bees = "Ontology/Concepts/Bee keeping.md"
    # Also by meaning, though this process has only opened the index to read, as a command does.
    assert (bees, "Ontology/Concepts/Bee-Keeping.md", "name") in alike
    assert (bees, "Ontology/Entities/Queen.md", "meaning") in alike  # the same words in both


def test_walks_follow_topics_in_the_mode_ontology(engine: Engine) -> None:
    def near(path: str, **how: Any) -> dict[str, tuple[int, tuple[str, ...]]]:
        found = engine.answer(NeighborsRequest(path, **how)).neighbors
        return {neighbor.path: (neighbor.hops, neighbor.topics) for neighbor in found}

    bees = "Ontology/Concepts/Bee keeping.md"
    assert "B.md" not in near("C.md", hops=2)
    walked = near("C.md", hops=2, mode="ontology")
    assert walked[bees] == (1, (bees,))
    assert walked["A.md"] == walked["B.md"] == (2, (bees,))
    assert near(bees, mode="ontology")["B.md"] == (1, (bees,))


@pytest.mark.parametrize(
    ("written", "target"),
    [
        ("[A (b)](/Ontology/A%20(b).md)", "Ontology/A (b).md"),
        ("[[Ontology/A|shown]]", "Ontology/A"),
        ("[[A#Part]]", "A"),
        (" plain ", "plain"),
        ("[x](<Ontology/A b.md>)", "Ontology/A b.md"),
    ],
)
def test_a_value_may_be_a_link_or_a_name(written: str, target: str) -> None:
    assert target_of(written) == target
