"""Fixtures for every room: where the shared data is, unpacked on first use."""

from __future__ import annotations

import os
import tarfile
from collections.abc import Callable
from pathlib import Path

import pytest

# The tests that take longest go first, so that at the end no core waits for one of them alone.
LONGEST = ("tests/stress/", "tests/vault/test_edit_properties.py")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run the longest files first; otherwise the order stays."""
    items.sort(key=lambda item: not item.nodeid.startswith(LONGEST))


@pytest.fixture(scope="session")
def shared_data(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Return a function from the name of a data set to its unpacked folder.

    The name is the archive's without `vault-` or `ir-`, or that of the folder inside. Archives are
    looked for where NOTEWELL_TEST_DATA says, else in shared/data beside the repository; the
    calling test is skipped where they are not.
    """
    root = Path(__file__).resolve().parents[1]
    source = Path(os.environ.get("NOTEWELL_TEST_DATA") or root.parent / "shared" / "data")
    unpacked: dict[str, Path] = {}

    def folder(name: str) -> Path:
        if name not in unpacked:
            archive = _archive(source, name)
            if archive is None:
                pytest.skip(f"the shared data set {name} is not in {source}")
            target = tmp_path_factory.mktemp("shared-data")
            with tarfile.open(archive) as packed:
                packed.extractall(target, filter="data")
            inside = list(target.iterdir())
            unpacked[name] = inside[0] if len(inside) == 1 else target
        return unpacked[name]

    return folder


def _archive(source: Path, name: str) -> Path | None:
    """Find the archive of a data set: the same name first, else one of the two starts the other."""
    found = {
        path.name.removesuffix(".tar.gz").removeprefix("vault-").removeprefix("ir-"): path
        for path in sorted(source.glob("*.tar.gz"))
    }
    near = (stem for stem in found if stem.startswith(name) or name.startswith(stem))
    stem = name if name in found else next(near, None)
    return found[stem] if stem else None
