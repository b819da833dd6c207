"""The work of `notewell eval`: finds or builds indexes, measures them, prints the figures.

It loads the engine, so the command imports it only when it runs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import click

from notewell.api.commands import Invocation, current_invocation, emit_object, print_table
from notewell.api.errors import NotFoundError
from notewell.api.files import expand_user
from notewell.api.types import Settings, VaultRecord
from notewell.base.packages import EVAL, missing_package
from notewell.base.types import SearchMode
from notewell.doors.cli.output import emit
from notewell.doors.cli.progress import Reporter
from notewell.engine.feature import load, provided, switched_on
from notewell.engine.open_vaults import Vaults
from notewell.features import FEATURES
from notewell.features.evaluate.golden_set import read_golden, run_golden, write_golden
from notewell.features.evaluate.report import ClassFigures, EvalReport, Waits, report_json
from notewell.features.evaluate.run import OtherPrograms, eval_settings, run_vault, systems_of

_METRICS = {
    "ndcg_10": "nDCG@10",
    "recall_10": "Recall@10",
    "recall_100": "Recall@100",
    "mrr_10": "MRR@10",
}
_WAITS = {"median_ms": "median ms", "p95_ms": "p95 ms"}

Peers: TypeAlias = Callable[[Settings, Callable[[str], None]], OtherPrograms]


@dataclass(frozen=True, slots=True)
class JudgedFiles:
    """The files of a judged set."""

    queries: Path
    qrels: Path
    drops: Path | None


@dataclass(frozen=True, slots=True)
class Task:
    """The measurement: the mode, the model and the peers that were asked for."""

    mode: SearchMode | None
    model: str | None
    peers: Peers | None
    invocation: Invocation
    reporter: Reporter

    def settings(self, vault: Path | None = None) -> Settings:
        return self.invocation.settings(vault=vault, flags={"model.name": self.model})

    def separate_settings(self) -> Settings:
        """Return the settings for what is indexed separately from the user's vaults."""
        return eval_settings(self.settings())

    def known_vaults(self) -> Vaults:
        """Return the user's vaults; the caller closes them."""
        flags = {"model.name": self.model}
        return self.invocation.vaults(fetch_missing=True, say=self.reporter.say, flags=flags)

    def separate_vaults(self) -> Vaults:
        """Return the vaults of corpora and unknown folders; the caller closes them."""
        return Vaults(
            self.separate_settings(),
            fetch_missing=True,
            say=self.reporter.say,
            features=FEATURES,
        )

    def against(self, settings: Settings) -> OtherPrograms | None:
        """Return the peers, with the model of these settings; None where no peer was named."""
        return self.peers and self.peers(settings, self.reporter.say)


def peers_of(names: str | None, settings: Settings) -> Peers | None:
    """Return what measures the peers in a comma-separated list.

    Raises UsageError for an unknown name, MissingExtraError without the package that has them.
    """
    if names is None:
        return None
    peers: Peers = _of_package("against", "--against", settings)(names)
    return peers


def _of_package(name: str, option: str, settings: Settings) -> Any:
    """A function of the package notewell-eval, or MissingExtraError."""
    place = provided(switched_on(FEATURES, settings), "measure").get(name)
    if place is None:
        raise missing_package(EVAL, option)
    return load(place)


def measure_files(
    task: Task, files: JudgedFiles, corpus: Path | None, vault: str | None
) -> EvalReport:
    """Measure with judged files about a corpus or a vault, exactly one of which must be given."""
    if corpus is not None and vault is None:
        return _measure_corpus(task, files, corpus)
    if vault is not None and corpus is None:
        return _measure_vault(task, files, vault)
    raise click.UsageError("Give either --corpus or --vault.")


def _measure_corpus(task: Task, files: JudgedFiles, corpus: Path) -> EvalReport:
    settings = task.separate_settings()
    run_corpus = _of_package("corpus", "--corpus", settings)
    with closing(task.separate_vaults()) as vaults:
        report: EvalReport = run_corpus(
            vaults,
            corpus,
            queries=files.queries,
            qrels=files.qrels,
            drops=files.drops,
            work_dir=settings.data_dir / "corpora",
            systems=systems_of(task.mode),
            against=task.against(settings),
            progress=task.reporter.update,
        )
        return report


