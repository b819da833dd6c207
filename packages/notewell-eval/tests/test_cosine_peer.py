"""sentence-transformers as a peer, on a tiny random model. Needs the extra."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from notewell.base.errors import ModelUnavailableError
from notewell.base.types import ModelRules, PassageText
from notewell.engine.open_vaults import Vaults
from notewell.features import FEATURES
from notewell.features.evaluate.run import eval_settings, systems_of
from notewell.models.loading import load_embedder as load_ours
from notewell_eval.against import Against
from notewell_eval.corpora import run_corpus
from notewell_eval.peers import (
    NotePassages,
    PeerModel,
    SentenceTransformers,
    find_peers,
    load_embedder,
)
from tests.features.evaluate.test_engine import beir, offline
from tests.tiny_model import write_tiny_model

pytestmark = [
    pytest.mark.torch,
    # Warnings of PyTorch and the packages around it.
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::FutureWarning"),
    pytest.mark.filterwarnings("ignore::UserWarning"),
]
pytest.importorskip(
    "sentence_transformers", reason="the extra notewell-eval[compare] is not installed"
)

PASSAGES = (
    PassageText("Bread.md", "bread and water in the house"),
    PassageText("River.md", "the river and the sea"),
    PassageText("River.md", "a cat by the river"),
    PassageText("Words.md", "one two three"),
)


@pytest.fixture
def model(tmp_path: Path) -> PeerModel:
    folder = write_tiny_model(tmp_path / "tiny")
    rules = ModelRules(name="tiny", folder=str(folder), quantisation="fp32")
    return PeerModel(rules, tmp_path / "models", offline=True, say=lambda _: None)


def test_it_ranks_notes_by_the_exact_cosine_of_the_configured_model(model: PeerModel) -> None:
    peer = SentenceTransformers(NotePassages(PASSAGES), load_embedder(model))
    ours = load_ours(
        model.rules, model_dir=model.model_dir, offline=True, fetch_missing=False, say=print
    )
    with closing(ours):
        cosines = ours.embed_passages([passage.text for passage in PASSAGES]) @ ours.embed_query(
            "cat sea"
        )
    best = {"Bread.md": cosines[0], "River.md": max(cosines[1:3]), "Words.md": cosines[3]}

    assert peer.rank("cat sea", 10) == sorted(best, key=lambda path: -best[path])
    assert len(peer.rank("cat sea", 2)) == 2


def test_its_vectors_are_those_of_our_own_runtime(model: PeerModel) -> None:
    texts = [passage.text for passage in PASSAGES]
    ours = load_ours(
        model.rules, model_dir=model.model_dir, offline=True, fetch_missing=False, say=print
    )
    with closing(ours), closing(load_embedder(model)) as theirs:
        cosines = (ours.embed_passages(texts) * theirs.embed_passages(texts)).sum(axis=1)

    assert np.all(cosines > 0.9999)


def test_a_missing_model_is_reported_before_anything_is_embedded(tmp_path: Path) -> None:
    rules = ModelRules(folder=str(tmp_path / "nowhere"))
    with pytest.raises(ModelUnavailableError):
        load_embedder(PeerModel(rules, tmp_path / "models", offline=True, say=lambda _: None))


def test_all_peers_are_measured_with_our_search(model: PeerModel, tmp_path: Path) -> None:
    folder = beir(tmp_path / "garden")
    settings = eval_settings(
        replace(offline(tmp_path), model=model.rules, model_dir=model.model_dir)
    )
    names = "rank-bm25,sentence-transformers,rank-bm25+sentence-transformers"
    said: list[str] = []
    with closing(Vaults(settings, features=FEATURES)) as vaults:
        report = run_corpus(
            vaults,
            folder,
            queries=folder / "queries.jsonl",
            qrels=folder / "qrels.tsv",
            work_dir=tmp_path / "work",
            systems=systems_of("hybrid"),
            against=Against(find_peers(names), settings, said.append),
        )

    assert [peer.name for peer in report.against] == names.split(",")
    assert all(peer.rows[0].figures.recall_10 == 1.0 for peer in report.against)
    assert sum("indexing 3 passages" in line for line in said) == 3
