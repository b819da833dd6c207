"""What a server with many vaults costs: memory, opening, and a search of all of them at once.

    python -m tests.bench.vaults [--counts 1,10,30,100] [--notes 100]

In the root of the repository, with its environment active. Vaults of made notes of four passages are opened in one
process with a tiny random model, so that the time of a real model is not in the figures (it embeds a query once).
Printed are, for each number of vaults: the memory of the process, the time to open all of them, and the processor time
of one search of one vault, and of all.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack, closing
from pathlib import Path

import numpy as np

from notewell.base.types import VaultRecord
from notewell.contract.request import Request
from notewell.contract.search import SearchRequest
from notewell.engine.client import LocalBackend
from notewell.engine.engine import Engine
from notewell.engine.several_vaults import SeveralBackends
from notewell.features import FEATURES
from tests.bench.corpus import SECTIONS, Words, queries, write_vault
from tests.vaults import QUIET, settings_in, tiny_rules

_QUERIES, _WARM = 40, 5
_VOCABULARY = 8_000  # made words


def main() -> int:
    """Make the vaults, open each number of them, and measure."""
    options = _options()
    words = _made_words()
    with tempfile.TemporaryDirectory() as work:
        home = Path(work)
        write_vault(home / "vault", words, options.notes)
        for number in range(max(options.counts)):
            with closing(_open(home, number)) as engine:
                engine.index_now()
        asked = queries(words, _QUERIES + _WARM)
        for count in options.counts:
            sys.stdout.write(_row(home, count, options.notes * SECTIONS, asked))
            sys.stdout.flush()
    return 0


def _made_words() -> Words:
    generator = np.random.default_rng(7)
    letters = list("abcdefghijklmnopqrstuvwxyz")
    words = tuple("".join(generator.choice(letters, 3 + n % 6)) for n in range(_VOCABULARY))
    weights = 1 / (np.arange(_VOCABULARY) + 2.7) ** 1.05
    return Words(words, np.cumsum(weights) / weights.sum())


def _open(home: Path, number: int) -> Engine:
    """A vault of its own index; the notes of all are the same files."""
    return Engine.open(
        VaultRecord(f"v{number}", f"Vault {number}", home / "vault"),
        home / f"index-{number}",
        settings_in(home, vault=QUIET, model=tiny_rules(home)),
        writable=True,
        features=FEATURES,
    )


def _row(home: Path, count: int, passages: int, asked: Sequence[str]) -> str:
    with ExitStack() as stack:
        before, began = _memory_mb(), time.process_time()
        engines = [stack.enter_context(closing(_open(home, number))) for number in range(count)]
        for engine in engines:
            engine.wait_for_model()
        backends = [(f"Vault {n}", LocalBackend(engine)) for n, engine in enumerate(engines)]
        everywhere = SeveralBackends(backends)
        everywhere.answer(SearchRequest(asked[0]))  # what a first search reads is in `opened`
        opened = time.process_time() - began
        one = _milliseconds(backends[0][1].answer, asked)
        every = _milliseconds(everywhere.answer, asked)
        memory = _memory_mb()
    return (
        f"{count} vaults, {count * passages:,} passages: {memory:.0f} MB (+{memory - before:.0f}),"
        f" opened in {opened:.2f} s; a search of one {one:.1f} ms, of all {every:.1f} ms\n"
    )


def _milliseconds(answer: Callable[[Request[object]], object], asked: Sequence[str]) -> float:
    """Processor time of a search, the mean of all queries after the first ones."""
    for text in asked[:_WARM]:
        answer(SearchRequest(text))
    began = time.process_time()
    for text in asked[_WARM:]:
        answer(SearchRequest(text))
    return 1000 * (time.process_time() - began) / (len(asked) - _WARM)


def _memory_mb() -> float:
    """Resident memory of this process; Linux."""
    for line in Path("/proc/self/status").read_text(encoding="ascii").splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) / 1e3
    return float("nan")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument(
        "--counts",
        type=lambda text: [int(number) for number in text.split(",")],
        default=[1, 10, 30, 100],
        help="numbers of vaults, with commas",
    )
    parser.add_argument("--notes", type=int, default=100, help="notes of each vault")
    return parser.parse_args()


if __name__ == "__main__":
    raise SystemExit(main())
