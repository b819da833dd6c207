"""Answers of a language model over HTTP, and the choice of the service that gives them.

An answer is a stream, or events for clients that ask for them one by one. Services can be chosen by
their names, with their addresses; programs on this computer are looked for.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
import threading
import traceback
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack
from dataclasses import dataclass, field, replace
from http import HTTPStatus
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from notewell.base.config import provider_key
from notewell.base.errors import BusyError, ConfigError, NotFoundError, ProviderError, UsageError
from notewell.base.support.http import Cancel, HttpClient, HttpError, HttpRequest, is_loopback
from notewell.base.types import AskRules, ProviderKind
from notewell.base.types.frozen import frozen
from notewell.contract.context import AskModelsReply
from notewell.doors.web.auth import CALLER
from notewell.doors.web.site import Handler, Site
from notewell.engine.configuration import Configuration
from notewell.engine.event_loop import EventStream, StreamedEvent
from notewell.engine.feature import OpenFeatures
from notewell.features.ask.requests import (
    AskEventReply,
    AskEventsReply,
    AskEventsRequest,
    AskFailed,
    AskModelsRequest,
    AskRequest,
    AskSetupReply,
    AskSetupRequest,
    AskStoppedReply,
    AskText,
    ChangeAskSetupRequest,
    ChatService,
    ChatServiceView,
    KeyPlace,
    LocalModels,
    LocalModelsReply,
    LocalModelsRequest,
    LocalServer,
    StopAnswerRequest,
    UseLocalModelRequest,
)
from notewell.models.chat import ModelInfo
from notewell.models.chat.providers import keep_key, rank, stored_key
from notewell.models.chat.wire import listed_models
from notewell.models.keys import has_keyring
from notewell.models.providers import CHAT_MODELS, find_provider

_FIND_S = 1.5  # a program that listens answers at once; loading a model is not waited for


@frozen
class _Service:
    """`base_url` is "" for the protocol's own address."""

    title: str
    provider: ProviderKind
    base_url: str = ""


# Their own documentation: ai.google.dev/gemini-api/docs/openai, docs.mistral.ai/api,
# openrouter.ai/docs/quickstart.
_SERVICES: Mapping[ChatService, _Service] = {
    "openai": _Service("OpenAI", "openai"),
    "anthropic": _Service("Anthropic", "anthropic"),
    "gemini": _Service(
        "Google Gemini", "openai", "https://generativelanguage.googleapis.com/v1beta/openai"
    ),
    "mistral": _Service("Mistral", "openai", "https://api.mistral.ai/v1"),
    "openrouter": _Service("OpenRouter", "openai", "https://openrouter.ai/api/v1"),
}


def rules_of_service(service: ChatService | None, model: str | None) -> Mapping[str, str]:
    """The settings of [ask] that use a service; those of None answer no questions."""
    if service is None:
        return {"provider": "", "base_url": "", "model": ""}
    chosen = _SERVICES[service]
    return {"provider": chosen.provider, "base_url": chosen.base_url, "model": model or ""}


def agree(service: ChatService, host: str | None) -> None:
    """Raise UsageError unless the person agreed to send notes to this service's host."""
    if host != _host(_SERVICES[service].provider, _SERVICES[service].base_url):
        raise UsageError(
            "Choosing a service sends notes to its host, so the request names that host.",
            code="consent_required",
        )


def keep_service_key(service: ChatService, key: str) -> None:
    """Store a service's key in the keyring; "" removes it. Raises as `write_key` does."""
    chosen = _SERVICES[service]
    keep_key(AskRules(provider=chosen.provider, base_url=chosen.base_url), key)


def setup_of(rules: AskRules) -> AskSetupReply:
    """The service that answers questions by these settings, and those that could."""
    host = _host(rules.provider, rules.base_url)
    return AskSetupReply(
        service=_service_of(rules),
        host=host or None,
        local=is_loopback(host),
        model=rules.model or None,
        key=_key_place(rules),
        keyring=has_keyring(),
        services=tuple(
            ChatServiceView(name, one.title, _host(one.provider, one.base_url))
            for name, one in _SERVICES.items()
        ),
    )


