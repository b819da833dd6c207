"""Messages to and from a language model, in a form that fits every provider."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Literal, Protocol

from notewell.base.support.http import Json
from notewell.base.types.frozen import frozen

Role = Literal["system", "user", "assistant", "tool"]


@frozen
class ToolCall:
    """A call of a tool by the model. `arguments` is JSON as the model wrote it, valid or not."""

    id: str
    name: str
    arguments: str


@frozen
class Message:
    """One message. `calls` are an assistant's; `call_id` names the call that a tool replies to."""

    role: Role
    text: str
    calls: tuple[ToolCall, ...] = ()
    call_id: str = ""


@frozen
class ToolSpec:
    """A tool as it is described to the model. `parameters` is a JSON Schema of an object."""

    name: str
    about: str
    parameters: Mapping[str, Json]


@frozen
class Turn:
    """One complete reply of a model. `cut`: it reached the limit of tokens."""

    text: str
    calls: tuple[ToolCall, ...] = ()
    cut: bool = False


@frozen
class ModelInfo:
    """A model of a provider. Limits are in tokens; None where the provider does not list them."""

    name: str
    input_limit: int | None = None
    output_limit: int | None = None


class ChatModel(Protocol):
    """A language model behind an HTTP endpoint."""

    def stream(
        self, model: str, messages: Sequence[Message], tools: Sequence[ToolSpec], most_tokens: int
    ) -> Iterator[str | Turn]:
        """Pieces of text as they arrive, and at the end the whole turn.

        Raises ProviderError, or CancelledError once the caller cancels.
        """

    def models(self) -> tuple[ModelInfo, ...]:
        """The models that it offers. Raises ProviderError."""
