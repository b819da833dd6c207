"""The ledger accounts for every file below a vault, whatever it is and whatever happens to it."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from notewell.base.support.log_files import logging_to_files
from notewell.base.types import LogRules, Settings, VaultRecord, VaultRules
from notewell.engine.engine import Engine
from notewell.features import FEATURES
from tests.waiting import until

NOTES = ("a.md", "b.MD", "big.md", ".hidden.md")
OTHERS = ("c.markdown", "d.txt", "e.canvas", "f.pdf", "G.PDF", "h.py", "k.png", "i.tar.gz")
ODD = ("Makefile", ".DS_Store", "j. no ending at all, really")
NAMES = st.sampled_from((*NOTES, *OTHERS, *ODD))
FOLDERS = st.sampled_from(["", "sub", "sub/deep", "Archive", ".obsidian", "sub/.trash"])
FILES = st.sets(st.tuples(FOLDERS, NAMES), max_size=25)


@contextmanager
def opened(folder: Path, watch: str = "off") -> Iterator[Engine]:
    rules = VaultRules(watch=watch, reconcile_at="", exclude=("Archive/",), max_note_bytes=50)  # type: ignore[arg-type]
    places = (folder / "data", folder / "models", folder / "state")
    made = Settings(*places, offline=True, vault=rules)
    record = VaultRecord("v1", "vault", folder / "vault")
    engine = Engine.open(record, folder / "index", made, writable=True, features=FEATURES)
    try:
        yield engine
    finally:
        engine.close()


def write(vault: Path, files: set[tuple[str, str]]) -> None:
    for place, name in files:
        (vault / place).mkdir(parents=True, exist_ok=True)
        content = b"\0 binary" if name == "b.MD" else b"words " * (20 if name == "big.md" else 1)
        (vault / place / name).write_bytes(content)


def on_disk(vault: Path) -> int:
    """Files and links that are not followed, outside of folders whose name begins with a dot."""
    count = 0
    for _, folders, names in os.walk(vault):
        folders[:] = [name for name in folders if not name.startswith(".")]
        count += len(names)
    return count


def accounted(engine: Engine) -> int:
    reply = engine.ledger()
    status = engine.status()
    assert dict(status.ledger) == dict(reply.counts)
    assert reply.total == sum(reply.counts.values()) == sum(row.count for row in reply.entries)
    return reply.total


@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(first=FILES, second=FILES)
def test_the_ledger_s_sum_is_the_number_of_files(
    first: set[tuple[str, str]], second: set[tuple[str, str]]
) -> None:
    with TemporaryDirectory() as place:
        vault = Path(place) / "vault"
        vault.mkdir()
        with opened(Path(place)) as engine:
            write(vault, first)
            engine.index_now()
            assert accounted(engine) == on_disk(vault)

            for folder, name in first - second:
                (vault / folder / name).unlink()
            write(vault, second - first)
            engine.index_now(confirm_removals=True)
            assert accounted(engine) == on_disk(vault)


@pytest.mark.skipif(sys.platform == "win32", reason="needs links without privileges")
def test_the_log_tells_why_files_are_left_out_without_their_names(tmp_path: Path) -> None:
    (tmp_path / "vault").mkdir()
    (tmp_path / "away").mkdir()
    (tmp_path / "vault" / "Divorce").symlink_to(tmp_path / "away")
    with logging_to_files(tmp_path / "logs", LogRules()), opened(tmp_path) as engine:
        engine.index_now()

    text = "".join(file.read_text("utf-8") for file in (tmp_path / "logs").iterdir())
    assert "not everything is read: … is a link out of the vault; it is not followed." in text
    assert "Divorce" not in text


def test_types_that_are_not_read_are_one_row_an_ending(tmp_path: Path) -> None:
    names = {"a.md", "p.jpg", "q.JPG", "c.docx", "Makefile", ".DS_Store"}
    write(tmp_path / "vault", {("", name) for name in names})
    write(tmp_path / "vault", {("sub", "r.jpg")})
    with opened(tmp_path) as engine:
        engine.index_now()

        rows = {row.path: (row.rule, row.count) for row in engine.ledger(state="excluded").entries}
        assert rows == {
            "*.jpg": ("file_type", 3),
            "*.docx": ("file_type", 1),
            "*": ("file_type", 1),
            ".*": ("hidden", 1),
        }
        (one,) = engine.ledger(path="sub/r.jpg").entries
        assert (one.path, one.state, one.rule, one.count) == (
            "sub/r.jpg",
            "excluded",
            "file_type",
            1,
        )
        assert one.reason is not None
        assert "Markdown" in one.reason


@pytest.mark.skipif(sys.platform == "win32", reason="needs links without privileges")
def test_links_that_are_not_followed_are_accounted_for(tmp_path: Path) -> None:
    vault = tmp_path / "vault"
    write(vault, {("sub", "a.md")})
    (tmp_path / "elsewhere").mkdir()
    (vault / "sub" / "loop").symlink_to(vault / "sub")
    (vault / "out").symlink_to(tmp_path / "elsewhere")
    (vault / "broken.md").symlink_to(vault / "nowhere.md")
    (vault / "itself.md").symlink_to(vault / "itself.md")
    os.mkfifo(vault / "pipe.md")
    with opened(tmp_path) as engine:
        engine.index_now()

        rows = {row.path: row.rule for row in engine.ledger(state="excluded").entries}
        assert rows == {
            "sub/loop": "symlink_loop",
            "out": "symlink_outside",
            "broken.md": "broken_link",
            "itself.md": "symlink_loop",
            "pipe.md": "not_a_file",
        }


def test_a_folder_that_cannot_be_read_is_in_the_ledger_and_its_notes_stay(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path / "vault", {("", "a.md"), ("sub", "b.txt")})
    real = os.scandir

    def closed(folder: str) -> Iterator[os.DirEntry[str]]:  # the tests may run as root
        if Path(folder).name == "sub":
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), folder)
        return real(folder)

    with opened(tmp_path) as engine:
        assert engine.index_now().notes == 2
        with monkeypatch.context() as patched:
            patched.setattr(os, "scandir", closed)
            assert engine.index_now().notes == 2
            (row,) = engine.ledger(state="excluded").entries
        assert (row.path, row.rule) == ("sub", "unreadable")
        assert "Permission denied" in str(row.reason)

        engine.index_now()
        assert engine.ledger(state="excluded").entries == ()
        assert accounted(engine) == 2


def test_a_running_engine_accounts_for_files_that_come_and_go(tmp_path: Path) -> None:
    vault = tmp_path / "vault"
    write(vault, {("", "a.md"), ("", "k.png")})
    with opened(tmp_path, watch="events") as engine:
        engine.start()
        until(lambda: engine.status().state == "ready")
        assert accounted(engine) == 2

        (vault / "second.png").write_bytes(b"png")
        (vault / ".hidden").write_bytes(b"x")
        until(lambda: engine.ledger().total == 4)
        (vault / "k.png").unlink()
        (vault / ".hidden").unlink()
        until(lambda: engine.ledger().total == 2)
        until(lambda: engine.status().state == "ready")
        assert accounted(engine) == 2


def test_a_type_that_is_switched_off_stays_accounted_for(tmp_path: Path) -> None:
    vault = tmp_path / "vault"
    write(vault, {("", "a.md"), ("", "d.txt")})
    record = VaultRecord("v1", "vault", vault)
    for types in ((".md", ".txt"), (".md",), (".md", ".txt")):
        places = (tmp_path / "data", tmp_path / "models", tmp_path / "state")
        made = Settings(*places, offline=True, vault=VaultRules(types=types))
        engine = Engine.open(record, tmp_path / "index", made, writable=True, features=FEATURES)
        try:
            assert engine.index_now().notes == len(types)
            assert accounted(engine) == 2
        finally:
            engine.close()
