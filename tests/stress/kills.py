"""Kill the writer at random moments, again and again, and check the index each time.

`python -m tests.stress.kills --seconds 300` runs it for long; `test_kills.py` is its short form.
The killed process is a fork that has everything imported, so that a thousand kills take minutes
and most of them fall into the middle of work.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import signal
import sqlite3
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path

from notewell.errors import NotFoundError
from notewell.index.embedded.index import EmbeddedIndex
from notewell.index.embedded.store import DATABASE
from notewell.ingest.active_model import Models
from notewell.ingest.indexer import Indexer
from notewell.ingest.queue import Work
from notewell.ingest.writer import Writer
from notewell.models import load_embedder
from notewell.sources import source_of
from notewell.types import (
    ChunkSizes,
    Embedder,
    FloatArray,
    ModelKey,
    ModelRules,
    Settings,
    VaultRecord,
)
from notewell.vault.chunk import embed_hash
from tests.stress import picture
from tests.tiny_model import write_tiny_model

NOTES = 30
LONGEST_LIFE_S = 0.25
# How often a life begins with another model in its settings than the life before.
CHANGES_OF_MODEL = 0.1
_VERSION = re.compile(r"version (\d+) of")


class Watched:
    """An embedder that writes down every text it is given although its vector is kept."""

    def __init__(self, embedder: Embedder, directory: Path, again: Path) -> None:
        self._embedder = embedder
        self._directory = directory
        self._again = again

    @property
    def key(self) -> ModelKey:
        return self._embedder.key

    @property
    def dimensions(self) -> int:
        return self._embedder.dimensions

    @property
    def sizes(self) -> ChunkSizes:
        return self._embedder.sizes

    def count_tokens(self, text: str) -> int:
        return self._embedder.count_tokens(text)

    def embed_passages(self, texts: Sequence[str]) -> FloatArray:
        with closing(sqlite3.connect(self._directory / DATABASE, timeout=30)) as connection:
            for text in texts:
                asked = (
                    "SELECT 1 FROM vectors v JOIN models m ON m.id = v.model_id"
                    " WHERE m.name = ? AND v.text_hash = ?"
                )
                if connection.execute(asked, (self.key.name, embed_hash(text))).fetchone():
                    with self._again.open("a", encoding="utf-8") as stream:
                        stream.write(f"{text!r}\n")
        return self._embedder.embed_passages(texts)

    def embed_query(self, text: str) -> FloatArray:
        return self._embedder.embed_query(text)

    def close(self) -> None:
        self._embedder.close()


@dataclass(slots=True)
class Stage:
    """A vault, its index, and what was seen of each note so far."""

    root: Path
    settings: Settings
    models: tuple[ModelRules, ...]
    random: random.Random
    versions: dict[str, int] = field(default_factory=dict)
    seen: dict[str, int] = field(default_factory=dict)
    kills: int = 0

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
    settings = Settings(
        data_dir=root / "data",
        model_dir=root / "models",
        state_dir=root / "state",
        offline=True,
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
    end = time.monotonic() + stage.random.random() * LONGEST_LIFE_S
    while time.monotonic() < end:
        edit(stage, f"note {stage.random.randrange(NOTES)}.md")
        time.sleep(0.005)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    stage.kills += 1


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
        return Watched(embedder, stage.directory, stage.again)

    models = Models(index, stage.settings.model, load)
    indexer = Indexer(
        source_of(VaultRecord("v1", "vault", stage.vault), stage.settings.vault),
        index,
        stage.settings,
    )
    writer = Writer("stress", index, indexer, models, fetch_missing=False)
    models.load(fetch=False)
    writer.run(Work())
    while for_ever:
        writer.run(Work())
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
    return wrong


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


def torment(root: Path, *, seconds: float, kills: int, seed: int) -> tuple[int, list[str]]:
    """Kill until the time or the number is reached; returns how often, and what was wrong."""
    stage = prepare(root, seed)
    end = time.monotonic() + seconds
    wrong: list[str] = []
    while not wrong and stage.kills < kills and time.monotonic() < end:
        live_and_die(stage)
        wrong = look(stage)
    return stage.kills, wrong or finish(stage)


def main() -> int:
    """Run from the command line; 0 when nothing was wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=300)
    parser.add_argument("--kills", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        kills, wrong = torment(
            Path(folder), seconds=asked.seconds, kills=asked.kills, seed=asked.seed
        )
    sys.stdout.write(f"{kills} kills, seed {asked.seed}: {wrong or 'nothing wrong'}\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
