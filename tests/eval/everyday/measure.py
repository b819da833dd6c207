"""Measure the search on queries as people type them, judged by hand.

    python -m tests.eval.everyday.measure --queries FOLDER [--queries FOLDER …] [--half fitting|checking]
        [--vault NAME,…] [--modes hybrid,keyword,semantic] [--save FILE] [--against FILE] [--data FOLDER]
        [--typed model|table]
    python -m tests.eval.everyday.measure --compare BEFORE AFTER

In the root of the repository, with its environment active. The queries of this repository are in
`tests/eval/everyday`; another folder with files of the same form may be given beside it (queries.py has
the form). Vaults are unpacked from the archives in `--data` and indexed once, in the folder
`everyday` of the data directory (NOTEWELL_DATA_DIR); later runs index only what has changed.

Printed are, by vault and kind: nDCG@10 (gains 2^grade - 1) of each mode, and the difference between
hybrid and the better of the others with its paired 95 % bootstrap interval; how many of the queries
without an answer end without a result, and how many right notes among the first three are hidden
as weak matches. `--save` keeps the figures of each query; `--against` compares this run with such a
file, `--compare` two of them, query by query. With `--typed` every query is asked as while it is typed,
and answered by the model or by the vault's query table, which is fitted first where there is none. Fit on the half `fitting`; the half `checking` is for a last look.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Literal, cast, get_args

from notewell.base.types import ModelRules, SearchMode, Settings
from notewell.contract.search import SearchReply, SearchRequest
from notewell.engine.engine import Engine
from notewell.engine.feature import OpenVault
from notewell.engine.open_vaults import Vaults
from notewell.features import FEATURES
from notewell.features.evaluate.report import ndcg
from notewell.features.query_table.service import TableWork
from notewell.models.query_table import QueryTable
from notewell.models.query_table_file import NAME
from notewell.search import context
from tests.eval.archives import locate, own_settings
from tests.eval.everyday.queries import HALF_TYPED, VAULTS, Half, Query, read
from tests.eval.everyday.tables import FIRST, Figures, compared, read_figures, tables, write_figures

Typed = Literal["model", "table"]
CUT = 10  # results that a search shows
_DATA = Path(__file__).resolve().parents[3].parent / "shared" / "data"


def main() -> int:
    """Measure or compare what is asked for."""
    options = _options()
    if options.compare:
        before, after = map(read_figures, options.compare)
        sys.stdout.write(compared(before, after))
        return 0
    queries = read(options.queries, vaults=options.vault, half=options.half)
    settings = own_settings("everyday", options.model)
    figures = list(measure(queries, options.modes, options.data, settings, options.typed))
    sys.stdout.write(tables(figures, options.modes))
    if options.against:
        sys.stdout.write(compared(read_figures(options.against), figures))
    if options.save:
        write_figures(figures, options.save)
    return 0


def measure(
    queries: Sequence[Query],
    modes: Sequence[SearchMode],
    data: Path,
    settings: Settings,
    typed: Typed | None = None,
) -> Iterator[Figures]:
    """Ask the queries in each mode, vault by vault. Vaults that `data` does not have are skipped."""
    for vault in dict.fromkeys(query.vault for query in queries):
        folder = locate(data, *VAULTS[vault], settings.data_dir)
        if folder is None:
            sys.stderr.write(f"{vault}: skipped, {data} does not have {VAULTS[vault][0]}.tar.gz\n")
            continue
        asked = [query for query in queries if query.vault == vault]
        sys.stderr.write(f"{vault}: {len(asked)} queries\n")
        with closing(Vaults(settings, fetch_missing=True, features=FEATURES)) as vaults:
            engine = vaults.open(vaults.add(folder, name=vault), writable=True)
            engine.index_now()
            engine.wait_for_model()
            if typed is not None:
                _prepare_table(engine, typed)
            yield from (_figures(engine, query, modes, typed=typed is not None) for query in asked)


def _prepare_table(engine: Engine, typed: Typed) -> None:
    """Have the vault's query table, however fast the model is, or none."""
    context.SLOW_S = -1.0
    if typed == "model":
        (engine.vault.folder / NAME).unlink(missing_ok=True)
    else:
        fitted_table(engine.vault)


def fitted_table(vault: OpenVault) -> QueryTable:
    """The vault's query table, which is fitted if there is none."""
    if vault.query_table(vault.index.vectors.model) is None:
        vault.runs.now("table", "manual", TableWork(vault).work)
    table = vault.query_table(vault.index.vectors.model)
    assert table is not None
    sys.stderr.write(f"  agreement {table.head.agreement:.3f} of {len(table.rows):,} tokens\n")
    return table


def _figures(engine: Engine, query: Query, modes: Sequence[SearchMode], *, typed: bool) -> Figures:
    typed = typed or query.kind == HALF_TYPED  # as every screen asks while a person types
    asked = dict.fromkeys(("hybrid", *modes))
    rankings = {mode: _ranked(_ask(engine, query, mode, weak=True, typing=typed)) for mode in asked}
    reply = _ask(engine, query, "hybrid", weak=False, typing=typed)
    shown = _ranked(reply)
    right = [path for path in rankings["hybrid"][:FIRST] if path in query.gains]
    return Figures(
        id=query.id,
        vault=query.vault,
        kind=query.kind,
        ndcg={mode: ndcg(rankings[mode], query.gains, CUT) for mode in modes},
        silent=not shown,
        right=len(right),
        hidden=sum(path not in shown for path in right),
        confidence=reply.confidence,
    )


def _ask(
    engine: Engine, query: Query, mode: SearchMode, *, weak: bool, typing: bool
) -> SearchReply:
    request = SearchRequest(q=query.text, limit=CUT, mode=mode, weak=weak, passages=0)
    return engine.search(replace(request, typing=typing))


def _ranked(reply: SearchReply) -> list[str]:
    return [result.path for result in reply.results]


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--queries", type=Path, action="append", help="folder of judged queries")
    what.add_argument("--compare", type=Path, nargs=2, help="two files that --save has written")
    parser.add_argument("--vault", type=_names, help="only these vaults, with commas")
    parser.add_argument("--half", choices=get_args(Half), help="only this half of the queries")
    parser.add_argument("--modes", type=_modes, default=list(get_args(SearchMode)))
    parser.add_argument("--model", default=ModelRules().name, help="embed with another model")
    parser.add_argument("--typed", choices=get_args(Typed), help="ask as while typing, by what")
    parser.add_argument("--data", type=Path, default=_DATA, help="folder with the archives")
    parser.add_argument("--save", type=Path, help="file for the figures of each query")
    parser.add_argument("--against", type=Path, help="file of an earlier run to compare with")
    return parser.parse_args()


def _names(text: str) -> list[str]:
    return text.split(",")


def _modes(text: str) -> list[SearchMode]:
    unknown = set(_names(text)) - set(get_args(SearchMode))
    if unknown:
        raise argparse.ArgumentTypeError(f"there is no mode {', '.join(unknown)}")
    return cast("list[SearchMode]", _names(text))


if __name__ == "__main__":
    raise SystemExit(main())
