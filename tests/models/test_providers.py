"""The promises of every provider of models, tested for each row of the tables."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from pathlib import Path

import numpy as np
import pytest

from notewell.base.errors import ConfigError, ModelError, ProviderError
from notewell.base.support.http import Cancel
from notewell.base.types import Embedder, ModelRules, Reranker
from notewell.models import catalogue
from notewell.models.chat import ChatModel, Message, Turn
from notewell.models.loading import describe_folder
from notewell.models.providers import (
    CHAT_MODELS,
    EMBEDDERS,
    RERANKERS,
    ChatOptions,
    EmbedderOptions,
    RerankerOptions,
    find_provider,
)
from notewell.models.remote.model import RemoteModel
from notewell.models.remote.services import EmbeddingEndpoint, Limits
from tests.features.ask.scripted import Says, ScriptedModel
from tests.models.embedding_server import EmbeddingServer, serving
from tests.tiny_model import write_tiny_judge

PASSAGES = (
    "the cat and the dog",
    "water and light for the garden",
    "Zürich 每天写日记 🐝",
    "bread " * 40,
    "",
    " \n\t",
    "a \ud800 surrogate and a \0 zero",
    "the cat and the dog",
)


# --- embedders ----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def servers() -> Iterator[ExitStack]:
    with ExitStack() as stack:
        yield stack


@pytest.fixture(scope="module", params=[row.name for row in EMBEDDERS])
def make_embedder(
    request: pytest.FixtureRequest, tiny_folder: Path, tiny_cache: Path, servers: ExitStack
) -> Callable[[], Embedder]:
    """Makes an embedder of one provider; a new row says here how it is made in tests."""
    name: str = request.param
    remote = None
    if name == "torch" and importlib.util.find_spec("sentence_transformers") is None:
        pytest.skip("the extra notewell[torch] is not installed")
    if name == "remote":
        server = servers.enter_context(serving(EmbeddingServer()))
        remote = RemoteModel(
            EmbeddingEndpoint(server.url, "words", server.key), limits=Limits(8, 200)
        )
    options = EmbedderOptions(
        rules=ModelRules(name="tiny", folder=str(tiny_folder)),
        spec=describe_folder(tiny_folder, "tiny"),
        folder=tiny_folder,
        model_dir=tiny_cache,
        offline=True,
        say=print,
        remote=remote,
    )
    return lambda: find_provider(EMBEDDERS, name).load(options)


@pytest.fixture(scope="module")
def embedder(make_embedder: Callable[[], Embedder]) -> Iterator[Embedder]:
    with closing(make_embedder()) as loaded:
        yield loaded


def test_vectors_have_unit_length_and_their_dimensions(embedder: Embedder) -> None:
    vectors = embedder.embed_passages(PASSAGES)

    assert vectors.shape == (len(PASSAGES), embedder.dimensions)
    assert vectors.dtype == np.float32
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1.0, abs=1e-3)
    query = embedder.embed_query("the cat")
    assert (query.shape, query.dtype) == ((embedder.dimensions,), np.float32)
    assert np.linalg.norm(query) == pytest.approx(1.0, abs=1e-3)


def test_vectors_come_in_the_order_of_the_texts_whatever_the_batch(embedder: Embedder) -> None:
    texts = [f"{word} {n}" for n in range(6) for word in ("cat", "music and water", "day " * 9)]
    together = embedder.embed_passages(texts)
    alone = np.vstack([embedder.embed_passages([text]) for text in texts])

    assert together == pytest.approx(alone, abs=1e-4)
    assert embedder.embed_passages(texts[::-1])[::-1] == pytest.approx(together, abs=1e-4)


def test_equal_texts_have_equal_vectors_and_others_do_not(embedder: Embedder) -> None:
    vectors = embedder.embed_passages(PASSAGES)

    assert vectors[0] @ vectors[-1] == pytest.approx(1.0, abs=1e-3)
    assert vectors[0] @ vectors[1] < 0.99


def test_a_query_finds_the_passage_that_shares_its_words(embedder: Embedder) -> None:
    vectors = embedder.embed_passages(PASSAGES[:4])

    assert int(np.argmax(vectors @ embedder.embed_query("the cat and the dog"))) == 0


def test_no_texts_make_no_vectors(embedder: Embedder) -> None:
    assert embedder.embed_passages([]).shape == (0, embedder.dimensions)


def test_tokens_are_counted(embedder: Embedder) -> None:
    assert embedder.count_tokens("") == 0
    assert 0 < embedder.count_tokens("bread") < embedder.count_tokens("bread and water " * 5)
    assert embedder.count_tokens("每天写日记") >= 5


def test_the_key_and_the_sizes_do_not_change(
    embedder: Embedder, make_embedder: Callable[[], Embedder]
) -> None:
    with closing(make_embedder()) as again:
        assert again.key == embedder.key
        assert str(again.key) == str(embedder.key)
    assert all((embedder.key.name, embedder.key.weights_hash, embedder.key.quantisation))
    sizes = embedder.sizes
    assert 0 < sizes.overlap_tokens < sizes.min_tokens < sizes.max_tokens


def test_several_threads_can_embed_concurrently(embedder: Embedder) -> None:
    texts = [f"note {n} of the garden" for n in range(8)]
    expected = embedder.embed_passages(texts)
    with ThreadPoolExecutor(4) as pool:
        passages = pool.map(lambda text: embedder.embed_passages([text])[0], texts)
        assert np.vstack(list(passages)) == pytest.approx(expected, abs=1e-4)


def test_a_closed_embedder_raises_a_clear_error(make_embedder: Callable[[], Embedder]) -> None:
    embedder = make_embedder()
    embedder.close()
    embedder.close()

    for work in (lambda: embedder.embed_query("cat"), lambda: embedder.embed_passages(["cat"])):
        with pytest.raises(ModelError) as raised:
            work()
        assert raised.value.code == "model_closed"


# --- rerankers ----------------------------------------------------------------------------------


@pytest.fixture(scope="module", params=[row.name for row in RERANKERS if row.name != "remote"])
def reranker(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Reranker]:
    home = tmp_path_factory.mktemp("reranker")
    folder = write_tiny_judge(home / "tiny")
    spec = describe_folder(folder, "tiny")
    assert spec is not None
    options = RerankerOptions(spec=spec, folder=folder, model_dir=home, say=print)
    with closing(find_provider(RERANKERS, request.param).load(options)) as loaded:
        yield loaded


def test_a_reranker_scores_each_passage_independently(reranker: Reranker) -> None:
    scores = reranker.judge("my cat", PASSAGES[:3], budget_s=60)

    assert ((scores > 0) & (scores < 1)).all()
    assert reranker.judge("my cat", PASSAGES[2::-1], budget_s=60)[::-1] == pytest.approx(
        scores, abs=1e-5
    )
    assert np.isnan(reranker.judge("my cat", PASSAGES[:3], budget_s=0)).all()
    assert reranker.name == "tiny"


# --- chat models --------------------------------------------------------------------------------


@pytest.fixture(params=[row.name for row in CHAT_MODELS])
def provider(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    return name


def open_chat(name: str, model: ScriptedModel, key: str = "") -> ChatModel:
    options = ChatOptions(model.url, key, Cancel(), first_pause_s=0.0)
    return find_provider(CHAT_MODELS, name).load(options)


def test_a_chat_model_streams_text_and_then_the_complete_turn(provider: str) -> None:
    with closing(
        ScriptedModel([Says("Bees fly home.", calls=[("search", {"q": "bees"})])])
    ) as model:
        *pieces, turn = open_chat(provider, model).stream(
            "test-model", (Message("system", "Be brief."), Message("user", "Bees?")), (), 50
        )

    assert len(pieces) > 1
    assert "".join(map(str, pieces)) == "Bees fly home."
    assert isinstance(turn, Turn)
    assert (turn.text, [call.name for call in turn.calls]) == ("Bees fly home.", ["search"])


def test_a_chat_model_lists_its_models(provider: str) -> None:
    with closing(ScriptedModel([], models=[{"id": "one"}, {"id": "two"}])) as model:
        listed = open_chat(provider, model).models()

    assert [model.name for model in listed] == ["one", "two"]


@pytest.mark.parametrize(
    "turn",
    [
        Says("half an answer", drop=True),
        Says(raw=b"<html>"),
        Says(raw=b"[]"),
        Says(status=400),
    ],
    ids=["dropped", "html", "list", "refused"],
)
def test_a_chat_models_failure_is_a_provider_error(provider: str, turn: Says) -> None:
    with closing(ScriptedModel([turn])) as model, pytest.raises(ProviderError):
        list(open_chat(provider, model).stream("m", (Message("user", "?"),), (), 50))


def test_a_busy_chat_model_is_retried(provider: str) -> None:
    busy = Says(status=429, headers={"Retry-After": "0"})
    with closing(ScriptedModel([busy, Says("Yes.")])) as model:
        *_, turn = open_chat(provider, model).stream("m", (Message("user", "?"),), (), 50)

    assert turn == Turn("Yes.")


def test_the_error_about_a_refused_key_does_not_contain_it(provider: str) -> None:
    refused = Says(status=401, raw=b'{"error": {"message": "bad key sk-12345"}}')
    with closing(ScriptedModel([refused])) as model, pytest.raises(ProviderError) as raised:
        list(open_chat(provider, model, "sk-12345").stream("m", (Message("user", "?"),), (), 50))

    assert raised.value.code == "provider_key"
    assert "sk-12345" not in raised.value.message
    assert "sk-12345" in str(model.headers[0])


# --- the tables ---------------------------------------------------------------------------------


def test_an_unknown_name_is_an_error_that_lists_the_known_ones() -> None:
    with pytest.raises(ConfigError, match=r"'none-such'\. Known providers: onnx, torch, remote"):
        find_provider(EMBEDDERS, "none-such")


@pytest.mark.parametrize("rows", [EMBEDDERS, RERANKERS, CHAT_MODELS])
def test_each_name_is_listed_once(rows: tuple[object, ...]) -> None:
    names = [row.name for row in rows]  # type: ignore[attr-defined]

    assert len(set(names)) == len(names)


def test_every_model_of_the_catalogue_has_its_provider() -> None:
    for spec in catalogue.CATALOGUE:
        assert find_provider(EMBEDDERS, spec.runtime).name == spec.runtime
    for spec in catalogue.RERANKERS:
        assert find_provider(RERANKERS, spec.runtime).name == spec.runtime
