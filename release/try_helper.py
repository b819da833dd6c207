"""Tries a packed helper as a person would get it: unpacked, without Python, PATH or settings.

    python release/try_helper.py dist/notewell-helper-0.1.0-linux-x86_64.tar.gz

It has to find a note by meaning with the model inside, offline.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from pathlib import Path

from trial import Trial


def main() -> None:
    """Unpack, try, remove."""
    with tempfile.TemporaryDirectory(prefix="notewell-helper-") as name:
        root = Path(name)
        # With permissions: the program must stay executable.
        unpacked = root / "unpacked"
        shutil.unpack_archive(sys.argv[1], unpacked, filter=None if os.name == "nt" else "tar")
        folder = root / "unpacked" / "notewell-helper"
        program = folder / ("notewell.exe" if os.name == "nt" else "notewell")
        trial = Trial(program, root, _environment(root / "home"))
        trial.search(by_meaning=True)
        trial.serve()
    print("The helper finds notes by words and by meaning, reads a PDF and serves, without Python.")


def _environment(home: Path) -> dict[str, str]:
    home.mkdir()
    environment = {"HOME": str(home), "NOTEWELL_OFFLINE": "true"}
    if os.name == "nt":  # Windows starts no program without these
        kept = {"SYSTEMROOT": os.environ["SYSTEMROOT"], "TEMP": str(home), "TMP": str(home)}
        environment |= kept | {"USERPROFILE": str(home), "LOCALAPPDATA": str(home)}
    return environment


if __name__ == "__main__":
    main()
