"""One table of all judged sets, with the orders that must always hold: before and after a change.

    python -m tests.eval.guard --data FOLDER [--sets NAME,…] [--cases N] [--save FILE] [--against FILE]

In the root of the repository, with its environment active. Each row is a set: the mean of hybrid
search, of words alone and of meaning alone, and hybrid less the better of both with its paired 95 %
bootstrap interval. The measure is nDCG@10, for questions to chats (locomo) MRR@10. Below it stand how
many right notes are hidden of the everyday sets, and the violations of the orders of
`tests.search.rank.drawn` in N drawn queries. `--save` keeps the figures of every query; with
`--against` such a file, each row says the change of hybrid search, paired as well. Sets that FOLDER
does not have are left out. Unpacked archives and indexes stay in the data folder.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean

import orjson

from notewell.base.types import ModelRules, SearchMode, Settings
from notewell.engine.open_vaults import Vaults
from notewell.features import FEATURES
from notewell.features.evaluate.report import EvalReport, System, paired_bootstrap
from notewell.features.evaluate.report import Figures as Measures
from notewell.features.evaluate.run import run_vault
from notewell_eval.corpora import run_corpus
from tests.eval.archives import locate, own_settings
from tests.eval.everyday import measure as everyday
from tests.eval.everyday.queries import NO_ANSWER, VAULTS, read
from tests.search.rank.drawn import check, check_strangers

MODES: tuple[SearchMode, ...] = ("hybrid", "keyword", "semantic")
Figures = Mapping[str, Mapping[str, float]]  # of each query, by mode


@dataclass(frozen=True)
class JudgedFolder:
    """A judged set in the data folder: a corpus, or queries to a vault."""

    name: str
    archive: str
    folder: str
    vault: tuple[str, str] | None = None
    by_rank: bool = False  # measured by MRR, not by nDCG


_XQUAD = "ir-xquad-de-ru-zh"
JUDGED = (
    JudgedFolder(
        "help-en", "known-obsidian-help-en", "known-obsidian-help-en",
        ("vault-obsidian-help-en", "obsidian-help-en"),
    ),
    JudgedFolder(
        "locomo", "known-locomo-dev", "known-locomo-dev", ("vault-locomo-dev", "locomo-dev"),
        by_rank=True,
    ),
    JudgedFolder("scifact", "ir-scifact", "scifact"),
    JudgedFolder("dbpedia", "ir-dbpedia-entity-5k", "dbpedia-entity-5k"),
    *(JudgedFolder(f"xquad-{each}", _XQUAD, f"xquad/xquad-{each}") for each in ("de", "ru", "zh")),
)  # fmt: skip


def main() -> None:
    """Measure what is asked for, and print the table."""
    options = _options()
    before = orjson.loads(options.against.read_bytes()) if options.against else {}
    kept: dict[str, Figures] = {}
    hidden: Counter[str] = Counter()
    sys.stdout.write(_head(compares=bool(before)))
    for name, find in _sets(options.data, options.queries, hidden):
        if options.sets and name.partition(" ")[0] not in options.sets:
            continue
        for part, figures in find():
            kept[part] = figures
            sys.stdout.write(_row(part, figures, before.get(part)))
            sys.stdout.flush()
    if hidden:
        sys.stdout.write(f"\nRight notes among the first three that are hidden: {dict(hidden)}\n")
    if options.save:
        options.save.write_bytes(orjson.dumps(kept))
    if options.cases:
        sys.stdout.write(_violations(options.cases))


def _sets(
    data: Path, queries: Sequence[Path], hidden: Counter[str]
) -> Iterator[tuple[str, Callable[[], Iterator[tuple[str, Figures]]]]]:
    """The name of each set, and what gives its figures by part."""
    yield (
        "everyday",
        lambda: _everyday(data, queries, own_settings("everyday", ModelRules().name), hidden),
    )
    settings = own_settings("guard", ModelRules().name)
    for judged in JUDGED:
        yield judged.name, lambda one=judged: _judged(one, data, settings)  # type: ignore[misc]


def _everyday(
    data: Path, folders: Sequence[Path], settings: Settings, hidden: Counter[str]
) -> Iterator[tuple[str, Figures]]:
    """The queries of three vaults, by kind."""
    vaults = [name for name in VAULTS if name in {"kepano", "excalidraw", "help-en"}]
    asked = read(folders, vaults=vaults, half=None)
    figures = list(everyday.measure(asked, MODES, data, settings))
    for figure in figures:
        hidden.update({"hidden": figure.hidden, "right": figure.right})
    answered = [figure for figure in figures if figure.kind != NO_ANSWER]
    if answered:
        yield "everyday", {each.id: each.ndcg for each in answered}
    for kind in dict.fromkeys(each.kind for each in answered):
        of_kind = {each.id: each.ndcg for each in answered if each.kind == kind}
        yield f"everyday {kind}", of_kind


def _judged(one: JudgedFolder, data: Path, settings: Settings) -> Iterator[tuple[str, Figures]]:
    work = settings.data_dir
    folder = locate(data, one.archive, one.folder, work)
    vault = locate(data, *one.vault, work) if one.vault else None
    if folder is None or (one.vault and vault is None):
        return
    systems = [System(mode, mode) for mode in MODES]
    queries, qrels, drops = (folder / name for name in ("queries.jsonl", "qrels.tsv", "drops.tsv"))
    with closing(Vaults(settings, fetch_missing=True, features=FEATURES)) as vaults:
        if vault is not None:
            report = run_vault(
                vaults, vaults.add(vault), queries=queries, qrels=qrels, systems=systems,
                drops=drops if drops.exists() else None,
            )  # fmt: skip
        else:
            report = run_corpus(
                vaults, folder, queries=queries, qrels=qrels, systems=systems,
                work_dir=work / "corpora",
            )  # fmt: skip
    yield one.name, _figures(report, lambda found: found.mrr_10 if one.by_rank else found.ndcg_10)


def _figures(report: EvalReport, value: Callable[[Measures], float]) -> Figures:
    found: dict[str, dict[str, float]] = {}
    for system in report.systems:
        for query in system.queries:
            found.setdefault(query.query_id, {})[system.system.name] = value(query.figures)
    return found


def _head(*, compares: bool) -> str:
    cells = ["set", "n", *MODES, "hybrid - better half", *(["after - before"] if compares else [])]
    return f"| {' | '.join(cells)} |\n| {' | '.join('---' for _ in cells)} |\n"


def _row(name: str, figures: Figures, before: Figures | None) -> str:
    values = {mode: [figure[mode] for figure in figures.values()] for mode in MODES}
    better = max(("keyword", "semantic"), key=lambda mode: fmean(values[mode]))
    cells = [name, str(len(figures)), *(f"{fmean(values[mode]):.3f}" for mode in MODES)]
    cells.append(f"{_interval(values['hybrid'], values[better])} ({better})")
    if before is not None:
        both = [key for key in figures if key in before]
        pairs = ([side[key]["hybrid"] for key in both] for side in (figures, before))
        cells.append(_interval(*pairs) if both else "")
    return f"| {' | '.join(cells)} |\n"


def _interval(ones: Sequence[float], others: Sequence[float]) -> str:
    found = paired_bootstrap(ones, others)
    return f"{found.difference:+.3f} [{found.low:+.3f}, {found.high:+.3f}]"


def _violations(cases: int) -> str:
    drawn: Counter[str] = Counter()
    beside: Counter[str] = Counter()
    seed = 0
    while drawn["asked"] < cases:
        drawn += check(seed, 25)
        seed += 1
    while beside["asked"] < cases // 4:
        beside += check_strangers(seed, 25)
        seed += 1
    asked, pairs = drawn.pop("asked"), beside.pop("pairs")
    return (
        f"\nViolations of orders 1 to 4 and 6 in {asked} drawn queries: {dict(drawn) or 0}. Beside"
        f" strangers, of {pairs} pairs of notes {beside['5']} with the greater value in every part"
        f" were reversed, and {beside['reversed']} others.\n"
    )


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True, help="folder with the archives")
    parser.add_argument("--sets", type=lambda text: text.split(","), help="only these, with commas")
    parser.add_argument("--cases", type=int, default=1_000, help="drawn queries; 0: none")
    parser.add_argument("--save", type=Path, help="keep the figures of each query")
    parser.add_argument("--against", type=Path, help="compare with the figures of an earlier run")
    options = parser.parse_args()
    own = Path(__file__).parent / "everyday" / "fitting"
    options.queries = [folder for folder in (options.data / "everyday", own) if folder.exists()]
    return options


if __name__ == "__main__":
    main()
