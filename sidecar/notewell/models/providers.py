"""The providers of embedders, rerankers and chat models: a new one is one file and one row here.

The file has a function `load` that takes the options of its kind and gives the model. It is
imported when the provider is first used, because runtimes are slow to import. What a vector is
stored under is the embedder's own `key`, so each provider says itself which vectors may mix.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Generic, TypeVar, cast

from notewell.errors import ConfigError
from notewell.models.catalogue import ModelSpec
from notewell.types import Embedder, ModelRules, Reranker

if TYPE_CHECKING:  # the HTTP client takes a while to import, and few commands need it
    from notewell.models.chat.messages import ChatModel
    from notewell.models.remote_embedder import RemoteModel
    from notewell.support.http import Cancel

O = TypeVar("O")  # noqa: E741 - options
M = TypeVar("M")


@dataclass(frozen=True, slots=True)
class EmbedderOptions:
    """What an embedder is made of.

    `spec` is None for a model that neither the catalogue nor its folder describes. `offline`
    forbids downloads. `say` receives sentences for people about what takes time. `remote` is set
    for a model behind an API.
    """

    rules: ModelRules
    spec: ModelSpec | None
    folder: Path | None
    model_dir: Path
    offline: bool
    say: Callable[[str], None]
    remote: RemoteModel | None = None


@dataclass(frozen=True, slots=True)
class RerankerOptions:
    """What a reranker is made of, from files of this computer alone."""

    spec: ModelSpec
    folder: Path | None
    model_dir: Path
    say: Callable[[str], None]


@dataclass(frozen=True, slots=True)
class ChatOptions:
    """Where a chat model is and what is sent with each request. `key` "" means no key."""

    base_url: str
    key: str
    cancel: Cancel
    first_pause_s: float


@dataclass(frozen=True, slots=True)
class Provider(Generic[O, M]):
    """One row: a name, and the module whose `load` makes the model from its options."""

    name: str
    module: str
    base_url: str = ""  # of an API, where nobody chose another address

    def load(self, options: O) -> M:
        """Make the model. Raises ConfigError or the ModelError tree."""
        factory = cast("Callable[[O], M]", import_module(self.module).load)
        return factory(options)


EMBEDDERS: tuple[Provider[EmbedderOptions, Embedder], ...] = (
    Provider("onnx", "notewell.models.onnx_embedder"),
    Provider("torch", "notewell.models.torch_embedder"),
    Provider("openai", "notewell.models.remote_embedder"),
)
RERANKERS: tuple[Provider[RerankerOptions, Reranker], ...] = (
    Provider("onnx", "notewell.models.cross_encoder"),
)
CHAT_MODELS: tuple[Provider[ChatOptions, ChatModel], ...] = (
    Provider("openai", "notewell.models.chat.openai", base_url="https://api.openai.com/v1"),
    Provider(
        "anthropic",
        "notewell.models.chat.anthropic",
        base_url="https://api.anthropic.com",
    ),
)


def find_provider(rows: Sequence[Provider[O, M]], name: str) -> Provider[O, M]:
    """The row of that name. Raises ConfigError, which lists the names there are."""
    for row in rows:
        if row.name == name:
            return row
    names = ", ".join(row.name for row in rows)
    raise ConfigError(f"No model provider is named {name!r}. Known providers: {names}.")
