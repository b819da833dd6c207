"""Measure search quality on the judged sets of a data folder: `make eval`.

    python tests/eval/run.py --data FOLDER --out FOLDER [--sets NAME,…] [--model NAME]
    python tests/eval/run.py --data FOLDER --out FOLDER --development [--half fit|check]
        [--sets NAME,…] [--without SIGNAL,…] [--against FILE] [--chunking METHOD] [--late]

Every set is indexed and searched by the ordinary engine with default settings. Unpacked archives
and indexes stay in the user's data folder, so that a second run embeds nothing. `--development`
measures the development sets (development/) instead of the test sets; it writes the figures of
every query to a file that `--against` compares a later run with.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import get_args

import orjson

sys.path.append(str(Path(__file__).parents[1]))  # to import modules of the benchmarks

from archives import locate
from development.run import Options, run
from held_out import held_out
from syntax import FILES, with_conditions
from table import by_class, markdown

from bench.provenance import CORES, Provenance, bound_to_cores, provenance
from notewell.base.config import load_settings
from notewell.base.types import ChunkRules, ModelRules, SearchRules, Settings, Signal
from notewell.base.types.values import ChunkMethod
from notewell.engine.open_vaults import Vaults
from notewell.features import FEATURES
from notewell.features.evaluate.report import EvalReport, report_json
from notewell.features.evaluate.run import ABLATIONS, SYSTEMS, eval_settings, run_vault
from notewell_eval.corpora import run_corpus

MEASURED = (*SYSTEMS, *ABLATIONS)
PACKAGES = ("notewell", "numpy", "onnxruntime", "tokenizers", "tantivy")


@dataclass(frozen=True)
class EvalSet:
    """A judged set in the data folder; `vault`: of a known-item set; other sets have a corpus."""

    name: str
    archive: str
    folder: str
    vault: tuple[str, str] | None = None  # archive and folder of the vault that is searched
    held_out: bool = False  # only the half that no development set has (held_out.py)
    conditions: bool = False  # its queries by note name, each with a path: condition (syntax.py)


_HELP = "known-obsidian-help-en"
_HELP_VAULT = ("vault-obsidian-help-en", "obsidian-help-en")
SETS = (
    EvalSet("scifact", "ir-scifact", "scifact"),
    EvalSet(_HELP, _HELP, _HELP, vault=_HELP_VAULT),
    EvalSet(f"{_HELP} in folders", _HELP, _HELP, vault=_HELP_VAULT, conditions=True),
    EvalSet("xquad-de", "ir-xquad-de-ru-zh", "xquad/xquad-de", held_out=True),
    EvalSet("xquad-ru", "ir-xquad-de-ru-zh", "xquad/xquad-ru", held_out=True),
    EvalSet("xquad-zh", "ir-xquad-de-ru-zh", "xquad/xquad-zh", held_out=True),
)


def main() -> int:
    """Run the sets that exist. Returns 0, also where there are none."""
    options = _options()
    bound_to_cores()
    settings = _settings(options)
    if options.development:
        return develop(options, settings)
    work = settings.data_dir
    reports: list[EvalReport] = []
    with closing(Vaults(settings, fetch_missing=True, say=say, features=FEATURES)) as vaults:
        for each in SETS:
            if options.sets and each.name not in options.sets:
                continue
            began = time.monotonic()
            report = measure(each, options.data, work, vaults)
            if report is None:
                say(f"{each.name}: skipped, {options.data} does not have {each.archive}.tar.gz")
                continue
            say(f"{each.name}: {report.documents} notes, {time.monotonic() - began:.0f} s")
            reports.append(report)
    if reports:
        save(reports, options.out)
    return 0


def develop(options: argparse.Namespace, settings: Settings) -> int:
    """Measure the development sets, and write their tables and figures."""
    work = options.work or settings.data_dir / "development"
    measured = run(
        lambda archive, folder: locate(options.data, archive, folder, work),
        settings,
        Options(work, options.half, options.sets, options.without or (), options.against),
        say,
    )
    if measured is None:
        say(f"skipped: {options.data} has no data for these sets")
        return 0
    facts = provenance(PACKAGES)
    how = f"{settings.model.name}, {settings.chunking.method}{', late' * settings.model.late_chunking}"
    text = f"# Search quality, development sets\n\n{facts.markdown()}- model {how}\n\n{measured[0]}"
    sys.stdout.write(text)
    options.out.mkdir(parents=True, exist_ok=True)
    table = options.out / f"{facts.stem}-development.md"
    table.write_text(text, encoding="utf-8")
    figures = work / f"{facts.stem}-{options.half or 'both'}.json"
    figures.write_bytes(measured[1])
    say(f"written to {table}; the figures of each query, for --against: {figures}")
    return 0


def measure(one: EvalSet, data: Path, work: Path, vaults: Vaults) -> EvalReport | None:
    """Measure a set; None where the data folder does not have it."""
    folder = locate(data, one.archive, one.folder, work)
    if folder is None:
        return None
    if one.vault is None:
        qrels = folder / "qrels.tsv"
        if one.held_out:
            qrels = held_out(folder, work / "held-out" / one.name)
        return run_corpus(
            vaults,
            folder,
            queries=folder / "queries.jsonl",
            qrels=qrels,
            work_dir=work / "corpora",
            systems=MEASURED,
        )
    vault = locate(data, *one.vault, work)
    if vault is None:
        return None
    record = vaults.add(vault)
    if one.conditions:
        folder = with_conditions(folder, work / "conditions" / one.folder)
    queries, qrels, drops = (folder / name for name in FILES)
    report = run_vault(vaults, record, queries=queries, qrels=qrels, drops=drops, systems=MEASURED)
    return replace(report, name=one.name)


def save(reports: Sequence[EvalReport], out: Path) -> None:
    """Print the table, and write it and the figures as JSON to files named by the commit."""
    facts = provenance(PACKAGES)
    text = f"# Search quality\n\n{facts.markdown()}- model {reports[0].model}\n\n{by_class(reports)}\n{markdown(reports)}"
    sys.stdout.write(text)
    out.mkdir(parents=True, exist_ok=True)
    (out / f"{facts.stem}.md").write_text(text, encoding="utf-8")
    (out / f"{facts.stem}.json").write_bytes(_json(reports, facts))
    say(f"written to {out / facts.stem}.md and .json")


def say(message: str) -> None:
    """Report progress on stderr."""
    sys.stderr.write(f"{message}\n")


def _json(reports: Sequence[EvalReport], facts: Provenance) -> bytes:
    sets = [orjson.Fragment(report_json(report)) for report in reports]
    return orjson.dumps({"provenance": facts, "sets": sets}, option=orjson.OPT_INDENT_2)


def _settings(options: argparse.Namespace) -> Settings:
    """Default settings instead of the user's, so that figures are comparable."""
    settings = eval_settings(load_settings(environ=os.environ))
    rules = ModelRules(name=options.model or ModelRules().name, threads=CORES)
    rules = replace(rules, late_chunking=options.late)
    chunking = ChunkRules(method=options.chunking)
    return replace(settings, chunking=chunking, search=SearchRules(), model=rules)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--data", type=Path, required=True, help="folder with the archives")
    parser.add_argument("--out", type=Path, required=True, help="folder for the results")
    parser.add_argument("--sets", type=lambda text: text.split(","), help="only these, with commas")
    parser.add_argument("--model", help="embed with another model of the catalogue")
    parser.add_argument("--development", action="store_true", help="measure the development sets")
    parser.add_argument("--half", choices=["fit", "check"], help="only this half of them")
    parser.add_argument("--without", type=_signals, help="also without these signals, with commas")
    parser.add_argument("--against", type=Path, help="compare with the figures of an earlier run")
    parser.add_argument("--chunking", choices=get_args(ChunkMethod), default=ChunkRules().method)
    parser.add_argument("--late", action="store_true", help="read neighbouring passages together")
    parser.add_argument("--work", type=Path, help="folder for their indexes")
    return parser.parse_args()


def _signals(text: str) -> list[Signal]:
    """Signals that a search can leave out."""
    known: dict[str, Signal] = {signal: signal for signal in get_args(Signal)}
    try:
        return [known[name] for name in text.split(",")]
    except KeyError as error:
        raise argparse.ArgumentTypeError(
            f"there is no signal {error}; known: {', '.join(known)}"
        ) from error


if __name__ == "__main__":
    raise SystemExit(main())
