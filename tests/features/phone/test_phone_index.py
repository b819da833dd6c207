"""The phone index of a vault: written when it is switched on, whole or not at all, and left alone."""

from __future__ import annotations

import errno
import os
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from notewell.base.errors import ReadOnlyError, UsageError, WriteError
from notewell.base.support import disk
from notewell.base.types import Batch, Settings, VaultRecord, VaultRules
from notewell.contract.status import RunEnd
from notewell.engine.feature import OpenVault
from notewell.engine.runs import RunLog, Runs
from notewell.features.phone import PhoneRules
from notewell.features.phone.service import PhoneIndex
from notewell.index.embedded import EmbeddedIndex
from notewell.models.query_table import WORDPIECE, QueryTable, TableHead, TokenVocabulary, pack
from notewell.vault.paths import PHONE_INDEX, is_own_file
from notewell.vault.walker import walk
from tests.engine.open_vault import open_vault
from tests.features.phone.reading import read
from tests.index.conftest import Material
from tests.waiting import until

MAKE = Material()


@pytest.fixture
def index(tmp_path: Path) -> Iterator[EmbeddedIndex]:
    (tmp_path / "vault").mkdir()
    opened = EmbeddedIndex.open(tmp_path / "index", writable=True)
    opened.use_model(MAKE.model, MAKE.dimensions)
    yield opened
    opened.close()


def fill(index: EmbeddedIndex, **notes: tuple[str, ...]) -> None:
    puts = tuple(MAKE.note(f"{name}.md", *texts) for name, texts in notes.items())
    index.apply(Batch(puts=puts))
    MAKE.embed(index)


def phone(
    tmp_path: Path,
    index: EmbeddedIndex,
    rules: PhoneRules | None = None,
    table: QueryTable | None = None,
) -> PhoneIndex:
    record = VaultRecord("v1", "Notes", tmp_path / "vault")
    runs = Runs(RunLog(tmp_path / "data"), "Notes")
    settings = Settings(tmp_path, tmp_path, tmp_path, of_features={"phone": rules or PhoneRules()})
    return PhoneIndex(
        open_vault(
            record=record,
            settings=lambda: settings,
            index=index,
            runs=runs,
            embedder=lambda: None,
            query_table=lambda _: table,
        )
    )


def written(tmp_path: Path) -> Path:
    return tmp_path / "vault" / PHONE_INDEX


def vault_of(one: PhoneIndex) -> OpenVault:
    """The vault that it was made of."""
    return one._vault


def due(one: PhoneIndex) -> None:
    """What the schedule does, to its end."""
    one.begin_due()
    runs = vault_of(one).runs
    until(lambda: not runs.busy and all(run.ended for run in runs.log.runs(1)))


def test_it_holds_notes_and_passages_by_vector_and_no_text(
    tmp_path: Path, index: EmbeddedIndex
) -> None:
    fill(index, B=("honey in a hive", "snow in winter"), A=("bees",), Empty=())
    index.apply(Batch(puts=(MAKE.note("Papers/Wasps.pdf", "wasps make paper"),)))
    MAKE.embed(index)
    one = phone(tmp_path, index)
    before = one.reply()
    assert (before.on, before.bytes, one.on) == (False, None, False)

    after = one.switch(on=True)

    raw = written(tmp_path).read_bytes()
    found = read(raw)
    assert found.paths == ["A.md", "B.md"]
    assert found.hashes[0] == index.manifest()["A.md"].content_hash
    assert [list(of) for of in found.passages_of] == [[0], [1, 2]]
    assert found.lines == [(1, 1), (1, 1), (2, 2)]
    chunks = [
        chunk for note in ("A.md", "B.md") for chunk in index.chunks_of(index.note_at(note).id)
    ]
    for chunk, vector in zip(chunks, found.passage_vectors, strict=True):
        assert vector @ MAKE.vector(chunk.text_hash) > 0.99
    assert b"honey" not in raw
    assert found.model == str(MAKE.model)
    assert (after.on, after.bytes, after.notes, after.passages) == (True, len(raw), 2, 3)
    assert after.expected is not None
    assert after.expected.bytes == pytest.approx(len(raw), abs=150)  # a PDF was counted too
    run = RunLog(tmp_path / "data").runs(1)[0]
    assert (run.kind, run.result, run.counts["bytes"]) == ("phone", "done", len(raw))


