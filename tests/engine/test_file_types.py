"""File types other than Markdown, from the setting to the search result."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from notewell.contract.search import SearchRequest
from notewell.engine.engine import Engine
from notewell.types import Settings, VaultRecord, VaultRules

BOARD = json.dumps(
    {
        "nodes": [
            {
                "id": "g",
                "type": "group",
                "label": "Orchard",
                "x": 0,
                "y": 0,
                "width": 900,
                "height": 900,
            },
            {
                "id": "n1",
                "type": "text",
                "text": "Quince jelly",
                "x": 10,
                "y": 10,
                "width": 9,
                "height": 9,
            },
            {
                "id": "n2",
                "type": "text",
                "text": "Medlar cheese",
                "x": 10,
                "y": 50,
                "width": 9,
                "height": 9,
            },
            {
                "id": "n3",
                "type": "file",
                "file": "Bees.md",
                "x": 10,
                "y": 90,
                "width": 9,
                "height": 9,
            },
        ],
        "edges": [{"id": "e", "fromNode": "n1", "toNode": "n3", "label": "pollinated"}],
    }
)

Open = Callable[[tuple[str, ...]], Engine]


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    folder = tmp_path / "vault"
    folder.mkdir()
    (folder / "Bees.md").write_text("They dance. See ![[Board.canvas]]", encoding="utf-8")
    (folder / "Plan.txt").write_text("Spring\n\nPlant the damson tree.", encoding="utf-8")
    (folder / "Board.canvas").write_text(BOARD, encoding="utf-8")
    return folder


@pytest.fixture
def open_engine(vault: Path, tmp_path: Path) -> Iterator[Open]:
    opened: list[Engine] = []
    settings = Settings(tmp_path / "data", tmp_path / "models", tmp_path / "state", offline=True)

    def opener(types: tuple[str, ...]) -> Engine:
        while opened:
            opened.pop().close()
        record = VaultRecord("v1", "vault", vault)
        mine = replace(settings, vault=VaultRules(types=types))
        opened.append(Engine.open(record, tmp_path / "index", mine, writable=True))
        opened[0].index_now()
        return opened[0]

    yield opener
    for engine in opened:
        engine.close()


def found(engine: Engine, query: str) -> list[tuple[str, str | None, int, str | None]]:
    reply = engine.search(SearchRequest(query, mode="keyword"))
    return [(one.path, one.heading, one.line, one.block) for one in reply.results]


def states(engine: Engine) -> dict[str, str]:
    return {entry.path: entry.state for entry in engine.ledger().entries}


def test_enabled_canvas_and_text_files_are_found(open_engine: Open) -> None:
    engine = open_engine((".md", ".canvas", ".txt"))

    assert found(engine, "damson") == [("Plan.txt", None, 3, None)]
    assert found(engine, "medlar") == [("Board.canvas", "Orchard", 7, "n2")]
    assert found(engine, "pollinated") == [("Board.canvas", "Orchard", 5, "n1")]
    assert states(engine) == dict.fromkeys(("Bees.md", "Board.canvas", "Plan.txt"), "keyword_only")


def test_a_canvas_is_a_note_among_linked_notes(open_engine: Open) -> None:
    engine = open_engine((".md", ".canvas"))

    board, bees = engine.note("Board.canvas"), engine.note("Bees")
    assert board.title == "Board"
    assert "Quince jelly" in board.content
    assert board.uri.endswith("file=Board.canvas")
    assert {link.path for link in board.links_out} == {"Bees.md"}
    assert [link.path for link in bees.links_out] == ["Board.canvas"]
    assert {link.path for link in bees.links_in} == {"Board.canvas"}


def test_only_markdown_is_indexed_by_default(open_engine: Open) -> None:
    engine = open_engine(VaultRules().types)

    assert found(engine, "damson") == []
    others = {"*.canvas": "excluded", "*.txt": "excluded"}
    assert states(engine) == {"Bees.md": "keyword_only", **others}
    (entry,) = engine.ledger(path="Board.canvas").entries
    assert (entry.state, entry.rule) == ("excluded", "file_type")


def test_a_broken_canvas_is_recorded_and_the_others_are_indexed(
    open_engine: Open, vault: Path
) -> None:
    (vault / "Torn.canvas").write_text(BOARD[:40], encoding="utf-8")

    engine = open_engine((".md", ".canvas"))

    assert states(engine)["Torn.canvas"] == "failed"
    (entry,) = engine.ledger(path="Torn.canvas").entries
    assert "broken or cut off at line 1" in (entry.reason or "")
    assert found(engine, "medlar")


def test_files_of_a_type_are_indexed_while_it_is_enabled(open_engine: Open, vault: Path) -> None:
    for number in range(60):  # more than the guard lets go at once
        (vault / f"{number}.txt").write_text("damson", encoding="utf-8")

    assert found(open_engine((".md",)), "damson") == []
    assert found(open_engine((".md", ".txt")), "damson")
    engine = open_engine((".md",))
    assert found(engine, "damson") == []
    assert engine.status().guard is None
