"""A judged set made of what a person opened and said: the golden set of their own vault.

The rule. A query is one text, letter case and spacing aside, as it was last written.

- A note that was judged "this was it" is relevant with grade 2.
- The note that was opened last of a search ended it, and is relevant with grade 1.
- A note that was judged "never for this" is no answer, whatever was opened, and is taken out of the
  rankings, as it is when the person searches.

Queries are asked as they were typed, operators included. What was opened was first shown, so the
set favours the ranking that showed it; verdicts weigh more for that reason.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

import orjson

from notewell.engine.search_history import History
from notewell.errors import UsageError
from notewell.evaluate.against import Against
from notewell.evaluate.datasets import JudgedSet, Query
from notewell.evaluate.engines import Measured, OnProgress, Opener
from notewell.evaluate.report import EvalReport, System
from notewell.evaluate.run import SYSTEMS, measure, up_to_date
from notewell.querylog import Judgements, fold
from notewell.querylog.records import Opened
from notewell.types import VaultRecord

FEWEST = 3  # queries, below which an average says nothing
FEW = 20  # below which it says little
CONFIRMED, OPENED = 2, 1  # grades
_BREAKS_ROWS = re.compile(r"[\t\r\n]")


class Remembering(Measured, Protocol):
    """The part of an Engine that a golden set comes from."""

    @property
    def history(self) -> History:
        """What was asked, opened and judged."""
        ...


@dataclass(slots=True)
class _Gathered:
    """What is known of one query."""

    text: str = ""
    at: float = float("-inf")
    grades: dict[str, int] = field(default_factory=dict)
    never: set[str] = field(default_factory=set)

    def asked(self, text: str, at: float) -> _Gathered:
        if at >= self.at:
            self.text, self.at = text, at
        return self

    def relevant(self, path: str, grade: int) -> None:
        self.grades[path] = max(grade, self.grades.get(path, 0))


def golden_set(name: str, known: Judgements) -> JudgedSet:
    """Make the judged set of all queries that have a relevant note."""
    queries: dict[str, _Gathered] = {}
    for opened in _last_opened(known.opened):
        gathered = queries.setdefault(fold(opened.query), _Gathered())
        gathered.asked(opened.query, opened.at).relevant(opened.path, OPENED)
    for judged in known.verdicts:
        gathered = queries.setdefault(fold(judged.query), _Gathered())
        gathered.asked(judged.query, judged.at)
        if judged.verdict == "this_was_it":
            gathered.relevant(judged.path, CONFIRMED)
        else:
            gathered.never.add(judged.path)
    for gathered in queries.values():
        gathered.grades = {p: g for p, g in gathered.grades.items() if p not in gathered.never}
    kept = {_id(key): one for key, one in sorted(queries.items()) if one.grades}
    return JudgedSet(
        name=name,
        queries=tuple(Query(key, one.text, _kind(one), plain=False) for key, one in kept.items()),
        qrels={key: one.grades for key, one in kept.items()},
        drops={key: frozenset(one.never) for key, one in kept.items() if one.never},
    )


def read_golden(vaults: Opener[Remembering], record: VaultRecord) -> JudgedSet:
    """The golden set of a vault, from its log. UsageError where there is nothing in it."""
    engine = vaults.open(record, writable=False)
    return _enough(golden_set(record.name, engine.history.judgements()), 1)


def run_golden(
    vaults: Opener[Remembering],
    record: VaultRecord,
    *,
    systems: Sequence[System] = SYSTEMS,
    against: Against | None = None,
    progress: OnProgress = None,
) -> EvalReport:
    """Measure on the golden set of a vault, whose index is brought up to date.

    Raises UsageError where too few queries have an answer.
    """
    engine = up_to_date(vaults, record, progress)
    judged = _enough(golden_set(record.name, engine.history.judgements()), FEWEST)
    count = len(judged.queries)
    remarks = [f"only {count} queries have an answer: the figures say little"] * (count < FEW)
    return measure(engine, judged, systems, documents={}, remarks=remarks, against=against)


def write_golden(judged: JudgedSet, folder: Path) -> int:
    """Write `queries.jsonl`, `qrels.tsv` and `drops.tsv`; gives how many judgements they hold.

    A path with a tab or a line break in its name has no place in such files and is left out.
    """
    folder.mkdir(parents=True, exist_ok=True)
    queries = [
        {"_id": one.id, "text": one.text, "metadata": {"type": one.kind, "plain": one.plain}}
        for one in judged.queries
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


def _last_opened(opened: Sequence[Opened]) -> list[Opened]:
    """The last opening of each search; openings whose search is unknown count as one a query."""
    return list({one.query_id or fold(one.query): one for one in opened}.values())


def _enough(judged: JudgedSet, fewest: int) -> JudgedSet:
    if len(judged.queries) < fewest:
        raise UsageError(
            f"{len(judged.queries)} queries of {judged.name} have a known answer; at least"
            f" {fewest} are needed. Say what was found with `notewell verdict QUERY NOTE --yes`,"
            " or open results in Obsidian or the browser.",
            code="golden_too_small",
        )
    return judged


def _kind(one: _Gathered) -> str:
    return "confirmed" if CONFIRMED in one.grades.values() else "opened"


def _id(key: str) -> str:
    return hashlib.blake2b(key.encode(), digest_size=6).hexdigest()


def _rows(rows: Iterable[tuple[str | int, ...]]) -> list[str]:
    """Rows with tabs between, but for those that a name would break."""
    return [
        "\t".join(map(str, row))
        for row in rows
        if not any(_BREAKS_ROWS.search(str(cell)) for cell in row)
    ]
