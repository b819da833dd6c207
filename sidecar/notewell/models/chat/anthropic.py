"""Models behind Anthropic's messages API."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from notewell.base.support.http import Json
from notewell.models.chat import Message, ModelInfo, ToolSpec, Turn
from notewell.models.chat.wire import (
    CallParts,
    ChatEndpoint,
    ChatWire,
    collect_turn,
    limit,
    listed_models,
)
from notewell.models.providers import ChatOptions

VERSION = "2023-06-01"

_INPUT, _OUTPUT = ("max_input_tokens",), ("max_tokens",)  # fields of a model's limits


class Anthropic:
    """Anthropic, or another endpoint with the same API."""

    def __init__(self, wire: ChatWire) -> None:
        """`wire` sends to the base URL, which has no /v1."""
        self._wire = wire

    def stream(
        self, model: str, messages: Sequence[Message], tools: Sequence[ToolSpec], most_tokens: int
    ) -> Iterator[str | Turn]:
        body: dict[str, Json] = {
            "model": model,
            "system": "\n\n".join(message.text for message in messages if message.role == "system"),
            "messages": _conversation(messages),
            "max_tokens": most_tokens,
            "stream": True,
        }
        if tools:
            body["tools"] = [
                {"name": tool.name, "description": tool.about, "input_schema": tool.parameters}
                for tool in tools
            ]
        return collect_turn(self._wire.events("/v1/messages", body), _AnthropicTurn())

    def models(self) -> tuple[ModelInfo, ...]:
        return tuple(
            ModelInfo(str(model["id"]), limit(model, _INPUT), limit(model, _OUTPUT))
            for model in listed_models(self._wire.get("/v1/models?limit=1000"))
        )


@dataclass(slots=True)
class _AnthropicTurn:
    """Builds a turn from its events."""

    text: list[str] = field(default_factory=list)
    calls: dict[int, CallParts] = field(default_factory=dict)  # by the index of their block
    reason: str = ""
    finished: bool = False

    def add(self, event: Mapping[str, Json]) -> str:
        index = event.get("index")
        at = index if isinstance(index, int) else 0
        match event.get("type"):
            case "content_block_start":
                block = event.get("content_block")
                if isinstance(block, Mapping) and block.get("type") == "tool_use":
                    self.calls[at] = CallParts(str(block.get("id")), str(block.get("name")))
            case "content_block_delta":
                return self._delta(at, event.get("delta"))
            case "message_delta":
                delta = event.get("delta")
                if isinstance(delta, Mapping):
                    self.reason = str(delta.get("stop_reason") or self.reason)
            case "message_stop":
                self.finished = True
            case "message":  # whole, from an endpoint that does not stream
                return self._message(event)
        return ""

    def _delta(self, at: int, delta: Json) -> str:
        if not isinstance(delta, Mapping):
            return ""
        piece = delta.get("text")
        if isinstance(piece, str):
            self.text.append(piece)
            return piece
        part = delta.get("partial_json")
        if isinstance(part, str) and at in self.calls:
            self.calls[at].arguments += part
        return ""

    def _message(self, event: Mapping[str, Json]) -> str:
        blocks = event.get("content")
        text_so_far = ""
        for at, block in enumerate(blocks if isinstance(blocks, list) else ()):
            if isinstance(block, Mapping) and block.get("type") == "text":
                text_so_far += str(block.get("text") or "")
            elif isinstance(block, Mapping) and block.get("type") == "tool_use":
                given = json.dumps(block.get("input") or {})
                self.calls[at] = CallParts(str(block.get("id")), str(block.get("name")), given)
        self.text.append(text_so_far)
        self.reason, self.finished = str(event.get("stop_reason") or ""), True
        return text_so_far

    def turn(self) -> Turn:
        calls = tuple(parts.whole() for _, parts in sorted(self.calls.items()))
        return Turn("".join(self.text), calls, cut=self.reason == "max_tokens")


def _conversation(messages: Sequence[Message]) -> list[Json]:
    """The messages except the system's; results of tools become one message of the user."""
    merged: list[tuple[str, list[Json]]] = []
    for message in messages:
        if message.role == "system":
            continue
        role = "assistant" if message.role == "assistant" else "user"
        if merged and merged[-1][0] == role:
            merged[-1][1].extend(_blocks(message))
        else:
            merged.append((role, _blocks(message)))
    return [{"role": role, "content": blocks} for role, blocks in merged if blocks]


def _blocks(message: Message) -> list[Json]:
    if message.role == "tool":
        return [{"type": "tool_result", "tool_use_id": message.call_id, "content": message.text}]
    blocks: list[Json] = [{"type": "text", "text": message.text}] if message.text else []
    used: list[Json] = [
        {
            "type": "tool_use",
            "id": call.id,
            "name": call.name,
            "input": _parse_arguments(call.arguments),
        }
        for call in message.calls
    ]
    return blocks + used


def _parse_arguments(arguments: str) -> Json:
    try:
        given: Json = json.loads(arguments)
    except ValueError:
        return {}
    return given if isinstance(given, Mapping) else {}


def load(options: ChatOptions) -> Anthropic:
    """The chat model that the options describe; nothing is opened yet."""
    headers = {"anthropic-version": VERSION, **({"x-api-key": options.key} if options.key else {})}
    endpoint = ChatEndpoint(options.base_url, headers, options.key)
    return Anthropic(ChatWire(endpoint, options.cancel, first_pause_s=options.first_pause_s))
