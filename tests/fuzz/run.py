"""Give random inputs to parsers and servers, and keep each input that shows a fault.

    python -m tests.fuzz.run --inputs 100000 --seed 1 --targets query,http
    python -m tests.fuzz.run --replay tests/fuzz/out/query-1-4711

Each target runs in a process of its own, so that a crash of native code is a finding too. An input
that takes more than 10 seconds of processor time is stopped and counts as a hang; where even
the interpreter does not react, the kernel ends the process after 20.
"""

from __future__ import annotations

import argparse
import importlib
import json
import math
import mmap
import multiprocessing
import os
import platform
import random
import resource
import signal
import subprocess
import sys
import time
import traceback
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType

from tests.fuzz.target import FaultError, Generate, Target

HERE = Path(__file__).parent
OUT = HERE / "out"
HANG_S = 10.0
MOST_FAULTS = 20  # of one target, which then stops
# Names of targets, each with its module and its name there.
TARGETS = {
    "query": ("query", "QUERY"),
    "markdown": ("markdown", "MARKDOWN"),
    "files": ("files", "FILES"),
    "http": ("http", "HTTP"),
    "mcp": ("mcp_lines", "MCP"),
    "packs": ("packs", "PACKS"),
    "settings": ("settings", "SETTINGS"),
}
_AREA = 1 << 24  # the kernel gives memory for what is used of it
_NOT_STARTED = (1 << 64) - 1


class HangError(BaseException):
    """An input took too long. Not an Exception, so that no handler of the tested code keeps it."""


@dataclass(slots=True)
class Outcome:
    """What a run of one target found. `faults` are the files of the inputs."""

    target: str
    inputs: int = 0
    seconds: float = 0.0
    processor_s: float = 0.0
    faults: list[str] = field(default_factory=list)


def target_of(name: str) -> Target:
    """The target of this name. Its module alone is imported: some load the whole server."""
    module, constant = TARGETS[name]
    target: Target = getattr(importlib.import_module(f"tests.fuzz.{module}"), constant)
    return target


class Area:
    """Memory shared with the worker: the number of the current input, and its bytes."""

    def __init__(self) -> None:
        self._map = mmap.mmap(-1, _AREA)

    def put(self, number: int, data: bytes) -> None:
        self._map[:16] = number.to_bytes(8, "big") + len(data).to_bytes(8, "big")
        self._map[16 : 16 + len(data)] = data

    def get(self) -> tuple[int, bytes]:
        number, size = int.from_bytes(self._map[:8], "big"), int.from_bytes(self._map[8:16], "big")
        return number, self._map[16 : 16 + size]


@contextmanager
def limited(seconds: float = HANG_S) -> Iterator[None]:
    """Raise HangError when the block takes more processor time, of all threads together."""
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    signal.setitimer(
        signal.ITIMER_PROF, 2 * seconds
    )  # nobody handles this one: it ends the process
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.setitimer(signal.ITIMER_PROF, 0)


def _stop(_number: int, _frame: FrameType | None) -> None:
    raise HangError


@dataclass(frozen=True, slots=True)
class Run:
    """The inputs of one target. `found` is the file that the worker writes, a line for each fault."""

    target: Target
    seed: int
    inputs: int
    found: Path
    hang_s: float = HANG_S
    ends: float = math.inf  # on the monotonic clock

    def data(self, generate: Generate, number: int) -> bytes:
        """Make one input; the same for the same number and seed."""
        return generate(random.Random(f"{self.seed}/{self.target.name}/{number}"))


def _work(run: Run, first: int, area: Area) -> None:
    """Check the inputs from number `first` in this process."""
    signal.signal(signal.SIGVTALRM, _stop)
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    warnings.simplefilter("error")
    generate = run.target.generator(run.seed, run.inputs)
    seen: set[str] = set()
    with run.target.opened() as check, run.found.open("a", encoding="utf-8") as stream:
        for number in range(first, run.inputs):
            if time.monotonic() > run.ends:
                return
            data = run.data(generate, number)
            area.put(number, data)
            try:
                with limited(run.hang_s):
                    check(data)
            except (Exception, HangError) as error:  # noqa: BLE001 - every error is a finding
                place = _place(error)
                if place not in seen:
                    seen.add(place)
                    stream.write(json.dumps([number, _keep(run, number, data, error)]) + "\n")
                    stream.flush()
                if len(seen) >= MOST_FAULTS:
                    return
    area.put(run.inputs, b"")


