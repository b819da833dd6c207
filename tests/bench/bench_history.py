"""How much a searchable history adds to an index: 10,000 made commits on real vaults.

Half of the commits change a word of a line, 30 % add a line of twelve words and 20 % remove a line;
words are drawn from the notes. Needs git, and the vaults of the shared data
(NOTEWELL_TEST_DATA, or shared/data beside the repository).
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
import tempfile
import time
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import repository  # noqa: F401 - so that `tests` can be imported
from figures import Figure, options, write

from notewell.base.config import load_settings
from notewell.base.types import VaultRecord
from notewell.contract.search import SearchRequest
from notewell.engine.engine import Engine
from notewell.features import FEATURES
from tests.unpacking import unpacked

COMMITS = 10_000
QUICK_COMMITS = 500
FIRST = 1_600_000_000  # POSIX seconds; a commit an hour
AIM = 1.3
VAULTS = ("obsidian-help-en", "excalidraw-wiki", "kepano")
SEED = 38


def main() -> None:
    """Measure both indexes, and the first and the second search of what is gone."""
    chosen = options(__doc__ or "")
    commits = QUICK_COMMITS if chosen.quick else COMMITS
    figures: list[Figure] = []
    details: dict[str, object] = {}
    for name in VAULTS:
        with tempfile.TemporaryDirectory() as folder:
            vault = unpacked(f"vault-{name}", Path(folder))
            if vault is None:
                continue
            commit_edits(vault, commits)
            now, gone, seconds = measured(vault, Path(folder))
        total, beside = sum(gone.values()), sum(now.values())
        figures.append(
            Figure(
                f"index with the history of {commits:,} commits, {name}",
                f"{AIM} times the index alone",
                f"{beside / 1e6:.2f} MB",
                f"{(beside + total) / 1e6:.2f} MB",
                (beside + total) / beside,
                f"searching what is gone took {seconds[0]:.1f} s at first, then {seconds[1]:.2f} s",
            )
        )
        details[name] = {"history": gone, "index": now}
    write(chosen.json, figures, details)


def measured(vault: Path, work: Path) -> tuple[dict[str, int], dict[str, int], list[float]]:
    """Bytes of the index's files and of the history's, and seconds of two searches."""
    settings = replace(load_settings(environ=os.environ), data_dir=work / "data")
    record = VaultRecord("measured", "measured", vault)
    index = work / "index"
    with closing(Engine.open(record, index, settings, writable=True, features=FEATURES)) as engine:
        engine.wait_for_model()
        engine.index_now()
        request = SearchRequest("write plugin", ever=True, mode="hybrid")
        seconds = [timed(engine, request) for _ in range(2)]
    return size(index), size(record.data_folder(settings.data_dir) / "history"), seconds


def timed(engine: Engine, request: SearchRequest) -> float:
    began = time.perf_counter()
    engine.search(request)
    return time.perf_counter() - began


def size(folder: Path) -> dict[str, int]:
    """Bytes of each file below a folder."""
    return {
        path.relative_to(folder).as_posix(): path.stat().st_size
        for path in folder.rglob("*")
        if path.is_file()
    }


def commit_edits(vault: Path, count: int) -> None:
    """Make the folder a repository whose last commit is what stands in its notes then."""
    chance = random.Random(SEED)
    notes = {
        path: path.read_text(encoding="utf-8").split("\n") for path in sorted(vault.rglob("*.md"))
    }
    vocabulary = sorted(
        {word for lines in notes.values() for line in lines for word in line.split()}
    )
    git(vault, "init", "-q", "-b", "main")
    importing = subprocess.Popen(
        ["git", "-C", str(vault), "fast-import", "--quiet"], stdin=subprocess.PIPE
    )
    stream = importing.stdin
    assert stream is not None
    for number in range(count + 1):
        changed = list(notes) if number == 0 else [edited(notes, vocabulary, chance)]
        stream.write(b"commit refs/heads/main\n")
        stream.write(f"committer Anna <anna@example.com> {FIRST + 3600 * number} +0000\n".encode())
        stream.write(b"data 5\nNotes\n")
        for path in changed:
            text = "\n".join(notes[path]).encode()
            name = path.relative_to(vault).as_posix()
            stream.write(f'M 100644 inline "{name}"\ndata {len(text)}\n'.encode() + text + b"\n")
    stream.close()
    if importing.wait():
        sys.exit("git fast-import failed")
    git(vault, "reset", "-q", "--hard")


def edited(notes: dict[Path, list[str]], vocabulary: list[str], chance: random.Random) -> Path:
    """Change one note, and return its path."""
    path = chance.choice(list(notes))
    lines = notes[path]
    kind = chance.random()
    full = [number for number, line in enumerate(lines) if line.strip()]
    if kind < 0.3 or not full:
        lines.insert(chance.randint(0, len(lines)), " ".join(chance.choices(vocabulary, k=12)))
    elif kind < 0.5:
        del lines[chance.choice(full)]
    else:
        number = chance.choice(full)
        words = lines[number].split(" ")
        words[chance.randrange(len(words))] = chance.choice(vocabulary)
        lines[number] = " ".join(words)
    return path


def git(folder: Path, *arguments: str) -> None:
    subprocess.run(["git", "-C", str(folder), *arguments], check=True)


if __name__ == "__main__":
    main()
