"""Mirrors: filled by clients, limited to their folder, unchanged by repeated requests."""

from __future__ import annotations

import errno
import os
import random
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from notewell.base.errors import OutsideVaultError, UsageError, VaultError
from notewell.contract.status import Change
from notewell.vault.mirror import MAX_CONTENT_BYTES, STAGING, Mirror

SAVED = 1_772_445_600_123


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "mirror" / "vault"


@pytest.fixture
def mirror(root: Path) -> Mirror:
    return Mirror(root)


def write(path: str, content: str = "text", mtime: int | None = SAVED) -> Change:
    return Change("modify", path, mtime=mtime, content=content)


def rename(old: str, new: str, content: str | None = None) -> Change:
    return Change("rename", new, old, content=content)


def take(mirror: Mirror, *changes: Change) -> tuple[str, ...]:
    mirror.check(changes)
    return mirror.apply(changes)


def held(root: Path) -> dict[str, str]:
    """All files but those being written, by path."""
    return {
        file.relative_to(root).as_posix(): file.read_text(encoding="utf-8")
        for file in root.rglob("*")
        if file.is_file() and STAGING not in file.parts
    }


def folders(root: Path) -> set[str]:
    return {place.name for place in root.rglob("*") if place.is_dir()} - {STAGING}


# --- filling it ---------------------------------------------------------------------------------


def test_a_mirrored_note_equals_the_clients(mirror: Mirror, root: Path) -> None:
    assert take(mirror, write("Garden/Bees.md", "# Bees\r\n🐝\n")) == ()

    assert (root / "Garden/Bees.md").read_bytes() == "# Bees\r\n🐝\n".encode()
    assert (root / "Garden/Bees.md").stat().st_mtime_ns == SAVED * 1_000_000
    assert list(mirror.files()) == ["Garden/Bees.md"]
    assert not any((root / STAGING).iterdir())


def test_repeating_a_change_writes_nothing(mirror: Mirror, root: Path) -> None:
    take(mirror, write("A.md"))
    before = (root / "A.md").stat()

    take(mirror, write("A.md"))

    after = (root / "A.md").stat()
    assert (after.st_ino, after.st_ctime_ns) == (before.st_ino, before.st_ctime_ns)


def test_a_later_time_of_the_same_content_is_kept(mirror: Mirror, root: Path) -> None:
    take(mirror, write("A.md"), write("A.md", mtime=SAVED + 5))

    assert (root / "A.md").stat().st_mtime_ns == (SAVED + 5) * 1_000_000


def test_new_content_with_equal_size_and_time_is_noticed(mirror: Mirror, root: Path) -> None:
    take(mirror, write("A.md", "one"))
    first = (root / "A.md").stat().st_mtime_ns

    take(mirror, write("A.md", "two"))

    second = (root / "A.md").stat().st_mtime_ns
    assert (root / "A.md").read_text(encoding="utf-8") == "two"
    assert second != first
    assert second // 1_000_000 == SAVED


def test_only_notes_are_stored(mirror: Mirror, root: Path) -> None:
    warnings = take(
        mirror,
        Change("create", "image.png", content="x"),
        Change("create", "Folder"),
        Change("create", ".obsidian/app.json", content="{}"),
        Change("create", ".hidden/a.md", content="x"),
        Change("create", ".notewell.toml", content="x"),
        Change("delete", "image.png"),
    )

    assert len(warnings) == 5
    assert held(root) == {}
    assert folders(root) == set()


def test_a_note_or_a_folder_is_deleted_and_empty_folders_with_it(
    mirror: Mirror, root: Path
) -> None:
    take(mirror, write("a/b/One.md"), write("a/Two.md"), write("c/d/e/Three.md"))

    take(mirror, Change("delete", "a/b/One.md"), Change("delete", "c"), Change("delete", "no.md"))

    assert set(held(root)) == {"a/Two.md"}
    assert folders(root) == {"a"}


def test_a_note_is_renamed_with_its_time(mirror: Mirror, root: Path) -> None:
    take(mirror, write("a/One.md"))

    assert take(mirror, rename("a/One.md", "b/Uno.md")) == ()
    assert take(mirror, rename("a/One.md", "b/Uno.md")) == ()

    assert set(held(root)) == {"b/Uno.md"}
    assert folders(root) == {"b"}
    assert (root / "b/Uno.md").stat().st_mtime_ns == SAVED * 1_000_000


def test_a_rename_can_include_new_content(mirror: Mirror, root: Path) -> None:
    take(mirror, rename("never-seen.md", "One.md", "new"))
    take(mirror, rename("One.md", "Two.md", "newer"))

    assert held(root) == {"Two.md": "newer"}


def test_a_rename_of_a_missing_note_is_reported(mirror: Mirror) -> None:
    (warning,) = take(mirror, rename("never-seen.md", "One.md"))

    assert "sync" in warning


