"""The plan of a run: which notes are read, moved, removed, recorded, and guarded."""

from __future__ import annotations

from pathlib import Path

import pytest

from notewell.base.types import ExcludedFile, FileRef, LedgerEntry, ManifestEntry, Walk
from notewell.engine.ingest.plan import FEW, Plan, plan_changes


def file(path: str, *, size: int = 10, mtime: int = 1, ctime: int = 0) -> FileRef:
    return FileRef(path, Path("/vault") / path, size, mtime, ctime)


def known(path: str, *, size: int = 10, mtime: int = 1, content: bytes = b"") -> ManifestEntry:
    return ManifestEntry(1, path, size, mtime, content or path.encode())


def plan(
    files: list[FileRef],
    manifest: list[ManifestEntry],
    *,
    ledger: list[LedgerEntry] | None = None,
    excluded: list[ExcludedFile] | None = None,
    full: bool = False,
    hashes: dict[str, bytes] | None = None,
    confirm_removals: bool = False,
) -> Plan:
    entries = ledger
    if entries is None:
        entries = [LedgerEntry(entry.path, "indexed") for entry in manifest]
    return plan_changes(
        Walk(tuple(files), tuple(excluded or ())),
        {entry.path: entry for entry in manifest},
        {entry.path: entry for entry in entries},
        full=full,
        hash_of=lambda wanted: (hashes or {}).get(wanted.path),
        confirm_removals=confirm_removals,
    )


def test_without_changes_the_plan_is_empty() -> None:
    assert plan([file("a.md")], [known("a.md")]) == Plan((), (), (), ())


def test_new_and_changed_files_are_read_newest_first() -> None:
    found = plan(
        [file("new.md", mtime=5), file("grown.md", size=11), file("touched.md", mtime=9)],
        [known("grown.md"), known("touched.md")],
    )

    assert [item.path for item in found.read] == ["touched.md", "new.md", "grown.md"]


def test_a_file_that_was_replaced_with_equal_size_and_time_is_compared() -> None:
    entries = [LedgerEntry(name, "indexed", updated=100.0) for name in ("a.md", "b.md", "c.md")]
    asked = []

    def hash_of(wanted: FileRef) -> bytes:
        asked.append(wanted.path)
        return {"a.md": b"another", "b.md": b"b.md"}[wanted.path]

    found = plan_changes(
        Walk((*tuple(file(name, ctime=10**12) for name in ("a.md", "b.md")), file("c.md")), ()),
        {name: known(name) for name in ("a.md", "b.md", "c.md")},
        {entry.path: entry for entry in entries},
        full=False,
        hash_of=hash_of,
    )

    assert [item.path for item in found.read] == ["a.md"]
    assert [entry.path for entry in found.told] == ["b.md"]  # compared once, and then known
    assert asked == ["a.md", "b.md"]


def test_a_full_run_reads_everything_again() -> None:
    replaced = plan_changes(
        Walk((file("a.md", ctime=10**12),), ()),
        {"a.md": known("a.md")},
        {"a.md": LedgerEntry("a.md", "indexed", updated=100.0)},
        full=True,
        hash_of=lambda _: pytest.fail("nothing is compared for it"),
    )
    assert [item.path for item in replaced.read] == ["a.md"]
    assert [item.path for item in plan([file("a.md")], [known("a.md")], full=True).read] == ["a.md"]


def test_a_file_at_another_path_with_the_same_content_is_a_move() -> None:
    found = plan([file("new/a.md")], [known("old/a.md", content=b"x")], hashes={"new/a.md": b"x"})

    assert [(move.entry.path, move.file.path) for move in found.moves] == [("old/a.md", "new/a.md")]
    assert found.read == ()
    assert found.removes == ()


def test_moves_of_equal_files_are_matched_by_name() -> None:
    found = plan(
        [file("new/a.md"), file("new/b.md")],
        [known("old/b.md", content=b"x"), known("old/a.md", content=b"x")],
        hashes={"new/a.md": b"x", "new/b.md": b"x"},
    )

    moved = {move.entry.path: move.file.path for move in found.moves}
    assert moved == {"old/a.md": "new/a.md", "old/b.md": "new/b.md"}


