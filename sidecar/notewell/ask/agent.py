"""Answering a question: whom it is sent to, said first; the answer; and the conversation, kept.

Everything that happens is an event. Nothing is sent before the notice of what leaves the computer
was given.
"""

from __future__ import annotations

from collections.abc import Iterator

from notewell.ask.conversations import Conversations
from notewell.ask.tool_loop import Answering, Draft
from notewell.ask.tools import Vault
from notewell.contract.ask import AskEvent, AskFound, AskNotice, AskReply, AskRequest
from notewell.contract.search import SearchRequest
from notewell.errors import CancelledError, NotewellError
from notewell.models.chat.messages import ChatModel
from notewell.models.chat.providers import Providers
from notewell.support.http import Cancel

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
        yield from Answering(self._vault, providers, provider, model, self._cancel).run(draft, past)


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
