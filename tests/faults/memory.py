"""Does an operation again and again, each time with another allocation of Python's memory failing.

    python -m tests.faults.memory undo memories --most 40

`_testcapi.set_nomemory` of CPython lets the n-th allocation fail, and those after it until `lasts`
have failed. Each attempt is a fork, on a copy of the same folders; a second fork, in which nothing
fails, says what is wrong with what the first left behind, as for calls to the disk (`injection`).
Memory that SQLite, tantivy and onnxruntime ask the system for is not Python's and does not fail.
Operations that start a thread are left out: where the memory of a new thread fails, CPython waits
for it for ever (`query_log`).
"""

from __future__ import annotations

import argparse
import json
import random
import shutil
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from types import ModuleType

from notewell.base.errors import NotewellError
from tests.faults.injection import LEFT, Operation, answer_of_fork, emptied

_FIRST_GUESS = 1_000
_MOST_ALLOCATIONS = 4_000_000  # an operation with more is tried up to there
LASTING = (1, 200)  # how many allocations fail: a moment, and a while


@dataclass(frozen=True, slots=True)
class MemoryAttempt:
    """What came of one failing allocation. `said` is the error's kind, "" for none."""

    operation: str
    at: int
    lasts: int
    said: str
    wrong: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class MemoryTrials:
    """Attempts at one operation, in folders below `root`."""

    operation: Operation
    root: Path
    hooks: ModuleType

    def sample(self, most: int, seed: int) -> Iterator[MemoryAttempt]:
        """Let at most so many allocations fail, drawn from all that the operation does."""
        answer_of_fork(lambda: self.operation.prepare(emptied(self.root / "ready")))
        count = self._count()
        drawn = random.Random(f"{seed} {self.operation.name}")
        for at in sorted(drawn.sample(range(1, count + 1), min(most, count))):
            yield self._one(at, drawn.choice(LASTING))

    def _count(self) -> int:
        """About how many allocations the operation does, to a factor of two."""
        at = _FIRST_GUESS
        while at < _MOST_ALLOCATIONS and self._one(at, 1).said:
            at *= 2
        return at

    def _one(self, at: int, lasts: int) -> MemoryAttempt:
        work = emptied(self.root / "work")
        shutil.copytree(self.root / "ready", work, dirs_exist_ok=True)
        acted = answer_of_fork(lambda: self._act(work, at, lasts))
        # A process without memory may not even be able to say so; then it ends like a killed one.
        said = "ended" if "failed" in acted else str(acted["said"])
        checked = answer_of_fork(lambda: {"wrong": self.operation.check(work, not said)})
        wrong = checked.get("wrong", [f"unusable: {checked.get('failed')}"])
        # A process that has no memory may leave a temporary file, which the next one deletes.
        kept = tuple(each for each in wrong if not each.startswith(LEFT))
        return MemoryAttempt(self.operation.name, at, lasts, said, kept)

    def _act(self, work: Path, at: int, lasts: int) -> dict[str, object]:
        said = ""
        self.hooks.set_nomemory(at, at + lasts)
        try:
            self.operation.act(work)
        except (MemoryError, NotewellError, OSError) as error:
            said = type(error).__name__
        finally:
            self.hooks.remove_mem_hooks()
        return {"said": said}


def main() -> None:
    """Try the operations that are named, and print each attempt as a line of JSON."""
    import _testcapi  # noqa: PLC0415 - not every build of Python has it

    from tests.faults.operations import OPERATIONS  # noqa: PLC0415 - it imports `injection`

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("operations", nargs="+", choices=list(OPERATIONS))
    parser.add_argument("--most", type=int, default=40)
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        for name in asked.operations:
            root = Path(folder, name)
            root.mkdir()
            trials = MemoryTrials(OPERATIONS[name], root, _testcapi)
            for attempt in trials.sample(asked.most, asked.seed):
                sys.stdout.write(f"{json.dumps(asdict(attempt))}\n")


if __name__ == "__main__":
    main()
