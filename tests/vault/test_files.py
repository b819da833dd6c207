"""The walk finds every note once and says why others are excluded; reading stays in the vault."""

from __future__ import annotations

import hashlib
import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from notewell.base.errors import OutsideVaultError, UnreadableNoteError, VaultError
from notewell.base.types import FileRef, VaultRules, Walk, WalkWarning
from notewell.vault import files, walker

posix = pytest.mark.skipif(sys.platform == "win32", reason="needs links without privileges")
Write = Callable[..., Path]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "vault"
    folder.mkdir()
    return folder


@pytest.fixture
def write(root: Path) -> Write:
    def put(path: str, content: str | bytes = "text") -> Path:
        place = root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content.encode() if isinstance(content, str) else content)
        return place

    return put


def walk(root: Path, **rules: tuple[str, ...]) -> Walk:
    return walker.walk(root, VaultRules(**rules))


def paths(found: Walk) -> list[str]:
    return [file.path for file in found.files]


def excluded(found: Walk) -> dict[str, str]:
    return {item.file.path: item.rule for item in found.excluded}


# --- walk ---------------------------------------------------------------------------------------


def test_the_walk_lists_only_notes_sorted(root: Path, write: Write) -> None:
    for path in ("b.md", "a/z.md", "a/A.MD", "img.png", "notes.html", "Board.excalidraw.md"):
        write(path)
    found = walk(root)
    assert paths(found) == ["Board.excalidraw.md", "a/A.MD", "a/z.md", "b.md"]
    assert found.excluded == ()
    assert found.files[0].size == 4


def test_what_obsidian_hides_is_not_listed_at_all(root: Path, write: Write) -> None:
    for path in (".obsidian/x.md", ".trash/y.md", ".git/z.md", "node_modules/r.md", "a/.n.md"):
        write(path)
    assert walk(root) == Walk((), ())


def test_excluded_notes_are_listed_with_their_rule(root: Path, write: Write) -> None:
    write(".obsidian/app.json", '{"userIgnoreFilters": ["Templates/"]}')
    for path in ("Templates/t.md", "Archive/a.md", "keep.md"):
        write(path)
    found = walk(root, exclude=("Archive/",))
    assert paths(found) == ["keep.md"]
    assert excluded(found) == {"Templates/t.md": "user_ignore", "Archive/a.md": "exclude"}


def test_an_empty_vault_is_not_an_error(root: Path) -> None:
    assert walk(root) == Walk((), ())


def test_a_missing_vault_or_a_file_is_an_error(root: Path, write: Write) -> None:
    with pytest.raises(VaultError, match="cannot be read"):
        walk(root / "missing")
    with pytest.raises(VaultError, match="cannot be read"):
        walk(write("a.md"))


@pytest.mark.parametrize("name", ["a#b^c[d]|e.md", "🎉 party.md", "dots...md", "  spaces .md"])
def test_unusual_names_are_unchanged(root: Path, write: Write, name: str) -> None:
    write(name)
    found = walk(root)
    assert paths(found) == [name]
    assert files.read(found.files[0], max_bytes=100).text == "text"


@posix
def test_keys_are_nfc_and_the_disk_spelling_is_kept(root: Path, write: Write) -> None:
    write("Cafe\u0301/Ra\u0308tsel.md")
    found = walk(root)
    assert paths(found) == ["Caf\u00e9/R\u00e4tsel.md"]
    assert files.read(found.files[0], max_bytes=100).text == "text"


@pytest.mark.skipif(sys.platform != "linux", reason="needs a file system that keeps both names")
def test_of_two_names_that_differ_only_in_unicode_form_the_nfc_one_wins(
    root: Path, write: Write
) -> None:
    write("caf\u00e9.md", "composed")
    write("cafe\u0301.md", "decomposed")
    found = walk(root)
    assert [files.read(file, max_bytes=100).text for file in found.files] == ["composed"]
    assert excluded(found) == {"cafe\u0301.md": "duplicate_name"}


