"""Files that are either complete or absent."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import BinaryIO

import pytest

from notewell.base.support import disk


def mode(file: Path) -> int:
    return stat.S_IMODE(file.stat().st_mode)


def test_a_file_is_created_with_its_folder_and_replaced(tmp_path: Path) -> None:
    file = tmp_path / "new" / "kept.json"
    disk.replace(file, b"one")
    disk.replace(file, b"two", durable=True)

    assert file.read_bytes() == b"two"
    assert list(file.parent.iterdir()) == [file]


@pytest.mark.skipif(os.name != "posix", reason="modes are POSIX's")
def test_a_file_is_private_from_creation_unless_shared(tmp_path: Path) -> None:
    with disk.replacing(tmp_path / "token") as stream:
        stream.write(b"secret")
        assert mode(Path(stream.name)) == 0o600
    assert mode(tmp_path / "token") == 0o600

    before = os.umask(0o022)
    try:
        disk.replace(tmp_path / "model", b"", mode=disk.SHARED)
    finally:
        os.umask(before)
    assert mode(tmp_path / "model") == 0o644


@pytest.mark.parametrize("stop", [OSError, KeyboardInterrupt])
def test_a_failed_write_changes_nothing_and_leaves_no_files(
    tmp_path: Path, stop: type[BaseException]
) -> None:
    file = tmp_path / "kept.json"
    file.write_bytes(b"one")

    def half(stream: BinaryIO) -> None:
        stream.write(b"half of t")
        raise stop

    with pytest.raises(stop), disk.replacing(file) as stream:
        half(stream)

    assert file.read_bytes() == b"one"
    assert list(tmp_path.iterdir()) == [file]


def test_readers_see_the_old_content_until_the_end(tmp_path: Path) -> None:
    file = tmp_path / "kept.json"
    file.write_bytes(b"one")
    with disk.replacing(file) as stream:
        stream.write(b"two")
        stream.flush()
        assert file.read_bytes() == b"one"
    assert file.read_bytes() == b"two"
