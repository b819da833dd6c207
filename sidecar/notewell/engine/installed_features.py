"""Finds the features of other installed packages, named by the entry point `notewell.features`.

Only folders that packages are installed into are read, never the current one or PYTHONPATH, so that
no folder of notes can name a feature. A package whose row cannot be used is left out and named.

Source: https://packaging.python.org/en/latest/specifications/entry-points/
"""

from __future__ import annotations

import os
import site
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from notewell.base.support.program import helper_folder
from notewell.base.types.frozen import frozen
from notewell.engine.feature import FEATURE_API, Feature, load

GROUP = "notewell.features"
_DIST_INFO = ".dist-info"
_FILE = "entry_points.txt"


@frozen
class InstalledFeature:
    """A feature of another package: its row, or the problem why it has none.

    `name` is that of the row, or of the entry point where there is no row; `package` and `version`
    are those of the package, as its folder of metadata is named.
    """

    name: str
    package: str
    version: str
    row: Feature | None = None
    problem: str | None = None


def package_folders() -> tuple[Path, ...]:
    """The folders that packages of this Python are installed into; in the helper, its own alone."""
    if inside := helper_folder():
        return (inside,)
    own = [site.getusersitepackages()] if site.ENABLE_USER_SITE else []
    return tuple(dict.fromkeys(map(Path, (*site.getsitepackages(), *own))))


def find_installed(
    folders: Iterable[Path], known: Sequence[Feature]
) -> tuple[InstalledFeature, ...]:
    """The features of packages in these folders, by name; `known` are those that come first."""
    named = sorted(entry for folder in folders for entry in _entries(folder))
    installed: list[InstalledFeature] = []
    rows = list(known)
    for name, place, package in named:
        project, _, version = package.partition("-")
        feature = InstalledFeature(name, project.replace("_", "-"), version)
        try:
            row = _check_row(load(place), rows)
        except Exception as error:  # noqa: BLE001 - a package of others may raise anything
            installed.append(replace(feature, problem=_problem(error)))
        else:
            rows.append(row)
            installed.append(replace(feature, name=row.name, row=row))
    return tuple(installed)


def _problem(error: Exception) -> str:
    return str(error) if isinstance(error, _RowError) else f"{type(error).__name__}: {error}"


def _entries(folder: Path) -> Iterator[tuple[str, str, str]]:
    """Name, place and package of each entry point of the group."""
    try:
        packages = [entry.name for entry in os.scandir(folder) if entry.name.endswith(_DIST_INFO)]
    except OSError:
        return
    for package in packages:
        try:
            text = (folder / package / _FILE).read_bytes()
        except OSError:
            continue
        if GROUP.encode() in text:
            for name, place in _of_group(text.decode("utf-8", "replace")):
                yield name, place, package.removesuffix(_DIST_INFO)


def _of_group(text: str) -> Iterator[tuple[str, str]]:
    inside = False
    for line in map(str.strip, text.splitlines()):
        if line.startswith("["):
            inside = line == f"[{GROUP}]"
        elif inside and line and not line.startswith(("#", ";")):
            name, _, place = line.partition("=")
            yield name.strip(), place.partition("[")[0].strip()  # extras stand in brackets


class _RowError(Exception):
    """A row that cannot be used beside the others."""


def _check_row(row: object, rows: Sequence[Feature]) -> Feature:
    """The row, if it is of this version and takes no name of another; raises _RowError."""
    if not isinstance(row, Feature):
        raise _RowError("its entry point names no Feature")
    if row.api != FEATURE_API:
        raise _RowError(
            f"it was written for version {row.api} of the API, and this is version {FEATURE_API}:"
            " upgrade the package, or Notewell"
        )
    for other in rows:
        for kind, mine, theirs in (
            ("the name", {row.name}, {other.name}),
            ("the command", {*row.command_names}, {*other.command_names}),
            ("the file", {*row.files}, {*other.files}),
            ("", {*row.provides}, {*other.provides}),
        ):
            if taken := sorted(mine & theirs):
                raise _RowError(f"{kind} {taken[0]} is that of {other.name}".strip())
    return row
