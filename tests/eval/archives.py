"""Finds the data, unpacking an archive once, and makes settings apart from the user's."""

from __future__ import annotations

import hashlib
import os
import sys
from dataclasses import replace
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[2]))  # to import modules of the tests

from notewell.base.config import load_settings
from notewell.base.types import ModelRules, SearchRules, Settings, VaultRules
from tests.unpacking import unpack


def locate(data: Path, archive: str, folder: str, work: Path) -> Path | None:
    """The unpacked folder, in the data folder itself or unpacked from its archive to `work`."""
    if (data / folder).is_dir():
        return data / folder
    packed = data / f"{archive}.tar.gz"
    if not packed.is_file():
        return None
    with packed.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()[:12]
    target = work / "sets" / f"{archive}-{digest}"
    if not target.is_dir():
        unfinished = target.with_name(f"{target.name}.{os.getpid()}")
        unpack(packed, unfinished)
        unfinished.rename(target)
    return target / folder


def own_settings(folder: str, model: str) -> Settings:
    """Default settings with a model instead of the user's, in a folder apart from the user's vaults."""
    settings = load_settings(environ=os.environ)
    place = settings.data_dir / folder
    return replace(
        settings,
        data_dir=place,
        state_dir=place / "state",
        vault=VaultRules(),
        search=SearchRules(),
        model=replace(ModelRules(), name=model),
    )
