from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from notewell.index.embedded import directory
from notewell.index.embedded.directory import Fingerprint

OF = Fingerprint("db", 7, "things")
ARRAYS = {
    "rows": np.arange(12, dtype=np.float16).reshape(3, 4),
    "ids": np.array([5, 6, 7], np.int64),
    "empty": np.empty((0, 4), np.float32),
}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    saved = tmp_path / "a.snapshot"
    directory.save_snapshot(saved, OF, ARRAYS)
    return saved


def test_what_was_saved_is_loaded(path: Path) -> None:
    loaded = directory.load_snapshot(path, OF)
    assert loaded is not None
    for name, array in ARRAYS.items():
        assert loaded[name].dtype == array.dtype
        assert np.array_equal(loaded[name], array)
    assert not loaded["rows"].flags.writeable
    assert list(path.parent.iterdir()) == [path]


@pytest.mark.parametrize(
    "other",
    [
        Fingerprint("db2", 7, "things"),
        Fingerprint("db", 8, "things"),
        Fingerprint("db", 7, "others"),
    ],
)
def test_one_of_another_time_or_place_is_not_loaded(path: Path, other: Fingerprint) -> None:
    assert directory.load_snapshot(path, other) is None


def test_one_of_another_format_is_not_loaded(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(directory, "FORMAT", directory.FORMAT + 1)
    assert directory.load_snapshot(path, OF) is None


def test_a_missing_one_is_not_loaded(tmp_path: Path) -> None:
    assert directory.load_snapshot(tmp_path / "none", OF) is None


def test_every_truncation_is_noticed(path: Path) -> None:
    whole = path.read_bytes()
    for length in range(0, len(whole), 7):
        path.write_bytes(whole[:length])
        assert directory.load_snapshot(path, OF) is None


def test_a_damaged_header_is_noticed(path: Path) -> None:
    whole = path.read_bytes()
    for at in range(60):
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 0x55]) + whole[at + 1 :])
        assert directory.load_snapshot(path, OF) is None
