"""Repositories that come from a stranger: nothing runs, nothing of others is shown, all is bounded."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from notewell.base.errors import NotewellError, SourceError
from notewell.base.support import interrupt
from notewell.base.support.interrupt import InterruptedWorkError
from notewell.contract.search import SearchReply, SearchRequest
from notewell.engine.engine import Engine
from notewell.features.history import git, git_child
from notewell.features.history.git import GitHistory, has_history
from notewell.features.history.requests import HistoryReply, HistoryRequest
from tests.features.history.repository import Repository
from tests.features.history.test_history import opened
from tests.tiny_model import write_tiny_model
from tests.waiting import HANG_S, until

pytestmark = pytest.mark.skipif(os.name != "posix", reason="links, pipes and owners of POSIX")
SECRET = "The code of the safe is 4711.\n"


@pytest.fixture(scope="module")
def weights(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_tiny_model(tmp_path_factory.mktemp("weights"))


@pytest.fixture
def private(tmp_path: Path) -> Repository:
    """A repository of somebody else, beside the vault."""
    made = Repository(tmp_path / "private")
    made.commit("2025-01-01", {"Safe.md": SECRET})
    return made


@pytest.fixture
def vault(tmp_path: Path) -> Repository:
    made = Repository(tmp_path / "vault")
    made.commit("2025-01-01", {"Bees.md": "Bees dance.\n"})
    made.commit("2025-02-01", {"Bees.md": "Bees sleep.\n"})
    return made


class QueryRequirements:
    """What an engine of a vault answers about its past."""

    def __init__(self, vault: Path, data: Path, weights: Path) -> None:
        self.engine: Engine = opened(vault, data, weights)

    def as_of(self, query: str, day: str = "2025-01-15") -> list[str]:
        return self._paths(SearchRequest(query, weak=True, as_of=day, mode="keyword"))

    def ever(self, query: str) -> list[str]:
        return self._paths(SearchRequest(query, weak=True, ever=True, mode="keyword"))

    def versions(self, query: str = "", path: str | None = None) -> HistoryReply:
        return self.engine.answer(HistoryRequest(query, path, 100))

    def _paths(self, request: SearchRequest) -> list[str]:
        reply: SearchReply = self.engine.search(request)
        return [result.path for result in reply.results]


@pytest.fixture
def asked(vault: Repository, tmp_path: Path, weights: Path) -> Iterator[QueryRequirements]:
    made = QueryRequirements(vault.vault, tmp_path / "data", weights)
    yield made
    made.engine.close()


def refused(vault: Path) -> str:
    """The reason for which the history of a vault is not read."""
    with pytest.raises(SourceError) as caught:
        GitHistory(vault).head()
    return caught.value.code


# --- nothing runs -----------------------------------------------------------------------------


@pytest.fixture
def old_git(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A git that does not know the variable by which newer ones fetch nothing."""
    real = shutil.which("git")
    program = tmp_path / "bin" / "git"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nunset GIT_NO_LAZY_FETCH\nexec {real} "$@"\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")


@pytest.mark.usefixtures("old_git")
def test_a_partial_clone_fetches_nothing_and_runs_nothing(
    vault: Repository, asked: QueryRequirements, tmp_path: Path
) -> None:
    trace = tmp_path / "ran"
    (blob,) = [line.split()[2] for line in vault.git("ls-tree", "HEAD~1").splitlines()]
    loose = vault.folder / ".git" / "objects" / blob[:2] / blob[2:]
    loose.unlink()
    for key, value in {
        "core.repositoryformatversion": "1",
        "extensions.partialClone": "origin",
        "remote.origin.url": "ssh://elsewhere.invalid/x",
        "remote.origin.promisor": "true",
        "core.sshCommand": f"touch {trace}; false",
        "remote.origin.uploadpack": f"touch {trace}; false",
    }.items():
        vault.git("config", key, value)
    # The trick works where git is asked as a shell would: its code is reached.
    subprocess.run(["git", "-C", vault.folder, "log", "-p"], check=False, capture_output=True)
    assert trace.exists()
    trace.unlink()

    with pytest.raises(SourceError, match="cloned in part"):
        asked.as_of("dance")
    with pytest.raises(SourceError):
        asked.versions("dance")
    assert not trace.exists()


def test_settings_of_a_repository_are_not_read(vault: Repository, asked: QueryRequirements) -> None:
    vault.git("config", "diff.noprefix", "true")
    vault.git("config", "diff.mnemonicPrefix", "true")
    vault.git("config", "include.path", "/dev/zero")
    (vault.folder / ".git" / "info" / "attributes").write_text("*.md -diff\n")
    assert asked.versions("bees").total == 2


