"""An evaluation searches as a client would, drops excluded notes, and averages by class."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import orjson
import pytest

from notewell.base.errors import IndexInUseError, UsageError
from notewell.base.types import Settings, VaultRecord
from notewell.contract.search import Fusion, RawScores, Result, Scores, SearchReply, SearchRequest
from notewell.contract.status import IndexReport, LedgerReply, LedgerRow, QueueStatus, StatusReply
from notewell.features.evaluate.datasets import JudgedQuery, JudgedSet
from notewell.features.evaluate.report import System, report_json
from notewell.features.evaluate.run import (
    SYSTEMS,
    OnProgress,
    eval_settings,
    evaluate,
    run_vault,
    systems_of,
)
from notewell_eval.corpora import run_corpus

KEYWORD, HYBRID = System("keyword", "keyword"), System("hybrid", "hybrid")


def result(path: str) -> Result:
    return Result(
        path=path,
        title=path,
        description=None,
        heading=None,
        block=None,
        parent=None,
        line=1,
        snippet="",
        highlights=(),
        score=1.0,
        scores=Scores(),
        raw=RawScores(),
        passages=(),
        tags=(),
        properties={},
        created=None,
        modified=None,
        uri="obsidian://open",
    )


@dataclass
class ListEngine:
    """Answers each query with a fixed list of paths, whatever the mode; remembers what was asked."""

    answers: Mapping[str, Sequence[str]]
    paths: Sequence[str] = ()
    warnings: tuple[str, ...] = ()
    asked: list[SearchRequest] = field(default_factory=list)
    index_runs: int = 0

    def search(self, request: SearchRequest) -> SearchReply:
        self.asked.append(request)
        found = self.answers.get(request.q, ())[: request.limit]
        return SearchReply(
            query=request.q,
            vault="v",
            mode=request.mode,
            fusion=Fusion(request.fusion),
            expanded=(),
            filtered={},
            generation=1,
            took_ms=0.1,
            total=len(found),
            confidence=None,
            results=tuple(map(result, found)),
            warnings=self.warnings,
        )

    def index_now(self, *, progress: OnProgress = None) -> IndexReport:
        self.index_runs += 1
        return IndexReport(len(self.paths), len(self.paths), 0, 0, 0, 0, 0, 0.0)

    def ledger(self) -> LedgerReply:
        rows = tuple(
            LedgerRow(path, "indexed", None, None, (), 0, 1, None, None) for path in self.paths
        )
        return LedgerReply("v", len(rows), {"indexed": len(rows)}, rows)

    def status(self) -> StatusReply:
        count = len(self.paths)
        return StatusReply(
            "v", count, count, 0, None, 1, "ready", "unavailable", "no model", QueueStatus(), {}
        )


@dataclass
class OneVault:
    """Opens one engine for whatever is added; `busy` as if another process wrote the index."""

    engine: ListEngine
    busy: bool = False
    added: list[Path] = field(default_factory=list)

    def add(self, folder: Path, *, name: str | None = None) -> VaultRecord:
        self.added.append(folder)
        self.engine.paths = [path.name for path in folder.iterdir()]
        return VaultRecord("id", name or folder.name, folder)

    def open(self, record: VaultRecord, *, writable: bool) -> ListEngine:
        if writable and self.busy:
            raise IndexInUseError("being written")
        return self.engine


def judged_set(**changes: object) -> JudgedSet:
    parts: dict[str, object] = {
        "name": "set",
        "queries": (JudgedQuery("q1", "moss", "anchor"), JudgedQuery("q2", "fern", "context")),
        "qrels": {"q1": {"a.md": 1}, "q2": {"b.md": 1}},
    }
    return JudgedSet(**(parts | changes))  # type: ignore[arg-type]


def test_queries_are_plain_text_and_request_enough_results() -> None:
    engine = ListEngine({"moss": ["a.md"]})
    drops = {"q1": frozenset({"x.md", "y.md"})}
    evaluate(engine, judged_set(drops=drops), System("rrf", "hybrid", "rrf", 0.3), documents={})
    assert engine.asked == [
        SearchRequest(
            "moss",
            limit=102,
            mode="hybrid",
            plain=True,
            fusion="rrf",
            alpha=0.3,
            hidden=drops["q1"],
            weak=True,
            passages=0,
        ),
        SearchRequest(
            "fern",
            limit=100,
            mode="hybrid",
            plain=True,
            fusion="rrf",
            alpha=0.3,
            weak=True,
            passages=0,
        ),
    ]


def test_dropped_notes_leave_no_gap_in_the_ranking() -> None:
    engine = ListEngine({"moss": ["x.md", "a.md"], "fern": ["x.md", "b.md"]})
    drops = {"q1": frozenset({"x.md"})}
    report, _ = evaluate(engine, judged_set(drops=drops), KEYWORD, documents={})
    assert [query.figures.mrr_10 for query in report.queries] == [1.0, 0.5]


def test_means_are_given_over_all_and_by_class() -> None:
    engine = ListEngine({"moss": ["a.md"], "fern": ["x.md"]})
    report, _ = evaluate(engine, judged_set(), KEYWORD, documents={})
    means = [(row.kind, row.queries, row.figures.ndcg_10) for row in report.rows]
    assert means == [(None, 2, 0.5), ("anchor", 1, 1.0), ("context", 1, 0.0)]


def test_a_set_without_classes_has_one_row() -> None:
    plain = judged_set(queries=(JudgedQuery("q1", "moss"), JudgedQuery("q2", "fern")))
    report, _ = evaluate(ListEngine({}), plain, KEYWORD, documents={})
    assert [row.kind for row in report.rows] == [None]


def test_queries_without_a_relevant_document_are_skipped() -> None:
    engine = ListEngine({"moss": ["a.md"]})
    qrels = {"q1": {"a.md": 1}, "q2": {"b.md": 0}}
    report, _ = evaluate(engine, judged_set(qrels=qrels), KEYWORD, documents={})
    assert [query.query_id for query in report.queries] == ["q1"]


def test_files_that_do_not_match_are_refused() -> None:
    with pytest.raises(UsageError, match="belong together"):
        evaluate(ListEngine({}), judged_set(qrels={"other": {"a": 1}}), KEYWORD, documents={})


@pytest.fixture
def beir(tmp_path: Path) -> Path:
    folder = tmp_path / "tiny"
    folder.mkdir()
    documents = [{"_id": f"d{n}", "title": "", "text": f"text {n}"} for n in range(3)]
    queries = [{"_id": "q1", "text": "moss"}, {"_id": "q2", "text": "fern"}]
    for name, rows in (("corpus", documents), ("queries", queries)):
        lines = "\n".join(json.dumps(row) for row in rows)
        (folder / f"{name}.jsonl").write_text(lines, encoding="utf-8")
    (folder / "qrels.tsv").write_text("q1\td0\t1\nq2\td2\t1\nq2\td9\t1\n", encoding="utf-8")
    return folder


def test_a_corpus_is_indexed_as_notes_and_scored_by_document_id(beir: Path, tmp_path: Path) -> None:
    engine = ListEngine({"moss": ["d0.md"], "fern": ["d1.md", "d2.md"]}, warnings=("no model",))
    vaults = OneVault(engine)
    report = run_corpus(
        vaults,
        beir,
        queries=beir / "queries.jsonl",
        qrels=beir / "qrels.tsv",
        work_dir=tmp_path / "work",
        systems=SYSTEMS,
    )
    assert engine.index_runs == 1
    assert (report.name, report.documents) == ("tiny", 3)
    assert [system.system.name for system in report.systems] == [
        "keyword",
        "semantic",
        "rrf",
        "hybrid",
    ]
    assert report.systems[0].rows[0].figures.recall_10 == 0.75
    assert {(comparison.system, comparison.baseline) for comparison in report.comparisons} == {
        ("semantic", "keyword"),
        ("semantic", "rrf"),
        ("rrf", "keyword"),
        ("keyword", "rrf"),
        ("hybrid", "keyword"),
        ("hybrid", "rrf"),
    }
    assert report.warnings == (
        "1 relevant documents are not indexed (count as missed): d9",
        "no model",
    )


@pytest.mark.parametrize("busy", [False, True])
def test_a_vault_is_measured_by_path_even_while_another_process_writes_it(
    beir: Path, busy: bool
) -> None:
    engine = ListEngine({"moss": ["é.md"]}, paths=["é.md"])
    (beir / "qrels.tsv").write_text("q1\te\u0301.md\t1\n", encoding="utf-8")
    report = run_vault(
        OneVault(engine, busy=busy),
        VaultRecord("id", "garden", beir),
        queries=beir / "queries.jsonl",
        qrels=beir / "qrels.tsv",
        systems=systems_of("hybrid"),
    )
    assert engine.index_runs == (0 if busy else 1)
    assert report.systems[0].rows[0].figures.ndcg_10 == 1.0
    assert (report.comparisons, report.warnings) == ((), ())


def test_the_json_has_our_figures_at_the_top_level(beir: Path, tmp_path: Path) -> None:
    report = run_corpus(
        OneVault(ListEngine({"moss": ["d0.md"]})),
        beir,
        queries=beir / "queries.jsonl",
        qrels=beir / "qrels.tsv",
        work_dir=tmp_path,
    )
    document = orjson.loads(report_json(report))
    assert document["set"] == "tiny"
    assert document["mode"] == "hybrid"
    assert (document["queries"], document["documents"]) == (2, 3)
    for metric in ("ndcg@10", "recall@10", "recall@100", "mrr@10"):
        assert document[metric] == 0.5
        assert [system[metric] for system in document["systems"]] == [0.5] * 4
    assert document["comparisons"][0] == {
        "metric": "ndcg@10",
        "system": "keyword",
        "beside": "rrf",
        "class": None,
        "difference": 0.0,
        "low": 0.0,
        "high": 0.0,
    }


def test_corpora_are_separate_from_the_users_vaults(tmp_path: Path) -> None:
    settings = Settings(data_dir=tmp_path, model_dir=tmp_path / "m", state_dir=tmp_path / "s")
    apart = eval_settings(settings)
    assert apart.data_dir.parent == tmp_path
    assert apart.model_dir == settings.model_dir