def test_a_folder_is_renamed_or_merged_into_another(mirror: Mirror, root: Path) -> None:
    take(mirror, write("old/sub/A.md"), write("old/B.md"), write("other/C.md"))

    take(mirror, rename("old", "new"))
    assert set(held(root)) == {"new/sub/A.md", "new/B.md", "other/C.md"}

    take(mirror, rename("new", "other"), rename("new", "other"))
    assert set(held(root)) == {"other/sub/A.md", "other/B.md", "other/C.md"}
    assert folders(root) == {"other", "sub"}


def test_a_rename_can_change_only_the_case(mirror: Mirror, root: Path) -> None:
    take(mirror, write("garden/bees.md"))

    take(mirror, rename("garden/bees.md", "garden/Bees.md"), rename("garden", "Garden"))

    assert set(held(root)) == {"Garden/Bees.md"}


def test_notes_moved_to_the_trash_or_to_another_type_are_removed(
    mirror: Mirror, root: Path
) -> None:
    take(mirror, write("One.md"), write("Two.md"), write("f/Three.md"))

    take(
        mirror,
        rename("One.md", ".trash/One.md"),
        rename("Two.md", "Two.pdf"),
        rename("f", ".trash/f"),
    )

    assert held(root) == {}


def test_a_note_with_the_path_of_a_folder_is_skipped(mirror: Mirror, root: Path) -> None:
    take(mirror, write("x.md/A.md"), write("y.md"))

    for change in (
        write("x.md"),
        write("y.md/B.md"),
        rename("y.md", "x.md"),
        rename("x.md", "y.md"),
    ):
        assert "was left out" in take(mirror, change)[0]

    assert set(held(root)) == {"x.md/A.md", "y.md"}


def test_incomplete_files_of_a_crash_are_removed(mirror: Mirror, root: Path) -> None:
    take(mirror, write("A.md"))
    (root / STAGING / "half").write_text("ha", encoding="utf-8")

    again = Mirror(root)

    assert not any((root / STAGING).iterdir())
    assert list(again.files()) == ["A.md"]