def test_git_is_never_taken_from_the_vault(
    vault: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trace = tmp_path / "ran"
    fake = vault.folder / "git"
    fake.write_text(f"#!/bin/sh\ntouch {trace}\n")
    fake.chmod(0o755)
    monkeypatch.chdir(vault.folder)
    monkeypatch.setenv("PATH", f".:{vault.folder}::{os.environ['PATH']}")
    assert GitHistory(vault.vault).head()
    assert not trace.exists()


# --- nothing of others is shown ----------------------------------------------------------------


def test_a_file_that_names_another_repository_is_refused(
    private: Repository, tmp_path: Path
) -> None:
    stranger = tmp_path / "stranger"
    stranger.mkdir()
    for way in ("../private/.git", str(private.folder / ".git")):
        (stranger / ".git").write_text(f"gitdir: {way}\n")
        assert refused(stranger) == "history_refused"
        assert not has_history(stranger)


def test_links_to_another_repository_are_refused(private: Repository, tmp_path: Path) -> None:
    stranger = tmp_path / "stranger"
    stranger.mkdir()
    (stranger / ".git").symlink_to(private.folder / ".git")
    assert refused(stranger) == "history_refused"


@pytest.mark.parametrize("what", ["objects", "objects/pack", "objects/{}", "objects/{}/{}", "ref"])
def test_links_inside_a_repository_are_refused(
    vault: Repository, private: Repository, what: str
) -> None:
    head = private.git("rev-parse", "HEAD").strip()
    own, other = vault.folder / ".git", private.folder / ".git"
    if what == "ref":
        (branch,) = (own / "refs" / "heads").iterdir()
        branch.unlink()
        branch.symlink_to(other / "refs" / "heads" / branch.name)
    else:
        name = what.format(head[:2], head[2:])
        place = own / name
        if place.is_dir():
            shutil.rmtree(place)
        place.parent.mkdir(exist_ok=True)
        place.symlink_to(other / name)
    assert refused(vault.vault) == "history_refused"


def test_objects_of_another_repository_are_refused(vault: Repository, private: Repository) -> None:
    own, other = vault.folder / ".git", private.folder / ".git"
    info = own / "objects" / "info"
    info.mkdir(exist_ok=True)
    (info / "alternates").write_text(f"{other / 'objects'}\n")
    (own / "HEAD").write_text(private.git("rev-parse", "HEAD"))
    assert refused(vault.vault) == "history_refused"
    (info / "alternates").unlink()
    (own / "commondir").write_text(str(other))
    assert refused(vault.vault) == "history_refused"


@pytest.mark.parametrize("head", ["ref: refs/../../secret", "ref: /etc/passwd", "x", "", "ref: a"])
def test_a_head_that_leads_nowhere_has_no_history(vault: Repository, head: str) -> None:
    (vault.folder / ".git" / "HEAD").write_text(head)
    assert refused(vault.vault) == "no_history"


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="needs root")
def test_a_repository_of_another_user_is_told_with_the_way_out(
    vault: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    os.chown(vault.folder / ".git", 12_345, 12_345)
    with pytest.raises(SourceError, match=r"another user.*safe\.directory") as caught:
        GitHistory(vault.vault).head()
    assert caught.value.code == "history_refused"
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / ".gitconfig").write_text(f"[safe]\n\tdirectory = {vault.folder}\n")
    assert GitHistory(vault.vault).head()


def test_a_worktree_a_submodule_and_a_folder_of_a_repository_are_right(
    vault: Repository, tmp_path: Path
) -> None:
    vault.git("worktree", "add", "-q", str(tmp_path / "tree"), "HEAD~1")
    assert GitHistory(tmp_path / "tree").head() == vault.git("rev-parse", "HEAD~1").strip()

    outer = Repository(tmp_path / "outer", "notes")
    outer.commit("2025-01-01", {"A.md": "In a folder.\n"})
    outer.git(
        "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(vault.folder), "sub"
    )
    assert GitHistory(outer.folder / "sub").head() == vault.git("rev-parse", "HEAD").strip()
    assert [change.path for change in GitHistory(outer.vault).changes()] == ["A.md"]

    moved = tmp_path / "moved"
    shutil.copytree(vault.folder, moved)
    (moved / ".git").rename(moved / ".real-git")
    (moved / ".git").write_text("gitdir: .real-git\n")
    assert GitHistory(moved).head() == vault.git("rev-parse", "HEAD").strip()


