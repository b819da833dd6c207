"""Measure the strong matches on results that were judged by hand.

    python -m tests.eval.strong draw --data FOLDER [--seed N]
    python -m tests.eval.strong measure --data FOLDER

In the root of the repository, with its environment active. `draw` asks the everyday queries of three
vaults and those of `sample.txt`, draws 50 results of each vault, half of them first ones, and prints
each with its query, path and snippet, but without its match: a person says whether it is what the
query wants. The labels are in `labels.jsonl`: `{vault, query, path, right}`; those of the three
vaults are the judgements of the everyday queries, those of the sample vault were read for this.
`measure` asks the same
queries again, and prints how many of the labelled results that are strong are right, and how many of
the right first ones are strong.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import orjson

from notewell.base.types import ModelRules
from notewell.contract.search import Result, SearchRequest
from notewell.engine.open_vaults import Vaults
from notewell.features import FEATURES
from tests.eval.archives import locate, own_settings
from tests.eval.everyday.queries import HALF_TYPED, VAULTS, read

HERE = Path(__file__).parent
LABELS = HERE / "labels.jsonl"
_ROOT = HERE.parents[2]
_SAMPLE = _ROOT / "sidecar" / "notewell" / "doors" / "sample" / "vault"
_EVERYDAY = ("kepano", "excalidraw", "help-en")
_OF_VAULT, _SHOWN = 50, 5  # results


@dataclass(frozen=True)
class Shown:
    """A result of a query, and its rank from 1."""

    vault: str
    query: str
    rank: int
    result: Result

    @property
    def key(self) -> tuple[str, str, str]:
        return self.vault, self.query, self.result.path


def main() -> None:
    """Draw or measure."""
    options = _options()
    shown = list(_search(options.data))
    if options.step == "draw":
        for drawn in _draw(shown, options.seed):
            result = drawn.result
            line = {"vault": drawn.vault, "query": drawn.query, "path": result.path}
            sys.stdout.write(f"{orjson.dumps(line).decode()}\n    {result.snippet[:240]!r}\n")
    else:
        sys.stdout.write(_measured(shown))


def _search(data: Path) -> Iterator[Shown]:
    settings = own_settings("everyday", ModelRules().name)
    with closing(Vaults(settings, fetch_missing=True, features=FEATURES)) as vaults:
        for vault, folder, queries in _vaults(data, settings.data_dir):
            engine = vaults.open(vaults.add(folder, name=vault), writable=True)
            engine.index_now()
            engine.wait_for_model()
            for query in queries:
                reply = engine.search(SearchRequest(q=query, limit=_SHOWN, passages=0))
                for rank, result in enumerate(reply.results, start=1):
                    yield Shown(vault, query, rank, result)


def _vaults(data: Path, work: Path) -> Iterator[tuple[str, Path, Sequence[str]]]:
    yield "sample", _SAMPLE, (HERE / "sample.txt").read_text("utf-8").splitlines()
    asked = read([HERE.parent / "everyday"], vaults=_EVERYDAY)
    for vault in _EVERYDAY:
        folder = locate(data, *VAULTS[vault], work)
        if folder is not None:
            of_vault = (each for each in asked if each.vault == vault and each.kind != HALF_TYPED)
            yield vault, folder, list(dict.fromkeys(query.text for query in of_vault))


def _draw(shown: Sequence[Shown], seed: int) -> Iterator[Shown]:
    chance = random.Random(seed)
    for vault in dict.fromkeys(each.vault for each in shown):
        for first in (True, False):
            possible = [each for each in shown if each.vault == vault and (each.rank == 1) is first]
            yield from chance.sample(possible, min(_OF_VAULT // 2, len(possible)))


def _measured(shown: Sequence[Shown]) -> str:
    labels = {
        (label["vault"], label["query"], label["path"]): label["right"]
        for label in map(orjson.loads, LABELS.read_bytes().splitlines())
    }
    known = [(each, labels[each.key]) for each in shown if each.key in labels]
    strong = [right for each, right in known if each.result.match == "strong"]
    first = [each.result.match == "strong" for each, right in known if right and each.rank == 1]
    return (
        f"{len(known)} of {len(labels)} labelled results are shown\n"
        f"strong: {len(strong)}, right {sum(strong)} ({sum(strong) / max(1, len(strong)):.0%})\n"
        f"right first: {len(first)}, strong {sum(first)} ({sum(first) / max(1, len(first)):.0%})\n"
    )


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.eval.strong")
    parser.add_argument("step", choices=["draw", "measure"])
    parser.add_argument("--data", type=Path, default=_ROOT.parent / "shared" / "data")
    parser.add_argument("--seed", type=int, default=20261130)
    return parser.parse_args()


if __name__ == "__main__":
    main()