def check_in_force(rules: AskRules, service: ChatService | None) -> None:
    """Raise ConfigError where the environment or a flag of the server says otherwise."""
    wanted = rules_of_service(service, None)
    provider = wanted["provider"] or "none"
    if (rules.provider, rules.base_url) != (provider, wanted["base_url"]):
        raise ConfigError(
            "It is written to the settings file, but the environment of the server or the command"
            " that started it sets [ask] to something else, which wins. Change it there."
        )


def _service_of(rules: AskRules) -> ChatService | None:
    for name, one in _SERVICES.items():
        if (one.provider, one.base_url) == (rules.provider, rules.base_url.rstrip("/")):
            return name
    return None


def _host(provider: ProviderKind, base_url: str) -> str:
    if provider == "none":
        return ""
    address = base_url or find_provider(CHAT_MODELS, provider).base_url
    return urlsplit(address).hostname or ""


def _key_place(rules: AskRules) -> KeyPlace:
    if rules.provider == "none":
        return "none"
    if provider_key(rules):
        return "environment"
    return "keyring" if stored_key(rules) else "none"


@frozen
class Known:
    """A program's name for people, and the port that it listens on."""

    title: str
    port: int


# Their own documentation: docs.ollama.com/api, lmstudio.ai/docs/api, llama.cpp tools/server/README.
SERVERS: Mapping[LocalServer, Known] = {
    "ollama": Known("Ollama", 11434),
    "lm-studio": Known("LM Studio", 1234),
    "llama.cpp": Known("llama.cpp", 8080),
}


def address_of(server: LocalServer) -> str:
    """The address at which a program serves its models, on this computer."""
    return _address(SERVERS[server])


def _address(known: Known) -> str:
    return f"http://127.0.0.1:{known.port}/v1"


def rules_of(server: LocalServer, model: str | None) -> Mapping[str, str]:
    """The settings of [ask] that use a program; without `model`, the best that it lists."""
    return {"provider": "openai", "base_url": address_of(server), "model": model or ""}


def find_servers(servers: Mapping[LocalServer, Known] = SERVERS) -> tuple[LocalModels, ...]:
    """The programs that answer now and have a model that can answer questions."""
    with ThreadPoolExecutor(len(servers)) as threads:
        tries = threads.map(_find, servers, servers.values())
        return tuple(found for found in tries if found is not None)


def _find(server: LocalServer, known: Known) -> LocalModels | None:
    address = _address(known)
    client = HttpClient(timeout_s=_FIND_S, connect_s=_FIND_S, deadline_s=2 * _FIND_S)
    try:
        reply = client.send(HttpRequest("GET", f"{address}/models"))
        listed = listed_models(reply.json()) if reply.status == HTTPStatus.OK else ()
    except (HttpError, ProviderError):
        return None  # nothing listens there, or another program does
    names = tuple(model.name for model in rank(ModelInfo(str(one["id"])) for one in listed))
    return LocalModels(server, known.title, address, names) if names else None


_GATHER_S = 0.12  # after a piece of text, so that a fast model does not cause a request a word


@dataclass(slots=True)
class _Running:
    """An answer: its events so far. `asked` is the loop's time of the latest request for them."""

    caller: object
    stream: EventStream
    asked: float
    events: list[AskEventReply] = field(default_factory=list)
    done: bool = False
    changed: asyncio.Event = field(default_factory=asyncio.Event)


