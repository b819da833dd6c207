"""The sample vault's example queries find their notes, with a real engine."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from notewell.base.config import load_settings
from notewell.base.errors import ModelError
from notewell.base.types import Settings, VaultRecord
from notewell.contract.search import SearchRequest, SimilarRequest, SimilarTextRequest
from notewell.doors.sample import EXAMPLES, Example, copy_to
from notewell.engine.engine import Engine
from notewell.features import FEATURES
from notewell.features.archaeology.requests import ArchaeologyRequest
from notewell.models.loading import load_embedder

SHOWN = 3  # an example should be among the first that a person looks at


def settings(folder: Path, model_dir: Path) -> Settings:
    return Settings(data_dir=folder, model_dir=model_dir, state_dir=folder / "state", offline=True)


@pytest.fixture(scope="module")
def without_model(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    folder = tmp_path_factory.mktemp("sample")
    yield from indexed(folder, settings(folder, folder / "no-models"))


@pytest.fixture(scope="module")
def with_model(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    folder = tmp_path_factory.mktemp("sample")
    known = load_settings(environ=os.environ)
    try:
        load_embedder(
            known.model,
            model_dir=known.model_dir,
            offline=False,
            fetch_missing=True,
            say=lambda _: None,
        ).close()
    except ModelError as error:
        pytest.skip(f"the real model cannot be had: {error.message.splitlines()[0]}")
    yield from indexed(folder, settings(folder, known.model_dir))


def indexed(folder: Path, chosen: Settings) -> Iterator[Engine]:
    vault = VaultRecord("sample", "Sample", copy_to(folder / "vault"))
    engine = Engine.open(vault, folder / "index", chosen, writable=True, features=FEATURES)
    engine.index_now()
    yield engine
    engine.close()


def found(engine: Engine, example: Example) -> list[str]:
    reply = engine.search(SearchRequest(example.query))
    return [result.path for result in reply.results[:SHOWN]]


@pytest.mark.parametrize(
    "example", [each for each in EXAMPLES if each.why != "meaning"], ids=lambda each: each.query
)
def test_keyword_examples_find_their_note_without_a_model(
    without_model: Engine, example: Example
) -> None:
    assert example.path in found(without_model, example)


@pytest.mark.model
@pytest.mark.parametrize("example", EXAMPLES, ids=lambda each: each.query)
def test_every_example_finds_its_note(with_model: Engine, example: Example) -> None:
    assert example.path in found(with_model, example)


PHYSICS = (
    "Quarks carry colour charge and are bound by gluons. Lattice calculations of quantum"
    " chromodynamics predict the masses of hadrons; asymptotic freedom makes the coupling weak at"
    " high energies."
)


@pytest.mark.model
def test_a_topic_of_no_note_has_no_timeline(with_model: Engine) -> None:
    absent = with_model.answer(ArchaeologyRequest("quantum chromodynamics"))
    assert (absent.total, absent.buckets, absent.peaks, absent.notes) == (0, (), (), ())
    assert any("Nothing matches well" in warning for warning in absent.warnings)
    present = with_model.answer(ArchaeologyRequest("baking bread"))
    assert 0 < present.total < 15
    assert "Kitchen/Country loaf.md" in {note.path for note in present.notes}
    weak = with_model.answer(ArchaeologyRequest("quantum chromodynamics", weak=True))
    assert weak.total > 0


@pytest.mark.model
def test_similar_notes_end_where_nothing_is_similar(with_model: Engine) -> None:
    nothing = with_model.answer(SimilarTextRequest(PHYSICS))
    assert nothing.results == ()
    assert nothing.filtered["weak"] == nothing.total > 0
    assert any("Nothing matches well" in warning for warning in nothing.warnings)
    weak = with_model.answer(SimilarTextRequest(PHYSICS, weak=True)).results
    assert {result.match for result in weak} == {"weak"}
    alike = with_model.answer(SimilarRequest("Kitchen/Country loaf.md", limit=50))
    paths = [result.path for result in alike.results]
    assert "Kitchen/Baker's percentages.md" in paths
    assert not any(path.startswith(("Code/", "Bicycles/")) for path in paths)
    assert {result.match for result in alike.results} <= {"strong", "related"}
    assert alike.total > len(paths)


def test_similar_notes_end_without_a_model_too(without_model: Engine) -> None:
    assert without_model.answer(SimilarTextRequest(PHYSICS)).results == ()
    alike = without_model.answer(SimilarRequest("Kitchen/Country loaf.md", limit=50)).results
    assert 0 < len(alike) < 15
