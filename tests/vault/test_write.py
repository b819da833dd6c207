"""Writing to a vault: in one step, never over an unseen change, always reversible."""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from notewell.base.errors import (
    ChangedNoteError,
    NotewellError,
    NotFoundError,
    OutsideVaultError,
    UsageError,
    WriteError,
)
from notewell.base.types import VaultRecord
from notewell.vault import write
from notewell.vault.edit_properties import edit_properties
from notewell.vault.write import VaultWriter, content_hash, open_writer
from notewell.vault.write_journal import NAME, Base, Journal, delete, digest


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    (tmp_path / "vault").mkdir()
    return tmp_path / "vault"


@pytest.fixture
def writer(vault: Path, tmp_path: Path) -> VaultWriter:
    return VaultWriter(vault, Journal(tmp_path / "data"))


def files_of(vault: Path) -> dict[str, str]:
    found = (path for path in vault.rglob("*") if path.is_file())
    return {path.relative_to(vault).as_posix(): path.read_text() for path in found}


def test_a_new_note_is_written_with_its_folders(writer: VaultWriter, vault: Path) -> None:
    written = writer.create("Garden/Bees.md", "Bées\n", action="test")

    assert files_of(vault) == {"Garden/Bees.md": "Bées\n"}
    assert written.content_hash == content_hash("Bées\n".encode())
    assert writer.read("Garden/Bees.md").content_hash == written.content_hash


def test_repeating_a_write_changes_nothing(writer: VaultWriter, vault: Path) -> None:
    writer.create("A.md", "a: 1", action="test")
    before = (vault / "A.md").stat()
    seen = writer.read("A.md").content_hash

    again = writer.create("A.md", "a: 1", action="test")
    same = writer.replace("A.md", "a: 1", seen=b"anything", action="test")

    assert again.number is same.number is None
    assert (vault / "A.md").stat().st_ino == before.st_ino
    writer.delete("A.md", seen=seen, action="test")
    assert writer.delete("A.md", seen=seen, action="test").number is None


def set_b(writer: VaultWriter, path: str, seen: bytes) -> None:
    writer.edit(path, lambda text: edit_properties(text, {"b": 3}), seen=seen, action="test")


def test_unseen_changes_are_never_overwritten(writer: VaultWriter, vault: Path) -> None:
    writer.create("A.md", "first", action="test")
    seen = writer.read("A.md").content_hash
    (vault / "A.md").write_text("by hand")

    for attempt in (
        lambda: writer.replace("A.md", "second", seen=seen, action="test"),
        lambda: set_b(writer, "A.md", seen),
        lambda: writer.delete("A.md", seen=seen, action="test"),
        lambda: writer.create("A.md", "other", action="test"),
        writer.undo,
    ):
        with pytest.raises(ChangedNoteError):
            attempt()
    assert files_of(vault) == {"A.md": "by hand"}


def test_a_deleted_note_is_not_recreated(writer: VaultWriter, vault: Path) -> None:
    with pytest.raises(ChangedNoteError):
        writer.replace("A.md", "second", seen=b"x" * 16, action="test")
    assert not files_of(vault)


def test_an_edit_changes_only_the_properties(writer: VaultWriter, vault: Path) -> None:
    raw = b"\xef\xbb\xbf---\r\n# kept\r\na: 'x'\r\nb: 2\r\n---\r\nT\xc3\xa9xt\r\n"
    (vault / "A.md").write_bytes(raw)
    seen = writer.read("A.md").content_hash

    set_b(writer, "A.md", seen)

    assert (vault / "A.md").read_bytes() == raw.replace(b"b: 2", b"b: 3")


def test_utf_16_is_kept_and_invalid_unicode_refused(writer: VaultWriter, vault: Path) -> None:
    (vault / "A.md").write_bytes("\ufeffText".encode("utf-16-le"))
    (vault / "B.md").write_bytes(b"caf\xe9")

    set_b(writer, "A.md", writer.read("A.md").content_hash)
    with pytest.raises(WriteError) as refused:
        set_b(writer, "B.md", content_hash(b"caf\xe9"))

    assert (vault / "A.md").read_bytes() == "\ufeff---\nb: 3\n---\nText".encode("utf-16-le")
    assert refused.value.code == "not_utf8"


def test_permissions_are_kept(writer: VaultWriter, vault: Path) -> None:
    (vault / "A.md").write_text("a")
    (vault / "A.md").chmod(0o600)

    writer.replace("A.md", "b", seen=content_hash(b"a"), action="test")

    assert (vault / "A.md").stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(
    "path",
    ["../A.md", "/A.md", "a/../A.md", "a//b.md", ".obsidian/A.md", "A.txt", ".git/config", "", "."],
)
def test_only_notes_inside_the_vault_are_written(
    writer: VaultWriter, vault: Path, path: str
) -> None:
    with pytest.raises((OutsideVaultError, UsageError)):
        writer.create(path, "text", action="test")
    assert not files_of(vault)


