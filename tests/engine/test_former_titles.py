"""Renamed notes whose passages keep a former title, and how their meaning is brought up to date."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from notewell.base.types import ModelRules, Settings, VaultRecord
from notewell.contract.search import SearchRequest
from notewell.engine.engine import Engine
from tests.tiny_model import write_tiny_model

SAME_SCORE = 1e-6
NOTES = {
    "Bread/Starter.md": "---\ntags: [baking]\n---\n# Feeding\nFeed the sourdough with rye flour.\n",
    "Bread/Loaf.md": "The loaf uses the [[Starter]] and bakes for an hour.\n",
    "Bicycle.md": "# Chain\nThe chain slips, the cassette is worn.\n\n# Brake\nPads squeal.\n",
    "Titled.md": "---\ntitle: A title of its own\n---\nThe rye is sown in autumn.\n",
    "Facts.md": "---\nauthor: Jane Doe\n---\n",
    "Nothing.md": "---\ntags: []\n---\n",
}
QUERIES = ("sourdough flour", "chain", "who bakes the loaf", "Jane Doe", "title", "rye in autumn")


@pytest.fixture(scope="module")
def weights(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_tiny_model(tmp_path_factory.mktemp("tiny"))


@pytest.fixture
def folder() -> Iterator[Path]:
    with TemporaryDirectory() as name:
        yield Path(name)


Opened = Callable[[Path, str], Engine]


@pytest.fixture
def opened(weights: Path) -> Opened:
    """Opens an index, by its name, of the vault in a folder."""

    def open_index(folder: Path, name: str) -> Engine:
        rules = ModelRules(name="tiny", folder=str(weights), quantisation="fp32", threads=1)
        places = {"data_dir": folder, "model_dir": folder / "models", "state_dir": folder / "state"}
        settled = Settings(**places, offline=True, model=rules)
        record = VaultRecord("v", "vault", folder / "vault")
        return Engine.open(record, folder / name, settled, writable=True)

    return open_index


def write(folder: Path) -> Path:
    vault = folder / "vault"
    for path, text in NOTES.items():
        (vault / path).parent.mkdir(parents=True, exist_ok=True)
        (vault / path).write_text(text, encoding="utf-8")
    return vault


def scores(engine: Engine) -> dict[tuple[str, str, str], float]:
    """The score of each note for each query, by words, by meaning and by both."""
    return {
        (mode, query, result.path): result.score
        for query in QUERIES
        for mode in ("keyword", "semantic", "hybrid")
        for result in engine.search(SearchRequest(query, mode=mode, limit=20, weak=True)).results
    }


def former_titles(engine: Engine) -> int | None:
    return engine.status().former_titles


names = st.text(st.characters(codec="utf-8", categories=["L", "N", "Zs", "P"]), max_size=30)
file_names = names.map(
    lambda name: "".join(c for c in name if c not in '/\\:*?"<>|').strip(" .")
).filter(bool)


@settings(
    max_examples=5,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(st.lists(st.tuples(st.integers(0, len(NOTES) - 1), file_names), min_size=1, max_size=3))
def test_a_full_run_after_any_renames_gives_the_scores_of_a_new_index(
    opened: Opened, renames: list[tuple[int, str]]
) -> None:
    with TemporaryDirectory() as name:
        folder = Path(name)
        vault = write(folder)
        places = [vault / path for path in NOTES]
        with closing(opened(folder, "index")) as engine:
            engine.index_now()
            for which, new in renames:
                # The number keeps apart names that a file system or Unicode takes as the same.
                places[which] = places[which].rename(vault / f"{which} {new}.md")
                assert engine.index_now().embedded == 0
            assert (former_titles(engine) or 0) <= len({which for which, _ in renames})

            engine.index_now(full=True)

            assert former_titles(engine) is None
            assert engine.index_now(full=True).embedded == 0
            found = scores(engine)
        with closing(opened(folder, "fresh")) as fresh:
            fresh.index_now()
            expected = scores(fresh)
    assert found.keys() == expected.keys()
    assert found == pytest.approx(expected, abs=SAME_SCORE)


def test_status_counts_the_notes_that_keep_a_former_title(folder: Path, opened: Opened) -> None:
    vault = write(folder)
    with closing(opened(folder, "index")) as engine:
        engine.index_now()
        assert former_titles(engine) is None

        for path in ("Bicycle.md", "Bread/Loaf.md"):
            (vault / path).rename(vault / f"New {Path(path).name}")
        engine.index_now()
        assert former_titles(engine) == 2

        (vault / "New Bicycle.md").rename(vault / "Bicycle.md")
        (vault / "Bread").rename(vault / "Bakery")
        engine.index_now()
        assert former_titles(engine) == 1

        (vault / "New Loaf.md").write_text("Another text.", encoding="utf-8")
        engine.index_now()
        assert former_titles(engine) is None


def test_a_note_of_another_title_or_without_a_passage_is_not_counted(
    folder: Path, opened: Opened
) -> None:
    vault = write(folder)
    with closing(opened(folder, "index")) as engine:
        engine.index_now()
        for path in ("Titled.md", "Nothing.md"):
            (vault / path).rename(vault / f"New {path}")
        engine.index_now()
        assert former_titles(engine) is None
