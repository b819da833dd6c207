"""The formula of scores, on cases that the pages' tests compute too (docs/search.md).

The cases are results of real searches, one search for each way to combine words and meaning. With
NOTEWELL_TEST_UPDATE_CONTRACT=1 they are written anew.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from notewell.base.types import SearchRules
from notewell.contract.search import SearchReply
from notewell.index.embedded import EmbeddedIndex
from tests.contract.test_contract import FOLDER, UPDATE
from tests.search.library import HashedWords, Library, index_vault

FILE = FOLDER / "score-cases.json"
ADDENDS = ("words", "meaning", "coverage", "names", "links")
MULTIPLIERS = ("tag", "recency", "graph")
# name -> parameters of a search; between them they have every method and every part of a score
SEARCHES: Mapping[str, Mapping[str, Any]] = {
    "auto": {},
    "auto, meaning counts more": {"alpha": 0.75},
    "auto, without links and names": {"ignore": frozenset({"links", "names"})},
    "auto, recent notes first": {"recency": 0.5},
    "keyword": {"mode": "keyword"},
    "semantic": {"mode": "semantic"},
    "rrf": {"fusion": "rrf"},
    "weighted, recent notes first": {"fusion": "weighted", "recency": 0.5},
    "blend": {"fusion": "blend", "alpha": 0.25},
    "convex": {"fusion": "convex"},
    "gars": {"fusion": "gars"},
}


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    base = tmp_path_factory.mktemp("scores")
    for path, text in _notes().items():
        (base / "Home" / path).parent.mkdir(parents=True, exist_ok=True)
        (base / "Home" / path).write_text(text, encoding="utf-8")
    index = EmbeddedIndex.open(base / "index", writable=True)
    embedder = HashedWords()
    index_vault(index, base / "Home", embedder)
    library = Library(base / "Home", index, embedder)
    library.rules = SearchRules(recency_date="created", folder_weights={"Archive": 0.5})
    yield library
    index.close()


def _notes() -> Mapping[str, str]:
    def dated(days: int, text: str) -> str:
        day = datetime.now(UTC) - timedelta(days=days)
        return f"---\ncreated: {day:%Y-%m-%d}\ntags: [bees]\n---\n{text}\n"

    return {
        "Garden bees.md": dated(1, "Garden bees need water near the hive. [[Compost]] feeds them."),
        "Compost.md": dated(60, "Compost is warm in spring; bees drink the water near it."),
        "Archive/Hive.md": dated(300, "The hive of the old garden had bees until the winter."),
        "Car.md": dated(5, "An automobile stands in the garden."),
        "Water.md": dated(90, "Water for the roof. See [[Garden bees]] and [[Compost]]."),
    }


def of_reply(name: str, reply: SearchReply) -> list[dict[str, Any]]:
    """The results of a reply as cases, with what their scores are computed from."""
    params = {
        name: reply.fusion.params[name] for name in ("keyword_weight", "semantic_weight", "best")
    }
    return [
        {
            "search": name,
            "mode": reply.mode,
            "fusion": {"method": reply.fusion.method, "params": params},
            "scores": asdict(result.scores),
            "score": result.score,
        }
        for result in reply.results
    ]


def computed(case: Mapping[str, Any]) -> float:
    """The score by the formula: a sum of addends or a weighted mean, multiplied, by the best."""
    scores, params = case["scores"], case["fusion"]["params"]
    if scores["words"] is not None:
        base = sum(scores[name] for name in ADDENDS)
    else:
        keyword, semantic = params["keyword_weight"], params["semantic_weight"]
        parts = keyword * (scores["keyword"] or 0.0) + semantic * (scores["semantic"] or 0.0)
        base = parts / (keyword + semantic)
    for name in MULTIPLIERS:
        base *= 1.0 if scores[name] is None else scores[name]
    return float(base / params["best"])


@pytest.mark.parametrize("name", SEARCHES)
def test_the_formula_gives_the_score_of_every_result(library: Library, name: str) -> None:
    cases = of_reply(name, library.search("garden bees water", **SEARCHES[name]))

    assert cases
    assert [computed(case) for case in cases] == pytest.approx(
        [case["score"] for case in cases], abs=1e-4
    )


def test_the_kept_cases_have_the_scores_of_the_formula(library: Library) -> None:
    if UPDATE:
        _write(FILE, library)
    cases = json.loads(FILE.read_text(encoding="utf-8"))

    assert [computed(case) for case in cases] == pytest.approx(
        [case["score"] for case in cases], abs=1e-4
    )


def test_the_kept_cases_have_every_search_and_every_part_of_a_score() -> None:
    cases = json.loads(FILE.read_text(encoding="utf-8"))

    assert list(dict.fromkeys(case["search"] for case in cases)) == list(SEARCHES)
    for name in ADDENDS:
        assert any(case["scores"][name] for case in cases), name
    for name in MULTIPLIERS:
        assert any(case["scores"][name] not in {None, 1.0} for case in cases), name


def _write(file: Path, library: Library) -> None:
    cases = [
        case
        for name, parameters in SEARCHES.items()
        for case in of_reply(name, library.search("garden bees water", **parameters))
    ]
    text = json.dumps(cases, indent=2, ensure_ascii=False)
    file.write_text(f"{text}\n", encoding="utf-8", newline="\n")
