"""One search over several vaults."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from notewell.base.errors import NotewellError, NotFoundError
from notewell.base.types import VaultRecord
from notewell.contract.search import Fusion, SearchReply
from notewell.engine.several_vaults import VaultAnswer, find_named, merge_answers
from tests.doors.web.fakes import result

VAULTS = tuple(
    VaultRecord(f"id-{name}", name, Path("/v", name)) for name in ("Home", "Work", "a,b")
)


def reply(vault: str, best: float, *scores: float, **fields: object) -> SearchReply:
    results = tuple(
        replace(result(f"{vault}-{number}.md", "text"), score=score)
        for number, score in enumerate(scores)
    )
    made = SearchReply(
        query="bees",
        vault=vault,
        mode="hybrid",
        fusion=Fusion("auto", {"best": best}),
        expanded=(),
        filtered={"weak": 1},
        generation=1,
        took_ms=1.0,
        total=len(results),
        confidence=best / 10,
        results=results,
        warnings=(),
    )
    return replace(made, **fields)  # type: ignore[arg-type]


def test_which_vaults_are_meant() -> None:
    assert find_named(None, VAULTS) == ()
    assert find_named("Home", VAULTS) == ()
    assert find_named("a,b", VAULTS) == ()  # that is one vault's name
    assert find_named("all", VAULTS) == VAULTS
    assert find_named("home, id-Work", VAULTS) == VAULTS[:2]
    assert find_named("all", (replace(VAULTS[0], name="all"), VAULTS[1])) == ()
    with pytest.raises(NotFoundError, match="known: Home, Work"):
        find_named("Home,Wrok", VAULTS)


def test_results_are_ordered_by_the_evidence_of_all_vaults() -> None:
    found = merge_answers(
        [
            VaultAnswer("Home", reply("Home", 2.0, 1.0, 0.9)),
            VaultAnswer("Work", reply("Work", 4.0, 1.0, 0.3)),
        ],
        3,
    )

    assert [(result.vault, result.path, result.score) for result in found.results] == [
        ("Work", "Work-0.md", 1.0),
        ("Home", "Home-0.md", 0.5),
        ("Home", "Home-1.md", 0.45),
    ]
    assert (found.total, found.confidence, found.filtered) == (4, 0.4, {"weak": 2})
    assert found.vault == "Home, Work"


def test_by_meaning_alone_scores_are_compared_as_they_are() -> None:
    parts = [
        VaultAnswer("Home", reply("Home", 9.0, 0.2, mode="semantic")),
        VaultAnswer("Work", reply("Work", 1.0, 0.6, mode="semantic")),
    ]
    assert [result.score for result in merge_answers(parts, 10).results] == [0.6, 0.2]


def test_a_vault_that_does_not_answer_is_told_and_warnings_name_theirs() -> None:
    parts = [
        VaultAnswer("Home", reply("Home", 1.0, 1.0, warnings=("no model", "paused"))),
        VaultAnswer("Work", reply("Work", 1.0, warnings=("no model",))),
        VaultAnswer("Away", None, NotewellError("its drive is away")),
    ]
    assert merge_answers(parts, 10).warnings == (
        "no model",
        "Home: paused",
        "Away was not searched: its drive is away",
    )
