"""Services that answer questions: which there are, which is used, and choosing one with its key."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from annotated_types import MaxLen, MinLen

from notewell.contract.ask import MODEL_NAME_CHARS
from notewell.contract.fields import Doc
from notewell.contract.request import Endpoint, Request
from notewell.types.frozen import frozen

ChatService = Literal["openai", "anthropic", "gemini", "mistral", "openrouter"]
KeyPlace = Literal["environment", "keyring", "none"]


@frozen
class ChatServiceView:
    """A service outside the server's computer, and the host that notes would be sent to."""

    name: ChatService
    title: str
    host: str


@frozen
class AskSetupReply:
    """What answers questions now. `host` is null where nothing does.

    `service` is null for programs on the server's computer and for addresses of one's own. `model`
    is null where the best is taken. `key`: where the key for it is; keys themselves are never told.
    `keyring`: whether the server's computer can store one.
    """

    service: ChatService | None
    host: str | None
    local: bool
    model: str | None
    key: KeyPlace
    keyring: bool
    services: tuple[ChatServiceView, ...]


@frozen
class AskSetupRequest(Request[AskSetupReply]):
    """What answers questions, and what could."""

    endpoint: ClassVar[Endpoint] = Endpoint(
        "GET",
        "/api/ask/setup",
        "ask_setup",
        "What answers questions, and which services could",
        needs="admin",
    )


@frozen
class ChangeAskSetupRequest(Request[AskSetupReply]):
    """Answer questions with a service from now on, or with nothing.

    A client names a service of the list, never an address; others are set on the server's computer.
    """

    endpoint: ClassVar[Endpoint] = Endpoint(
        "POST",
        "/api/ask/setup",
        "change_ask_setup",
        "Answer questions with a service, store its key, or answer none",
        needs="admin",
        example={"service": "anthropic", "host": "api.anthropic.com"},
    )
    service: Annotated[ChatService | None, Doc("The service; null answers no questions")] = None
    host: Annotated[
        Annotated[str, MaxLen(255)] | None,
        Doc("The host of the service, as the person who agreed to send notes there read it"),
    ] = None
    model: Annotated[
        Annotated[str, MinLen(1), MaxLen(MODEL_NAME_CHARS)] | None,
        Doc("One of its models; left out, the best"),
    ] = None
    key: Annotated[
        Annotated[str, MaxLen(1000)] | None,
        Doc("Its key, for the keyring of the server's computer; an empty one is removed"),
    ] = None
