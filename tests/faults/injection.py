"""Does an operation again and again, with its first, second, ... n-th call to the disk failing.

    python -m tests.faults.injection index            (every call of one operation)
    python -m tests.faults.injection --all            (every call of every operation; half an hour)
    python -m tests.faults.injection index --part 2/6 (a sixth of them)
    python -m tests.faults.injection --all --sites    (of each place in the program one call)

With `TMPDIR=/dev/shm`, files in memory, it takes a third of the time.

`failing_io.c` is compiled and loaded into this process before the C library, so that calls of
Python, SQLite, tantivy and numpy are all counted. Each attempt is a fork: it does the operation on a
copy of the same folders, and a second fork, in which nothing fails, says what is wrong with what
the first left behind.
"""

from __future__ import annotations

import argparse
import errno
import json
import mmap
import os
import random
import shutil
import struct
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from notewell.base.errors import NotewellError

SOURCE = Path(__file__).with_name("failing_io.c")
_FORM = struct.Struct("6q24s1024s")
_SITES = struct.Struct("8192Q" + 8192 * "16s")
_WRITING = ("write", "pwrite", "fwrite", "sendfile")  # what can be torn
_SHARED = "FAILING_IO"
_DELETING = ("unlink", "rmdir", "opendir")
_NEEDS_NO_SPACE = (*_DELETING, "reopen", "chmod", "fchmod", "utime")
LEFT = "left behind: "  # begins what `check` says of temporary files


@dataclass(frozen=True, slots=True)
class Mode:
    """How a call fails. `torn`: half of a write is written; `lasts`: so do all calls after it."""

    name: str
    error: int
    torn: bool = False
    lasts: bool = False


MODES = (
    Mode("full", errno.ENOSPC, lasts=True),
    Mode("denied", errno.EACCES),
    Mode("interrupted", errno.EINTR),
    Mode("torn", errno.EIO, torn=True),
)


@dataclass(frozen=True, slots=True)
class Operation:
    """Something that writes. All three get the folder in which everything lies.

    `check` is told whether `act` said that it succeeded; it returns what is wrong, which is nothing
    if the state is the one before or, after success always, the one after.
    """

    name: str
    prepare: Callable[[Path], None]
    act: Callable[[Path], None]
    check: Callable[[Path, bool], list[str]]


@dataclass(frozen=True, slots=True)
class Attempt:
    """What came of one failing call. `said` is the error's message, "" for none."""

    operation: str
    mode: str
    at: int
    call: str
    said: str
    wrong: tuple[str, ...]


