"""The golden set: judged queries made from the searches of one vault."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import orjson

from notewell.api.errors import UsageError
from notewell.api.types import VaultRecord
from notewell.base.querylog import Judgements, fold
from notewell.base.querylog.database import Opened
from notewell.features.evaluate.datasets import JudgedQuery, JudgedSet
from notewell.features.evaluate.report import (
    EvalReport,
    System,
)
from notewell.features.evaluate.run import (
    HYBRID,
    SYSTEMS,
    WITHOUT_TUNING,
    OnProgress,
    OtherPrograms,
    measure,
    up_to_date,
)
from notewell.search.tuning_file import TuningFile
from notewell.search.weights import UNTUNED

if TYPE_CHECKING:
    from notewell.engine.open_vaults import Vaults

MIN_JUDGED = 3  # with fewer, an average means nothing
FEW_QUERIES = 20  # with fewer, the report has a warning
CONFIRMED, OPENED = 2, 1  # grades
_BREAKS_ROWS = re.compile(r"[\t\r\n]")


@dataclass(slots=True)
class _LoggedQuery:
    """One query of the log: its latest text and time, grades by path, notes never to show."""

    text: str = ""
    at: float = float("-inf")
    grades: dict[str, int] = field(default_factory=dict)
    never: set[str] = field(default_factory=set)

    def seen(self, text: str, at: float) -> _LoggedQuery:
        if at >= self.at:
            self.text, self.at = text, at
        return self

    def add_grade(self, path: str, grade: int) -> None:
        self.grades[path] = max(grade, self.grades.get(path, 0))


def golden_set(name: str, known: Judgements) -> JudgedSet:
    """Make a judged set of the queries that have a relevant note."""
    queries: dict[str, _LoggedQuery] = {}
    for opened in last_opened(known.opened):
        query = queries.setdefault(fold(opened.query), _LoggedQuery())
        query.seen(opened.query, opened.at).add_grade(opened.path, OPENED)
    for judged in known.verdicts:
        query = queries.setdefault(fold(judged.query), _LoggedQuery())
        query.seen(judged.query, judged.at)
        if judged.verdict == "this_was_it":
            query.add_grade(judged.path, CONFIRMED)
        else:
            query.never.add(judged.path)
    for query in queries.values():
        query.grades = {p: g for p, g in query.grades.items() if p not in query.never}
    relevant = {query_id(key): query for key, query in sorted(queries.items()) if query.grades}
    return JudgedSet(
        name=name,
        queries=tuple(
            JudgedQuery(
                key,
                query.text,
                "confirmed" if CONFIRMED in query.grades.values() else "opened",
                plain=False,
            )
            for key, query in relevant.items()
        ),
        qrels={key: query.grades for key, query in relevant.items()},
        drops={key: frozenset(query.never) for key, query in relevant.items() if query.never},
    )


def read_golden(vaults: Vaults, record: VaultRecord) -> JudgedSet:
    """Read the golden set of a vault from its log. Raises UsageError where it is empty."""
    engine = vaults.open(record, writable=False)
    return _require(golden_set(record.name, engine.vault.judgements()), 1)


def run_golden(
    vaults: Vaults,
    record: VaultRecord,
    *,
    systems: Sequence[System] = SYSTEMS,
    against: OtherPrograms | None = None,
    progress: OnProgress = None,
) -> EvalReport:
    """Measure on the golden set of a vault, after updating its index.

    If the vault is tuned, the search with the default weights is measured as well.

    Raises UsageError where fewer than `MIN_JUDGED` queries have a relevant note.
    """
    engine = up_to_date(vaults, record, progress)
    judged = _require(golden_set(record.name, engine.vault.judgements()), MIN_JUDGED)
    count = len(judged.queries)
    if TuningFile(engine.vault.folder).current() != UNTUNED and HYBRID in systems:
        systems = (*systems, WITHOUT_TUNING)
    warnings = [f"only {count} queries have an answer: the figures say little"] * (
        count < FEW_QUERIES
    )
    return measure(engine, judged, systems, documents={}, warnings=warnings, against=against)


def write_golden(judged: JudgedSet, folder: Path) -> int:
    """Write `queries.jsonl`, `qrels.tsv` and `drops.tsv`; returns the number of judgements.

    A path with a tab or a line break in its name cannot be written to such files and is left out.
    """
    folder.mkdir(parents=True, exist_ok=True)
    queries = [
        {
            "_id": query.id,
            "text": query.text,
            "metadata": {"type": query.kind, "plain": query.plain},
        }
        for query in judged.queries
    ]
    (folder / "queries.jsonl").write_bytes(b"".join(orjson.dumps(q) + b"\n" for q in queries))
    qrels = _rows(
        (key, path, grade) for key, row in judged.qrels.items() for path, grade in row.items()
    )
    drops = _rows((key, path) for key, paths in judged.drops.items() for path in sorted(paths))
    for name, head, rows in (
        ("qrels.tsv", "query-id\tcorpus-id\tscore", qrels),
        ("drops.tsv", "query-id\tcorpus-id", drops),
    ):
        text = "".join(f"{line}\n" for line in (head, *rows))
        (folder / name).write_text(text, encoding="utf-8", newline="\n")
    return len(qrels)


def last_opened(opened: Sequence[Opened]) -> list[Opened]:
    """The note opened last after each search; without a known search, the last one of a query."""
    return list({result.query_id or fold(result.query): result for result in opened}.values())


def _require(judged: JudgedSet, fewest: int) -> JudgedSet:
    if len(judged.queries) < fewest:
        raise UsageError(
            f"{len(judged.queries)} queries of {judged.name} have a known answer; at least"
            f" {fewest} are needed. Say what was found with `notewell verdict QUERY NOTE --yes`,"
            " or open results in Obsidian or the browser.",
            code="golden_too_small",
        )
    return judged


def query_id(folded: str) -> str:
    """The id of a query in the set, from its text as `fold` returns it."""
    return hashlib.blake2b(folded.encode(), digest_size=6).hexdigest()


def _rows(rows: Iterable[tuple[str | int, ...]]) -> list[str]:
    """Tab-separated rows, without those in which a name contains a separator."""
    return [
        "\t".join(map(str, row))
        for row in rows
        if not any(_BREAKS_ROWS.search(str(cell)) for cell in row)
    ]
