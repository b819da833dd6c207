"""Files and folders that are replaced together: all of them or none, whatever the disk refuses."""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from notewell.base.errors import ConfigError
from notewell.engine import switch
from notewell.engine.switch import FileMove, take_back

NAMES = ("old-folder", "new-folder", "old.json", "new.json")


def prepare(root: Path) -> list[FileMove]:
    """A folder and a file that are replaced, and one of each that was not there before."""
    (root / "staged").mkdir()
    for name in NAMES:
        for place in ("", "staged") if name.startswith("old") else ("staged",):
            file = root / place / name / "A.md" if name.endswith("folder") else root / place / name
            file.parent.mkdir(exist_ok=True)
            file.write_text(place or "before", encoding="utf-8")
    return [FileMove(root / name, root / "staged" / name, root / "aside" / name) for name in NAMES]


def shown(root: Path) -> dict[str, str]:
    return {
        file.relative_to(root).as_posix(): file.read_text(encoding="utf-8")
        for file in sorted(root.rglob("*"))
        if file.is_file()
    }


BEFORE = {"old-folder/A.md": "before", "old.json": "before"}


def refuse_after(patch: pytest.MonkeyPatch, allowed: int) -> None:
    """From now on so many files and folders can be renamed, and no more."""
    left = [allowed]

    def counted(original: Callable[..., Any]) -> Callable[..., Any]:
        def renamed(*args: Any, **named: Any) -> Any:
            left[0] -= 1
            if left[0] < 0:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            return original(*args, **named)

        return renamed

    patch.setattr(os, "rename", counted(os.rename))
    patch.setattr(os, "replace", counted(os.replace))


def test_all_are_replaced_and_the_state_before_is_kept(tmp_path: Path) -> None:
    switch.switch(tmp_path, prepare(tmp_path))

    shutil.rmtree(tmp_path / "staged")
    assert shown(tmp_path) == {
        "aside/old-folder/A.md": "before",
        "aside/old.json": "before",
        "new-folder/A.md": "staged",
        "new.json": "staged",
        "old-folder/A.md": "staged",
        "old.json": "staged",
    }


@pytest.mark.parametrize("allowed", range(14))
def test_what_a_disk_did_not_let_take_back_is_taken_back_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, allowed: int
) -> None:
    moves = prepare(tmp_path)
    with monkeypatch.context() as patch:
        refuse_after(patch, allowed)
        done = False
        with suppress(OSError, ConfigError):
            switch.switch(tmp_path, moves)
            done = True
    shutil.rmtree(tmp_path / "staged")  # as a restore that failed does

    take_back(tmp_path)
    assert not switch.is_unfinished(tmp_path)
    if not done:
        assert shown(tmp_path) == BEFORE
    assert done == (allowed >= 7)


def test_taking_back_twice_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    moves = prepare(tmp_path)
    with monkeypatch.context() as patch:
        refuse_after(patch, 4)
        with pytest.raises(ConfigError, match="tries again"):
            switch.switch(tmp_path, moves)
    assert take_back(tmp_path)
    assert not take_back(tmp_path)
    shutil.rmtree(tmp_path / "staged", ignore_errors=True)
    assert shown(tmp_path) == BEFORE
