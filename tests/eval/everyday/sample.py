"""Draw the notes of a vault that queries are written from, and print their paths.

    python -m tests.eval.everyday.sample FOLDER [--seed NUMBER]

From each folder twice the square root of its number of notes, so that a large one does not fill the
sample. The same seed draws the same notes.
"""

from __future__ import annotations

import argparse
import math
import random
import sys
from collections.abc import Iterator
from pathlib import Path

SEED = 20261124


def main() -> int:
    """Print a sample, a path a line."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seed", type=int, default=SEED)
    options = parser.parse_args()
    sys.stdout.writelines(f"{path}\n" for path in sample(options.folder, options.seed))
    return 0


def sample(vault: Path, seed: int) -> Iterator[str]:
    """The paths of the drawn notes, folder by folder."""
    folders: dict[str, list[str]] = {}
    for file in sorted(vault.rglob("*.md")):
        path = file.relative_to(vault)
        folders.setdefault(path.parent.as_posix(), []).append(path.as_posix())
    for folder, paths in sorted(folders.items()):
        drawn = random.Random(f"{seed} {folder}")
        yield from drawn.sample(paths, min(len(paths), round(2 * math.sqrt(len(paths)))))


if __name__ == "__main__":
    raise SystemExit(main())
