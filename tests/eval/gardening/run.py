"""Measure the checks of the gardener: `make eval-garden`.

    python tests/eval/gardening/run.py --data FOLDER --out FILE [--vaults NAME,…] [--checks NAME,…]
        [--rounds N] [--work FOLDER]

A tenth of the links, tags, topics, titles or properties of each vault is hidden (hidden.py), and
what the checks suggest is compared with it. Thresholds are fitted on the vaults called `fit` alone.
Vaults are indexed with default settings in the work folder, where they stay, so that a second run
embeds little.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

sys.path.append(str(Path(__file__).parents[1]))  # of the evaluation's modules
sys.path.append(str(Path(__file__).parents[3]))  # to import the tests

from archives import locate

from notewell.base.config import load_settings
from notewell.base.types import VaultRecord, VaultRules
from notewell.engine.engine import Engine
from notewell.features import FEATURES
from notewell.features.gardener.checks import CHECKS, missing_tags
from tests.eval.gardening.gardens import Vectors, garden_of, read_texts
from tests.eval.gardening.hidden import MEASURES, SHARE, Count


@dataclass(frozen=True)
class Sample:
    """A vault of the data folder; `fit`: thresholds may be chosen on it."""

    name: str
    archive: str
    folder: str
    fit: bool = False


_I18N = "vault-obsidian-help-i18n"
SAMPLES = (
    Sample("help-en", "vault-obsidian-help-en", "obsidian-help-en", fit=True),
    *(
        Sample(f"help-{each}", _I18N, f"obsidian-help-i18n/{each}", fit=True)
        for each in ("zh", "ja", "ru", "de", "ar")
    ),
    Sample("excalidraw", "vault-excalidraw-wiki", "excalidraw-wiki", fit=True),
    Sample("kepano", "vault-kepano", "kepano-obsidian"),
    Sample("hub", "vault-obsidian-hub", "obsidian-hub"),
)


class Indexed:
    """A copy of a vault that may be changed, with its index."""

    def __init__(self, sample: Sample, original: Path, work: Path) -> None:
        """Copy the vault unless that was done, and bring its index up to date."""
        self._root = work / sample.name / "vault"
        self._original = original
        if not self._root.exists():
            shutil.copytree(original, self._root)
        settings = replace(
            load_settings(environ=os.environ),
            data_dir=work / sample.name / "data",
            vault=VaultRules(watch="off", reconcile_at=""),
        )
        record = VaultRecord("garden", sample.name, self._root)
        self._engine = Engine.open(
            record, work / sample.name / "index", settings, writable=True, features=FEATURES
        )
        self.restore()

    def restore(self) -> None:
        """Give the copy the notes of the original."""
        for path, text in read_texts(self._original).items():
            if (self._root / path).read_text(encoding="utf-8", errors="replace") != text:
                shutil.copyfile(self._original / path, self._root / path)
        self._engine.index_now()

    def change(self, texts: dict[str, str]) -> None:
        """Write some notes and index them."""
        for path, text in texts.items():
            (self._root / path).write_text(text, encoding="utf-8")
        self._engine.index_now()

    def vectors(self) -> Vectors:
        """The mean vectors of the notes as they are indexed now."""
        index = self._engine.vault.index
        ids, means = index.vectors.note_means()
        paths = {note.id: note.path for note in index.all_notes()}
        return Vectors(tuple(paths[n] for n in ids.tolist()), means.astype(np.float32))

    def close(self) -> None:
        """Close the index."""
        self._engine.close()


def tags(indexed: Indexed, texts: dict[str, str], rng: random.Random) -> Count:
    """Take all tags from a tenth of the notes that have any, and embed those notes anew."""
    garden = garden_of(texts)
    tagged = sorted(path for path, note in garden.notes.items() if note.tags)
    if not tagged:
        return Count()
    hidden = rng.sample(tagged, max(1, round(SHARE * len(tagged))))
    bare = {path: _without_tags(texts[path], garden.notes[path].tags) for path in hidden}
    indexed.change(bare)
    try:
        made = list(missing_tags.find(garden_of({**texts, **bare}, indexed.vectors())))
    finally:
        indexed.restore()
    mine = [each for each in made if each.path in bare]
    known = {path: {tag.casefold() for tag in garden.notes[path].tags} for path in bare}
    right = sum(each.title.removeprefix("#").casefold() in known[each.path] for each in mine)
    return Count(len(mine), right, sum(map(len, known.values())))


def _without_tags(text: str, tags: tuple[str, ...]) -> str:
    for tag in sorted(tags, key=len, reverse=True):
        text = text.replace(f"#{tag}", "").replace(f"- {tag}\n", "- \n")
    return "\n".join(
        line for line in text.split("\n") if not line.lower().startswith(("tags:", "tag:"))
    )


@dataclass(frozen=True)
class Row:
    """What one check did in one vault; `seconds` are of the processor, a run of the check."""

    check: str
    sample: Sample
    count: Count
    seconds: float


def measured(
    sample: Sample, folder: Path, work: Path, checks: list[str], rounds: int
) -> Iterator[Row]:
    """Measure some checks on one vault."""
    texts = read_texts(folder)
    with closing(Indexed(sample, folder, work)) as indexed:
        vectors = indexed.vectors()
        for check in checks:
            count, began = Count(), time.process_time()
            for seed in range(rounds):
                rng = random.Random(seed)
                if check == missing_tags.NAME:
                    count += tags(indexed, texts, rng)
                else:
                    count += MEASURES[check](texts, vectors, rng)
            yield Row(check, sample, count, (time.process_time() - began) / rounds)


def table(rows: list[Row]) -> str:
    """The figures as Markdown."""
    lines = [
        "| check | vault | half | suggested | right | hidden | precision | recall |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for row in sorted(rows, key=lambda one: (list(CHECKS).index(one.check), one.sample.name)):
        count = row.count
        if count.hidden:
            half = "fit" if row.sample.fit else "check"
            lines.append(
                f"| {row.check} | {row.sample.name} | {half} | {count.made} | {count.right} |"
                f" {count.hidden} | {_shown(count.precision)} | {_shown(count.recall)} |"
            )
    return "\n".join([*lines, ""])


def _shown(share: float | None) -> str:
    return "–" if share is None else f"{share:.2f}"


def main() -> int:
    """Run the measurement and write the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--work", type=Path, default=None)
    parser.add_argument("--vaults", default=",".join(sample.name for sample in SAMPLES))
    parser.add_argument("--checks", default=",".join(CHECKS))
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    work = options.work or load_settings(environ=os.environ).data_dir / "eval" / "gardening"
    (work / "sets").mkdir(parents=True, exist_ok=True)
    rows: list[Row] = []
    for sample in SAMPLES:
        if sample.name not in options.vaults.split(","):
            continue
        folder = locate(options.data, sample.archive, sample.folder, work)
        if folder is None:
            sys.stderr.write(f"{sample.name}: {sample.archive}.tar.gz is missing\n")
            continue
        for row in measured(sample, folder, work, options.checks.split(","), options.rounds):
            rows.append(row)
            sys.stderr.write(f"{sample.name} {row.check} {row.count} {row.seconds:.1f} s\n")
        options.out.write_text(table(rows), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
