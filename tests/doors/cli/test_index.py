"""`notewell index`: its report, what it stores, and which folders it refuses."""

from __future__ import annotations

from pathlib import Path

import pytest

from notewell.base.errors import ServerError
from notewell.contract.status import (
    AcceptedReply,
    EngineState,
    IndexReport,
    QueueStatus,
    ReindexRequest,
    StatusReply,
    StatusRequest,
    WorkDone,
)
from notewell.doors.cli import index as index_module
from notewell.doors.cli.index import IndexRun, reindex_on_server
from notewell.doors.cli.progress import Reporter
from notewell.engine.client import ServerInfo
from tests.doors.cli.support import CommandLine, write_notes


def test_the_report_counts_notes_and_this_run(notewell: CommandLine, vault: Path) -> None:
    report = notewell.json("index", vault)

    assert list(report) == [
        "notes",
        "chunks",
        "failed",
        "excluded",
        "embedded",
        "reused",
        "removed",
        "seconds",
    ]
    assert (report["notes"], report["failed"], report["embedded"]) == (3, 0, 0)


@pytest.mark.usefixtures("with_model")
def test_nothing_is_embedded_twice(notewell: CommandLine, vault: Path) -> None:
    first = notewell.json("index", vault)
    assert first["embedded"] == first["chunks"]

    (vault / "Garden").rename(vault / "Yard")
    assert notewell.json("index", vault)["embedded"] == 0
    assert notewell.json("index", "Notes", "--full")["embedded"] == 0


@pytest.mark.usefixtures("with_model")
def test_notes_can_be_cut_another_way(notewell: CommandLine, vault: Path) -> None:
    before = notewell.json("index", vault)
    text = "The tree and the bread grow in the garden. " * 8 + "A new moon is on the sea. " * 10
    (vault / "Long.md").write_text(text, encoding="utf-8")

    by_headings = notewell.json("index", vault)
    by_topic = notewell.json("index", vault, "--chunking", "semantic")

    assert by_headings["chunks"] == before["chunks"] + 1
    assert by_topic["chunks"] > by_headings["chunks"]
    assert notewell.json("index", vault)["embedded"] == 0  # back, and everything is known
    notewell("index", vault, "--chunking", "none", fails=2)


def test_a_person_is_told_what_to_do_without_a_model(notewell: CommandLine, vault: Path) -> None:
    result = notewell("index", vault)

    assert result.stdout.startswith("Notes: 3 notes in ")
    assert "Keyword search only" in result.stderr


