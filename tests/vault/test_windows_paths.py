"""Every function that makes a path of text from outside, by the rules of Windows.

`PureWindowsPath` is the oracle, on every system: what a function accepts, or makes, lies below the
folder that it is put into, and is no device.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from ntpath import normpath
from pathlib import Path, PureWindowsPath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from notewell.base.config.vault_file import folder_name
from notewell.base.errors import NotewellError
from notewell.base.support.relative_paths import is_inside
from notewell.base.types import VaultRules
from notewell.contract.fields import note_path
from notewell.features.backup.manifest import BACKUP
from notewell.features.gleanings.collect import note_path as gleaning_path
from notewell.features.history.past_notes import PastRules
from notewell.features.memory.note import note_name
from notewell.features.packs.transfer import PACK
from notewell.features.sources.pages import file_path
from notewell.vault.paths import check_name

FOLDER = PureWindowsPath("C:/Users/anna/vault")
HOSTILE = (
    *("../x.md", "..\\x.md", "a/../../x.md", "a\\..\\..\\x.md", ".obsidian/..\\..\\x.bat"),
    *(
        "C:\\x.md",
        "C:/x.md",
        "C:x.md",
        "c:",
        "Z:..\\x.md",
        "\\x.md",
        "/x.md",
        "\\\\server\\share\\x.md",
    ),
    *("//server/share/x.md", "\\\\?\\C:\\x.md", "\\\\.\\pipe\\x", "\\??\\C:\\x", "a/C:\\x.md"),
    *("CON", "con.md", "a/NUL.txt", "a\\aux", "COM1.md", "LPT9", "conin$", "com¹.md", "a/prn .md"),
    *("note.md:hidden", "note.md::$DATA", "a:b/x.md", ".. /x.md", ".. ./x.md", "a/.. \\x", "..."),
    *("x\0.md", "", ".", "..", "a//b", "a/./b", "x.md.", "x.md ", 'a"b.md', "a|b.md", "a?b", "a*b"),
)


def is_below(path: str) -> bool:
    """True if Windows finds `path` in FOLDER, and takes no part of it for a device or a stream."""
    parts = PureWindowsPath(path).parts
    # Windows drops dots and spaces at the end of a name before it looks at it.
    names = [part.rstrip(". ") for part in parts]
    leads_up = any(
        part.startswith("..") and not name for part, name in zip(parts, names, strict=True)
    )
    inside = PureWindowsPath(normpath(FOLDER / path)).is_relative_to(FOLDER)
    is_device = any(PureWindowsPath(name or "x").is_reserved() for name in names)
    return inside and not leads_up and not is_device and ":" not in path


def accepted(check: Callable[[str], object]) -> Callable[[str], str | None]:
    """A function that gives the text that a check lets pass, None for one that it refuses."""

    def result(text: str) -> str | None:
        try:
            return text if check(text) is not False else None
        except NotewellError:
            return None

    return result


def made(make: Callable[[str], str]) -> Callable[[str], str | None]:
    """A function that gives what is made of a text."""

    def result(text: str) -> str | None:
        try:
            return make(text)
        except NotewellError:
            return None

    return result


def matched(names: object) -> Callable[[str], bool]:
    return lambda text: names.fullmatch(text) is not None  # type: ignore[attr-defined]


def checked_request(path: str) -> str:
    """A path as a request gives it, and as the files of a vault are then asked for it."""
    given_path = note_path(path)
    if not is_inside(given_path, windows=True):
        raise NotewellError("refused")
    return given_path


FUNCTIONS: dict[str, Callable[[str], str | None]] = {
    "names of notes that are written": accepted(partial(check_name, windows=True)),
    "paths of files that are read": accepted(partial(is_inside, windows=True)),
    "paths in requests": made(checked_request),
    "index_dir of a vault's file": made(lambda text: folder_name(text, Path(".notewell.toml"))),
    "file names of memories": made(note_name),
    "pages of other programs": made(file_path),
    "notes of gleanings": made(lambda text: gleaning_path(file_path(text), "0123456789ab")),
    "members of a pack": accepted(matched(PACK.names)),
    "members of a backup": accepted(matched(BACKUP.names)),
}


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("text", HOSTILE)
def test_nothing_leads_out_of_its_folder_on_windows(name: str, text: str) -> None:
    path = FUNCTIONS[name](text)
    assert path is None or is_below(path), (text, path)


@pytest.mark.parametrize("name", FUNCTIONS)
@given(
    st.lists(
        st.sampled_from(
            ["..", ".", "/", "\\", ":", "C:", "con", " ", "a", "nul.md", "?", "$", "~"]
        ),
        max_size=8,
    ).map("".join)
)
def test_made_up_paths_do_not_either(name: str, text: str) -> None:
    path = FUNCTIONS[name](text)
    assert path is None or is_below(path), (text, path)


@pytest.mark.parametrize(
    "path", ["Note.md", "Garden/Bees.md", "2026-01-01.md", "Über uns/蜂.md", ".obsidian/app.json"]
)
def test_usual_paths_are_accepted(path: str) -> None:
    check_name(path, windows=True)
    assert is_inside(path, windows=True)
    assert note_path(path) == path


def test_the_past_leaves_out_what_no_system_keeps(tmp_path: Path) -> None:
    rules = PastRules(tmp_path, VaultRules())
    assert not rules.reads("../x.md")
    assert not rules.reads("a/../../x.md")
    assert not rules.reads("x\0.md")
    assert not rules.reads("/x.md")
