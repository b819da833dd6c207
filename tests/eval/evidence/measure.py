"""Measure the sentences that answer questions.

    python -m tests.eval.evidence.measure help [--data FOLDER]
    python -m tests.eval.evidence.measure xquad --language de|ru|zh [--data FOLDER]

In the root of the repository, with its environment active. `help`: the questions of questions.tsv, written by hand
about obsidian-help-en. Behind a tab each has texts of which a right sentence has one, `|` between them; nothing is
behind it if the vault does not say. Printed are how many questions have a right sentence among the first three and
as the first, and how many of those without an answer get one. `xquad`: half of the paragraphs are the vault, so that
the questions about the others have no answer in it; which sentence answers is not known, so one of the right
paragraph counts. Vaults are unpacked and indexed in the folder `evidence` of the data directory (NOTEWELL_DATA_DIR).
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from notewell.base.types import ModelRules, Settings
from notewell.engine.open_vaults import Vaults
from notewell.features import FEATURES
from notewell.features.evidence.requests import Evidence, EvidenceRequest
from tests.eval.archives import locate, own_settings

_QUESTIONS = Path(__file__).with_name("questions.tsv")
_DATA = Path(__file__).resolve().parents[3].parent / "shared" / "data"
_MULTILINGUAL = "multilingual-e5-small-q4"
_MARKS = re.compile(r"[*_`\[\]|]")
_FIRST = 3


@dataclass(frozen=True)
class Question:
    """A question; `is_right` judges a sentence, None: the vault does not say."""

    text: str
    is_right: Callable[[Evidence], bool] | None


def main() -> int:
    """Measure what is asked for."""
    options = _options()
    settings = own_settings(
        "evidence", ModelRules().name if options.what == "help" else _MULTILINGUAL
    )
    if options.what == "help":
        folder = locate(
            options.data, "vault-obsidian-help-en", "obsidian-help-en", settings.data_dir
        )
        questions = list(by_hand())
    else:
        archive = locate(options.data, "ir-xquad-de-ru-zh", "xquad", settings.data_dir)
        folder = settings.data_dir / "xquad" / options.language
        questions = (
            list(_of_paragraphs(archive / f"xquad-{options.language}", folder)) if archive else []
        )
    if folder is None or not questions:
        sys.stderr.write(f"{options.data} does not have the archive\n")
        return 1
    sys.stdout.write(report(questions, folder, settings))
    return 0


def report(questions: Sequence[Question], folder: Path, settings: Settings) -> str:
    """Ask all questions, and count."""
    said = first = among = silent = false = 0
    with closing(Vaults(settings, fetch_missing=False, features=FEATURES)) as vaults:
        engine = vaults.open(vaults.add(folder, name=folder.name), writable=True)
        engine.index_now()
        engine.wait_for_model()
        for question in questions:
            answers = engine.answer(EvidenceRequest(question.text)).answers
            if question.is_right is None:
                silent += not answers
                false += bool(answers)
                continue
            right = [question.is_right(answer) for answer in answers[:_FIRST]]
            said += bool(answers)
            first += right[:1] == [True]
            among += any(right)
    asked = sum(question.is_right is not None for question in questions)
    return (
        f"answered: {said} of {asked}; right among the first {_FIRST}: {among}, as the first: {first}\n"
        f"without an answer: {silent} of {silent + false} are told so, {false} get one\n"
    )


def by_hand() -> Iterator[Question]:
    for line in _QUESTIONS.read_text(encoding="utf-8").splitlines():
        text, _, said = line.partition("\t")
        wanted = [_MARKS.sub("", each).strip() for each in said.split("|")] if said else []
        yield Question(text, _says(wanted) if wanted else None)


def _says(wanted: Sequence[str]) -> Callable[[Evidence], bool]:
    return lambda one: any(each in _MARKS.sub("", one.text) for each in wanted)


def _of_paragraphs(data: Path, folder: Path) -> Iterator[Question]:
    """The questions of a language; writes half of its paragraphs as notes."""
    paragraphs = [json.loads(line) for line in (data / "corpus.jsonl").open(encoding="utf-8")]
    folder.mkdir(parents=True, exist_ok=True)
    kept = {paragraph["_id"] for paragraph in paragraphs[::2]}
    for paragraph in paragraphs[::2]:
        (folder / f"{paragraph['_id']}.md").write_text(paragraph["text"], encoding="utf-8")
    rows = (data / "qrels.tsv").read_text(encoding="utf-8").splitlines()[1:]
    answers = dict(row.split("\t")[:2] for row in rows)
    for line in (data / "queries.jsonl").open(encoding="utf-8"):
        query = json.loads(line)
        note = answers[query["_id"]]
        yield Question(query["text"], _is_in(f"{note}.md") if note in kept else None)


def _is_in(path: str) -> Callable[[Evidence], bool]:
    return lambda one: one.path == path


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("what", choices=("help", "xquad"))
    parser.add_argument("--language", choices=("de", "ru", "zh"), default="de")
    parser.add_argument("--data", type=Path, default=_DATA, help="folder with the archives")
    return parser.parse_args()


if __name__ == "__main__":
    raise SystemExit(main())
