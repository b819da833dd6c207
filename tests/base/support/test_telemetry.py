"""No library reports its use, however Notewell is started."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from notewell.base.support.program import code_command, reader_command
from tests.waiting import PROCESS_S

VARIABLES = ("ORT_DISABLE_TELEMETRY", "HF_HUB_DISABLE_TELEMETRY", "DO_NOT_TRACK")
PROGRAM = Path(__file__).parents[3] / "release" / "program.py"
# As native code reads it: os.environ is Python's own copy.
READ = f"""
import ctypes
getenv = ctypes.CDLL(None).getenv
getenv.restype = ctypes.c_char_p
print(*(getenv(name.encode()).decode() for name in {VARIABLES}))
"""
READER = reader_command()[-1]
ENTRIES = {
    "the program": "import notewell.doors.cli",
    "python -m notewell": "import notewell.__main__",
    "the helper": f"import runpy; runpy.run_path({str(PROGRAM)!r})",
    "the process that reads files": f"import {READER}",
    "a program that uses the package": "import notewell",
}


def run(
    *command: str, home: Path, environment: dict[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Run a Python without variables of CI, which keep onnxruntime from reporting."""
    return subprocess.run(
        command,
        env={"PATH": os.environ["PATH"], "HOME": str(home), **(environment or {})},
        capture_output=True,
        text=True,
        timeout=PROCESS_S,
        check=True,
    )


@pytest.mark.skipif(os.name != "posix", reason="the C library is found by another name")
@pytest.mark.parametrize("entry", ENTRIES.values(), ids=ENTRIES)
def test_every_way_to_start_switches_reports_off(entry: str, tmp_path: Path) -> None:
    on = dict.fromkeys(VARIABLES, "0")

    done = run(sys.executable, "-c", entry + READ, home=tmp_path, environment=on)

    assert done.stdout.split() == ["1", "1", "1"]


@pytest.mark.skipif(os.name != "posix", reason="the C library is found by another name")
def test_so_does_the_process_that_runs_code_and_gets_no_environment(tmp_path: Path) -> None:
    *python, code, root = code_command()
    assert code.endswith("; main()")

    done = run(*python, code.removesuffix("; main()") + READ, root, home=tmp_path)

    assert done.stdout.split() == ["1", "1", "1"]


def test_onnxruntime_leaves_nothing_behind(tmp_path: Path) -> None:
    alone, ours = tmp_path / "alone", tmp_path / "ours"
    for home in (alone, ours):
        home.mkdir()
    run(sys.executable, "-c", "import onnxruntime", home=alone)
    if not any(alone.iterdir()):
        pytest.skip("this onnxruntime reports nothing here")

    run(sys.executable, "-c", "import notewell, onnxruntime", home=ours)

    assert not any(ours.iterdir())


@pytest.mark.parametrize(
    ("environment", "is_off"),
    [
        ({}, False),
        ({"ORT_DISABLE_TELEMETRY": "0"}, False),
        ({"ORT_DISABLE_TELEMETRY": "yes"}, True),
    ],
)
def test_it_is_known_whether_another_program_let_onnxruntime_report(
    environment: dict[str, str], is_off: bool, tmp_path: Path
) -> None:
    asked = (
        "import onnxruntime, notewell; from notewell.base.support import program;"
        " print(program.is_telemetry_off())"
    )

    done = run(sys.executable, "-c", asked, home=tmp_path, environment=environment)

    assert done.stdout.split() == [str(is_off)]
