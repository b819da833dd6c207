"""Measures which open ends are found, on sentences that were labelled by hand.

    python -m tests.eval.open_ends.measure            precision, recall and agreement
    python -m tests.eval.open_ends.measure --draw     draw the sentences anew, to be labelled

A hundred sentences of each of three vaults: up to forty that the rules find, the others at random
among those with any word of a promise, decision or question. `labels.jsonl` holds where each
stands, a hash of its words, and two labels, given in two orders: whether its writer left something
to do, to decide or to find out, and nothing in the note says that it was done. It holds no text:
two of the vaults may not be passed on. Recall weighs a sentence by how many it stands for.

One person gave both labels, some minutes apart: the agreement says how clear the question is, not
how much two people would agree. The rules were mended by the first errors on these sentences, so
that the precision is that of a fit; docs/open-ends.md has the figures before and after.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import random
import re
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from notewell.api.text import sentences_of
from notewell.engine.open_vaults import Vaults
from notewell.features import FEATURES
from notewell.features.open_ends.lines import lines_of
from notewell.features.open_ends.requests import OpenEndsRequest
from tests.eval.archives import locate
from tests.vaults import QUIET, settings_in

DATA = Path(__file__).resolve().parents[3].parent / "shared" / "data"
VAULTS = ("locomo-dev", "obsidian-hub", "excalidraw-wiki")
LABELS = Path(__file__).parent / "labels.jsonl"
OF_EACH, FOUND = 100, 40
CUE = re.compile(
    r"\b(?:I|we)(?:['’](?:ll|m|re|ve))?\b.*\b(?:should|must|need to|have to|want to|will|plan|going to|"
    r"gonna|promise|decided|agreed)\b|\b(?:I|we)['’]ll\b|\bremind me\b|\bdon['’]t forget\b|"
    r"\bremember to\b|\btodo\b|\bto do:|\bdecided\b|\bdecision\b|\bagreed\b|\blook into\b|"
    r"\bfind out\b|\bfollow up\b|^ask \w+|\?$",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Label:
    """A labelled sentence; `weight` is how many sentences of its kind it stands for."""

    vault: str
    path: str
    line: int
    words: str
    weight: float
    first: bool
    second: bool


def vault_folder(vault: str, work: Path) -> Path:
    folder = locate(DATA, f"vault-{vault}", vault, work)
    if folder is None:
        raise SystemExit(f"{DATA} has no vault {vault}.")
    return folder


def name_of(text: str) -> str:
    return hashlib.blake2b(" ".join(text.split()).encode(), digest_size=8).hexdigest()


def found_in(folder: Path, work: Path) -> dict[tuple[str, int, str], str]:
    """The open ends of a vault: path, line and name of the sentence, and its text."""
    with closing(Vaults(settings_in(work, vault=QUIET), features=FEATURES)) as all_:
        engine = all_.open(all_.add(folder), writable=True)
        engine.index_now()
        reply = engine.vault.ask(OpenEndsRequest(limit=1000))
    return {
        (end.path, end.line, name_of(end.text)): end.text
        for week in reply.weeks
        for end in week.ends
    }


def cues_in(folder: Path) -> Iterator[tuple[tuple[str, int, str], str]]:
    """The sentences of a vault that have any word of a promise, decision or question.

    Each that stands there once: what is repeated belongs to a template.
    """
    cues = list(_all_cues_in(folder))
    times = Counter(words for (_, _, words), _ in cues)
    return ((place, text) for place, text in cues if times[place[2]] == 1)


def _all_cues_in(folder: Path) -> Iterator[tuple[tuple[str, int, str], str]]:
    for file in sorted(folder.rglob("*.md")):
        text = file.read_text(encoding="utf-8", errors="replace")
        for line in lines_of(text):
            for start, end in sentences_of(line.text, shortest=8):
                sentence = line.text[start:end]
                if CUE.search(sentence) and len(sentence) <= 300:
                    path = file.relative_to(folder).as_posix()
                    yield (path, line.number, name_of(sentence)), sentence


def draw(work: Path) -> None:
    chosen = random.Random(62)
    for vault in VAULTS:
        folder = vault_folder(vault, work)
        found = found_in(folder, work / vault)
        others = {place: text for place, text in cues_in(folder) if place not in found}
        of_found = chosen.sample(sorted(found), min(FOUND, len(found)))
        of_others = chosen.sample(sorted(others), OF_EACH - len(of_found))
        for pool, places in ((found, of_found), (others, of_others)):
            for path, line, words in places:
                weight = round(len(pool) / len(places), 2)
                row = asdict(Label(vault, path, line, words, weight, False, False))
                shown = json.dumps({**row, "text": pool[path, line, words]}, ensure_ascii=False)
                sys.stdout.write(f"{shown}\n")


def read_labels() -> list[Label]:
    return [Label(**json.loads(row)) for row in LABELS.read_text(encoding="utf-8").splitlines()]


def measure(work: Path) -> dict[str, float]:
    """Precision, recall, and the agreement of the two labels (Cohen's kappa)."""
    labels = read_labels()
    found = {vault: found_in(vault_folder(vault, work), work / vault) for vault in VAULTS}
    is_found = [(label.path, label.line, label.words) in found[label.vault] for label in labels]
    is_open = [label.first and label.second for label in labels]
    pairs = list(zip(labels, is_found, is_open, strict=True))
    right = [label.weight for label, told, real in pairs if told and real]
    told = [label.weight for label, told, _ in pairs if told]
    real = [label.weight for label, _, real in pairs if real]
    return {
        "sentences": len(labels),
        "found": len(told),
        "open": len(real),
        "precision": round(sum(right) / sum(told), 3),
        "recall": round(sum(right) / sum(real), 3),
        "recall in the sample": round(len(right) / len(real), 3),
        "kappa": round(kappa([(label.first, label.second) for label in labels]), 3),
    }


def kappa(pairs: list[tuple[bool, bool]]) -> float:
    same = sum(first == second for first, second in pairs) / len(pairs)
    first, second = (sum(pair[at] for pair in pairs) / len(pairs) for at in (0, 1))
    by_chance = first * second + (1 - first) * (1 - second)
    return (same - by_chance) / (1 - by_chance)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draw", action="store_true")
    with TemporaryDirectory() as work:
        if parser.parse_args().draw:
            draw(Path(work))
        else:
            sys.stdout.write(json.dumps(measure(Path(work))) + "\n")


if __name__ == "__main__":
    main()