def test_what_is_excluded_now_is_excluded_from_the_past(
    vault: Repository, tmp_path: Path, weights: Path
) -> None:
    vault.commit(
        "2025-03-01", {"Private/Diary.md": SECRET, ".hidden/A.md": SECRET, "Old/A.md": SECRET}
    )
    vault.commit("2025-04-01", {"Private/Diary.md": None, ".hidden/A.md": None, "Old/A.md": None})
    # Not in git, as people often have it.
    (vault.vault / ".obsidian").mkdir()
    (vault.vault / ".obsidian" / "app.json").write_text(
        json.dumps({"userIgnoreFilters": ["Private/"]})
    )
    (vault.vault / ".notewell.toml").write_text('[vault]\nexclude = ["Old/"]\n')
    asked = QueryRequirements(vault.vault, tmp_path / "data", weights)
    assert asked.as_of("safe", "2025-03-15") == ["Old/A.md"]  # the engine was given no such setting
    assert asked.ever("safe") == ["Old/A.md"]
    assert [version.path for version in asked.versions("safe").versions] == ["Old/A.md", "Old/A.md"]
    assert asked.versions("safe", "Private/Diary.md").total == 0
    # A rule that comes later holds for what was made before.
    (vault.vault / ".obsidian" / "app.json").write_text(
        json.dumps({"userIgnoreFilters": ["Private/", "Old/"]})
    )
    assert asked.as_of("safe", "2025-03-15") == []
    assert asked.ever("safe") == []
    asked.engine.close()


# --- all is bounded -----------------------------------------------------------------------------


def tree_of(vault: Repository, *entries: str) -> str:
    made = subprocess.run(
        ["git", "-C", vault.folder, "mktree", "--missing", "-z"],
        input="\0".join(entries) + "\0",
        text=True,
        check=True,
        capture_output=True,
    )
    return made.stdout.strip()


def commit_of(vault: Repository, tree: str, committer: str = "A <a@b> 1738400000 +0000") -> str:
    text = f"tree {tree}\nauthor A <a@b> 1738400000 +0000\ncommitter {committer}\n\nBomb\n"
    made = subprocess.run(
        ["git", "-C", vault.folder, "hash-object", "-t", "commit", "-w", "--literally", "--stdin"],
        input=text,
        text=True,
        check=True,
        capture_output=True,
    )
    commit = made.stdout.strip()
    (vault.folder / ".git" / "HEAD").write_text(commit)
    return commit


def blob_of(vault: Repository, text: str) -> str:
    (vault.folder / "blob").write_text(text)
    return vault.git("hash-object", "-w", "blob").strip()


