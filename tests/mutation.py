"""Measure how many small faults in a file its tests notice, with mutmut.

    python -m tests.mutation [ROOM …] [--work FOLDER]

In the root of the repository, in an environment with the groups `quick` and `measure` (`make
mutation` makes it). A room is a file with the tests that are about it (`ROOMS`). Its mutants (an
operator, a constant, an argument changed) are tried one by one; one that its tests let pass
survived. The work happens in a copy of the repository, in which `sidecar` is named `src`, as mutmut
expects. Printed is a line a room: mutants, those noticed, their share, and the functions of the
others.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

ROOT = Path(__file__).parents[1]
# The tests of each file.
ROOMS: Mapping[str, tuple[str, Sequence[str]]] = {
    "batch": ("index/batch.py", ("tests/index/test_batch.py", "tests/index/test_index.py")),
    "writer": (
        "vault/write.py",
        ("tests/vault/test_write.py", "tests/faults/test_vault_changes.py"),
    ),
    "journal": (
        "vault/write_journal.py",
        ("tests/vault/test_write.py", "tests/faults/test_vault_changes.py"),
    ),
    "evidence": ("search/rank/evidence.py", ("tests/search/rank/test_evidence.py",)),
    "boosts": ("search/rank/boosts.py", ("tests/search/rank/test_boosts.py",)),
}
_RESULT = re.compile(r"^\s+\S+\.(\w+ǁ)?(?:x_?)?(\S+?)__mutmut_\d+: (\w+)$", re.MULTILINE)
_TOTAL = re.compile(r"(\d+)/(\d+)\s")


def main() -> None:
    """Measure the rooms that are asked for, all by default."""
    options = _options()
    work = options.work or Path(tempfile.mkdtemp(prefix="notewell-mutation-"))
    copy = _copy(work / "copy")
    for room in options.rooms or ROOMS:
        file, tests = ROOMS[room]
        sys.stdout.write(_measured(copy, room, file, tests))
        sys.stdout.flush()


def _copy(place: Path) -> Path:
    """A copy of what git tracks, with the package where mutmut looks for it."""
    shutil.rmtree(place, ignore_errors=True)
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True)
    for name in listed.stdout.decode().rstrip("\0").split("\0"):
        if name.startswith(("tests/", "sidecar/", "pyproject.toml")) and (ROOT / name).is_file():
            target = place / re.sub("^sidecar/", "src/", name)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, target)
    return place


def _measured(copy: Path, room: str, file: str, tests: Sequence[str]) -> str:
    shutil.rmtree(copy / "mutants", ignore_errors=True)
    package = copy / "mutants" / "src"
    package.mkdir(
        parents=True
    )  # Python forgets a folder of its path that is missing when it starts
    settings = (ROOT / "pyproject.toml").read_text("utf-8")
    settings = settings.replace('pythonpath = ["."]', 'pythonpath = [".", "src"]')
    chosen = ", ".join(f'"{test}"' for test in tests)
    (copy / "pyproject.toml").write_text(
        f"{settings}\n[tool.mutmut]\n"
        'source_paths = ["src/notewell/"]\n'
        f'only_mutate = ["src/notewell/{file}"]\n'
        'also_copy = ["tests", "pyproject.toml"]\n'
        f"pytest_add_cli_args_test_selection = [{chosen}]\n",
        "utf-8",
    )
    environment = os.environ | {"PYTHONPATH": str(package)}
    mutmut = [sys.executable, "-m", "mutmut"]
    ran = subprocess.run(
        [*mutmut, "run"], cwd=copy, env=environment, capture_output=True, text=True, check=False
    )
    totals = _TOTAL.findall(ran.stdout)
    if ran.returncode or not totals:
        return f"{room}: not measured. {ran.stdout[-400:]} {ran.stderr[-400:]}\n"
    listed = subprocess.run(
        [*mutmut, "results"], cwd=copy, env=environment, capture_output=True, text=True, check=True
    )
    left = Counter(found[1] for found in _RESULT.findall(listed.stdout) if found[2] != "timeout")
    total, survived = int(totals[-1][1]), left.total()
    share = 1 - survived / total
    names = ", ".join(f"{name} {count}" for name, count in left.most_common())
    return f"{room}: {total} mutants, {total - survived} noticed ({share:.2f}); left: {names}\n"


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.mutation")
    parser.add_argument("rooms", nargs="*", choices=[[], *ROOMS])
    parser.add_argument(
        "--work", type=Path, help="a folder for the copy; a temporary one otherwise"
    )
    return parser.parse_args()


if __name__ == "__main__":
    main()
