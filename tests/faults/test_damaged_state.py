"""Each file beside the index damaged in every way: an error that says which file, or a new start."""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from notewell.base.errors import NotewellError
from notewell.base.querylog import NAME, Judged, QueryLog
from notewell.base.support.log_files import logging_to_files
from notewell.base.types import LogRules, VaultRecord
from notewell.contract.fields import iso
from notewell.contract.status import RunEnd
from notewell.engine import runs
from notewell.engine.access import DEVICES_FILE, TOKEN_FILE, Devices, stored_token
from notewell.engine.configuration import Configuration
from notewell.engine.known_vaults import REGISTRY, Registry
from notewell.engine.runs import RunLog
from notewell.features.ask.service import CONVERSATIONS, Conversations
from notewell.features.ask.tool_loop import AnswerDraft
from notewell.features.documents import source as document_store
from notewell.features.documents.source import DocumentStore, StoredPlace
from notewell.features.gardener import plans as garden
from notewell.features.gardener.plans import Decision, GardenFile
from notewell.features.gleanings import collect as gleanings
from notewell.features.gleanings.collect import GleaningFile, Mark
from notewell.features.memory.folder import MemoryFolder
from notewell.features.memory.requests import StoreMemory
from notewell.features.memory.service import Helpers, Memories
from notewell.features.sources import known as sources
from notewell.features.sources.known import SourceState
from notewell.features.sources.page_store import DATABASE as PAGES
from notewell.features.sources.page_store import PageStore
from notewell.features.sources.spec import SourceSpec
from notewell.vault.write import VaultWriter
from notewell.vault.write_journal import NAME as JOURNAL
from notewell.vault.write_journal import Journal
from tests.faults.damage import harms
from tests.faults.operations import vault_of_memories

PLACES = 25


def make_token(root: Path) -> Path:
    stored_token(root)
    return root / TOKEN_FILE


def use_token(root: Path) -> None:
    assert stored_token(root)


def make_devices(root: Path) -> Path:
    Devices(root).add("Phone", "read")
    return root / DEVICES_FILE


def use_devices(root: Path) -> None:
    assert len(Devices(root).all()) <= 1
    Devices(root).add("Another", "read")


def make_registry(root: Path) -> Path:
    with Registry(root).changing() as records:
        records.append(VaultRecord("v1", "Notes", Path("/notes")))
    return root / REGISTRY


def use_registry(root: Path) -> None:
    assert len(Registry(root).records()) == 1


def make_settings(root: Path) -> Path:
    (root / "config.toml").write_text("[search]\nsnippet_chars = 300\n", encoding="utf-8")
    return root / "config.toml"


def use_settings(root: Path) -> None:
    environ = {"NOTEWELL_CONFIG": str(root / "config.toml"), "HOME": str(root)}
    Configuration(environ).settings(root)


def make_log(root: Path) -> Path:
    log = QueryLog(root, enabled=True)
    log.judge(Judged(1.0, "bees", "A.md", "never_for_this"))
    log.close()
    return root / NAME


def use_log(root: Path) -> None:
    log = QueryLog(root, enabled=True)
    try:
        assert len(log.judgements().verdicts) <= 1
        log.judge(Judged(2.0, "hive", "A.md", "never_for_this"))
    finally:
        log.close()


def make_journal(root: Path) -> Path:
    (root / "vault").mkdir()
    VaultWriter(root / "vault", Journal(root)).create("A.md", "first", action="test")
    return root / JOURNAL


def use_journal(root: Path) -> None:
    """Nothing but what the journal says was there before is ever written."""
    writer = VaultWriter(root / "vault", Journal(root))
    try:
        writer.undo()
    finally:
        note = root / "vault" / "A.md"
        assert not note.exists() or note.read_text(encoding="utf-8") == "first"


CONVERSATION = f"{7:016x}"


def make_conversation(root: Path) -> Path:
    Conversations(root).save_turn(CONVERSATION, AnswerDraft("Why?", "v", CONVERSATION).stopped())
    return root / CONVERSATIONS / f"{CONVERSATION}.json"


def use_conversation(root: Path) -> None:
    kept = Conversations(root)
    assert len(kept.all()) <= 1
    try:
        kept.read(CONVERSATION)
    finally:  # it goes on, without what was lost
        kept.save_turn(CONVERSATION, AnswerDraft("How?", "v", CONVERSATION).stopped())
        assert kept.read(CONVERSATION)[-1].question == "How?"


def make_memory(root: Path) -> Path:
    (root / "vault").mkdir()
    writer = VaultWriter(root / "vault", Journal(root))
    memories = Memories(
        vault_of_memories(root, writer), Helpers(lambda *_: {}, len, lambda: 1_767_225_600.0)
    )
    memories.answers[StoreMemory](StoreMemory("Bees find their hive by its smell."))
    (note,) = (root / "vault" / "Memory").rglob("*.md")
    return note


def use_memory(root: Path) -> None:
    """A note of the vault: what is left of it is a memory, or it is named as none."""
    before = [file.read_bytes() for file in (root / "vault").rglob("*.md")]
    folder = MemoryFolder(vault_of_memories(root, None))
    memories = folder.all()
    assert len(memories) <= len(before)
    for warning in folder.warnings:
        logging.getLogger(__name__).warning(warning)
    assert [file.read_bytes() for file in (root / "vault").rglob("*.md")] == before


