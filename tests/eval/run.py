"""Measure search quality on the judged sets of a data folder: `make eval`.

    python tests/eval/run.py --data FOLDER --out FOLDER [--sets NAME,…] [--model NAME]

Every set is indexed and searched by the ordinary engine with default settings. Unpacked archives
and indexes stay in the user's data folder, so that a second run embeds nothing.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import sys
import tarfile
import time
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path

import orjson

sys.path.append(str(Path(__file__).parents[1]))  # to import modules of the benchmarks

from syntax import FILES, with_conditions
from table import by_class, markdown

from bench.provenance import CORES, Provenance, bound_to_cores, provenance
from notewell.config.load import load_settings
from notewell.evaluate import (
    ABLATIONS,
    SYSTEMS,
    EvalReport,
    eval_settings,
    report_json,
    run_corpus,
    run_vault,
)
from notewell.types import ChunkRules, ModelRules, SearchRules, Settings
from notewell.vaults.opened import Vaults

MEASURED = (*SYSTEMS, *ABLATIONS)
PACKAGES = ("notewell", "numpy", "onnxruntime", "tokenizers", "tantivy")


@dataclass(frozen=True)
class EvalSet:
    """A judged set in the data folder; `vault`: of a known-item set; other sets have a corpus."""

    name: str
    archive: str
    folder: str
    vault: tuple[str, str] | None = None  # archive and folder of the vault that is searched
    conditions: bool = False  # its queries by note name, each with a path: condition (syntax.py)


_HELP = "known-obsidian-help-en"
_HELP_VAULT = ("vault-obsidian-help-en", "obsidian-help-en")
SETS = (
    EvalSet("scifact", "ir-scifact", "scifact"),
    EvalSet(_HELP, _HELP, _HELP, vault=_HELP_VAULT),
    EvalSet(f"{_HELP} in folders", _HELP, _HELP, vault=_HELP_VAULT, conditions=True),
    EvalSet("xquad-de", "ir-xquad-de-ru-zh", "xquad/xquad-de"),
    EvalSet("xquad-ru", "ir-xquad-de-ru-zh", "xquad/xquad-ru"),
    EvalSet("xquad-zh", "ir-xquad-de-ru-zh", "xquad/xquad-zh"),
)


def main() -> int:
    """Run the sets that exist. Returns 0, also where there are none."""
    options = _options()
    bound_to_cores()
    settings = _settings(options.model)
    work = settings.data_dir
    reports: list[EvalReport] = []
    with closing(Vaults(settings, fetch_missing=True, say=say)) as vaults:
        for one in SETS:
            if options.sets and one.name not in options.sets:
                continue
            began = time.monotonic()
            report = measure(one, options.data, work, vaults)
            if report is None:
                say(f"{one.name}: skipped, {options.data} does not have {one.archive}.tar.gz")
                continue
            say(f"{one.name}: {report.documents} notes, {time.monotonic() - began:.0f} s")
            reports.append(report)
    if reports:
        save(reports, options.out)
    return 0


def measure(one: EvalSet, data: Path, work: Path, vaults: Vaults) -> EvalReport | None:
    """Measure a set; None where the data folder does not have it."""
    folder = locate(data, one.archive, one.folder, work)
    if folder is None:
        return None
    if one.vault is None:
        return run_corpus(
            vaults,
            folder,
            queries=folder / "queries.jsonl",
            qrels=folder / "qrels.tsv",
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


def locate(data: Path, archive: str, folder: str, work: Path) -> Path | None:
    """The unpacked folder, in the data folder itself or unpacked from its archive to `work`."""
    if (data / folder).is_dir():
        return data / folder
    packed = data / f"{archive}.tar.gz"
    if not packed.is_file():
        return None
    with packed.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()[:12]
    target = work / "sets" / f"{archive}-{digest}"
    if not target.is_dir():
        unfinished = target.with_name(f"{target.name}.{os.getpid()}")
        with tarfile.open(packed) as tar:
            tar.extractall(unfinished, filter="data")
        unfinished.rename(target)
    return target / folder


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


def _settings(model: str | None) -> Settings:
    """Default settings instead of the user's, so that figures are comparable."""
    settings = eval_settings(load_settings(environ=os.environ))
    rules = replace(ModelRules(threads=CORES), name=model or ModelRules().name)
    return replace(settings, chunking=ChunkRules(), search=SearchRules(), model=rules)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--data", type=Path, required=True, help="folder with the archives")
    parser.add_argument("--out", type=Path, required=True, help="folder for the results")
    parser.add_argument("--sets", type=lambda text: text.split(","), help="only these, with commas")
    parser.add_argument("--model", help="embed with another model of the catalogue")
    return parser.parse_args()


if __name__ == "__main__":
    raise SystemExit(main())
