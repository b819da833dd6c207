"""`notewell eval --golden`: measuring on what the user opened and judged."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

from notewell.cli.options import Invocation
from notewell.cli.progress import Reporter

if TYPE_CHECKING:  # these load the engine
    from notewell.evaluate import EvalReport
    from notewell.types import SearchMode


def measure_golden(
    inv: Invocation,
    reporter: Reporter,
    *,
    vault: str | None,
    mode: SearchMode | None,
    model: str | None,
) -> EvalReport:
    """The report on the golden set of the vault that `vault` names."""
    from notewell.evaluate import run_golden, systems_of  # noqa: PLC0415 - loads the engine

    with closing(
        inv.vaults(fetch_missing=True, say=reporter.say, flags={"model.name": model})
    ) as known:
        record = known.find(vault, cwd=Path.cwd())
        return run_golden(known, record, systems=systems_of(mode), progress=reporter.update)


def export_golden(inv: Invocation, folder: Path, *, vault: str | None) -> dict[str, object]:
    """Write the golden set as files, and say what they hold."""
    from notewell.evaluate import read_golden, write_golden  # noqa: PLC0415 - loads the engine

    with closing(inv.vaults()) as known:
        judged = read_golden(known, known.find(vault, cwd=Path.cwd()))
    judgements = write_golden(judged, folder)
    return {"folder": str(folder), "queries": len(judged.queries), "judgements": judgements}
