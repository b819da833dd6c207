"""`notewell eval`: how good the search is on queries whose answers are known."""

from __future__ import annotations

from pathlib import Path

import click

from notewell.cli.options import Command, current_invocation, json_option
from notewell.cli.progress import Reporter
from notewell.types import SearchMode

_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)


@click.command("eval", cls=Command)
@click.option(
    "--corpus",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    metavar="DIR",
    help="A folder with a BEIR corpus.jsonl; indexed separately from your vaults.",
)
@click.option("--vault", metavar="VAULT", help="A vault whose judgements name notes by path.")
@click.option("--queries", type=_FILE, metavar="FILE", help="Queries, as queries.jsonl.")
@click.option("--qrels", type=_FILE, metavar="FILE", help="Judgements, tab-separated.")
@click.option(
    "--drops", type=_FILE, metavar="FILE", help="Notes to leave out for each query, tab-separated."
)
@click.option(
    "--golden",
    is_flag=True,
    help="Instead of files, use the results you opened and judged, from the log of searches.",
)
@click.option(
    "--export",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIR",
    help="Write the golden set to this folder instead of measuring.",
)
@click.option(
    "--mode",
    type=click.Choice(["hybrid", "keyword", "semantic"]),
    help="Measure only this mode. Left out: compare all modes.",
)
@click.option("--model", metavar="NAME", help="Embed with this model.")
@click.option(
    "--against",
    metavar="NAMES",
    help="Measure other packages on the same notes too; names separated by commas:"
    " rank-bm25, sentence-transformers, rank-bm25+sentence-transformers (both, fused by rank).",
)
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
    against: str | None,
    as_json: bool,
) -> None:
    """Measure the search on judged queries.

    Reports nDCG@10, Recall@10, Recall@100 and MRR@10. Queries are read as plain text, those of
    --golden with their operators. A corpus, or a folder that is not a known vault, is indexed
    separately from your vaults.
    """
    from notewell.cli import evaluate_output, measure  # noqa: PLC0415 - these load the engine

    invocation = current_invocation()
    if golden and any((corpus, queries, qrels, drops)):
        raise click.UsageError("--golden takes no --corpus and no files.")
    if export is not None:
        if not golden:
            raise click.UsageError("--export needs --golden.")
        measure.export_golden(invocation, export, vault, as_json=as_json)
        return
    with Reporter(quiet=invocation.quiet) as reporter:
        task = measure.Task(mode, model, measure.peers_of(against), invocation, reporter)
        if golden:
            report = measure.measure_golden(task, vault)
        elif queries is None or qrels is None:
            raise click.UsageError("Give --queries and --qrels, or --golden.")
        else:
            files = measure.JudgedFiles(queries, qrels, drops)
            report = measure.measure_files(task, files, corpus, vault)
    evaluate_output.show_report(report, invocation, as_json=as_json)
