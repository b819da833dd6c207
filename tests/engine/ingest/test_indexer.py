"""Indexing runs that end early leave nothing that a later run would not complete."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from notewell.base.types import Settings, VaultRecord
from notewell.engine.ingest.indexer import Indexer, RunTotals
from notewell.engine.ingest.queue import Work
from notewell.engine.ingest.signals import Signals
from notewell.index.embedded import EmbeddedIndex
from notewell.vault.evicted import NOT_HERE_REASON
from notewell.vault.sources import source_of


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    folder = tmp_path / "vault"
    folder.mkdir()
    (folder / "Old name.md").write_text("A text without a heading.", encoding="utf-8")
    return folder


@pytest.fixture
def index(tmp_path: Path) -> Iterator[EmbeddedIndex]:
    opened = EmbeddedIndex.open(tmp_path / "index", writable=True)
    yield opened
    opened.close()


def run(
    vault: Path,
    index: EmbeddedIndex,
    *,
    full: bool = False,
    stopped: bool = False,
    work: Work | None = None,
) -> RunTotals:
    settings = Settings(data_dir=vault, model_dir=vault, state_dir=vault)
    source = source_of(VaultRecord("v1", "vault", vault), settings.vault)
    indexer = Indexer(source, index, settings)
    return indexer.run(work or Work(full=full), None, Signals(stop=lambda: stopped))


def former_titles(index: EmbeddedIndex) -> dict[str, str]:
    """The former titles that are still embedded, by path."""
    kept = {path: entry.kept_title for path, entry in index.manifest().items()}
    return {path: title for path, title in kept.items() if title is not None}


def test_a_renamed_note_gets_its_title_although_the_run_was_stopped(
    vault: Path, index: EmbeddedIndex
) -> None:
    run(vault, index)
    (vault / "Old name.md").rename(vault / "New name.md")

    assert not run(vault, index, stopped=True).finished
    (entry,) = index.ledger(path="New name.md")
    assert entry.state == "pending"
    assert run(vault, index).finished

    note = index.note_at("New name.md")
    assert note is not None
    assert note.title == "New name"
    assert [entry.state for entry in index.ledger()] == ["keyword_only"]  # there is no model


def test_a_renamed_note_is_read_once_in_a_full_run(vault: Path, index: EmbeddedIndex) -> None:
    run(vault, index)
    (vault / "Old name.md").rename(vault / "New name.md")

    assert run(vault, index, full=True).read == 1


def test_a_note_in_another_folder_is_not_read(vault: Path, index: EmbeddedIndex) -> None:
    run(vault, index)
    (vault / "Folder").mkdir()
    (vault / "Old name.md").rename(vault / "Folder" / "Old name.md")

    assert run(vault, index).read == 0


def test_a_full_run_that_was_stopped_goes_on_with_present_titles(
    vault: Path, index: EmbeddedIndex
) -> None:
    run(vault, index)
    (vault / "Old name.md").rename(vault / "New name.md")
    run(vault, index)
    assert former_titles(index) == {"New name.md": "Old name"}
    assert index.former_titles() == 1

    full = Work(full=True)
    assert not run(vault, index, work=full, stopped=True).finished
    assert former_titles(index) == {"New name.md": "Old name"}
    assert run(vault, index, work=full.rest()).read == 1

    assert former_titles(index) == {}
    assert index.former_titles() == 0


def test_a_full_run_over_some_notes_leaves_the_titles_of_others(
    vault: Path, index: EmbeddedIndex
) -> None:
    (vault / "Second.md").write_text("Another text.", encoding="utf-8")
    run(vault, index)
    for name in ("Old name", "Second"):
        (vault / f"{name}.md").rename(vault / f"New {name}.md")
    run(vault, index)
    assert index.former_titles() == 2

    some = Work(paths=("New Second.md",), full=True)
    run(vault, index, work=some)
    assert former_titles(index) == {"New Old name.md": "Old name"}
    run(vault, index, work=some.rest())
    assert former_titles(index) == {"New Old name.md": "Old name"}


def test_a_rebuild_keeps_the_titles_that_were_embedded(vault: Path, index: EmbeddedIndex) -> None:
    run(vault, index)
    (vault / "Old name.md").rename(vault / "New name.md")
    run(vault, index)
    index.set_meta("fingerprint", "of an earlier version")

    assert run(vault, index).read == 1
    assert former_titles(index) == {"New name.md": "Old name"}


def test_a_note_replaced_with_equal_size_and_time_is_read_again(
    vault: Path, index: EmbeddedIndex
) -> None:
    """As `cp -p`, `rsync -t` and some synchronisers leave it."""
    note = vault / "Old name.md"
    run(vault, index)
    before = note.stat()
    other = vault / "other.tmp"
    other.write_text("A text about the medlars.", encoding="utf-8")
    os.utime(other, ns=(before.st_atime_ns, before.st_mtime_ns))
    other.replace(note)
    after = note.stat()
    assert (after.st_size, after.st_mtime_ns) == (before.st_size, before.st_mtime_ns)

    assert run(vault, index).read == 1
    (found,) = index.all_notes()
    assert "medlar" in index.chunks_of(found.id)[0].text
    note.chmod(0o600)  # the file's entry changed, and nothing in it
    assert run(vault, index).read == 0


def test_a_note_that_icloud_took_away_stays_and_is_told(vault: Path, index: EmbeddedIndex) -> None:
    note, placeholder = vault / "Old name.md", vault / ".Old name.md.icloud"
    (vault / ".Never here.md.icloud").write_bytes(b"bplist")
    (vault / "Linking.md").write_text("[[Old name]]", encoding="utf-8")
    run(vault, index)
    (away,) = index.ledger(path="Never here.md")
    assert (away.state, away.rule) == ("excluded", "not_here")

    note.rename(placeholder)
    for paths in (("Old name.md",), (".Old name.md.icloud",), ()):  # as a watcher tells of it
        run(vault, index, work=Work(paths=paths))
        (entry,) = index.ledger(path="Old name.md")
        assert entry.state in {"indexed", "keyword_only"}
        assert entry.warnings == (NOT_HERE_REASON,)
        assert index.graph.unresolved() == ()
    assert {found.path for found in index.all_notes()} == {"Old name.md", "Linking.md"}

    placeholder.rename(note)
    assert run(vault, index, work=Work(paths=("Old name.md",))).read == 0
    (entry,) = index.ledger(path="Old name.md")
    assert entry.warnings == ()
    note.unlink()
    run(vault, index)
    assert {found.path for found in index.all_notes()} == {"Linking.md"}


NAMES = (
    "A.md",
    "A 2.md",
    "A.sync-conflict-20260101-120000-ABCDEFG.md",
    "A.sync-conflict-20260101-120000-ABCDEFG (conflicted copy 2026-01-02).md",
    "B.md",
)
LINES = ("Quinces by the wall.", "Medlars in May.", "The pump leaks.", "A spade.")


def state_of(index: EmbeddedIndex) -> object:
    """What an index has of each file, apart from ids and times."""
    notes = {
        note.path: [(each.headings, each.text, each.lines) for each in index.chunks_of(note.id)]
        for note in index.all_notes()
    }
    return notes, [(entry.path, entry.state, entry.rule, entry.reason) for entry in index.ledger()]


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.sampled_from(NAMES),
            st.one_of(st.none(), st.lists(st.sampled_from(LINES), min_size=1, max_size=4)),
            st.booleans(),
        ),
        max_size=8,
    )
)
def test_runs_over_some_files_leave_what_a_new_index_has(
    steps: list[tuple[str, list[str] | None, bool]],
) -> None:
    """Conflict copies come, change and go; each step is seen by its path, or by a look at all."""
    with TemporaryDirectory() as place:
        root = Path(place)
        vault = root / "vault"
        vault.mkdir()
        (vault / "Kept.md").write_text("A note that stays.", encoding="utf-8")
        with closing(EmbeddedIndex.open(root / "index", writable=True)) as index:
            for number, (name, lines, whole) in enumerate(steps):
                if lines is None:
                    (vault / name).unlink(missing_ok=True)
                else:
                    (vault / name).write_text("\n\n".join(lines), encoding="utf-8")
                    os.utime(vault / name, (number, number))
                paths = () if whole else (name,)
                run(vault, index, work=Work(paths=paths, confirm_removals=True))
            run(vault, index, work=Work(paths=("Kept.md",)))
            with closing(EmbeddedIndex.open(root / "new", writable=True)) as new:
                run(vault, new)
                assert state_of(index) == state_of(new)


def test_what_a_copy_alone_says_is_a_passage_of_the_note(vault: Path, index: EmbeddedIndex) -> None:
    copy = "A.sync-conflict-20260101-120000-ABCDEFG.md"
    (vault / "A.md").write_text("# One\n\nQuinces.\n\n# Two\n\nThe pump.\n", encoding="utf-8")
    (vault / copy).write_text(
        "# One\n\nQuinces.\n\n# Two\n\nThe pump.\nIt leaks.\n\n# Three\n\nA spade.\n",
        encoding="utf-8",
    )
    (vault / "Linking.md").write_text(f"[[A]] and [[{copy[:-3]}]]", encoding="utf-8")
    run(vault, index)

    note = index.note_at("A.md")
    assert note is not None
    assert index.note_at(copy) is None
    own, *added = index.chunks_of(note.id)
    assert "leaks" not in own.text
    assert [each.headings[0] for each in added] == [f"Conflict copy: {copy}"] * len(added)
    text = "\n".join(each.text for each in added)
    assert "It leaks." in text
    assert "A spade." in text
    assert "Quinces" not in text
    lines = dict(zip(added[0].text.split("\n"), added[0].lines, strict=True))
    assert lines["It leaks."] == 7  # where it would stand in the note
    (entry,) = index.ledger(rule="conflict_copy")
    assert (entry.path, entry.state) == (copy, "excluded")
