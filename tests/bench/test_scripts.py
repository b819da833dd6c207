"""Every script that measures starts, in a process of its own as people start it."""

from __future__ import annotations

import subprocess
import sys
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


@pytest.mark.parametrize("script", SCRIPTS, ids=str)
def test_a_script_tells_its_options(script: Path) -> None:
    module = ".".join(script.with_suffix("").parts)
    is_module = f"python -m {module}" in (ROOT / script).read_text(encoding="utf-8")
    of_a_package = is_module or (len(script.parts) > 3 and script.name != "run.py")
    command = [sys.executable, *(["-m", module] if of_a_package else [str(script)]), "--help"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "usage:" in done.stdout
