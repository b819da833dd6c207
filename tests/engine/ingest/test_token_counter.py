"""Tokens are counted by the model's tokenizer."""

from __future__ import annotations

from pathlib import Path

from notewell.base.types import ModelRules
from notewell.engine.ingest.token_counter import ESTIMATE, TokenCounter
from tests.tiny_model import tiny_tokenizer, write_tiny_model

TEXT = "The garden and the river, one day in the year.\n\n- a house\n- a [[note]]"


def test_the_models_tokenizer_counts(tmp_path: Path) -> None:
    folder = write_tiny_model(tmp_path / "tiny")
    count = TokenCounter(ModelRules(name="tiny", folder=str(folder)), tmp_path)
    exact = len(tiny_tokenizer().encode(TEXT, add_special_tokens=False).ids)
    assert (count.name, count(TEXT)) == ("tiny", exact)


def test_without_a_model_tokens_are_estimated_and_the_name_says_so(tmp_path: Path) -> None:
    count = TokenCounter(ModelRules(), tmp_path)
    assert count.name == ESTIMATE
    assert 10 < count(TEXT) < 40


def test_a_model_fetched_later_is_used_for_counting(tmp_path: Path) -> None:
    folder = tmp_path / "tiny"
    count = TokenCounter(ModelRules(name="tiny", folder=str(folder)), tmp_path)
    assert count.name == ESTIMATE
    write_tiny_model(folder)
    assert count.name == "tiny"


def test_an_unreadable_tokenizer_is_ignored(tmp_path: Path) -> None:
    (tmp_path / "tokenizer.json").write_text("{}", encoding="utf-8")
    assert TokenCounter(ModelRules(name="x", folder=str(tmp_path)), tmp_path).name == ESTIMATE


def test_a_data_uri_is_not_one_token(tmp_path: Path) -> None:
    folder = write_tiny_model(tmp_path / "tiny")
    count = TokenCounter(ModelRules(name="tiny", folder=str(folder)), tmp_path)
    assert count("A1b2" * 10_000) > 800
