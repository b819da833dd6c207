"""What is said between us and a language model, whoever provides it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol, TypeAlias

from notewell.errors import CancelledError

Role = Literal["system", "user", "assistant", "tool"]
Json: TypeAlias = "str | int | float | bool | Sequence[Json] | Mapping[str, Json] | None"


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


class Provider(Protocol):
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


@dataclass(slots=True)
class Cancel:
    """A caller's way to give up: everything that waits for the network ends soon after."""

    _set: threading.Event = field(default_factory=threading.Event)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _hang_up: Callable[[], None] | None = None

    def cancel(self) -> None:
        """Give up, from any thread. May be called twice."""
        self._set.set()
        with self._lock:
            if self._hang_up is not None:
                self._hang_up()

    def on_cancel(self, hang_up: Callable[[], None] | None) -> None:
        """Say how to end the connection that is open now; None: none is."""
        with self._lock:
            self._hang_up = hang_up
        if hang_up is not None and self._set.is_set():
            hang_up()

    def check(self) -> None:
        """Raise CancelledError once the caller gave up."""
        if self._set.is_set():
            raise CancelledError("The answer was cancelled.")

    def wait(self, seconds: float) -> None:
        """Rest, unless the caller gives up meanwhile."""
        self._set.wait(seconds)
        self.check()
