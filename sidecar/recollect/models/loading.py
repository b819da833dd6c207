"""Puts an embedder together: which model, its files, its graph, its workers."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from recollect.errors import ModelError
from recollect.models.catalogue import TOKENIZER_FILE, ModelSpec, known
from recollect.models.fetch import ModelFiles, fetch
from recollect.models.folder import describe_folder
from recollect.models.graphs import GraphStore
from recollect.models.onnx_embedder import OnnxEmbedder
from recollect.models.tokens import TextTokenizer
from recollect.models.torch_embedder import TorchEmbedder
from recollect.types import Embedder, ModelKey, ModelRules


def load(
    rules: ModelRules,
    *,
    model_dir: Path,
    offline: bool,
    fetch_missing: bool,
    say: Callable[[str], None],
) -> Embedder:
    """See `recollect.models.load_embedder`."""
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
    return OnnxEmbedder(session, tokenizer, spec=spec, key=key, threads=rules.threads)
