"""Runs an evaluation: brings the index up to date, sends the judged queries, reports the figures.

Queries go to `Engine.search`, as from the command line or over HTTP. They are sent as plain text,
unless their set says otherwise, and the ranking is the order of the results.
"""

from __future__ import annotations

import time
import unicodedata
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, get_args

from notewell.api.errors import UsageError
from notewell.api.search import SearchRequest
from notewell.api.types import Settings, VaultRecord, VaultRules
from notewell.base.errors import IndexInUseError
from notewell.base.types import PassageText, Progress, SearchMode, Signal
from notewell.contract.fields import MAX_QUERY_CHARS
from notewell.features.evaluate.datasets import JudgedQuery, JudgedSet, read_judged
from notewell.features.evaluate.report import (
    EvalReport,
    Figures,
    PeerReport,
    QueryFigures,
    System,
    SystemReport,
    Waits,
    class_means,
    compare,
    ndcg,
    product,
    recall,
    reciprocal_rank,
)

if TYPE_CHECKING:
    from notewell.engine.engine import Engine
    from notewell.engine.open_vaults import Vaults

DEPTH = 100  # the deepest cut of a metric

# Returns vault paths, best first, at most as many as the number says.
Ranker = Callable[[JudgedQuery, int], Sequence[str]]
HYBRID = System("hybrid", "hybrid")
WITHOUT_TUNING = System("without tuning", "hybrid", untuned=True)
SYSTEMS = (
    System("keyword", "keyword"),
    System("semantic", "semantic"),
    # Plain reciprocal rank fusion of BM25 and cosine over passages: the usual hybrid search.
    System("rrf", "hybrid", fusion="rrf", ignore=frozenset(get_args(Signal))),
    HYBRID,
)
# The product without one of its signals, to measure what each contributes.
ABLATIONS = (
    System("without whole notes", "hybrid", ignore=frozenset({"whole_notes"})),
    System("without spelling", "hybrid", ignore=frozenset({"spelling"})),
    System("without links", "hybrid", ignore=frozenset({"links"})),
    System("without names", "hybrid", ignore=frozenset({"names"})),
    System("without tags", "hybrid", ignore=frozenset({"tags"})),
)


def answerable(judged: JudgedSet) -> list[JudgedQuery]:
    """Return the queries that have a relevant document; trec_eval averages over these alone.

    Raises UsageError if there is none.
    """
    queries = [
        query
        for query in judged.queries
        if any(grade > 0 for grade in judged.qrels.get(query.id, {}).values())
    ]
    if not queries:
        raise UsageError(
            f'No query of "{judged.name}" has a relevant document in the qrels. '
            "Check that both files belong together."
        )
    return queries


def run_queries(
    judged: JudgedSet, rank: Ranker, *, documents: Mapping[str, str]
) -> tuple[tuple[QueryFigures, ...], Waits]:
    """Score the rankings of all answerable queries. `rank` is timed, nothing else.

    `documents` maps vault paths to document ids; a path that is not in it is its own id.
    Dropped documents are removed from the rankings. Raises UsageError as `answerable` does.
    """
    figures: list[QueryFigures] = []
    waits: list[float] = []
    for query in answerable(judged):
        drops = judged.drops.get(query.id, frozenset())
        began = time.perf_counter()
        paths = rank(query, DEPTH + len(drops))
        waits.append((time.perf_counter() - began) * 1000)
        ranked = (documents.get(path, path) for path in paths)
        ranking = [document for document in ranked if document not in drops]
        figures.append(QueryFigures(query.id, query.kind, score(ranking, judged.qrels[query.id])))
    return tuple(figures), Waits.of(waits)


def score(ranking: Sequence[str], judgements: Mapping[str, int]) -> Figures:
    """Compute the metrics of one ranking, without its dropped documents."""
    return Figures(
        ndcg_10=ndcg(ranking, judgements, 10),
        recall_10=recall(ranking, judgements, 10),
        recall_100=recall(ranking, judgements, DEPTH),
        mrr_10=reciprocal_rank(ranking, judgements, 10),
    )


class OtherPrograms(Protocol):
    """Other search programs, measured on the same passages and queries."""

    def measure(
        self,
        passages: Iterable[PassageText],
        judged: JudgedSet,
        ours: SystemReport,
        *,
        documents: Mapping[str, str],
    ) -> tuple[PeerReport, ...]:
        """Measure each of them, and compare it with `ours`; `documents` as in `evaluate`."""


OnProgress = Callable[[Progress], None] | None


def systems_of(mode: SearchMode | None) -> tuple[System, ...]:
    """Return the systems to measure for `--mode`; None: all of them, to be compared."""
    return SYSTEMS if mode is None else (System(mode, mode),)


def eval_settings(settings: Settings) -> Settings:
    """Return settings that keep corpora apart from the user's vaults and their rules."""
    return replace(settings, data_dir=settings.data_dir / "eval", vault=VaultRules())


