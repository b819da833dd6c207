"""A section or block of a note on disk is edited: compared with what was read, told, undone."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from notewell.base.errors import ChangedNoteError, NotFoundError, ProtectedError, UsageError
from notewell.base.types import VaultRecord
from notewell.contract.notes import NoteRequest
from notewell.engine.engine import Engine
from notewell.features import FEATURES
from notewell.features.edits.requests import EditNote
from notewell.features.memory import MemoryRules
from notewell.features.writes.requests import UndoRequest
from tests.vaults import QUIET, settings_in

NOTE = "---\ntags: [a]\n---\n# A\n\n## Todo\n\n- one ^one\n\n## Log\n\nText.\n"
OTHER = "## Todo\r\n\r\n- zwei\r\n"


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    folder = tmp_path / "vault"
    (folder / "Memory").mkdir(parents=True)
    (folder / "A.md").write_bytes(NOTE.encode())
    (folder / "B.md").write_bytes(b"\xef\xbb\xbf" + OTHER.encode())
    (folder / "Memory" / "C.md").write_text("---\ntype: fact\n---\n# C\n")
    (folder / "latin.md").write_bytes("# Ä\n".encode("latin-1"))
    return folder


@pytest.fixture
def engine(tmp_path: Path, vault: Path) -> Iterator[Engine]:
    settings = settings_in(
        tmp_path, vault=QUIET, of_features={"memory": MemoryRules(folder="Memory")}
    )
    record = VaultRecord("v1", "Notes", vault)
    opened = Engine.open(record, tmp_path / "index", settings, writable=True, features=FEATURES)
    opened.index_now()
    yield opened
    opened.close()


def hash_of(engine: Engine, path: str) -> str:
    known = engine.answer(NoteRequest(path)).hash
    assert known is not None
    return known


def test_a_part_is_written_told_and_taken_back(engine: Engine, vault: Path) -> None:
    known = hash_of(engine, "A.md")
    shown = engine.answer(EditNote("A.md", known, "append", "- two", "Todo", dry_run=True))
    assert (vault / "A.md").read_bytes() == NOTE.encode()

    done = engine.answer(EditNote("A", known, "append", "- two", "Todo"))

    after = NOTE.replace("^one\n", "^one\n- two\n")
    assert (vault / "A.md").read_bytes() == after.encode()
    assert shown.diff == done.diff
    assert "\n+- two\n" in done.diff
    assert (shown.undo, done.changed) == (None, True)
    assert done.hash == hash_of(engine, "A.md") != known
    engine.answer(UndoRequest(done.undo))
    assert (vault / "A.md").read_bytes() == NOTE.encode()


def test_line_ends_and_the_byte_order_mark_stay(engine: Engine, vault: Path) -> None:
    engine.answer(EditNote("B.md", hash_of(engine, "B.md"), "append", "- drei", "Todo"))
    assert (vault / "B.md").read_bytes() == b"\xef\xbb\xbf" + OTHER.encode() + b"- drei\r\n"


def test_a_note_that_changed_since_is_refused_with_its_text_now(
    engine: Engine, vault: Path
) -> None:
    known = hash_of(engine, "A.md")
    (vault / "A.md").write_text(NOTE.replace("- one", "- changed by hand"))

    with pytest.raises(ChangedNoteError) as refused:
        engine.answer(EditNote("A.md", known, "replace", "- mine", "Todo"))

    assert "- changed by hand ^one" in refused.value.message
    assert "Text." not in refused.value.message
    now = hash_of(engine, "A.md")
    assert now in refused.value.message
    assert "changed by hand" in (vault / "A.md").read_text()
    assert engine.answer(EditNote("A.md", now, "replace", "- mine", "Todo")).changed


def test_of_two_writers_one_is_told_of_the_other(engine: Engine, vault: Path) -> None:
    known = hash_of(engine, "A.md")

    def write(word: str) -> bool:
        try:
            return engine.answer(EditNote("A.md", known, "append", f"- {word}", "Todo")).changed
        except ChangedNoteError:
            return False

    with ThreadPoolExecutor(8) as pool:
        done = list(pool.map(write, [f"writer {n}" for n in range(8)]))

    assert done.count(True) == 1
    assert (vault / "A.md").read_text().count("- writer") == 1


def test_what_may_not_be_edited_is_refused(engine: Engine, vault: Path) -> None:
    zeros = "0" * 32
    with pytest.raises(ProtectedError):
        engine.answer(EditNote("Memory/C.md", zeros, "append", "x", "C"))
    with pytest.raises(NotFoundError):
        engine.answer(EditNote("Nowhere.md", zeros, "append", "x"))
    known = hash_of(engine, "A.md")
    with pytest.raises(NotFoundError, match="Todo"):
        engine.answer(EditNote("A.md", known, "append", "x", "Todos"))
    with pytest.raises(UsageError):
        engine.answer(EditNote("A.md", known, "replace", "x"))
    assert (vault / "A.md").read_bytes() == NOTE.encode()


def test_a_repeated_edit_of_the_same_text_writes_nothing(engine: Engine) -> None:
    first = engine.answer(EditNote("A.md", hash_of(engine, "A.md"), "replace", "- x ^one", "^one"))
    again = engine.answer(EditNote("A.md", first.hash, "replace", "- x", "^one"))
    assert (again.changed, again.diff, again.undo) == (False, "", None)