def test_symbolic_links_are_not_followed(writer: VaultWriter, vault: Path, tmp_path: Path) -> None:
    (tmp_path / "other.md").write_text("other")
    (vault / "out.md").symlink_to(tmp_path / "other.md")
    (vault / "in.md").symlink_to(vault / "A.md")
    (vault / "A.md").write_text("a")
    (vault / "Folder").symlink_to(vault)

    for path in ("out.md", "in.md", "Folder/New.md"):
        with pytest.raises(OutsideVaultError):
            writer.create(path, "text", action="test")
        with pytest.raises(OutsideVaultError):
            writer.delete(path, seen=content_hash(b"a"), action="test")
    assert (tmp_path / "other.md").read_text() == "other"


def test_every_write_can_be_undone(writer: VaultWriter, vault: Path) -> None:
    writer.create("A.md", "1", action="make")
    writer.replace("A.md", "2", seen=content_hash(b"1"), action="change")
    writer.delete("A.md", seen=content_hash(b"2"), action="delete")

    states = [files_of(vault)]
    for _ in range(3):
        writer.undo()
        states.append(files_of(vault))

    assert states == [{}, {"A.md": "2"}, {"A.md": "1"}, {}]
    with pytest.raises(NotFoundError):
        writer.undo()
    assert [entry.action for entry in writer.entries(10)] == ["undo"] * 3 + [
        "delete",
        "change",
        "make",
    ]


def test_an_undo_gives_back_the_time_of_change(writer: VaultWriter, vault: Path) -> None:
    note, old = vault / "A.md", 1_700_000_000_123_000_000
    note.write_text("1", encoding="utf-8")
    os.utime(note, ns=(old, old))
    writer.replace("A.md", "2", seen=content_hash(b"1"), action="change")
    changed = note.stat().st_mtime_ns
    assert changed != old

    undone = writer.undo()
    assert note.stat().st_mtime_ns == old
    writer.undo(undone.number)
    assert note.stat().st_mtime_ns == changed
    writer.delete("A.md", seen=content_hash(b"2"), action="delete")
    writer.undo()
    assert note.stat().st_mtime_ns == changed


def test_an_undo_can_be_undone_by_its_number(writer: VaultWriter, vault: Path) -> None:
    writer.create("A.md", "1", action="make")
    undone = writer.undo()

    writer.undo(undone.number)

    assert files_of(vault) == {"A.md": "1"}
    with pytest.raises(NotFoundError):
        writer.undo(99)


def test_a_failed_write_is_not_in_the_journal(
    writer: VaultWriter, vault: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(write.os, "fsync", full)
    with pytest.raises(WriteError, match="No space left"):
        writer.create("A.md", "1", action="make")

    assert not files_of(vault)
    assert writer.entries(10) == ()


def test_a_crash_between_journal_and_write_leaves_nothing_to_undo(
    writer: VaultWriter, vault: Path
) -> None:
    (vault / "A.md").write_text("1")
    writer.journal.enter(
        "A.md", "lost", before=b"1", before_hash=content_hash(b"1"), after_hash=content_hash(b"2")
    )

    assert writer.undo().number is None
    assert files_of(vault) == {"A.md": "1"}


def test_without_a_journal_nothing_is_written(
    writer: VaultWriter, vault: Path, tmp_path: Path
) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / NAME).write_text("no database")

    with pytest.raises(WriteError) as refused:
        writer.create("A.md", "1", action="make")

    assert refused.value.code == "journal_unusable"
    assert not files_of(vault)


