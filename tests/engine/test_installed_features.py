"""Features of other packages: found by their entry points, checked, and left out where they fail."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from notewell.base.types import FeatureRules, Settings
from notewell.engine.feature import FEATURE_API, Feature, switched_on
from notewell.engine.installed_features import find_installed, package_folders
from notewell.features import BUILT_IN, FEATURES
from tests.vaults import settings_in

ROW = "from notewell.engine.feature import Feature\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder of installed packages; what is imported of it is forgotten afterwards."""
    monkeypatch.syspath_prepend(tmp_path)
    before = set(sys.modules)
    yield tmp_path
    for name in set(sys.modules) - before:
        del sys.modules[name]


def install(folder: Path, module: str, code: str, *, entry: str | None = None) -> None:
    """Put a module and the metadata of its package into a folder, as pip does."""
    (folder / f"{module}.py").write_text(code, encoding="utf-8")
    metadata = folder / f"{module}-1.2.dist-info"
    metadata.mkdir()
    entry = f"{module} = {module}:ROW" if entry is None else entry
    text = f"[console_scripts]\nother = {module}:main\n\n[notewell.features]\n{entry}\n\n[x]\na = b:c\n"
    (metadata / "entry_points.txt").write_text(text, encoding="utf-8")


def test_a_row_is_found_with_its_package_and_version(folder: Path) -> None:
    install(folder, "counting_words", ROW + 'ROW = Feature("count", commands={})')

    (found,) = find_installed([folder], BUILT_IN)

    assert (found.name, found.package, found.version) == ("count", "counting-words", "1.2")
    assert found.row == Feature("count")
    assert found.problem is None


@pytest.mark.parametrize(
    ("code", "why"),
    [
        ("import no_such_module", "No module named 'no_such_module'"),
        ("raise SystemError('no')", "SystemError: no"),
        ("def", "SyntaxError"),
        ("ROW = 3", "names no Feature"),
        ("", "has no attribute 'ROW'"),
        (ROW + "ROW = Feature('f', hooks=())", "unexpected keyword argument 'hooks'"),
        (ROW + f"ROW = Feature('f', api={FEATURE_API + 1})", "was written for version 2"),
        (ROW + "ROW = Feature('gardener')", "the name gardener is that of gardener"),
        (ROW + "ROW = Feature('f', commands={'C': {'ask': 'm:f'}})", "the command ask is that of"),
        (ROW + "ROW = Feature('f', files=('garden.json',))", "the file garden.json is that of"),
        (ROW + "ROW = Feature('f', provides={'search:llm': ''})", "search:llm is that of ask"),
    ],
)
def test_a_package_that_cannot_be_used_is_left_out_with_the_reason(
    folder: Path, code: str, why: str
) -> None:
    install(folder, "broken_one", code)
    install(folder, "whole_one", ROW + 'ROW = Feature("whole")')

    broken, whole = find_installed([folder], BUILT_IN)

    assert broken.row is None
    assert why in (broken.problem or "")
    assert whole.row == Feature("whole")


def test_of_two_packages_with_one_name_the_first_counts(folder: Path) -> None:
    install(folder, "one", ROW + 'ROW = Feature("same")')
    install(folder, "two", ROW + 'ROW = Feature("same")')

    first, second = find_installed([folder], BUILT_IN)

    assert (first.package, first.problem) == ("one", None)
    assert second.problem == "the name same is that of same"


def test_entries_of_other_groups_and_damaged_files_are_no_features(folder: Path) -> None:
    install(folder, "quiet", "", entry="# nothing")
    (folder / "bad-1.dist-info").mkdir()
    (folder / "bad-1.dist-info" / "entry_points.txt").write_bytes(b"\xff[notewell.features\n=\n")

    assert find_installed([folder, folder / "not there"], BUILT_IN) == ()


def test_no_folder_of_notes_is_among_those_that_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))

    assert package_folders()
    assert tmp_path not in {folder.resolve() for folder in package_folders()}


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return settings_in(tmp_path)


def test_a_setting_switches_features_off_but_not_the_requests_of_the_core(
    settings: Settings,
) -> None:
    assert switched_on(FEATURES, settings) is FEATURES
    names = ("garden", "vaults", "gardener", "memory")
    some = replace(settings, features=FeatureRules(off=names))

    on = {feature.name for feature in switched_on(FEATURES, some)}

    assert {feature.name for feature in FEATURES} - on == {"gardener", "memory"}
