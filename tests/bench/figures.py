"""The output of a benchmark script, which `run.py` reads: rows of the table, and details.

    python tests/bench/bench_NAME.py --json FILE [--quick] [--torch-python PYTHON]

The file contains `{"figures": [{figure, aim, beside, measured, ratio, note}], "details": {…}}`;
`ratio` is ours divided by the peer's (null where there is no peer).
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import orjson


@dataclass(frozen=True)
class Figure:
    """A row of the table. `measured` and `beside` (the peer's figure) are texts with units."""

    figure: str
    aim: str
    beside: str
    measured: str
    ratio: float | None = None
    note: str = ""


@dataclass(frozen=True)
class Times:
    """Percentiles of repeated timings, in milliseconds."""

    p50: float
    p95: float
    runs: int

    @classmethod
    def of(cls, seconds: Sequence[float]) -> Times:
        """Percentiles of wall-clock times given in seconds."""
        p50, p95 = np.percentile(np.asarray(seconds) * 1000, [50, 95])
        return cls(round(float(p50), 3), round(float(p95), 3), len(seconds))

    def __str__(self) -> str:
        return f"p50 {self.p50:.3g} ms, p95 {self.p95:.3g} ms"


def arguments(about: str) -> argparse.ArgumentParser:
    """A parser with the arguments of every script, to which a script can add its own."""
    parser = argparse.ArgumentParser(description=about)
    parser.add_argument("--json", type=Path, required=True, help="file for the figures")
    parser.add_argument("--quick", action="store_true", help="smaller and fewer, to try it out")
    parser.add_argument("--torch-python", type=Path, help="a Python that has sentence-transformers")
    return parser


def options(about: str) -> argparse.Namespace:
    """Parse the arguments of a script that has no others."""
    return arguments(about).parse_args()


def write(path: Path, figures: Sequence[Figure], details: Mapping[str, object]) -> None:
    """Write a script's figures to the file that `run.py` reads."""
    document = {"figures": figures, "details": details}
    path.write_bytes(
        orjson.dumps(document, option=orjson.OPT_INDENT_2 | orjson.OPT_SERIALIZE_NUMPY)
    )