def _measure_vault(task: Task, files: JudgedFiles, word: str) -> EvalReport:
    with ExitStack() as stack:
        vaults, record, settings = _find(task, word, stack)
        return run_vault(
            vaults,
            record,
            queries=files.queries,
            qrels=files.qrels,
            drops=files.drops,
            systems=systems_of(task.mode),
            against=task.against(settings),
            progress=task.reporter.update,
        )


def _find(task: Task, word: str, stack: ExitStack) -> tuple[Vaults, VaultRecord, Settings]:
    """Find the user's vault that `word` names, with its settings; add another folder separately."""
    known = task.known_vaults()
    stack.callback(known.close)
    try:
        record = known.find(word, cwd=Path.cwd())
    except NotFoundError:
        if not expand_user(word).is_dir():
            raise
    else:
        return known, record, task.settings(record.path)
    separate = task.separate_vaults()
    stack.callback(separate.close)
    return separate, separate.add(Path(word)), task.separate_settings()


def measure_golden(task: Task, vault: str | None) -> EvalReport:
    """Measure with the golden set of the vault that `vault` names."""
    with closing(task.known_vaults()) as known:
        record = current_invocation().vault(vault)
        return run_golden(
            known,
            record,
            systems=systems_of(task.mode),
            against=task.against(task.settings(record.path)),
            progress=task.reporter.update,
        )


def export_golden(
    invocation: Invocation, folder: Path, vault: str | None, *, as_json: bool
) -> None:
    """Write the golden set as files, and print what they hold."""
    with closing(invocation.vaults()) as known:
        judged = read_golden(known, invocation.vault(vault))
    judgements = write_golden(judged, folder)
    show_exported(invocation, folder, (len(judged.queries), judgements), as_json=as_json)


def show_report(report: EvalReport, invocation: Invocation, *, as_json: bool) -> None:
    """Print the figures of all systems and peers, then how far apart ours and each peer are."""
    if as_json:
        emit(report_json(report))
        return
    invocation.warn(report.warnings)
    # The 95th percentile is shown only with peers, so that the usual table fits 80 columns.
    waits = list(_WAITS) if report.against else ["median_ms"]
    headings = ("system", "queries", "count", *_METRICS.values(), *(_WAITS[key] for key in waits))
    print_table(headings, list(_measured_rows(report, waits)), right=headings[2:])
    if report.against:
        click.echo()
        _print_differences(report)


def show_exported(
    invocation: Invocation, folder: Path, counts: tuple[int, int], *, as_json: bool
) -> None:
    """Print where a golden set was written, and how many queries and judgements it has."""
    queries, judgements = counts
    if as_json:
        emit_object({"folder": str(folder), "queries": queries, "judgements": judgements})
    else:
        invocation.say(f"{folder}: {queries} queries, {judgements} judgements")


def _measured_rows(report: EvalReport, waits: list[str]) -> Iterator[tuple[str, ...]]:
    for system in report.systems:
        for row in system.rows:
            yield _row(system.system.name, row, system.waits, waits)
    for peer in report.against:
        for row in peer.rows:
            yield _row(peer.name, row, peer.waits, waits)


def _row(name: str, row: ClassFigures, measured: Waits, waits: list[str]) -> tuple[str, ...]:
    return (
        name,
        row.kind or "all",
        f"{row.queries:,}",
        *(f"{getattr(row.figures, metric):.4f}" for metric in _METRICS),
        *("" if row.kind else f"{getattr(measured, key):.1f}" for key in waits),
    )


def _print_differences(report: EvalReport) -> None:
    """Print how much better our nDCG@10 is than each peer's, with the 95 % interval."""
    rows = [
        (
            f"{comparison.system} - {comparison.baseline}",
            comparison.kind or "all",
            f"{comparison.interval.difference:+.4f}",
            f"{comparison.interval.low:+.4f} .. {comparison.interval.high:+.4f}",
        )
        for peer in report.against
        for comparison in peer.comparisons
    ]
    headings = ("difference", "queries", "nDCG@10", "95 % interval")
    print_table(headings, rows, right=headings[2:])
