"""Notes cut by topic: what is embedded for it, when, and what a new index would have."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from notewell.base.errors import ModelError
from notewell.base.types import ChunkRules, ChunkSizes, FloatArray, ModelKey, Settings, VaultRecord
from notewell.engine.ingest.indexer import FIRST_NOTES, Indexer, RunTotals
from notewell.engine.ingest.queue import Work
from notewell.engine.ingest.signals import Signals
from notewell.index.embedded import EmbeddedIndex
from notewell.vault.sources import source_of

SUBJECTS = ("bread", "stars", "river")
SEMANTIC = ChunkRules(method="semantic", percentile=40)


def text_about(*subjects: str, tag: str = "") -> str:
    return " ".join(
        f"This is sentence {n}{tag} about {subject}, of some length."
        for subject in subjects
        for n in range(3)
    )


class Subjects:
    """An embedder that knows three subjects, and remembers what it was given."""

    key = ModelKey("subjects", "w" * 64, "fp32")
    dimensions = 4
    sizes = ChunkSizes(120, 12, 6)

    def __init__(self) -> None:
        self.given: list[str] = []
        self.before_each: Callable[[], None] = lambda: None
        self.is_away = False

    def count_tokens(self, text: str) -> int:
        return len(text.split())

    def embed_passages(self, texts: Sequence[str]) -> FloatArray:
        if self.is_away:
            raise ModelError("the service is away")
        self.before_each()
        self.given += texts
        counts = [[text.count(subject) for subject in SUBJECTS] + [0.1] for text in texts]
        rows = np.array(counts, np.float32)
        return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True))

    def embed_query(self, text: str) -> FloatArray:
        return self.embed_passages([text])[0]

    def close(self) -> None:
        pass


class Desk:
    def __init__(self, root: Path) -> None:
        self.root = root
        self.vault = root / "vault"
        self.vault.mkdir()
        self.index = EmbeddedIndex.open(root / "index", writable=True)
        self.model = Subjects()

    def write(self, name: str, text: str) -> None:
        (self.vault / name).write_text(text, encoding="utf-8")

    def run(
        self,
        rules: ChunkRules = SEMANTIC,
        *,
        index: EmbeddedIndex | None = None,
        work: Work | None = None,
    ) -> RunTotals:
        into = index or self.index
        settings = replace(
            Settings(data_dir=self.root, model_dir=self.root, state_dir=self.root), chunking=rules
        )
        source = source_of(VaultRecord("v1", "vault", self.vault), settings.vault)
        into.use_model(self.model.key, self.model.dimensions)
        return Indexer(source, into, settings).run(work or Work(), self.model, Signals())

    def chunks(self, index: EmbeddedIndex | None = None) -> dict[str, list[tuple[str, bytes]]]:
        source = index or self.index
        return {
            note.path: [(each.text, each.text_hash) for each in source.chunks_of(note.id)]
            for note in source.all_notes()
        }

    def fresh(self) -> dict[str, list[tuple[str, bytes]]]:
        with closing(EmbeddedIndex.open(self.root / "fresh", writable=True)) as index:
            self.run(index=index)
            return self.chunks(index)


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    made = Desk(tmp_path)
    yield made
    made.index.close()


def test_changing_the_method_cuts_again_and_embeds_no_text_twice(desk: Desk) -> None:
    desk.write("two.md", text_about("bread", "stars"))
    desk.write("one.md", text_about("river"))
    desk.run(ChunkRules())
    assert [len(found) for found in desk.chunks().values()] == [1, 1]

    desk.run()
    cut = desk.chunks()
    assert [text for text, _ in cut["two.md"]] == [text_about("bread"), text_about("stars")]
    desk.run(ChunkRules())
    desk.run()

    assert max(Counter(desk.model.given).values()) == 1
    assert desk.chunks() == cut == desk.fresh()


def test_an_edit_embeds_the_changed_sentences_and_passages_alone(desk: Desk) -> None:
    desk.write("note.md", text_about("bread", "stars"))
    desk.run()
    desk.model.given.clear()

    desk.write(
        "note.md",
        text_about("bread") + " And this stands between, about bread. " + text_about("stars"),
    )
    desk.run(work=Work(paths=("note.md",)))

    sentences = [text for text in desk.model.given if text.count("about") == 1]
    assert sentences == ["And this stands between, about bread."]
    assert len(desk.model.given) == 2  # the other one is the passage with it
    assert desk.chunks() == desk.fresh()


def test_another_percentile_cuts_again(desk: Desk) -> None:
    desk.write("note.md", text_about("bread", "stars", "river"))
    desk.run(replace(SEMANTIC, percentile=1))
    before = desk.chunks()

    desk.run()

    assert len(before["note.md"]) < len(desk.chunks()["note.md"])


def test_many_new_notes_are_found_by_keyword_before_the_model_reads_them(desk: Desk) -> None:
    for n in range(FIRST_NOTES + 1):
        desk.write(f"{n}.md", text_about("bread", "stars", tag=f" {n}"))
    there: list[int] = []
    desk.model.before_each = lambda: there.append(desk.index.counts().notes)

    totals = desk.run()

    assert there[0] == FIRST_NOTES + 1
    assert totals.read == FIRST_NOTES + 1
    assert {entry.state for entry in desk.index.ledger()} == {"indexed"}
    assert desk.chunks() == desk.fresh()


def test_while_the_model_is_away_notes_are_cut_at_headings_and_later_again(desk: Desk) -> None:
    desk.write("note.md", text_about("bread", "stars"))
    desk.model.is_away = True

    totals = desk.run()

    assert totals.finished
    assert totals.problem == "the service is away"
    assert len(desk.chunks()["note.md"]) == 1
    assert [entry.state for entry in desk.index.ledger()] == ["pending"]
    desk.model.is_away = False
    assert desk.run().problem is None
    assert desk.chunks() == desk.fresh()
    assert [entry.state for entry in desk.index.ledger()] == ["indexed"]
