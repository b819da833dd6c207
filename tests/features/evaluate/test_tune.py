"""Weights are fitted to judged queries, checked on others, and used only on request."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from notewell.base.querylog import Judged, Judgements, Opened
from notewell.base.types import Settings, VaultRecord
from notewell.contract.search import SearchRequest
from notewell.engine.engine import Engine
from notewell.engine.open_vaults import Vaults
from notewell.features import FEATURES
from notewell.features.evaluate import EVALUATE
from notewell.features.evaluate.golden_set import golden_set, run_golden
from notewell.features.evaluate.requests import TuneReply, TuneRequest
from notewell.features.evaluate.run import HYBRID
from notewell.features.evaluate.service import (
    DEPTH,
    FOLDS,
    JudgedResults,
    ask,
    fit_and_check,
    query_weights,
)
from notewell.search.tuning_file import TuningFile
from notewell.search.weights import UNTUNED, Tuning
from tests.vaults import settings_in

TOPICS = [f"{first}{second}" for first in ("bal", "kor", "mit", "sul") for second in
          ("der", "fan", "gos", "hip", "jun", "lam", "nek", "pid", "rov")]  # fmt: skip


LIST = "list of other useful big new things"


def results(names_mislead: bool, count: int = 60) -> JudgedResults:
    """Queries whose right result is second, because of its name or for no reason."""
    parts = np.zeros((count, DEPTH, 5))
    times = np.zeros((count, DEPTH))
    grades = np.zeros((count, DEPTH))
    times[:, :2], grades[:, 1] = 1.0, 1.0
    wrong, right = ([0.5, 0, 0, 1.0, 0], [1.2, 0, 0, 0, 0]) if names_mislead else ([1.0] * 5,) * 2
    parts[:, 0], parts[:, 1] = wrong, right
    return JudgedResults(
        parts, times, grades, np.ones(count), np.ones(count), np.arange(count) % FOLDS
    )


def test_the_factor_that_orders_the_results_better_is_found() -> None:
    fitted = fit_and_check(results(names_mislead=True), UNTUNED)

    assert fitted.sure
    assert 0.5 <= fitted.tuning.names < 0.75
    assert (fitted.tuning.meaning, fitted.tuning.coverage, fitted.tuning.links) == (1, 1, 1)
    assert fitted.after == 1.0 > fitted.before


def test_what_no_factor_improves_stays_as_it_is() -> None:
    fitted = fit_and_check(results(names_mislead=False), UNTUNED)

    assert not fitted.sure
    assert fitted.tuning == UNTUNED


def test_a_few_lucky_queries_are_not_sure() -> None:
    both = results(names_mislead=False)
    both.parts[:2] = results(names_mislead=True).parts[:2]

    assert not fit_and_check(both, UNTUNED).sure


def test_an_opened_result_counts_by_its_rank_and_a_verdict_in_full() -> None:
    known = Judgements(
        (
            Opened(1, "first", "A.md", rank=1),
            Opened(2, "third", "A.md", rank=3),
            Opened(3, "deep", "A.md", rank=40),
            Opened(4, "unknown", "A.md"),
            Opened(5, "both", "A.md", rank=1),
        ),
        (Judged(6, "both", "A.md", "this_was_it"),),
    )
    judged = golden_set("v", known)

    weights = query_weights(judged, known)

    by_text = {query.text: weights[query.id] for query in judged.queries}
    assert by_text == {"first": 0.25, "third": 0.75, "deep": 1.0, "unknown": 0.25, "both": 1.0}


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return settings_in(
        tmp_path,
    )


@pytest.fixture
def vaults(settings: Settings) -> Iterator[Vaults]:
    found = Vaults(settings, features=FEATURES)
    yield found
    found.close()


@pytest.fixture
def record(vaults: Vaults, tmp_path: Path) -> VaultRecord:
    """For each topic, a note that has it in its name and one that is about it."""
    root = tmp_path / "vault"
    root.mkdir()
    for topic in TOPICS:
        (root / f"{topic} {LIST}.md").write_text("Nothing here.\n", encoding="utf-8")
        (root / f"About {TOPICS.index(topic)}.md").write_text(
            f"All of {topic}: {topic} and {topic} and again {topic}.\n", encoding="utf-8"
        )
    record = vaults.add(root)
    vaults.open(record, writable=True).index_now()
    return record


def judge(engine: Engine, count: int) -> None:
    for number, topic in enumerate(TOPICS[:count]):
        engine.history.judge(topic, f"About {number}.md", "this_was_it")


def first(engine: Engine) -> str:
    return engine.search(SearchRequest(TOPICS[0], mode="keyword", weak=True)).results[0].path


def weights(reply: TuneReply) -> dict[str, tuple[float, float]]:
    return {name: (one.before, one.after) for name, one in reply.weights.items()}


def test_too_few_judged_queries_are_counted(vaults: Vaults, record: VaultRecord) -> None:
    engine = vaults.open(record, writable=True)
    judge(engine, 12)

    reply = engine.answer(TuneRequest(apply=True))

    assert (reply.outcome, reply.queries, reply.missing) == ("too_few", 12, 18)
    assert reply.gain is None
    assert TuningFile(engine.vault.folder).current() == UNTUNED


def test_a_vault_is_tuned_on_request_only_and_reset(vaults: Vaults, record: VaultRecord) -> None:
    engine = vaults.open(record, writable=True)
    judge(engine, len(TOPICS))
    before = first(engine)

    shown = engine.answer(TuneRequest())
    assert (shown.outcome, TuningFile(engine.vault.folder).current(), first(engine)) == (
        "better",
        UNTUNED,
        before,
    )

    applied = engine.answer(TuneRequest(apply=True))
    assert (applied.outcome, applied.gain) == ("applied", shown.gain)
    assert applied.gain is not None
    assert applied.gain.low > 0
    assert before == f"{TOPICS[0]} {LIST}.md"
    assert first(engine) == "About 0.md"
    assert weights(applied)["names"][1] < 1
    assert engine.history.log(limit=10).total == 0  # measuring is no search of a person's

    again = engine.answer(TuneRequest(apply=True))
    assert again.outcome == "no_sure_gain"

    report = run_golden(vaults, record, systems=(HYBRID,))
    assert [system.system.name for system in report.systems] == ["hybrid", "without tuning"]
    tuned, untuned = (system.rows[0].figures.ndcg_10 for system in report.systems)
    assert tuned > untuned
    assert report.comparisons[0].system == "without tuning"

    reset = engine.answer(TuneRequest(reset=True))
    assert reset.outcome == "reset"
    assert weights(reset)["names"] == (weights(applied)["names"][1], 1.0)
    assert first(engine) == before
    assert len(run_golden(vaults, record, systems=(HYBRID,)).systems) == 1


def test_results_sorted_anew_are_those_of_a_tuned_search(
    vaults: Vaults, record: VaultRecord
) -> None:
    engine = vaults.open(record, writable=True)
    judge(engine, len(TOPICS))
    known = engine.history.judgements()
    judged = golden_set("v", known)
    found = ask(judged, query_weights(judged, known), engine.search)
    assert len(found) == len(TOPICS)
    assert found.ndcg(UNTUNED).max() < 1

    engine.answer(TuneRequest(apply=True))

    report = run_golden(vaults, record, systems=(HYBRID,))
    assert found.ndcg(TuningFile(engine.vault.folder).current()).mean() == pytest.approx(
        report.systems[0].rows[0].figures.ndcg_10
    )


def test_a_search_without_the_feature_uses_the_default_weights(
    settings: Settings, vaults: Vaults, record: VaultRecord
) -> None:
    engine = vaults.open(record, writable=True)
    judge(engine, len(TOPICS))
    before = first(engine)
    engine.answer(TuneRequest(apply=True))
    assert first(engine) != before
    rest = tuple(feature for feature in FEATURES if feature is not EVALUATE)

    with closing(Vaults(settings, features=rest)) as others:
        assert first(others.open(record, writable=False)) == before


def test_a_damaged_file_is_ignored_and_deleted_with_the_vault(
    vaults: Vaults, record: VaultRecord, tmp_path: Path
) -> None:
    engine = vaults.open(record, writable=True)
    file = tmp_path / "data" / "vaults" / record.id / "tuning.json"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text('{"names": 9, "more": 1}', encoding="utf-8")
    factors = TuningFile(engine.vault.folder).current
    assert factors() == Tuning(names=2.0)
    file.write_text("{", encoding="utf-8")
    assert factors() == UNTUNED

    vaults.remove(record, delete_data=True)

    assert not file.exists()
