"""Prepares a vault and settings for the benchmarks of a running server.

Notes are copied from the named folder, or from obsidian-hub of the shared data, or are generated.
They are always a copy, because the benchmark writes to its vault.
"""

from __future__ import annotations

import os
import random
import re
import shutil
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import repository  # noqa: F401 - so that `tests` can be imported
from corpus import Words, write_vault

from notewell.base.config import load_settings
from notewell.base.types import ModelRules
from notewell.models.catalogue import TOKENIZER_FILE, find
from notewell.models.fetch import locate
from tests.tiny_model import write_tiny_model
from tests.unpacking import unpacked

ARCHIVE = "vault-obsidian-hub"
NOTES, QUICK_NOTES = 6571, 600  # as many as obsidian-hub has
_SEED = 3
_WORD = re.compile(r"[a-z]{4,12}")


@dataclass(frozen=True)
class Home:
    """A vault and its server's folders. `real`: the model is a real one, not random weights."""

    vault: Path
    environment: dict[str, str]
    notes: int
    name: str
    model: str
    real: bool
    words: tuple[str, ...]  # of the notes, each as often as it is written

    def questions(self, count: int) -> list[str]:
        """Queries of three to six words of the notes, the same every time."""
        chance = random.Random(_SEED)
        return [
            " ".join(chance.choice(self.words) for _ in range(chance.randint(3, 6)))
            for _ in range(count)
        ]

    @property
    def common_word(self) -> str:
        """The most frequent word, which is sure to be in the first notes that are indexed."""
        return Counter(self.words).most_common(1)[0][0]


@contextmanager
def home(source: Path | None, data: Path | None, *, most_notes: int) -> Iterator[Home]:
    """Prepare a vault of at most `most_notes` notes; it is deleted at the end of the block."""
    with TemporaryDirectory(prefix="notewell-bench-") as folder:
        root = Path(folder)
        environment, model_folder, model = _environment(root)
        vault, name = root / "vault", "generated"
        found = source or unpacked(ARCHIVE, root, data)
        if found is None:
            words = Words.of_tokenizer(model_folder / TOKENIZER_FILE)
            write_vault(vault, words, most_notes)
        else:
            name = found.name
            _copy(found, vault, most_notes)
        notes = sorted(vault.rglob("[!.]*.md"))
        real = model == ModelRules().name
        yield Home(vault, environment, len(notes), name, model, real, _words(notes))


def _environment(root: Path) -> tuple[dict[str, str], Path, str]:
    """Separate settings; the default model where it is installed, else one with random weights."""
    settings = load_settings(environ=os.environ)
    files = locate(find(ModelRules().name), model_dir=settings.model_dir)
    config = root / "config.toml"
    config.touch()
    model_dir, folder, name = settings.model_dir, root, ModelRules().name
    if files is None:
        folder, name, model_dir = write_tiny_model(root / "weights"), "tiny", root / "models"
        text = f'[model]\nname = "{name}"\nfolder = "{folder.as_posix()}"\nquantisation = "fp32"\n'
        config.write_text(text, encoding="utf-8")
    environment = {
        **os.environ,
        "NOTEWELL_CONFIG": str(config),
        "NOTEWELL_DATA_DIR": str(root / "data"),
        "NOTEWELL_STATE_DIR": str(root / "state"),
        "NOTEWELL_MODEL_DIR": str(model_dir),
        "NOTEWELL_OFFLINE": "true",
    }
    return environment, folder if files is None else files.folder, name


def _copy(source: Path, vault: Path, most_notes: int) -> None:
    """Copy Obsidian's settings and the notes, a regular sample where there are too many."""
    notes = sorted(source.rglob("[!.]*.md"))
    step = max(len(notes) / most_notes, 1.0)
    for path in (notes[int(n * step)] for n in range(min(most_notes, len(notes)))):
        target = vault / path.relative_to(source)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(path, target)
    settings = source / ".obsidian" / "app.json"
    if settings.is_file():
        (vault / ".obsidian").mkdir()
        shutil.copy2(settings, vault / ".obsidian")


def _words(notes: Sequence[Path]) -> tuple[str, ...]:
    chosen = random.Random(_SEED).sample(notes, min(len(notes), 200))
    texts = (path.read_text(encoding="utf-8", errors="replace").lower() for path in chosen)
    return tuple(word for text in texts for word in _WORD.findall(text))