def test_it_is_written_again_after_an_hour_and_a_change(
    tmp_path: Path, index: EmbeddedIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(index, A=("bees",))
    one = phone(tmp_path, index, PhoneRules(index=True))
    one.write("schedule")
    first = written(tmp_path).read_bytes()

    fill(index, B=("honey",))
    due(one)
    assert written(tmp_path).read_bytes() == first, "not twice within an hour"

    later = time.time() + 3_700
    monkeypatch.setattr("notewell.features.phone.service.time.time", lambda: later)
    due(one)
    assert read(written(tmp_path).read_bytes()).paths == ["A.md", "B.md"]

    os.utime(written(tmp_path), (1, 1))
    again = phone(tmp_path, index, PhoneRules(index=True))
    monkeypatch.setattr("notewell.features.phone.service.time.time", lambda: later + 3_700)
    due(again)
    assert written(tmp_path).stat().st_mtime == 1, "nothing has changed, so nothing is written"


@pytest.mark.parametrize(
    ("chosen", "is_on"), [(False, False), (True, True), (("v1",), True), (("Other",), False)]
)
def test_the_setting_names_the_vaults(
    tmp_path: Path, index: EmbeddedIndex, chosen: bool | tuple[str, ...], is_on: bool
) -> None:
    fill(index, A=("bees",))
    one = phone(tmp_path, index, PhoneRules(index=chosen))

    due(one)

    assert (one.on, written(tmp_path).exists()) == (is_on, is_on)


def test_a_full_disk_leaves_the_file_that_was_there(
    tmp_path: Path, index: EmbeddedIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(index, A=("bees",))
    one = phone(tmp_path, index)
    one.switch(on=True)
    before = written(tmp_path).read_bytes()
    fill(index, B=("honey",))

    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch:
        patch.setattr("os.fsync", full)
        with pytest.raises(WriteError, match=r"No space left.*unchanged"):
            one.switch(on=True)

    assert written(tmp_path).read_bytes() == before
    assert [file.name for file in (tmp_path / "vault").iterdir()] == [PHONE_INDEX]
    assert RunLog(tmp_path / "data").runs(1)[0].result == "failed"


def test_a_process_that_is_killed_leaves_the_file_that_was_there(
    tmp_path: Path, index: EmbeddedIndex
) -> None:
    fill(index, A=("bees",))
    one = phone(tmp_path, index)
    one.switch(on=True)
    before = written(tmp_path).read_bytes()
    fill(index, B=("honey",))

    if (child := os.fork()) == 0:  # pragma: no cover - it is killed
        try:
            os.fsync = lambda _: os.kill(os.getpid(), 9)
            one._replace(b"half of a file")
        finally:
            os._exit(1)
    os.waitpid(child, 0)

    assert written(tmp_path).read_bytes() == before
    left = [file for file in (tmp_path / "vault").iterdir() if file.name != PHONE_INDEX]
    assert len(left) == 1
    assert is_own_file(left[0].name), "the watcher and the index pass over it"
    one.switch(on=True)
    assert not left[0].exists()


def test_switching_it_off_deletes_it_and_no_other_file(
    tmp_path: Path, index: EmbeddedIndex
) -> None:
    fill(index, A=("bees",))
    one = phone(tmp_path, index)
    one.switch(on=True)
    assert one.switch(on=False).bytes is None
    assert not written(tmp_path).exists()

    written(tmp_path).write_bytes(b"somebody else's")
    assert one.switch(on=False).on is False
    with pytest.raises(ReadOnlyError, match="another program's file"):
        one.switch(on=True)
    assert written(tmp_path).read_bytes() == b"somebody else's"
    assert "Rename it" in (one.reply().problem or "")


def test_what_cannot_be_written_is_told(tmp_path: Path, index: EmbeddedIndex) -> None:
    one = phone(tmp_path, index)
    with pytest.raises(UsageError, match="notewell index"):
        one.switch(on=True)
    assert one.reply().expected is None

    fill(index, A=("bees",))
    copy = PhoneIndex(replace(vault_of(one), record=replace(vault_of(one).record, source="mirror")))
    with pytest.raises(ReadOnlyError, match="reaches no phone"):
        copy.switch(on=True)
    one.switch(on=True)
    whole = written(tmp_path).read_bytes()
    written(tmp_path).write_bytes(whole[:-1])
    assert "not whole" in (one.reply().problem or "")


def test_a_vault_that_is_too_large_gets_fewer_dimensions_and_says_so(
    tmp_path: Path, index: EmbeddedIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = {f"{'Long name ' * 10}{n}": (f"bees {n}", f"honey {n}") for n in range(40)}
    fill(index, **texts)
    one = phone(tmp_path, index)
    most = 7_200  # bytes; settings allow no less than a megabyte
    monkeypatch.setattr(one, "_limit", most)

    reply = one.switch(on=True)

    found = read(written(tmp_path).read_bytes())
    assert reply.expected is not None
    assert reply.expected.shortened == (
        f"To fit into a phone's memory, vectors have {found.dimensions} of 8 dimensions."
    )
    assert np.linalg.norm(found.passage_vectors, axis=1) == pytest.approx(1, abs=0.02)
    assert reply.expected.bytes <= most
    assert found.model_dimensions == MAKE.dimensions


@pytest.mark.parametrize("most", [1_000_000, 3_600])
def test_it_carries_the_query_table_on_its_own_axes(
    tmp_path: Path, index: EmbeddedIndex, monkeypatch: pytest.MonkeyPatch, most: int
) -> None:
    fill(index, **{f"Note {n}": (f"bees {n}", f"honey {n}") for n in range(40)})
    table = some_table()
    one = phone(tmp_path, index, table=table)
    monkeypatch.setattr(one, "_limit", most)

    reply = one.switch(on=True)

    found = read(written(tmp_path).read_bytes())
    carried = QueryTable.decode(found.table)
    guess, whole = carried.guess("bee"), table.guess("bee")
    assert guess is not None
    assert whole is not None
    assert len(guess.vector) == found.dimensions
    assert (found.dimensions < MAKE.dimensions) == (most == 3_600)
    chunks = [chunk for note in index.all_notes() for chunk in index.chunks_of(note.id)]
    wanted = sorted(float(whole.vector @ MAKE.vector(chunk.text_hash)) for chunk in chunks)
    cosines = sorted((found.passage_vectors @ guess.vector).tolist())
    assert cosines == pytest.approx(wanted, abs=0.06 if most == 1_000_000 else 0.4)
    assert (reply.table_bytes, one.reply().problem) == (len(found.table), None)


def some_table() -> QueryTable:
    numbers = np.random.default_rng(1).standard_normal((2, MAKE.dimensions)).astype(np.float32)
    rows, scales = pack(numbers)
    head = TableHead(str(MAKE.model), 1.0, 80, 0.9, 0.5, (0.9, 0.0, -0.8, 0.0))
    vocabulary = TokenVocabulary(WORDPIECE, 15, ("bee", "hive"), np.empty(0, np.float32))
    bias = np.zeros(MAKE.dimensions, np.float32)
    return QueryTable(head, vocabulary, rows, scales, np.zeros(2, np.uint8), bias)


def test_the_index_passes_over_it(tmp_path: Path) -> None:
    (tmp_path / "Note.md").write_text("bees", encoding="utf-8")
    (tmp_path / "Folder").mkdir()
    for name in (PHONE_INDEX, f".{PHONE_INDEX}-0123abcd", "other.bin", f"Folder/{PHONE_INDEX}"):
        (tmp_path / name).write_bytes(b"x")

    found = walk(tmp_path, VaultRules())

    listed = sorted(other.file.path for other in found.others)
    assert listed == [f"Folder/{PHONE_INDEX}", "other.bin"]
    assert disk.SHARED & 0o044, "sync tools may read it"


def test_runs_that_ended_are_no_reason_to_wait(tmp_path: Path, index: EmbeddedIndex) -> None:
    fill(index, A=("bees",))
    log = RunLog(tmp_path / "data")
    log.end(log.start("reconcile", "schedule"), RunEnd("done", {}))
    one = phone(tmp_path, index, PhoneRules(index=True))

    due(one)

    assert written(tmp_path).exists()
