"""Everything about asking that one vault's engine offers to its doors."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from notewell.ask.conversations import Conversations, as_note
from notewell.ask.expansion import Expander
from notewell.ask.tool_loop import Draft, ToolLoop
from notewell.ask.tools import Vault
from notewell.contract.ask import (
    AskConversationReply,
    AskConversationsReply,
    AskEvent,
    AskFailed,
    AskForgottenReply,
    AskFound,
    AskModelsReply,
    AskNotice,
    AskReply,
    AskRequest,
    AskSavedReply,
)
from notewell.contract.search import SearchReply, SearchRequest
from notewell.errors import CancelledError, NotewellError, ReadOnlyError
from notewell.models.chat.messages import ChatModel
from notewell.models.chat.providers import Providers
from notewell.support.http import Cancel
from notewell.types import Settings, VaultRecord
from notewell.vault.write import VaultWriter

_INSTANT = 5  # results shown while the model thinks
_LEAVES = "your question, this conversation so far, and passages of the notes that are found for it"

_WEB = "pages of the web that it asks for are read, and learn this computer's address"


class Agent:
    """Answers the questions of one caller."""

    def __init__(
        self, vault: Vault, providers: Providers, conversations: Conversations, cancel: Cancel
    ) -> None:
        """Nothing is sent yet."""
        self._vault = vault
        self._providers = providers
        self._conversations = conversations
        self._cancel = cancel

    def answer(self, asked: AskRequest) -> Iterator[AskEvent]:
        """The events of an answer, an `answer` last.

        The question is kept before it is answered, as a cancelled one, so that whoever stops it, or
        loses the server, finds it in the conversation with as much of an answer as had come.

        Raises:
            ConfigError: no provider is configured (code "ask_off"), or not rightly.
            ProviderError: it does not answer; what was said before is lost.
            NotFoundError: the conversation is not there.
            CancelledError: the caller gave up.

        """
        past = self._past(asked)
        providers = self._providers.using(asked.model)
        provider = providers.open(self._cancel)
        conversation = asked.conversation or self._conversations.fresh()
        yield _notice(providers, conversation)
        draft = Draft(asked.question, self._vault.name, conversation)
        self._conversations.keep(conversation, draft.stopped())
        try:
            yield from self._begin(draft, past, providers, provider)
        except (CancelledError, GeneratorExit, KeyboardInterrupt):
            self._conversations.keep(conversation, draft.stopped())
            raise
        except NotewellError:
            self._conversations.drop(conversation, draft.stopped())
            raise
        reply = draft.reply(general=providers.rules.general_knowledge)
        self._conversations.keep(conversation, reply)
        yield AskEvent("answer", reply)

    def _past(self, asked: AskRequest) -> tuple[AskReply, ...]:
        """The conversation so far; a stopped question that is asked again gives way."""
        if asked.conversation is None:
            return ()
        past = self._conversations.read(asked.conversation)
        if past and past[-1].cancelled and past[-1].question == asked.question:
            self._conversations.drop(asked.conversation, past[-1])
            return past[:-1]
        return past

    def _begin(
        self, draft: Draft, past: tuple[AskReply, ...], providers: Providers, provider: ChatModel
    ) -> Iterator[AskEvent]:
        """Show what keywords find, then let the model answer."""
        instant = SearchRequest(draft.question, limit=_INSTANT, mode="keyword", door="ask")
        yield AskEvent("found", AskFound(self._vault.search(instant).results))
        model = providers.choose(provider)
        yield from ToolLoop(self._vault, providers, provider, model, self._cancel).run(draft, past)


def _notice(providers: Providers, conversation: str) -> AskEvent:
    """What leaves this computer, and where to."""
    rules = providers.rules
    leaves = f"{_LEAVES}; {_WEB}" if rules.web else _LEAVES
    return AskEvent(
        "notice",
        AskNotice(
            provider=rules.provider,
            host=providers.host,
            model=rules.model or "(the best that is offered)",
            local=providers.local,
            leaves=leaves,
            conversation=conversation,
        ),
    )


class AskService:
    """Asks the configured language model about one vault. Any thread may use it."""

    def __init__(
        self,
        record: VaultRecord,
        settings: Settings,
        vault: Vault,
        writer: VaultWriter | None,
        changed: Callable[[str], None],
    ) -> None:
        """`writer` None: this vault is never written. `changed` is told of every note written."""
        self._vault = vault
        self._writer = writer
        self._changed = changed
        self._providers = Providers(settings.ask, settings.data_dir / "ask")
        self._expander = Expander(self._providers)
        self._conversations = Conversations(settings.data_dir / "vaults" / record.id)

    def answer(self, asked: AskRequest, cancel: Cancel) -> Iterator[AskEvent]:
        """The events of an answer; an `answer` or an `error` is the last."""
        agent = Agent(self._vault, self._providers, self._conversations, cancel)
        try:
            yield from agent.answer(asked)
        except NotewellError as error:
            yield AskEvent("error", AskFailed(error.code, error.message))

    def search(
        self, request: SearchRequest, search: Callable[[SearchRequest], SearchReply]
    ) -> SearchReply:
        """Search with `expand=llm`, over the vault's ordinary `search`."""
        return self._expander.search(request, search)

    def models(self, *, refresh: bool = False) -> AskModelsReply:
        """The models of the configured provider; ConfigError (code "ask_off") without one."""
        return self._providers.models(self._providers.open(Cancel()), refresh=refresh)

    def conversation(self, conversation: str) -> AskConversationReply:
        """A conversation as far as it went; NotFoundError where it is not kept (any more)."""
        turns = self._conversations.read(conversation)
        return AskConversationReply(self._vault.name, conversation, turns)

    def conversations(self) -> AskConversationsReply:
        """The conversations that are kept."""
        return AskConversationsReply(self._vault.name, self._conversations.all())

    def forget(self, conversation: str) -> AskForgottenReply:
        """Keep a conversation no longer; NotFoundError where it is not there."""
        self._conversations.forget(conversation)
        return AskForgottenReply(self._vault.name, conversation)

    def save(self, conversation: str, path: str) -> AskSavedReply:
        """Write a conversation as a new note.

        Raises NotFoundError, ReadOnlyError, or ChangedNoteError where there is a note already.
        """
        if self._writer is None:
            raise ReadOnlyError("This vault is never written; copy the answer instead.")
        text = as_note(self._conversations.read(conversation))
        written = self._writer.create(path, text, action="ask save")
        self._changed(path)
        return AskSavedReply(self._vault.name, path, written.number)
