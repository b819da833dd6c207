"""The API of features: its names are pinned, documented, and what features use beside it shrinks."""

from __future__ import annotations

import ast
import importlib
import re
from collections import defaultdict
from pathlib import Path

import pytest

import notewell.api

PACKAGE = Path(notewell.api.__file__).parent
FEATURES = PACKAGE.parent / "features"
GUIDE = Path(__file__).resolve().parents[2] / "docs" / "extending.md"
MOST_MODULES, MOST_NAMES = 12, 130
# Modules of the API that are parts of a door, and the files of a feature that may import them.
OF_DOORS = {
    "notewell.api.commands": ("commands", "output"),
    "notewell.api.tools": ("commands", "tools"),
    "notewell.api.server": ("handlers",),
}
# Names of the core that each feature imports beside the API: these numbers may only fall. They rose
# once, for `notewell.contract.companions`: a feature's request that two other features send.
BESIDE = {
    "open_ends": 0,
    "bookmarks": 1,
    "writes": 1,
    "conflicts": 2,
    "bases": 2,
    "edits": 3,
    "companions": 5,
    "properties": 5,
    "archaeology": 6,
    "evidence": 10,
    "query_table": 8,
    "topics": 10,
    "runs": 10,
    "phone": 11,
    "diagnose": 11,
    "context": 13,
    "packs": 13,
    "documents": 14,
    "memory": 14,
    "devices": 16,
    "gleanings": 18,
    "graph": 19,
    "evaluate": 22,
    "history": 23,
    "sources": 26,
    "backup": 27,
    "gardener": 49,
    "ask": 50,
}
# Those of packages in packages/, which are released with Notewell and follow its insides.
BESIDE_OF_PACKAGES = {"notewell_eval": 39, "notewell_postgres": 98, "notewell_zotero": 0}


def api() -> dict[str, list[str]]:
    """The names of each module of the API."""
    found = {}
    for file in sorted(PACKAGE.glob("*.py")):
        name = "notewell.api" if file.stem == "__init__" else f"notewell.api.{file.stem}"
        found[name] = list(importlib.import_module(name).__all__)
    return found


def imports(file: Path) -> list[tuple[str, str]]:
    """(module, name) of each import from this package in a file."""
    return [
        (node.module, alias.name)
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("notewell")
        for alias in node.names
    ]


def test_it_stays_small() -> None:
    modules = api()
    assert len(modules) <= MOST_MODULES
    assert sum(map(len, modules.values())) <= MOST_NAMES


def test_each_name_is_in_one_module_and_explained_in_the_guide() -> None:
    guide = GUIDE.read_text(encoding="utf-8")
    for module, names in api().items():
        part = re.search(rf"(?ms)^### `{re.escape(module)}`\n(.*?)(?=^##|\Z)", guide)
        assert part is not None, module
        told = re.findall(r"^\| `(\w+)` \| \S.*\|$", part[1], re.MULTILINE)
        assert sorted(told) == sorted(names), module
    every = [name for names in api().values() for name in names]
    assert len(every) == len(set(every))


@pytest.mark.parametrize("module", OF_DOORS)
def test_parts_of_a_door_are_imported_by_files_that_a_door_loads(module: str) -> None:
    importing = {file.stem for file in FEATURES.rglob("*.py") if module in dict(imports(file))}
    assert importing <= set(OF_DOORS[module])


def test_what_packages_use_beside_the_api_only_shrinks() -> None:
    beside = {
        package.parent.name: {
            (module, name)
            for file in package.parent.rglob("*.py")
            for module, name in imports(file)
            if not module.startswith(("notewell.api", package.parent.name))
        }
        for package in GUIDE.parents[1].glob("packages/*/*/__init__.py")
    }
    assert {name: len(used) for name, used in beside.items()} == BESIDE_OF_PACKAGES


def test_what_features_use_beside_the_api_only_shrinks() -> None:
    beside: dict[str, set[tuple[str, str]]] = defaultdict(set)
    for file in FEATURES.rglob("*.py"):
        feature = file.relative_to(FEATURES).parts[0]
        if file.parent != FEATURES:
            beside[feature] |= {
                (module, name)
                for module, name in imports(file)
                if not module.startswith(("notewell.api", "notewell.features"))
            }
    assert {name: len(used) for name, used in beside.items()} == BESIDE
