"""The source of the notes that assistants may see."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from notewell.base.errors import ConfigError, UnreadableNoteError
from notewell.base.types import AssistantRules, VaultRecord, VaultRules
from notewell.vault.shown_source import ShownSource
from notewell.vault.sources import source_of


def shown(root: Path, *exclude: str, tags: tuple[str, ...] = ()) -> ShownSource:
    rules = AssistantRules(exclude=exclude, exclude_tags=tags)
    return ShownSource(source_of(VaultRecord("v", "v", root), VaultRules()), root, rules)


def listed(source: ShownSource) -> set[str]:
    return {file.path for file in source.list().files}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return Path(os.path.realpath(tmp_path))


@pytest.fixture
def write(root: Path) -> Callable[[str, str | bytes], None]:
    def put(path: str, text: str | bytes = "Text.") -> None:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(text.encode() if isinstance(text, str) else text)

    return put


def test_a_glob_hides_whatever_its_case_and_what_links_lead_to(
    root: Path, write: Callable[..., None]
) -> None:
    for path in ("Open.md", "Private/A.md", "deep/PRIVATE/B.md", "Öffentlich/ÄRZTE.md"):
        write(path)
    (root / "Way.md").symlink_to(root / "Private/A.md")
    (root / "Door").symlink_to(root / "Private")
    assert listed(shown(root, "private/", "öffentlich/ärzte.md")) == {"Open.md"}
    assert listed(shown(root, "private/**")) == {
        "Open.md",
        "deep/PRIVATE/B.md",
        "Öffentlich/ÄRZTE.md",
    }


@pytest.mark.parametrize(
    "properties",
    [
        "assistants: false",
        "assistants: no",
        "Assistants: False",
        'ASSISTANTS: "false"',
        '"assistants": off',
        "assistants: 0",
        "assistants: [false]",
        "tags: [Diary]",
        "tags: diary/2026",
        "tag: '#DIARY'",
    ],
)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_a_note_hides_itself(
    root: Path, write: Callable[..., None], properties: str, encoding: str
) -> None:
    write("A.md", f"---\n{properties}\n---\nText.\n".encode(encoding))
    write("B.md", "---\nassistants: true\ntags: [diaries]\n---\nAbout assistants: false.\n")
    source = shown(root, tags=("#diary",))
    assert listed(source) == {"B.md"}
    with pytest.raises(UnreadableNoteError, match=r"A\.md is not in the vault\.") as error:
        source.stamp("A.md")
    assert error.value.code == "vanished"


def test_a_tag_in_the_text_hides_and_code_does_not(root: Path, write: Callable[..., None]) -> None:
    write("A.md", "A day. #diary\n")
    write("B.md", "`#diary`\n\n```\n#diary\n```\n")
    assert listed(shown(root, tags=("diary",))) == {"B.md"}


def test_a_note_that_is_marked_later_is_not_read(root: Path, write: Callable[..., None]) -> None:
    write("A.md", "Text.")
    source = shown(root)
    stamp = source.stamp("A.md")
    write("A.md", "---\nassistants: false\n---\nText.")
    for ask in (source.read, source.content_hash):
        with pytest.raises(UnreadableNoteError):
            ask(source.stamp("A.md"))
    with pytest.raises(UnreadableNoteError):
        source.read(stamp)


def test_what_is_hidden_is_answered_as_what_is_missing(
    root: Path, write: Callable[..., None]
) -> None:
    write("Private/A.md")
    write("Open/.hidden.md")
    source = shown(root, "private/**")
    walk = source.list()
    assert (walk.excluded, walk.others, walk.warnings) == ((), (), ())
    for path in ("Private/A.md", "Private/B.md", "Private"):
        assert source.excluded(path) is None
        with pytest.raises(UnreadableNoteError) as error:
            source.stamp(path)
        assert error.value.code == "vanished"
    assert not source.is_shown("Private/B.md")
    assert source.is_shown("Open/New.md")


def test_a_conflict_copy_of_a_hidden_note_is_hidden(root: Path, write: Callable[..., None]) -> None:
    write("A.md", "---\nassistants: false\n---\nOne.")
    write("A (conflicted copy 2026-11-01).md", "---\nassistants: false\n---\nTwo.")
    write("B.md", "One.")
    write("B (conflicted copy 2026-11-01).md", "---\nassistants: false\n---\nTwo.")
    files = shown(root).list().files
    assert [(file.path, file.copies) for file in files] == [("B.md", ())]


def test_a_glob_that_is_no_glob_is_refused(root: Path) -> None:
    with pytest.raises(ConfigError, match="assistants see nothing"):
        shown(root, "!")


@given(st.text(st.characters(blacklist_categories=("Cs",)), max_size=200))
def test_no_text_below_the_mark_shows_a_note(
    tmp_path_factory: pytest.TempPathFactory, text: str
) -> None:
    root = Path(os.path.realpath(tmp_path_factory.mktemp("v")))
    (root / "A.md").write_text(f"---\nassistants: false\n---\n{text}", encoding="utf-8")
    assert listed(shown(root)) == set()
