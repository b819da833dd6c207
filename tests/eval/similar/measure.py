"""Measure lists of similar notes that were judged by hand: 60 notes of three vaults.

    python -m tests.eval.similar.measure [--half fitting|checking] [--data FOLDER]

A line of a file here is a note, and the notes related to it: `{path, half, related}`. They were judged
by one person from the titles and the beginnings of the first ten similar notes at f82781a6, weak ones
included, and from the titles of the vault. So a way of ranking that finds others is judged too low.

Printed are, by vault and half: precision among the first five; nDCG@10; how many of the notes in the
first ten are shown, and how many of the shown ones are related; of the lists with five related notes
among the first ten, how many show five; and of all notes of the vault, how many have fewer than five.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean

import orjson

from notewell.base.types import ModelRules
from notewell.contract.search import SimilarRequest
from notewell.engine.engine import Engine
from notewell.engine.open_vaults import Vaults
from notewell.features import FEATURES
from tests.eval.archives import locate, own_settings
from tests.eval.everyday.queries import VAULTS

HERE = Path(__file__).parent
_DATA = HERE.parents[2].parent / "shared" / "data"
_FIRST, _LISTED = 5, 10


@dataclass(frozen=True)
class Listed:
    """The first similar notes of a source: whether each is related, and whether it is shown."""

    source: str
    half: str
    related: Sequence[bool]
    shown: Sequence[bool]
    most: int  # related notes of the source

    @property
    def ndcg(self) -> float:
        """The nDCG@10; 1 where nothing is related to the source."""
        ideal = sum(1 / math.log2(at + 2) for at in range(min(_LISTED, self.most)))
        gained = sum(right / math.log2(at + 2) for at, right in enumerate(self.related))
        return gained / ideal if ideal else 1.0


def main() -> int:
    """Measure and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--half", choices=("fitting", "checking"))
    parser.add_argument("--data", type=Path, default=_DATA, help="folder with the archives")
    options = parser.parse_args()
    settings = own_settings("everyday", ModelRules().name)  # whose vaults are indexed there
    sys.stdout.write(
        "| vault | half | lists | P@5 | nDCG@10 | shown | of these related | five shown | under five |\n"
        "|---|---|---|---|---|---|---|---|---|\n"
    )
    for file in sorted(HERE.glob("*.jsonl")):
        folder = locate(options.data, *VAULTS[file.stem], settings.data_dir)
        if folder is None:
            sys.stderr.write(f"{file.stem}: skipped, its archive is not in {options.data}\n")
            continue
        with closing(Vaults(settings, fetch_missing=True, features=FEATURES)) as vaults:
            engine = vaults.open(vaults.add(folder, name=file.stem), writable=True)
            engine.index_now()
            engine.wait_for_model()
            lists = list(_lists(engine, file))
            few = _under_five(engine, folder)
        for half in dict.fromkeys(judged.half for judged in lists):
            if options.half in (None, half):
                kept = [judged for judged in lists if judged.half == half]
                sys.stdout.write(f"| {file.stem} | {half} | {_row(kept)} | {few} |\n")
    return 0


def _lists(engine: Engine, file: Path) -> Iterator[Listed]:
    for row in map(orjson.loads, file.read_bytes().splitlines()):
        request = SimilarRequest(row["path"], limit=_LISTED, weak=True)
        results = engine.answer(request).results
        yield Listed(
            row["path"],
            row["half"],
            [result.path in row["related"] for result in results],
            [result.match != "weak" for result in results],
            len(row["related"]),
        )


def _row(lists: Sequence[Listed]) -> str:
    first = fmean(sum(judged.related[:_FIRST]) / _FIRST for judged in lists)
    shown = sum(sum(judged.shown) for judged in lists)
    right = sum(
        a and b for judged in lists for a, b in zip(judged.related, judged.shown, strict=True)
    )
    rich = [judged for judged in lists if sum(judged.related) >= _FIRST]
    enough = sum(sum(each.shown) >= _FIRST for each in rich)
    ndcg = fmean(judged.ndcg for judged in lists)
    return (
        f"{len(lists)} | {first:.3f} | {ndcg:.3f} | {shown / len(lists):.1f} |"
        f" {right / max(shown, 1):.2f} | {enough} of {len(rich)}"
    )


def _under_five(engine: Engine, folder: Path) -> str:
    paths = [path.relative_to(folder).as_posix() for path in sorted(folder.rglob("*.md"))]
    paths = [path for path in paths if "/releases/" not in path]  # of excalidraw: one line each
    few = sum(
        len(engine.answer(SimilarRequest(path, limit=_FIRST)).results) < _FIRST for path in paths
    )
    return f"{few} of {len(paths)}"


if __name__ == "__main__":
    raise SystemExit(main())
