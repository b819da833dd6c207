"""Tries the example of a feature, and our other packages, with the built wheel and nothing else.

    python release/try_feature.py dist

The example's own tests run in that environment, against the commands and the server of the wheel.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from trial import other_wheels, the_wheel

EXAMPLE = Path(__file__).resolve().parents[1] / "examples" / "notewell-wordcount"


def main() -> None:
    """Make the environment, run the tests, remove it."""
    wheel = the_wheel(sys.argv[1])
    with tempfile.TemporaryDirectory(prefix="notewell-feature-") as name:
        root = Path(name)
        python = root / "venv" / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
        uv = [sys.executable, "-m", "uv"]
        _run([*uv, "venv", "--quiet", f"--python={sys.executable}", str(root / "venv")], root)
        others = [str(path) for path in other_wheels(sys.argv[1])]
        packages = [f"notewell[all] @ {wheel.as_uri()}", *others, str(EXAMPLE), "pytest"]
        _run([*uv, "pip", "install", "--quiet", f"--python={python}", *packages], root)
        options = ["-q", "-p", "no:cacheprovider", "-c", str(EXAMPLE / "pyproject.toml")]
        _run([str(python), "-P", "-m", "pytest", *options, str(EXAMPLE / "tests")], root)
        listed = json.loads(_run([str(python), "-m", "notewell", "features", "--json"], root))
    states = {line["package"]: line["state"] for line in listed["features"]}
    wrong = {name: state for name, state in states.items() if state != "on"}
    if wrong or len(states) != 2 + len(others):
        sys.exit(f"Not every package is on: {states}")
    print(f"{EXAMPLE.name} and {len(others)} packages of ours work with {wheel.name}.")


def _run(command: list[str], folder: Path) -> str:
    """Run a command in an empty folder, so that nothing of this repository can be imported."""
    done = subprocess.run(  # noqa: S603 - fixed commands
        command, cwd=folder, capture_output=True, text=True, check=False
    )
    if done.returncode:
        sys.exit(f"{' '.join(command)} failed:\n{done.stdout}{done.stderr}")
    return done.stdout


if __name__ == "__main__":
    main()
