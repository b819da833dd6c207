"""Snapshot files: loaded if they fit the index, refused if they are damaged."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from notewell.index.embedded import snapshots
from notewell.index.embedded.snapshots import Fingerprint

OF = Fingerprint("db", 7, "things")
ARRAYS = {
    "rows": np.arange(12, dtype=np.float16).reshape(3, 4),
    "ids": np.array([5, 6, 7], np.int64),
    "empty": np.empty((0, 4), np.float32),
}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    saved = tmp_path / "a.snapshot"
    snapshots.save_snapshot(saved, OF, ARRAYS)
    return saved


def test_saved_arrays_are_loaded(path: Path) -> None:
    loaded = snapshots.load_snapshot(path, OF)
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
def test_a_snapshot_of_another_generation_or_index_is_not_loaded(
    path: Path, other: Fingerprint
) -> None:
    assert snapshots.load_snapshot(path, other) is None


def test_a_snapshot_of_another_format_is_not_loaded(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(snapshots, "FORMAT", snapshots.FORMAT + 1)
    assert snapshots.load_snapshot(path, OF) is None


def test_a_missing_snapshot_is_not_loaded(tmp_path: Path) -> None:
    assert snapshots.load_snapshot(tmp_path / "none", OF) is None


def test_every_truncation_is_noticed(path: Path) -> None:
    whole = path.read_bytes()
    for length in range(0, len(whole), 7):
        path.write_bytes(whole[:length])
        assert snapshots.load_snapshot(path, OF) is None


def test_a_damaged_header_is_noticed(path: Path) -> None:
    whole = path.read_bytes()
    for at in range(60):
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 0x55]) + whole[at + 1 :])
        assert snapshots.load_snapshot(path, OF) is None


def test_every_changed_byte_is_noticed(path: Path) -> None:
    whole = path.read_bytes()
    bytes_of_arrays = 0
    for at in range(len(whole)):
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :])
        loaded = snapshots.load_snapshot(path, OF)
        if loaded is not None:  # the space between arrays
            assert all(np.array_equal(loaded[name], array) for name, array in ARRAYS.items())
        else:
            bytes_of_arrays += 1
    assert bytes_of_arrays >= sum(array.nbytes for array in ARRAYS.values())


@pytest.mark.parametrize("count", [511, 512, 513, 4096, 5000])
def test_the_checksum_covers_long_arrays_and_the_order_of_their_parts(count: int) -> None:
    words = np.random.default_rng(1).integers(0, 2**62, count, np.int64)
    before = snapshots.checksum(words)
    for at in (0, count // 2, count - 1):
        changed = words.copy()
        changed[at] ^= 1 << 40
        assert snapshots.checksum(changed) != before
    turned = np.concatenate([words[512:], words[:512]])
    assert (snapshots.checksum(turned) == before) == np.array_equal(turned, words)


@pytest.mark.parametrize("count", [511, 512, 1536, 5000])
def test_several_threads_get_the_same_checksum(count: int, monkeypatch: pytest.MonkeyPatch) -> None:
    words = np.random.default_rng(1).integers(0, 2**62, count, np.int64)
    alone = snapshots.checksum(words)
    monkeypatch.setattr(snapshots, "_SHARED_BLOCKS", 2)
    assert snapshots.checksum(words) == alone


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="reads Linux's count of pages")
def test_loading_brings_no_array_into_memory(tmp_path: Path) -> None:
    large = tmp_path / "large.snapshot"
    snapshots.save_snapshot(large, OF, {"rows": np.zeros(3_000_000, np.int64)})
    before = mapped_bytes()
    loaded = snapshots.load_snapshot(large, OF)
    assert loaded is not None
    assert mapped_bytes() - before < loaded["rows"].nbytes / 8


def mapped_bytes() -> int:
    """The pages of files that are in this process's memory."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return 1024 * int(status.partition("RssFile:")[2].split()[0])
