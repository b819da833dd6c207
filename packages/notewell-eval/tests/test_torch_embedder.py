"""sentence-transformers as an embedder, and as the reference for our graphs. Needs the extra."""

import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from notewell.base.errors import MissingExtraError, ModelError, ModelUnavailableError
from notewell.base.types import ModelRules
from notewell.models.bert_onnx import build_graph
from notewell.models.encoder import read_encoder
from notewell.models.fetch import ModelFiles
from notewell.models.graphs import open_session, run
from notewell.models.loading import load_embedder
from notewell_eval.torch_embedder import TorchEmbedder

pytestmark = [
    pytest.mark.torch,
    # Of torch and its friends, not ours to mend.
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::FutureWarning"),
    pytest.mark.filterwarnings("ignore::UserWarning"),
]
pytest.importorskip(
    "sentence_transformers", reason="the extra notewell-eval[torch] is not installed"
)
torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

SUBJECTS = ["The harbour", "A recursive function", "Mein Großvater", "这本书", "Photosynthesis"]
ENDS = [
    "is older than the town around it.",
    "calls itself on a smaller part of the problem, until nothing is left to do.",
    "",
    "needs light, water & carbon dioxide — see [[Plants#Leaves|leaves]] #biology/cells",
    "costs 3,50 € (about $3.80) at 7:45 in the morning! `print('x')`",
]
HUNDRED = [
    f"{subject} {end} " * repeat for subject in SUBJECTS for end in ENDS for repeat in (1, 2, 5, 20)
]


@pytest.fixture(scope="module")
def reference(
    minilm: ModelFiles, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[TorchEmbedder]:
    embedder = TorchEmbedder.load(
        ModelRules(folder=str(_as_sentence_model(minilm.folder, tmp_path_factory.mktemp("st")))),
        offline=True,
    )
    yield embedder
    embedder.close()


def _as_sentence_model(folder: Path, into: Path) -> Path:
    """The same weights with the files that sentence-transformers wants beside them."""
    for file in ("config.json", "tokenizer.json", "model.safetensors"):
        (into / file).symlink_to(folder / file)
    modules = [
        {"idx": 0, "name": "0", "path": "", "type": "sentence_transformers.models.Transformer"},
        {
            "idx": 1,
            "name": "1",
            "path": "1_Pooling",
            "type": "sentence_transformers.models.Pooling",
        },
    ]
    (into / "modules.json").write_text(json.dumps(modules))
    (into / "sentence_bert_config.json").write_text(
        '{"max_seq_length": 256, "do_lower_case": false}'
    )
    (into / "tokenizer_config.json").write_text(
        '{"tokenizer_class": "BertTokenizer", "model_max_length": 512}'
    )
    (into / "1_Pooling").mkdir()
    pooling = {"word_embedding_dimension": 384, "pooling_mode_mean_tokens": True}
    (into / "1_Pooling" / "config.json").write_text(json.dumps(pooling))
    return into


@pytest.mark.model
def test_our_fp32_graph_agrees_with_sentence_transformers(
    reference: TorchEmbedder, minilm: ModelFiles, model_dir: Path
) -> None:
    rules = ModelRules(quantisation="fp32", folder=str(minilm.folder))
    ours = load_embedder(rules, model_dir=model_dir, offline=True, fetch_missing=False, say=print)
    assert len(HUNDRED) == 100
    cosines = (ours.embed_passages(HUNDRED) * reference.embed_passages(HUNDRED)).sum(axis=1)
    ours.close()
    assert cosines.min() >= 0.9999


@pytest.mark.model
def test_it_satisfies_the_embedder_protocol(reference: TorchEmbedder) -> None:
    vectors = reference.embed_passages(["one", "", "a third text, the longest", "\ud800"])
    assert vectors.shape == (4, reference.dimensions) == (4, 384)
    assert vectors.dtype == np.float32
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1.0, abs=1e-5)
    assert reference.embed_query("one") == pytest.approx(vectors[0], abs=1e-5)
    assert reference.embed_passages([]).shape == (0, 384)
    assert reference.count_tokens("isn't it") == 4
    assert reference.sizes.max_tokens == 256
    assert reference.key.quantisation == "fp32"


