"""Weights come from the first source that has them intact, and enter the cache complete."""

import json
import os
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from notewell.base.errors import ModelUnavailableError
from notewell.models.catalogue import ModelSpec, PinnedFile
from notewell.models.fetch import cache_folder, fetch, locate
from tests.models.conftest import FILES
from tests.models.loopback import Hub, nobody, serving
from tests.waiting import PROCESS_S


@pytest.fixture
def said() -> list[str]:
    return []


@pytest.fixture
def model_dir(tmp_path: Path) -> Path:
    return tmp_path / "models"


@pytest.fixture
def damaged(tiny_folder: Path, tmp_path: Path) -> Path:
    folder = Path(shutil.copytree(tiny_folder, tmp_path / "damaged"))
    with (folder / "model.safetensors").open("r+b") as file:
        file.seek(5000)
        file.write(b"\xff")
    return folder


def _leftovers(model_dir: Path) -> list[str]:
    return [path.name for path in model_dir.iterdir() if path.name.startswith(".")]


def test_a_given_folder_is_used_where_it_is(
    tiny_spec: ModelSpec, tiny_folder: Path, model_dir: Path
) -> None:
    files = fetch(tiny_spec, model_dir=model_dir, folder=tiny_folder, offline=True)
    assert files.folder == tiny_folder
    assert files.pinned
    assert not cache_folder(tiny_spec, model_dir).exists()


def test_a_download_is_cached_and_not_repeated(
    tiny_spec: ModelSpec, tiny_folder: Path, model_dir: Path
) -> None:
    with serving(Hub(tiny_folder)) as hub:
        first = fetch(tiny_spec, model_dir=model_dir, endpoint=hub.url)
        again = fetch(tiny_spec, model_dir=model_dir, endpoint=hub.url)
    assert len(hub.asked) == len(FILES)
    assert first == again == locate(tiny_spec, model_dir=model_dir)
    assert first.folder == cache_folder(tiny_spec, model_dir)
    assert not _leftovers(model_dir)


def test_a_damaged_folder_is_refused_and_the_next_source_used(
    tiny_spec: ModelSpec, tiny_folder: Path, damaged: Path, model_dir: Path, said: list[str]
) -> None:
    with serving(Hub(tiny_folder)) as hub:
        files = fetch(
            tiny_spec, model_dir=model_dir, folder=damaged, endpoint=hub.url, say=said.append
        )
    assert files.folder == cache_folder(tiny_spec, model_dir)
    assert str(damaged) in said[0]
    assert "SHA-256" in said[0]


def test_a_corrupt_download_never_enters_the_cache(
    tiny_spec: ModelSpec, damaged: Path, model_dir: Path
) -> None:
    with serving(Hub(damaged)) as hub, pytest.raises(ModelUnavailableError, match="SHA-256"):
        fetch(tiny_spec, model_dir=model_dir, endpoint=hub.url)
    assert locate(tiny_spec, model_dir=model_dir) is None
    assert not _leftovers(model_dir)


def test_a_damaged_cache_is_replaced(
    tiny_spec: ModelSpec, tiny_folder: Path, damaged: Path, model_dir: Path
) -> None:
    shutil.copytree(damaged, cache_folder(tiny_spec, model_dir))
    assert locate(tiny_spec, model_dir=model_dir) is None
    with serving(Hub(tiny_folder)) as hub:
        fetch(tiny_spec, model_dir=model_dir, endpoint=hub.url)
    assert locate(tiny_spec, model_dir=model_dir) is not None
    assert not _leftovers(model_dir)


def test_a_manually_copied_cache_is_used(
    tiny_spec: ModelSpec, tiny_folder: Path, model_dir: Path
) -> None:
    shutil.copytree(tiny_folder, cache_folder(tiny_spec, model_dir))
    assert locate(tiny_spec, model_dir=model_dir) is not None


def test_offline_downloads_nothing_and_says_what_to_do(
    tiny_spec: ModelSpec, tiny_folder: Path, model_dir: Path
) -> None:
    with serving(Hub(tiny_folder)) as hub, pytest.raises(ModelUnavailableError) as caught:
        fetch(tiny_spec, model_dir=model_dir, offline=True, endpoint=hub.url)
    assert not hub.asked
    for needed in ("offline", str(model_dir), "notewell models get tiny", "model.folder"):
        assert needed in caught.value.message


def test_the_final_error_lists_every_source(
    tiny_spec: ModelSpec, tmp_path: Path, model_dir: Path
) -> None:
    with pytest.raises(ModelUnavailableError) as caught:
        fetch(tiny_spec, model_dir=model_dir, folder=tmp_path / "gone", endpoint=nobody())
    for source in ("the given folder", "the cache", "the Hugging Face hub"):
        assert source in caught.value.message


