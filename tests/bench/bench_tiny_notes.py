"""A hundred thousand notes of a line each: first index by keyword, a check, and all of them renamed.

Without a model, so that the figures are those of files, database and keyword index. Memory is the
most that the process ever had in use. Processor time, of the program and of the system for it, also
holds where other programs work beside.
"""

from __future__ import annotations

import random
import resource
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from figures import Figure, options, write

from notewell.base.types import ModelRules, Settings, VaultRecord
from notewell.engine.engine import Engine
from notewell.features import FEATURES

NOTES, QUICK_NOTES = 100_000, 2_000
IN_A_FOLDER = 500
WORDS = [
    "river",
    "bread",
    "garden",
    "music",
    "star",
    "tree",
    "city",
    "friend",
    "story",
    "history",
    "code",
    "data",
    "model",
    "graph",
]


@dataclass(frozen=True)
class Step:
    """Seconds that a step took, its processor time, and the greatest memory so far, in MB."""

    what: str
    seconds: float
    processor_s: float
    memory_mb: float


def main() -> None:
    """Measure, and write the figures."""
    chosen = options(__doc__ or "")
    count = QUICK_NOTES if chosen.quick else NOTES
    with tempfile.TemporaryDirectory() as folder:
        measured = measure(Path(folder), count)
    write(chosen.json, rows(count, measured), {"tiny_notes": {"notes": count, "steps": measured}})


def rows(count: int, measured: Sequence[Step]) -> list[Figure]:
    """The rows of the table."""
    return [
        Figure(
            figure=f"{count:,} tiny notes, {step.what}",
            aim="",
            beside="",
            measured=f"{step.seconds:.1f} s",
            note=f"{step.processor_s:.1f} s of processor time, at most {step.memory_mb:.0f} MB",
        )
        for step in measured
    ]


def measure(root: Path, count: int) -> list[Step]:
    """Index `count` notes, look at them again, rename them all."""
    vault = root / "vault"
    made = random.Random(5)
    for n in range(count):
        note = _path(vault, "", n)
        note.parent.mkdir(parents=True, exist_ok=True)
        note.write_text(f"{' '.join(made.choices(WORDS, k=6))} {n}", encoding="utf-8")
    settings = Settings(
        data_dir=root / "data",
        model_dir=root / "models",
        state_dir=root / "state",
        offline=True,
        model=ModelRules(name="none", folder=str(root / "none")),
    )
    engine = Engine.open(
        VaultRecord("v", "vault", vault), root / "index", settings, writable=True, features=FEATURES
    )
    steps = [
        _step("first index by keyword", engine.index_now),
        _step("check without a change", engine.index_now),
    ]
    for n in range(count):
        _path(vault, "", n).rename(_path(vault, "renamed ", n))
    steps.append(_step("all renamed at once", engine.index_now))
    engine.close()
    return steps


def _path(vault: Path, prefix: str, n: int) -> Path:
    return vault / f"{n // IN_A_FOLDER}" / f"{prefix}{n}.md"


def _step(what: str, work: Callable[[], object]) -> Step:
    began, used = time.perf_counter(), time.process_time()
    work()
    seconds, processor_s = time.perf_counter() - began, time.process_time() - used
    return Step(what, round(seconds, 2), round(processor_s, 2), _memory_mb())


def _memory_mb() -> float:
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most / (1e6 if sys.platform == "darwin" else 1e3)  # bytes there, kibibytes elsewhere


if __name__ == "__main__":
    main()
