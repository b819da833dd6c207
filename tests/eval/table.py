"""The results of an evaluation as Markdown, a row for each set, class of query and system."""

from __future__ import annotations

from collections.abc import Sequence

from notewell.features.evaluate.report import (
    BASELINES,
    PRODUCT,
    ClassFigures,
    ConfidenceInterval,
    EvalReport,
    SystemReport,
)

_HEAD = (
    "| set | queries | system | nDCG@10 | R@10 | R@100 | MRR@10 | vs keyword | vs rrf | vs hybrid | ms |\n"
    "|---|---:|---|---:|---:|---:|---:|---:|---:|---:|---:|\n"
)
_LEGEND = (
    "\n`vs`: difference in nDCG@10 with its 95 % paired bootstrap interval; bold where the interval "
    "excludes 0. `ms`: median time of a search with 100 results.\n"
)


def markdown(reports: Sequence[EvalReport]) -> str:
    """The table of all sets, followed by the warnings of the engine."""
    rows = [
        _row(report, system, row)
        for report in reports
        for row_number in range(len(report.systems[0].rows))
        for system in report.systems
        for row in (system.rows[row_number],)
    ]
    remarks = [f"- {report.name}: {text}\n" for report in reports for text in report.warnings]
    return _HEAD + "".join(rows) + _LEGEND + ("\n" if remarks else "") + "".join(remarks)


_KINDS = (
    ("keyword", "known-obsidian-help-en", "anchor"),
    ("conceptual", "scifact", None),
    ("context", "known-obsidian-help-en", "context"),
    ("syntax", "known-obsidian-help-en in folders", None),
    ("German", "xquad-de", None),
    ("Russian", "xquad-ru", None),
    ("Chinese", "xquad-zh", None),
)


def by_class(reports: Sequence[EvalReport]) -> str:
    """Mean nDCG@10 of each class of queries and each system."""
    known = {report.name: report for report in reports}
    systems = [system.system.name for system in reports[0].systems]
    lines = [
        f"| class | queries | {' | '.join(systems)} |\n",
        f"|---|---:|{'---:|' * len(systems)}\n",
    ]
    for name, of, kind in _KINDS:
        rows = (
            [row for system in known[of].systems for row in system.rows if row.kind == kind]
            if of in known
            else []
        )
        if rows:
            cells = " | ".join(f"{row.figures.ndcg_10:.3f}" for row in rows)
            lines.append(f"| {name} | {rows[0].queries} | {cells} |\n")
    return "".join(lines)


def _row(report: EvalReport, system: SystemReport, row: ClassFigures) -> str:
    figures = row.figures
    cells = [
        report.name if row.kind is None else f"{report.name}/{row.kind}",
        str(row.queries),
        system.system.name,
        *(f"{value:.3f}" for value in (figures.ndcg_10, figures.recall_10)),
        *(f"{value:.3f}" for value in (figures.recall_100, figures.mrr_10)),
        *(_versus(report, system, row, baseline) for baseline in (*BASELINES, PRODUCT)),
        f"{system.waits.median_ms:.1f}" if row.kind is None else "",
    ]
    return f"| {' | '.join(cells)} |\n"


def _versus(report: EvalReport, system: SystemReport, row: ClassFigures, baseline: str) -> str:
    for comparison in report.comparisons:
        if (comparison.system, comparison.baseline, comparison.kind) == (
            system.system.name,
            baseline,
            row.kind,
        ):
            return _interval(comparison.interval)
    return ""


def _interval(interval: ConfidenceInterval) -> str:
    text = f"{interval.difference:+.3f} [{interval.low:+.3f}, {interval.high:+.3f}]"
    return f"**{text}**" if interval.low > 0 or interval.high < 0 else text