def run_vault(
    vaults: Vaults,
    record: VaultRecord,
    *,
    queries: Path,
    qrels: Path,
    drops: Path | None = None,
    systems: Sequence[System] = SYSTEMS,
    against: OtherPrograms | None = None,
    progress: OnProgress = None,
) -> EvalReport:
    """Measure on a vault whose judgements name notes by path, after updating its index.

    While another process writes the index, it is measured as it is. Raises UsageError where a file
    is malformed.
    """
    judged = _with_nfc_paths(read_judged(record.name, queries, qrels, drops))
    engine = up_to_date(vaults, record, progress)
    return measure(engine, judged, systems, documents={}, against=against)


def up_to_date(vaults: Vaults, record: VaultRecord, progress: OnProgress) -> Engine:
    """Open a vault and update its index, unless another process has the writer's lock."""
    try:
        engine = vaults.open(record, writable=True)
        engine.index_now(progress=progress)
    except IndexInUseError:
        engine = vaults.open(record, writable=False)
    return engine


def evaluate(
    engine: Engine, judged: JudgedSet, system: System, *, documents: Mapping[str, str]
) -> tuple[SystemReport, tuple[str, ...]]:
    """Send every judged query to one system. Returns its report and the warnings of its replies.

    `documents` maps vault paths to document ids; a path that is not in it is its own id.
    Queries without a relevant document are skipped. Raises UsageError where none remains.
    """
    warnings: dict[str, None] = {}
    paths = {document: path for path, document in documents.items()}

    def rank(query: JudgedQuery, limit: int) -> list[str]:
        # Hidden from the search as well: links in a dropped note would raise the right answer.
        drops = judged.drops.get(query.id, frozenset())
        hidden = frozenset(paths.get(document, document) for document in drops)
        reply = engine.search(replace(_request(query, system, limit=limit), hidden=hidden))
        warnings.update(dict.fromkeys(reply.warnings))
        return [result.path for result in reply.results]

    figures, waits = run_queries(judged, rank, documents=documents)
    return SystemReport(system, class_means(figures), figures, waits), tuple(warnings)


def measure(
    engine: Engine,
    judged: JudgedSet,
    systems: Sequence[System],
    *,
    documents: Mapping[str, str],
    warnings: Sequence[str] = (),
    against: OtherPrograms | None = None,
) -> EvalReport:
    """Measure each system on a judged set, then the peers; `documents` as in `evaluate`.

    Each system and each peer answers one query before the timed ones. Raises UsageError where no
    query has a relevant document.
    """
    reports = []
    first = answerable(judged)[0]
    indexed = {
        documents.get(row.path, row.path)
        for row in engine.ledger().entries
        if row.state in ("indexed", "keyword_only")
    }
    all_warnings = dict.fromkeys([*warnings, *_set_warnings(judged, indexed)])
    for system in systems:
        engine.search(_request(first, system, limit=DEPTH))
        report, replied = evaluate(engine, judged, system, documents=documents)
        reports.append(report)
        all_warnings.update(dict.fromkeys(replied))
    return EvalReport(
        name=judged.name,
        documents=len(indexed),
        model=engine.status().model,
        systems=tuple(reports),
        comparisons=compare(reports),
        warnings=tuple(all_warnings),
        against=()
        if against is None
        else against.measure(engine.passages(), judged, product(reports), documents=documents),
    )


def _request(query: JudgedQuery, system: System, *, limit: int) -> SearchRequest:
    return SearchRequest(
        q=query.text[:MAX_QUERY_CHARS],
        limit=limit,
        mode=system.mode,
        plain=query.plain,
        fusion=system.fusion,
        alpha=system.alpha,
        ignore=system.ignore,
        untuned=system.untuned,
        weak=True,
        passages=0,
    )


def _set_warnings(judged: JudgedSet, indexed: Collection[str]) -> list[str]:
    """Report which queries and documents of the set cannot be measured fully."""
    warnings = []
    with_text = {query.id for query in judged.queries}
    missing = sum(query not in with_text for query in judged.qrels)
    if missing:
        warnings.append(f"{missing} judged queries have no text and were not asked")
    cut = sum(len(query.text) > MAX_QUERY_CHARS for query in judged.queries)
    if cut:
        warnings.append(f"{cut} queries were cut to {MAX_QUERY_CHARS} characters")
    relevant = {doc for row in judged.qrels.values() for doc, grade in row.items() if grade > 0}
    absent = sorted(relevant - set(indexed))
    if absent:
        warnings.append(
            f"{len(absent)} relevant documents are not indexed (count as missed): {absent[0]}"
        )
    return warnings


def _with_nfc_paths(judged: JudgedSet) -> JudgedSet:
    """Normalise the paths of the judgements to NFC, as the index does."""

    def nfc(path: str) -> str:
        return unicodedata.normalize("NFC", path)

    return replace(
        judged,
        qrels={
            query: {nfc(doc): g for doc, g in row.items()} for query, row in judged.qrels.items()
        },
        drops={query: frozenset(map(nfc, docs)) for query, docs in judged.drops.items()},
    )
