"""Every script that measures starts, in a process of its own as people start it."""

from __future__ import annotations

import multiprocessing
import os
import runpy
import sys
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SCRIPTS = sorted(
    path.relative_to(ROOT)
    for folder in ("bench", "eval")
    for path in (ROOT / "tests" / folder).rglob("*.py")
    if not path.name.startswith("test_")
    and 'if __name__ == "__main__"' in path.read_text(encoding="utf-8")
)
# What nearly every script imports, loaded once for all of their processes.
SHARED = ["numpy", "notewell.doors.web.site", "notewell.index.engines", "notewell.models.loading"]
PROCESSES = multiprocessing.get_context("forkserver" if os.name == "posix" else "spawn")
if os.name == "posix":
    PROCESSES.set_forkserver_preload(SHARED)


def run_script(script: Path, *, as_module: bool, out: Path) -> None:
    """Run a script with `--help`, its output in a file, with the paths that Python gives it."""
    os.chdir(ROOT)
    elsewhere = [entry for entry in sys.path if Path(entry or ".").resolve() != ROOT]
    sys.path[:] = [str(ROOT if as_module else (ROOT / script).parent), *elsewhere]
    sys.argv = [str(script), "--help"]
    with out.open("w", encoding="utf-8") as file, redirect_stdout(file), redirect_stderr(file):
        if as_module:
            runpy.run_module(".".join(script.with_suffix("").parts), run_name="__main__")
        else:
            runpy.run_path(str(script), run_name="__main__")


@pytest.mark.parametrize("script", SCRIPTS, ids=str)
def test_a_script_tells_its_options(script: Path, tmp_path: Path) -> None:
    module = ".".join(script.with_suffix("").parts)
    is_module = f"python -m {module}" in (ROOT / script).read_text(encoding="utf-8")
    of_a_package = is_module or (len(script.parts) > 3 and script.name != "run.py")
    out = tmp_path / "out"
    process = PROCESSES.Process(
        target=run_script, args=(script,), kwargs={"as_module": of_a_package, "out": out}
    )
    process.start()
    process.join()
    assert process.exitcode == 0, out.read_text(encoding="utf-8")
    assert "usage:" in out.read_text(encoding="utf-8")
