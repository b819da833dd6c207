"""Opened results and verdicts become a judged set, by the documented rule."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from notewell.base.errors import UsageError
from notewell.base.querylog import Judged, Judgements, Opened
from notewell.base.types import VaultRecord, Verdict
from notewell.contract.search import SearchRequest
from notewell.engine.open_vaults import Vaults
from notewell.features import FEATURES
from notewell.features.evaluate.datasets import read_judged
from notewell.features.evaluate.golden_set import golden_set, read_golden, run_golden, write_golden
from notewell.features.evaluate.run import systems_of
from tests.vaults import settings_in

NOTES = {
    "Bees.md": "Bees find their way home by the sun.\n",
    "Wasps.md": "Wasps and bees do not share a home.\n",
    "Compost.md": "Compost is warm in spring.\n",
    "River.md": "Music by the river.\n",
}


def opened(at: float, query: str, path: str, search: str | None = None) -> Opened:
    return Opened(at, query, path, query_id=search)


def judged(at: float, query: str, path: str, verdict: Verdict = "this_was_it") -> Judged:
    return Judged(at, query, path, verdict)


def grades(known: Judgements) -> dict[str, dict[str, int]]:
    found = golden_set("v", known)
    return {query.text: dict(found.qrels[query.id]) for query in found.queries}


def test_the_last_opened_result_of_each_search_has_grade_one() -> None:
    known = Judgements(
        (
            opened(1, "bees", "A.md", "q1"),
            opened(2, "bees", "B.md", "q1"),
            opened(3, "Bees", "C.md", "q2"),
            opened(4, "sun", "A.md"),
            opened(5, "sun ", "D.md"),
        ),
        (),
    )

    assert grades(known) == {"Bees": {"B.md": 1, "C.md": 1}, "sun ": {"D.md": 1}}


def test_a_verdict_has_grade_two_and_never_removes_the_note() -> None:
    known = Judgements(
        (opened(1, "bees", "A.md", "q1"), opened(2, "bees", "B.md", "q2")),
        (
            judged(3, "BEES", "A.md"),
            judged(4, "bees", "B.md", "never_for_this"),
            judged(5, "wasps", "B.md", "never_for_this"),
        ),
    )

    found = golden_set("v", known)

    assert grades(known) == {"bees": {"A.md": 2}}
    assert [query.kind for query in found.queries] == ["confirmed"]
    assert dict(found.drops) == {found.queries[0].id: frozenset({"B.md"})}


def test_queries_keep_their_ids_and_their_operators() -> None:
    one = golden_set("v", Judgements((), (judged(1, "tag:garden bees", "A.md"),)))
    two = golden_set("v", Judgements((), (judged(9, "Tag:garden  bees", "B.md"),)))

    assert one.queries[0].id == two.queries[0].id
    assert not one.queries[0].plain


def test_the_exported_files_are_read_as_the_same_set(tmp_path: Path) -> None:
    known = Judgements(
        (opened(1, 'path:"a b"\nü', "Grün.md"),),
        (
            judged(2, "bees", "A.md"),
            judged(3, "bees", "B\t.md"),
            judged(4, "bees", "C.md", "never_for_this"),
        ),
    )
    found = golden_set("v", known)

    count = write_golden(found, tmp_path / "set")
    files = [tmp_path / "set" / name for name in ("queries.jsonl", "qrels.tsv", "drops.tsv")]
    again = read_judged("v", *files)

    assert count == 2
    assert again.queries == found.queries
    assert {path for row in again.qrels.values() for path in row} == {"Grün.md", "A.md"}
    assert again.drops == found.drops


@pytest.fixture
def vaults(tmp_path: Path) -> Iterator[Vaults]:
    settings = settings_in(
        tmp_path,
    )
    found = Vaults(settings, features=FEATURES)
    yield found
    found.close()


@pytest.fixture
def record(vaults: Vaults, tmp_path: Path) -> VaultRecord:
    (tmp_path / "vault").mkdir()
    for path, text in NOTES.items():
        (tmp_path / "vault" / path).write_text(text, encoding="utf-8")
    record = vaults.add(tmp_path / "vault")
    vaults.open(record, writable=True).index_now()
    return record


def test_a_vault_is_measured_with_its_golden_set(vaults: Vaults, record: VaultRecord) -> None:
    engine = vaults.open(record, writable=True)
    reply = engine.search(SearchRequest("home of wasps", mode="keyword", door="web"))
    engine.history.opened(query_id=reply.query_id, query=None, path="Wasps.md", rank=None)
    engine.history.judge("sun", "Bees.md", "this_was_it")
    engine.history.judge("path:river", "River.md", "this_was_it")
    engine.history.judge("bees", "Wasps.md", "never_for_this")

    report = run_golden(vaults, record, systems=systems_of("keyword"))

    [system] = report.systems
    assert [(row.kind, row.queries) for row in system.rows] == [
        (None, 3),
        ("confirmed", 2),
        ("opened", 1),
    ]
    assert system.rows[0].figures.ndcg_10 == 1.0
    assert "only 3 queries" in report.warnings[0]
    assert engine.history.log(limit=10).total == 1  # measuring is no search of a person's
    assert len(read_golden(vaults, record).queries) == 3


def test_the_error_about_too_few_queries_says_what_to_do(
    vaults: Vaults, record: VaultRecord
) -> None:
    engine = vaults.open(record, writable=True)
    with pytest.raises(UsageError, match="notewell verdict"):
        read_golden(vaults, record)

    engine.history.judge("sun", "Bees.md", "this_was_it")

    with pytest.raises(UsageError, match=r"1 queries of vault .* at least 3") as refused:
        run_golden(vaults, record)
    assert refused.value.code == "golden_too_small"