@pytest.mark.model
def test_both_runtimes_hash_weights_alike(reference: TorchEmbedder, minilm: ModelFiles) -> None:
    assert reference.key.weights_hash == minilm.weights_hash


def test_a_missing_model_is_unavailable(tmp_path: Path) -> None:
    with pytest.raises(ModelUnavailableError, match="nowhere"):
        TorchEmbedder.load(ModelRules(name="x", folder=str(tmp_path / "nowhere")), offline=True)


@pytest.mark.parametrize("architecture", ["MPNet", "XLMRoberta", "Bert"])
def test_random_models_of_every_architecture_agree_with_transformers(
    architecture: str, tmp_path: Path
) -> None:
    torch.manual_seed(0)
    config = getattr(transformers, f"{architecture}Config")(
        vocab_size=200,
        hidden_size=48,
        num_hidden_layers=2,
        num_attention_heads=4,
        intermediate_size=96,
        max_position_embeddings=300,
        initializer_range=0.2,
        pad_token_id=0 if architecture == "Bert" else 1,
    )
    model = getattr(transformers, f"{architecture}Model")(config).eval()
    model.save_pretrained(tmp_path)
    session = open_session(build_graph(read_encoder(tmp_path), quantisation="fp32", pooling="mean"))
    for count in (1, 9, 290):
        ids = np.random.default_rng(count).integers(5, 200, count).tolist()
        with torch.no_grad():
            expected = model(torch.tensor([ids])).last_hidden_state[0].mean(0).numpy()
        assert run(session, ids) @ (expected / np.linalg.norm(expected)) >= 0.99999


@pytest.mark.model
def test_a_closed_embedder_cannot_be_used(minilm: ModelFiles, tmp_path: Path) -> None:
    embedder = TorchEmbedder.load(
        ModelRules(folder=str(_as_sentence_model(minilm.folder, tmp_path))), offline=True
    )
    embedder.close()
    embedder.close()
    with pytest.raises(ModelError, match="closed"):
        embedder.embed_query("one")


MARKER = "import pathlib; pathlib.Path({marker!r}).touch()\nfrom torch.nn import Identity as Run\n"


def _with_code(model: Path, marker: Path) -> None:
    """Have `modules.json` name a class of a Python file that lies beside it."""
    (model / "run_me.py").write_text(MARKER.format(marker=str(marker)), encoding="utf-8")
    modules = json.loads((model / "modules.json").read_text())
    modules.append({"idx": 2, "name": "2", "path": "2_Run", "type": "run_me.Run"})
    (model / "2_Run").mkdir()
    (model / "modules.json").write_text(json.dumps(modules))


def test_python_files_beside_a_model_are_not_run(
    minilm: ModelFiles, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = _as_sentence_model(minilm.folder, tmp_path)
    marker = tmp_path / "it-ran"
    _with_code(model, marker)
    monkeypatch.chdir(tmp_path)
    with pytest.raises((ModelUnavailableError, ImportError)):
        TorchEmbedder.load(ModelRules(name="of-a-stranger", folder=str(model)), offline=True)
    assert not marker.exists()


@pytest.mark.parametrize(
    "name", ["stranger", "sentence-transformers/all-MiniLM-L6-v2", "./stranger"]
)
def test_a_name_never_means_a_folder_of_the_current_one(
    minilm: ModelFiles, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    vault = tmp_path / "vault"
    (vault / name).mkdir(parents=True)
    _as_sentence_model(minilm.folder, vault / name)
    monkeypatch.chdir(vault)
    with pytest.raises(ModelUnavailableError, match="a file or folder of this name"):
        TorchEmbedder.load(ModelRules(name=name), offline=True)


def test_a_version_that_runs_such_files_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("notewell_eval.torch_embedder.version", lambda _: "5.7.0")
    with pytest.raises(MissingExtraError, match="sentence-transformers>=6"):
        TorchEmbedder.load(ModelRules(name="someone/model"), offline=True)
