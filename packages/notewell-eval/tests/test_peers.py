"""Peers index the same passages, answer the same queries and are scored by the same metrics."""

from __future__ import annotations

from contextlib import closing
from math import log2
from pathlib import Path

import orjson
import pytest

from notewell.base.errors import MissingExtraError, UsageError
from notewell.base.types import PassageText, Settings
from notewell.engine.open_vaults import Vaults
from notewell.features import FEATURES
from notewell.features.evaluate.datasets import JudgedQuery, JudgedSet
from notewell.features.evaluate.golden_set import run_golden
from notewell.features.evaluate.report import (
    Figures,
    QueryFigures,
    System,
    SystemReport,
    Waits,
    class_means,
    report_json,
)
from notewell.features.evaluate.run import eval_settings, run_vault, systems_of
from notewell_eval import peers
from notewell_eval.against import Against
from notewell_eval.corpora import run_corpus
from notewell_eval.peers import FusedPeers, NotePassages, RankBm25, find_peers
from tests.features.evaluate.test_engine import beir, offline

# Seven passages with two words on average. For "bees" BM25 (k1 1.5, b 0.75) gives, as a multiple
# of ln(4.5 / 3.5): A 5 / 4.0625 = 1.231, B 2.5 / 3.625 = 0.690, C's second 2.5 / 1.9375 = 1.290.
PASSAGES = (
    PassageText("A.md", "Bees, bees: home"),
    PassageText("B.md", "bees in the garden"),
    PassageText("C.md", "compost is warm"),
    PassageText("C.md", "bees"),
    PassageText("D.md", "music"),
    PassageText("E.md", "river"),
    PassageText("F.md", "cat"),
)
JUDGED = JudgedSet(
    name="garden",
    queries=(JudgedQuery("q1", "Bees?", "anchor"), JudgedQuery("q2", "river, cat", "context")),
    qrels={"q1": {"A.md": 2, "B.md": 1}, "q2": {"D.md": 1}},
)
Q1_NDCG = (2 / log2(3) + 1 / log2(4)) / (2 / log2(2) + 1 / log2(3))  # ranked C, A, B


def perfect(judged: JudgedSet) -> SystemReport:
    """Our search, as if it had answered every query best."""
    figures = tuple(QueryFigures(q.id, q.kind, Figures(1, 1, 1, 1)) for q in judged.queries)
    return SystemReport(
        System("hybrid", "hybrid"), class_means(figures), figures, Waits.of([1.0, 2.0])
    )


def bm25_against(settings: Settings) -> Against:
    return Against(find_peers("rank-bm25"), settings, lambda _: None)


def test_rank_bm25_ranks_a_note_by_its_best_passage_and_skips_notes_without_a_word() -> None:
    peer = RankBm25(NotePassages(PASSAGES))

    assert peer.rank("bees", 10) == ["C.md", "A.md", "B.md"]
    assert peer.rank("BEES!", 2) == ["C.md", "A.md"]
    assert peer.rank("snow", 10) == []


def test_a_word_in_most_passages_still_finds_them() -> None:
    notes = [PassageText(f"{n}.md", "moss fern" if n else "fern") for n in range(4)]

    assert set(RankBm25(NotePassages(notes)).rank("moss", 10)) == {"1.md", "2.md", "3.md"}


@pytest.mark.parametrize("notes", [[], [PassageText("a.md", "…")]])
def test_notes_without_words_are_no_error(notes: list[PassageText]) -> None:
    assert RankBm25(NotePassages(notes)).rank("moss", 10) == []


def test_figures_are_those_computed_by_hand(tmp_path: Path) -> None:
    against = bm25_against(offline(tmp_path))
    [report] = against.measure(PASSAGES, JUDGED, perfect(JUDGED), documents={})

    overall, anchor, context = report.rows
    assert report.name == "rank-bm25"
    assert anchor.figures.ndcg_10 == pytest.approx(Q1_NDCG) == pytest.approx(0.6697, abs=1e-4)
    assert (anchor.figures.recall_10, anchor.figures.mrr_10) == (1.0, 0.5)
    assert context.figures == Figures(0, 0, 0, 0)
    assert overall.figures.ndcg_10 == pytest.approx(Q1_NDCG / 2)
    assert 0 < report.waits.median_ms <= report.waits.p95_ms
    assert [
        (comparison.system, comparison.baseline, comparison.kind)
        for comparison in report.comparisons
    ] == [
        ("hybrid", "rank-bm25", None),
        ("hybrid", "rank-bm25", "anchor"),
        ("hybrid", "rank-bm25", "context"),
    ]
    all_queries = report.comparisons[0].interval
    assert all_queries.difference == pytest.approx(1 - Q1_NDCG / 2)
    assert (all_queries.low, all_queries.high) == pytest.approx((1 - Q1_NDCG, 1.0))


def test_dropped_notes_and_document_ids_count_as_for_our_search(tmp_path: Path) -> None:
    names = {f"{letter}.md": letter for letter in "ABCDEF"}
    judged = JudgedSet(
        "garden", (JudgedQuery("q1", "bees"),), {"q1": {"A": 2, "B": 1}}, {"q1": {"C"}}
    )
    against = bm25_against(offline(tmp_path))
    [report] = against.measure(PASSAGES, judged, perfect(judged), documents=names)

    assert report.rows[0].figures == Figures(1, 1, 1, 1)


