"""The commit, machine and package versions that a figure was measured with."""

from __future__ import annotations

import os
import platform
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

CORES = 2  # measurements use at most so many, to compare between machines
_HERE = Path(__file__).parent


@dataclass(frozen=True)
class Provenance:
    """The commit, machine and versions of a measurement."""

    date: str
    commit: str
    cpu: str
    cores: int
    python: str
    system: str
    versions: dict[str, str]

    @property
    def stem(self) -> str:
        """A file name for the results."""
        return f"{self.date}-{self.commit}"

    def markdown(self) -> str:
        """The same as lines of a Markdown list."""
        packages = ", ".join(f"{name} {number}" for name, number in self.versions.items())
        return (
            f"- commit {self.commit}, {self.date}\n"
            f"- {self.cpu}, {self.cores} cores used; {self.system}\n"
            f"- Python {self.python}; {packages}\n"
        )


def provenance(packages: Sequence[str]) -> Provenance:
    """Read them for this process and checkout; `packages` that are not installed are left out."""
    return Provenance(
        date=datetime.now(UTC).date().isoformat(),
        commit=_commit(),
        cpu=_cpu(),
        cores=len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else CORES,
        python=platform.python_version(),
        system=platform.system(),
        versions={name: number for name in packages if (number := _version(name))},
    )


def bound_to_cores() -> None:
    """Limit this process and its children to `CORES` processors, where the system allows it."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:CORES])


def _commit() -> str:
    """The short hash, followed by `-changed` where the package differs from the commit."""
    try:
        commit = _git("rev-parse", "--short", "HEAD")
        changed = _git("status", "--porcelain", "--", "../../sidecar")
    except (OSError, subprocess.CalledProcessError):
        return "no-commit"
    return f"{commit}-changed" if changed else commit


def _git(*arguments: str) -> str:
    command = ["git", "-C", str(_HERE), *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def _cpu() -> str:
    info = Path("/proc/cpuinfo")
    if info.exists():
        for line in info.read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None
