"""The history of a repository: commits, files and changes, whatever their names and its settings."""

from __future__ import annotations

from pathlib import Path

import pytest

from notewell.base.errors import SourceError
from notewell.features.history.git import GitHistory
from tests.features.history.repository import Repository, needs_git


def test_changes_are_told_newest_first_with_their_lines(tmp_path: Path) -> None:
    repository = Repository(tmp_path / "vault")
    first = repository.commit("2025-01-01", {"Bees.md": "One\nTwo\n"}, "Begin")
    second = repository.commit("2025-02-01", {"Bees.md": "One\n+Three\n"}, "Edit")
    third = repository.commit("2025-03-01", {"Bees.md": None}, "Delete")

    changes = list(GitHistory(repository.vault).changes())

    assert [(change.commit, change.subject, change.path) for change in changes] == [
        (third, "Delete", "Bees.md"),
        (second, "Edit", "Bees.md"),
        (first, "Begin", "Bees.md"),
    ]
    assert (changes[1].added, changes[1].removed) == (["+Three"], ["Two"])
    assert changes[0].removed == ["One", "+Three"]


def test_a_renamed_note_keeps_its_history(tmp_path: Path) -> None:
    repository = Repository(tmp_path / "vault")
    repository.commit("2025-01-01", {"Old.md": "A long line about bees.\n" * 9})
    repository.git("mv", "Old.md", "New.md")
    repository.commit("2025-02-01", {}, "Rename")

    paths = [change.path for change in GitHistory(repository.vault).changes("New.md")]
    assert paths[-1] == "Old.md"


@pytest.mark.parametrize(
    "name", ["Ärger und 蜂.md", 'With "quotes".md', "-dash.md", "a*b.md", "t\tb.md"]
)
def test_files_have_any_name(tmp_path: Path, name: str) -> None:
    repository = Repository(tmp_path / "repo", "My vault")
    repository.commit("2025-01-01", {name: "Bees\n"})
    history = GitHistory(repository.vault)

    files = history.files(history.head())

    assert list(files) == [name]
    assert list(history.contents(files.values())) == [b"Bees\n"]
    assert [change.added for change in history.changes(name)] == [["Bees"]]


def test_the_commit_of_a_day(tmp_path: Path) -> None:
    repository = Repository(tmp_path / "vault")
    first = repository.commit("2025-01-01", {"A.md": "1"})
    repository.commit("2025-03-01", {"A.md": "2"})
    history = GitHistory(repository.vault)

    assert history.commit_before(1_738_000_000) == first
    assert history.commit_before(1_600_000_000) is None


def test_settings_of_a_repository_run_no_program(tmp_path: Path) -> None:
    repository = Repository(tmp_path / "vault")
    trace = tmp_path / "ran"
    repository.commit("2025-01-01", {"A.md": "Bees\n", ".gitattributes": "*.md filter=x diff=x\n"})
    repository.commit("2025-02-01", {"A.md": "Wasps\n"})
    for key in (
        "filter.x.smudge", "filter.x.clean", "diff.x.textconv", "diff.x.command", "diff.external",
        "core.fsmonitor", "core.pager", "core.sshCommand", "gpg.program",
    ):  # fmt: skip
        repository.git("config", key, f"touch {trace}; cat")
    history = GitHistory(repository.vault)

    assert [change.added for change in history.changes("A.md")] == [["Wasps"], ["Bees"]]
    assert list(history.contents(history.files(history.head()).values()))[-1] == b"Wasps\n"
    assert not trace.exists()


def test_links_are_no_files(tmp_path: Path) -> None:
    repository = Repository(tmp_path / "vault")
    (repository.vault / "Link.md").symlink_to("/etc/passwd")
    repository.commit("2025-01-01", {"A.md": "Bees"})
    history = GitHistory(repository.vault)
    assert list(history.files(history.head())) == ["A.md"]


@pytest.mark.parametrize("is_empty", [True, False])
def test_a_vault_without_history_is_told(tmp_path: Path, is_empty: bool) -> None:
    needs_git()
    folder = tmp_path / "vault"
    if is_empty:
        Repository(folder)
    else:
        folder.mkdir()
    with pytest.raises(SourceError, match="no history"):
        GitHistory(folder).head()
