"""Conflict copies on disk are listed, compared and healed; one undo restores every byte."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from notewell.base.errors import ChangedNoteError, NotFoundError, ProtectedError, UsageError
from notewell.engine.engine import Engine
from notewell.features.conflicts.requests import (
    ConflictReply,
    ConflictRequest,
    ConflictsRequest,
    HealConflict,
)
from notewell.features.memory import MemoryRules
from notewell.features.writes.requests import UndoRequest
from tests.vaults import QUIET, indexed

COPY = "Bees.sync-conflict-20261122-103000-ABCDEFG.md"
NOTE = "# Bees\n\nBees dance in the dark.\n\n- feed in March\n"
THEIRS = "# Bees\n\nBees dance in the dark. The queen lays eggs.\n\n- feed in April\n"
FILES = {
    "Bees.md": b"\xef\xbb\xbf" + NOTE.encode(),
    COPY: THEIRS.replace("\n", "\r\n").encode(),
    "Links.md": f"See [[{COPY[:-3]}#Bees|them]], [[Bees]], [b]({COPY}), [[Nowhere]].\n".encode(),
    "Bees again.md": NOTE.encode() + b"\nAnother line that stands here alone.\n",
    "Other.md": b"# Other\n\nSee [[Bees again]].\n",
    "Memory/C.md": b"---\ntype: fact\n---\n# C\n",
}


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    for number, (name, raw) in enumerate(FILES.items()):
        file = tmp_path / "vault" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(raw)
        os.utime(file, (1_700_000_000 + number, 1_700_000_000 + number))
    return tmp_path / "vault"


@pytest.fixture
def engine(tmp_path: Path, vault: Path) -> Iterator[Engine]:
    assert vault.is_dir()
    rules = {"memory": MemoryRules(folder="Memory")}
    with indexed(tmp_path, vault=QUIET, of_features=rules) as opened:
        yield opened


def request(found: ConflictReply, *choices: str, dry_run: bool = False) -> HealConflict:
    return HealConflict(
        found.path, found.copy, found.hash, found.copy_hash, choices, dry_run=dry_run  # type: ignore[arg-type]
    )  # fmt: skip


def files(vault: Path) -> dict[str, bytes]:
    return {
        file.relative_to(vault).as_posix(): file.read_bytes()
        for file in vault.rglob("*.md")
    }  # fmt: skip


def test_a_conflict_copy_is_listed_and_compared(engine: Engine) -> None:
    (listed,) = engine.answer(ConflictsRequest()).conflicts
    assert (listed.path, listed.copy) == ("Bees.md", COPY)
    found = engine.answer(ConflictRequest("Bees.md", COPY))
    assert (found.newer, found.differences, found.links) == ("copy", 1, ("Links.md",))
    told = [
        (part.kind, part.note.strip(), part.copy.strip(), part.line)
        for part in found.parts
        if part.kind != "both"
    ]
    assert told == [
        ("copy", "", "The queen lays eggs.", 3),
        ("differs", "- feed in March", "- feed in April", 5),
    ]


def test_it_becomes_one_note_and_one_undo_restores_every_byte(engine: Engine, vault: Path) -> None:
    found = engine.answer(ConflictRequest("Bees.md", COPY))
    shown = engine.answer(request(found, "copy", dry_run=True))
    assert files(vault) == FILES
    done = engine.answer(request(found, "copy"))

    assert (shown.diff, shown.undo) == (done.diff, None)
    assert (done.links, done.left) == (("Links.md",), ())
    now = files(vault)
    assert COPY not in now
    text = now["Bees.md"].decode("utf-8-sig")
    assert "The queen lays eggs." in text
    assert "April" in text
    assert "March" not in text
    assert now["Links.md"] == b"See [[Bees#Bees|them]], [[Bees]], [b](Bees.md), [[Nowhere]].\n"
    engine.index_now()
    assert engine.answer(ConflictsRequest()).conflicts == ()

    undone = engine.answer(UndoRequest(done.undo))
    assert sorted(undone.paths) == ["Bees.md", COPY, "Links.md"]
    assert files(vault) == FILES


def test_a_note_that_says_nearly_the_same_can_be_joined_too(engine: Engine, vault: Path) -> None:
    found = engine.answer(ConflictRequest("Bees.md", "Bees again.md"))
    engine.answer(request(found))
    now = files(vault)
    assert "Bees again.md" not in now
    assert b"Another line that stands here alone." in now["Bees.md"]
    assert now["Other.md"] == b"# Other\n\nSee [[Bees]].\n"


def test_a_version_that_changed_since_is_left_alone(engine: Engine, vault: Path) -> None:
    found = engine.answer(ConflictRequest("Bees.md", COPY))
    (vault / COPY).write_text("another text\n")
    with pytest.raises(ChangedNoteError, match="nothing was written"):
        engine.answer(request(found, "copy"))
    assert (vault / "Bees.md").read_bytes() == FILES["Bees.md"]


def test_every_difference_has_to_be_decided(engine: Engine, vault: Path) -> None:
    found = engine.answer(ConflictRequest("Bees.md", COPY))
    for choices in ((), ("note", "copy")):
        with pytest.raises(UsageError, match="differ in 1 places"):
            engine.answer(request(found, *choices))
    assert files(vault) == FILES


@pytest.mark.parametrize(
    ("path", "copy", "error"),
    [
        ("Bees.md", "Nothing.md", NotFoundError),
        ("Nothing.md", COPY, NotFoundError),
        ("Bees.md", "../outside.md", NotFoundError),
        ("Bees.md", "Bees.md", UsageError),
        ("Other.md", COPY, NotFoundError),  # it is a copy of another note
    ],
)
def test_what_is_no_copy_of_the_note_is_refused(
    engine: Engine, path: str, copy: str, error: type[Exception]
) -> None:
    with pytest.raises(error):
        engine.answer(ConflictRequest(path, copy))


def test_notes_that_only_a_feature_edits_are_not_joined(engine: Engine, vault: Path) -> None:
    found = engine.answer(ConflictRequest("Bees.md", "Memory/C.md"))
    with pytest.raises(ProtectedError):
        engine.answer(request(found, *["note"] * found.differences))
    assert files(vault) == FILES
