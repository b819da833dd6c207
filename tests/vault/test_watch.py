"""Watching a vault: which paths may have changed, without those that are not indexed."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from notewell.base.support import disk
from notewell.base.types import WatchMode
from notewell.vault.paths import PHONE_INDEX
from notewell.vault.watch import is_silent, unwatchable, watch_vault
from tests.waiting import HANG_S, until

Groups = queue.Queue[tuple[str, ...]]


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    root = tmp_path / "vault"
    (root / "Folder").mkdir(parents=True)
    (root / ".obsidian").mkdir()
    (root / "Folder" / "a.md").write_text("a", encoding="utf-8")
    return root


@pytest.fixture
def watching(vault: Path) -> Iterator[Callable[[WatchMode], Groups]]:
    stop = threading.Event()
    threads = []

    def start(mode: WatchMode) -> Groups:
        groups: Groups = queue.Queue()

        def follow() -> None:
            for group in watch_vault(vault, mode=mode, stop=stop):
                groups.put(group)

        thread = threading.Thread(target=follow)
        thread.start()
        threads.append(thread)
        prove_ready(vault, groups)
        return groups

    yield start
    stop.set()
    for thread in threads:
        thread.join(HANG_S)


def prove_ready(vault: Path, groups: Groups) -> None:
    """Touch a note until the watcher tells of it: only then do its answers mean anything."""
    for attempt in range(100):
        (vault / "ready.md").write_text(str(attempt), encoding="utf-8")
        try:
            assert groups.get(timeout=1) == ("ready.md",)
        except queue.Empty:
            continue
        return
    pytest.fail("the watcher never told of a change")


def collect(groups: Groups, *wanted: str) -> set[str]:
    """All paths told of until the wanted ones came; late repeats of the probe do not count."""
    seen: set[str] = set()
    while not set(wanted) <= seen:
        seen.update(groups.get(timeout=HANG_S))
    return seen - {"ready.md"}


def test_saves_renames_and_removals_are_reported(
    watching: Callable[[WatchMode], Groups], vault: Path
) -> None:
    groups = watching("events")
    (vault / "new.md").write_text("x", encoding="utf-8")
    assert collect(groups, "new.md") == {"new.md"}

    (vault / "new.md").rename(vault / "renamed.md")
    assert collect(groups, "new.md", "renamed.md") == {"new.md", "renamed.md"}

    (vault / "renamed.md").unlink()
    assert collect(groups, "renamed.md") == {"renamed.md"}


def test_an_atomic_save_is_reported_as_a_change_of_the_note(
    watching: Callable[[WatchMode], Groups], vault: Path
) -> None:
    groups = watching("events")
    temporary = vault / "Folder" / ".a.md.swp"
    temporary.write_text("b", encoding="utf-8")
    temporary.replace(vault / "Folder" / "a.md")

    assert collect(groups, "Folder/a.md") == {"Folder/a.md"}


def test_a_renamed_folder_is_reported_for_its_notes(
    watching: Callable[[WatchMode], Groups], vault: Path
) -> None:
    groups = watching("events")
    (vault / "Folder").rename(vault / "Renamed")

    assert collect(groups, "Folder", "Renamed") == {"Folder", "Renamed"}


def test_changes_of_other_files_are_not_reported(
    watching: Callable[[WatchMode], Groups], vault: Path
) -> None:
    groups = watching("events")
    (vault / ".obsidian" / "workspace.json").write_text("{}", encoding="utf-8")
    (vault / "picture.png").write_bytes(b"png")
    (vault / ".trash").mkdir()
    (vault / ".trash" / "old.md").write_text("x", encoding="utf-8")
    (vault / "last.md").write_text("x", encoding="utf-8")

    assert collect(groups, "last.md") == {"last.md"}


@pytest.mark.parametrize("mode", ["events", "poll"])
def test_it_ends_where_another_folder_is_in_the_place(vault: Path, mode: WatchMode) -> None:
    """As after a drive was unmounted, or mounted anew: the old one tells of nothing any more."""
    groups: Groups = queue.Queue()
    ended, stop = threading.Event(), threading.Event()

    def follow() -> None:
        for group in watch_vault(vault, mode=mode, stop=stop):
            groups.put(group)
        ended.set()

    thread = threading.Thread(target=follow)
    thread.start()
    try:
        prove_ready(vault, groups)
        vault.rename(vault.with_name("unmounted"))
        (vault / "Folder").mkdir(parents=True)
        assert ended.wait(HANG_S)
    finally:
        stop.set()
        thread.join(HANG_S)


def test_our_own_file_is_reported_to_nobody(vault: Path) -> None:
    """Not even as a file that came: the phone index is replaced every hour."""
    groups: Groups = queue.Queue()
    others: list[str] = []
    stop = threading.Event()

    def follow() -> None:
        told = watch_vault(vault, mode="events", stop=stop, others=others.extend)
        for group in told:
            groups.put(group)

    thread = threading.Thread(target=follow)
    thread.start()
    prove_ready(vault, groups)
    for text in (b"one", b"two"):
        disk.replace(vault / PHONE_INDEX, text, mode=disk.SHARED)
    (vault / "picture.png").write_bytes(b"png")
    (vault / "last.md").write_text("x", encoding="utf-8")
    seen = collect(groups, "last.md")
    until(lambda: "picture.png" in others)
    stop.set()
    thread.join(HANG_S)

    assert seen == {"last.md"}
    assert others == ["picture.png"]


def test_changed_rules_report_the_whole_vault(
    watching: Callable[[WatchMode], Groups], vault: Path
) -> None:
    groups = watching("events")
    (vault / ".obsidian" / "app.json").write_text("{}", encoding="utf-8")

    assert groups.get(timeout=HANG_S) == ()


def test_a_network_mount_is_recognised_by_its_file_system(tmp_path: Path) -> None:
    mounts = tmp_path / "mounts"
    mounts.write_text(
        f"/dev/sda / ext4 rw 0 0\nserver:/x {tmp_path.resolve()}/my\\040share nfs4 rw 0 0\n",
        encoding="utf-8",
    )
    (tmp_path / "my share" / "vault").mkdir(parents=True)

    assert is_silent(tmp_path / "my share" / "vault", mounts)
    assert not is_silent(tmp_path / "elsewhere", mounts)
    assert not is_silent(tmp_path, tmp_path / "no-such-table")


def test_folders_are_counted_against_the_limit_of_the_system(tmp_path: Path) -> None:
    vault, limit = tmp_path / "vault", tmp_path / "max_user_watches"
    for name in ("a/b", "c", ".git"):
        (vault / name).mkdir(parents=True)
    limit.write_text("5\n", encoding="ascii")
    assert unwatchable(vault, limit) is None  # the vault itself and four below it
    (vault / "d").mkdir()
    assert unwatchable(vault, limit) == 5
    assert unwatchable(vault, tmp_path / "no-such-file") is None
