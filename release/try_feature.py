"""Tries the example of a feature: installed with the built wheel, and nothing else, it has to work.

    python release/try_feature.py dist

Its own tests run in that environment, against the commands and the server of the wheel.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from trial import the_wheel

EXAMPLE = Path(__file__).resolve().parents[1] / "examples" / "notewell-wordcount"


def main() -> None:
    """Make the environment, run the tests, remove it."""
    wheel = the_wheel(sys.argv[1])
    with tempfile.TemporaryDirectory(prefix="notewell-feature-") as name:
        root = Path(name)
        python = root / "venv" / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
        uv = [sys.executable, "-m", "uv"]
        _run([*uv, "venv", "--quiet", f"--python={sys.executable}", str(root / "venv")], root)
        packages = [str(wheel), str(EXAMPLE), "pytest"]
        _run([*uv, "pip", "install", "--quiet", f"--python={python}", *packages], root)
        options = ["-q", "-p", "no:cacheprovider", "-c", str(EXAMPLE / "pyproject.toml")]
        _run([str(python), "-P", "-m", "pytest", *options, str(EXAMPLE / "tests")], root)
    print(f"{EXAMPLE.name} works with {wheel.name}.")


def _run(command: list[str], folder: Path) -> None:
    """Run a command in an empty folder, so that nothing of this repository can be imported."""
    done = subprocess.run(  # noqa: S603 - fixed commands
        command, cwd=folder, capture_output=True, text=True, check=False
    )
    if done.returncode:
        sys.exit(f"{' '.join(command)} failed:\n{done.stdout}{done.stderr}")


if __name__ == "__main__":
    main()
