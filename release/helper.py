"""Builds the helper with PyInstaller: the program, Python and the default model in one folder.

    python release/helper.py --out dist     # with Notewell and PyInstaller installed

Packs it, searches with the packed one where there is no Python, and fails if it is too large.
"""

from __future__ import annotations

import argparse
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from archives import ROOT, pack_tar, pack_zip, source_moment

from notewell import __version__
from notewell.models.catalogue import CATALOGUE
from notewell.models.fetch import cache_folder, fetch

MAX_PACKED_BYTES = 250_000_000
FOLDER = "notewell-helper"
_SYSTEMS = {"darwin": "macos", "win32": "windows", "linux": "linux"}


def main() -> None:
    """Build, pack, try out."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=ROOT / "dist")
    out = parser.parse_args().out.resolve()
    out.mkdir(parents=True, exist_ok=True)
    moment = source_moment()
    with tempfile.TemporaryDirectory(prefix="notewell-helper-") as name:
        folder = _build(Path(name), moment)
        archive = _pack(folder, out, moment)
        unpacked = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    size = archive.stat().st_size
    print(f"{archive.name}: {size / 1e6:.0f} MB packed, {unpacked / 1e6:.0f} MB unpacked")
    if size > MAX_PACKED_BYTES:
        sys.exit(f"The helper is larger than {MAX_PACKED_BYTES / 1e6:.0f} MB.")
    subprocess.run([sys.executable, str(ROOT / "release/try_helper.py"), str(archive)], check=True)  # noqa: S603


def _build(work: Path, moment: int) -> Path:
    environ = os.environ | {
        "NOTEWELL_HELPER_MODELS": str(_models(work / "models", moment)),
        "PYTHONHASHSEED": "1",  # the order of sets is in the compiled modules
        "SOURCE_DATE_EPOCH": str(moment),
    }
    environ.pop("PYTHONDONTWRITEBYTECODE", None)
    command = [sys.executable, "-m", "PyInstaller", "--noconfirm", "--clean", "--log-level=WARN"]
    command += ["--distpath", str(work / "dist"), "--workpath", str(work / "build")]
    subprocess.run([*command, str(ROOT / "release/helper.spec")], check=True, env=environ)  # noqa: S603
    folder = work / "dist" / FOLDER
    for name in ("LICENSE", "THIRD_PARTY_NOTICES.md"):
        shutil.copyfile(ROOT / name, folder / name)
    texts = ["--texts", str(folder / "THIRD_PARTY_LICENSES.txt")]
    subprocess.run([sys.executable, str(ROOT / "release/components.py"), *texts], check=True)  # noqa: S603
    return folder


def _models(root: Path, moment: int) -> Path:
    """The default model laid out like the cache, with the time that the archive gives its files.

    The manifest has sizes and times, so that a start does not read all weights to compare them.
    """
    spec = CATALOGUE[0]
    found = fetch(spec, model_dir=_cache(), say=print)
    folder = cache_folder(spec, root)
    folder.mkdir(parents=True)
    for file in spec.files:
        target = folder / file.name
        shutil.copyfile(found.folder / file.name, target)
        os.utime(target, (moment, moment))
    from notewell.models.fetch import MANIFEST, fingerprints, save_manifest  # noqa: PLC0415

    names = [file.name for file in spec.files]
    save_manifest(folder / MANIFEST, "the helper", fingerprints(folder, names, {}))
    return root


def _cache() -> Path:
    from notewell.base.config import load_settings  # noqa: PLC0415 - as above

    return load_settings(environ=os.environ).model_dir


def _pack(folder: Path, out: Path, moment: int) -> Path:
    system = _SYSTEMS[sys.platform]
    stem = f"{FOLDER}-{__version__}-{system}-{platform.machine().lower()}"
    if sys.platform == "win32":
        archive = out / f"{stem}.zip"
        pack_zip(folder, archive, moment)
    else:
        archive = out / f"{stem}.tar.gz"
        pack_tar(folder, archive, moment)
    return archive


if __name__ == "__main__":
    main()
