"""Puts an embedder together: which model, its files, its graph, its workers."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from notewell.errors import ModelError
from notewell.models.catalogue import TOKENIZER_FILE, WEIGHTS_FILE, ModelSpec, known
from notewell.models.fetch import ModelFiles, fetch
from notewell.models.folder import describe_folder
from notewell.models.graphs import GraphStore
from notewell.models.onnx_embedder import OnnxEmbedder, usable_processors
from notewell.models.resilient import ResilientEmbedder, Step, rules_for
from notewell.models.token_vectors import WordTable
from notewell.models.tokens import TextTokenizer
from notewell.models.torch_embedder import TorchEmbedder
from notewell.types import Embedder, ModelKey, ModelRules


def load_resilient(
    rules: ModelRules,
    *,
    model_dir: Path,
    offline: bool,
    fetch_missing: bool,
    say: Callable[[str], None],
) -> ResilientEmbedder:
    """See `notewell.models.load_embedder`."""
    try:
        embedder = load(
            rules, model_dir=model_dir, offline=offline, fetch_missing=fetch_missing, say=say
        )
    except (MemoryError, RuntimeError) as error:
        raise ModelError(
            f"The model {rules.name} could not be started: {str(error) or 'not enough memory'}."
        ) from error

    def start(step: Step) -> Embedder:
        simpler = rules_for(step, rules, usable_processors())
        return load(
            simpler, model_dir=model_dir, offline=True, fetch_missing=False, say=lambda _: None
        )

    return ResilientEmbedder(embedder, start)


def load(
    rules: ModelRules,
    *,
    model_dir: Path,
    offline: bool,
    fetch_missing: bool,
    say: Callable[[str], None],
) -> Embedder:
    """One embedder that works as `rules` say, or raises what its runtime raises."""
    folder = Path(rules.folder).expanduser() if rules.folder else None
    spec = known(rules.name)
    if spec is None and folder is not None:
        spec = describe_folder(folder, rules.name)
    if spec is None or spec.runtime == "torch":
        return TorchEmbedder.load(rules, offline=offline or not fetch_missing)
    try:
        files = fetch(
            spec,
            model_dir=model_dir,
            folder=folder,
            offline=offline or not fetch_missing,
            say=say,
        )
        return _assemble(spec, files, rules, model_dir, say)
    except OSError as error:
        raise ModelError(
            f"The model {spec.name} cannot be read, or its cache {model_dir} cannot be written:"
            f" {error}. Check the disk's space and permissions, or set another model folder."
        ) from error


def _assemble(
    spec: ModelSpec,
    files: ModelFiles,
    rules: ModelRules,
    model_dir: Path,
    say: Callable[[str], None],
) -> OnnxEmbedder:
    tokenizer = TextTokenizer.from_file(files.folder / TOKENIZER_FILE, spec.max_tokens)
    store = GraphStore(files, spec.pooling, model_dir, tokenizer.ids)
    session, quantisation = store.open(rules.quantisation)
    if quantisation != rules.quantisation:
        say(
            f"{spec.name} runs as {quantisation}, because {rules.quantisation} is not precise"
            " enough on this processor."
        )
    key = ModelKey(spec.name, files.weights_hash, quantisation)
    small = model_dir / "graphs" / f"{files.weights_hash[:16]}-words-v1.npy"
    words = WordTable.open(files.folder / WEIGHTS_FILE, small)
    return OnnxEmbedder(session, tokenizer, spec=spec, key=key, threads=rules.threads, words=words)
