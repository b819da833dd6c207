"""The table of providers of embedders, rerankers and chat models.

A new provider is one file and one row. The file has a function `load` that takes the options of its
kind and returns the model. It is imported when the provider is first used, because runtimes are
slow to import. Vectors are stored by the `key` of the embedder, so each provider decides which of
its vectors are comparable.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Generic, TypeVar, cast

from notewell.base.errors import ConfigError
from notewell.base.packages import EVAL, OwnPackage, missing_package
from notewell.base.types import Embedder, ModelRules, Reranker, SearchRules
from notewell.base.types.frozen import frozen
from notewell.models.catalogue import ModelSpec

if TYPE_CHECKING:  # the HTTP client takes a while to import, and few commands need it
    from notewell.base.support.http import Cancel
    from notewell.models.chat import ChatModel
    from notewell.models.remote.model import RemoteModel

O = TypeVar("O")  # noqa: E741 - options
M = TypeVar("M")  # model


@frozen
class EmbedderOptions:
    """The options of an embedder.

    `spec` is None for a model that neither the catalogue nor its folder describes. `offline`
    forbids downloads. `say` receives messages for people about what takes time. `remote` is set
    for a model behind an API.
    """

    rules: ModelRules
    spec: ModelSpec | None
    folder: Path | None
    model_dir: Path
    offline: bool
    say: Callable[[str], None]
    remote: RemoteModel | None = None


@frozen
class RerankerOptions:
    """The options of a reranker, which is never downloaded.

    `rules` are set for one behind an API; `consent` are the hosts that may get passages.
    """

    spec: ModelSpec | None
    folder: Path | None
    model_dir: Path
    say: Callable[[str], None]
    rules: SearchRules | None = None
    consent: tuple[str, ...] = ()


@frozen
class ChatOptions:
    """The options of a chat model. `key` is "" for a server without keys."""

    base_url: str
    key: str
    cancel: Cancel
    first_pause_s: float


@frozen
class Provider(Generic[O, M]):
    """One row: a name, and the module whose `load` makes the model from its options."""

    name: str
    module: str
    base_url: str = ""  # the default address of an API
    package: OwnPackage | None = None  # one of ours that has the module, and may not be installed

    def load(self, options: O) -> M:
        """Load the model. Raises ConfigError, or ModelError or one of its subclasses."""
        if self.package and find_spec(self.module.partition(".")[0]) is None:
            raise missing_package(self.package, f"A model that runs by {self.name}")
        factory = cast("Callable[[O], M]", import_module(self.module).load)
        return factory(options)


EMBEDDERS: tuple[Provider[EmbedderOptions, Embedder], ...] = (
    Provider("onnx", "notewell.models.onnx_embedder"),
    Provider("torch", "notewell_eval.torch_embedder", package=EVAL),
    Provider("remote", "notewell.models.remote.embedder"),
    Provider("late_chunking", "notewell.models.late_chunking"),
)
RERANKERS: tuple[Provider[RerankerOptions, Reranker], ...] = (
    Provider("onnx", "notewell.models.cross_encoder"),
    Provider("remote", "notewell.models.remote.rerankers"),
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
    """The row of that name. Raises ConfigError, which lists the known names."""
    for row in rows:
        if row.name == name:
            return row
    names = ", ".join(row.name for row in rows)
    raise ConfigError(f"No model provider is named {name!r}. Known providers: {names}.")
