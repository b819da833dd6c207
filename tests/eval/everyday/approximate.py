"""Measure what a first index finds while the vectors of its passages are approximate.

    python -m tests.eval.everyday.approximate --queries FOLDER [--queries FOLDER …] [--vault NAME,…]
        [--half fitting|checking] [--share 0.2] [--data FOLDER]

In the root of the repository, with its environment active. Each vault is indexed from nothing in a
temporary folder, by the code of the product: its notes are read; the model reads a sample, which is
`--share` of the passages and 2,000 at most; the others get approximate vectors; then the model reads
on, newest notes first. Printed, by vault, with no vector, with approximate ones, with a quarter of
the model's, and with all of these: nDCG@10 by meaning alone and by both, of all queries and of the
paraphrases and synonyms among them; how many queries without an answer end without a result; and
the seconds until the approximate vectors were there and until all were the model's.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from statistics import fmean
from typing import cast, get_args

from notewell.base.types import Embedder, ModelRules, Progress, SearchMode, Settings
from notewell.contract.search import SearchRequest
from notewell.engine.engine import Engine
from notewell.engine.feature import fit_passages
from notewell.engine.ingest.approximate import SAMPLE, ApproximateVectors
from notewell.engine.ingest.embed import embed_pending
from notewell.engine.ingest.indexer import Indexer
from notewell.engine.ingest.queue import Work
from notewell.engine.ingest.signals import Signals
from notewell.engine.open_vaults import Vaults
from notewell.features import FEATURES
from notewell.features.evaluate.report import ndcg
from notewell.index.port import Index
from tests.eval.archives import locate, own_settings
from tests.eval.everyday.queries import VAULTS, Half, Query, read

_DATA = Path(__file__).resolve().parents[3].parent / "shared" / "data"
_CUT = 10
_KINDS = ("paraphrase", "synonym")
_MODES: tuple[SearchMode, ...] = ("semantic", "hybrid")
_QUARTER = 0.25


def main() -> int:
    """Print a table for each vault."""
    options = _options()
    settings = own_settings("everyday", ModelRules().name)
    queries = read(options.queries, half=options.half)
    for vault in options.vault:
        folder = locate(options.data, *VAULTS[vault], settings.data_dir)
        if folder is None:
            sys.stderr.write(f"{vault}: skipped, its archive is not there\n")
            continue
        asked = [query for query in queries if query.vault == vault]
        with tempfile.TemporaryDirectory() as place:
            own = replace(settings, data_dir=Path(place), state_dir=Path(place) / "state")
            with closing(Vaults(own, fetch_missing=True, features=FEATURES)) as vaults:
                engine = vaults.open(vaults.add(folder, name=vault), writable=True)
                engine.wait_for_model()
                _measure(vault, engine, own, asked, options.share)
    return 0


def _measure(
    vault: str, engine: Engine, settings: Settings, queries: Sequence[Query], share: float
) -> None:
    index, embedder = cast("Index", engine.vault.index), engine.vault.embedder()
    assert embedder is not None
    _read_notes(engine, index, embedder, settings)
    passages = index.counts().chunks
    _say(vault, f"{len(queries)} queries, {passages:,} passages")
    _row(engine, "words alone", queries, ("keyword",))
    began = time.monotonic()
    sample = min(SAMPLE, round(share * passages))
    covering = ApproximateVectors(index, fit_passages(FEATURES), sample=sample, many=0)
    assert covering.cover(embedder, Signals())
    seconds = time.monotonic() - began
    counts = index.counts()
    _say(vault, f"{counts.vectors:,} vectors of the model, {counts.approximate:,} approximate")
    _row(engine, f"approximate ({seconds:.0f} s)", queries)
    quarter = round(_QUARTER * passages)
    if counts.vectors < quarter:
        _embed(index, embedder, lambda: index.counts().vectors >= quarter)
        _row(engine, "a quarter the model's", queries)
    _embed(index, embedder, lambda: False)
    covering.end()
    _row(engine, f"all the model's ({time.monotonic() - began:.0f} s)", queries)


def _read_notes(engine: Engine, index: Index, embedder: Embedder, settings: Settings) -> None:
    """Read and cut the notes; embed nothing."""
    embedding: list[Progress] = []

    def progress(now: Progress) -> None:
        if now.stage == "embed":
            embedding.append(now)

    signals = Signals(progress=progress, stop=lambda: bool(embedding))
    Indexer(engine.vault.source, index, settings).run(Work(), embedder, signals)


def _embed(index: Index, embedder: Embedder, stop: Callable[[], bool]) -> None:
    done = embed_pending(index, embedder, progress=lambda _: None, stop=stop)
    assert done.problem is None


def _row(
    engine: Engine, label: str, queries: Sequence[Query], modes: Sequence[SearchMode] = _MODES
) -> None:
    cells = [
        f"{mode} {name} {fmean(scores):.3f}"
        for mode in modes
        for name, scores in _scores(engine, queries, mode)
    ]
    silent = [query for query in queries if not query.gains]
    if silent:
        quiet = sum(not _ranked(engine, query, "hybrid", weak=False) for query in silent)
        cells.append(f"silent {quiet} of {len(silent)}")
    sys.stdout.write(f"  {label:<28} {', '.join(cells)}\n")
    sys.stdout.flush()


def _scores(
    engine: Engine, queries: Sequence[Query], mode: SearchMode
) -> Iterator[tuple[str, list[float]]]:
    answered = [query for query in queries if query.gains]
    scores = {
        query.id: ndcg(_ranked(engine, query, mode, weak=True), query.gains, _CUT)
        for query in answered
    }
    yield "all", list(scores.values())
    for kind in _KINDS:
        of_kind = [scores[query.id] for query in answered if query.kind == kind]
        if of_kind:
            yield kind, of_kind


def _ranked(engine: Engine, query: Query, mode: SearchMode, *, weak: bool) -> list[str]:
    request = SearchRequest(q=query.text, limit=_CUT, mode=mode, weak=weak, passages=0)
    return [result.path for result in engine.search(request).results]


def _say(vault: str, text: str) -> None:
    sys.stdout.write(f"{vault}: {text}\n")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument(
        "--queries", type=Path, action="append", required=True, help="folder of judged queries"
    )
    parser.add_argument(
        "--vault",
        type=lambda text: text.split(","),
        default=["kepano", "help-en", "hub"],
        help="only these vaults, with commas",
    )
    parser.add_argument("--half", choices=get_args(Half), help="only this half of the queries")
    parser.add_argument("--share", type=float, default=0.2, help="of the passages, the sample")
    parser.add_argument("--data", type=Path, default=_DATA, help="folder with the archives")
    return parser.parse_args()


if __name__ == "__main__":
    raise SystemExit(main())