class Plan:
    """The memory shared with `failing_io.c`: what is to fail, and how many calls there were."""

    def __init__(self, file: Path) -> None:
        with file.open("r+b") as stream:
            self._shared = mmap.mmap(stream.fileno(), _FORM.size + _SITES.size)

    def arm(self, below: Path, mode: Mode, at: int) -> None:
        """From now on count the calls below a folder, and let the one of this number fail."""
        self._write((1, at, mode.error, mode.torn, mode.lasts, 0), str(below))

    def disarm(self) -> tuple[int, str]:
        """Nothing fails any more; returns the number of calls, and which one failed."""
        _, _, _, _, _, count, call, _ = _FORM.unpack(self._shared[: _FORM.size])
        self._write((0,) * 6, "")
        return count, call.rstrip(b"\0").decode()

    def sites(self, count: int) -> dict[int, tuple[int, str]]:
        """The places in the program that the counted calls came from: the first of each, its name."""
        values = _SITES.unpack_from(self._shared, _FORM.size)
        found: dict[int, tuple[int, str]] = {}
        for at in range(count):
            call = values[len(values) // 2 + at].rstrip(b"\0").decode()
            found.setdefault(values[at], (at + 1, call))
        return found

    def _write(self, numbers: tuple[int, ...], below: str) -> None:
        self._shared[: _FORM.size] = _FORM.pack(*numbers, b"", below.encode())


def compiled(folder: Path) -> Path | None:
    """`failing_io.c` as a library; None where there is no compiler, or no Linux."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None or sys.platform != "linux":
        return None
    library = folder / "failing_io.so"
    command = [compiler, "-O1", "-shared", "-fPIC", "-o", str(library), str(SOURCE), "-ldl"]
    subprocess.run(command, check=True)
    return library


def run_in_process(library: Path, *arguments: str) -> list[dict[str, Any]]:
    """Run this module with the library loaded; returns its attempts."""
    with tempfile.TemporaryDirectory() as folder:
        shared = Path(folder, "plan")
        shared.write_bytes(bytes(_FORM.size + _SITES.size))
        ended = subprocess.run(
            [sys.executable, "-m", "tests.faults.injection", "--inside", *arguments],
            cwd=SOURCE.parents[2],
            env={**os.environ, "LD_PRELOAD": str(library), _SHARED: str(shared)},
            capture_output=True,
            text=True,
            check=False,
        )
    assert ended.returncode == 0, ended.stdout[-2000:] + ended.stderr[-4000:]
    return [json.loads(line) for line in ended.stdout.splitlines()]


@dataclass(frozen=True, slots=True)
class Trials:
    """Attempts at one operation, in folders below `root`."""

    operation: Operation
    root: Path
    plan: Plan

    def all(self, most: int, seed: int, part: tuple[int, int] = (1, 1)) -> Iterator[Attempt]:
        """Let the calls fail one by one; of more than `most` a sample, in each mode.

        `part` (k, n): only the k-th of n parts of them.
        """
        count = self._prepared()
        for mode in MODES:
            numbers = list(range(1, count + 1))
            if len(numbers) > most:
                chosen = random.Random(f"{seed} {self.operation.name} {mode.name}")
                numbers = sorted(chosen.sample(numbers, most))
            for at in numbers[part[0] - 1 :: part[1]]:
                yield self._one(mode, at)

    def of_each_site(self, known: set[int], part: tuple[int, int] = (1, 1)) -> Iterator[Attempt]:
        """Let one call fail of those that come from the same place, to the same kind of file.

        Places of `known`, to which these are added, are left out. Each is denied; where there is
        something to write, the disk is full, and a write is torn.
        """
        sites = self.plan.sites(self._prepared())
        new = sorted(call for site, call in sites.items() if site not in known)
        known.update(sites)
        full, denied, _, torn = MODES
        for at, call in new[part[0] - 1 :: part[1]]:
            yield self._one(denied, at)
            if call not in _NEEDS_NO_SPACE:
                yield self._one(full, at)
            if call in _WRITING:
                yield self._one(torn, at)

    def _prepared(self) -> int:
        """Make the folder that attempts start from; returns how many calls the operation does."""
        answer_of_fork(lambda: self.operation.prepare(emptied(self.root / "ready")))
        return self._one(MODES[0], 0).at

    def _one(self, mode: Mode, at: int) -> Attempt:
        """Let the call of this number fail; 0: none, and `at` of the answer is how many there were."""
        work = emptied(self.root / "work")
        shutil.copytree(self.root / "ready", work, dirs_exist_ok=True)
        acted = answer_of_fork(lambda: self._act(work, mode, at))
        if "failed" in acted:
            self.plan.disarm()
            wrong = [f"ended: {acted['failed']}"]
            return Attempt(self.operation.name, mode.name, at, "", "", tuple(wrong))
        done = not acted["said"] and not acted["crash"]
        checked = answer_of_fork(lambda: self.operation.check(work, done))
        wrong = checked if isinstance(checked, list) else [f"then: {checked['failed']}"]
        if acted["call"] in _DELETING:  # what could not be deleted is left, and nothing else
            wrong = [each for each in wrong if not each.startswith(LEFT)]
        return Attempt(
            self.operation.name,
            mode.name,
            at or acted["count"],
            acted["call"],
            acted["said"],
            (*acted["crash"], *wrong),
        )

    def _act(self, work: Path, mode: Mode, at: int) -> dict[str, Any]:
        said, crash = "", []
        self.plan.arm(work, mode, at)
        try:
            self.operation.act(work)
        except NotewellError as error:
            said = error.message
        except BaseException:  # noqa: BLE001 - whatever else is raised is what is looked for
            crash = [traceback.format_exc()[-1500:]]
        count, call = self.plan.disarm()
        return {"said": said, "crash": crash, "count": count, "call": call}


def emptied(folder: Path) -> Path:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder


def answer_of_fork(work: Callable[[], Any]) -> Any:
    """What a fork returns: this process must stay without threads, to be forked again."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        try:
            answer = work()
        except BaseException:  # noqa: BLE001 - told to the parent
            answer = {"failed": traceback.format_exc()[-1500:]}
        with os.fdopen(writing, "w") as stream:
            json.dump(answer, stream)
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as stream:
        told = stream.read()
    _, status = os.waitpid(child, 0)
    return json.loads(told) if told else {"failed": f"the process ended with {status}"}


def main() -> int:
    """Print a line for each attempt if `--inside`, else those with something wrong."""
    from tests.faults.operations import OPERATIONS  # noqa: PLC0415 - it imports this module

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("operations", nargs="*", choices=[*OPERATIONS, []])
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--most", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--part", default="1/1", metavar="K/N")
    parser.add_argument("--sites", action="store_true")
    parser.add_argument("--inside", action="store_true")
    asked = parser.parse_args()
    names = list(OPERATIONS) if asked.all else asked.operations
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        if asked.inside:
            plan, known = Plan(Path(os.environ[_SHARED])), set[int]()
            first, _, parts = asked.part.partition("/")
            part = int(first), int(parts)
            for name in names:
                trials = Trials(OPERATIONS[name], root, plan)
                for attempt in (
                    trials.of_each_site(known, part)
                    if asked.sites
                    else trials.all(asked.most, asked.seed, part)
                ):
                    sys.stdout.write(json.dumps(asdict(attempt)) + "\n")
            return 0
        library = compiled(root)
        if library is None:
            sys.stderr.write("This needs Linux and a C compiler.\n")
            return 2
        chosen = ["--most", str(asked.most), "--seed", str(asked.seed), "--part", asked.part]
        chosen += ["--sites"] if asked.sites else []
        found = run_in_process(library, *names, *chosen)
    for name in names:
        of = [each for each in found if each["operation"] == name]
        wrong = [each for each in of if each["wrong"]]
        sys.stdout.write(f"{name}: {len(of)} failing calls, {len(wrong)} with something wrong\n")
        for each in wrong[:8]:
            sys.stdout.write(f"  {each['mode']} {each['call']} {each['at']}: {each['said']}\n")
            sys.stdout.write("".join(f"    {line}\n" for line in each["wrong"]))
    return 1 if any(each["wrong"] for each in found) else 0


if __name__ == "__main__":
    sys.exit(main())
