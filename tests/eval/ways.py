"""Compare the ways of cutting notes and of embedding passages: by headings, by topic, late chunking.

    python tests/eval/ways.py --data FOLDER [--sets NAME,…] [--ways NAME,…] [--queries N] [--others N]
        [--model NAME] [--out FILE] --work FOLDER

Each way has an index of its own. nDCG@10 of hybrid search and of meaning alone, with the paired
difference from headings and its 95 % bootstrap interval. `scifact` is cut short: its first training
queries, the documents that answer them, and some others.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path

import orjson

sys.path.append(str(Path(__file__).parents[1]))  # to import modules of the benchmarks

from archives import locate

from bench.provenance import CORES, bound_to_cores, provenance
from notewell.base.config import load_settings
from notewell.base.types import ChunkRules, ModelRules, SearchRules, Settings
from notewell.engine.open_vaults import Vaults
from notewell.features import FEATURES
from notewell.features.evaluate.datasets import JudgedSet, read_judged
from notewell.features.evaluate.report import System, paired_bootstrap
from notewell.features.evaluate.run import eval_settings, evaluate
from notewell_eval.corpora import write_vault

HEADINGS = "headings"
WAYS = (HEADINGS, "semantic", "late", "semantic late")
SYSTEMS = (System("hybrid", "hybrid"), System("meaning alone", "semantic"))
PACKAGES = ("notewell", "numpy", "onnxruntime", "tokenizers", "tantivy")
_HELP = "known-obsidian-help-en"


@dataclass(frozen=True)
class Judged:
    """Notes in a folder and the queries about them; `documents` maps paths to ids in the queries."""

    folder: Path
    queries: JudgedSet
    documents: dict[str, str]


@dataclass(frozen=True)
class Measured:
    """nDCG@10 of each query by system, and how many passages there are."""

    gains: dict[str, list[float]]
    passages: int


def main() -> int:
    """Measure what is asked for. Returns 0, also where the data are missing."""
    options = _options()
    bound_to_cores()
    rows = ["| set | queries | way | passages | hybrid | - headings | meaning alone | - headings |"]
    rows.append("|---|---:|---|---:|---:|---:|---:|---:|")
    for name in options.sets:
        judged = _judged(name, options)
        if judged is None:
            sys.stderr.write(f"{name}: skipped, {options.data} does not have it\n")
            continue
        base: Measured | None = None
        for way in options.ways:
            found = _measure(judged, _settings(options, name, way))
            base = base or found
            rows.append(_row(name, way, found, base))
            sys.stderr.write(f"{rows[-1]}\n")
    text = f"{provenance(PACKAGES).markdown()}- model {options.model}\n\n" + "\n".join(rows) + "\n"
    sys.stdout.write(text)
    if options.out is not None:
        options.out.write_text(f"# Ways of cutting and embedding\n\n{text}", encoding="utf-8")
    return 0


def _judged(name: str, options: argparse.Namespace) -> Judged | None:
    work = options.work
    if name == _HELP:
        vault = locate(options.data, "vault-obsidian-help-en", "obsidian-help-en", work)
        folder = locate(options.data, _HELP, _HELP, work)
        if vault is None or folder is None:
            return None
        files = (folder / each for each in ("queries.jsonl", "qrels.tsv", "drops.tsv"))
        queries, qrels, drops = files
        return Judged(vault, read_judged(name, queries, qrels, drops), {})
    folder = locate(options.data, "ir-scifact", "scifact", work)
    return None if folder is None else _shortened(folder, options)


def _shortened(folder: Path, options: argparse.Namespace) -> Judged:
    """SciFact's first training queries, what answers them, and some other documents."""
    judged = read_judged("scifact", folder / "queries.jsonl", folder / "qrels_train.tsv")
    kept = [query for query in judged.queries if query.id in judged.qrels][: options.queries]
    qrels = {query.id: judged.qrels[query.id] for query in kept}
    wanted = {document for row in qrels.values() for document in row}
    short = options.work / f"scifact-{options.queries}-{options.others}"
    shutil.rmtree(short, ignore_errors=True)
    short.mkdir(parents=True)
    lines = _chosen(folder / "corpus.jsonl", wanted, options.others)
    (short / "corpus.jsonl").write_text("".join(lines), encoding="utf-8")
    corpus = write_vault(short / "corpus.jsonl", options.work / "corpora")
    queries = replace(judged, queries=tuple(kept), qrels=qrels)
    return Judged(corpus.folder, queries, dict(corpus.documents))


def _chosen(corpus: Path, wanted: set[str], others: int) -> Iterator[str]:
    for line in corpus.read_text(encoding="utf-8").splitlines(keepends=True):
        is_wanted = str(orjson.loads(line)["_id"]) in wanted
        others -= not is_wanted
        if is_wanted or others >= 0:
            yield line


def _measure(judged: Judged, settings: Settings) -> Measured:
    with closing(Vaults(settings, fetch_missing=True, features=FEATURES)) as vaults:
        engine = vaults.open(vaults.add(judged.folder), writable=True)
        engine.index_now()
        gains = {}
        for system in SYSTEMS:
            report, _ = evaluate(engine, judged.queries, system, documents=judged.documents)
            gains[system.name] = [query.figures.ndcg_10 for query in report.queries]
        return Measured(gains, engine.status().chunks)


def _row(name: str, way: str, found: Measured, base: Measured) -> str:
    cells = [name, str(len(found.gains["hybrid"])), way, f"{found.passages:,}"]
    for system in SYSTEMS:
        gains, before = found.gains[system.name], base.gains[system.name]
        cells += [f"{sum(gains) / len(gains):.3f}", "" if found is base else _gain(gains, before)]
    return f"| {' | '.join(cells)} |"


def _gain(gains: Sequence[float], before: Sequence[float]) -> str:
    one = paired_bootstrap(gains, before)
    text = f"{one.difference:+.3f} [{one.low:+.3f}, {one.high:+.3f}]"
    return f"**{text}**" if one.low > 0 or one.high < 0 else text


def _settings(options: argparse.Namespace, name: str, way: str) -> Settings:
    settings = eval_settings(load_settings(environ=os.environ))
    place = options.work / name / way.replace(" ", "-")
    return replace(
        settings,
        data_dir=place,
        state_dir=place / "state",
        chunking=ChunkRules(method="semantic" if "semantic" in way else HEADINGS),
        search=SearchRules(),
        model=ModelRules(name=options.model, threads=CORES, late_chunking="late" in way),
    )


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--data", type=Path, required=True, help="folder with the archives")
    parser.add_argument("--work", type=Path, required=True, help="folder for the indexes")
    parser.add_argument("--sets", type=lambda text: text.split(","), default=[_HELP, "scifact"])
    parser.add_argument("--ways", type=lambda text: text.split(","), default=WAYS[:3])
    parser.add_argument("--queries", type=int, default=200, help="of scifact")
    parser.add_argument("--others", type=int, default=400, help="documents of scifact")
    parser.add_argument("--model", default=ModelRules().name)
    parser.add_argument("--out", type=Path, help="file for the table")
    return parser.parse_args()


if __name__ == "__main__":
    raise SystemExit(main())
