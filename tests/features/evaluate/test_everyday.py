"""Everyday queries: their files, their halves, and the tables of a measurement."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import orjson
import pytest

from tests.eval.everyday.queries import NO_ANSWER, VAULTS, Query, read, read_file
from tests.eval.everyday.tables import Figures, compared, read_figures, tables, write_figures

OURS = Path(__file__).parents[2] / "eval" / "everyday"
KINDS = {
    "paraphrase",
    "synonym",
    "question",
    "topic",
    "name",
    "typo",
    "date/list",
    "half",
    "crosslang",
    NO_ANSWER,
}


def figures(name: str, kind: str, gain: float) -> Figures:
    return Figures(name, "hub", kind, {"hybrid": gain, "keyword": 0.5}, False, 2, 1, 0.9)


def test_a_file_names_its_vault_and_best_notes_gain_more(tmp_path: Path) -> None:
    rows = [
        {"id": "a", "kind": "topic", "text": "bees", "best": ["B.md"], "right": ["C.md"]},
        {"id": "b", "kind": "no answer", "text": "tides", "best": [], "right": []},
    ]
    file = tmp_path / "everyday-hub.jsonl"
    file.write_bytes(b"\n".join(map(orjson.dumps, rows)))

    assert read_file(file) == [
        Query("a", "hub", "topic", "bees", {"B.md": 3, "C.md": 1}),
        Query("b", "hub", NO_ANSWER, "tides", {}),
    ]


def test_a_file_of_no_vault_is_refused(tmp_path: Path) -> None:
    (tmp_path / "other.jsonl").write_text("{}")

    with pytest.raises(ValueError, match="no vault is named other"):
        read([tmp_path])


def test_two_queries_with_one_id_are_refused(tmp_path: Path) -> None:
    row = orjson.dumps({"id": "a", "kind": "topic", "text": "bees", "best": ["B.md"], "right": []})
    (tmp_path / "hub.jsonl").write_bytes(row)
    (tmp_path / "kepano.jsonl").write_bytes(row)

    with pytest.raises(ValueError, match="one id"):
        read([tmp_path])


def test_our_queries_are_well_formed_and_each_is_in_the_folder_of_its_half() -> None:
    for file in OURS.rglob("*.jsonl"):
        rows = [orjson.loads(line) for line in file.read_bytes().splitlines()]
        queries = read_file(file)
        assert {query.half for query in queries} == {file.parent.name}
        for row, query in zip(rows, queries, strict=True):
            assert set(row) == {"id", "kind", "text", "best", "right"}, query
            assert query.kind in KINDS, query
            assert query.kind == row["kind"], query
            assert len(query.gains) == len(row["best"]) + len(row["right"]), query
            assert query.text == query.text.strip() != "", query
    ids = [query.id for query in read([OURS])]
    assert len(ids) == len(set(ids))


@pytest.mark.data
def test_the_notes_that_answer_our_queries_exist(shared_data: Callable[[str], Path]) -> None:
    for query in read([OURS]):
        archive, inside = VAULTS[query.vault]
        notes = shared_data(archive.removeprefix("vault-")).joinpath(*Path(inside).parts[1:])
        missing = [path for path in query.gains if not (notes / path).is_file()]
        assert missing == [], query


def test_the_tables_have_each_kind_and_silence() -> None:
    rows = [figures("a", "topic", 0.9), figures("b", "typo", 0.5), figures("c", NO_ANSWER, 0)]

    text = tables(rows, ["hybrid", "keyword"])

    assert "| hub | topic | 1 | 0.900 | 0.500 | **+0.400 [+0.400, +0.400]** (keyword) |" in text
    assert "| hub | 1 | 0 (0.0%) | 2 | 0 (0.0%) | 4 | 2 (50.0%) |" in text


def test_two_runs_are_compared_query_by_query(tmp_path: Path) -> None:
    before = [figures("a", "topic", 0.5), figures("b", "topic", 0.7)]
    write_figures(before, tmp_path / "before.json")
    after = [replace(before[0], ndcg={"hybrid": 0.6, "keyword": 0.5}), figures("c", "topic", 1)]

    text = compared(read_figures(tmp_path / "before.json"), after)

    assert "| hub | topic | 1 | **+0.100 [+0.100, +0.100]** | +0.000 [+0.000, +0.000] |" in text
