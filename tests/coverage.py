"""Print which share of each room's lines and branches the tests reach.

    python -m tests.coverage FILE

FILE is the JSON report of coverage.py; `make coverage` makes it with the quick tests. Processes that
a test starts are not counted.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from pathlib import Path

import orjson

ROOMS = (
    "base", "contract", "vault", "index", "models", "search/query", "search/rank", "search/show",
    "search", "engine", "features", "doors", "notewell_eval", "notewell_postgres", "notewell_zotero",
)  # fmt: skip
FILES = ("vault/write.py", "vault/write_journal.py", "index/batch.py")
_PACKAGES = re.compile(r"sidecar/notewell/|packages/[^/]+/")


def main() -> None:
    """Print the table."""
    files = orjson.loads(Path(sys.argv[1]).read_bytes())["files"]
    sys.stdout.write("| room | statements | lines | branches |\n|---|---:|---:|---:|\n")
    totals = {
        _PACKAGES.sub("", name, count=1): file["summary"]
        for name, file in files.items()
        if _PACKAGES.match(name)
    }
    for room in (*FILES, *ROOMS):
        sums: Counter[str] = Counter()
        for name, summary in totals.items():
            if name == room or name.startswith(f"{room}/"):
                sums.update(
                    {key: value for key, value in summary.items() if isinstance(value, int)}
                )
        lines = sums["covered_lines"] / max(1, sums["num_statements"])
        branches = sums["covered_branches"] / max(1, sums["num_branches"])
        sys.stdout.write(
            f"| {room} | {sums['num_statements']:,} | {lines:.1%} | {branches:.1%} |\n"
        )


if __name__ == "__main__":
    main()
