from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from notewell.base.support import disk

pytestmark = pytest.mark.skipif(os.name != "posix", reason="permissions as POSIX has them")


@pytest.fixture(autouse=True)
def usual_umask() -> Iterator[None]:
    before = os.umask(0o022)
    yield
    os.umask(before)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_folders_and_files_are_private_from_the_start(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    disk.make_folder(tmp_path / "a" / "b")
    disk.make_file(tmp_path / "a" / "file")
    with disk.open_private(tmp_path / "a" / "stream") as stream:
        assert mode(Path(stream.name)) == 0o600
    assert mode(tmp_path / "a") == mode(tmp_path / "a" / "b") == 0o700
    assert mode(tmp_path / "a" / "file") == 0o600
    assert mode(tmp_path) == 0o755  # it was there before


def test_what_is_open_to_others_is_found_and_closed(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.write_text("of somebody else")
    root = tmp_path / "root"
    root.mkdir(mode=0o755)
    (root / "open").write_text("x")
    (root / "link").symlink_to(outside)
    disk.make_file(root / "closed")
    assert set(disk.find_exposed(root)) == {root, root / "open"}

    disk.restrict_all(root)

    assert list(disk.find_exposed(root)) == []
    assert (mode(root), mode(root / "open")) == (0o700, 0o600)
    assert mode(outside) == 0o644


def test_a_folder_for_all_users_stays_as_it_is(tmp_path: Path) -> None:
    shared = tmp_path / "shared"
    shared.mkdir()
    shared.chmod(0o1777)
    disk.restrict(shared)
    assert mode(shared) == 0o777 | stat.S_ISVTX


def test_a_file_in_the_way_of_a_folder_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("x")
    with pytest.raises(OSError, match="a"):
        disk.make_folder(tmp_path / "a" / "b")
