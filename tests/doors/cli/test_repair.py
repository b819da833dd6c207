"""`notewell doctor` finds what is damaged or left over; `--repair` does what is safe."""

from __future__ import annotations

import json
import os
import socket
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from notewell import API_VERSION
from notewell.base.types import Batch, NotePut, VaultRules, VectorPut
from notewell.doors.cli import vault_checks
from notewell.engine.client import RemoteBackend, ServerInfo
from notewell.index.engines import open_index
from notewell.vault.files import stat
from notewell.vault.read_notes import read_note
from tests.doors.cli.support import CommandLine


@pytest.fixture
def directory(indexed: Path, tmp_path: Path) -> Path:
    (found,) = (tmp_path / "data" / "vaults").iterdir()
    return found


def checks(notewell: CommandLine, *args: str, fails: int = 0) -> dict[str, dict[str, str]]:
    return {check["name"]: check for check in notewell.json("doctor", *args, fails=fails)["checks"]}


def texts(folder: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_a_damaged_snapshot_is_deleted_and_made_again(
    notewell: CommandLine, directory: Path, indexed: Path
) -> None:
    notes = texts(indexed)
    (directory / "graph.snapshot").write_bytes(b"nonsense")
    assert "--repair" in checks(notewell)["leftovers"]["detail"]

    report = notewell.json("doctor", "--repair")

    assert "graph.snapshot" in report["repaired"][0]
    assert not (directory / "graph.snapshot").exists()
    assert "leftovers" not in checks(notewell)
    assert notewell.json("search", "bees")["results"]
    assert texts(indexed) == notes


def test_the_file_of_a_server_that_ended_is_deleted(notewell: CommandLine, directory: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", ""]) as ended:
        ended.wait()
    server = {"url": "http://127.0.0.1:1", "token": "t", "api": 1, "version": "1", "vaults": []}
    file = directory / "server.json"
    file.touch(mode=0o600)
    file.write_text(json.dumps({**server, "pid": os.getpid()}), encoding="utf-8")
    assert notewell.json("doctor", "--repair")["repaired"] == []

    file.write_text(json.dumps({**server, "pid": ended.pid}), encoding="utf-8")
    assert "leftovers" in checks(notewell)
    notewell("doctor", "--repair")
    assert not file.exists()


def test_only_old_unfinished_files_are_deleted(
    notewell: CommandLine, directory: Path, tmp_path: Path
) -> None:
    old, new = directory / ".vaults.json-0123abcd", directory / ".graph.snapshot-0123abcd"
    folder, other = tmp_path / "data" / ".restore-0123abcd", tmp_path / "data" / "mine.txt"
    folder.mkdir()
    for file in (old, new, folder / "index.db", other):
        file.write_text("x", encoding="utf-8")
    for path in (old, folder, other):
        os.utime(path, (1, 1))

    notewell("doctor", "--repair")

    assert [path.exists() for path in (old, folder, new, other)] == [False, False, True, True]


@pytest.mark.skipif(os.name != "posix", reason="needs file modes")
def test_data_is_closed_to_other_users(notewell: CommandLine, directory: Path) -> None:
    directory.chmod(0o755)
    assert checks(notewell)["data directory"]["state"] == "warning"

    assert "closed 1 files" in checks_repaired(notewell)
    assert checks(notewell)["data directory"]["state"] == "ok"


def checks_repaired(notewell: CommandLine) -> str:
    return "\n".join(notewell.json("doctor", "--repair")["repaired"])


def test_a_damaged_database_is_a_failure_that_says_what_to_do(
    notewell: CommandLine, directory: Path
) -> None:
    database = directory / "index.db"
    content = bytearray(database.read_bytes())
    content[8192:12288] = os.urandom(4096)
    database.write_bytes(content)

    found = checks(notewell, "--repair", fails=1)

    assert "notewell index" in found["vault Notes"]["detail"]
    assert database.read_bytes() == bytes(content)


def test_a_changed_title_in_the_database_is_found_and_the_next_index_repairs_it(
    notewell: CommandLine, directory: Path
) -> None:
    with closing(sqlite3.connect(directory / "index.db")) as database, database:
        database.execute("UPDATE notes SET title = 'Cite' WHERE title = 'City'")

    assert "notewell index" in checks(notewell, fails=1)["vault Notes"]["detail"]

    assert notewell.json("index")["embedded"] == 0
    assert checks(notewell)["vault Notes"]["state"] == "ok"
    with closing(sqlite3.connect(directory / "index.db")) as database:
        assert database.execute("SELECT 1 FROM notes WHERE title = 'City'").fetchone()


def test_a_taken_port_is_reported(
    notewell: CommandLine, directory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        monkeypatch.setenv("NOTEWELL_SERVER_PORT", str(taken.getsockname()[1]))
        assert "--port 0" in checks(notewell)["port"]["detail"]


@pytest.mark.usefixtures("with_model")
def test_damaged_vectors_are_counted_and_embedded_again(notewell: CommandLine, vault: Path) -> None:
    assert notewell.json("index", vault)["embedded"] == 3
    (directory,) = Path(os.environ["NOTEWELL_DATA_DIR"], "vaults").iterdir()
    with closing(sqlite3.connect(directory / "index.db")) as database, database:
        database.execute("UPDATE vectors SET checksum = checksum + 1 WHERE rowid = 1")

    found = checks(notewell, fails=1)["vault Notes"]["detail"]

    assert "1 stored vectors are damaged" in found
    assert "notewell index Notes --full" in found
    assert notewell.json("index", "Notes", "--full")["embedded"] == 1
    assert checks(notewell)["vault Notes"]["state"] == "ok"


@pytest.mark.parametrize("name", ["queries.db", "runs.db", "writes.db", "gleanings.json"])
def test_other_damaged_files_of_a_vault_are_named_with_what_to_do(
    notewell: CommandLine, directory: Path, name: str
) -> None:
    (directory / name).write_bytes(b"nonsense " * 99)

    found = checks(notewell, "--repair", fails=1)["files of Notes"]

    assert str(directory / name) in found["detail"]
    assert ("begun" if name in {"queries.db", "runs.db"} else "move it away") in found["detail"]
    assert list(directory.glob(f"{name}*"))  # what is in it may still be saved


def test_a_damaged_file_of_devices_is_named(notewell: CommandLine, tmp_path: Path) -> None:
    notewell("token", "add", "phone", "--scope", "read")
    (file,) = tmp_path.rglob("devices.json")
    file.write_bytes(b"{")

    found = checks(notewell, fails=1)["devices"]

    assert (found["state"], str(file) in found["detail"]) == ("failed", True)


def test_a_vault_with_more_folders_than_the_system_watches_is_told(
    notewell: CommandLine, directory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vault_checks, "unwatchable", lambda _: 8192)

    found = checks(notewell)["vault Notes"]

    assert found["state"] == "warning"
    assert "sysctl fs.inotify.max_user_watches=32768" in found["detail"]


def test_a_server_of_another_version_is_told(
    notewell: CommandLine, directory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    info = ServerInfo("http://127.0.0.1:1", "t", os.getpid(), API_VERSION, "0.0.1", ())
    server = RemoteBackend(info, vault="x")
    monkeypatch.setattr(vault_checks, "server_for", lambda *_: server)

    found = checks(notewell)["vault Notes"]

    assert found["state"] == "warning"
    assert "version 0.0.1" in found["detail"]
    assert "restart" in found["detail"]


def test_a_sample_of_notes_is_compared_with_the_index(
    notewell: CommandLine, vault: Path, with_model: None
) -> None:
    notewell("index", vault)
    name = f"sample of {vault.name}"
    assert checks(notewell, "--sample", "50")[name]["detail"].startswith("3 notes, 3 vectors: ")
    (vault / "City.md").write_text("Another city.", encoding="utf-8")
    found = checks(notewell, "--sample", "50")[name]
    assert (found["state"], found["detail"].split(";")[1]) == (
        "ok",
        " 1 have changed and wait to be read",
    )


@pytest.mark.parametrize("what", ["content", "passages", "vector"])
def test_a_sample_finds_what_no_checksum_tells(
    notewell: CommandLine, vault: Path, with_model: None, what: str
) -> None:
    notewell("index", vault)
    (directory,) = (vault.parent / "data" / "vaults").iterdir()
    if what == "content":
        replace_behind_its_time(vault / "City.md")
    elif what == "vector":
        replace_vector(directory, "City.md")
    else:
        forget_passages(directory, vault, "City.md")
    found = checks(notewell, "--sample", "50", fails=1)[f"sample of {vault.name}"]
    assert found["state"] == "failed"
    assert "1 of 3 notes differ from the index, such as City.md: " in found["detail"]
    assert what in found["detail"]


def replace_behind_its_time(note: Path) -> None:
    """Give a note another text of the same size and time, as a sync may."""
    times = note.stat()
    note.write_bytes(note.read_bytes().replace(b"river", b"ocean"))
    os.utime(note, ns=(times.st_atime_ns, times.st_mtime_ns))


def replace_vector(directory: Path, path: str) -> None:
    """Store a vector that belongs to another text."""
    with closing(open_index(directory, writable=True)) as index:
        note, model = index.note_at(path), index.current_model()
        assert note is not None
        assert model is not None
        (passage,) = index.chunks_of(note.id)
    with closing(sqlite3.connect(directory / "index.db")) as database, database:
        database.execute("DELETE FROM vectors WHERE text_hash = ?", (passage.text_hash,))
    with closing(open_index(directory, writable=True)) as index:
        wrong = np.zeros(model.dimensions, np.float32)
        wrong[0] = 1
        index.store_vectors(model.key, [VectorPut(passage.text_hash, wrong)])


def forget_passages(directory: Path, vault: Path, path: str) -> None:
    """Store a note without the passages that it has."""
    with closing(open_index(directory, writable=True)) as index:
        entry = index.manifest()[path]
        note = read_note(stat(vault, path), VaultRules()).note
        index.apply(
            Batch(puts=(NotePut(note, (), entry.size, entry.mtime_ns, entry.content_hash),))
        )
