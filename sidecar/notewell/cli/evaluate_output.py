"""How the results of `notewell eval` are printed: tables for people, or one JSON document."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click

from notewell.cli.options import Invocation
from notewell.cli.output import emit, emit_object, print_table
from notewell.evaluate import EvalReport, report_json
from notewell.evaluate.report import ClassFigures, Waits

_METRICS = {
    "ndcg_10": "nDCG@10",
    "recall_10": "Recall@10",
    "recall_100": "Recall@100",
    "mrr_10": "MRR@10",
}
_WAITS = {"median_ms": "median ms", "p95_ms": "p95 ms"}


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
            f"{one.system} - {one.baseline}",
            one.kind or "all",
            f"{one.interval.difference:+.4f}",
            f"{one.interval.low:+.4f} .. {one.interval.high:+.4f}",
        )
        for peer in report.against
        for one in peer.comparisons
    ]
    headings = ("difference", "queries", "nDCG@10", "95 % interval")
    print_table(headings, rows, right=headings[2:])
