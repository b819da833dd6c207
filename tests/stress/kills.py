"""Kill the writer at random moments, again and again, and check the index each time.

    python -m tests.stress.kills --seconds 300 --result tests/stress/results.json
    python -m tests.stress.kills --moments vectors --kills 1000

`test_kills.py` is the short form. The killed process is a fork that has everything imported, so
that a thousand kills take minutes and most of them fall into the middle of work. With `--moments
vectors` only those count that fell while texts were embedded and their vectors stored.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import random
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path

from notewell.base.errors import NotFoundError
from notewell.base.types import (
    Embedder,
    ModelRules,
    Settings,
    VaultRecord,
)
from notewell.contract.search import SearchRequest
from notewell.engine.engine import Engine
from notewell.engine.ingest import embed
from notewell.engine.ingest.active_model import Models
from notewell.engine.ingest.indexer import Indexer
from notewell.engine.ingest.queue import Work
from notewell.engine.ingest.writer import Writer
from notewell.features import FEATURES
from notewell.index.embedded import EmbeddedIndex
from notewell.index.embedded.store import DATABASE
from notewell.models.loading import load_embedder
from notewell.vault.sources import source_of
from tests.stress import picture
from tests.stress.watched import ELSEWHERE, EMBEDDING, STORING, Phase, Watched
from tests.tiny_model import write_tiny_model
from tests.vaults import settings_in

NOTES = 30
FIRST_LIFE_S, LONGEST_LIFE_S = 0.25, 10.0
# How often a life begins with another model in its settings than the life before.
CHANGES_OF_MODEL = 0.1
# Of a life that is to end while vectors are written: notes that change before it, texts that are
# committed together, and how long its process may take to begin with them.
CHANGED, COMMITTED, BEGINS_S = 25, 4, 60.0
SAME_SCORE = 1e-5
QUERIES = ("water", "tree water", "version part", "note 3", "river")
_VERSION = re.compile(r"version (\d+) of")


@dataclass(slots=True)
class Stage:
    """A vault, its index, and what was seen of each note so far."""

    root: Path
    settings: Settings
    models: tuple[ModelRules, ...]
    random: random.Random
    versions: dict[str, int] = field(default_factory=dict)
    seen: dict[str, int] = field(default_factory=dict)
    phase: Phase = field(default_factory=Phase)
    kills: int = 0
    while_embedding: int = 0
    while_storing: int = 0
    life: float = FIRST_LIFE_S  # seconds that a process has at most before it is killed
    span: float = 0.05  # seconds that the pass over the vectors takes, about

    @property
    def vault(self) -> Path:
        return self.root / "vault"

    @property
    def directory(self) -> Path:
        return self.root / "index"

    @property
    def again(self) -> Path:
        return self.root / "embedded-again.txt"


def prepare(root: Path, seed: int) -> Stage:
    """A vault of numbered notes and a tiny model."""
    models = (
        tiny_rules(write_tiny_model(root / "weights"), "tiny"),
        tiny_rules(write_tiny_model(root / "other", seed=1, max_tokens=96), "other"),
    )
    settings = settings_in(
        root,
        model=models[0],
    )
    stage = Stage(root, settings, models, random.Random(seed))
    stage.vault.mkdir()
    for n in range(NOTES):
        edit(stage, f"note {n}.md")
    return stage


def tiny_rules(weights: Path, name: str) -> ModelRules:
    """The settings that use a tiny model."""
    return ModelRules(name=name, folder=str(weights), quantisation="fp32", threads=1)


def edit(stage: Stage, path: str) -> None:
    """Write the next version of a note, as an editor does."""
    version = stage.versions[path] = stage.versions.get(path, 0) + 1
    parts = [f"version {version} of {path} {stage.random.random()}"]
    parts += [f"## Part {n}\n\n{'water tree ' * 30} {version // 3} {n}" for n in range(3)]
    temporary = stage.vault / ".saving"
    temporary.write_text("\n\n".join(parts), encoding="utf-8")
    temporary.replace(stage.vault / path)


def live_and_die(stage: Stage) -> None:
    """Let a process index while notes change, and kill it somewhere on the way."""
    if stage.random.random() < CHANGES_OF_MODEL:
        stage.settings = replace(stage.settings, model=stage.random.choice(stage.models))
    child = os.fork()
    if child == 0:
        run_writer(stage, for_ever=True)
        os._exit(0)
    end = time.monotonic() + stage.random.random() * stage.life
    while time.monotonic() < end:
        edit(stage, f"note {stage.random.randrange(NOTES)}.md")
        time.sleep(0.005)
    # As long as it takes to get to the vectors in every second life, however busy the machine.
    grown = stage.life * (0.95 if stage.phase.has_begun else 1.05)
    stage.life = min(grown, LONGEST_LIFE_S)
    kill(stage, child)


def die_while_vectors_are_written(stage: Stage) -> None:
    """Let a process index changed notes, and kill it between its first vector and its last."""
    for _ in range(CHANGED):
        edit(stage, f"note {stage.random.randrange(NOTES)}.md")
    child = os.fork()
    if child == 0:
        embed.COMMIT = COMMITTED
        run_writer(stage, for_ever=False)
        os._exit(0)
    end = time.monotonic() + BEGINS_S
    while not stage.phase.has_begun and time.monotonic() < end:
        time.sleep(0.0005)
    time.sleep(stage.random.random() * stage.span)
    kill(stage, child)


def kill(stage: Stage, child: int) -> None:
    """End a process as a power cut does, and count what it was doing."""
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    stage.kills += 1
    stage.while_embedding += stage.phase.now == EMBEDDING
    stage.while_storing += stage.phase.now == STORING
    # Most fall in the pass, and some after it: so its end is reached as often as its beginning.
    stage.span *= 0.9 if stage.phase.now == ELSEWHERE else 1.02
    stage.phase.reset()


def run_writer(stage: Stage, *, for_ever: bool) -> None:
    """Bring the index up to date, once or until killed."""
    index = EmbeddedIndex.open(stage.directory, writable=True)

    def load(rules: ModelRules, fetch: bool) -> Embedder:
        embedder = load_embedder(
            rules,
            model_dir=stage.settings.model_dir,
            offline=True,
            fetch_missing=fetch,
            say=lambda _: None,
        )
        return Watched(embedder, stage.directory, stage.again, stage.phase)

    models = Models(index, stage.settings.model, load)
    indexer = Indexer(
        source_of(VaultRecord("v1", "vault", stage.vault), stage.settings.vault),
        index,
        stage.settings,
    )
    writer = Writer("stress", index, indexer, models, fetch_missing=False)
    models.load(fetch=False)
    writer.run(Work())
    stage.phase.now = ELSEWHERE
    while for_ever:
        writer.run(Work())
        stage.phase.now = ELSEWHERE
        index.save()
    models.close()
    index.close()


def look(stage: Stage) -> list[str]:
    """What is wrong with what the killed process left; nothing, if all is well."""
    if not (stage.directory / DATABASE).exists():
        return []
    try:
        index = EmbeddedIndex.open(stage.directory, writable=False)
    except NotFoundError:  # killed before its first transaction
        return [f"{path} is lost" for path in stage.seen]
    try:
        notes = {note.path: note for note in index.all_notes()}
        ledger = {entry.path: entry for entry in index.ledger()}
        wrong = [f"{path} is in no ledger" for path in notes if path not in ledger]
        if sum(index.counts().ledger.values()) != len(ledger):
            wrong.append("the ledger does not sum")
        for path, note in notes.items():
            text = "\n".join(chunk.text for chunk in index.chunks_of(note.id))
            found = _VERSION.search(text)
            version = int(found.group(1)) if found else 0
            if not stage.seen.get(path, 0) <= version <= stage.versions[path]:
                wrong.append(f"{path} answers with version {version} after {stage.seen.get(path)}")
            stage.seen[path] = version
        return wrong
    finally:
        index.close()


def finish(stage: Stage) -> list[str]:
    """Bring the index up to date and hold it against one made from nothing."""
    stage.settings = replace(stage.settings, model=stage.models[0])
    in_process(lambda: run_writer(stage, for_ever=False))
    found = picture.take(stage.directory)
    fresh = picture.of_fresh_index(
        stage.vault, stage.root / "fresh", stage.settings, picture.kept_titles(stage.directory)
    )
    wrong = [
        f"{path} differs" for path in fresh.notes if found.notes.get(path) != fresh.notes[path]
    ]
    if found.ledger != fresh.ledger:
        wrong.append("the ledgers differ")
    if stage.again.exists():
        wrong.append(f"embedded again: {stage.again.read_text(encoding='utf-8')[:500]}")
    return wrong or differing_scores(stage)


def differing_scores(stage: Stage) -> list[str]:
    """The searches that the index answers differently than the one made from nothing."""
    found, fresh = (scores(stage, stage.root / name) for name in ("index", "fresh"))
    return [
        f"{place}: {found.get(place)}, not {fresh.get(place)}"
        for place in sorted({*found, *fresh})
        if abs(found.get(place, -1.0) - fresh.get(place, -1.0)) > SAME_SCORE
    ]


def scores(stage: Stage, directory: Path) -> dict[tuple[str, str, str], float]:
    """The score of each note for each query, by words, by meaning and by both."""
    record = VaultRecord("v1", "vault", stage.vault)
    engine = Engine.open(record, directory, stage.settings, writable=True, features=FEATURES)
    try:
        engine.index_now()  # loads the model; there is nothing to do
        return {
            (mode, query, result.path): result.score
            for query in QUERIES
            for mode in ("keyword", "semantic", "hybrid")
            for result in engine.search(
                SearchRequest(query, mode=mode, limit=NOTES, weak=True)
            ).results
        }
    finally:
        engine.close()


def in_process(work: Callable[[], None]) -> None:
    """Do work in a fork: this process must stay without threads, to be forked again."""
    child = os.fork()
    if child == 0:
        status = 1
        try:
            work()
            status = 0
        finally:
            os._exit(status)
    _, ended = os.waitpid(child, 0)
    if ended != 0:
        raise AssertionError(f"the process ended with {ended}")


@dataclass(frozen=True, slots=True)
class Outcome:
    """How often a writer was killed, where, and what was wrong then."""

    moments: str
    seed: int
    seconds: float
    kills: int
    while_embedding: int
    while_storing: int
    wrong: tuple[str, ...]

    def sentence(self) -> str:
        return (
            f"{self.kills} kills ({self.while_embedding} while texts were embedded,"
            f" {self.while_storing} while vectors were stored) in {self.seconds:.0f} s,"
            f" seed {self.seed}: {list(self.wrong) or 'nothing wrong'}\n"
        )


def torment(root: Path, *, seconds: float, kills: int, seed: int, moments: str = "any") -> Outcome:
    """Kill until the time or the number is reached; of `vectors` only kills there are counted."""
    stage = prepare(root, seed)
    began = time.monotonic()
    end = began + seconds
    wrong: list[str] = []
    only_vectors = moments == "vectors"
    while not wrong and time.monotonic() < end:
        counted = stage.while_embedding + stage.while_storing if only_vectors else stage.kills
        if counted >= kills:
            break
        (die_while_vectors_are_written if only_vectors else live_and_die)(stage)
        wrong = look(stage)
    wrong = wrong or finish(stage)
    return Outcome(
        moments=moments,
        seed=seed,
        seconds=round(time.monotonic() - began, 1),
        kills=stage.kills,
        while_embedding=stage.while_embedding,
        while_storing=stage.while_storing,
        wrong=tuple(wrong),
    )


def keep(outcome: Outcome, file: Path) -> None:
    """Put an outcome into the file of results, which has one for each kind of moments."""
    known = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
    commit = subprocess.run(
        ["git", "describe", "--always", "--dirty"],
        cwd=Path(__file__).parent,
        capture_output=True,
        text=True,
        check=False,
    ).stdout.strip()
    known[outcome.moments] = {
        "commit": commit,
        "date": datetime.now(UTC).date().isoformat(),
        "python": platform.python_version(),
        **asdict(outcome),
    }
    file.write_text(json.dumps(known, indent=2, sort_keys=True) + "\n", encoding="utf-8")


def main() -> int:
    """Run from the command line; 0 when nothing was wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=300)
    parser.add_argument("--kills", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--moments", choices=["any", "vectors"], default="any")
    parser.add_argument("--result", type=Path)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        outcome = torment(
            Path(folder),
            seconds=asked.seconds,
            kills=asked.kills,
            seed=asked.seed,
            moments=asked.moments,
        )
    if asked.result is not None:
        keep(outcome, asked.result)
    sys.stdout.write(outcome.sentence())
    return 1 if outcome.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
