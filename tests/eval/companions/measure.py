"""Measure the notes that answer a question together with its best result.

    python -m tests.eval.companions.measure [--data FOLDER] [--show]

In the root of the repository, with its environment active. questions.tsv has 60 questions about three vaults, written
and judged by hand by one person before anything was measured: each needs two notes, whose paths end as is written
behind it, `|` between those that serve as well. A question is *met* if its best result is one of the two and the other
is among the companions. For comparison: met by the search alone, where both notes are among its first four.
*Shown* are companions above the results of the web page: where no sentence answers with confidence and the first one
is not among the first three results anyway; *right* those of which one of the first two is the missing note. The questions
about obsidian-help-en of tests/eval/evidence that one note answers say how often companions are told and shown
needlessly. `--show` prints each question. Vaults are indexed in the folder `companions` of the data directory.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from notewell.base.types import ModelRules
from notewell.contract.companions import CompanionsReply, CompanionsRequest
from notewell.contract.search import SearchRequest
from notewell.engine.engine import Engine
from notewell.engine.open_vaults import Vaults
from notewell.features import FEATURES
from notewell.features.evidence.requests import EvidenceRequest
from tests.eval.archives import locate, own_settings
from tests.eval.everyday.queries import VAULTS
from tests.eval.evidence.measure import by_hand

HERE = Path(__file__).parent
DATA = HERE.resolve().parents[2].parent / "shared" / "data"
OF_ONE_NOTE = "help-en"
TOLD = 3
# Of the web page: companions, results above which none is named, and the confidence of an answer.
SHOWN, IN_SIGHT, SURE = 2, 3, 0.3


@dataclass(frozen=True)
class TwoNotes:
    """A question that needs two notes; each by the ends that its path may have."""

    vault: str
    text: str
    notes: tuple[tuple[str, ...], tuple[str, ...]]

    def other_of(self, path: str | None) -> tuple[str, ...] | None:
        """The note that is still missing beside the one at `path`; None if that is neither."""
        one, other = self.notes
        if path is None:
            return None
        return other if path.endswith(one) else one if path.endswith(other) else None


@dataclass
class Counts:
    """What was counted of one vault's questions."""

    asked: int = 0
    half: int = 0
    told: int = 0
    met_first: int = 0
    met: int = 0
    met_by_search: int = 0
    shown: int = 0
    right: int = 0


def main() -> int:
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--data", type=Path, default=DATA, help="folder with the archives")
    parser.add_argument("--show", action="store_true", help="print each question")
    options = parser.parse_args()
    settings = own_settings("companions", ModelRules().name)
    questions = read_questions()
    sys.stdout.write(
        "| vault | questions | one note first | told | met by the first | met by three | met by search | shown | right |\n"
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n"
    )
    with closing(Vaults(settings, fetch_missing=False, features=FEATURES)) as vaults:
        for name in dict.fromkeys(question.vault for question in questions):
            folder = locate(options.data, *VAULTS[name], settings.data_dir)
            if folder is None:
                continue
            engine = vaults.open(vaults.add(folder, name=folder.name), writable=True)
            engine.index_now()
            engine.wait_for_model()
            own = [question for question in questions if question.vault == name]
            one = count(engine, own, show=options.show)
            sys.stdout.write(
                f"| {name} | {one.asked} | {one.half} | {one.told} | {one.met_first} | {one.met} | {one.met_by_search} |"
                f" {one.shown} | {one.right} |\n"
            )
            if name == OF_ONE_NOTE:
                needless(engine)
    return 0


def read_questions() -> list[TwoNotes]:
    """The questions of questions.tsv."""
    rows = (HERE / "questions.tsv").read_text(encoding="utf-8").splitlines()
    fields = (row.split("\t") for row in rows)
    return [
        TwoNotes(vault, text, (tuple(one.split("|")), tuple(other.split("|"))))
        for vault, text, one, other in fields
    ]


def count(engine: Engine, questions: Sequence[TwoNotes], *, show: bool) -> Counts:
    """Ask all questions of one vault."""
    counts = Counts()
    for question in questions:
        reply = engine.answer(CompanionsRequest(question.text, limit=TOLD))
        missing = question.other_of(reply.first.path if reply.first else None)
        right = [missing is not None and path.endswith(missing) for path in _paths(reply)]
        results = engine.search(SearchRequest(question.text, limit=1 + TOLD, plain=True)).results
        counts.asked += 1
        counts.half += missing is not None
        counts.told += bool(right)
        counts.met_first += right[:1] == [True]
        counts.met += any(right)
        counts.met_by_search += all(
            any(result.path.endswith(ends) for result in results) for ends in question.notes
        )
        shown = shown_beside(engine, question.text)
        counts.shown += bool(shown)
        counts.right += missing is not None and any(path.endswith(missing) for path in shown)
        if show:
            mark = "+" if any(right) else "-"
            sys.stderr.write(
                f"{mark} {question.text} | {reply.rest} | {', '.join(_paths(reply))}\n"
            )
    return counts


def shown_beside(engine: Engine, question: str) -> Sequence[str]:
    """The companions that the web page shows above the results, by their paths."""
    answers = engine.answer(EvidenceRequest(question)).answers
    results = engine.search(SearchRequest(question, limit=IN_SIGHT, plain=True)).results
    if not results or any(answer.confidence >= SURE for answer in answers):
        return []
    told = _paths(engine.answer(CompanionsRequest(question, results[0].path)))[:SHOWN]
    return [] if any(result.path in told[:1] for result in results) else told


def needless(engine: Engine) -> None:
    """Print how many questions that one note answers are told and shown companions."""
    asked = [question.text for question in by_hand() if question.is_right is not None]
    told = sum(bool(engine.answer(CompanionsRequest(text)).companions) for text in asked)
    shown = sum(bool(shown_beside(engine, text)) for text in asked)
    sys.stderr.write(
        f"Of {len(asked)} questions that one note answers {told} are told companions, {shown} are shown them.\n"
    )


def _paths(reply: CompanionsReply) -> list[str]:
    return [companion.result.path for companion in reply.companions]


if __name__ == "__main__":
    sys.exit(main())
