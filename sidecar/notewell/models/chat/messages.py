"""What is said between us and a language model, whoever provides it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from notewell.support.http import Json

Role = Literal["system", "user", "assistant", "tool"]


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A tool that the model wants used. `arguments` is JSON as the model wrote it, valid or not."""

    id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class Message:
    """One message. `calls` are an assistant's; `call_id` says whose answer a tool's message is."""

    role: Role
    text: str
    calls: tuple[ToolCall, ...] = ()
    call_id: str = ""


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """A tool as the model is told of it. `parameters` is a JSON Schema of an object."""

    name: str
    about: str
    parameters: Mapping[str, Json]


@dataclass(frozen=True, slots=True)
class Turn:
    """What a model said in one go. `cut`: it stopped for lack of room."""

    text: str
    calls: tuple[ToolCall, ...] = ()
    cut: bool = False


@dataclass(frozen=True, slots=True)
class ModelInfo:
    """A model of a provider. Limits are in tokens; None where nobody says."""

    name: str
    input_limit: int | None = None
    output_limit: int | None = None


class ChatModel(Protocol):
    """A language model behind an HTTP endpoint."""

    def stream(
        self, model: str, messages: Sequence[Message], tools: Sequence[ToolSpec], most_tokens: int
    ) -> Iterator[str | Turn]:
        """Pieces of text as they arrive, and at the end the whole turn.

        Raises ProviderError, or CancelledError once the caller gave up.
        """
        ...

    def models(self) -> tuple[ModelInfo, ...]:
        """The models that it offers. Raises ProviderError."""
        ...
