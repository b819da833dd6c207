"""Language models that programs on the server's computer serve: finding them, and using one."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from annotated_types import MaxLen, MinLen

from notewell.contract.ask import MODEL_NAME_CHARS, AskModelsReply
from notewell.contract.fields import Doc
from notewell.contract.request import Endpoint, Request
from notewell.types.frozen import frozen

LocalServer = Literal["ollama", "lm-studio", "llama.cpp"]


@frozen
class LocalModels:
    """A program on the server's computer that serves language models; the best model first."""

    server: LocalServer
    title: str
    address: str
    models: tuple[str, ...]


@frozen
class LocalModelsReply:
    """What was found running on the server's computer."""

    found: tuple[LocalModels, ...]


@frozen
class LocalModelsRequest(Request[LocalModelsReply]):
    """The programs on the server's computer that serve language models."""

    endpoint: ClassVar[Endpoint] = Endpoint(
        "GET",
        "/api/ask/local",
        "ask_local",
        "Look for Ollama, LM Studio and llama.cpp on the server's computer",
        needs="admin",
        rate_class="heavy",
        timed=False,
        of_vault=False,
    )


@frozen
class UseLocalModelRequest(Request[AskModelsReply]):
    """Answer questions with a program on the server's computer, from now on.

    It is written to the settings file; the address is the program's own, on the loopback interface.
    """

    endpoint: ClassVar[Endpoint] = Endpoint(
        "POST",
        "/api/ask/use",
        "ask_use",
        "Answer questions with a language model that runs on the server's computer",
        needs="admin",
        timed=False,
        example={"server": "ollama"},
    )
    server: LocalServer
    model: Annotated[
        Annotated[str, MinLen(1), MaxLen(MODEL_NAME_CHARS)] | None,
        Doc("One of its models; left out, the best"),
    ] = None