@pytest.mark.skipif(sys.platform != "linux", reason="other systems refuse such names")
def test_a_name_that_is_not_utf8_is_excluded_and_can_be_printed(root: Path) -> None:
    with open(os.fsencode(root) + b"/bad\xff.md", "wb") as handle:  # noqa: PTH123 - a bytes path
        handle.write(b"x")
    found = walk(root)
    assert excluded(found) == {"bad\\xff.md": "bad_name"}


@posix
def test_links_inside_are_followed_once_and_loops_end(root: Path, write: Write) -> None:
    write("a/n.md")
    write(".store/hidden.md")
    (root / "a" / "loop").symlink_to(root / "a")
    (root / "a" / "up").symlink_to(root)
    (root / "linked").symlink_to(root / ".store")
    (root / "again").symlink_to(root / ".store")
    found = walk(root)
    assert paths(found)[0] == "a/n.md"
    assert len(found.files) == 2
    assert paths(found)[1] in ("linked/hidden.md", "again/hidden.md")
    assert len(found.warnings) == 3
    for looped in ("a/loop/n.md", "a/up/a/n.md"):
        assert walker.decide(root, VaultRules(), looped) is not None, looped
    assert walker.decide(root, VaultRules(), "linked/hidden.md") is None


@posix
def test_links_out_of_the_vault_are_refused(root: Path, write: Write, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret.md").write_text("secret")
    (root / "out.md").symlink_to(outside / "secret.md")
    (root / "folder").symlink_to(outside)
    (root / "dangling.md").symlink_to(root / "nowhere.md")
    write("in.md")
    found = walk(root)
    assert paths(found) == ["in.md"]
    assert excluded(found) == {"out.md": "symlink_outside"}
    left = WalkWarning("folder", " is a link out of the vault; it is not followed.")
    assert left in found.warnings
    with pytest.raises(OutsideVaultError):
        files.contain_path(root, "folder/secret.md")


def test_files_deleted_during_the_walk_are_missing(
    root: Path, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    for path in ("a.md", "b.md", "folder/c.md"):
        write(path)

    def vanish(name: str) -> bool:
        if name == "b.md":
            (root / "b.md").unlink()
            shutil.rmtree(root / "folder")
        return False

    monkeypatch.setattr("notewell.vault.walker.is_hidden", vanish)
    found = walk(root)
    assert paths(found) == ["a.md"]
    assert (found.unread, found.warnings) == ((), ())


@posix
def test_a_dangling_symlink_is_reported_as_unread(root: Path) -> None:
    (root / "dangling.md").symlink_to(root / "nowhere.md")
    assert walk(root).unread == ("dangling.md",)


@posix
@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_pipe_is_skipped_without_waiting(root: Path) -> None:
    os.mkfifo(root / "pipe.md")
    assert walk(root).files == ()
    status = (root / "pipe.md").stat()
    with pytest.raises(UnreadableNoteError) as caught:
        files.read(FileRef("pipe.md", root / "pipe.md", status.st_size, 0), max_bytes=10)
    assert caught.value.code == "unreadable"


@posix
@pytest.mark.skipif(hasattr(os, "geteuid") and os.geteuid() == 0, reason="root reads everything")
def test_an_unreadable_folder_is_a_warning_and_the_rest_goes_on(root: Path, write: Write) -> None:
    write("closed/a.md")
    write("open/b.md")
    (root / "closed").chmod(0)
    try:
        found = walk(root)
    finally:
        (root / "closed").chmod(0o700)
    assert paths(found) == ["open/b.md"]
    assert found.warnings[0].name == "closed"


# --- read ---------------------------------------------------------------------------------------


def test_reading_gives_text_encoding_and_the_hash_of_the_bytes(root: Path, write: Write) -> None:
    raw = b"\xef\xbb\xbfline one\r\nline two"
    write("n.md", raw)
    source = files.read(files.stat(root, "n.md"), max_bytes=100)
    assert source.text == "line one\r\nline two"
    assert source.content_hash == hashlib.blake2b(raw, digest_size=16).digest()


@pytest.mark.parametrize(("content", "code"), [(b"a\x00b", "binary"), (b"x" * 101, "too_large")])
def test_a_file_that_is_not_a_note_has_a_reason(
    root: Path, write: Write, content: bytes, code: str
) -> None:
    write("n.md", content)
    with pytest.raises(UnreadableNoteError) as caught:
        files.read(files.stat(root, "n.md"), max_bytes=100)
    assert caught.value.code == code
    assert "n.md" in caught.value.message


def test_a_note_that_was_deleted_meanwhile_is_an_error(root: Path, write: Write) -> None:
    place = write("n.md")
    file = files.stat(root, "n.md")
    place.unlink()
    for attempt in (lambda: files.read(file, max_bytes=9), lambda: files.stat(root, "n.md")):
        with pytest.raises(UnreadableNoteError) as caught:
            attempt()
        assert caught.value.code == "vanished"


@posix
def test_a_link_swapped_in_after_the_walk_is_not_followed(
    root: Path, write: Write, tmp_path: Path
) -> None:
    (tmp_path / "secret.md").write_text("secret")
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "b.md").write_text("secret")
    write("a.md")
    write("folder/b.md")
    found = walk(root)
    (root / "a.md").unlink()
    (root / "a.md").symlink_to(tmp_path / "secret.md")
    (root / "folder" / "b.md").unlink()
    (root / "folder").rmdir()
    (root / "folder").symlink_to(tmp_path / "elsewhere")
    for file in found.files:
        with pytest.raises(UnreadableNoteError) as caught:
            files.read(file, max_bytes=100)
        assert caught.value.code == "unreadable"


# --- contained, decide --------------------------------------------------------------------------


@pytest.mark.parametrize("path", ["../x.md", "a/../../x.md", "/etc/passwd", "", "a/\x00.md", ".."])
def test_paths_that_leave_the_vault_are_refused(root: Path, path: str) -> None:
    with pytest.raises(OutsideVaultError):
        files.contain_path(root, path)
    with pytest.raises(OutsideVaultError):
        walker.decide(root, VaultRules(), path)


def test_a_contained_path_need_not_exist(root: Path) -> None:
    assert (
        files.contain_path(root, "new/note.md") == Path(os.path.realpath(root)) / "new" / "note.md"
    )


@posix
def test_an_nfc_path_finds_the_name_a_mac_wrote(root: Path, write: Write) -> None:
    write("Cafe\u0301/Ra\u0308tsel.md", "found")
    file = files.stat(root, "Caf\u00e9/R\u00e4tsel.md")
    assert files.read(file, max_bytes=100).text == "found"


@pytest.mark.parametrize(
    ("path", "rule"),
    [
        ("note.md", None),
        (".trash/note.md", "hidden"),
        ("a/node_modules/x.md", "hidden"),
        ("image.png", "file_type"),
        ("Archive/x.md", "exclude"),
    ],
)
def test_decide_names_the_rule_for_a_path(root: Path, path: str, rule: str | None) -> None:
    decision = walker.decide(root, VaultRules(exclude=("Archive/",)), path)
    assert (decision[0] if decision else None) == rule


def test_a_name_too_long_for_any_disk_is_that_of_no_file(tmp_path: Path) -> None:
    for path in ("a" * 300 + ".md", "ä" * 300 + ".md", "f" * 300 + "/a.md"):
        assert not walker.is_folder(tmp_path, path)
        assert walker.decide(tmp_path, VaultRules(), path) is None
        with pytest.raises(UnreadableNoteError) as raised:
            files.stat(tmp_path, path)
        assert raised.value.code == "vanished"


@pytest.mark.skipif(os.name != "posix", reason="symbolic links need rights elsewhere")
@pytest.mark.parametrize("bad", ["link.md", "away/a.md", "in/../../a.md", "/etc/passwd", "ün.md"])
def test_of_many_paths_each_that_leads_out_is_refused(tmp_path: Path, bad: str) -> None:
    vault = tmp_path / "vault"
    (vault / "in").mkdir(parents=True)
    (tmp_path / "out").mkdir()
    (vault / "away").symlink_to(tmp_path / "out")
    for name in ("link.md", "ün.md"):
        (vault / name).symlink_to(tmp_path / "secret.md")
    files.check_contained(vault, ["in/a.md", "b.md", "new/c.md"])
    with pytest.raises(OutsideVaultError):
        files.check_contained(vault, ["in/a.md", bad, "b.md"])