def test_the_journal_keeps_the_newest_and_is_private(
    writer: VaultWriter, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("notewell.vault.write_journal.MOST", 3)
    for n in range(5):
        writer.create(f"{n}.md", "x", action="make")

    assert [entry.path for entry in writer.entries(10)] == ["4.md", "3.md", "2.md"]
    assert os.name == "nt" or (tmp_path / "data" / NAME).stat().st_mode & 0o777 == 0o600
    delete(tmp_path / "data")
    assert not (tmp_path / "data").exists()


def test_the_journal_is_limited_in_bytes(
    writer: VaultWriter, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("notewell.vault.write_journal.MOST_BYTES", 25)
    text = "x" * 10
    writer.create("A.md", text, action="make")
    for letter in "abcd":
        seen = content_hash(text.encode())
        text = letter * 10
        writer.replace("A.md", text, seen=seen, action="change")

    with sqlite3.connect(tmp_path / "data" / NAME) as connection:
        kept = connection.execute("SELECT sum(length(before)) FROM writes").fetchone()[0]
    connection.close()
    assert kept == 20


def test_of_concurrent_writers_one_succeeds_and_the_others_get_an_error(
    vault: Path, tmp_path: Path
) -> None:
    (vault / "A.md").write_text("0")
    told: list[NotewellError | None] = []

    def run(n: int) -> None:
        try:
            VaultWriter(vault, Journal(tmp_path / "data")).replace(
                "A.md", f"by {n}", seen=content_hash(b"0"), action="race"
            )
        except NotewellError as error:
            told.append(error)
        else:
            told.append(None)

    threads = [threading.Thread(target=run, args=(n,)) for n in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert told.count(None) == 1
    assert sum(isinstance(each, ChangedNoteError) for each in told) == 5
    assert list(files_of(vault)) == ["A.md"]


def test_without_hard_links_a_new_note_still_replaces_no_file(
    writer: VaultWriter, vault: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(write.os, "link", refuse)
    writer.create("A.md", "1", action="make")

    assert files_of(vault) == {"A.md": "1"}


def test_what_a_killed_process_left_is_deleted_with_the_next_write(
    writer: VaultWriter, vault: Path
) -> None:
    old, young = vault / ".notewell-old.tmp", vault / ".notewell-young.tmp"
    for file in (old, young):
        file.write_text("half a note", encoding="utf-8")
    os.utime(old, (0, 0))

    writer.create("A.md", "a", action="test")

    assert files_of(vault) == {"A.md": "a", young.name: "half a note"}


def error_of(work: Callable[[], object]) -> tuple[str, str, str]:
    """The kind, code and words of the error that `work` raises."""
    with pytest.raises(NotewellError) as refused:
        work()
    return type(refused.value).__name__, refused.value.code, refused.value.message


def test_a_note_may_have_the_greatest_length_and_no_byte_more(
    writer: VaultWriter, vault: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(write, "MAX_BYTES", 1_500_000)
    writer.create("A.md", "x" * 1_500_000, action="make")

    assert error_of(lambda: writer.create("B.md", "x" * 1_500_001, action="make")) == (
        "UsageError",
        "note_too_large",
        "B.md would have 1.5 MB; notes of up to 1.5 MB are written.",
    )
    assert list(files_of(vault)) == ["A.md"]


def test_a_note_in_another_encoding_is_left_alone(writer: VaultWriter, vault: Path) -> None:
    (vault / "A.md").write_bytes(b"caf\xe9")
    seen = content_hash(b"caf\xe9")
    kind, code, words = error_of(lambda: writer.replace("A.md", "x", seen=seen, action="test"))
    assert (kind, code) == ("WriteError", "not_utf8")
    assert words == ("A.md is not written in UTF-8, so nothing in it is changed. Save it as UTF-8.")
    assert (vault / "A.md").read_bytes() == b"caf\xe9"


def test_a_dry_run_writes_nothing_and_checks_as_the_write_does(
    writer: VaultWriter, vault: Path
) -> None:
    (vault / "A.md").write_text("1")
    seen = writer.read("A.md").content_hash
    done = writer.edit("A.md", str.upper, seen=seen, action="test", dry_run=True)
    assert (done.path, done.content_hash, done.number) == ("A.md", seen, None)
    done = writer.edit("A.md", lambda now: now + "2", seen=seen, action="test", dry_run=True)
    assert (done.content_hash, done.number) == (seen, None)
    with pytest.raises(ChangedNoteError):
        writer.edit("A.md", lambda now: now + "2", seen=b"old", action="test", dry_run=True)
    assert files_of(vault) == {"A.md": "1"}
    assert writer.entries(10) == ()
    # What changes nothing needs no fresh reading.
    assert writer.edit("A.md", lambda now: now, seen=b"old", action="test").content_hash == seen
    assert writer.edit("A.md", lambda now: now + "2", seen=seen, action="test").number is not None
    assert files_of(vault) == {"A.md": "12"}


def test_a_note_that_is_not_there_is_told(writer: VaultWriter) -> None:
    missing = error_of(lambda: writer.edit("A.md", str.upper, seen=None, action="test"))
    assert missing[0] == "NotFoundError"
    assert missing[2] == "There is no note A.md in the vault. Check its path."
    gone = writer.delete("A.md", seen=b"", action="test")
    assert (gone.path, gone.content_hash, gone.number) == ("A.md", None, None)


@pytest.mark.parametrize("path", [".obsidian/A.md", "Notes/.hidden/A.md", "A.txt", "A", "A.md.txt"])
def test_a_name_that_no_note_has_is_refused(writer: VaultWriter, vault: Path, path: str) -> None:
    assert error_of(lambda: writer.create(path, "1", action="make")) == (
        "UsageError",
        "bad_name",
        f"{path} is no place for a note: notes end in .md and no folder of theirs is hidden.",
    )
    assert not files_of(vault)


def test_a_name_that_the_disk_cannot_hold_is_refused(writer: VaultWriter, vault: Path) -> None:
    kind, code, words = error_of(lambda: writer.create(f"{'x' * 300}.md", "1", action="make"))
    assert (kind, code) == ("UsageError", "bad_name")
    assert "more than 255" in words
    assert not files_of(vault)
    assert writer.entries(10) == ()


def test_every_reading_and_writing_asks_the_check(vault: Path, tmp_path: Path) -> None:
    (vault / "A.md").write_text("1")
    asked: list[tuple[str, bool]] = []

    def check(path: str, *, writes: bool) -> None:
        asked.append((path, writes))
        if path == "Private.md":
            raise NotFoundError("There is no such note.")

    writer = VaultWriter(vault, Journal(tmp_path / "data"), check=check)
    seen = writer.read("A.md").content_hash
    assert asked == [("A.md", False)]
    writer.replace("A.md", "2", seen=seen, action="test")
    writer.create("B.md", "1", action="test")
    assert {("A.md", True), ("B.md", True)} <= set(asked)
    with pytest.raises(NotFoundError):
        writer.create("Private.md", "1", action="test")
    assert sorted(files_of(vault)) == ["A.md", "B.md"]


@pytest.mark.skipif(os.name == "nt", reason="permissions as on POSIX")
def test_a_new_note_can_be_read_by_others_and_written_by_its_owner(
    writer: VaultWriter, vault: Path
) -> None:
    writer.create("A.md", "1", action="make")
    assert (vault / "A.md").stat().st_mode & 0o777 == 0o644


def test_a_note_that_came_meanwhile_is_not_replaced(
    writer: VaultWriter, vault: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_: object, place: Path) -> None:
        place.write_text("another program's")
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(write.os, "link", refuse)
    kind, _, words = error_of(lambda: writer.create("A.md", "1", action="make"))
    assert kind == "ChangedNoteError"
    assert words == (
        "A.md was changed, made or deleted since it was read; nothing was written. Read it again,"
        " then decide anew."
    )
    assert files_of(vault) == {"A.md": "another program's"}
    assert writer.entries(10) == ()


def test_a_disk_that_refuses_says_why(
    writer: VaultWriter, vault: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(write.os, "link", refuse)
    kind, _, words = error_of(lambda: writer.create("A.md", "1", action="make"))
    assert kind == "WriteError"
    assert words == (
        "A.md cannot be written: Permission denied. Check its permissions and the disk."
    )
    assert not files_of(vault)


def test_what_is_left_for_less_than_an_hour_stays(writer: VaultWriter, vault: Path) -> None:
    for age in (3500, 3700):
        file = vault / f".notewell-{age}.tmp"
        file.write_text("half a note")
        then = file.stat().st_mtime - age
        os.utime(file, (then, then))
    (vault / ".notewell-other.txt").write_text("not ours")
    os.utime(vault / ".notewell-other.txt", (0, 0))
    writer.create("A.md", "a", action="test")
    assert sorted(files_of(vault)) == [".notewell-3500.tmp", ".notewell-other.txt", "A.md"]


def test_only_folders_and_mirrors_have_a_writer(vault: Path, tmp_path: Path) -> None:
    record = VaultRecord("v1", "notes", vault)
    data = tmp_path / "data"
    own = open_writer(record, data)
    assert own is not None
    assert own.server_writes is None
    mirrored = open_writer(replace(record, source="mirror"), data)
    assert mirrored is not None
    assert mirrored.server_writes is not None
    for source in ("import", "roam", "logseq"):
        assert open_writer(replace(record, source=source), data) is None
    # Its journal would be synced with the notes.
    assert open_writer(record, vault / "data") is None


def test_owner_and_assistants_have_one_journal(vault: Path, tmp_path: Path) -> None:
    record = VaultRecord("v1", "notes", vault)
    owner = open_writer(record, tmp_path / "data")
    assistants = open_writer(replace(record, view="assistants"), tmp_path / "data")
    assert owner is not None
    assert assistants is not None
    assistants.create("A.md", "1", action="assistant")
    assert [entry.action for entry in owner.entries(5)] == ["assistant"]
    owner.undo()
    assert not files_of(vault)


def test_a_mirror_records_what_its_clients_had(vault: Path, tmp_path: Path) -> None:
    writer = open_writer(VaultRecord("v1", "notes", vault, source="mirror"), tmp_path / "data")
    assert writer is not None
    (vault / "A.md").write_bytes(b"1")
    os.utime(vault / "A.md", ns=(0, 1_700_000_000_123_000_000))
    writer.create("B.md", "new", action="test")
    writer.edit("A.md", lambda now: now + "2", seen=None, action="test")
    assert writer.server_writes is not None
    told = {each.path: each for each in writer.server_writes.all()}
    assert told["B.md"].base is None
    assert told["A.md"].base == Base(digest(b"1"), 1_700_000_000_123)
