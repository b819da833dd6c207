"""Judged queries from the terminal, on a corpus and on a vault."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from notewell_eval import peers
from tests.doors.cli.support import CommandLine

DOCUMENTS = {"d1": "bees find their way home", "d2": "compost is warm", "d3": "a cat by the river"}
QUERIES = {"q1": "where bees go", "q2": "cat"}


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    folder = tmp_path / "corpus"
    folder.mkdir()
    rows = [{"_id": key, "title": key, "text": text} for key, text in DOCUMENTS.items()]
    queries = [{"_id": key, "text": text} for key, text in QUERIES.items()]
    write_lines(folder / "corpus.jsonl", rows)
    write_lines(folder / "queries.jsonl", queries)
    judge(folder / "qrels.tsv", {"q1": "d1", "q2": "d3"})
    return folder


def write_lines(file: Path, rows: list[dict[str, str]]) -> None:
    file.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")


def judge(file: Path, answers: dict[str, str]) -> Path:
    rows = [f"{query}\t{document}\t1\n" for query, document in answers.items()]
    file.write_text("".join(["query-id\tcorpus-id\tscore\n", *rows]), encoding="utf-8")
    return file


def files(corpus: Path) -> tuple[object, ...]:
    return ("--queries", corpus / "queries.jsonl", "--qrels", corpus / "qrels.tsv")


def test_a_corpus_is_indexed_separately_from_the_vaults(
    notewell: CommandLine, corpus: Path
) -> None:
    report = notewell.json("eval", "--corpus", corpus, *files(corpus), "--mode", "keyword")

    assert report["ndcg@10"] == 1.0
    assert report["queries"] == 2
    assert notewell.json("vaults", "list") == {"vaults": []}


def test_all_modes_are_compared_in_a_table(notewell: CommandLine, corpus: Path) -> None:
    lines = notewell("eval", "--corpus", corpus, *files(corpus)).stdout.splitlines()

    assert lines[0].split()[:4] == ["system", "queries", "count", "nDCG@10"]
    assert {"keyword", "semantic", "rrf", "hybrid"} <= {line.split()[0] for line in lines[1:]}


def test_measuring_a_folder_does_not_register_it(
    notewell: CommandLine, corpus: Path, vault: Path, tmp_path: Path
) -> None:
    qrels = judge(tmp_path / "qrels.tsv", {"q1": "Garden/Bees.md", "q2": "City.md"})
    asked = ("--queries", corpus / "queries.jsonl", "--qrels", qrels, "--mode", "keyword")

    assert notewell.json("eval", "--vault", vault, *asked)["ndcg@10"] == 1.0
    assert notewell.json("vaults", "list") == {"vaults": []}

    notewell("index", vault)
    assert notewell.json("eval", "--vault", "Notes", *asked)["documents"] == 3


def test_a_corpus_and_a_vault_exclude_each_other(notewell: CommandLine, corpus: Path) -> None:
    for which in ((), ("--corpus", corpus, "--vault", "x")):
        notewell("eval", *which, *files(corpus), fails=2)


def test_a_missing_vault_is_exit_3(notewell: CommandLine, corpus: Path) -> None:
    notewell("eval", "--vault", "nowhere", *files(corpus), fails=3)


def test_a_peer_is_in_the_table_and_compared_with_ours(notewell: CommandLine, corpus: Path) -> None:
    asked = ("eval", "--corpus", corpus, *files(corpus), "--against", "rank-bm25")
    measured, compared = notewell(*asked).stdout.split("\n\n")

    assert measured.splitlines()[0].endswith("median ms  p95 ms")
    peer = next(line for line in measured.splitlines() if line.startswith("rank-bm25"))
    assert peer.split()[:7] == ["rank-bm25", "all", "2", *["1.0000"] * 4]
    assert len(peer.split()) == 9
    assert compared.splitlines()[0].split()[:3] == ["difference", "queries", "nDCG@10"]
    assert compared.splitlines()[1].split() == [
        *("hybrid", "-", "rank-bm25", "all", "+0.0000", "+0.0000", "..", "+0.0000")
    ]


def test_a_peer_is_measured_on_the_golden_set(notewell: CommandLine, indexed: Path) -> None:
    for query, note in (("sun", "Garden/Bees.md"), ("warm", "Garden/Compost.md"), ("cat", "City")):
        notewell("verdict", query, note, "--yes")

    report = notewell.json("eval", "--golden", "--mode", "keyword", "--against", "rank-bm25")

    [peer] = report["against"]
    assert (peer["name"], peer["queries"], peer["ndcg@10"]) == ("rank-bm25", 3, 1.0)
    assert peer["comparisons"][0]["system"] == "keyword"
    assert notewell.json("eval", "--golden", "--mode", "keyword")["against"] == []


def test_a_peer_that_is_unknown_or_not_installed_is_refused_before_anything_is_indexed(
    notewell: CommandLine, corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = ("eval", "--corpus", corpus, *files(corpus), "--against")

    assert "rank-bm25, sentence-transformers" in notewell(*asked, "lucene", fails=2).stderr
    monkeypatch.setattr(peers, "find_spec", lambda _: None)
    assert "pip install 'notewell-eval[compare]'" in notewell(*asked, "rank-bm25", fails=1).stderr
    assert not (tmp_path / "data").exists()


def test_the_help_names_every_peer(notewell: CommandLine) -> None:
    unwrapped = "".join(notewell("eval", "--help").stdout.split())

    assert all(name in unwrapped for name in peers.PEERS)