def make_server_log(root: Path) -> Path:
    with logging_to_files(root, LogRules()) as file:
        assert file is not None
        logging.getLogger(__name__).warning("first")
    return file


def use_server_log(root: Path) -> None:
    with logging_to_files(root, LogRules()) as file:
        logging.getLogger(__name__).warning("second")
    assert file is not None
    assert b"second" in file.read_bytes()


def make_documents(root: Path) -> Path:
    with DocumentStore(root).changing() as namespaces:
        document_store.put(namespaces, "work", StoredPlace("papers", root / "papers"))
    return root / document_store.NAME


def use_documents(root: Path) -> None:
    assert len(DocumentStore(root).namespaces()) <= 1
    with DocumentStore(root).changing() as namespaces:
        document_store.put(namespaces, "home", StoredPlace("bills", root / "bills"))
    assert "home" in DocumentStore(root).namespaces()


def make_gleanings(root: Path) -> Path:
    GleaningFile(root).mark("bees", lambda mark: mark.with_status("hidden", "", at="now", by="me"))
    return root / gleanings.NAME


def use_gleanings(root: Path) -> None:
    assert len(GleaningFile(root).load().marks) <= 1
    GleaningFile(root).mark("hive", lambda _: Mark(title="A hive"))


def make_runs(root: Path) -> Path:
    RunLog(root).add("index", "manual", 1.0, RunEnd("done", {"read": 1}, ()))
    return root / runs.NAME


def use_runs(root: Path) -> None:
    assert len(RunLog(root).runs()) <= 1
    RunLog(root).add("index", "manual", 2.0, RunEnd("done", {"read": 2}, ()))
    assert RunLog(root).runs()[0].started == iso(2.0)


def make_garden(root: Path) -> Path:
    decided = Decision("orphans", "A.md", "A", "2026-01-01T00:00:00")
    GardenFile(root).change(lambda state: replace(state, rejected={"s1": decided}))
    return root / garden.NAME


def use_garden(root: Path) -> None:
    assert len(GardenFile(root).load().rejected) <= 1
    GardenFile(root).change(lambda state: replace(state, rejected={}))
    assert not GardenFile(root).load().rejected


SOURCE = SourceState(SourceSpec("roam", "https://api.roamresearch.com", "graph"))


def make_source(root: Path) -> Path:
    sources.save(root, SOURCE)
    return root / sources.NAME


def use_source(root: Path) -> None:
    assert sources.load(root).state == "new"


def make_pages(root: Path) -> Path:
    store = PageStore(root, root / "notes", "roam")
    store.expect(["p1", "p2"])
    store.close()
    return root / PAGES


def use_pages(root: Path) -> None:
    store = PageStore(root, root / "notes", "roam")
    try:
        assert {*store.pending()} <= {"p1", "p2"}
        store.expect(["p3"])
        assert store.pending() == ("p3",)
    finally:
        store.close()


FILES = {
    "garden": (make_garden, use_garden),
    "source": (make_source, use_source),
    "pages": (make_pages, use_pages),
    "token": (make_token, use_token),
    "devices": (make_devices, use_devices),
    "registry": (make_registry, use_registry),
    "settings": (make_settings, use_settings),
    "query log": (make_log, use_log),
    "undo journal": (make_journal, use_journal),
    "conversation": (make_conversation, use_conversation),
    "memory": (make_memory, use_memory),
    "documents": (make_documents, use_documents),
    "gleanings": (make_gleanings, use_gleanings),
    "runs": (make_runs, use_runs),
    "server log": (make_server_log, use_server_log),
}


@pytest.mark.parametrize("kind", FILES)
def test_a_damaged_file_of_the_state_is_named_or_replaced(
    kind: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    make: Callable[[Path], Path]
    use: Callable[[Path], None]
    make, use = FILES[kind]
    caplog.set_level(logging.WARNING)
    (tmp_path / "first").mkdir()
    said: list[str] = []
    for number, harm in enumerate(harms(make(tmp_path / "first"), 5, changed=PLACES)):
        root = tmp_path / str(number)
        root.mkdir()
        file = make(root)
        harm.do(file)
        try:
            use(root)
        except NotewellError as error:
            said.append(error.message)
    # Of a journal that is there and lacks the write, the message is that nothing can be undone.
    names = ("There is nothing to undo", "The journal has no", file.name, CONVERSATION)
    assert [each for each in said if not any(name in each for name in names)] == []
    # A token is made anew, and a memory is a note, which a person may have changed like this.
    assert said or caplog.records or kind in ("token", "memory")


@pytest.mark.parametrize("column", ["errors", "counts"])
def test_a_run_that_the_disk_changed_begins_a_new_log(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, column: str
) -> None:
    file = make_runs(tmp_path)
    with closing(sqlite3.connect(file)) as database, database:
        database.execute(f"UPDATE runs SET {column} = '[['")
    use_runs(tmp_path)
    assert f"{file} is damaged" in caplog.text
    assert file.with_name(f"{file.name}.damaged").exists()