def test_a_thousand_million_paths_are_refused(
    vault: Repository, asked: QueryRequirements, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(git, "MOST_ENTRIES", 20_000)
    blob = blob_of(vault, "x")
    tree = tree_of(vault, *(f"100644 blob {blob}\tN{n}.md" for n in range(10)))
    for _ in range(8):
        tree = tree_of(vault, *(f"040000 tree {tree}\td{n}" for n in range(10)))
    commit_of(vault, tree)
    with pytest.raises(SourceError, match="more than 20,000 files") as caught:
        asked.as_of("x", "2026-01-01")
    assert caught.value.code == "history_too_large"
    with pytest.raises(SourceError, match="more than 20,000 files"):
        asked.ever("x")


def test_a_note_too_large_is_left_out(vault: Repository, asked: QueryRequirements) -> None:
    large = "word " * 3_000_000  # 15 MB, which git packs into some kilobytes
    vault.commit("2025-03-01", {"Large.md": large, "Small.md": "A word.\n"})
    assert asked.as_of("word", "2025-03-15") == ["Small.md"]


def test_a_commit_without_a_valid_time_is_left_out_and_told(
    vault: Repository, asked: QueryRequirements
) -> None:
    blob = blob_of(vault, "Bees buzz.\n")
    for time in ("99999999999999999999", "-5", "never"):
        commit_of(vault, tree_of(vault, f"100644 blob {blob}\tBees.md"), f"A <a@b> {time} +0000")
        reply = asked.versions("buzz")
        assert (reply.total == 1) != bool(reply.warnings)


def test_names_that_no_file_has_are_left_out_and_told(
    vault: Repository, asked: QueryRequirements
) -> None:
    blob = blob_of(vault, "Bees buzz.\n")
    long = "n" * 300 + ".md"
    commit_of(vault, tree_of(vault, f"100644 blob {blob}\t{long}", f"100644 blob {blob}\tShort.md"))
    reply = asked.versions("buzz")
    assert [version.path for version in reply.versions] == ["Short.md"]
    assert "no file system keeps" in reply.warnings[0]
    assert asked.as_of("buzz", "2026-01-01") == ["Short.md"]


@pytest.mark.parametrize(
    "path",
    ["..\\..\\x.md", "C:\\x.md", "\\\\server\\share\\x.md", ".obsidian\\..\\..\\x.bat", "a:b.md"],
)
def test_no_file_of_the_past_is_written_under_its_name(
    vault: Repository, asked: QueryRequirements, tmp_path: Path, path: str
) -> None:
    blob = blob_of(vault, "Bees buzz.\n")
    commit_of(vault, tree_of(vault, f"100644 blob {blob}\t{path}"))
    before = {each for each in tmp_path.rglob("*") if "history" not in each.parts}
    asked.as_of("buzz", "2026-01-01")
    written = {each.name for each in tmp_path.rglob("*")}
    assert not any("x.md" in name or "x.bat" in name or "b.md" in name for name in written)
    assert {each for each in tmp_path.rglob("*") if "history" not in each.parts} == before


def test_pipes_in_a_repository_hold_nothing_up(vault: Repository) -> None:
    head = vault.folder / ".git" / "HEAD"
    head.unlink()
    os.mkfifo(head)
    assert refused(vault.vault) == "no_history"
    head.unlink()
    head.write_text("ref: refs/heads/x")
    os.mkfifo(vault.folder / ".git" / "objects" / "pack" / "x.pack")
    assert refused(vault.vault) == "history_refused"


# --- cancelled ----------------------------------------------------------------------------------


@pytest.fixture
def slow_git(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A git that never answers when it is to list a tree or a log; it writes its number."""
    real = shutil.which("git")
    program, numbers = tmp_path / "bin" / "git", tmp_path / "numbers"
    program.parent.mkdir()
    program.write_text(
        "#!/bin/sh\n"
        f'case "$*" in *ls-tree*|*" log "*) echo $$ >> {numbers}; exec sleep 1000;; esac\n'
        f'exec {real} "$@"\n'
    )
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")
    return numbers


def is_running(number: int) -> bool:
    try:
        os.kill(number, 0)
    except OSError:
        return False
    return True


def until_stopped(
    stop: threading.Event, ask: Callable[[], object], failed: list[NotewellError]
) -> None:
    """Ask, until `stop` is set."""
    try:
        interrupt.run_until(stop, ask)
    except NotewellError as error:
        failed.append(error)


def test_git_ends_with_the_request(slow_git: Path, asked: QueryRequirements) -> None:
    for ask in (lambda: asked.as_of("bees", "2025-03-01"), lambda: asked.versions("bees")):
        stop = threading.Event()
        failed: list[NotewellError] = []

        thread = threading.Thread(target=until_stopped, args=(stop, ask, failed))
        thread.start()
        number = int(until(lambda: slow_git.is_file() and slow_git.read_text()).split()[-1])
        stop.set()
        thread.join(HANG_S)
        assert not thread.is_alive()
        assert isinstance(failed[0], InterruptedWorkError)
        until(lambda number=number: not is_running(number))
        slow_git.unlink()


def test_git_ends_with_the_vault(
    slow_git: Path, vault: Repository, tmp_path: Path, weights: Path
) -> None:
    asked = QueryRequirements(vault.vault, tmp_path / "data", weights)
    failed: list[NotewellError] = []
    never, ask = threading.Event(), lambda: asked.as_of("bees", "2025-03-01")
    thread = threading.Thread(target=until_stopped, args=(never, ask, failed))
    thread.start()
    number = int(until(lambda: slow_git.is_file() and slow_git.read_text()).split()[-1])
    asked.engine.close()
    thread.join(HANG_S)
    assert not thread.is_alive()
    assert failed
    until(lambda: not is_running(number))


def test_git_that_takes_too_long_is_ended(
    slow_git: Path, asked: QueryRequirements, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(git_child, "SECONDS", 0.2)
    with pytest.raises(SourceError, match="took longer") as caught:
        asked.versions("bees")
    assert caught.value.code == "history_too_large"
    assert not is_running(int(slow_git.read_text()))


def test_what_a_killed_process_left_is_deleted(asked: QueryRequirements) -> None:
    history = asked.engine.vault.folder / "history"
    left = history / "making-gone-0123"
    (left / "notes").mkdir(parents=True)
    (left / "notes" / "x").touch()
    assert asked.as_of("bees", "2025-03-01") == ["Bees.md"]
    assert not left.exists()
