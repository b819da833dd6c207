"""Backups: the state comes back as it was, or nothing is changed."""

from __future__ import annotations

import hashlib
import io
import json
import os
import sqlite3
import stat
import tarfile
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

from notewell.contract.status import Change
from notewell.engine import switch
from notewell.engine.access import Devices
from notewell.index.engines import hold_index
from notewell.vault.mirror import Mirror
from tests.doors.cli.support import CommandLine
from tests.waiting import HANG_S

QUERIES = ("bees", "warm compost", "music")


def state(notewell: CommandLine) -> Any:
    """What a person sees of the state."""
    found = [notewell.json("search", query)["results"] for query in QUERIES]
    log = notewell.json("log")
    return (
        [
            [(result["path"], result["score"], result["snippet"]) for result in results]
            for results in found
        ],
        [(verdict["query"], verdict["path"], verdict["verdict"]) for verdict in log["verdicts"]],
        notewell.json("vaults", "list"),
    )


def files_of(folder: Path) -> dict[str, bytes]:
    """All files of a data directory, without locks and what SQLite keeps beside its files."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not path.name.endswith(("lock", "-shm", "-wal"))
    }


@pytest.fixture
def new_computer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], Path]:
    """From its call on, commands use another data directory and another settings file."""

    def move() -> Path:
        settings = tmp_path / "new-settings.toml"
        settings.write_text("", encoding="utf-8")
        monkeypatch.setenv("NOTEWELL_CONFIG", str(settings))
        monkeypatch.setenv("NOTEWELL_DATA_DIR", str(tmp_path / "new-data"))
        return tmp_path / "new-data"

    return move


@pytest.fixture
def saved(notewell: CommandLine, indexed: Path, tmp_path: Path) -> Path:
    """A backup of an indexed vault with a verdict, by keyword alone."""
    notewell("verdict", "bees", "City.md", "--never")
    file = tmp_path / "saved.tar"
    notewell("backup", file)
    return file


def members(file: Path) -> dict[str, bytes]:
    with tarfile.open(file) as packed:
        return {each.name: packed.extractfile(each).read() for each in packed}  # type: ignore[union-attr]


@pytest.mark.usefixtures("with_model")
def test_a_restored_state_gives_the_same_results_and_embeds_nothing(
    notewell: CommandLine, indexed: Path, tmp_path: Path, new_computer: Callable[[], Path]
) -> None:
    notewell("verdict", "bees", "City.md", "--never")
    (tmp_path / "settings.toml").write_text("[search]\nsnippet_chars = 30\n", encoding="utf-8")
    before = state(notewell)
    report = notewell.json("backup", tmp_path / "b.tar")
    assert (report["vaults"], report["logs"], report["vectors"]) == (["Notes"], True, True)

    new_computer()
    notewell("restore", tmp_path / "b.tar")

    assert state(notewell) == before
    assert notewell.json("config", "show")["search.snippet_chars"] == 30
    again = notewell.json("index", indexed)
    assert (again["embedded"], again["notes"]) == (0, 3)
    assert state(notewell) == before


@pytest.mark.usefixtures("with_model")
def test_without_vectors_only_embedding_is_repeated(
    notewell: CommandLine, vault: Path, tmp_path: Path, new_computer: Callable[[], Path]
) -> None:
    first = notewell.json("index", vault)
    before = state(notewell)
    notewell("backup", tmp_path / "b.tar", "--no-vectors")

    new_computer()
    notewell("restore", tmp_path / "b.tar")

    status = notewell.json("status")
    assert (status["notes"], status["vectors"]) == (3, 0)
    again = notewell.json("index", vault)
    assert (again["embedded"], again["reused"]) == (first["embedded"], 0)
    assert state(notewell) == before


def test_the_file_is_private_and_has_no_secret(
    notewell: CommandLine, indexed: Path, tmp_path: Path
) -> None:
    token = notewell("token", "show").stdout.strip()
    device = notewell("token", "add", "phone").stdout.strip()
    file = tmp_path / "b.tar"
    notewell("backup", file)

    content = file.read_bytes()
    devices = (tmp_path / "data" / "state" / "devices.json").read_text()
    for secret in (token, device, json.loads(devices)["devices"][0]["token"]):
        assert secret.encode() not in content
    if os.name == "posix":
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []


def test_fitted_weights_are_part_of_it(
    notewell: CommandLine, saved: Path, tmp_path: Path, new_computer: Callable[[], Path]
) -> None:
    (directory,) = (tmp_path / "data" / "vaults").iterdir()
    (directory / "tuning.json").write_text('{"names": 1.0}', encoding="utf-8")
    notewell("backup", saved, "--force")
    data = new_computer()
    notewell("restore", saved)

    restored = data / "vaults" / directory.name / "tuning.json"
    assert restored.read_text(encoding="utf-8") == '{"names": 1.0}'


def test_devices_have_to_sign_in_again(
    notewell: CommandLine, indexed: Path, tmp_path: Path, new_computer: Callable[[], Path]
) -> None:
    notewell("token", "add", "phone", "--scope", "write")
    notewell("backup", tmp_path / "b.tar")
    data = new_computer()

    report = notewell.json("restore", tmp_path / "b.tar")

    assert [(device["name"], device["scope"]) for device in report["devices"]] == [
        ("phone", "write")
    ]
    assert Devices(data / "state").all() == ()


def test_the_log_is_left_out_by_choice_and_verdicts_never(
    notewell: CommandLine, saved: Path, tmp_path: Path, new_computer: Callable[[], Path]
) -> None:
    notewell("search", "a private matter")
    notewell("backup", tmp_path / "small.tar", "--no-logs")
    assert b"a private matter" not in (tmp_path / "small.tar").read_bytes()

    new_computer()
    notewell("restore", tmp_path / "small.tar")
    log = notewell.json("log")
    assert (log["entries"], len(log["verdicts"])) == ([], 1)


def test_a_mirror_keeps_its_notes_and_their_times(
    notewell: CommandLine, tmp_path: Path, new_computer: Callable[[], Path]
) -> None:
    notewell("vaults", "add", "--mirror", "Phone")
    (record,) = notewell.json("vaults", "list")["vaults"]
    changes = [
        Change("create", "Ünder/Æ note.md", content="bees of the phone", mtime=1_700_000_000_123)
    ]
    Mirror(Path(record["path"])).apply(changes)
    notewell("index", "Phone")
    notewell("backup", tmp_path / "b.tar")

    data = new_computer()
    notewell("restore", tmp_path / "b.tar")

    note = data / "mirrors" / record["id"] / "vault" / "Ünder" / "Æ note.md"
    assert note.read_text(encoding="utf-8") == "bees of the phone"
    assert note.stat().st_mtime_ns // 1_000_000 == 1_700_000_000_123
    assert notewell.json("search", "bees")["results"][0]["path"] == "Ünder/Æ note.md"


def test_a_backup_while_a_writer_works_is_whole(
    notewell: CommandLine, indexed: Path, tmp_path: Path, new_computer: Callable[[], Path]
) -> None:
    (record,) = notewell.json("vaults", "list")["vaults"]
    database = tmp_path / "data" / "vaults" / record["id"] / "index.db"
    stop, wrote = threading.Event(), threading.Event()

    def write() -> None:
        with closing(sqlite3.connect(database, isolation_level=None, timeout=30)) as writer:
            number = 0
            while not stop.is_set():
                number += 1
                writer.execute("BEGIN IMMEDIATE")
                for key in ("one", "other"):  # equal in every committed state
                    writer.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (key, str(number)))
                writer.execute("COMMIT")
                wrote.set()

    thread = threading.Thread(target=write)
    thread.start()
    try:
        wrote.wait(HANG_S)
        with hold_index(database.parent):  # as a server does
            notewell("backup", tmp_path / "b.tar")
    finally:
        stop.set()
        thread.join()

    data = new_computer()
    notewell("restore", tmp_path / "b.tar")
    with closing(sqlite3.connect(data / "vaults" / record["id"] / "index.db")) as copy:
        rows = dict(copy.execute("SELECT key, value FROM meta WHERE key IN ('one', 'other')"))
    assert rows["one"] == rows["other"]
    assert notewell.json("search", "bees")["results"]


def test_every_flipped_byte_is_refused(
    notewell: CommandLine, saved: Path, new_computer: Callable[[], Path]
) -> None:
    content = saved.read_bytes()
    with tarfile.open(saved) as packed:
        inside = [each.offset_data + each.size // 2 for each in packed if each.size]
    data = new_computer()

    for at in inside:
        saved.write_bytes(content[:at] + bytes([content[at] ^ 1]) + content[at + 1 :])
        refused = notewell.json("restore", saved, fails=1)
        assert refused["error"] == "bad_backup", at
    saved.write_bytes(content[: len(content) // 2])
    assert notewell.json("restore", saved, fails=1)["error"] == "bad_backup"
    assert files_of(data) == {} if data.exists() else True


def _tar(file: Path, content: dict[str, bytes], *extra: tarfile.TarInfo) -> None:
    with tarfile.open(file, "w", format=tarfile.GNU_FORMAT) as packed:
        for name, body in content.items():
            info = tarfile.TarInfo(name)
            info.size = len(body)
            packed.addfile(info, io.BytesIO(body))
        for info in extra:
            packed.addfile(info)


def _link(name: str, target: str) -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.type, info.linkname = tarfile.SYMTYPE, target
    return info


@pytest.mark.parametrize(
    "name",
    [
        "../escape",
        "/etc/escape",
        "vaults/../../escape",
        "vaults/abc/index.db",
        "vaults.json",
        "token",
    ],
)
def test_a_hostile_file_is_refused(
    notewell: CommandLine, saved: Path, new_computer: Callable[[], Path], name: str
) -> None:
    content = members(saved)
    new_computer()
    _tar(saved, {**content, name: b"x"})

    assert notewell.json("restore", saved, fails=1)["error"] == "bad_backup"


def test_links_and_hostile_manifests_are_refused(
    notewell: CommandLine, saved: Path, new_computer: Callable[[], Path]
) -> None:
    content = members(saved)
    data = new_computer()
    manifest = json.loads(content["manifest.json"])
    vault = manifest["vaults"][0]["id"]
    note = {"name": f"vaults/{vault}/notes/0000001", "size": 0, "sha256": "", "mtime_ns": 0}
    hostile: list[dict[str, Any]] = [
        {**manifest, "vaults": [{**manifest["vaults"][0], "id": "../../x"}]},
        {**manifest, "vaults": []},
        {**manifest, "parts": manifest["parts"][1:]},
        {**manifest, "parts": "x"},
        {**manifest, "format": 2},
    ]
    for each in hostile:
        _tar(saved, {**content, "manifest.json": json.dumps(each).encode()})
        refused = notewell.json("restore", saved, fails=1)
        assert refused["error"] in {"bad_backup", "backup_format"}, each
    mirror = [{**manifest["vaults"][0], "source": "mirror"}]
    for path in ("../../escape.md", "/etc/x.md", "a/../../b.md", "", ".hidden/x.md"):
        parts = [*manifest["parts"], {**note, "path": path}]
        text = json.dumps({**manifest, "vaults": mirror, "parts": parts}).encode()
        _tar(saved, {**content, "manifest.json": text, note["name"]: b""})
        assert notewell.json("restore", saved, fails=1)["error"] == "bad_backup", path
    _tar(saved, content, _link("settings.toml", "/etc/passwd"))
    assert notewell.json("restore", saved, fails=1)["error"] == "bad_backup"
    assert not data.exists() or files_of(data) == {}


def test_a_database_that_runs_something_by_itself_is_refused(
    notewell: CommandLine, indexed: Path, tmp_path: Path, new_computer: Callable[[], Path]
) -> None:
    (database,) = (tmp_path / "data" / "vaults").glob("*/index.db")
    with closing(sqlite3.connect(database)) as changed:
        changed.execute("CREATE TRIGGER t AFTER INSERT ON notes BEGIN DELETE FROM vectors; END")
    notewell("backup", tmp_path / "b.tar")
    data = new_computer()

    assert notewell.json("restore", tmp_path / "b.tar", fails=1)["error"] == "index_damaged"
    assert files_of(data) == {}


@pytest.mark.usefixtures("with_model")
def test_a_backup_of_the_format_before_is_restored(
    notewell: CommandLine, indexed: Path, tmp_path: Path, new_computer: Callable[[], Path]
) -> None:
    """Its index is of schema 2, without checksums and without kept titles."""
    results = [notewell.json("search", query)["results"] for query in QUERIES]
    notewell("backup", tmp_path / "b.tar")
    with _changed_database(tmp_path / "b.tar") as older:
        older.execute("ALTER TABLE vectors DROP COLUMN checksum")
        for column in ("kept_title", "checksum", "passages_sum", "links_sum"):
            older.execute(f"ALTER TABLE notes DROP COLUMN {column}")
        for column in ("checksum", "shown"):
            older.execute(f"ALTER TABLE chunks DROP COLUMN {column}")
        older.execute("PRAGMA user_version = 2")
    new_computer()

    notewell("restore", tmp_path / "b.tar")

    assert [notewell.json("search", query)["results"] for query in QUERIES] == results
    assert notewell.json("index", indexed)["embedded"] == 0


@contextmanager
def _changed_database(file: Path) -> Iterator[sqlite3.Connection]:
    """Change the index in a backup, which is then as if it had been made so."""
    content = members(file)
    manifest = json.loads(content["manifest.json"])
    (name,) = (name for name in content if name.endswith("index.db"))
    changed = file.with_name("changed.db")
    changed.write_bytes(content[name])
    with closing(sqlite3.connect(changed, isolation_level=None)) as connection:
        yield connection
    content[name] = changed.read_bytes()
    for part in manifest["parts"]:
        if part["name"] == name:
            part["sha256"] = hashlib.sha256(content[name]).hexdigest()
            part["size"] = len(content[name])
    _tar(file, {**content, "manifest.json": json.dumps(manifest).encode()})


def test_an_index_of_a_newer_version_is_refused(
    notewell: CommandLine, saved: Path, tmp_path: Path, new_computer: Callable[[], Path]
) -> None:
    with _changed_database(saved) as newer:
        newer.execute("PRAGMA user_version = 999")
    new_computer()

    assert notewell.json("restore", saved, fails=1)["error"] == "index_too_new"


def test_an_existing_state_is_replaced_only_on_request_and_kept(
    notewell: CommandLine, saved: Path, indexed: Path, tmp_path: Path
) -> None:
    (indexed / "New.md").write_text("zebras", encoding="utf-8")
    notewell("index", indexed)
    assert notewell.json("restore", saved, fails=2)["error"] == "state_exists"
    assert notewell.json("search", "zebras")["results"]

    report = notewell.json("restore", saved, "--replace")

    assert notewell.json("status")["notes"] == 3
    kept = Path(report["aside"])
    assert kept.parent == tmp_path / "data"
    assert (kept / "vaults.json").is_file()
    assert list(kept.glob("vaults/*/index.db"))
    assert notewell.json("index", indexed)["notes"] == 4


def test_a_vault_in_use_is_not_replaced(notewell: CommandLine, saved: Path, tmp_path: Path) -> None:
    (directory,) = (tmp_path / "data" / "vaults").iterdir()
    before = files_of(tmp_path / "data")
    with hold_index(directory):
        refused = notewell.json("restore", saved, "--replace", fails=1)

    assert refused["error"] == "in_use"
    assert "Stop it" in refused["detail"]
    assert files_of(tmp_path / "data") == before


def test_the_vault_may_be_in_another_folder_on_the_new_computer(
    notewell: CommandLine,
    saved: Path,
    indexed: Path,
    tmp_path: Path,
    new_computer: Callable[[], Path],
) -> None:
    there = tmp_path / "home" / "Notes"
    there.parent.mkdir()
    indexed.rename(there)
    new_computer()

    report = notewell.json("restore", saved)
    assert [vault["present"] for vault in report["vaults"]] == [False]
    notewell("restore", saved, "--replace", "--vault", f"Notes={there}")
    assert notewell.json("index", there)["notes"] == 3
    assert notewell.json("vaults", "list")["vaults"][0]["id"] == report["vaults"][0]["id"]

    assert (
        "no vault 'Other'"
        in notewell("restore", saved, "--replace", "--vault", f"Other={there}", fails=3).stderr
    )
    assert notewell("restore", saved, "--replace", "--vault", "Notes", fails=2).stderr


def test_settings_that_name_folders_of_the_other_computer_are_left_out(
    notewell: CommandLine, indexed: Path, tmp_path: Path, new_computer: Callable[[], Path]
) -> None:
    text = '# mine\nmodel_dir = "/far/away"\noffline = true\n[search]\nsnippet_chars = 30\n'
    (tmp_path / "settings.toml").write_text(text, encoding="utf-8")
    notewell("backup", tmp_path / "b.tar")
    new_computer()
    (tmp_path / "new-settings.toml").write_text('model_dir = "/here"\n', encoding="utf-8")

    report = notewell.json("restore", tmp_path / "b.tar")

    assert report["settings_left_out"] == ["model_dir"]
    restored = (tmp_path / "new-settings.toml").read_text(encoding="utf-8")
    assert "/far/away" not in restored
    assert 'model_dir = "/here"' in restored
    assert "# mine" in restored
    assert "snippet_chars = 30" in restored


@pytest.mark.parametrize("after", range(18))
def test_a_restore_that_is_killed_leaves_the_old_state(
    notewell: CommandLine,
    saved: Path,
    indexed: Path,
    tmp_path: Path,
    after: int,
) -> None:
    (indexed / "New.md").write_text("zebras", encoding="utf-8")
    notewell("index", indexed)
    (tmp_path / "settings.toml").write_text("offline = true\n", encoding="utf-8")
    before = files_of(tmp_path / "data")
    child = os.fork() if os.name == "posix" else pytest.skip("needs fork")
    if child == 0:
        done = 0

        def counted(original: Callable[..., None]) -> Callable[..., None]:
            def renamed(*args: object, **named: object) -> None:
                nonlocal done
                done += 1
                if done > after:
                    os._exit(9)
                original(*args, **named)

            return renamed

        try:
            os.rename, os.replace = counted(os.rename), counted(os.replace)
            notewell("restore", saved, "--replace")
        finally:
            os._exit(0)
    _, ended = os.waitpid(child, 0)
    killed = os.waitstatus_to_exitcode(ended) == 9
    assert killed or after > 6  # of every file and folder that is moved or replaced
    assert not (killed and after == 17)

    if killed:
        assert notewell.json("search", "zebras")["results"][0]["path"] == "New.md"
        assert not switch.is_unfinished(tmp_path / "data")
        left = {
            name: body
            for name, body in files_of(tmp_path / "data").items()
            if not name.startswith(".") and not name.endswith("queries.db")
        }
        assert left == {name: body for name, body in before.items() if "queries.db" not in name}
        assert (tmp_path / "settings.toml").read_text(encoding="utf-8") == "offline = true\n"
    else:
        assert notewell.json("status")["notes"] == 3


def test_a_file_is_not_overwritten_without_force(notewell: CommandLine, saved: Path) -> None:
    assert notewell.json("backup", saved, fails=2)["error"] == "bad_request"
    notewell("backup", saved, "--force")
    assert notewell.json("restore", saved.with_name("none.tar"), fails=3)["error"] == "not_found"


def test_a_backup_is_tried_without_changing_anything(
    notewell: CommandLine, tmp_path: Path, indexed: Path
) -> None:
    assert "backup" not in notewell.json("status")
    file = tmp_path / "state.tar"
    notewell("backup", file)
    assert "never tried" in notewell("status").stdout
    before = files_of(tmp_path / "data")
    tried = notewell.json("backup", file, "--verify")
    assert (tried["vaults"], tried["vectors"]) == ([indexed.name], True)
    after = files_of(tmp_path / "data")
    assert {name for name in after if after[name] != before.get(name)} == {"backups.json"}
    assert "it can be restored" in notewell("status").stdout
    with file.open("r+b") as stream:
        stream.seek(file.stat().st_size // 2)
        stream.write(b"damage" * 100)
    refused = notewell("backup", file, "--verify", fails=1)
    assert "checksum" in refused.stderr
    state = notewell.json("status")["backup"]
    assert "checksum" in state["problem"]
    assert state["verified"]
