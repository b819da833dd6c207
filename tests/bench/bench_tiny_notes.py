"""A hundred thousand notes of a line each: first index by keyword, a check, and all of them renamed.

Without a model, so that the figures are those of files, database and keyword index. Memory is the
most that the process ever had in use.
"""

from __future__ import annotations

import random
import resource
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from figures import Figure, options, write

from notewell.engine.engine import Engine
from notewell.types import ModelRules, Settings, VaultRecord

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
class TinyNotes:
    """Seconds of each step, and the process's greatest memory so far, in MB."""

    notes: int
    first_s: float
    check_s: float
    renamed_s: float
    first_mb: float
    renamed_mb: float


def main() -> None:
    """Measure, and write the figures."""
    chosen = options(__doc__ or "")
    count = QUICK_NOTES if chosen.quick else NOTES
    with tempfile.TemporaryDirectory() as folder:
        measured = measure(Path(folder), count)
    write(chosen.json, rows(measured), {"tiny_notes": measured})


def rows(measured: TinyNotes) -> list[Figure]:
    """The rows of the table."""
    steps = (
        ("first index by keyword", measured.first_s, measured.first_mb),
        ("check without a change", measured.check_s, measured.first_mb),
        ("all renamed at once", measured.renamed_s, measured.renamed_mb),
    )
    return [
        Figure(
            figure=f"{measured.notes:,} tiny notes, {step}",
            aim="",
            beside="",
            measured=f"{seconds:.1f} s",
            note=f"at most {memory:.0f} MB",
        )
        for step, seconds, memory in steps
    ]


def measure(root: Path, count: int) -> TinyNotes:
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
    engine = Engine.open(VaultRecord("v", "vault", vault), root / "index", settings, writable=True)
    first_s = _seconds(engine.index_now)
    first_mb = _memory_mb()
    check_s = _seconds(engine.index_now)
    for n in range(count):
        _path(vault, "", n).rename(_path(vault, "renamed ", n))
    renamed_s = _seconds(engine.index_now)
    engine.close()
    return TinyNotes(count, first_s, check_s, renamed_s, first_mb, _memory_mb())


def _path(vault: Path, prefix: str, n: int) -> Path:
    return vault / f"{n // IN_A_FOLDER}" / f"{prefix}{n}.md"


def _seconds(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return round(time.perf_counter() - began, 2)


def _memory_mb() -> float:
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most / (1e6 if sys.platform == "darwin" else 1e3)  # bytes there, kibibytes elsewhere


if __name__ == "__main__":
    main()
