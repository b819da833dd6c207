"""Everything about asking that one vault's engine offers to its doors."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from notewell.ask.agent import Agent
from notewell.ask.conversations import Conversations, as_note
from notewell.ask.expansion import Expander
from notewell.ask.tools import Vault
from notewell.contract.ask import (
    AskConversationReply,
    AskConversationsReply,
    AskEvent,
    AskFailed,
    AskForgottenReply,
    AskModelsReply,
    AskRequest,
    AskSavedReply,
)
from notewell.contract.search import SearchReply, SearchRequest
from notewell.errors import NotewellError, ReadOnlyError
from notewell.models.chat.providers import Providers
from notewell.support.http import Cancel
from notewell.types import Settings, VaultRecord
from notewell.vault.write import VaultWriter


class AskDesk:
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
