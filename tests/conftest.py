"""Fixtures for every room: where the shared data is, unpacked on first use."""

from __future__ import annotations

import os
import tarfile
from collections.abc import Callable
from pathlib import Path

import pytest

_PREFIXES = ("vault-", "ir-", "")


@pytest.fixture(scope="session")
def shared_data(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Return a function from the name of a data set to its unpacked folder.

    The archives are looked for where RECOLLECT_TEST_DATA says, else beside the repository in
    shared/data. The calling test is skipped where they are not.
    """
    root = Path(__file__).resolve().parents[1]
    source = Path(os.environ.get("RECOLLECT_TEST_DATA") or root.parent / "shared" / "data")
    unpacked: dict[str, Path] = {}

    def folder(name: str) -> Path:
        if name not in unpacked:
            archives = [source / f"{prefix}{name}.tar.gz" for prefix in _PREFIXES]
            archive = next((path for path in archives if path.is_file()), None)
            if archive is None:
                pytest.skip(f"the shared data set {name} is not in {source}")
            target = tmp_path_factory.mktemp("shared-data")
            with tarfile.open(archive) as packed:
                packed.extractall(target, filter="data")
            inner = target / name
            unpacked[name] = inner if inner.is_dir() else target
        return unpacked[name]

    return folder
