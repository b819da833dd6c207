"""Measure questions that wait on replays of made histories: notes arrive one after another.

    python -m tests.eval.evidence.standing [--data FOLDER] [--least 0.1,0.3,…]

In the root of the repository, with its environment active. Questions wait before the first note is there. The notes of
help-en and kepano arrive in an order drawn by a seed, as their dates are not known; those of the chats in the order of
their sessions, once for each conversation. A note that says the answer should be told:

- help-en: the questions of questions.tsv, 70 with an answer and 40 without;
- chats: 40 questions of each of the conversations 1 to 5, drawn by a seed, with the sessions that answer them;
- kepano: the questions about help-en, which this vault does not answer.

Printed are, for each least confidence: the share of answerable questions of which a right note is told; and the notices
of notes that do not answer, for each 100 notes that arrive, while ten questions wait. A question is measured against
all sentences of a vault with the frequencies of words of the whole vault.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from notewell.base.types import ModelRules
from notewell.engine.engine import Engine
from notewell.engine.open_vaults import Vaults
from notewell.features import FEATURES
from notewell.features.evidence import standing
from notewell.features.evidence.confidence import AnswerSentence, answer_sentences
from tests.eval.archives import locate, own_settings
from tests.eval.evidence.measure import by_hand

_DATA = Path(__file__).resolve().parents[3].parent / "shared" / "data"
_LEAST = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7)
_WAITING, _OF_CONVERSATION, _SEED = 10, 40, 7


@dataclass(frozen=True)
class Asked:
    """A question, with the notes that answer it; `history` names those that arrive with it."""

    text: str
    right: frozenset[str]
    history: str


@dataclass
class Notice:
    """The surest sentence of a note for a question."""

    question: int
    path: str
    confidence: float


class Remembering:
    """An embedder that embeds each text once."""

    def __init__(self, embedder: Any) -> None:
        self._embedder = embedder
        self._known: dict[str, Any] = {}

    def __getattr__(self, name: str) -> Any:
        return getattr(self._embedder, name)

    def embed_passages(self, texts: Sequence[str]) -> Any:
        new = list(dict.fromkeys(text for text in texts if text not in self._known))
        if new:
            self._known |= dict(zip(new, self._embedder.embed_passages(new), strict=True))
        return np.array([self._known[text] for text in texts])


def main() -> int:
    """Replay each set."""
    options = _options()
    standing.TOLD = 0.0
    settings = own_settings("standing", ModelRules().name)
    with closing(Vaults(settings, fetch_missing=False, features=FEATURES)) as vaults:
        for name, archive, folder in (
            ("help-en", "vault-obsidian-help-en", "obsidian-help-en"),
            ("chats", "vault-locomo-dev", "locomo-dev"),
            ("kepano", "vault-kepano", "kepano-obsidian"),
        ):
            place = locate(options.data, archive, folder, settings.data_dir)
            if place is None:
                continue
            engine = vaults.open(vaults.add(place, name=name), writable=True)
            engine.index_now()
            engine.wait_for_model()
            asked = list(_asked(name, options.data, settings.data_dir, engine))
            notices, notes = _notices(engine, asked)
            for least in options.least:
                sys.stdout.write(_row(name, least, asked, notices, notes))
    return 0


def _asked(name: str, data: Path, work: Path, engine: Engine) -> Iterator[Asked]:
    if name == "chats":
        yield from _of_chats(data, work)
        return
    sentences = _sentences(engine, "")
    for question in by_hand():
        right: set[str] = set()
        if name == "help-en" and question.is_right is not None:
            right = {one.note.path for one in sentences if question.is_right(one)}  # type: ignore[arg-type]
        yield Asked(question.text, frozenset(right), "")


def _of_chats(data: Path, work: Path) -> Iterator[Asked]:
    place = locate(data, "known-locomo-dev", "known-locomo-dev", work)
    if place is None:
        return
    right: dict[str, set[str]] = defaultdict(set)
    for row in (place / "qrels.tsv").read_text(encoding="utf-8").splitlines()[1:]:
        query, note, _ = row.split("\t")
        right[query].add(note)
    by_conversation: dict[str, list[Asked]] = defaultdict(list)
    for line in (place / "queries.jsonl").open(encoding="utf-8"):
        query = json.loads(line)
        notes = frozenset(right[query["_id"]])
        if notes:
            history = min(notes)[:3]
            by_conversation[history].append(Asked(query["text"], notes, history))
    for _, questions in sorted(by_conversation.items()):
        random.Random(_SEED).shuffle(questions)
        yield from questions[:_OF_CONVERSATION]


def _sentences(engine: Engine, history: str) -> list[AnswerSentence]:
    """The sentences of the notes of a history, by note in the order of its name."""
    index = engine.vault.index
    return [
        sentence
        for note in sorted(index.all_notes(), key=lambda note: note.path)
        if note.path.startswith(history)
        for chunk in index.chunks_of(note.id)
        for sentence in answer_sentences(note, chunk)
    ]


def _notices(engine: Engine, asked: Sequence[Asked]) -> tuple[list[Notice], int]:
    """What every question would tell of every note of its history, and how many notes arrive."""
    vault = engine.vault
    embedder: Any = Remembering(vault.embedder())
    found, arrived = [], 0
    by_history = {
        history: _sentences(engine, history) for history in {one.history for one in asked}
    }
    for history, sentences in by_history.items():
        by_note: dict[str, list[AnswerSentence]] = defaultdict(list)
        for sentence in sentences:
            by_note[sentence.note.path].append(sentence)
        arrived += len(by_note)
        for number, question in enumerate(asked):
            if question.history != history:
                continue
            for path, own in by_note.items():
                sure = standing.sure_answers(vault, embedder, question.text, own)
                if sure:
                    found.append(Notice(number, path, sure[0][0]))
    return found, arrived


def _row(
    name: str, least: float, asked: Sequence[Asked], notices: Sequence[Notice], notes: int
) -> str:
    told = [one for one in notices if one.confidence >= least]
    right = {one.question for one in told if one.path in asked[one.question].right}
    wrong = sum(one.path not in asked[one.question].right for one in told)
    answerable = sum(bool(one.right) for one in asked)
    histories = len({one.history for one in asked})
    waiting = len(asked) / histories
    share = f"{len(right)} of {answerable}" if answerable else "–"
    false = 100 * wrong / notes / waiting * _WAITING
    return f"{name} from {least}: told {share}; {wrong} others, {false:.2f} in 100 notes while ten wait\n"


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--data", type=Path, default=_DATA, help="folder with the archives")
    parser.add_argument(
        "--least", type=lambda text: [float(one) for one in text.split(",")], default=_LEAST
    )
    return parser.parse_args()


if __name__ == "__main__":
    raise SystemExit(main())
