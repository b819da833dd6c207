"""An evaluation without a model: a corpus is written as a vault, indexed and searched."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path

from notewell.base.types import Settings
from notewell.engine.open_vaults import Vaults
from notewell.features import FEATURES
from notewell.features.evaluate.run import eval_settings, run_vault, systems_of
from notewell_eval.corpora import run_corpus
from tests.vaults import settings_in

TEXTS = {
    "1": ("Moss", "Moss grows on the shaded side of stones and drinks the morning fog."),
    "2": ("", "A fern unrolls its fronds in spring, each one a green spiral."),
    "Two-Words": ("Lichen", "Lichen is a fungus and an alga who live together on bare rock."),
}
QUERIES = {
    "q1": "what unrolls in spring",
    "q2": "fungus living with an alga",
    "q3": "shaded stones",
}
QRELS = {"q1": "2", "q2": "Two-Words", "q3": "1"}


def beir(folder: Path) -> Path:
    folder.mkdir()
    corpus = [{"_id": key, "title": title, "text": text} for key, (title, text) in TEXTS.items()]
    asked = [{"_id": key, "text": f'{text} tag:"x'} for key, text in QUERIES.items()]
    for name, rows in (("corpus", corpus), ("queries", asked)):
        lines = "\n".join(json.dumps(row) for row in rows)
        (folder / f"{name}.jsonl").write_text(lines, encoding="utf-8")
    lines = "\n".join(f"{query}\t{doc}\t1" for query, doc in QRELS.items())
    (folder / "qrels.tsv").write_text(f"query-id\tcorpus-id\tscore\n{lines}\n", encoding="utf-8")
    return folder


def offline(tmp_path: Path) -> Settings:
    return settings_in(
        tmp_path,
    )


def test_measuring_a_corpus_does_not_change_the_users_vaults(
    tmp_path: Path,
) -> None:
    folder = beir(tmp_path / "garden")
    settings = offline(tmp_path)
    with closing(Vaults(eval_settings(settings), features=FEATURES)) as vaults:
        report = run_corpus(
            vaults,
            folder,
            queries=folder / "queries.jsonl",
            qrels=folder / "qrels.tsv",
            work_dir=tmp_path / "work",
            systems=systems_of("keyword"),
        )
    (row,) = report.systems[0].rows
    assert (report.documents, row.queries) == (3, 3)
    assert row.figures.ndcg_10 == 1.0
    assert report.warnings == ()
    with closing(Vaults(settings, features=FEATURES)) as vaults:
        assert vaults.records() == ()


def test_a_vault_is_measured_and_a_missing_model_reported(tmp_path: Path) -> None:
    vault = tmp_path / "vault"
    vault.mkdir()
    (vault / "Moss.md").write_text("Moss grows on stones.", encoding="utf-8")
    (vault / "Copy.md").write_text("Where does moss grow? See [[Moss]].", encoding="utf-8")
    (tmp_path / "queries.jsonl").write_text(
        '{"_id": "c1", "text": "Where does moss grow", "metadata": {"type": "context"}}\n',
        encoding="utf-8",
    )
    (tmp_path / "qrels.tsv").write_text("c1\tMoss.md\t1\n", encoding="utf-8")
    (tmp_path / "drops.tsv").write_text("c1\tCopy.md\n", encoding="utf-8")
    with closing(Vaults(offline(tmp_path), features=FEATURES)) as vaults:
        report = run_vault(
            vaults,
            vaults.add(vault),
            queries=tmp_path / "queries.jsonl",
            qrels=tmp_path / "qrels.tsv",
            drops=tmp_path / "drops.tsv",
            systems=systems_of("hybrid"),
        )
    assert [(row.kind, row.figures.mrr_10) for row in report.systems[0].rows] == [
        (None, 1.0),
        ("context", 1.0),
    ]
    assert report.model is None
    assert any("Semantic search is unavailable" in warning for warning in report.warnings)
