"""Changes and file lists sent by clients, for a folder vault and for a mirror."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from notewell.base.errors import NotFoundError, OutsideVaultError, UsageError
from notewell.base.types import FileStamp, VaultRecord, VaultRules
from notewell.contract.notes import NoteRequest
from notewell.contract.search import SearchRequest
from notewell.contract.status import Change, ConfirmedWrite, ServerWriteView, StatusReply
from notewell.engine.engine import Engine
from notewell.features import FEATURES
from notewell.features.memory import MemoryRules
from notewell.features.memory.requests import (
    ForgetMemory,
    MemoryChangedReply,
    MemoryOutcome,
    StoreMemory,
)
from notewell.features.writes.requests import UndoRequest
from notewell.vault.mirror import MAX_CONTENT_BYTES
from notewell.vault.write_journal import Base, Journal, ServerWrites, digest
from tests.vaults import settings_in
from tests.waiting import until

SAVED = 1_772_445_600_123

Open = Callable[..., Engine]


@pytest.fixture
def started(tmp_path: Path) -> Iterator[Open]:
    """Open an engine over `tmp_path/vault` and start it; without a model and without a watcher."""
    opened: list[Engine] = []

    def start(source: str = "folder") -> Engine:
        settings = settings_in(
            tmp_path,
            vault=VaultRules(watch="off", reconcile_at="", exclude=("Private/",)),
            of_features={"memory": MemoryRules(folder="Memory")},
        )
        (tmp_path / "vault").mkdir(exist_ok=True)
        record = VaultRecord("v1", "Phone", tmp_path / "vault", source=source)  # type: ignore[arg-type]
        engine = Engine.open(record, tmp_path / "index", settings, writable=True, features=FEATURES)
        opened.append(engine)
        engine.start()
        settled(engine)
        return engine

    yield start
    for engine in opened:
        engine.close()


def settled(engine: Engine) -> StatusReply:
    """Wait until nothing is left to do."""
    until(lambda: engine.status().state == "ready")
    return engine.status()


def paths(engine: Engine, query: str) -> list[str]:
    settled(engine)
    return sorted(result.path for result in engine.search(SearchRequest(query)).results)


def write(path: str, content: str | None = "A zeppelin.", mtime: int | None = SAVED) -> Change:
    return Change("modify", path, mtime=mtime, content=content)


def stamp(path: str, content: str = "A zeppelin.", mtime: int = SAVED) -> FileStamp:
    return path, len(content.encode()), mtime


def put(folder: Path, path: str, content: str = "A zeppelin.", mtime: int = SAVED) -> None:
    (folder / path).parent.mkdir(parents=True, exist_ok=True)
    (folder / path).write_text(content, encoding="utf-8")
    os.utime(folder / path, ns=(mtime * 1_000_000, mtime * 1_000_000))


def many(count: int) -> list[str]:
    return [f"n{number}.md" for number in range(count)]


# --- a folder vault -----------------------------------------------------------------------------


def test_notes_of_a_folder_vault_are_read_from_disk_and_sent_contents_ignored(
    started: Open, tmp_path: Path
) -> None:
    engine = started()
    put(tmp_path / "vault", "New.md")

    reply = engine.work.take([write("New.md", "Something else."), write("Gone.md", None)])

    assert reply.accepted == 2
    assert "`content` of 1 changes was ignored" in reply.warnings[0]
    assert paths(engine, "zeppelin") == ["New.md"]


def test_notes_of_a_renamed_folder_are_found_at_their_new_path(
    started: Open, tmp_path: Path
) -> None:
    put(tmp_path / "vault", "old/A.md")
    put(tmp_path / "vault", "old/sub/B.md", "Another zeppelin.")
    engine = started()
    before = engine.note(NoteRequest("old/A.md"))
    (tmp_path / "vault" / "old").rename(tmp_path / "vault" / "new")

    engine.work.take([Change("rename", "new", "old")])

    assert paths(engine, "zeppelin") == ["new/A.md", "new/sub/B.md"]
    assert engine.note(NoteRequest("new/A.md")).content == before.content


@pytest.mark.parametrize("path", ["../out.md", "/etc/passwd", "a//b.md", "."])
def test_a_batch_with_a_path_outside_the_vault_is_refused(started: Open, path: str) -> None:
    engine = started()

    with pytest.raises(OutsideVaultError):
        engine.work.take([write("New.md"), Change("rename", "x.md", path)])
    with pytest.raises(OutsideVaultError):
        engine.work.sync([stamp("New.md"), (path, 1, 1)])


def test_a_clients_list_is_compared_with_the_index(started: Open, tmp_path: Path) -> None:
    vault = tmp_path / "vault"
    for path in ("Same.md", "Rounded.md", "Longer.md", "Later.md", "Gone.md", "Private/X.md"):
        put(vault, path)
    engine = started()
    put(vault, "Longer.md", "A zeppelin and more.")
    put(vault, "Later.md", mtime=SAVED + 2)
    put(vault, "New.md", mtime=SAVED + 9)
    (vault / "Gone.md").unlink()
    listed = [
        stamp("Same.md"),
        stamp("Rounded.md", mtime=SAVED + 1),
        stamp("Longer.md", "A zeppelin and more."),
        stamp("Later.md", mtime=SAVED + 2),
        stamp("New.md", mtime=SAVED + 9),
        ("image.png", 5, SAVED),
        (".obsidian/notes.md", 5, SAVED),
    ]

    reply = engine.work.sync(listed)

    assert reply.need == ("New.md", "Later.md", "Longer.md")
    assert reply.gone == ("Gone.md",)
    assert not reply.guard
    # It was only told where to look: what it finds there is the truth.
    assert paths(engine, "more") == ["Longer.md"]
    again = engine.work.sync(listed)
    assert (again.need, again.gone) == ((), ())


def test_many_removals_from_a_folder_wait_for_confirmation(started: Open, tmp_path: Path) -> None:
    for path in many(60):
        put(tmp_path / "vault", path, path)
    engine = started()
    for path in many(55):
        (tmp_path / "vault" / path).unlink()
    left = [stamp(path, path) for path in many(60)[55:]]

    reply = engine.work.sync(left)

    assert (len(reply.gone), reply.guard) == (55, True)
    status = settled(engine)
    assert (status.notes, status.guard is not None and status.guard.gone) == (60, 55)
    assert engine.work.settle_guard(remove=False).accepted == 0
    assert settled(engine).notes == 60
    assert engine.work.settle_guard(remove=True).accepted == 55
    status = settled(engine)
    assert (status.notes, status.guard) == (5, None)
    assert engine.work.settle_guard(remove=True).accepted == 0


def test_a_small_vault_emptied_under_a_running_engine_is_kept(
    started: Open, tmp_path: Path
) -> None:
    """The watcher reports a few paths at a time, while the rest is gone already."""
    notes = many(34)
    for path in notes:
        put(tmp_path / "vault", path, path)
    engine = started()
    for path in notes:
        (tmp_path / "vault" / path).unlink()

    engine.work.take([Change("delete", path) for path in notes[:8]])
    status = settled(engine)
    assert (status.notes, status.guard is not None and status.guard.gone) == (34, 34)

    # While the removal is held, not even one note goes.
    engine.work.take([Change("delete", notes[20])])
    assert settled(engine).notes == 34

    assert engine.work.settle_guard(remove=True).accepted == 34
    status = settled(engine)
    assert (status.notes, status.guard) == (0, None)


def test_a_few_notes_deleted_by_hand_go_at_once(started: Open, tmp_path: Path) -> None:
    for path in many(9):
        put(tmp_path / "vault", path, path)
    engine = started()
    for path in many(4):
        (tmp_path / "vault" / path).unlink()

    engine.work.take([Change("delete", path) for path in many(4)])

    status = settled(engine)
    assert (status.notes, status.guard) == (5, None)


def test_a_held_removal_is_remembered_over_a_restart(started: Open, tmp_path: Path) -> None:
    for path in many(9):
        put(tmp_path / "vault", path, path)
    engine = started()
    for path in many(9):
        (tmp_path / "vault" / path).unlink()
    engine.work.reindex()
    until(lambda: engine.status().guard is not None)
    engine.close()

    again = started()
    status = settled(again)
    assert (status.notes, status.guard is not None and status.guard.gone) == (9, 9)
    assert again.work.settle_guard(remove=True).accepted == 9
    assert settled(again).notes == 0


# --- a mirror -----------------------------------------------------------------------------------


def test_a_mirror_serves_the_notes_that_its_client_sends(started: Open) -> None:
    engine = started("mirror")

    reply = engine.work.take([write("Air/Ship.md"), write("Air/Kite.md", "A kite.")])

    assert (reply.accepted, reply.warnings) == (2, ())
    assert paths(engine, "zeppelin") == ["Air/Ship.md"]
    found = engine.search(SearchRequest("zeppelin")).results[0]
    assert "vault=Phone" in found.uri
    assert found.modified == "2026-03-02T10:00:00+00:00"

    engine.work.take([Change("rename", "Sky", "Air"), Change("delete", "Sky/Kite.md")])
    assert paths(engine, "zeppelin") == ["Sky/Ship.md"]
    assert settled(engine).notes == 1


def test_an_edit_that_keeps_size_and_time_is_found(started: Open) -> None:
    engine = started("mirror")
    engine.work.take([write("A.md", "A zeppelin.")])
    assert paths(engine, "zeppelin") == ["A.md"]

    engine.work.take([write("A.md", "A bathtub!!")])

    assert paths(engine, "zeppelin") == []
    assert paths(engine, "bathtub") == ["A.md"]
    assert engine.work.sync([stamp("A.md")]).need == ()


def test_a_mirror_needs_contents_and_skips_other_files(started: Open) -> None:
    engine = started("mirror")

    with pytest.raises(UsageError) as refused:
        engine.work.take([write("A.md"), write("B.md", None)])
    assert refused.value.code == "content_missing"

    pictures = [Change("create", f"{number}.png") for number in range(30)]
    reply = engine.work.take([write("A.md"), *pictures])
    assert len(reply.warnings) == 21
    assert reply.warnings[-1] == "and 10 more"
    assert settled(engine).notes == 1


def test_a_client_that_crashed_midway_catches_up(started: Open) -> None:
    """It sent some of its notes and lost its queue; its next list of files finds the rest."""
    notes = {"A.md": "A zeppelin.", "B.md": "B zeppelin.", "d/C.md": "C zeppelin."}
    engine = started("mirror")
    engine.work.take([write("A.md"), write("B.md", "An older zeppelin."), write("Old.md")])
    listed = [stamp(path, text) for path, text in notes.items()]

    reply = engine.work.sync(listed)
    assert set(reply.need) == {"B.md", "d/C.md"}
    assert reply.gone == ("Old.md",)
    engine.work.take([write(path, notes[path]) for path in reply.need])

    assert paths(engine, "zeppelin") == sorted(notes)
    last = engine.work.sync(listed)
    assert (last.need, last.gone, last.guard) == ((), (), False)
    assert {path: engine.note(NoteRequest(path)).content for path in notes} == notes


def test_a_server_that_crashed_midway_catches_up(started: Open, tmp_path: Path) -> None:
    engine = started("mirror")
    engine.work.take([write(path, f"zeppelin {path}") for path in many(20)])
    engine.close()  # whatever was not read yet is read by the next one
    (tmp_path / "vault" / "n3.md").unlink()
    (tmp_path / "vault" / "n4.md").write_text("half a zepp", encoding="utf-8")

    again = started("mirror")
    reply = again.work.sync([stamp(path, f"zeppelin {path}") for path in many(20)])
    assert set(reply.need) == {"n3.md", "n4.md"}
    again.work.take([write(path, f"zeppelin {path}") for path in reply.need])

    assert settled(again).notes == 20
    assert again.note(NoteRequest("n4.md")).content == "zeppelin n4.md"


def test_a_client_without_notes_does_not_empty_a_mirror(started: Open, tmp_path: Path) -> None:
    engine = started("mirror")
    engine.work.take([write(path, f"zeppelin {path}") for path in many(60)])
    settled(engine)

    reply = engine.work.sync([])

    assert (len(reply.gone), reply.guard) == (60, True)
    status = settled(engine)
    assert (status.notes, status.guard is not None and status.guard.gone) == (60, 60)
    assert len(list((tmp_path / "vault").glob("*.md"))) == 60

    # What it sends again meanwhile it has: that is no longer among the gone.
    engine.work.take([write("n0.md", "zeppelin n0.md")])
    assert engine.work.settle_guard(remove=True).accepted == 59
    status = settled(engine)
    assert (status.notes, status.guard) == (1, None)
    assert [place.name for place in (tmp_path / "vault").glob("*.md")] == ["n0.md"]


def test_the_guard_ends_when_the_notes_are_found_again(started: Open) -> None:
    engine = started("mirror")
    engine.work.take([write(path, path) for path in many(60)])
    engine.work.sync([])
    assert engine.status().guard is not None

    engine.work.sync([stamp(path, path) for path in many(60)])

    assert engine.status().guard is None
    assert settled(engine).notes == 60


def test_a_note_too_large_to_send_is_not_requested_and_its_old_text_removed(
    started: Open,
) -> None:
    engine = started("mirror")
    engine.work.take([write("A.md"), write("B.md")])

    reply = engine.work.sync([("A.md", MAX_CONTENT_BYTES + 1, SAVED), stamp("B.md")])

    assert (reply.need, reply.gone) == ((), ("A.md",))
    assert paths(engine, "zeppelin") == ["B.md"]


def test_a_list_of_twenty_thousand_files_is_compared(started: Open) -> None:
    engine = started()
    listed = [(f"folder {n % 100}/note {n}.md", 100, SAVED) for n in range(20_000)]

    reply = engine.work.sync(listed)

    assert len(reply.need) == 20_000
    settled(engine)  # so many places are looked at by one walk


def test_pause_cancel_and_resume_report_the_queue_length(started: Open, tmp_path: Path) -> None:
    engine = started()
    assert engine.work.pause().accepted == 0
    put(tmp_path / "vault", "New.md")
    engine.work.take([write("New.md", None), write("Two.md", None)])

    assert engine.status().queue.paused
    assert engine.work.pause().accepted == 2
    assert engine.work.cancel().accepted == 2
    assert engine.work.resume().accepted == 0
    assert not engine.status().queue.paused
    engine.work.take([write("New.md", None)])
    assert paths(engine, "zeppelin") == ["New.md"]
    assert engine.tally().read == 1


def test_a_note_deleted_from_the_folder_is_not_found(started: Open, tmp_path: Path) -> None:
    put(tmp_path / "vault", "A.md")
    engine = started()
    (tmp_path / "vault" / "A.md").unlink()

    with pytest.raises(NotFoundError, match="no longer in the vault"):
        engine.note(NoteRequest("A.md"))


def test_files_of_a_type_that_a_client_does_not_list_are_not_gone(
    started: Open, tmp_path: Path
) -> None:
    for number in range(60):
        put(tmp_path / "vault", f"Boards/{number}.canvas", '{"nodes": [], "edges": []}')
    put(tmp_path / "vault", "Home.md")
    engine = started()

    reply = engine.work.sync([stamp("Home.md")])
    assert (reply.gone, reply.guard) == ((), False)

    listed = [stamp("Home.md"), stamp("Boards/0.canvas", '{"nodes": [], "edges": []}')]
    assert len(engine.work.sync(listed).gone) == 59


# --- what the server itself writes to a mirror --------------------------------------------------


def remember(engine: Engine, content: str = "The spare key lies under the bucket.") -> str:
    """Store a memory; returns the path of its note."""
    reply = engine.answer(StoreMemory(content))
    assert isinstance(reply, MemoryChangedReply)
    return reply.memory.path


def apply_all(engine: Engine) -> list[ServerWriteView]:
    """Do what a client does: take every write, and confirm it."""
    taken = list(engine.work.server_writes(0, 100).changes)
    engine.work.confirm_writes(
        [ConfirmedWrite(change.path, change.hash, SAVED) for change in taken]
    )
    return taken


def test_a_memory_of_a_mirror_is_told_to_clients_until_one_confirms_it(
    started: Open, tmp_path: Path
) -> None:
    engine = started("mirror")
    path = remember(engine)

    (told,) = engine.work.server_writes(0, 100).changes
    assert (told.kind, told.path, told.base_hash) == ("create", path, None)
    assert told.content == (tmp_path / "vault" / path).read_text(encoding="utf-8")
    assert engine.status().server_writes == 1
    assert engine.work.server_writes(told.number, 100).changes == ()

    apply_all(engine)

    assert engine.work.server_writes(0, 100).changes == ()
    assert engine.status().server_writes == 0
    listed = [stamp(path, told.content or "")]
    assert engine.work.sync(listed).need == ()  # the note has the time it has at the client


def test_a_client_that_has_not_taken_a_memory_yet_does_not_delete_it(
    started: Open, tmp_path: Path
) -> None:
    engine = started("mirror")
    engine.work.take([write("Home.md"), write("Memory/old.md")])
    path = remember(engine)

    reply = engine.work.sync([stamp("Home.md"), stamp("Memory/old.md")])
    assert (reply.need, reply.gone, reply.guard) == ((), (), False)

    engine.work.take([Change("delete", "Memory")])
    assert (tmp_path / "vault" / path).exists()
    assert not (tmp_path / "vault/Memory/old.md").exists()


def test_a_folder_that_a_client_reports_does_not_meet_the_servers_notes_in_it(
    started: Open,
) -> None:
    engine = started("mirror")
    path = remember(engine)

    engine.work.take([Change("create", "Memory")])

    assert [change.path for change in engine.work.server_writes(0, 100).changes] == [path]


def test_the_version_before_the_servers_is_not_asked_for_and_not_taken(started: Open) -> None:
    engine = started("mirror")
    path = remember(engine)
    old = apply_all(engine)[0].content or ""
    engine.answer(MemoryOutcome(path, helped=True))

    assert engine.work.sync([stamp(path, old)]).need == ()
    engine.work.take([write(path, old)])

    (told,) = engine.work.server_writes(0, 100).changes
    assert told.kind == "modify"
    assert told.base_hash == hashlib.sha256(old.encode()).hexdigest()


def test_a_conflict_keeps_the_clients_note_and_the_servers_beside_it(
    started: Open, tmp_path: Path
) -> None:
    engine = started("mirror")
    path = remember(engine)
    old = apply_all(engine)[0].content or ""
    engine.answer(MemoryOutcome(path, helped=True))
    ours = (tmp_path / "vault" / path).read_text(encoding="utf-8")

    theirs = f"{old}\nWritten on the phone."
    assert engine.work.sync([stamp(path, theirs, SAVED + 5000)]).need == (path,)
    reply = engine.work.take([write(path, theirs, SAVED + 5000)])

    second = path.removesuffix(".md") + " (Notewell's version).md"
    assert any(second in warning for warning in reply.warnings)
    assert (tmp_path / "vault" / path).read_text(encoding="utf-8") == theirs
    assert (tmp_path / "vault" / second).read_text(encoding="utf-8") == ours
    told = engine.work.server_writes(0, 100).changes
    assert [(change.kind, change.path) for change in told] == [("create", second)]


def test_a_memory_that_a_client_renames_keeps_what_the_server_wrote(started: Open) -> None:
    engine = started("mirror")
    path = remember(engine)
    apply_all(engine)
    engine.answer(MemoryOutcome(path, helped=True))

    engine.work.take([Change("rename", "Memory/Renamed.md", old_path=path, mtime=SAVED)])

    (told,) = engine.work.server_writes(0, 100).changes
    assert (told.kind, told.path) == ("modify", "Memory/Renamed.md")


def test_a_memory_deleted_at_the_client_can_be_brought_back(started: Open, tmp_path: Path) -> None:
    engine = started("mirror")
    path = remember(engine)
    apply_all(engine)
    engine.answer(MemoryOutcome(path, helped=True))
    ours = (tmp_path / "vault" / path).read_text(encoding="utf-8")

    engine.work.take([Change("delete", path)])
    assert not (tmp_path / "vault" / path).exists()
    assert engine.work.server_writes(0, 100).changes == ()

    engine.answer(UndoRequest())
    assert (tmp_path / "vault" / path).read_text(encoding="utf-8") == ours
    assert [change.kind for change in engine.work.server_writes(0, 100).changes] == ["create"]


def test_forgetting_is_told_and_an_edit_at_the_client_is_stronger(
    started: Open, tmp_path: Path
) -> None:
    engine = started("mirror")
    forgotten, edited = remember(engine), remember(engine, "Bread rises overnight.")
    texts = {each.path: each.content or "" for each in apply_all(engine)}
    engine.answer(ForgetMemory(forgotten))
    engine.answer(ForgetMemory(edited))
    told = engine.work.server_writes(0, 100).changes
    assert {(change.kind, change.path) for change in told} == {
        ("delete", forgotten),
        ("delete", edited),
    }

    listed = [stamp(forgotten, texts[forgotten]), stamp(edited, "Mine.", SAVED + 9000)]
    assert engine.work.sync(listed).need == (edited,)
    engine.work.take([write(edited, "Mine.", SAVED + 9000)])

    assert (tmp_path / "vault" / edited).read_text(encoding="utf-8") == "Mine."
    assert [change.path for change in engine.work.server_writes(0, 100).changes] == [forgotten]


def test_a_write_that_a_crash_prevented_is_not_told(started: Open, tmp_path: Path) -> None:
    engine = started("mirror")
    journal = Journal(tmp_path / "data" / "vaults" / "v1")
    writes = ServerWrites(journal)
    engine.work.take([write("Home.md")])
    raw = (tmp_path / "vault/Home.md").read_bytes()
    with journal.writing():
        writes.add("Home.md", 1, Base(digest(raw), SAVED))  # and the process ended here
        writes.add("Never.md", 2, None)

    assert engine.work.server_writes(0, 100).changes == ()
    assert engine.status().server_writes == 0