def test_an_unpinned_file_must_keep_its_first_hash(
    tiny_spec: ModelSpec, tiny_folder: Path, damaged: Path, model_dir: Path, said: list[str]
) -> None:
    unpinned = replace(tiny_spec, files=tuple(PinnedFile(name) for name in FILES))
    with serving(Hub(tiny_folder)) as hub:
        files = fetch(unpinned, model_dir=model_dir, endpoint=hub.url, say=said.append)
    assert not files.pinned
    assert "has no checksum of tiny" in said[-1]
    shutil.copyfile(damaged / "model.safetensors", files.folder / "model.safetensors")
    with pytest.raises(ModelUnavailableError, match=r"model\.safetensors has changed"):
        fetch(unpinned, model_dir=model_dir, offline=True)


def test_changed_weights_in_a_users_folder_get_a_new_hash(
    tiny_spec: ModelSpec, damaged: Path, tiny_folder: Path, model_dir: Path
) -> None:
    unpinned = replace(tiny_spec, files=tuple(PinnedFile(name) for name in FILES))
    before = fetch(unpinned, model_dir=model_dir, folder=damaged, offline=True)
    shutil.copyfile(tiny_folder / "model.safetensors", damaged / "model.safetensors")
    after = fetch(unpinned, model_dir=model_dir, folder=damaged, offline=True)
    assert before.weights_hash != after.weights_hash == tiny_spec.files[2].sha256


def test_unchanged_files_are_not_read_again(
    tiny_spec: ModelSpec, tiny_folder: Path, model_dir: Path
) -> None:
    with serving(Hub(tiny_folder)) as hub:
        files = fetch(tiny_spec, model_dir=model_dir, endpoint=hub.url)
    weights = files.folder / "model.safetensors"
    times = weights.stat()
    weights.write_bytes(b"\x00" * times.st_size)
    os.utime(weights, ns=(times.st_atime_ns, times.st_mtime_ns))
    assert locate(tiny_spec, model_dir=model_dir) == files


def test_a_copied_cache_is_read_once(
    tiny_spec: ModelSpec, tiny_folder: Path, model_dir: Path
) -> None:
    with serving(Hub(tiny_folder)) as hub:
        files = fetch(tiny_spec, model_dir=model_dir, endpoint=hub.url)
    manifest = files.folder / "manifest.json"
    source = json.loads(manifest.read_text())["source"]
    weights = files.folder / "model.safetensors"
    os.utime(weights, ns=(1, 1))  # as a copy does
    assert locate(tiny_spec, model_dir=model_dir) == files
    weights.write_bytes(b"\x00" * weights.stat().st_size)
    os.utime(weights, ns=(1, 1))
    assert locate(tiny_spec, model_dir=model_dir) == files
    assert json.loads(manifest.read_text())["source"] == source


def test_leftovers_of_a_killed_process_are_removed(
    tiny_spec: ModelSpec, tiny_folder: Path, model_dir: Path
) -> None:
    (model_dir / ".incoming-tiny-too@alive").mkdir(parents=True)
    (model_dir / ".incoming-tiny@dead" / "files").mkdir(parents=True)
    with serving(Hub(tiny_folder)) as hub:
        fetch(tiny_spec, model_dir=model_dir, endpoint=hub.url)
    assert _leftovers(model_dir) == [".incoming-tiny-too@alive"]


FETCH_IN_ANOTHER_PROCESS = """
import sys
from dataclasses import replace
from pathlib import Path
from notewell.models.catalogue import PinnedFile, find
from notewell.models.fetch import fetch
names = ("config.json", "tokenizer.json", "model.safetensors")
spec = replace(find("all-MiniLM-L6-v2"), name="tiny", repo="nobody/tiny", revision="0" * 40,
               files=tuple(PinnedFile(name) for name in names), wheel=None)
print(fetch(spec, model_dir=Path(sys.argv[1]), endpoint=sys.argv[2]).weights_hash)
"""


def test_two_processes_download_once(tiny_folder: Path, model_dir: Path) -> None:
    with serving(Hub(tiny_folder)) as hub:
        command = [sys.executable, "-c", FETCH_IN_ANOTHER_PROCESS, str(model_dir), hub.url]
        both = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(2)]
        hashes = {process.communicate(timeout=PROCESS_S)[0] for process in both}
    assert [process.returncode for process in both] == [0, 0]
    assert len(hashes) == 1
    assert len(hub.asked) == len(FILES)


def test_the_helper_has_the_model_inside(
    tiny_spec: ModelSpec,
    tiny_folder: Path,
    model_dir: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    inside = cache_folder(tiny_spec, tmp_path / "helper" / "models")
    shutil.copytree(tiny_folder, inside)
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    monkeypatch.setattr(sys, "_MEIPASS", str(tmp_path / "helper"), raising=False)

    assert fetch(tiny_spec, model_dir=model_dir, offline=True).folder == inside
    (inside / "model.safetensors").write_bytes(b"damaged")
    assert locate(tiny_spec, model_dir=model_dir) is None