@pytest.mark.parametrize("kind", ["fsync", "replace"])
def test_a_full_disk_keeps_the_old_note(
    mirror: Mirror, root: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    take(mirror, write("A.md", "before"))

    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    target = os if kind == "fsync" else Path
    with monkeypatch.context() as patched:
        patched.setattr(target, kind, full)
        with pytest.raises(VaultError, match="No space left") as refused:
            take(mirror, write("A.md", "after, and longer"))

    assert refused.value.code == "mirror_unwritable"
    assert held(root) == {"A.md": "before"}
    assert not any((root / STAGING).iterdir())
    take(mirror, write("A.md", "after, and longer"))
    assert held(root) == {"A.md": "after, and longer"}


# --- what is refused ----------------------------------------------------------------------------

OUTSIDE = [
    "../out.md",
    "a/../../out.md",
    "/etc/out.md",
    "//out.md",
    ".",
    "./a.md",
    "a/./b.md",
    "a//b.md",
    "a/",
    "",
    "nul\x00.md",
    "..",
]


@pytest.mark.parametrize("path", OUTSIDE)
@pytest.mark.parametrize("kind", ["create", "delete", "rename-from", "rename-to"])
def test_paths_outside_the_mirror_or_to_its_root_are_refused(
    mirror: Mirror, root: Path, path: str, kind: str
) -> None:
    take(mirror, write("keep.md"))
    changes = {
        "create": write(path),
        "delete": Change("delete", path),
        "rename-from": rename(path, "x.md"),
        "rename-to": rename("keep.md", path),
    }
    with pytest.raises(OutsideVaultError):
        take(mirror, write("first.md"), changes[kind])

    assert set(held(root)) == {"keep.md"}
    assert not (root.parent / "out.md").exists()


@pytest.mark.skipif(os.name != "posix", reason="links need no rights here")
def test_symbolic_links_are_not_followed(mirror: Mirror, root: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret.md").write_text("secret", encoding="utf-8")
    take(mirror, write("inside/A.md"))
    (root / "door").symlink_to(outside)
    (root / "letter.md").symlink_to(outside / "secret.md")
    (root / "nowhere.md").symlink_to(tmp_path / "new.md")
    (root / "shortcut").symlink_to(root / "inside")

    attempts = [
        write("door/secret.md", "changed"),
        write("letter.md", "changed"),
        write("nowhere.md", "changed"),
        write("shortcut/A.md", "changed"),
        Change("delete", "door"),
        Change("delete", "door/secret.md"),
        Change("delete", "letter.md"),
        Change("delete", "shortcut"),
        rename("inside/A.md", "door/A.md"),
        rename("door/secret.md", "mine.md"),
    ]
    for attempt in attempts:
        with pytest.raises(OutsideVaultError):
            take(mirror, attempt)

    assert (outside / "secret.md").read_text(encoding="utf-8") == "secret"
    assert not (tmp_path / "new.md").exists()
    assert (root / "inside/A.md").read_text(encoding="utf-8") == "text"


def test_the_error_about_an_impossible_name_names_it(mirror: Mirror, root: Path) -> None:
    long_name, long_path = "ä" * 127 + ".md", "/".join(["folder"] * 300) + ".md"
    for path in (long_name, long_path, "\ud800.md"):
        with pytest.raises(UsageError) as refused:
            take(mirror, write("first.md"), write(path))
        assert refused.value.code == "bad_name"
    assert held(root) == {}

    assert take(mirror, write("ä" * 126 + ".md")) == ()


@pytest.mark.parametrize("name", ["a:b.md", "con.md", "trail. ", "what?.md", "back\\slash.md"])
def test_names_reserved_on_windows_are_refused_there(
    mirror: Mirror, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    with monkeypatch.context() as patched:
        patched.setattr("notewell.vault.paths.os.name", "nt")
        with pytest.raises(UsageError, match="Windows"):
            mirror.check([Change("delete", f"folder/{name}")])


def test_a_batch_with_one_invalid_change_is_refused(mirror: Mirror, root: Path) -> None:
    bad = [
        Change("create", "B.md"),
        rename("a", "a/b"),
        rename("a/b", "a"),
        write("B.md", "x" * (MAX_CONTENT_BYTES + 1)),
    ]
    for change in bad:
        with pytest.raises(UsageError):
            take(mirror, write("A.md"), change)
    assert held(root) == {}


# --- in any order, any number of times ----------------------------------------------------------

NAMES = st.text(st.sampled_from("abAB éß中 ._-#"), min_size=1, max_size=8)


def _usable(name: str) -> bool:
    return not name.startswith(".") and name not in {"", "."}


NOTE_PATHS = st.lists(
    st.tuples(
        st.lists(NAMES.filter(_usable), max_size=2),
        NAMES.filter(_usable),
    ).map(lambda parts: "/".join([*(f"d{folder}" for folder in parts[0]), f"{parts[1]}.md"])),
    min_size=1,
    max_size=8,
    unique=True,
)


@contextmanager
def fresh() -> Iterator[tuple[Mirror, Path]]:
    with tempfile.TemporaryDirectory() as folder:
        yield Mirror(Path(folder) / "vault"), Path(folder) / "vault"


@settings(max_examples=60, deadline=None)
@given(paths=NOTE_PATHS, data=st.data())
def test_changes_of_distinct_paths_are_order_independent_and_idempotent(
    paths: list[str], data: st.DataObject
) -> None:
    kinds = [data.draw(st.sampled_from(["write", "rewrite", "delete", "rename"])) for _ in paths]
    changes = [
        _change(kind, path, n) for n, (kind, path) in enumerate(zip(kinds, paths, strict=True))
    ]
    start = [write(path, f"old {n}") for n, path in enumerate(paths) if kinds[n] != "write"]
    shuffled = data.draw(st.permutations(changes))
    seed = data.draw(st.integers(0, 1000))
    repeated = [change for change in shuffled for _ in range(1 + (seed + len(change.path)) % 2)]
    random.Random(seed).shuffle(repeated)

    ends = []
    for batch in (changes, shuffled, repeated, [*repeated, *shuffled]):
        with fresh() as (mirror, root):
            take(mirror, *start)
            take(mirror, *batch)
            stamps = {path: file.mtime_ns for path, file in mirror.files().items()}
            ends.append((held(root), folders(root), stamps))

    assert all(end == ends[0] for end in ends)


def _change(kind: str, path: str, number: int) -> Change:
    if kind == "delete":
        return Change("delete", path)
    if kind == "rename":
        return rename(path, f"moved/{number}.md")
    return write(path, f"new {number}", SAVED + number)


@settings(max_examples=150, deadline=None)
@given(path=st.text(max_size=40), old=st.text(max_size=40), kind=st.sampled_from("wdr"))
def test_no_path_changes_anything_outside_the_mirror(path: str, old: str, kind: str) -> None:
    change = {"w": write(path), "d": Change("delete", path), "r": rename(old, path)}[kind]
    with fresh() as (mirror, root):
        (root.parent / "outside.md").write_text("mine", encoding="utf-8")
        take(mirror, write("keep.md", "mine"))
        try:
            take(mirror, change)
        except (OutsideVaultError, UsageError):
            assert set(held(root)) == {"keep.md"}
        assert sorted(place.name for place in root.parent.iterdir()) == ["outside.md", "vault"]
        assert (root.parent / "outside.md").read_text(encoding="utf-8") == "mine"