@pytest.mark.usefixtures("with_model")
def test_where_onnxruntime_would_report_its_use_words_are_searched(
    notewell: CommandLine, vault: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("ORT_DISABLE_TELEMETRY")  # as where it was imported before notewell

    told = notewell("index", vault).stderr

    assert "Keyword search only" in told
    assert "import notewell first" in told
    assert notewell.json("search", "bees")["total"] == 2


def test_quiet_prints_only_the_result(notewell: CommandLine, vault: Path) -> None:
    assert notewell("index", vault, "--quiet").stderr == ""


def test_a_known_vault_needs_no_name(
    notewell: CommandLine, indexed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert notewell.json("index")["notes"] == 3

    other = write_notes(tmp_path / "Other", {"sub/a.md": "alpha"})
    notewell("index", other)
    monkeypatch.chdir(other / "sub")
    assert notewell.json("index")["notes"] == 1


def test_the_index_of_a_missing_vault_is_kept(notewell: CommandLine, indexed: Path) -> None:
    indexed.rename(indexed.with_name("Away"))
    notewell("index", "Notes", fails=1)

    assert notewell.json("search", "bees", "--vault", "Notes")["total"] == 2


def test_many_removals_wait_for_confirmation(notewell: CommandLine, tmp_path: Path) -> None:
    notes = {f"{number}.md": f"note {number}" for number in range(100)}
    vault = write_notes(tmp_path / "Many", notes)
    notewell("index", vault)
    for number in range(95):
        (vault / f"{number}.md").unlink()

    held = notewell("index", vault, fails=1)
    assert "--confirm-removals" in held.stderr
    assert notewell.json("index", vault, "--confirm-removals")["notes"] == 5


def test_removals_from_an_emptied_small_vault_wait_for_confirmation(
    notewell: CommandLine, tmp_path: Path
) -> None:
    vault = write_notes(
        tmp_path / "Few", {f"{number}.md": f"bees {number}" for number in range(34)}
    )
    notewell("index", vault)
    for note in vault.glob("*.md"):
        note.unlink()

    report = notewell.json("index", vault, fails=1)

    assert (report["notes"], report["removed"]) == (34, 0)
    assert (report["guard"]["gone"], report["guard"]["total"]) == (34, 34)
    # Another process tells the same: the held removal is stored with the index.
    assert notewell.json("status")["guard"] == report["guard"]
    assert notewell.json("search", "bees", "--limit", "50")["total"] == 34
    assert notewell.json("index", vault, "--confirm-removals")["notes"] == 0
    assert notewell.json("status")["guard"] is None


def test_a_small_vault_in_the_place_of_another_is_not_indexed_over_it(
    notewell: CommandLine, tmp_path: Path
) -> None:
    first = {f"tea {number}.md": f"tea {number}" for number in range(32)}
    shared = {"Welcome.md": "Welcome to your vault.", "Daily.md": "A template."}
    vault = write_notes(tmp_path / "Notes", {**first, **shared})
    notewell("index", vault)
    for path in first:
        (vault / path).unlink()
    write_notes(vault, {f"coffee {number}.md": f"coffee {number}" for number in range(20)})

    said = notewell("index", vault, fails=1).stderr
    assert "looks like another vault" in said
    report = notewell.json("index", vault, fails=1)
    assert (report["notes"], report["removed"], report["guard"]["gone"]) == (34, 0, 32)
    assert notewell.json("search", "coffee")["total"] == 0

    report = notewell.json("index", vault, "--confirm-removals")
    assert (report["notes"], report["removed"]) == (22, 32)


def test_a_few_notes_deleted_by_hand_are_removed(notewell: CommandLine, tmp_path: Path) -> None:
    vault = write_notes(tmp_path / "Few", {f"{number}.md": f"note {number}" for number in range(6)})
    notewell("index", vault)
    for number in range(4):
        (vault / f"{number}.md").unlink()

    assert "guard" not in notewell.json("index", vault)
    assert notewell.json("status")["notes"] == 2


def test_what_is_no_folder_is_told_so(notewell: CommandLine, tmp_path: Path) -> None:
    absent = notewell("index", tmp_path / "absent", fails=3)
    assert f"there is no folder {tmp_path / 'absent'}" in absent.stderr

    note = tmp_path / "note.md"
    note.write_text("bees", encoding="utf-8")
    assert "is a file" in notewell("index", note, fails=3).stderr
    assert "here is no folder 'absent'" in notewell("index", "absent", fails=3).stderr


def test_an_unknown_model_is_an_error(notewell: CommandLine, vault: Path) -> None:
    result = notewell("index", vault, "--model", "nonsense")

    assert "nonsense" in result.stderr


class FakeServer:
    """A server that says one status after the other, the last one for ever."""

    def __init__(self, *states: EngineState, paused: bool = False) -> None:
        self.info = ServerInfo("http://127.0.0.1:1", "t", 1, 1, "1", ())
        self._states = list(states)
        self._paused = paused
        self._embedded = 100

    def answer(self, request: object) -> AcceptedReply | StatusReply:
        if isinstance(request, ReindexRequest):
            self._embedded += 7
            return AcceptedReply(1, 1)
        assert isinstance(request, StatusRequest)
        state = self._states.pop(0) if len(self._states) > 1 else self._states[0]
        return StatusReply(
            vault="v",
            notes=3,
            chunks=4,
            vectors=4,
            model=None,
            generation=1,
            state=state,
            semantic="unavailable",
            semantic_reason=None,
            queue=QueueStatus(pending=1, paused=self._paused),
            ledger={"indexed": 3, "pending": 0, "failed": 1, "excluded": 2},
            problem="the disk is full" if state == "degraded" else None,
            work=WorkDone(read=1, embedded=self._embedded, reused=2),
        )


def ask(server: FakeServer, monkeypatch: pytest.MonkeyPatch) -> IndexReport:
    monkeypatch.setattr(index_module, "_POLL_S", 0.0)
    run = IndexRun(Reporter(quiet=True), full=False, confirm_removals=False)
    return reindex_on_server(server, run)


def test_index_waits_until_the_server_is_done(monkeypatch: pytest.MonkeyPatch) -> None:
    totals = ask(FakeServer("ready", "indexing", "indexing", "ready"), monkeypatch)

    assert (totals.notes, totals.chunks, totals.failed, totals.excluded) == (3, 4, 1, 2)
    assert (totals.embedded, totals.reused, totals.removed) == (7, 0, 0)


def test_index_does_not_wait_for_a_server_that_cannot_index(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with pytest.raises(ServerError, match="the disk is full"):
        ask(FakeServer("indexing", "degraded"), monkeypatch)
    with pytest.raises(ServerError, match="paused"):
        ask(FakeServer("indexing", paused=True), monkeypatch)
