"""Editing properties of notes on disk: hashes, batches and their undo, mirrors, memories."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeAlias

import pytest

from notewell.base.errors import ChangedNoteError, NotFoundError, ProtectedError
from notewell.base.types import VaultRecord
from notewell.engine.engine import Engine
from notewell.features import FEATURES
from notewell.features.memory import MemoryRules
from notewell.features.properties.requests import (
    EditProperties,
    EditPropertiesBatch,
    NoteProperties,
)
from notewell.features.writes.requests import UndoRequest, WritesRequest
from tests.vaults import QUIET, settings_in

Open: TypeAlias = Callable[..., Engine]
NOTES = {
    "A.md": "---\ntags: [a]\n---\nA\n",
    "B.md": "B\r\n",
    "Memory/C.md": "---\ntype: fact\n---\n",
}


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    for path, text in NOTES.items():
        file = tmp_path / "vault" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text.encode())
    return tmp_path / "vault"


@pytest.fixture
def opened(tmp_path: Path, vault: Path) -> Iterator[Open]:
    """Open an engine over the notes, of a folder or a mirror."""
    engines: list[Engine] = []

    def open_engine(source: str = "folder") -> Engine:
        settings = settings_in(
            tmp_path,
            vault=QUIET,
            of_features={"memory": MemoryRules(folder="Memory")},
        )
        record = VaultRecord("v1", "Notes", vault, source=source)  # type: ignore[arg-type]
        engines.append(
            Engine.open(record, tmp_path / "index", settings, writable=True, features=FEATURES)
        )
        return engines[-1]

    yield open_engine
    for engine in engines:
        engine.close()


def texts(vault: Path) -> dict[str, str]:
    return {path: (vault / path).read_bytes().decode() for path in NOTES}


def test_a_note_that_changed_after_it_was_shown_is_not_written(opened: Open, vault: Path) -> None:
    engine = opened()
    shown = engine.answer(EditProperties("A.md", set={"rank": 1}, dry_run=True))
    (vault / "A.md").write_text("by hand", encoding="utf-8")

    with pytest.raises(ChangedNoteError):
        engine.answer(EditProperties("A.md", shown.hash, set={"rank": 1}))
    assert (vault / "A.md").read_text(encoding="utf-8") == "by hand"

    new = engine.answer(EditProperties("A.md", set={"rank": 1}, dry_run=True))
    done = engine.answer(EditProperties("A.md", new.hash, set={"rank": 1}))
    again = engine.answer(EditProperties("A.md", new.hash, set={"rank": 1}))
    assert (done.changed, again.changed, again.undo) == (True, False, None)
    assert done.hash == again.hash


def test_a_batch_is_undone_as_one_and_done_again(opened: Open, vault: Path) -> None:
    engine = opened()
    edits = tuple(
        NoteProperties(path, add={"tags": "b"}) for path in ("A.md", "Missing.md", "B.md")
    )
    done = engine.answer(EditPropertiesBatch(edits))

    assert [each.path for each in done.refused] == ["Missing.md"]
    assert (done.changed, [note.path for note in done.notes]) == (2, ["A.md", "B.md"])
    after = texts(vault)
    assert after["B.md"] == "---\r\ntags:\r\n  - b\r\n---\r\nB\r\n"

    undone = engine.answer(UndoRequest())
    assert texts(vault) == NOTES
    assert set(undone.paths) == {"A.md", "B.md"}
    engine.answer(UndoRequest(undone.undo))
    assert texts(vault) == after
    again = engine.answer(EditPropertiesBatch(edits))
    assert (again.changed, again.undo) == (0, None)


def test_undoing_a_batch_leaves_notes_that_changed_since(opened: Open, vault: Path) -> None:
    engine = opened()
    edits = tuple(NoteProperties(path, set={"rank": 1}) for path in ("A.md", "B.md"))
    done = engine.answer(EditPropertiesBatch(edits))
    (vault / "B.md").write_bytes(b"by hand")

    undone = engine.answer(UndoRequest(done.undo))

    assert (undone.paths, [each.path for each in undone.refused]) == (("A.md",), ["B.md"])
    assert texts(vault) == {**NOTES, "B.md": "by hand"}


def test_a_dry_batch_writes_nothing(opened: Open, vault: Path) -> None:
    edits = (NoteProperties("A", set={"rank": 1}), NoteProperties("B.md", set={"rank": 1}))
    engine = opened()
    engine.index_now()
    shown = engine.answer(EditPropertiesBatch(edits, dry_run=True))
    assert (shown.changed, shown.undo) == (2, None)
    assert "+rank: 1" in shown.notes[0].diff
    assert texts(vault) == NOTES
    assert engine.answer(WritesRequest(10)).writes == ()


def test_memories_and_missing_notes_are_refused(opened: Open, vault: Path) -> None:
    engine = opened()
    with pytest.raises(ProtectedError):
        engine.answer(EditProperties("memory/C.md", set={"type": "golden_rule"}))
    with pytest.raises(NotFoundError):
        engine.answer(EditProperties("D.md", set={"rank": 1}))
    assert texts(vault) == NOTES


def test_edits_of_a_mirror_are_told_to_its_clients(opened: Open) -> None:
    engine = opened("mirror")
    edits = tuple(NoteProperties(path, set={"rank": 1}) for path in ("A.md", "B.md"))
    engine.answer(EditPropertiesBatch(edits))

    told = engine.work.server_writes(0, 100).changes
    assert [(change.kind, change.path) for change in told] == [
        ("modify", "A.md"),
        ("modify", "B.md"),
    ]
    engine.answer(UndoRequest())
    last = {change.path: change.content for change in engine.work.server_writes(0, 100).changes}
    assert all(NOTES[path] == content for path, content in last.items())
