"""Answers questions about one vault with a language model, and manages the conversations."""

from __future__ import annotations

from collections.abc import Iterator

from notewell.base.errors import CancelledError, NotewellError, ReadOnlyError
from notewell.base.support.http import Cancel
from notewell.contract.context import AskModelsReply
from notewell.contract.request import StreamEvent
from notewell.contract.search import SearchRequest
from notewell.engine.feature import OpenFeature, OpenVault
from notewell.features.ask.conversations import Conversations, as_note
from notewell.features.ask.expansion import Expander
from notewell.features.ask.requests import (
    AskConversationReply,
    AskConversationsReply,
    AskFailed,
    AskForgottenReply,
    AskFound,
    AskModelsRequest,
    AskNotice,
    AskReply,
    AskRequest,
    AskSavedReply,
    ConversationRequest,
    ConversationsRequest,
    ForgetConversationRequest,
    SaveConversationRequest,
)
from notewell.features.ask.tool_loop import Draft, ToolLoop
from notewell.models.chat.messages import ChatModel
from notewell.models.chat.providers import Providers

_INSTANT_RESULTS = 5  # shown while the model works
# What leaves this computer, for people.
_LEAVES = "your question, this conversation so far, and passages of the notes that are found for it"
_LEAVES_BY_WEB = "; pages of the web that it asks for are read, and learn this computer's address"
_LEAVES_BY_CODE = "; and what its calculations with these notes print"


class Agent:
    """Answers the questions of one caller."""

    def __init__(
        self, vault: OpenVault, providers: Providers, conversations: Conversations, cancel: Cancel
    ) -> None:
        """Nothing is sent yet."""
        self._vault = vault
        self._providers = providers
        self._conversations = conversations
        self._cancel = cancel

    def answer(self, request: AskRequest) -> Iterator[StreamEvent]:
        """The events of an answer, an `answer` last.

        The question is saved as a cancelled one before it is answered. So if the answer is stopped
        or the server ends, the conversation has the question and the answer up to that point.

        Raises:
            ConfigError: no provider is configured (code "ask_off"), or its settings are invalid.
            ProviderError: the provider failed; the partial answer is lost.
            NotFoundError: there is no such conversation.
            CancelledError: the caller cancelled.

        """
        past = self._past(request)
        providers = self._providers.using(request.model)
        provider = providers.open(self._cancel)
        conversation = request.conversation or self._conversations.new_id()
        yield _notice(providers, conversation)
        draft = Draft(request.question, self._vault.record.name, conversation)
        self._conversations.save_turn(conversation, draft.stopped())
        try:
            yield from self._begin(draft, past, providers, provider)
        except (CancelledError, GeneratorExit, KeyboardInterrupt):
            self._conversations.save_turn(conversation, draft.stopped())
            raise
        except NotewellError:
            self._conversations.delete_turn(conversation, draft.stopped())
            raise
        reply = draft.reply(general=providers.rules.general_knowledge)
        self._conversations.save_turn(conversation, reply)
        yield StreamEvent("answer", reply)

    def _past(self, request: AskRequest) -> tuple[AskReply, ...]:
        """The conversation so far, without a stopped question that is repeated now."""
        if request.conversation is None:
            return ()
        past = self._conversations.read(request.conversation)
        if past and past[-1].cancelled and past[-1].question == request.question:
            self._conversations.delete_turn(request.conversation, past[-1])
            return past[:-1]
        return past

    def _begin(
        self, draft: Draft, past: tuple[AskReply, ...], providers: Providers, provider: ChatModel
    ) -> Iterator[StreamEvent]:
        """Report the results of a keyword search, then let the model answer."""
        instant = SearchRequest(draft.question, limit=_INSTANT_RESULTS, mode="keyword", door="ask")
        yield StreamEvent("found", AskFound(self._vault.ask(instant).results))
        model = providers.choose(provider)
        yield from ToolLoop(self._vault, providers, provider, model, self._cancel).run(draft, past)


def _notice(providers: Providers, conversation: str) -> StreamEvent:
    """The event that says what leaves this computer, and where it goes."""
    rules = providers.rules
    by_code = _LEAVES_BY_CODE if rules.code_tool else ""
    leaves = _LEAVES + by_code + (_LEAVES_BY_WEB if rules.web else "")
    return StreamEvent(
        "notice",
        AskNotice(
            provider=rules.provider,
            host=providers.host,
            model=rules.model or "(the best available)",
            local=providers.local,
            leaves=leaves,
            conversation=conversation,
        ),
    )


class AskService:
    """Answers questions about one vault. Any thread may use it."""

    def __init__(self, vault: OpenVault) -> None:
        """Nothing is read or sent yet."""
        self._vault = vault
        self._conversations = Conversations(vault.folder)

    def answer(self, request: AskRequest, cancel: Cancel) -> Iterator[StreamEvent]:
        """The events of an answer; an `answer` or an `error` is the last."""
        agent = Agent(self._vault, self._vault.chat(), self._conversations, cancel)
        try:
            yield from agent.answer(request)
        except NotewellError as error:
            yield StreamEvent("error", AskFailed(error.code, error.message))

    def models(self, request: AskModelsRequest) -> AskModelsReply:
        """The models of the configured provider.

        Raises ConfigError (code "ask_off") if none is configured, and ProviderError.
        """
        providers = self._vault.chat()
        return providers.models(providers.open(Cancel()), refresh=request.refresh)

    def conversation(self, request: ConversationRequest) -> AskConversationReply:
        """The turns of a conversation. Raises NotFoundError if it does not exist (any more)."""
        turns = self._conversations.read(request.conversation)
        return AskConversationReply(self._vault.record.name, request.conversation, turns)

    def conversations(self, _request: ConversationsRequest) -> AskConversationsReply:
        """All stored conversations."""
        return AskConversationsReply(self._vault.record.name, self._conversations.all())

    def forget(self, request: ForgetConversationRequest) -> AskForgottenReply:
        """Delete a conversation. Raises NotFoundError if it does not exist."""
        self._conversations.delete(request.conversation)
        return AskForgottenReply(self._vault.record.name, request.conversation)

    def save(self, request: SaveConversationRequest) -> AskSavedReply:
        """Write a conversation as a new note.

        Raises NotFoundError, ReadOnlyError, or ChangedNoteError if the note exists already.
        """
        vault = self._vault
        if vault.writer is None:
            raise ReadOnlyError("This vault is read-only; copy the answer instead.")
        text = as_note(self._conversations.read(request.conversation))
        written = vault.writer.create(request.path, text, action="ask save")
        vault.changed(request.path)
        return AskSavedReply(vault.record.name, request.path, written.number)


def opened(vault: OpenVault) -> OpenFeature:
    """Questions about a vault, as its engine asks for them."""
    asking = AskService(vault)
    return OpenFeature(
        answers={
            AskModelsRequest: asking.models,
            ConversationRequest: asking.conversation,
            ConversationsRequest: asking.conversations,
            ForgetConversationRequest: asking.forget,
            SaveConversationRequest: asking.save,
        },
        streams={AskRequest: asking.answer},
        expand=Expander(vault.chat).search,
    )