def test_a_moved_note_with_other_content_is_a_removal_and_a_new_note() -> None:
    found = plan([file("b.md")], [known("a.md", content=b"x")], hashes={"b.md": b"y"})

    assert found.removes == ("a.md",)
    assert [item.path for item in found.read] == ["b.md"]


def test_empty_files_are_no_moves() -> None:
    found = plan(
        [file("b.md", size=0)], [known("a.md", size=0, content=b"x")], hashes={"b.md": b"x"}
    )

    assert found.moves == ()


def test_a_note_that_a_rule_now_excludes_leaves_the_index_and_is_recorded() -> None:
    item = ExcludedFile(file("a.md"), "exclude", "matches 'a*'")
    found = plan([], [known("a.md")], excluded=[item])

    assert found.removes == ("a.md",)
    assert found.excluded == (item,)


def test_an_exclusion_is_recorded_once() -> None:
    item = ExcludedFile(file("a.md"), "exclude", "matches 'a*'")
    entry = LedgerEntry("a.md", "excluded", "exclude", "matches 'a*'", size=10, mtime_ns=1)

    assert plan([], [], excluded=[item], ledger=[entry]).excluded == ()


def test_a_ledger_entry_without_a_file_is_removed() -> None:
    assert plan([], [], ledger=[LedgerEntry("a.md", "failed")]).removes == ("a.md",)


def test_a_binary_file_is_read_again_only_when_it_changed() -> None:
    entry = LedgerEntry("a.md", "excluded", "binary", "NUL", size=10, mtime_ns=1)

    assert plan([file("a.md")], [], ledger=[entry]).read == ()
    assert plan([file("a.md", mtime=2)], [], ledger=[entry]).read != ()


def test_failed_and_unfinished_notes_are_tried_again() -> None:
    for state in ("failed", "pending"):
        entry = LedgerEntry("a.md", state, size=10, mtime_ns=1)
        assert plan([file("a.md")], [known("a.md")], ledger=[entry]).read != ()


@pytest.mark.parametrize(("notes", "gone"), [(2, 2), (3, 3), (34, 34), (34, 18), (9, 5), (200, 51)])
def test_many_removals_at_once_wait_for_confirmation(notes: int, gone: int) -> None:
    manifest = [known(f"{n}.md") for n in range(notes)]
    left = [file(f"{n}.md") for n in range(gone, notes)]

    found = plan(left, manifest)
    assert found.removes == ()
    assert len(found.guarded) == gone

    confirmed = plan(left, manifest, confirm_removals=True)
    assert len(confirmed.removes) == gone
    assert confirmed.guarded == ()


@pytest.mark.parametrize(
    ("notes", "gone"), [(1, 1), (2, 1), (5, FEW), (34, 17), (200, 50), (1000, 200)]
)
def test_a_few_deleted_notes_are_removed(notes: int, gone: int) -> None:
    manifest = [known(f"{n}.md") for n in range(notes)]

    found = plan([file(f"{n}.md") for n in range(gone, notes)], manifest)

    assert len(found.removes) == gone
    assert found.guarded == ()


def test_unreadable_folders_are_not_taken_for_deleted() -> None:
    manifest = {path: known(path) for path in ("Away/a.md", "Away.md", "b.md")}

    found = plan_changes(
        Walk((), (), unread=("Away",)),
        manifest,
        {"Away/broken.md": LedgerEntry("Away/broken.md", "failed")},
        full=False,
        hash_of=lambda _: None,
    )

    assert found.removes == ("Away.md", "b.md")


def test_a_move_seen_as_two_changes_is_not_guarded() -> None:
    """The new folder was read before the old one was missed."""
    old = [known(f"old/{n}.md", content=bytes([n])) for n in range(100)]
    new = [known(f"new/{n}.md", content=bytes([n])) for n in range(100)]

    found = plan([file(f"new/{n}.md") for n in range(100)], [*old, *new])

    assert (len(found.removes), found.guarded) == (100, ())


def test_moves_are_not_counted_as_removals() -> None:
    manifest = [known(f"old/{n}.md", content=bytes([n])) for n in range(100)]
    files = [file(f"new/{n}.md") for n in range(100)]

    found = plan(files, manifest, hashes={f"new/{n}.md": bytes([n]) for n in range(100)})

    assert len(found.moves) == 100
    assert found.guarded == ()
