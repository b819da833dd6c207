"""Settings of a service: what they mean, whose key is sent where, and consent before anything is."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from notewell.base.config import load_settings
from notewell.base.errors import ConfigError, ModelError, ModelUnavailableError
from notewell.base.types import Embedder, ModelRules
from notewell.models.loading import load_embedder
from notewell.models.remote.client import TokenMeter, estimated_tokens
from notewell.models.remote.model import choose_model, remote_model, require_consent
from notewell.models.remote.services import SERVICES, estimate, row_of, service_named
from tests.models.remote.fakes import DIMENSIONS, FakeService, running

OPENAI = ModelRules(name="text-embedding-3-small", provider="openai")
USUAL = {"OPENAI_API_KEY": "sk-openai", "VOYAGE_API_KEY": "pa-voyage"}


def test_the_usual_key_is_sent_to_its_own_service_only() -> None:
    assert remote_model(OPENAI, USUAL).endpoint.key == "sk-openai"
    elsewhere = replace(OPENAI, base_url="https://proxy.example.com/v1")
    assert remote_model(elsewhere, USUAL).endpoint.key == ""
    own = {**USUAL, "NOTEWELL_MODEL_KEY": "own"}
    assert remote_model(elsewhere, own).endpoint.key == "own"


@pytest.mark.parametrize("row", SERVICES, ids=lambda row: row.name)
def test_every_listed_model_has_what_a_request_needs(row: object) -> None:
    for model in row.models:  # type: ignore[attr-defined]
        rules = ModelRules(name=model.name, provider=row.name)  # type: ignore[attr-defined]
        made = remote_model(rules, {})
        assert made.endpoint.types == model.field
        assert made.endpoint.contextual is model.contextual
        assert made.limits.tokens > made.sizes.max_tokens


def test_prefixes_come_from_the_table_unless_they_are_set() -> None:
    rules = ModelRules(name="nomic-embed-text:v1.5", provider="ollama")
    assert remote_model(rules, {}).query_prefix == "search_query: "
    assert remote_model(replace(rules, query_prefix=""), {}).query_prefix == ""


def test_dimensions_are_asked_for_cut_or_refused() -> None:
    short = remote_model(replace(OPENAI, dimensions=256), {})
    assert (short.endpoint.dimensions, short.keep) == (256, None)
    rules = ModelRules(name="nomic-embed-text", provider="ollama", dimensions=256)
    assert (remote_model(rules, {}).endpoint.dimensions, remote_model(rules, {}).keep) == (
        None,
        256,
    )
    with pytest.raises(ConfigError, match="cannot be 512"):
        remote_model(ModelRules(name="mistral-embed", provider="mistral", dimensions=512), {})
    with pytest.raises(ConfigError, match="cannot be 4096"):
        remote_model(replace(OPENAI, dimensions=4096), {})


def test_a_service_needs_the_name_of_a_model() -> None:
    with pytest.raises(ConfigError, match="text-embedding-3-small"):
        choose_model(ModelRules(provider="openai"))


def test_nothing_is_sent_to_another_computer_without_consent() -> None:
    with pytest.raises(ModelUnavailableError, match=r"notewell models allow api\.openai\.com"):
        require_consent(OPENAI, offline=False)
    allowed = replace(OPENAI, consent=("api.openai.com",))
    require_consent(allowed, offline=False)
    with pytest.raises(ModelUnavailableError, match="offline"):
        require_consent(allowed, offline=True)
    with pytest.raises(ModelUnavailableError):
        require_consent(replace(allowed, base_url="https://other.example.com/v1"), offline=False)
    require_consent(ModelRules(name="m", provider="ollama"), offline=True)


def test_a_vaults_own_file_can_send_nothing_anywhere(tmp_path: Path) -> None:
    for line in ('provider = "openai"', 'base_url = "https://x.example"', 'consent = ["x"]'):
        (tmp_path / ".notewell.toml").write_text(f"[model]\n{line}\n")
        with pytest.raises(ConfigError, match="cannot be set in a vault"):
            load_settings(environ={"HOME": str(tmp_path)}, vault=tmp_path)


def test_a_service_is_loaded_and_what_was_found_of_it_is_kept(tmp_path: Path) -> None:
    def load(rules: ModelRules) -> Embedder:
        return load_embedder(
            rules, model_dir=tmp_path, offline=True, fetch_missing=False, say=print
        )

    with running(FakeService("ollama")) as service:
        rules = ModelRules(name="words", provider="ollama", base_url=service.url)
        for _ in range(2):
            loaded = load(rules)
            assert (loaded.dimensions, loaded.key.name) == (DIMENSIONS, "words@127.0.0.1")
            loaded.close()
        assert service.requests == 1
    away = load(rules)  # the service has ended; words still find notes
    with pytest.raises(ModelError, match="does not answer"):
        away.embed_query("bread")
    away.close()


def test_a_service_whose_vectors_have_another_length_is_asked_again(tmp_path: Path) -> None:
    with running(FakeService("ollama")) as service:
        rules = ModelRules(name="words", provider="ollama", base_url=service.url)
        for fault in ("", "dimensions", ""):
            loaded = load_embedder(
                rules, model_dir=tmp_path, offline=True, fetch_missing=False, say=print
            )
            service.faults = [fault] if fault else []
            if fault:
                with pytest.raises(ModelError, match="instead of 8"):
                    loaded.embed_query("bread")
            loaded.close()
        assert service.requests == 3


def test_the_cost_of_a_run_is_estimated_where_the_price_is_known() -> None:
    openai, mistral = service_named("openai"), service_named("cohere")
    assert openai is not None
    assert mistral is not None
    row = row_of(openai, "text-embedding-3-small")
    assert estimate(row, openai, texts=10, tokens=5_000_000, local=False).dollars == 0.10
    assert estimate(row, openai, texts=10, tokens=5_000_000, local=True).dollars == 0
    unknown = row_of(mistral, "embed-multilingual-light-v2")
    assert estimate(unknown, mistral, texts=1, tokens=10, local=False).dollars is None


def test_tokens_are_learnt_from_what_the_service_counts() -> None:
    meter = TokenMeter()
    texts = ["one two three four"] * 10
    meter.learn(texts, 3 * sum(map(estimated_tokens, texts)))
    assert meter.cost(texts[0]) == pytest.approx(3 * estimated_tokens(texts[0]), abs=1)
    meter.learn(texts, None)
    for _ in range(50):
        meter.learn(texts, sum(map(estimated_tokens, texts)) // 2)
    assert meter.cost(texts[0]) < estimated_tokens(texts[0])
