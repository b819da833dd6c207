"""Development queries are asked of an engine, kept, and shown with their differences."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.eval.development.measure import MODES, Answered, Job, ask, earlier, stored, without
from tests.eval.development.query import DevQuery
from tests.eval.development.tables import markdown
from tests.eval.development.unanswerable import FOREIGN
from tests.vaults import settings_in

QUERIES = (
    DevQuery("garden", "link", "link text", "en", "green spiral", {"Fern.md": 1}, ("List.md",)),
    DevQuery("garden", "name", "{}", "en", "moss", {"Moss.md": 1}),
    DevQuery("garden", FOREIGN, "claim", "en", "mitochondria", {}),
)


@pytest.fixture
def job(tmp_path: Path) -> Job:
    vault = tmp_path / "vault"
    vault.mkdir()
    (vault / "Fern.md").write_text("It unrolls its fronds in a spiral.", encoding="utf-8")
    (vault / "List.md").write_text("The green spiral, see [[Fern|green spiral]].", encoding="utf-8")
    (vault / "Moss.md").write_text("Moss grows on stones.", encoding="utf-8")
    settings = settings_in(tmp_path)
    cache = tmp_path / "figures" / "garden.json"
    return Job("garden", vault, QUERIES, (*MODES, without("links")), settings, cache)


def test_hidden_notes_are_left_out_and_queries_without_an_answer_have_a_confidence_only(
    job: Job,
) -> None:
    figures = ask(job)
    link, name, foreign = (figures[query.id] for query in QUERIES)
    assert link.ndcg["keyword"] == link.ndcg["hybrid"] == link.ndcg["without links"] == 1.0
    assert name.ndcg["hybrid"] == 1.0
    assert foreign.ndcg == {}
    assert ("strong", True) in name.matches


def test_a_second_run_asks_nothing_again(job: Job) -> None:
    first = ask(job)
    for note in job.folder.iterdir():
        note.unlink()
    assert ask(job) == first


def test_tables_pair_a_run_with_an_earlier_one_over_the_queries_of_both(tmp_path: Path) -> None:
    figures = {
        QUERIES[0].id: Answered(
            {"hybrid": 1.0, "keyword": 0.5, "semantic": 0.0},
            0.9,
            (("strong", True), ("related", False)),
        ),
        QUERIES[1].id: Answered(
            {"hybrid": 1.0, "keyword": 1.0, "semantic": 0.5},
            0.8,
            (("strong", False), ("weak", True)),
        ),
        QUERIES[2].id: Answered({}, 0.1, (("related", False),)),
    }
    before = {QUERIES[0].id: Answered({"hybrid": 0.25}, None)}
    (tmp_path / "before.json").write_bytes(stored(before))
    text = markdown(
        QUERIES, figures, [mode.name for mode in MODES], earlier(tmp_path / "before.json")
    )
    (link,) = [line for line in text.splitlines() if line.startswith("| garden | link ")]
    assert link == (
        "| garden | link | 1 | 1.000 | 0.500 | 0.000 "
        "| **+0.500 [+0.500, +0.500]** | **+0.750 [+0.750, +0.750]** |"
    )
    (name,) = [line for line in text.splitlines() if line.startswith("| garden | name ")]
    assert name.endswith("| +0.000 [+0.000, +0.000] |  |")
    assert "| en | 2 | 0.50 | 0.50 | 1 | 1.00 | 0.00 |" in text
    assert f"| en | {FOREIGN} | 1 | 0.10 | 0.00 | 1.000 |" in text
