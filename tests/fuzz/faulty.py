"""Runs a target that fails in each way there is, and prints what the runner makes of it."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.fuzz.run import OUT, fuzz
from tests.fuzz.target import Check, Generate, Target

INPUTS = 12
# Its sum is one call of native code, which no handler of a signal in Python interrupts.
_ENDLESS = 10**13


def _generator(_seed: int, _inputs: int) -> Generate:
    return lambda rng: str(rng.randrange(5)).encode()


@contextmanager
def _opened() -> Iterator[Check]:
    def check(data: bytes) -> None:
        match data:
            case b"1":
                os.abort()
            case b"2":
                sum(range(_ENDLESS))
            case b"3":
                _ = 1 // (len(data) - 1)
            case b"4":
                while True:
                    pass

    yield check


def main() -> None:
    """Print the number of inputs, and of each kind of fault the input and its last line."""
    target = Target("faulty", _opened, _generator)
    outcome = fuzz(target, seed=1, inputs=INPUTS, hang_s=0.2)
    sys.stdout.write(f"{outcome.inputs} inputs\n")
    lines = set()
    for name in outcome.faults:
        file = Path(OUT.parents[2], name)
        told = file.with_suffix(".txt")
        last = told.read_text(encoding="utf-8").splitlines()[-1]
        lines.add(f"{file.read_bytes()!r} {last}\n")
        file.unlink()
        told.unlink()
    sys.stdout.writelines(sorted(lines))


if __name__ == "__main__":
    main()
