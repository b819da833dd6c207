"""Write the development sets as JSONL files, to read them or for other programs.

    python -m tests.eval.development.make --data FOLDER --out FOLDER

The folder of `--data` has what is in the archives, unpacked.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from pathlib import Path

from .query import write
from .run import all_sets


def main() -> int:
    """Make the sets of the data that are there, and print how many queries each class has."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--data", type=Path, required=True, help="folder with the data")
    parser.add_argument("--out", type=Path, required=True, help="folder for the JSONL files")
    options = parser.parse_args()

    def locate(archive: str, folder: str) -> Path | None:
        place: Path = options.data / folder
        return place if place.is_dir() else None

    options.out.mkdir(parents=True, exist_ok=True)
    for name, queries in all_sets(locate).items():
        write(queries, options.out / f"{name}.jsonl")
        counts = Counter((query.kind, query.half) for query in queries)
        kinds = sorted({kind for kind, _ in counts})
        shown = ", ".join(f"{kind} {counts[kind, 'fit']}+{counts[kind, 'check']}" for kind in kinds)
        sys.stdout.write(f"{name} {len(queries)}: {shown}\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
