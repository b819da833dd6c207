"""`notewell eval` and `notewell tune`: how good the search is on judged queries, and better."""

from __future__ import annotations

from pathlib import Path

import click

from notewell.api.commands import (
    Command,
    answer,
    current_invocation,
    json_option,
    print_table,
    request_options,
    vault_option,
)
from notewell.base.types import SearchMode
from notewell.doors.cli.progress import Reporter
from notewell.features.evaluate.requests import TuneOutcome, TuneReply, TuneRequest

_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)
_SAYS: dict[TuneOutcome, str] = {
    "no_sure_gain": "Nothing is changed: no other weights are surely better.",
    "better": "Nothing is changed yet; `notewell tune --apply` uses these weights.",
    "applied": "The next search uses these weights; `notewell tune --reset` goes back.",
    "reset": "The next search uses the default weights.",
}


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
    from notewell.features.evaluate import output  # noqa: PLC0415 - loads the engine

    invocation = current_invocation()
    if golden and any((corpus, queries, qrels, drops)):
        raise click.UsageError("--golden takes no --corpus and no files.")
    if export is not None:
        if not golden:
            raise click.UsageError("--export needs --golden.")
        output.export_golden(invocation, export, vault, as_json=as_json)
        return
    with Reporter(quiet=invocation.quiet) as reporter:
        peers = output.peers_of(against, invocation.settings())
        task = output.Task(mode, model, peers, invocation, reporter)
        if golden:
            report = output.measure_golden(task, vault)
        elif queries is None or qrels is None:
            raise click.UsageError("Give --queries and --qrels, or --golden.")
        else:
            files = output.JudgedFiles(queries, qrels, drops)
            report = output.measure_files(task, files, corpus, vault)
    output.show_report(report, invocation, as_json=as_json)


@click.command(cls=Command)
@vault_option
@request_options(TuneRequest, "apply", "reset")
@json_option
def tune(*, vault: str | None, apply: bool, reset: bool, as_json: bool) -> None:
    """Fit the ranking to your verdicts and opened results.

    Needs 30 queries with an answer (`notewell verdict`, or results that you opened). Without
    --apply nothing is changed, and with it only if the gain is sure. Judged queries are searched
    on this computer alone.
    """
    if apply and reset:
        raise click.UsageError("Give --apply or --reset, not both.")
    answer(vault, TuneRequest(apply=apply, reset=reset), _show_tuning, as_json=as_json)


def _show_tuning(reply: TuneReply) -> None:
    say = current_invocation().say
    if reply.outcome == "too_few":
        say(
            f"{reply.vault}: {reply.queries} judged queries; {reply.missing} more are needed. Say"
            " what was found with `notewell verdict QUERY NOTE --yes`, or open results in Obsidian"
            " or the browser."
        )
        return
    rows = [
        (name, f"{weight.before:.2f}", f"{weight.after:.2f}")
        for name, weight in reply.weights.items()
    ]
    print_table(("weight of", "before", "after"), rows, right=("before", "after"))
    if reply.gain is not None:
        gain = reply.gain
        say(
            f"nDCG@10 on {reply.queries} judged queries: {gain.before:.4f} before, {gain.after:.4f}"
            f" after ({gain.low:+.4f} .. {gain.high:+.4f})"
        )
    say(_SAYS[reply.outcome])
