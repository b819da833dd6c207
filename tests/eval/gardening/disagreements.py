"""Measure the check of statements that disagree.

    python -m tests.eval.gardening.disagreements [--data FOLDER] [--planted N] [--show N]

In the root of the repository, with its environment active. Of each vault, N sentences chosen by a fixed seed get a
twin in another note that says something else: another number, the opposite state, or a negation; in half of them one
word is left out or two change places, as nobody repeats a sentence word for word. Printed are how many of these the
check finds, and how many it finds in the vault as it is, of which `--show` prints some to be judged by reading.
"""

from __future__ import annotations

import argparse
import random
import re
import sys
import tempfile
from collections.abc import Mapping
from itertools import islice
from pathlib import Path

from notewell.features.gardener.checks.disagreements import (
    Statement,
    disagreements,
    statements,
    statements_of,
)
from tests.eval.archives import locate
from tests.eval.gardening.gardens import garden_of, read_texts

_DATA = Path(__file__).resolve().parents[3].parent / "shared" / "data"
_VAULTS = {
    "help-en": ("vault-obsidian-help-en", "obsidian-help-en"),
    "excalidraw": ("vault-excalidraw-wiki", "excalidraw-wiki"),
    "hub": ("vault-obsidian-hub", "obsidian-hub"),
}
_NUMBER = re.compile(r"\b\d{1,4}\b")
_STATES = {"enabled": "disabled", "disabled": "enabled", "required": "optional", "optional": "required",
           "before": "after", "after": "before", "always": "never", "never": "always", "open": "closed"}  # fmt: skip
_VERB = re.compile(r"\b(is|are|can|will|does|should|has been|was)\b")


def main() -> int:
    """Measure each vault."""
    options = _options()
    for name, (archive, folder) in _VAULTS.items():
        with tempfile.TemporaryDirectory() as work:
            place = locate(options.data, archive, folder, Path(work))
            texts = {} if place is None else read_texts(place)
        if texts:
            sys.stdout.write(_report(name, texts, options.planted, options.show))
    return 0


def _report(name: str, texts: Mapping[str, str], count: int, shown: int) -> str:
    alarms = list(disagreements(statements(garden_of(texts))))
    planted, pairs = _with_planted(texts, count)
    found = {_pair(one, other) for one, other, _ in disagreements(statements(garden_of(planted)))}
    known = {_pair(one, other) for one, other, _ in alarms}
    hits = len(pairs & found)
    wrong = len(found - pairs - known)
    told = (
        f"{name}: {len(texts)} notes; of {len(pairs)} planted {hits} found ({hits / len(pairs):.2f}),"
        f" {wrong} others (precision {hits / max(hits + wrong, 1):.2f}); without them {len(alarms)}"
        f" ({1000 * len(alarms) / len(texts):.1f} in 1,000 notes)"
    )
    read = (
        f"  {kind}: {one.path}: {one.text}\n    {other.path}: {other.text}"
        for one, other, kind in alarms
    )
    return "\n".join([told, *islice(read, shown)]) + "\n"


def _pair(one: Statement, other: Statement) -> frozenset[str]:
    return frozenset((one.path, other.path))


def _with_planted(
    texts: Mapping[str, str], count: int
) -> tuple[dict[str, str], set[frozenset[str]]]:
    chance = random.Random(7)
    planted, pairs = dict(texts), set[frozenset[str]]()
    said = [
        (path, statement.text)
        for path, text in texts.items()
        for statement in statements_of(path, text)
        if not statement.is_short
    ]
    chance.shuffle(said)
    for path, text in said:
        changed = _changed(text, chance)
        other = chance.choice(list(texts))
        pair = frozenset((path, other))
        if changed is None or other == path or pair in pairs:
            continue
        planted[other] += f"\n\n{changed}\n"
        pairs.add(pair)
        if len(pairs) == count:
            break
    return planted, pairs


def _changed(text: str, chance: random.Random) -> str | None:
    """The sentence with another value; None if it has none to change."""
    words = text.split(" ")
    if (number := _NUMBER.search(text)) is not None:
        changed = (
            f"{text[: number.start()]}{int(number[0]) + chance.randint(1, 9)}{text[number.end() :]}"
        )
    elif (at := next((n for n, word in enumerate(words) if word in _STATES), None)) is not None:
        changed = " ".join([*words[:at], _STATES[words[at]], *words[at + 1 :]])
    elif (verb := _VERB.search(text)) is not None:
        changed = f"{text[: verb.end()]} not{text[verb.end() :]}"
    else:
        return None
    words = changed.split(" ")
    if chance.random() < 0.5 and len(words) > 9:
        at = chance.randrange(len(words) - 1)
        if chance.random() < 0.5 and words[at].isalpha() and words[at] != "not":
            del words[at]
        else:
            words[at], words[at + 1] = words[at + 1], words[at]
    return " ".join(words)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--data", type=Path, default=_DATA, help="folder with the archives")
    parser.add_argument("--planted", type=int, default=170, help="planted sentences of each vault")
    parser.add_argument("--show", type=int, default=0, help="findings to print of each vault")
    return parser.parse_args()


if __name__ == "__main__":
    raise SystemExit(main())