def _place(error: BaseException) -> str:
    """What tells faults apart: the type of the error, and the line of the package that raised it."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [each for each in frames if "/notewell/" in each.filename]
    if isinstance(error, FaultError) or not own:
        return f"{type(error).__name__} {str(error)[:80]}"
    return f"{type(error).__name__} {own[-1].filename}:{own[-1].lineno}"


def _keep(run: Run, number: int, data: bytes, error: BaseException | str) -> str:
    """Store an input, and beside it what it did."""
    OUT.mkdir(exist_ok=True)
    file = OUT / f"{run.target.name}-{run.seed}-{number}"
    file.write_bytes(data)
    told = error if isinstance(error, str) else "".join(traceback.format_exception(error))
    file.with_suffix(".txt").write_text(told, encoding="utf-8", errors="backslashreplace")
    return str(file.relative_to(HERE.parents[1]))


def fuzz(
    target: Target,
    *,
    seed: int,
    inputs: int,
    hang_s: float = HANG_S,
    seconds: float = math.inf,
) -> Outcome:
    """Run a target, and start it again behind an input that ended its process.

    After `seconds` it ends with fewer inputs, which the outcome says.
    """
    outcome = Outcome(target.name)
    started, used = time.monotonic(), _processor_s()
    area, context = Area(), multiprocessing.get_context("fork")
    OUT.mkdir(exist_ok=True)
    run = Run(target, seed, inputs, OUT / f"{target.name}-{seed}.found", hang_s, started + seconds)
    run.found.unlink(missing_ok=True)
    first = 0
    while first < inputs and len(outcome.faults) < MOST_FAULTS:
        area.put(_NOT_STARTED, b"")
        worker = context.Process(target=_work, args=(run, first, area))
        worker.start()
        worker.join()
        number, data = area.get()
        if number == _NOT_STARTED and time.monotonic() > run.ends:
            break  # making the first inputs took all the time
        if number == _NOT_STARTED:
            raise SystemExit(f"{target.name} cannot be set up: the error is above.")
        outcome.inputs = min(number + 1, inputs)
        if worker.exitcode == 0:
            break
        code = worker.exitcode or 0
        reason = signal.Signals(-code).name if code < 0 else f"exit status {code}"
        outcome.faults.append(_keep(run, number, data, f"the process ended: {reason}\n"))
        first = number + 1
    if run.found.exists():
        lines = run.found.read_text(encoding="utf-8").splitlines()
        outcome.faults += [json.loads(line)[1] for line in lines]
        run.found.unlink()
    outcome.seconds = round(time.monotonic() - started, 1)
    outcome.processor_s = round(_processor_s() - used, 1)
    return outcome


def _processor_s() -> float:
    """Processor time of all workers that ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def replay(file: Path) -> None:
    """Check one stored input in this process; its error ends it."""
    target = target_of(file.name.partition("-")[0])
    signal.signal(signal.SIGVTALRM, _stop)
    warnings.simplefilter("error")
    with target.opened() as check, limited():
        check(file.read_bytes())


def keep(outcome: Outcome, seed: int, file: Path) -> None:
    """Put an outcome into the file of results, which has the newest of each target."""
    known = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
    commit = subprocess.run(
        ["git", "describe", "--always", "--dirty"],
        cwd=HERE,
        capture_output=True,
        text=True,
        check=False,
    ).stdout.strip()
    known[outcome.target] = {
        "commit": commit,
        "date": time.strftime("%Y-%m-%d"),
        "python": platform.python_version(),
        "seed": seed,
        "inputs": outcome.inputs,
        "seconds": outcome.seconds,
        "inputs_a_second": round(outcome.inputs / max(outcome.seconds, 0.1)),
        "processor_s": outcome.processor_s,
        "faults": outcome.faults,
    }
    file.write_text(json.dumps(known, indent=2, sort_keys=True) + "\n", encoding="utf-8")


def main() -> int:
    """Run the targets one after another; the status is 1 if any found a fault."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--inputs", type=int, default=1000, help="of each target")
    parser.add_argument("--seconds", type=float, default=math.inf, help="the most for each target")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--targets", default=",".join(TARGETS))
    parser.add_argument("--result", type=Path, help="keep the outcomes in this JSON file")
    parser.add_argument("--replay", type=Path, help="check one stored input")
    asked = parser.parse_args()
    if asked.replay:
        replay(asked.replay)
        return 0
    outcomes = []
    for name in asked.targets.split(","):
        outcome = fuzz(target_of(name), seed=asked.seed, inputs=asked.inputs, seconds=asked.seconds)
        outcomes.append(outcome)
        line = (
            f"{name}: {outcome.inputs} inputs in {outcome.seconds} s"
            f" ({outcome.processor_s} s of processor time), {len(outcome.faults)} faults\n"
        )
        sys.stdout.write(line + "".join(f"  {file}\n" for file in outcome.faults))
        sys.stdout.flush()
        if asked.result:
            keep(outcome, asked.seed, asked.result)
    return 1 if any(outcome.faults for outcome in outcomes) else 0


if __name__ == "__main__":
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    sys.exit(main())
