"""Two servers on two computers, whose folders a synchroniser keeps alike, conflicts included."""

from __future__ import annotations

import hashlib
import os
import random
import shutil
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from notewell.base.errors import ChangedNoteError
from notewell.base.types import ModelRules, Settings, VaultRecord
from notewell.contract.notes import NoteRequest
from notewell.contract.search import SearchRequest
from notewell.contract.status import ReindexRequest
from notewell.engine.engine import Engine
from notewell.features import FEATURES
from notewell.features.edits.requests import EditNote
from notewell.features.writes.requests import UndoRequest
from tests.waiting import until

WORDS = ("medlar", "quince", "damson", "bullace", "sorb", "service", "loquat", "mulberry")
BASE = "# Orchard\n\nTrees of the wall.\n\n## Log\n\nPlanted in spring.\n"


@dataclass
class Computer:
    """A folder with its server. `seen` are the contents at the last synchronisation."""

    name: str
    folder: Path
    engine: Engine
    seen: dict[str, bytes] = field(default_factory=dict)

    def files(self) -> dict[str, bytes]:
        return {
            path.name: path.read_bytes()
            for path in self.folder.iterdir()
            if path.suffix == ".md" and not path.name.startswith(".")
        }

    def add(self, path: str, sentence: str) -> None:
        """Append a sentence as an assistant or a page does it."""
        note = self.engine.answer(NoteRequest(path))
        self.engine.answer(EditNote(path, note.hash or "", "append", sentence, section="Log"))

    def catch_up(self) -> None:
        """Wait until the index has what the folder has."""
        self.engine.answer(ReindexRequest())
        until(lambda: self.engine.status().state in {"ready", "degraded"})
        until(self._is_alike)

    def _is_alike(self) -> bool:
        indexed = self.engine.vault.index.manifest()
        wanted = {name for name in self.files() if "sync-conflict" not in name}
        digests = {
            name: hashlib.blake2b(raw, digest_size=16).digest()
            for name, raw in self.files().items()
        }
        return indexed.keys() == wanted and all(
            indexed[name].content_hash == digests[name] for name in wanted
        )

    def finds(self, word: str) -> list[str]:
        results = self.engine.search(SearchRequest(word, mode="keyword", weak=True)).results
        return [result.path for result in results]


@pytest.fixture
def computers(tmp_path: Path) -> Iterator[tuple[Computer, Computer]]:
    with ExitStack() as opened:
        made = []
        for name in ("one", "two"):
            folder = tmp_path / name / "Notes"
            folder.mkdir(parents=True)
            (folder / "Orchard.md").write_text(BASE, encoding="utf-8")
            settings = Settings(
                data_dir=tmp_path / name / "data",
                model_dir=tmp_path / "models",
                state_dir=tmp_path / name,
                offline=True,
                model=ModelRules(folder=str(tmp_path / "none")),
            )
            record = VaultRecord(f"v-{name}", "Notes", Path(os.path.realpath(folder)))
            engine = Engine.open(
                record, tmp_path / name / "index", settings, writable=True, features=FEATURES
            )
            opened.callback(engine.close)
            engine.start()
            made.append(Computer(name, folder, engine))
            made[-1].catch_up()
        yield made[0], made[1]


def synchronise(one: Computer, two: Computer) -> None:
    """Copy what changed, as Syncthing does: what changed on both sides is kept as a copy too."""
    for name in sorted(one.files().keys() | two.files().keys() | one.seen.keys()):
        before, first, second = one.seen.get(name), one.files().get(name), two.files().get(name)
        if first == second:
            continue
        if first == before:
            winner = two
        elif second == before:
            winner = one
        else:
            winner = one
            if second is not None:
                copy = name.replace(".md", ".sync-conflict-20261130-120000-ABCDEFG.md")
                for computer in (one, two):
                    (computer.folder / copy).write_bytes(second)
        loser = two if winner is one else one
        source = winner.folder / name
        if source.exists():
            shutil.copyfile(source, loser.folder / name)
        else:
            (loser.folder / name).unlink(missing_ok=True)
    one.seen, two.seen = one.files(), two.files()
    one.catch_up()
    two.catch_up()


def test_edits_on_both_sides_are_found_on_both_and_nothing_is_lost(
    computers: tuple[Computer, Computer],
) -> None:
    one, two = computers
    one.add("Orchard.md", "A medlar was planted.")
    two.add("Orchard.md", "A quince was pruned.")
    synchronise(one, two)
    for computer in computers:
        (found,) = computer.engine.search(SearchRequest("quince pruned", mode="keyword")).results
        assert (found.path, found.copies) == (
            "Orchard.md",
            ("Orchard.sync-conflict-20261130-120000-ABCDEFG.md",),
        )
        assert computer.finds("medlar") == ["Orchard.md"]
        assert computer.engine.status().guard is None


def test_an_edit_of_what_the_other_side_changed_is_refused(
    computers: tuple[Computer, Computer],
) -> None:
    one, two = computers
    read = two.engine.answer(NoteRequest("Orchard.md"))
    one.add("Orchard.md", "A medlar was planted.")
    one.seen = two.seen = {"Orchard.md": BASE.encode()}
    synchronise(one, two)
    with pytest.raises(ChangedNoteError):
        two.engine.answer(EditNote("Orchard.md", read.hash or "", "append", "Late.", section="Log"))
    assert "Late." not in (two.folder / "Orchard.md").read_text(encoding="utf-8")


def test_an_undo_is_synchronised_and_refused_where_the_note_went_on(
    computers: tuple[Computer, Computer],
) -> None:
    one, two = computers
    one.seen = two.seen = one.files()
    one.add("Orchard.md", "A medlar was planted.")
    synchronise(one, two)
    two.add("Orchard.md", "A quince was pruned.")
    synchronise(one, two)
    with pytest.raises(ChangedNoteError):
        one.engine.answer(UndoRequest())
    two.engine.answer(UndoRequest())
    synchronise(one, two)
    assert one.files() == two.files()
    assert (one.finds("quince"), two.finds("medlar")) == ([], ["Orchard.md"])


@pytest.mark.parametrize("seed", range(4))
def test_whatever_is_written_where_is_found_everywhere(
    computers: tuple[Computer, Computer], seed: int
) -> None:
    drawn = random.Random(seed)
    one, two = computers
    one.seen = two.seen = one.files()
    written: set[str] = set()
    for word in drawn.sample(WORDS, 6):
        computer = drawn.choice(computers)
        if drawn.random() < 0.3:
            (computer.folder / f"{word.title()}.md").write_text(f"## Log\n\nA {word}.\n")
            computer.catch_up()
        else:
            computer.add("Orchard.md", f"A {word}.")
        written.add(word)
        if drawn.random() < 0.5:
            synchronise(one, two)
    synchronise(one, two)
    assert one.files() == two.files()
    for word in written:
        assert one.finds(word) == two.finds(word) != [], word
