"""Which model is chosen, how much of its context is used, and where keys are sent."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from notewell.base.errors import ConfigError, ProviderError
from notewell.base.support.http import Cancel
from notewell.base.types import AskRules
from notewell.features.ask.citations import check_citations
from notewell.features.ask.tool_loop import phrases_for
from notewell.models.chat import ModelInfo
from notewell.models.chat.providers import CACHE_SECONDS, Providers, rank
from tests.features.ask.conftest import Asking
from tests.features.ask.scripted import Says, Script


def providers(folder: Path, environ: dict[str, str] | None = None, **rules: Any) -> Providers:
    given = {"provider": "openai", **rules}
    return Providers(AskRules(**given), folder, environ or {}, first_pause_s=0.01)


def test_models_are_ranked_by_tier_capability_and_stability() -> None:
    names = [
        "text-embedding-3-small",
        "gpt-5-mini-preview",
        "gpt-5-mini",
        "gpt-4o",
        "gpt-5",
        "whisper-1",
        "gpt-5-pro",
        "dall-e-3",
        "some-model",
    ]
    ranked = rank(ModelInfo(name) for name in names)

    assert [model.name for model in ranked] == [
        "gpt-5",
        "gpt-5-mini",
        "gpt-5-mini-preview",
        "gpt-4o",
        "gpt-5-pro",
        "some-model",
    ]
    assert (ranked[0].rank, ranked[0].input_limit, ranked[0].known) == (1, 272_000, True)
    assert (ranked[-1].input_limit, ranked[-1].known) == (4096, False)
    claude = ("claude-sonnet-4", "claude-haiku-4-5", "claude-sonnet-4-5", "claude-opus-4-1")
    assert [model.name for model in rank(map(ModelInfo, claude))] == [
        "claude-opus-4-1",
        "claude-sonnet-4-5",
        "claude-sonnet-4",
        "claude-haiku-4-5",
    ]


GEMINI = [  # as the list of the API names them, the most capable first
    "gemini-3.1-pro-preview",
    "gemini-3-pro-preview",
    "gemini-3.5-flash",
    "gemini-3-flash-preview",
    "gemini-3.1-flash-lite",
    "gemini-2.5-pro",
    "gemini-2.5-pro-preview-06-05",
    "gemini-2.5-flash",
    "gemini-2.5-flash-lite",
    "gemini-2.0-pro-exp-02-05",
    "gemini-2.0-flash-001",
    "gemini-2.0-flash-lite",
    "gemini-1.5-pro",
    "gemini-1.5-flash",
    "gemini-1.5-flash-8b",
]
NOT_FOR_CHAT = [
    "gemini-3.1-flash-live-preview",
    "gemini-2.5-flash-preview-tts",
    "gemini-3-pro-image",
]


def test_a_newer_generation_comes_first_then_the_more_capable_model() -> None:
    listed = [f"models/{name}" for name in (*reversed(GEMINI), *NOT_FOR_CHAT)]
    ranked = rank(map(ModelInfo, listed))
    assert [model.name.removeprefix("models/") for model in ranked] == GEMINI
    assert rank(map(ModelInfo, (*GEMINI, "gemini-4-flash")))[0].name == "gemini-4-flash"
    preview_of_a_newer = map(ModelInfo, ("gemini-3.9-flash-preview", "gemini-3.5-flash"))
    assert rank(preview_of_a_newer)[0].name == "gemini-3.5-flash"
    assert rank(map(ModelInfo, (*GEMINI, "gemini-pro-latest")))[0].name == "gemini-pro-latest"


def test_the_cheapest_come_first_where_a_person_wants_that() -> None:
    ranked = [model.name for model in rank(map(ModelInfo, GEMINI), prefer="cheap")]
    assert ranked[:3] == ["gemini-3.1-flash-lite", "gemini-2.5-flash-lite", "gemini-2.0-flash-lite"]
    assert ranked[4:6] == ["gemini-3.5-flash", "gemini-3-flash-preview"]
    assert ranked[-1] == "gemini-1.5-pro"


def test_the_setting_decides_which_model_is_the_best(tmp_path: Path, script: Script) -> None:
    model = script(models=[{"id": "gpt-5"}, {"id": "gpt-5-nano"}])
    for prefer, best in (("capable", "gpt-5"), ("cheap", "gpt-5-nano")):
        chosen = providers(tmp_path, base_url=model.url, prefer=prefer)
        assert chosen.choose(chosen.open(Cancel())).name == best


def test_the_list_is_fetched_once_a_day_with_its_limits(
    tmp_path: Path, script: Script, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = script(models=[{"id": "big", "context_length": 100_000}, {"id": "small"}])
    chosen = providers(tmp_path, base_url=model.url)
    provider = chosen.open(Cancel())

    first = chosen.models(provider)
    chosen.models(provider)
    assert model.listed == 1
    assert {model.name: model.input_limit for model in first.models} == {
        "big": 100_000,
        "small": 4096,
    }

    now = 2 * CACHE_SECONDS + __import__("time").time()
    monkeypatch.setattr("notewell.models.chat.providers.time.time", lambda: now)
    assert chosen.models(provider).age_s < 1
    assert model.listed == 2
    assert chosen.models(provider, refresh=True).models
    assert model.listed == 3


def test_an_old_list_is_used_if_the_provider_is_unreachable(
    tmp_path: Path, script: Script, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = script()
    chosen = providers(tmp_path, base_url=model.url)
    provider = chosen.open(Cancel())
    chosen.models(provider)
    model.close()
    model.close = lambda: None  # type: ignore[method-assign]
    now = 2 * CACHE_SECONDS + __import__("time").time()
    monkeypatch.setattr("notewell.models.chat.providers.time.time", lambda: now)

    assert chosen.models(provider).age_s > CACHE_SECONDS
    with pytest.raises(ProviderError):
        chosen.models(provider, refresh=True)


def test_the_budget_is_a_share_of_the_models_limit(tmp_path: Path, script: Script) -> None:
    model = script(models=[{"id": "big", "context_length": 100_000}, {"id": "small"}])
    for name, context, budget in (("big", 0, 20_000), ("small", 0, 819), ("small", 32_000, 6400)):
        rules = {"model": name, "context_tokens": context, "budget_share": 0.2}
        chosen = providers(tmp_path, base_url=model.url, **rules)
        assert chosen.budget(chosen.choose(chosen.open(Cancel()))) == budget


@pytest.mark.parametrize(
    ("base_url", "context", "limit"),
    [
        ("http://127.0.0.1:11434/v1", 0, 4096),
        ("http://127.0.0.1:11434/v1", 32_768, 32_768),
        ("https://example.com/v1", 0, 128_000),
    ],
)
def test_the_limit_of_a_local_model_is_what_its_server_loads(
    tmp_path: Path, base_url: str, context: int, limit: int
) -> None:
    rules = {"base_url": base_url, "model": "gpt-oss:20b", "context_tokens": context}
    chosen = providers(tmp_path, **rules)
    (tmp_path / chosen._file.name).write_text('{"fetched": 1, "models": []}', encoding="utf-8")
    assert chosen.choose(chosen.open(Cancel())).input_limit == limit


def test_a_key_is_sent_only_to_its_own_address(tmp_path: Path) -> None:
    environ = {"OPENAI_API_KEY": "sk-one"}
    assert _key(providers(tmp_path, environ)) == "Bearer sk-one"
    assert _key(providers(tmp_path, environ, base_url="https://example.com/v1")) is None
    own = {**environ, "NOTEWELL_ASK_KEY": "two"}
    assert _key(providers(tmp_path, own, base_url="https://example.com/v1")) == "Bearer two"
    with pytest.raises(ConfigError, match="unencrypted"):
        providers(tmp_path, own, base_url="http://example.com/v1").open(Cancel())
    with pytest.raises(ConfigError, match="not a web address"):
        providers(tmp_path, base_url="example.com").open(Cancel())


def _key(chosen: Providers) -> str | None:
    provider: Any = chosen.open(Cancel())
    key: str | None = provider._wire._endpoint.headers.get("Authorization")
    return key


def test_the_error_about_a_refused_key_does_not_contain_it(
    ask: Asking, script: Script, tmp_path: Path
) -> None:
    model = script(Says(status=401, raw=b'{"error": {"message": "Incorrect key: two"}}'))
    provider = providers(tmp_path, {"NOTEWELL_ASK_KEY": "two"}, base_url=model.url).open(Cancel())
    with pytest.raises(ProviderError) as refused:
        list(provider.stream("m", (), (), 10))

    assert refused.value.code == "provider_key"
    assert "two" not in refused.value.message
    assert model.headers[0]["Authorization"] == "Bearer two"


@pytest.mark.parametrize(
    ("text", "kept", "cited", "invalid"),
    [
        ("A [1] and [2,3].", "A [1] and [2][3].", (1, 2, 3), ()),
        ("A [4].", "A.", (), (4,)),
        (
            "`a[9]` and [a link](x), [9](x), [2024-01]",
            "`a[9]` and [a link](x), [9](x), [2024-01]",
            (),
            (),
        ),
        ("```\nx[7]\n``` [2]", "```\nx[7]\n``` [2]", (2,), ()),
    ],
)
def test_citations_are_checked_except_in_code(
    text: str, kept: str, cited: tuple[int, ...], invalid: tuple[int, ...]
) -> None:
    checked = check_citations(text, range(1, 4))

    assert (checked.text, checked.cited, checked.invalid) == (kept, cited, invalid)


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("Where is it?", "This is not"),
        ("Wo ist das?", "Das steht"),
        ("Où est-ce que j'ai noté cela ?", "Cela ne"),
        ("¿Dónde está la casa?", "Esto no"),
        ("蜂巢在哪里", "你的笔记"),
        ("巣箱はどこですか", "ノートに"),
        ("Где улей?", "В ваших"),
        ("xyzzy", "This is not"),
    ],
)
def test_added_sentences_are_in_the_language_of_the_question(question: str, said: str) -> None:
    assert phrases_for(question).nothing.startswith(said)
