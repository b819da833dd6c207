"""Each file of an index damaged in every way: what is answered then is what a new index answers."""

from __future__ import annotations

import os
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from notewell.base.errors import IndexDamagedError, NotFoundError
from notewell.base.types import Batch
from notewell.index.embedded import EmbeddedIndex
from notewell.index.embedded.store import DATABASE
from tests.faults.damage import Harm, harms
from tests.faults.index_operations import MAKE, differences, fresh, notes, open_index, picture

LONG = os.environ.get("NOTEWELL_TEST_STRESS") == "long"
PLACES = 100 if LONG else 1
SEED = 3


@pytest.fixture(scope="module")
def closed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An index as its writer leaves it."""
    root = tmp_path_factory.mktemp("closed")
    with closing(open_index(root)) as index:
        index.apply(Batch(puts=tuple(notes(changed=True).values())))
        MAKE.embed(index)
    return root


@pytest.fixture(scope="module")
def killed(closed: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An index as it is while its writer works: with a write-ahead log."""
    root = tmp_path_factory.mktemp("killed")
    work = tmp_path_factory.mktemp("working")
    with closing(open_index(work)) as index:
        index.apply(Batch(puts=tuple(notes(changed=True).values())))
        MAKE.embed(index)
        shutil.copytree(work / "index", root / "index")
    assert (root / "index" / f"{DATABASE}-wal").stat().st_size > 0
    return root


def files_of(root: Path) -> list[str]:
    return sorted(
        str(file.relative_to(root))
        for file in (root / "index").rglob("*")
        if file.is_file() and file.name != "lock" and not file.name.startswith(".tantivy")
    )


def after(
    root: Path, work: Path, name: str, harm: Harm, right: dict[str, object]
) -> tuple[list[str], int]:
    """What is wrong after a file was damaged, and how many texts had to be embedded again.

    A reader comes first, then a writer, as a search and the next check of the vault do; both may
    say that the index is damaged, and the next writer may not.
    """
    shutil.rmtree(work, ignore_errors=True)
    shutil.copytree(root, work)
    harm.do(work / name)
    pictures = []
    said = "Run `notewell index`"
    for look in (picture_of_reader, picture_of_writer):
        try:
            pictures.append(look(work))
        except NotFoundError:  # the database is gone, or was never written
            assert name.startswith(f"index/{DATABASE}")
        except IndexDamagedError as error:
            said = error.message
    assert "Run `notewell index`" in said
    with closing(open_index(work)) as index:
        known = {note.path for note in index.all_notes()}
        if known != set(notes(changed=True)):  # rebuilt, or stopped before they were written
            index.apply(Batch(puts=tuple(notes(changed=True).values())))
        embedded = MAKE.embed(index)
        index.save()
        pictures.append(picture(index))
    wrong = differences(pictures[-1], right)
    for shown in pictures[:-1]:
        # Without its last transactions a database is one that has no notes yet, or no vectors.
        if shown["texts"]:
            has_vectors = shown["vectors"] or not name.startswith(f"index/{DATABASE}")
            wrong += differences(
                shown if has_vectors else {**right, **shown, "vectors": right["vectors"]}, right
            )
    return wrong, embedded


def picture_of_reader(root: Path) -> dict[str, object]:
    with closing(EmbeddedIndex.open(root / "index", writable=False)) as index:
        index.use_model(MAKE.model, MAKE.dimensions)
        return picture(index)


def picture_of_writer(root: Path) -> dict[str, object]:
    with closing(open_index(root)) as index:
        index.save()
        return picture(index)


@pytest.mark.parametrize("state", ["closed", "killed"])
def test_a_damaged_file_never_gives_a_wrong_answer(
    state: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    root: Path = request.getfixturevalue(state)
    right = fresh(tmp_path / "right", notes(changed=True))
    # All other files are the same ones, whether the writer ended or was killed.
    for name in (each for each in files_of(root) if state == "closed" or ".db" in each):
        for harm in harms(root / name, SEED, changed=PLACES):
            wrong, embedded = after(root, tmp_path / "work", name, harm, right)
            assert wrong == [], f"{name} {harm}"
            if not name.startswith(f"index/{DATABASE}"):
                assert embedded == 0, f"{name} {harm}"


# Rows of the database as their bytes: of a note its path, title, aliases, tags and properties, of a
# passage its headings behind the place, of a link its target and kind.
NOTE = b'New.mdNew[][]{"status":"draft"'
PASSAGE = b'["Apiary"]'
LINK = b"1wikilink"


@pytest.mark.parametrize(
    ("row", "column", "kind"),
    [
        (NOTE, b"New.md", "a note"),
        (NOTE, b"New[]", "a note"),
        (NOTE, b"draft", "a note"),
        (PASSAGE, b"Apiary", "a passage"),
        (LINK, b"1wiki", "a link"),
        (LINK, b"link", "a link"),
    ],
)
def test_a_changed_byte_of_a_row_that_is_still_text_is_noticed(
    row: bytes, column: bytes, kind: str, closed: Path, tmp_path: Path
) -> None:
    name = f"index/{DATABASE}"
    root = tmp_path / "closed"
    shutil.copytree(closed, root)
    (root / "index" / "graph.snapshot").unlink()  # so that links are read from the database
    content = (root / name).read_bytes()
    harm = Harm("changed", content.index(row) + row.index(column))
    right = fresh(tmp_path / "right", notes(changed=True))

    wrong, embedded = after(root, tmp_path / "work", name, harm, right)

    assert (wrong, embedded) == ([], 0)  # vectors are kept by content
    harm.do(root / name)
    with pytest.raises(IndexDamagedError, match=kind):
        picture_of_reader(root)


@pytest.mark.parametrize(
    ("statement", "kind"),
    [
        ("DELETE FROM chunks WHERE id = 1", "a note"),
        ("UPDATE chunks SET note_id = 2 WHERE id = 1", "a note"),
        ("DELETE FROM links WHERE note_id = 1", "a link"),
        ("UPDATE links SET note_id = 99 WHERE note_id = 1", "a link"),
        ("UPDATE meta SET value = '&' WHERE key = 'generation'", "meta"),
    ],
)
def test_a_row_that_is_gone_or_no_number_is_noticed(
    statement: str, kind: str, closed: Path, tmp_path: Path
) -> None:
    root = _changed(closed, tmp_path, statement)

    with pytest.raises(IndexDamagedError, match=kind):
        picture_of_reader(root)


@pytest.mark.parametrize(
    "statement",
    [
        "DELETE FROM vectors WHERE rowid = 1",
        "UPDATE chunks SET vector_hash = x'00112233445566778899aabbccddeeff' WHERE id = 1",
    ],
)
def test_a_passage_whose_vector_is_gone_gets_it_again(
    statement: str, closed: Path, tmp_path: Path
) -> None:
    root = _changed(closed, tmp_path, statement)
    right = fresh(tmp_path / "right", notes(changed=True))

    with closing(open_index(root)) as index:
        MAKE.embed(index)
        assert differences(picture(index), right) == []


def _changed(closed: Path, tmp_path: Path, statement: str) -> Path:
    """A copy of an index without snapshots, with its database changed."""
    root = tmp_path / "changed"
    shutil.copytree(closed, root)
    for snapshot in (root / "index").rglob("*.snapshot"):
        snapshot.unlink()
    with closing(sqlite3.connect(root / "index" / DATABASE)) as database, database:
        assert database.execute(statement).rowcount == 1
    return root
