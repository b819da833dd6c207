"""The table of providers of embedders, rerankers and chat models, and the keys of services.

A new provider is one file and one row. The file has a function `load` that takes the options of its
kind and returns the model. It is imported when the provider is first used, because runtimes are
slow to import. Vectors are stored by the `key` of the embedder, so each provider decides which of
its vectors are comparable.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar, cast

from notewell.base.errors import ConfigError, MissingExtraError, ProviderError
from notewell.base.types import Embedder, ModelRules, Reranker, SearchRules
from notewell.base.types.frozen import frozen
from notewell.models.catalogue import ModelSpec

if TYPE_CHECKING:  # the HTTP client takes a while to import, and few commands need it
    from notewell.base.support.http import Cancel
    from notewell.models.chat import ChatModel
    from notewell.models.remote.embedder import RemoteModel

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

    def load(self, options: O) -> M:
        """Load the model. Raises ConfigError, or ModelError or one of its subclasses."""
        factory = cast("Callable[[O], M]", import_module(self.module).load)
        return factory(options)


EMBEDDERS: tuple[Provider[EmbedderOptions, Embedder], ...] = (
    Provider("onnx", "notewell.models.onnx_embedder"),
    Provider("torch", "notewell.models.torch_embedder"),
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


# Keys of model services, in the system's keyring, which is an extra.
_KEYRING = "notewell"


class _Keyring(Protocol):
    def get_password(self, service: str, name: str) -> str | None: ...
    def set_password(self, service: str, name: str, value: str) -> None: ...
    def delete_password(self, service: str, name: str) -> None: ...


def kept_key(name: str) -> str:
    """The key that is stored under `name`; "" if there is none, or no keyring."""
    ring = _keyring()
    if ring is None:
        return ""
    with suppress(Exception):  # a boundary, as below; without a keyring, no key
        return ring.get_password(_KEYRING, name) or ""
    return ""


def has_keyring() -> bool:
    """True if the `keyring` extra is installed; the system may still refuse to store a key."""
    return _keyring() is not None


def write_key(name: str, key: str, variable: str) -> None:
    """Store a key under `name`; "" removes it. `variable` of the environment may have it instead.

    Raises MissingExtraError without the `keyring` extra, ProviderError if the keyring fails.
    """
    ring = _keyring()
    if ring is None:
        raise MissingExtraError(
            "The system's keyring needs an extra: run pip install '.[keyring]'"
            " in Notewell's source folder."
            f" Or set the key in the environment, as {variable}."
        )
    try:
        if key:
            ring.set_password(_KEYRING, name, key)
        elif ring.get_password(_KEYRING, name) is not None:
            ring.delete_password(_KEYRING, name)
    except Exception as error:  # a boundary: each system's keyring has errors of its own
        raise ProviderError(
            f"The system's keyring did not store the key ({type(error).__name__}). Set the key in"
            f" the environment instead, as {variable}.",
            code="keyring_refused",
        ) from error


def _keyring() -> _Keyring | None:
    try:
        return cast("_Keyring", import_module("keyring"))
    except ImportError:
        return None
