"""The JSON form of an evaluation's report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields

import orjson

from notewell.evaluate.report import (
    ClassFigures,
    Comparison,
    EvalReport,
    Figures,
    PeerReport,
    SystemReport,
    Waits,
    product,
)


def report_json(report: EvalReport) -> bytes:
    """Encode the report as one JSON document: the product's own figures first, then all systems."""
    first = product(report.systems)
    document = {
        "set": report.name,
        "documents": report.documents,
        "queries": first.rows[0].queries,
        "mode": first.system.mode,
        "model": report.model,
        **_named(first.rows[0].figures),
        "systems": [_system_json(system) for system in report.systems],
        "comparisons": [_comparison_json(one) for one in report.comparisons],
        "against": [_peer_json(peer) for peer in report.against],
        "warnings": report.warnings,
    }
    return orjson.dumps(document)


def _system_json(report: SystemReport) -> Mapping[str, object]:
    return {
        "name": report.system.name,
        "mode": report.system.mode,
        "fusion": report.system.fusion if report.system.mode == "hybrid" else None,
        **_measured_json(report.rows, report.waits),
    }


def _peer_json(report: PeerReport) -> Mapping[str, object]:
    return {
        "name": report.name,
        **_measured_json(report.rows, report.waits),
        "comparisons": [_comparison_json(one) for one in report.comparisons],
    }


def _measured_json(rows: Sequence[ClassFigures], waits: Waits) -> Mapping[str, object]:
    overall, *classes = rows
    return {
        "queries": overall.queries,
        **_named(overall.figures),
        "median_ms": round(waits.median_ms, 3),
        "p95_ms": round(waits.p95_ms, 3),
        "classes": {
            str(row.kind): {"queries": row.queries, **_named(row.figures)} for row in classes
        },
    }


def _comparison_json(one: Comparison) -> Mapping[str, object]:
    return {
        "metric": "ndcg@10",
        "system": one.system,
        "beside": one.baseline,
        "class": one.kind,
        "difference": one.interval.difference,
        "low": one.interval.low,
        "high": one.interval.high,
    }


def _named(figures: Figures) -> dict[str, float]:
    """The metrics by their usual names, such as `ndcg@10`."""
    return {
        field.name.replace("_", "@"): round(getattr(figures, field.name), 6)
        for field in fields(Figures)
    }
