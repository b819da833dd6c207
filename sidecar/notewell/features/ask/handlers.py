"""Answers of a language model over HTTP: as a stream, or as events that a client fetches."""

from __future__ import annotations

import asyncio
import logging
import threading
import traceback
from collections.abc import Callable, Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path

from notewell.api.errors import ConfigError
from notewell.api.server import CALLER, Handler, Site
from notewell.base.support.http import Cancel
from notewell.base.types import AskRules
from notewell.contract.context import AskModelsReply
from notewell.engine.configuration import Configuration
from notewell.engine.event_loop import EventStream, StreamedEvent
from notewell.engine.open_features import OpenFeatures
from notewell.features.ask.local_servers import find_servers, rules_of
from notewell.features.ask.polled_answers import PolledAnswers
from notewell.features.ask.requests import (
    AskEventsReply,
    AskEventsRequest,
    AskFailed,
    AskModelsRequest,
    AskRequest,
    AskSetupReply,
    AskSetupRequest,
    AskStoppedReply,
    ChangeAskSetupRequest,
    LocalModelsReply,
    LocalModelsRequest,
    StopAnswerRequest,
    UseLocalModelRequest,
)
from notewell.features.ask.services import (
    agree,
    check_in_force,
    keep_service_key,
    rules_of_service,
    setup_of,
)

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