@dataclass(slots=True)
class PolledAnswers:
    """The running answers of one server, and the finished ones for `kept_s` seconds.

    An answer that nobody asks for during `patience_s` is stopped.
    """

    most: int = 32
    each: int = 8  # of one caller
    patience_s: float = 60.0
    kept_s: float = 600.0
    _answers: dict[str, _Running] = field(default_factory=dict)
    _tasks: set[asyncio.Task[None]] = field(default_factory=set)

    def admit(self, caller: object) -> None:
        """Raise BusyError where too many answers run."""
        self._forget()
        running = [one for one in self._answers.values() if not one.done]
        own = [one for one in running if one.caller == caller]
        if len(running) >= self.most or len(own) >= self.each:
            raise BusyError(
                f"{len(running)} questions are being answered, which is the maximum. Wait for an"
                " answer, or stop one.",
                code="too_many_answers",
                retry_after=10.0,
            )

    def keep(self, caller: object, stream: EventStream, held: AsyncExitStack) -> AskEventsReply:
        """Collect the events of `stream`; `held` is closed when it ends."""
        number = secrets.token_hex(16)
        answer = _Running(caller, stream, _now())
        self._answers[number] = answer
        task = asyncio.create_task(self._follow(answer, held))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return AskEventsReply(number, (), done=False)

    async def events(
        self, caller: object, number: str, after: int, wait_s: float
    ) -> AskEventsReply:
        """The events after `after`; waits for one at most `wait_s`. Raises NotFoundError."""
        answer = self._find(caller, number)
        answer.asked = _now()
        if wait_s > 0 and not answer.done and len(answer.events) <= after:
            await _changed(answer, wait_s)
            if answer.events and answer.events[-1].event == "text" and not answer.done:
                await asyncio.sleep(_GATHER_S)
        answer.asked = _now()
        return AskEventsReply(number, _joined(answer.events[after:]), done=answer.done)

    def stop(self, caller: object, number: str) -> None:
        """Stop an answer; one that has ended already stays as it is. Raises NotFoundError."""
        self._find(caller, number).stream.end()

    async def end(self) -> None:
        """Stop all answers, because the server stops."""
        for answer in self._answers.values():
            answer.stream.end()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def _find(self, caller: object, number: str) -> _Running:
        """The answer of a caller. One of another caller is as unknown as one that never was."""
        answer = self._answers.get(number)
        if answer is None or answer.caller != caller:
            raise NotFoundError(
                "There is no such answer (any more). The conversation may have it.",
                code="answer_not_found",
            )
        return answer

    def _forget(self) -> None:
        """Drop the finished answers that nobody asked for in a while."""
        oldest = _now() - self.kept_s
        for number, answer in list(self._answers.items()):
            if answer.done and answer.asked < oldest:
                del self._answers[number]

    async def _follow(self, answer: _Running, held: AsyncExitStack) -> None:
        async with held:
            try:
                while await self._take(answer):
                    answer.changed.set()
            finally:
                answer.stream.end()
                answer.done = True
                answer.changed.set()

    async def _take(self, answer: _Running) -> bool:
        """Wait for the next event; False where there is none. Stops an answer nobody wants."""
        if _now() - answer.asked > self.patience_s:
            answer.stream.end()
        try:
            async with asyncio.timeout(self.patience_s):
                event: Any = await answer.stream.next()
        except TimeoutError:
            return True
        if event is None:
            return False
        answer.events.append(AskEventReply(event.id, event.kind, event.data))
        return True


async def _changed(answer: _Running, wait_s: float) -> None:
    answer.changed.clear()
    try:
        async with asyncio.timeout(wait_s):
            await answer.changed.wait()
    except TimeoutError:
        return


def _joined(events: Sequence[AskEventReply]) -> tuple[AskEventReply, ...]:
    """The events, with each run of pieces of text as one event."""
    joined: list[AskEventReply] = []
    for event in events:
        last = joined[-1].data if joined else None
        if isinstance(event.data, AskText) and isinstance(last, AskText):
            joined[-1] = replace(event, data=AskText(last.text + event.data.text))
        else:
            joined.append(event)
    return tuple(joined)


def _now() -> float:
    return asyncio.get_running_loop().time()


_log = logging.getLogger(__name__)

_UNFORESEEN = "Something failed inside Notewell; its log says where. Please report it."
_MOST_WAITING = 10_000  # events of an answer that wait for a slow reader


@dataclass(frozen=True, slots=True)
class _Numbered:
    id: int
    kind: str
    data: object


async def ask(site: Site, vault: str | None, request: AskRequest) -> EventStream | AskEventsReply:
    """Start an answer in a thread of its own; it is cancelled when the client disconnects."""
    if request.stream is None:
        return _begin(site, vault, request)
    answers = site.parts.of(PolledAnswers)
    answers.admit(CALLER.get())
    async with AsyncExitStack() as held:
        await held.enter_async_context(site.holding(vault))
        # The vault stays open until the answer ends, not only until this request is answered.
        return answers.keep(CALLER.get(), _begin(site, vault, request), held.pop_all())


def _begin(site: Site, vault: str | None, request: AskRequest) -> EventStream:
    answering = _Answering(site.engine(vault).features, request)
    following = EventStream(answering.begin, most_waiting=_MOST_WAITING)
    answering.follow(following)
    return following


