"""Tries the built wheel: installs it with uv and with pipx into empty homes, searches and serves.

    python release/try_wheel.py dist

The installers' own settings (which package index) and download caches are kept, nothing else.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from trial import Trial, the_wheel

KEPT = ("PIP_", "UV_", "SSL_", "REQUESTS_")  # the prefixes of variables
SYSTEM = ("SYSTEMROOT", "TEMP", "TMP", "TMPDIR")


def main() -> None:
    """Install twice, side by side, and try both."""
    wheel = the_wheel(sys.argv[1])
    with ThreadPoolExecutor() as pool:
        for line in pool.map(lambda tool: _try(tool, wheel), ("uv", "pipx")):
            print(line)


def _try(tool: str, wheel: Path) -> str:
    with tempfile.TemporaryDirectory(prefix=f"notewell-{tool}-") as name:
        root = Path(name)
        began = time.monotonic()
        environment = _environment(root)
        done = subprocess.run(  # noqa: S603 - a fixed command
            [sys.executable, "-m", *_command(tool, wheel)],
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            sys.exit(f"{tool} could not install {wheel.name}:\n{done.stdout}{done.stderr}")
        seconds = time.monotonic() - began
        program = root / "bin" / ("notewell.exe" if os.name == "nt" else "notewell")
        trial = Trial(program, root, environment | {"NOTEWELL_OFFLINE": "true"})
        trial.search(by_meaning=False)
        trial.name_missing_packages()
        trial.install_plugin()
        trial.serve()
        return f"{tool} installed {wheel.name} in {seconds:.0f} s; it searches and serves."


def _command(tool: str, wheel: Path) -> list[str]:
    python = f"--python={sys.executable}"
    if tool == "uv":
        return ["uv", "tool", "install", "--quiet", python, str(wheel)]
    # What a trial never imports needs no bytecode.
    return ["pipx", "install", "--quiet", "--pip-args=--no-compile", python, str(wheel)]


def _environment(root: Path) -> dict[str, str]:
    home, bin_folder = root / "home", root / "bin"
    home.mkdir()
    kept = {name: value for name, value in os.environ.items() if name.startswith(KEPT)}
    kept |= {name: os.environ[name] for name in SYSTEM if name in os.environ}
    cache = Path.home() / ".cache"
    return kept | {
        "HOME": str(home),
        "USERPROFILE": str(home),
        "LOCALAPPDATA": str(home),
        "PATH": f"{bin_folder}{os.pathsep}{os.defpath}",
        "PIP_CACHE_DIR": os.environ.get("PIP_CACHE_DIR", str(cache / "pip")),
        "UV_CACHE_DIR": os.environ.get("UV_CACHE_DIR", str(cache / "uv")),
        "UV_TOOL_DIR": str(root / "uv"),
        "UV_TOOL_BIN_DIR": str(bin_folder),
        "PIPX_HOME": str(root / "pipx"),
        "PIPX_BIN_DIR": str(bin_folder),
    }


if __name__ == "__main__":
    main()
