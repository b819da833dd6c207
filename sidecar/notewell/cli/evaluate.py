"""`notewell eval`: how good the search is on queries whose answers are known."""

from __future__ import annotations

from contextlib import ExitStack, closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from notewell.cli.golden import export_golden, measure_golden
from notewell.cli.options import Command, Invocation, invocation, json_option
from notewell.cli.output import emit, emit_object, print_table
from notewell.cli.progress import Reporter
from notewell.errors import NotFoundError

if TYPE_CHECKING:  # these load the engine; a command loads them when it runs
    from notewell.evaluate import EvalReport
    from notewell.types import SearchMode, Settings, VaultRecord
    from notewell.vaults.known import Vaults

_METRICS = {
    "ndcg_10": "nDCG@10",
    "recall_10": "Recall@10",
    "recall_100": "Recall@100",
    "mrr_10": "MRR@10",
}
_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)


@dataclass(frozen=True, slots=True)
class Task:
    """What is to be measured, and who reports on the way there."""

    queries: Path
    qrels: Path
    drops: Path | None
    mode: SearchMode | None
    model: str | None
    inv: Invocation
    reporter: Reporter


@click.command("eval", cls=Command)
@click.option(
    "--corpus",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    metavar="DIR",
    help="A folder with a BEIR corpus.jsonl; kept apart from your vaults.",
)
@click.option("--vault", metavar="VAULT", help="A vault whose judgements name notes by path.")
@click.option("--queries", type=_FILE, metavar="FILE", help="Queries, as queries.jsonl.")
@click.option("--qrels", type=_FILE, metavar="FILE", help="Judgements, tab-separated.")
@click.option(
    "--drops", type=_FILE, metavar="FILE", help="Notes to leave out by query, tab-separated."
)
@click.option(
    "--golden",
    is_flag=True,
    help="Instead of files: what you opened and judged, from the log of your searches.",
)
@click.option(
    "--export",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIR",
    help="Write the golden set there, and measure nothing.",
)
@click.option(
    "--mode",
    type=click.Choice(["hybrid", "keyword", "semantic"]),
    help="Measure this mode only. Left out: all of them, compared.",
)
@click.option("--model", metavar="NAME", help="Embed with this model.")
@json_option
def evaluate(
    *,
    corpus: Path | None,
    vault: str | None,
    queries: Path | None,
    qrels: Path | None,
    drops: Path | None,
    golden: bool,
    export: Path | None,
    mode: SearchMode | None,
    model: str | None,
    as_json: bool,
) -> None:
    """Measure the search on judged queries.

    Gives nDCG@10, Recall@10, Recall@100 and MRR@10. Queries are sent as plain text, those of
    --golden as they were typed. A corpus, or a folder that is not a known vault, is indexed apart
    from your vaults.
    """
    inv = invocation()
    if golden and any((corpus, queries, qrels, drops)):
        raise click.UsageError("--golden takes no --corpus and no files.")
    if export is not None:
        if not golden:
            raise click.UsageError("--export belongs to --golden.")
        _show_exported(inv, export_golden(inv, export, vault=vault), as_json=as_json)
        return
    with Reporter(quiet=inv.quiet) as reporter:
        if golden:
            report = measure_golden(inv, reporter, vault=vault, mode=mode, model=model)
        else:
            if queries is None or qrels is None:
                raise click.UsageError("Give --queries and --qrels, or --golden.")
            task = Task(queries, qrels, drops, mode, model, inv, reporter)
            report = _measure(task, corpus, vault)
    _show(report, inv, as_json=as_json)


def _measure(task: Task, corpus: Path | None, vault: str | None) -> EvalReport:
    if corpus is not None and vault is None:
        return _measure_corpus(task, corpus)
    if vault is not None and corpus is None:
        return _measure_vault(task, vault)
    raise click.UsageError("Give either --corpus or --vault.")


def _show_exported(inv: Invocation, written: dict[str, object], *, as_json: bool) -> None:
    if as_json:
        emit_object(written)
        return
    inv.say(
        f"{written['folder']}: {written['queries']} queries, {written['judgements']} judgements"
    )


def _measure_corpus(task: Task, corpus: Path) -> EvalReport:
    from notewell.evaluate import run_corpus, systems_of  # noqa: PLC0415 - loads the engine

    with closing(_apart(task)) as vaults:
        return run_corpus(
            vaults,
            corpus,
            queries=task.queries,
            qrels=task.qrels,
            drops=task.drops,
            work_dir=_settings_apart(task).data_dir / "corpora",
            systems=systems_of(task.mode),
            progress=task.reporter.update,
        )


def _measure_vault(task: Task, word: str) -> EvalReport:
    from notewell.evaluate import run_vault, systems_of  # noqa: PLC0415 - loads the engine

    with ExitStack() as stack:
        vaults, record = _find(task, word, stack)
        return run_vault(
            vaults,
            record,
            queries=task.queries,
            qrels=task.qrels,
            drops=task.drops,
            systems=systems_of(task.mode),
            progress=task.reporter.update,
        )


def _find(task: Task, word: str, stack: ExitStack) -> tuple[Vaults, VaultRecord]:
    """A vault of the user's; a folder that is none of them is kept apart from them."""
    known = task.inv.vaults(
        fetch_missing=True, say=task.reporter.say, flags={"model.name": task.model}
    )
    stack.callback(known.close)
    try:
        return known, known.find(word, cwd=Path.cwd())
    except NotFoundError:
        if not Path(word).expanduser().is_dir():
            raise
    apart = _apart(task)
    stack.callback(apart.close)
    return apart, apart.add(Path(word))


def _apart(task: Task) -> Vaults:
    from notewell.vaults.known import Vaults  # noqa: PLC0415 - loads the engine

    return Vaults(_settings_apart(task), fetch_missing=True, say=task.reporter.say)


def _settings_apart(task: Task) -> Settings:
    from notewell.evaluate import eval_settings  # noqa: PLC0415 - loads the engine

    return eval_settings(task.inv.settings(flags={"model.name": task.model}))


def _show(report: EvalReport, inv: Invocation, *, as_json: bool) -> None:
    from notewell.evaluate import report_json  # noqa: PLC0415 - loads the engine

    if as_json:
        emit(report_json(report))
        return
    inv.warn(report.warnings)
    rows = [
        (
            system.system.name,
            row.kind or "all",
            f"{row.queries:,}",
            *(f"{getattr(row.figures, name):.4f}" for name in _METRICS),
            "" if row.kind else f"{system.median_ms:.1f}",
        )
        for system in report.systems
        for row in system.rows
    ]
    headings = ("system", "queries", "count", *_METRICS.values(), "median ms")
    print_table(headings, rows, right=headings[2:])
