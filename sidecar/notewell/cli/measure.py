"""What `notewell eval` does: finds or makes the indexes to measure, and measures them.

Loads the engine, so the command imports it when it runs.
"""

from __future__ import annotations

from contextlib import ExitStack, closing
from dataclasses import dataclass
from pathlib import Path

import click

from notewell.cli.evaluate_output import show_exported
from notewell.cli.options import Invocation
from notewell.cli.progress import Reporter
from notewell.errors import NotFoundError
from notewell.evaluate import (
    Against,
    EvalReport,
    PeerKind,
    eval_settings,
    find_peers,
    read_golden,
    run_corpus,
    run_golden,
    run_vault,
    systems_of,
    write_golden,
)
from notewell.types import SearchMode, Settings, VaultRecord
from notewell.vaults.opened import Vaults


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
        return eval_settings(self.settings())

    def known_vaults(self) -> Vaults:
        """The user's vaults, to be closed."""
        flags = {"model.name": self.model}
        return self.inv.vaults(fetch_missing=True, say=self.reporter.say, flags=flags)

    def vaults_apart(self) -> Vaults:
        """The vaults of corpora and of folders that are not known, to be closed."""
        return Vaults(self.settings_apart(), fetch_missing=True, say=self.reporter.say)

    def against(self, settings: Settings) -> Against | None:
        """The peers, with the model of these settings; None: no peer was named."""
        if not self.peers:
            return None
        return Against(self.peers, settings, self.reporter.say)


def peers_of(names: str | None) -> tuple[PeerKind, ...]:
    """The peers that names with commas between them mean; UsageError where one is unknown."""
    return find_peers(names) if names is not None else ()


def measure_files(
    task: Task, files: JudgedFiles, corpus: Path | None, vault: str | None
) -> EvalReport:
    """The report on judged files about a corpus or about a vault, of which one must be given."""
    if corpus is not None and vault is None:
        return _measure_corpus(task, files, corpus)
    if vault is not None and corpus is None:
        return _measure_vault(task, files, vault)
    raise click.UsageError("Give either --corpus or --vault.")


def _measure_corpus(task: Task, files: JudgedFiles, corpus: Path) -> EvalReport:
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


def measure_golden(task: Task, vault: str | None) -> EvalReport:
    """The report on the golden set of the vault that `vault` names."""
    with closing(task.known_vaults()) as known:
        record = known.find(vault, cwd=Path.cwd())
        return run_golden(
            known,
            record,
            systems=systems_of(task.mode),
            against=task.against(task.settings(record.path)),
            progress=task.reporter.update,
        )


def export_golden(inv: Invocation, folder: Path, vault: str | None, *, as_json: bool) -> None:
    """Write the golden set as files, and say what they hold."""
    with closing(inv.vaults()) as known:
        judged = read_golden(known, known.find(vault, cwd=Path.cwd()))
    judgements = write_golden(judged, folder)
    show_exported(inv, folder, (len(judged.queries), judgements), as_json=as_json)
