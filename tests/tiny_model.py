"""A tiny random BERT in the layout of a real one, so that tests run the true code path in no time.

Whole words are told apart by their random vectors, so texts that share words are near each other:
enough for tests that need a plausible ranking, with no meaning in it.
"""

from __future__ import annotations

import json
import string
from collections.abc import Mapping
from pathlib import Path

import numpy as np
from safetensors.numpy import save_file
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

HIDDEN = 64
HEADS = 4
LAYERS = 2
POSITIONS = 256
_SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
_WORDS = """
    the a an and or of to in on for with is are was be it this that not by as at from we you i
    note notes link links tag tags vault page day daily week plan idea project meeting work home
    book read write learn think make find search time year world life water light sun moon star
    tree bread garden music city river sea cat dog bird house family friend story history code
    data model graph index word text language english german red green blue black white good bad
    new old big small first last long short high low one two three four five six seven ten
""".split()  # noqa: SIM905 - 100 words read better as text


def write_tiny_model(
    folder: Path,
    *,
    seed: int = 0,
    prefix: str = "",
    name: str = "tiny",
    max_tokens: int | None = None,
) -> Path:
    """Write config.json, tokenizer.json and model.safetensors into `folder`; gives `folder`.

    Use it with `ModelRules(name=name, folder=str(folder))`. `prefix` is put in front of the
    tensors' names, as some real files have it. `max_tokens` makes for smaller chunks.
    """
    folder.mkdir(parents=True, exist_ok=True)
    if max_tokens is not None:
        limits = json.dumps({"max_seq_length": max_tokens})
        (folder / "sentence_bert_config.json").write_text(limits, encoding="utf-8")
    tokenizer = tiny_tokenizer()
    tokenizer.save(str(folder / "tokenizer.json"))
    config = {
        "_name_or_path": name,
        "model_type": "bert",
        "hidden_act": "gelu",
        "hidden_size": HIDDEN,
        "intermediate_size": 2 * HIDDEN,
        "layer_norm_eps": 1e-12,
        "max_position_embeddings": POSITIONS,
        "num_attention_heads": HEADS,
        "num_hidden_layers": LAYERS,
        "pad_token_id": 0,
        "type_vocab_size": 2,
        "vocab_size": tokenizer.get_vocab_size(),
    }
    (folder / "config.json").write_text(json.dumps(config), encoding="utf-8")
    tensors = _random_tensors(tokenizer.get_vocab_size(), seed)
    prefixed = {prefix + key: value for key, value in tensors.items()}
    save_file(prefixed, str(folder / "model.safetensors"))
    return folder


def write_tiny_judge(folder: Path, *, seed: int = 0) -> Path:
    """Write a cross-encoder of the same size into `folder`; gives `folder`."""
    write_tiny_model(folder, seed=seed)
    vocabulary = tiny_tokenizer().get_vocab_size()
    tensors = {f"bert.{key}": value for key, value in _random_tensors(vocabulary, seed).items()}
    random = np.random.default_rng(seed + 1)
    shapes = {
        "bert.embeddings.token_type_embeddings.weight": (2, HIDDEN),
        "bert.pooler.dense.weight": (HIDDEN, HIDDEN),
        "bert.pooler.dense.bias": (HIDDEN,),
        "classifier.weight": (1, HIDDEN),
        "classifier.bias": (1,),
    }
    for name, shape in shapes.items():
        tensors[name] = (random.standard_normal(shape) * 0.2).astype(np.float32)
    save_file(tensors, str(folder / "model.safetensors"))
    return folder


def tiny_tokenizer() -> Tokenizer:
    """A WordPiece tokenizer like BERT's, over some words and all ASCII characters."""
    characters = string.ascii_lowercase + string.digits
    pieces = [
        *_SPECIAL,
        *characters,
        *(f"##{character}" for character in characters),
        *string.punctuation,
        *_WORDS,
    ]
    vocabulary = {piece: number for number, piece in enumerate(dict.fromkeys(pieces))}
    tokenizer = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[("[CLS]", vocabulary["[CLS]"]), ("[SEP]", vocabulary["[SEP]"])],
    )
    tokenizer.add_special_tokens(list(_SPECIAL))
    return tokenizer


def _random_tensors(vocabulary: int, seed: int) -> Mapping[str, np.ndarray]:
    random = np.random.default_rng(seed)

    def matrix(rows: int, columns: int, spread: float) -> np.ndarray:
        return (random.standard_normal((rows, columns)) * spread).astype(np.float32)

    tensors = {
        "embeddings.word_embeddings.weight": matrix(vocabulary, HIDDEN, 1.0),
        "embeddings.position_embeddings.weight": matrix(POSITIONS, HIDDEN, 0.05),
        "embeddings.token_type_embeddings.weight": matrix(2, HIDDEN, 0.05),
    }
    norms = ["embeddings.LayerNorm"]
    for number in range(LAYERS):
        layer = f"encoder.layer.{number}"
        for part in ("self.query", "self.key", "self.value", "output.dense"):
            tensors[f"{layer}.attention.{part}.weight"] = matrix(HIDDEN, HIDDEN, 0.05)
            tensors[f"{layer}.attention.{part}.bias"] = matrix(1, HIDDEN, 0.05)[0]
        tensors[f"{layer}.intermediate.dense.weight"] = matrix(2 * HIDDEN, HIDDEN, 0.05)
        tensors[f"{layer}.intermediate.dense.bias"] = matrix(1, 2 * HIDDEN, 0.05)[0]
        tensors[f"{layer}.output.dense.weight"] = matrix(HIDDEN, 2 * HIDDEN, 0.05)
        tensors[f"{layer}.output.dense.bias"] = matrix(1, HIDDEN, 0.05)[0]
        norms += [f"{layer}.attention.output.LayerNorm", f"{layer}.output.LayerNorm"]
    for norm in norms:
        tensors[f"{norm}.weight"] = 1.0 + matrix(1, HIDDEN, 0.05)[0]
        tensors[f"{norm}.bias"] = matrix(1, HIDDEN, 0.05)[0]
    return tensors
