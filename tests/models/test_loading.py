"""Which embedder is loaded, and the error if there is none."""

import subprocess
import sys
from pathlib import Path

import pytest

from notewell.base.errors import MissingExtraError, ModelError, ModelUnavailableError
from notewell.base.types import ModelRules
from notewell.models import providers
from notewell.models.loading import load_embedder


def _load(rules: ModelRules, model_dir: Path, *, offline: bool = True) -> object:
    return load_embedder(
        rules, model_dir=model_dir, offline=offline, fetch_missing=False, say=print
    )


def test_the_error_about_a_missing_model_says_how_to_get_it(tmp_path: Path) -> None:
    with pytest.raises(ModelUnavailableError, match="notewell models get all-MiniLM-L6-v2"):
        _load(ModelRules(), tmp_path)


def test_a_command_that_must_not_download_does_not(tmp_path: Path) -> None:
    with pytest.raises(ModelUnavailableError, match="not tried"):
        _load(ModelRules(), tmp_path, offline=False)
    assert list(tmp_path.iterdir()) == []


def test_the_error_about_a_missing_folder_names_it(tmp_path: Path) -> None:
    with pytest.raises(ModelUnavailableError, match="gone"):
        _load(ModelRules(name="mine", folder=str(tmp_path / "gone")), tmp_path)


def test_an_unwritable_cache_is_reported(tiny_folder: Path, tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    with pytest.raises(ModelError, match="cannot be written"):
        _load(ModelRules(name="tiny", folder=str(tiny_folder)), blocked)


def test_an_unknown_model_without_the_extra_names_the_extra(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    with pytest.raises(MissingExtraError, match=r"pip install 'notewell-eval\[torch\]'"):
        _load(ModelRules(name="someone/some-model"), tmp_path)


def test_an_unknown_model_without_its_package_names_the_package(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(providers, "find_spec", lambda _: None)
    with pytest.raises(MissingExtraError, match="pip install notewell-eval"):
        _load(ModelRules(name="someone/some-model"), tmp_path)


def test_importing_the_package_loads_no_runtime() -> None:
    heavy = ("onnxruntime", "tokenizers", "huggingface_hub", "torch", "filelock")
    program = (
        f"import sys, notewell.models.loading; print([m for m in {heavy} if m in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"


def test_loading_a_cached_graph_imports_no_library_for_downloads(
    tiny_folder: Path, tmp_path: Path
) -> None:
    rules = ModelRules(name="tiny", folder=str(tiny_folder))
    _load(rules, tmp_path)
    program = f"""
import sys
from pathlib import Path
from notewell.models.loading import load_embedder
from notewell.base.types import ModelRules
rules = ModelRules(name="tiny", folder={str(tiny_folder)!r})
load_embedder(rules, model_dir=Path({str(tmp_path)!r}), offline=True, fetch_missing=False, say=print)
print([m for m in ("huggingface_hub", "torch") if m in sys.modules])
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"
