"""Checks of the installation that `notewell doctor` makes, and their results."""

from __future__ import annotations

import shlex
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import Literal

from notewell.base.errors import (
    ModelError,
    NotewellError,
)
from notewell.base.support import disk
from notewell.base.types import Settings
from notewell.doors.cli.models import model_folder
from notewell.engine.access import Devices
from notewell.models.catalogue import find_model

_LITTLE_SPACE = 500_000_000  # bytes

# Libraries with native code, which may be installed and still not work.
_NATIVE = ("numpy", "orjson", "tantivy", "onnxruntime", "tokenizers", "aiohttp", "pydantic")
State = Literal["ok", "warning", "failed"]


@dataclass(frozen=True, slots=True)
class Check:
    """One check and its result."""

    name: str
    state: State
    detail: str


def check_libraries() -> Check:
    """The versions of libraries with native code, or why one cannot be imported."""
    present, missing = [], []
    for name in _NATIVE:
        try:
            import_module(name)
        except ImportError as error:
            missing.append(f"{name}: {error}")
        else:
            present.append(f"{name} {version(name)}")
    if missing:
        advice = "install Notewell again: `pip install --force-reinstall .` in its source folder"
        return Check("libraries", "failed", f"{'; '.join(missing)}; {advice}")
    return Check("libraries", "ok", ", ".join([*present, f"SQLite {sqlite3.sqlite_version}"]))


def check_writable(name: str, folder: Path) -> Check:
    """Write a file: permissions alone do not show full or read-only disks."""
    there = next(place for place in (folder, *folder.parents) if place.exists())
    try:
        with tempfile.TemporaryFile(dir=there) as file:
            file.write(b"notewell")
    except OSError as error:
        advice = "choose another with --data-dir"
        return Check(name, "failed", f"{folder} cannot be written ({error}); {advice}")
    free = shutil.disk_usage(there).free
    if free < _LITTLE_SPACE:
        advice = "free some space: an index that cannot be written stays as it is"
        return Check(name, "warning", f"{folder} has only {free / 1e6:,.0f} MB free; {advice}")
    return Check(name, "ok", f"{folder}, {free / 1e9:.1f} GB free")


def check_readable_by_others(settings: Settings) -> Check | None:
    """A warning where other users of this computer can read data; None where they cannot."""
    folders = [folder for folder in (settings.data_dir, settings.state_dir) if folder.exists()]
    exposed = list(dict.fromkeys(path for folder in folders for path in disk.find_exposed(folder)))
    if not exposed:
        return None
    places = " ".join(shlex.quote(str(folder)) for folder in folders)
    return Check(
        "data directory",
        "warning",
        f"other users of this computer have permissions for {len(exposed):,} files and folders,"
        f" such as {exposed[0]}; `notewell index` and `notewell serve` close those of a vault, and"
        f" `notewell doctor --repair` (or `chmod -R go= {places}`) closes all",
    )


def check_model(settings: Settings) -> Check:
    """The configured model and its files."""
    name = settings.model.name
    spec = find_model(name)
    if spec is None:
        return Check("model", "warning", f"{name} is not in the catalogue of `models list`")
    try:
        folder = model_folder(spec, settings)  # compares the checksums of its files
    except ModelError as error:
        return Check("model", "failed", error.message)
    if folder is None:
        advice = f"`notewell models get {name}` gets it; keyword search works without"
        return Check("model", "warning", f"{name} is not on this computer; {advice}")
    return Check("model", "ok", f"{name} in {folder}")


def check_devices(settings: Settings) -> Iterator[Check]:
    """Say so where the file of the devices' tokens cannot be read."""
    try:
        Devices(settings.state_dir).all()
    except NotewellError as error:
        yield Check("devices", "failed", error.message)
