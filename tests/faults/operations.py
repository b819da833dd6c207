"""The operations that write, each with what has to hold after any of its calls failed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from notewell.base import querylog
from notewell.base.types import Batch, Settings, VaultRecord
from notewell.contract.fields import iso
from notewell.contract.request import Request
from notewell.contract.status import RunEnd
from notewell.engine.access import Devices, new_stored_token, stored_token
from notewell.engine.configuration import Configuration
from notewell.engine.feature import OpenVault
from notewell.engine.known_vaults import Registry
from notewell.engine.runs import RunLog, Runs
from notewell.features.documents import source as document_store
from notewell.features.documents.source import DocumentStore, StoredPlace
from notewell.features.gleanings.collect import GleaningFile
from notewell.features.memory import MemoryRules
from notewell.features.memory.folder import MemoryFolder
from notewell.features.memory.requests import (
    ApplyMemory,
    ForgetMemory,
    StoreMemory,
)
from notewell.features.memory.service import Helpers, Memories
from notewell.features.phone.service import PhoneIndex
from notewell.index.embedded import EmbeddedIndex
from notewell.vault.paths import PHONE_INDEX
from notewell.vault.sources import source_of
from notewell.vault.write import VaultWriter, content_hash
from notewell.vault.write_journal import Journal
from tests.engine.open_vault import open_vault
from tests.faults.backup_operations import BACKUPS
from tests.faults.index_operations import INDEX, MAKE, notes, open_index
from tests.faults.injection import LEFT, Operation
from tests.features.phone.reading import read

# --- writes to a vault --------------------------------------------------------------------------

OLD, NEW = "# Old\n\nAs it was.\n", "# New\n\n" + "As it is now. " * 400


def _writer(root: Path) -> VaultWriter:
    return VaultWriter(root / "vault", Journal(root / "data"))


def _vault_is_there(root: Path) -> None:
    (root / "vault").mkdir()
    writer = _writer(root)
    writer.create("Note.md", OLD, action="create")
    writer.create("Other.md", "other", action="create")


def _hash(text: str) -> bytes:
    return content_hash(text.encode())


def _check_write(path: str, old: str | None, new: str | None) -> Callable[[Path, bool], list[str]]:
    def check(root: Path, done: bool) -> list[str]:
        file, writer = root / "vault" / path, _writer(root)
        text = file.read_text(encoding="utf-8") if file.exists() else None
        if text != new and (done or text != old):
            return [f"{path} holds {text!r:.80}"]
        left = [each.name for each in file.parent.glob(".notewell-*")]
        wrong = [f"{LEFT}{left}"] if left else []
        newest = writer.entries(1)[0]
        if text == new != old:  # then it can be taken back
            writer.undo(newest.number)
            back = file.read_text(encoding="utf-8") if file.exists() else None
            wrong += [] if back == old else [f"undoing leaves {back!r:.80}"]
        return wrong

    return check


def _undo(root: Path) -> None:
    _writer(root).undo()


def _vault_with_a_write(root: Path) -> None:
    _vault_is_there(root)
    _writer(root).replace("Note.md", NEW, seen=_hash(OLD), action="replace")


def _check_undo(root: Path, done: bool) -> list[str]:
    text = (root / "vault" / "Note.md").read_text(encoding="utf-8")
    if text != OLD and (done or text != NEW):
        return [f"the note holds {text!r:.80}"]
    _writer(root).undo(3)  # the write that was to be undone; a second time it changes nothing
    again = (root / "vault" / "Note.md").read_text(encoding="utf-8")
    return [] if again == OLD else [f"undone again, it holds {again!r:.80}"]


# --- memories -----------------------------------------------------------------------------------


def vault_of_memories(root: Path, writer: VaultWriter | None) -> OpenVault:
    """A vault whose folder of memories is `Memory`."""
    return open_vault(
        record=VaultRecord("v1", "v", root / "vault"),
        source=source_of(VaultRecord("v1", "v", root / "vault")),
        settings=lambda: Settings(root, root, root, of_features={"memory": MemoryRules("Memory")}),
        writer=writer,
        changed=lambda _: None,
    )


def _memories(root: Path) -> Memories:
    vault = vault_of_memories(root, _writer(root))
    return Memories(vault, Helpers(lambda *_: {}, len, lambda: 1_767_225_600.0))


def _ask(memories: Memories, request: Request[Any]) -> None:
    memories.answers[type(request)](request)


def _memories_are_there(root: Path) -> None:
    (root / "vault").mkdir()
    for content in ("Bees find their hive by its smell.", "Snow falls in winter."):
        _ask(_memories(root), StoreMemory(content))


def _remember(root: Path) -> None:
    memories = _memories(root)
    _ask(memories, StoreMemory("Honey keeps for years."))
    _ask(memories, ApplyMemory("Snow falls in winter", "in a test"))
    _ask(memories, ForgetMemory("Bees find their hive by its smell"))


def _check_memories(root: Path, done: bool) -> list[str]:
    found = MemoryFolder(vault_of_memories(root, None))
    contents = sorted(memory.content.strip() for memory in found.all())
    steps = (
        ["Bees find their hive by its smell.", "Snow falls in winter."],
        ["Bees find their hive by its smell.", "Honey keeps for years.", "Snow falls in winter."],
        ["Honey keeps for years.", "Snow falls in winter."],
    )
    wrong = [] if contents in (steps[2:] if done else steps) else [f"memories: {contents}"]
    return wrong + [f"unreadable: {each}" for each in found.warnings]


# --- small files --------------------------------------------------------------------------------


def _devices_are_there(root: Path) -> None:
    (root / "state").mkdir()
    Devices(root / "state").add("Phone", "read")


def _add_device(root: Path) -> None:
    Devices(root / "state").add("Tablet", "write")


def _check_devices(root: Path, done: bool) -> list[str]:
    names = [device.name for device in Devices(root / "state").all()]
    allowed = [["Phone", "Tablet"]] if done else [["Phone"], ["Phone", "Tablet"]]
    return ([] if names in allowed else [f"devices: {names}"]) + _leftovers(root / "state")


def _leftovers(folder: Path) -> list[str]:
    return [f"{LEFT}{each.name}" for each in folder.glob(".*-????????")]


def _token_is_there(root: Path) -> None:
    stored_token(root / "state")
    (root / "first").write_text(stored_token(root / "state"), encoding="utf-8")


def _rotate_token(root: Path) -> None:
    new_stored_token(root / "state")


def _check_token(root: Path, done: bool) -> list[str]:
    token, first = stored_token(root / "state"), (root / "first").read_text(encoding="utf-8")
    wrong = [] if len(token) == len(first) and not (done and token == first) else ["a wrong token"]
    return wrong + _leftovers(root / "state")


_SETTINGS = "# mine\n[search]\nsnippet_chars = 300\n"


def _settings_are_there(root: Path) -> None:
    (root / "config.toml").write_text(_SETTINGS, encoding="utf-8")
    (root / "vault").mkdir()


def _configuration(root: Path) -> Configuration:
    return Configuration({"NOTEWELL_CONFIG": str(root / "config.toml"), "HOME": str(root)})


def _change_settings(root: Path) -> None:
    _configuration(root).change({"search.snippet_chars": 200}, root / "vault")


def _check_settings(root: Path, done: bool) -> list[str]:
    chars = _configuration(root).settings(root / "vault").search.snippet_chars
    text = (root / "config.toml").read_text(encoding="utf-8")
    right = chars == 200 if done else chars in (200, 300)
    wrong = [] if right and text.startswith("# mine") else [f"settings: {text!r}"]
    return wrong + _leftovers(root)


def _record(number: int) -> VaultRecord:
    return VaultRecord(f"v{number}", f"Vault {number}", Path(f"/vault/{number}"))


def _vaults_are_known(root: Path) -> None:
    with Registry(root / "data").changing() as records:
        records.append(_record(1))


def _know_a_vault(root: Path) -> None:
    with Registry(root / "data").changing() as records:
        records.append(_record(2))


def _check_registry(root: Path, done: bool) -> list[str]:
    known = [record.id for record in Registry(root / "data").records()]
    right = known == ["v1", "v2"] if done else known in (["v1"], ["v1", "v2"])
    return ([] if right else [f"vaults: {known}"]) + _leftovers(root / "data")


# --- the log of queries -------------------------------------------------------------------------


def _log(root: Path) -> querylog.QueryLog:
    return querylog.QueryLog(root / "log", enabled=True)


def _judged(query: str) -> querylog.Judged:
    return querylog.Judged(1.0, query, "A.md", "never_for_this")


def _log_is_there(root: Path) -> None:
    log = _log(root)
    log.judge(_judged("first"))
    log.close()


def _log_more(root: Path) -> None:
    log = _log(root)
    try:
        log.add(
            querylog.QueryEntry("q", 1000.0, "http", "bees", "hybrid", 1.5, 7, (("A.md", 1.0),))
        )
        log.judge(_judged("second"))
    finally:
        log.close()


def _check_log(root: Path, done: bool) -> list[str]:
    log = _log(root)
    try:
        verdicts = [judged.query for judged in log.judgements().verdicts]
        log.judge(_judged("third"))
    finally:
        log.close()
    right = (
        verdicts == ["first", "second"] if done else verdicts in (["first"], ["first", "second"])
    )
    return [] if right else [f"verdicts: {verdicts}"]


# --- documents, gleanings, runs -----------------------------------------------------------------


def _add_documents(root: Path, name: str) -> None:
    with DocumentStore(root / "data").changing() as namespaces:
        document_store.put(namespaces, name, StoredPlace("papers", root / name))


def _check_documents(root: Path, done: bool) -> list[str]:
    names = sorted(DocumentStore(root / "data").namespaces())
    allowed = [["first", "second"]] if done else [["first"], ["first", "second"]]
    return ([] if names in allowed else [f"documents: {names}"]) + _leftovers(root / "data")


def _mark_gleaning(root: Path, name: str) -> None:
    GleaningFile(root / "data").mark(
        name, lambda mark: mark.with_status("hidden", "", at="now", by="me")
    )


def _check_gleanings(root: Path, done: bool) -> list[str]:
    names = sorted(GleaningFile(root / "data").load().marks)
    allowed = [["first", "second"]] if done else [["first"], ["first", "second"]]
    return ([] if names in allowed else [f"gleanings: {names}"]) + _leftovers(root / "data")


def _log_run(root: Path, started: float) -> None:
    RunLog(root / "data").add("index", "manual", started, RunEnd("done", {"read": 1}))


def _check_runs(root: Path, done: bool) -> list[str]:
    started = [run.started for run in RunLog(root / "data").runs()]
    _log_run(root, 3.0)
    before, after = [iso(1.0)], [iso(2.0), iso(1.0)]
    right = started == after if done else started in (before, after)
    return [] if right else [f"runs: {started}"]


# --- the phone index ----------------------------------------------------------------------------


def _phone_index(root: Path) -> tuple[EmbeddedIndex, PhoneIndex]:
    index = EmbeddedIndex.open(root / "index", writable=False)
    record = VaultRecord("v1", "Notes", root / "vault")
    runs = Runs(RunLog(root / "runs"), "Notes")
    settings = Settings(root, root, root)
    vault = open_vault(
        record=record,
        settings=lambda: settings,
        index=index,
        runs=runs,
        embedder=lambda: None,
        query_table=lambda _: None,
    )
    return index, PhoneIndex(vault)


def _phone_index_is_there(root: Path) -> None:
    (root / "vault").mkdir()
    index = open_index(root)
    index.apply(Batch(puts=tuple(notes(changed=False).values())))
    MAKE.embed(index)
    index.close()
    _write_phone_index(root)
    (root / "first").write_bytes((root / "vault" / PHONE_INDEX).read_bytes())


def _write_phone_index(root: Path) -> None:
    index, phone = _phone_index(root)
    try:
        phone.switch(on=True)
    finally:
        index.close()


def _check_phone_index(root: Path, done: bool) -> list[str]:
    raw, first = (root / "vault" / PHONE_INDEX).read_bytes(), (root / "first").read_bytes()
    wrong = [] if read(raw).paths == read(first).paths else ["a phone index with other notes"]
    wrong += ["it was not written anew"] if done and raw == first else []
    return wrong + _leftovers(root / "vault")


def _all(*operations: Operation) -> Mapping[str, Operation]:
    return MappingProxyType({operation.name: operation for operation in operations})


OPERATIONS = _all(
    *INDEX,
    *BACKUPS,
    Operation(
        "note_created",
        _vault_is_there,
        lambda root: _writer(root).create("In/A.md", NEW, action="create") and None,
        _check_write("In/A.md", None, NEW),
    ),
    Operation(
        "note_replaced",
        _vault_is_there,
        lambda root: _writer(root).replace("Note.md", NEW, seen=_hash(OLD), action="r") and None,
        _check_write("Note.md", OLD, NEW),
    ),
    Operation(
        "note_deleted",
        _vault_is_there,
        lambda root: _writer(root).delete("Note.md", seen=_hash(OLD), action="d") and None,
        _check_write("Note.md", OLD, None),
    ),
    Operation("undo", _vault_with_a_write, _undo, _check_undo),
    Operation("memories", _memories_are_there, _remember, _check_memories),
    Operation("devices", _devices_are_there, _add_device, _check_devices),
    Operation("token", _token_is_there, _rotate_token, _check_token),
    Operation("settings", _settings_are_there, _change_settings, _check_settings),
    Operation("registry", _vaults_are_known, _know_a_vault, _check_registry),
    Operation("query_log", _log_is_there, _log_more, _check_log),
    Operation(
        "documents",
        lambda root: _add_documents(root, "first"),
        lambda root: _add_documents(root, "second"),
        _check_documents,
    ),
    Operation(
        "gleanings",
        lambda root: _mark_gleaning(root, "first"),
        lambda root: _mark_gleaning(root, "second"),
        _check_gleanings,
    ),
    Operation("phone_index", _phone_index_is_there, _write_phone_index, _check_phone_index),
    Operation(
        "runs", lambda root: _log_run(root, 1.0), lambda root: _log_run(root, 2.0), _check_runs
    ),
)
