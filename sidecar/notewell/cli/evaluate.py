"""`notewell eval`: how good the search is on queries whose answers are known."""

from __future__ import annotations

from contextlib import ExitStack, closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from notewell.cli.evaluate_output import show_exported, show_report
from notewell.cli.options import Command, Invocation, invocation, json_option
from notewell.cli.progress import Reporter
from notewell.errors import NotFoundError
from notewell.types import SearchMode, Settings, VaultRecord

if TYPE_CHECKING:  # these load the engine; a command loads them when it runs
    from notewell.evaluate import Against, EvalReport, PeerKind
    from notewell.vaults.opened import Vaults

_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)


@dataclass(frozen=True, slots=True)
class JudgedFiles:
    """The files of a judged set."""

    queries: Path
    qrels: Path
    drops: Path | None


@dataclass(frozen=True, slots=True)
class Task:
    """How to measure: the mode, the model and the peers that were asked for."""

    mode: SearchMode | None
    model: str | None
    peers: tuple[PeerKind, ...]
    inv: Invocation
    reporter: Reporter

    def settings(self, vault: Path | None = None) -> Settings:
        """The settings, with those of the vault in that folder."""
        return self.inv.settings(vault=vault, flags={"model.name": self.model})

    def settings_apart(self) -> Settings:
        """The settings for what is indexed apart from the user's vaults."""
        from notewell.evaluate import eval_settings  # noqa: PLC0415 - loads the engine

        return eval_settings(self.settings())

    def known_vaults(self) -> Vaults:
        """The user's vaults, to be closed."""
        flags = {"model.name": self.model}
        return self.inv.vaults(fetch_missing=True, say=self.reporter.say, flags=flags)

    def vaults_apart(self) -> Vaults:
        """The vaults of corpora and of folders that are not known, to be closed."""
        from notewell.vaults.opened import Vaults  # noqa: PLC0415 - loads the engine

        return Vaults(self.settings_apart(), fetch_missing=True, say=self.reporter.say)

    def against(self, settings: Settings) -> Against | None:
        """The peers, with the model of these settings; None: no peer was named."""
        if not self.peers:
            return None
        from notewell.evaluate import Against  # noqa: PLC0415 - loads the engine

        return Against(self.peers, settings, self.reporter.say)


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
@click.option(
    "--against",
    metavar="NAMES",
    help="Measure other packages on the same notes as well; names with commas between:"
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
        _export_golden(inv, export, vault, as_json=as_json)
        return
    with Reporter(quiet=inv.quiet) as reporter:
        task = Task(mode, model, _peers(against), inv, reporter)
        if golden:
            report = _measure_golden(task, vault)
        elif queries is None or qrels is None:
            raise click.UsageError("Give --queries and --qrels, or --golden.")
        else:
            report = _measure(task, JudgedFiles(queries, qrels, drops), corpus, vault)
    show_report(report, inv, as_json=as_json)


def _peers(names: str | None) -> tuple[PeerKind, ...]:
    if names is None:
        return ()
    from notewell.evaluate import find_peers  # noqa: PLC0415 - loads the engine

    return find_peers(names)


def _measure(task: Task, files: JudgedFiles, corpus: Path | None, vault: str | None) -> EvalReport:
    if corpus is not None and vault is None:
        return _measure_corpus(task, files, corpus)
    if vault is not None and corpus is None:
        return _measure_vault(task, files, vault)
    raise click.UsageError("Give either --corpus or --vault.")


def _measure_corpus(task: Task, files: JudgedFiles, corpus: Path) -> EvalReport:
    from notewell.evaluate import run_corpus, systems_of  # noqa: PLC0415 - loads the engine

    settings = task.settings_apart()
    with closing(task.vaults_apart()) as vaults:
        return run_corpus(
            vaults,
            corpus,
            queries=files.queries,
            qrels=files.qrels,
            drops=files.drops,
            work_dir=settings.data_dir / "corpora",
            systems=systems_of(task.mode),
            against=task.against(settings),
            progress=task.reporter.update,
        )


def _measure_vault(task: Task, files: JudgedFiles, word: str) -> EvalReport:
    from notewell.evaluate import run_vault, systems_of  # noqa: PLC0415 - loads the engine

    with ExitStack() as stack:
        vaults, record, settings = _find(task, word, stack)
        return run_vault(
            vaults,
            record,
            queries=files.queries,
            qrels=files.qrels,
            drops=files.drops,
            systems=systems_of(task.mode),
            against=task.against(settings),
            progress=task.reporter.update,
        )


def _find(task: Task, word: str, stack: ExitStack) -> tuple[Vaults, VaultRecord, Settings]:
    """A vault of the user's with its settings; a folder that is none of them is kept apart."""
    known = task.known_vaults()
    stack.callback(known.close)
    try:
        record = known.find(word, cwd=Path.cwd())
    except NotFoundError:
        if not Path(word).expanduser().is_dir():
            raise
    else:
        return known, record, task.settings(record.path)
    apart = task.vaults_apart()
    stack.callback(apart.close)
    return apart, apart.add(Path(word)), task.settings_apart()


def _measure_golden(task: Task, vault: str | None) -> EvalReport:
    from notewell.evaluate import run_golden, systems_of  # noqa: PLC0415 - loads the engine

    with closing(task.known_vaults()) as known:
        record = known.find(vault, cwd=Path.cwd())
        return run_golden(
            known,
            record,
            systems=systems_of(task.mode),
            against=task.against(task.settings(record.path)),
            progress=task.reporter.update,
        )


def _export_golden(inv: Invocation, folder: Path, vault: str | None, *, as_json: bool) -> None:
    from notewell.evaluate import read_golden, write_golden  # noqa: PLC0415 - loads the engine

    with closing(inv.vaults()) as known:
        judged = read_golden(known, known.find(vault, cwd=Path.cwd()))
    judgements = write_golden(judged, folder)
    show_exported(inv, folder, (len(judged.queries), judgements), as_json=as_json)
