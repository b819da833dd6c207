"""Builds what a release has: wheels, sdists and the plugin's files, with their checksums.

    python release/build.py --out dist      # after `make web plugin`

Every archive is built twice and must come out the same, so that anyone can check a release.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from pathlib import Path

from archives import ROOT, sha256, source_moment, write_checksums

PROJECTS = (ROOT, *sorted(path.parent for path in ROOT.glob("packages/*/pyproject.toml")))
PLUGIN = ("main.js", "manifest.json", "styles.css")
PAGE = "notewell/doors/web/static/index.html"
CARRIED = "notewell/doors/obsidian/built/main.js"


def main() -> None:
    """Build, compare, list."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=ROOT / "dist")
    out = parser.parse_args().out.resolve()
    out.mkdir(parents=True, exist_ok=True)
    for old in (*out.glob("notewell*.whl"), *out.glob("notewell*-[0-9]*.tar.gz")):
        if not old.name.startswith("notewell-helper"):
            old.unlink()
    environ = os.environ | {"SOURCE_DATE_EPOCH": str(source_moment())}
    with tempfile.TemporaryDirectory(prefix="notewell-release-") as name:
        again = Path(name)
        for project in PROJECTS:
            for folder in (out, again):
                command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(folder)]
                subprocess.run(  # noqa: S603 - a fixed command
                    [*command, str(project)], check=True, env=environ, stdout=subprocess.DEVNULL
                )
        _compare(out, again)
    for name in PLUGIN:
        shutil.copyfile(ROOT / name, out / name)
    sums = write_checksums(out)
    for path in sorted(out.iterdir()):
        print(f"{path.stat().st_size / 1e6:9.3f} MB  {path.name}")
    print(sums.read_text(encoding="utf-8"), end="")


def _compare(out: Path, again: Path) -> None:
    for path in sorted(again.iterdir()):
        if sha256(path) != sha256(out / path.name):
            sys.exit(f"Two builds of {path.name} differ.")
        if not path.name.startswith("notewell-"):
            continue  # a package without pages
        for part, command in ((PAGE, "make web"), (CARRIED, "make plugin")):
            if not any(name.endswith(part) for name in _names(path)):
                sys.exit(f"{path.name} lacks {part}: run `{command}` first.")


def _names(path: Path) -> list[str]:
    if path.suffix == ".whl":
        with zipfile.ZipFile(path) as wheel:
            return wheel.namelist()
    with tarfile.open(path) as sdist:
        return sdist.getnames()


if __name__ == "__main__":
    main()
