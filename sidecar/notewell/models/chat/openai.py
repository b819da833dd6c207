"""Models behind OpenAI's chat completions API, which most other providers offer as well.

Ollama, LM Studio, llama.cpp, vLLM, Gemini's compatible endpoint and many more.
"""

from __future__ import annotations

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

# Field names of a model's limits at various providers; OpenAI itself has none.
_INPUT = (
    "context_length",
    "max_context_length",
    "context_window",
    "max_model_len",
    "inputTokenLimit",
)
_OUTPUT = ("max_completion_tokens", "max_output_tokens", "outputTokenLimit")


class OpenAI:
    """A provider of chat completions."""

    def __init__(self, wire: ChatWire) -> None:
        """`wire` sends to the provider's base URL, which usually ends in /v1."""
        self._wire = wire

    def stream(
        self, model: str, messages: Sequence[Message], tools: Sequence[ToolSpec], most_tokens: int
    ) -> Iterator[str | Turn]:
        body: dict[str, Json] = {
            "model": model,
            "messages": [_message(message) for message in messages],
            "max_tokens": most_tokens,
            "stream": True,
        }
        if tools:
            body["tools"] = [_tool(tool) for tool in tools]
        return collect_turn(self._wire.events("/chat/completions", body), _OpenAiTurn())

    def models(self) -> tuple[ModelInfo, ...]:
        return tuple(
            ModelInfo(
                str(model["id"]).removeprefix("models/"),
                limit(model, _INPUT),
                limit(model, _OUTPUT),
            )
            for model in listed_models(self._wire.get("/models"))
        )


@dataclass(slots=True)
class _OpenAiTurn:
    """Builds a turn from its events."""

    text: list[str] = field(default_factory=list)
    calls: dict[int, CallParts] = field(default_factory=dict)  # by their index
    reason: str = ""

    @property
    def finished(self) -> bool:
        """True if an event gave the reason why the turn ended."""
        return bool(self.reason)

    def add(self, event: Mapping[str, Json]) -> str:
        choices = event.get("choices")
        if not isinstance(choices, Sequence) or not choices or not isinstance(choices[0], Mapping):
            return ""
        choice = choices[0]
        self.reason = str(choice.get("finish_reason") or self.reason)
        # Whole where the endpoint does not stream.
        delta = choice.get("delta") or choice.get("message")
        if not isinstance(delta, Mapping):
            return ""
        calls = delta.get("tool_calls")
        for n, call in enumerate(calls if isinstance(calls, list) else ()):
            self._add_call(n, call)
        piece = delta.get("content")
        if isinstance(piece, str):
            self.text.append(piece)
            return piece
        return ""

    def _add_call(self, n: int, call: Json) -> None:
        if not isinstance(call, Mapping):
            return
        index = call.get("index")
        parts = self.calls.setdefault(index if isinstance(index, int) else n, CallParts())
        function = call.get("function")
        named = function if isinstance(function, Mapping) else {}
        parts.id = parts.id or str(call.get("id") or "")
        parts.name = parts.name or str(named.get("name") or "")
        arguments = named.get("arguments")
        parts.arguments += arguments if isinstance(arguments, str) else ""

    def turn(self) -> Turn:
        calls = tuple(
            parts.whole(no_id=f"call_{n}") for n, parts in sorted(self.calls.items()) if parts.name
        )
        return Turn("".join(self.text), calls, cut=self.reason == "length")


def _message(message: Message) -> Json:
    if message.role == "tool":
        return {"role": "tool", "tool_call_id": message.call_id, "content": message.text}
    sent: dict[str, Json] = {"role": message.role, "content": message.text}
    if message.calls:
        sent["tool_calls"] = [
            {
                "id": call.id,
                "type": "function",
                "function": {"name": call.name, "arguments": call.arguments},
            }
            for call in message.calls
        ]
    return sent


def _tool(tool: ToolSpec) -> Json:
    function: Json = {"name": tool.name, "description": tool.about, "parameters": tool.parameters}
    return {"type": "function", "function": function}


def load(options: ChatOptions) -> OpenAI:
    """The chat model that the options describe; nothing is opened yet."""
    headers = {"Authorization": f"Bearer {options.key}"} if options.key else {}
    endpoint = ChatEndpoint(options.base_url, headers, options.key)
    return OpenAI(ChatWire(endpoint, options.cancel, first_pause_s=options.first_pause_s))