def test_fusion_adds_the_reciprocal_ranks_of_both() -> None:
    class Fixed:
        def __init__(self, *paths: str) -> None:
            self.paths = paths

        def rank(self, query: str, limit: int) -> list[str]:
            return list(self.paths[:limit])

    # a 1/61; b 1/62 + 1/61; c 1/63 + 1/62
    assert FusedPeers([Fixed("a", "b", "c"), Fixed("b", "c")]).rank("x", 10) == ["b", "c", "a"]
    assert FusedPeers([Fixed("a", "b"), Fixed("b")]).rank("x", 1) == ["a"]


def test_percentiles_lie_between_the_times() -> None:
    assert Waits.of([float(n) for n in range(1, 102)]) == Waits(median_ms=51.0, p95_ms=96.0)


def test_names_are_found_once_and_in_order(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(peers, "find_spec", lambda name: object())
    names = "sentence-transformers, rank-bm25,sentence-transformers"

    assert [kind.name for kind in find_peers(names)] == ["sentence-transformers", "rank-bm25"]


@pytest.mark.parametrize("names", ["lucene", "rank-bm25,", ""])
def test_an_unknown_name_is_refused_with_the_known_ones(names: str) -> None:
    with pytest.raises(UsageError, match=r"rank-bm25, sentence-transformers, rank-bm25\+sent"):
        find_peers(names)


def test_a_missing_package_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(peers, "find_spec", lambda name: name == "rank_bm25" or None)
    assert len(find_peers("rank-bm25")) == 1
    for names in ("rank-bm25,sentence-transformers", "rank-bm25+sentence-transformers"):
        with pytest.raises(MissingExtraError, match=r"pip install 'notewell-eval\[compare\]'"):
            find_peers(names)


def test_a_corpus_is_measured_with_a_peer(tmp_path: Path) -> None:
    folder = beir(tmp_path / "garden")
    settings = eval_settings(offline(tmp_path))
    with closing(Vaults(settings, features=FEATURES)) as vaults:
        report = run_corpus(
            vaults,
            folder,
            queries=folder / "queries.jsonl",
            qrels=folder / "qrels.tsv",
            work_dir=tmp_path / "work",
            systems=systems_of("keyword"),
            against=bm25_against(settings),
        )

    document = orjson.loads(report_json(report))
    [peer] = document["against"]
    assert (peer["name"], peer["queries"], peer["ndcg@10"]) == ("rank-bm25", 3, 1.0)
    assert (peer["recall@10"], peer["recall@100"], peer["mrr@10"]) == (1.0, 1.0, 1.0)
    assert {"median_ms", "p95_ms", "classes"} <= peer.keys()
    assert {"median_ms", "p95_ms"} <= document["systems"][0].keys()
    assert peer["comparisons"] == [
        {"metric": "ndcg@10", "system": "keyword", "beside": "rank-bm25", "class": None}
        | {"difference": 0.0, "low": 0.0, "high": 0.0}
    ]


def test_without_peers_the_list_is_empty(tmp_path: Path) -> None:
    folder = beir(tmp_path / "garden")
    with closing(Vaults(eval_settings(offline(tmp_path)), features=FEATURES)) as vaults:
        report = run_vault(
            vaults,
            vaults.add(folder_of_notes(tmp_path)),
            queries=folder / "queries.jsonl",
            qrels=folder / "qrels.tsv",
            systems=systems_of("keyword"),
        )

    assert orjson.loads(report_json(report))["against"] == []


def folder_of_notes(tmp_path: Path) -> Path:
    """Three notes; one has properties alone, so its title is all that a peer can read of it."""
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "Bees.md").write_text("---\ntags: [insects]\n---\n# Home\n\nBy the sun.\n", "utf-8")
    (folder / "River.md").write_text("Music and a cat.\n", encoding="utf-8")
    (folder / "Snow.md").write_text("---\nstatus: done\n---\n", encoding="utf-8")
    return folder


def test_passages_are_what_the_model_reads(tmp_path: Path) -> None:
    with closing(Vaults(offline(tmp_path), features=FEATURES)) as vaults:
        engine = vaults.open(vaults.add(folder_of_notes(tmp_path)), writable=True)
        engine.index_now()
        passages = {passage.path: passage.text for passage in engine.passages()}

    assert passages == {
        "Bees.md": "Bees > Home\nTags: insects\nBy the sun.",
        "River.md": "River\nMusic and a cat.",
        "Snow.md": "Snow\nstatus: done",
    }


def test_the_golden_set_is_measured_with_a_peer(tmp_path: Path) -> None:
    settings = offline(tmp_path)
    with closing(Vaults(settings, features=FEATURES)) as vaults:
        record = vaults.add(folder_of_notes(tmp_path))
        engine = vaults.open(record, writable=True)
        engine.index_now()
        for query, note in (("sun", "Bees.md"), ("snow", "Snow.md"), ("path:river", "River.md")):
            engine.history.judge(query, note, "this_was_it")
        report = run_golden(
            vaults, record, systems=systems_of("keyword"), against=bm25_against(settings)
        )

    # To a peer an operator is a word like others, and its note is not called "path".
    assert report.systems[0].rows[0].figures.ndcg_10 == 1.0
    [peer] = report.against
    assert (peer.rows[0].queries, peer.rows[0].figures.ndcg_10) == (3, 1.0)
