"""The plugin's sum without a server is the server's: both languages are held to one file of cases.

It has the evidence that is known on a phone; what is not (links, described, dates, readability) is
absent. After a change of the sum, `python tests/search/rank/test_phone_cases.py` writes the file.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pytest

from notewell.base.types import FloatArray
from notewell.search.rank import evidence
from notewell.search.rank.evidence import NoteEvidence, QueryEvidence
from notewell.search.rank.relevance import USUALLY_NEARER, QueryRequirements, judge
from notewell.search.weights import EvidenceWeights

FILE = Path(__file__).with_name("phone_cases.json")
WEIGHTS = EvidenceWeights()
Numbers = Mapping[str, float]
Case = Mapping[str, object]


def _made() -> list[Case]:
    """Queries of all kinds, each with notes that words, names, meaning or nothing speaks for."""
    random = np.random.default_rng(11)
    cases: list[Case] = []
    for at in range(40):
        words = int(random.integers(1, 16))
        query = {
            "knownIdf": float(random.choice([0.0, 4.0, 12.5, 30.0], p=[0.1, 0.3, 0.3, 0.3])),
            "words": words,
            "digits": float(random.choice([0.0, 0.5], p=[0.8, 0.2])),
            "known": float(random.choice([0.0, 0.3, 0.7, 1.0])),
            "content": float(random.choice([0.6, 0.85, 1.0])),
            "cosineMean": float(random.uniform(0.0, 0.15)),
            "cosineDeviation": float(random.uniform(0.01, 0.14)),
            "passages": int(random.choice([5, 30, 200, 9_784, 40_000])),
            "english": bool(at % 2),
        }
        notes = [_note(random, at) for _ in range(int(random.integers(1, 40)))]
        cases.append({"query": query, "notes": notes})
    little = [_little_said(6, english=True), _little_said(6, english=False)]
    return [*cases, *little, *(_little_said(words, english=True) for words in (1, 2))]


def _little_said(words: int, *, english: bool) -> Case:
    """A query whose best note has a third of its words: an answer in a vault that inflects them."""
    query = {
        "knownIdf": 12.5,
        "words": words,
        "digits": 0.0,
        "known": 0.6,
        "content": 1.0,
        "cosineMean": 0.14,
        "cosineDeviation": 0.1,
        "passages": 1_000,
        "english": english,
    }
    note = {"bm25": 9.0, "coverage": 0.35, "length": 300, "names": 0.0, "isExact": False}
    nearest = {**note, "begun": 0.0, "cosine": 0.46, "meanCosine": 0.4}
    return {"query": query, "notes": [nearest, {**nearest, "cosine": 0.2, "coverage": 0.1}]}


def _note(random: np.random.Generator, at: int) -> Mapping[str, float | bool | None]:
    has_words, has_vector = random.random() < 0.6, random.random() < 0.85
    best = float(random.uniform(-0.1, 0.9))
    return {
        "bm25": float(random.uniform(0, 35)) if has_words else 0.0,
        "coverage": float(random.choice([0.2, 0.6, 1.0])) if has_words else 0.0,
        "length": int(random.integers(1, 4_000)),
        "names": float(random.uniform(0, 1)) if random.random() < 0.1 * (at % 3) else 0.0,
        "isExact": bool(random.random() < 0.02),
        "begun": float(random.uniform(0.1, 0.9)) if random.random() < 0.03 else 0.0,
        "cosine": best if has_vector else None,
        "meanCosine": best * float(random.uniform(0.5, 1.0)) if has_vector else None,
    }


def _evidence(rows: Sequence[Mapping[str, float | bool | None]]) -> NoteEvidence:
    def column(name: str) -> FloatArray:
        return np.array([np.nan if row[name] is None else row[name] for row in rows], np.float32)

    return NoteEvidence(
        ids=np.arange(len(rows)),
        passage_bm25=column("bm25"),
        whole_bm25=column("bm25"),
        cosine=column("cosine"),
        mean_cosine=column("meanCosine"),
        coverage=column("coverage"),
        held=column("coverage"),
        lengths=column("length"),
        names=column("names"),
        exact=np.array([bool(row["isExact"]) for row in rows]),
        described=np.zeros(len(rows), np.float32),
        begun=column("begun"),
        said=np.zeros(len(rows), np.bool_),
    )


def _query(given: Numbers, notes: NoteEvidence) -> QueryEvidence:
    embedded = ~np.isnan(notes.cosine)
    cosines, coverage = notes.cosine[embedded], notes.coverage[embedded]
    nearest = np.argsort(-cosines)[: evidence.NEAREST]
    return QueryEvidence(
        known_idf=given["knownIdf"],
        words=int(given["words"]),
        digits=given["digits"],
        known=given["known"],
        content=given["content"],
        nearest=float(cosines[nearest[-1]]) if len(nearest) else 0.0,
        nearest_coverage=float(coverage[nearest].mean()) if len(nearest) else 1.0,
        cosine_mean=given["cosineMean"],
        cosine_deviation=given["cosineDeviation"],
        passages=int(given["passages"]),
        english=bool(given["english"]),
        first_coverage=evidence.first_coverage(notes),
        short_coverage=float(notes.short_coverage.max()),
    )


def _expected(case: Case) -> Case:
    notes = _evidence(case["notes"])  # type: ignore[arg-type]
    query = _query(case["query"], notes)  # type: ignore[arg-type]
    weight = evidence.meaning_weight(query, WEIGHTS, float(notes.names.max()))
    words = evidence.weigh_words(notes, query)
    coverage = evidence.weigh_coverage(notes, query, WEIGHTS)
    names = notes.named(WEIGHTS)
    meaning = evidence.weigh_meaning(notes, words + coverage + names, weight, WEIGHTS.mean)
    total = words + coverage + names + meaning
    best = float(total.max()) or 1.0
    asked = QueryRequirements(
        query.known,
        query.content,
        required=False,
        known_words=query.known,
        words=query.words,
        beyond_words=(lambda: USUALLY_NEARER) if query.words > 1 else None,
    )
    relevance = judge(notes, query, "hybrid", asked, total / np.float32(best))
    return {
        "weight": round(weight, 5),
        "totals": [round(each, 5) for each in total.tolist()],
        "matches": relevance.matches(np.arange(len(notes))),
    }


def test_cases_are_those_of_the_server() -> None:
    for case in json.loads(FILE.read_text()):
        expected = _expected(case)
        assert case["weight"] == pytest.approx(expected["weight"], abs=1e-4)
        assert case["totals"] == pytest.approx(expected["totals"], abs=1e-4)
        assert case["matches"] == expected["matches"]


if __name__ == "__main__":
    rounded = json.loads(json.dumps(_made()), parse_float=lambda text: round(float(text), 3))
    written = ",\n".join(json.dumps({**case, **_expected(case)}) for case in rounded)
    FILE.write_text(f"[\n{written}\n]\n")
