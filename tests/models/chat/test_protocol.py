"""What the providers' protocols share: how a turn ends, and lists of models."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import pytest

from notewell.base.errors import ProviderError
from notewell.base.support.http import Cancel, Json
from notewell.models.chat import ChatModel, ToolCall, Turn
from notewell.models.chat.anthropic import Anthropic
from notewell.models.chat.openai import OpenAI
from notewell.models.chat.wire import (
    CallParts,
    ChatEndpoint,
    ChatWire,
    collect_turn,
    limit,
    listed_models,
)
from tests.features.ask.scripted import Says, Script


@dataclass
class Words:
    """A protocol of one field, `say`; an event without one ends the turn."""

    said: list[str] = field(default_factory=list)
    finished: bool = False

    def add(self, event: Mapping[str, Json]) -> str:
        self.finished = "say" not in event
        self.said.append(str(event.get("say", "")))
        return self.said[-1]

    def turn(self) -> Turn:
        return Turn("".join(self.said))


def test_text_is_yielded_as_it_arrives_and_the_turn_last() -> None:
    events: list[Mapping[str, Json]] = [{"say": "The "}, {"say": ""}, {"say": "sun"}, {}]

    assert list(collect_turn(events, Words())) == ["The ", "sun", Turn("The sun")]


def test_a_turn_without_text_is_valid() -> None:
    assert list(collect_turn([{}], Words())) == [Turn("")]


@pytest.mark.parametrize("events", [[], [{"say": "The "}]], ids=["nothing", "half"])
def test_an_incomplete_turn_is_an_error_after_its_text(
    events: list[Mapping[str, Json]],
) -> None:
    pieces = collect_turn(events, Words())

    assert [next(pieces) for _ in events] == ["The "] * len(events)
    with pytest.raises(ProviderError, match="before it was complete"):
        next(pieces)


def test_a_tool_call_without_id_and_arguments_gets_defaults() -> None:
    assert CallParts(name="search").whole(no_id="call_0") == ToolCall("call_0", "search", "{}")
    assert CallParts("a", "search", '{"q": 1}').whole(no_id="b") == ToolCall(
        "a", "search", '{"q": 1}'
    )


@pytest.mark.parametrize("listing", [None, [], "data", {}, {"data": "models"}, {"data": {}}])
def test_a_reply_without_a_list_of_models_is_an_error(listing: Json) -> None:
    with pytest.raises(ProviderError, match="not a list of models"):
        listed_models(listing)


def test_only_models_with_an_id_are_listed_models() -> None:
    listing: Json = {"data": [{"id": "one"}, {"name": "two"}, "three", None]}

    assert listed_models(listing) == ({"id": "one"},)


def test_a_limit_is_the_first_field_present() -> None:
    model: Mapping[str, Json] = {"window": "8k", "context": 0, "length": 4096, "most": 10}

    assert limit(model, ("window", "context", "length", "most")) == 4096
    assert limit(model, ("window", "missing")) is None


@pytest.mark.parametrize("protocol", [OpenAI, Anthropic])
def test_both_protocols_list_their_models_with_limits(
    script: Script, protocol: type[OpenAI | Anthropic]
) -> None:
    told = {"context_length": 8192, "max_input_tokens": 8192}
    model = script(models=[{"id": "one", **told}, {"id": "two"}])
    provider: ChatModel = protocol(ChatWire(ChatEndpoint(model.url, {}), Cancel()))

    assert [(model.name, model.input_limit) for model in provider.models()] == [
        ("one", 8192),
        ("two", None),
    ]


@pytest.mark.parametrize("protocol", [OpenAI, Anthropic])
def test_both_protocols_assemble_tool_calls(
    script: Script, protocol: type[OpenAI | Anthropic]
) -> None:
    model = script(Says("Wait.", calls=[("search", {"query": "bees and light"})]))
    provider: ChatModel = protocol(ChatWire(ChatEndpoint(model.url, {}), Cancel()))
    *pieces, turn = provider.stream("m", (), (), 100)

    assert "".join(map(str, pieces)) == "Wait."
    assert isinstance(turn, Turn)
    assert turn.text == "Wait."
    assert [(call.name, call.arguments) for call in turn.calls] == [
        ("search", '{"query": "bees and light"}')
    ]