async def events(site: Site, _vault: str | None, request: AskEventsRequest) -> AskEventsReply:
    """Wait for the next events of an answer."""
    answers = site.parts.of(PolledAnswers)
    return await answers.events(CALLER.get(), request.id, request.after, request.wait)


async def stop(site: Site, _vault: str | None, request: StopAnswerRequest) -> AskStoppedReply:
    """Stop an answer."""
    site.parts.of(PolledAnswers).stop(CALLER.get(), request.id)
    return AskStoppedReply(request.id)


async def local_models(
    _site: Site, _vault: str | None, _request: LocalModelsRequest
) -> LocalModelsReply:
    """Look for programs on this computer that serve language models."""
    return LocalModelsReply(await asyncio.to_thread(find_servers))


async def use_local_model(
    site: Site, vault: str | None, request: UseLocalModelRequest
) -> AskModelsReply:
    """Answer questions with a program on this computer, from now on."""
    await asyncio.to_thread(_use_local_model, site, request)
    features = site.engine(vault).features
    return await asyncio.to_thread(features.answer, AskModelsRequest(refresh=True))


def _use_local_model(site: Site, request: UseLocalModelRequest) -> None:
    configuration = _configuration(site)
    configuration.set_section("ask", rules_of(request.server, request.model))
    site.vaults.use_sections(["ask"], configuration.settings)


async def setup(site: Site, vault: str | None, _request: AskSetupRequest) -> AskSetupReply:
    """Show the service that answers questions, and those that could."""
    rules = await asyncio.to_thread(_rules, site, site.record(vault).path)
    return await asyncio.to_thread(setup_of, rules)


async def change_setup(
    site: Site, vault: str | None, request: ChangeAskSetupRequest
) -> AskSetupReply:
    """Answer questions with another service, or none, from now on."""
    rules = await asyncio.to_thread(_change, site, site.record(vault).path, request)
    check_in_force(rules, request.service)
    return await asyncio.to_thread(setup_of, rules)


def _change(site: Site, folder: Path, request: ChangeAskSetupRequest) -> AskRules:
    """Store the key, write the settings and use them; return them as they hold now."""
    configuration = _configuration(site)
    if request.service is not None:
        agree(request.service, request.host)
        if request.key is not None:
            keep_service_key(request.service, request.key.strip())
    configuration.set_section("ask", rules_of_service(request.service, request.model))
    site.vaults.use_sections(["ask"], configuration.settings)
    return _rules(site, folder)


def _rules(site: Site, folder: Path) -> AskRules:
    return _configuration(site).settings(folder).ask


def _configuration(site: Site) -> Configuration:
    if site.configuration is None:
        raise ConfigError("This server was started without a configuration file to change.")
    return site.configuration


class _Answering:
    """One answer, made in a thread and sent to one listener."""

    def __init__(self, features: OpenFeatures, request: AskRequest) -> None:
        self._features = features
        self._request = request
        self._cancel = Cancel()
        self._send: Callable[[StreamedEvent], None] = lambda _: None
        self._following: EventStream | None = None

    def begin(
        self, listener: Callable[[StreamedEvent], None]
    ) -> tuple[tuple[StreamedEvent, ...], Callable[[], None]]:
        """As `EventStream` subscribes; unsubscribing cancels."""
        self._send = listener
        return (), self._cancel.cancel

    def follow(self, following: EventStream) -> None:
        """Start answering; the stream ends with the answer."""
        self._following = following
        threading.Thread(target=self._run, name="ask", daemon=True).start()

    def _run(self) -> None:
        number = 0
        try:
            for event in self._features.stream(self._request, self._cancel):
                self._send(_Numbered(number := number + 1, event.kind, event.data))
        except Exception as error:  # noqa: BLE001 - the end of the thread: the client is told
            # The message might quote a note, so only the places are logged.
            places = "".join(traceback.format_tb(error.__traceback__))
            _log.error("an answer failed: %s\n%s", type(error).__name__, places)
            self._send(_Numbered(number + 1, "error", AskFailed("internal", _UNFORESEEN)))
        finally:
            if self._following is not None:
                self._following.end_soon()


HANDLERS: Mapping[type, Handler] = {
    AskRequest: ask,
    AskEventsRequest: events,
    StopAnswerRequest: stop,
    LocalModelsRequest: local_models,
    UseLocalModelRequest: use_local_model,
    AskSetupRequest: setup,
    ChangeAskSetupRequest: change_setup,
}
