"""Answers questions about one vault with a language model, and manages the conversations."""

from __future__ import annotations

import json
import re
import secrets
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

from notewell.api import OpenFeature, OpenVault
from notewell.api.errors import CancelledError, NotewellError, NotFoundError, ReadOnlyError
from notewell.api.files import disk
from notewell.api.notes import link_name
from notewell.api.search import SearchRequest
from notewell.base.support.http import Cancel
from notewell.contract.context import AskModelsReply
from notewell.contract.request import StreamEvent
from notewell.features.ask.expander import Expander
from notewell.features.ask.harmless import harmless
from notewell.features.ask.permissions import Permissions
from notewell.features.ask.requests import (
    AskConversationReply,
    AskConversationsReply,
    AskConversationView,
    AskFailed,
    AskForgottenReply,
    AskFound,
    AskModelsRequest,
    AskNotice,
    AskPermittedReply,
    AskReply,
    AskRequest,
    AskSavedReply,
    AskSource,
    ConversationRequest,
    ConversationsRequest,
    ForgetConversationRequest,
    PermitAddressRequest,
    SaveConversationRequest,
)
from notewell.features.ask.tool_loop import AnswerDraft, ToolLoop, embed_names, phrases_for
from notewell.models.chat import ChatModel
from notewell.models.chat.providers import Providers

CONVERSATIONS = "conversations"  # of the folder, next to the index
MOST = 50  # conversations of a vault, the newest
_ID = re.compile(r"[0-9a-f]{16}")
_HEADING = re.compile(r"^(#{1,4}) ", re.MULTILINE)
_FENCED = re.compile(
    r"(^(?:`{3,}|~{3,}).*?(?:^(?:`{3,}|~{3,})[ \t]*$|\Z))", re.MULTILINE | re.DOTALL
)
_INSTANT_RESULTS = 5  # shown while the model works
# What leaves this computer, for people.
_LEAVES = "your question, this conversation so far, and passages of the notes that are found for it"
_LEAVES_BY_WEB = (
    "; pages of the web are read, and learn this computer's address: those whose whole address"
    " stands in your question, in a result of a web search or in a page that was read, and others"
    " only if you allow each"
)
_LEAVES_BY_SEARCH = "; the words that it searches the web for"
_LEAVES_BY_CODE = "; and what its calculations with these notes print"


class Conversations:
    """The conversations of one vault, each in a file. Safe to use from several threads."""

    def __init__(self, folder: Path) -> None:
        """They are below `folder`, which has the data of the vault; nothing is created yet."""
        self._folder = folder / CONVERSATIONS
        self._lock = threading.Lock()  # every turn reads and replaces a whole file

    def new_id(self) -> str:
        return secrets.token_hex(8)

    def read(self, conversation: str) -> tuple[AskReply, ...]:
        """The turns of a conversation. Raises NotFoundError if it does not exist."""
        try:
            if not _ID.fullmatch(conversation):
                raise ValueError(conversation)  # noqa: TRY301 - handled below
            stored = json.loads(self._file(conversation).read_text(encoding="utf-8"))
            return tuple(_turn(turn) for turn in stored)
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise NotFoundError(
                f"There is no conversation {conversation[:40]!r}; the newest {MOST} are kept.",
                code="conversation_not_found",
            ) from error

    def all(self) -> tuple[AskConversationView, ...]:
        """All conversations, the one with the latest question first."""
        views = []
        for file in self._folder.glob("*.json"):
            if turns := self._turns(file.stem):
                first, last = turns[0], turns[-1]
                views.append(AskConversationView(file.stem, first.question, len(turns), last.asked))
        return tuple(sorted(views, key=lambda view: view.asked, reverse=True))

    def delete(self, conversation: str) -> None:
        """Delete a conversation. Raises NotFoundError if it does not exist."""
        with self._lock:
            self.read(conversation)
            self._file(conversation).unlink(missing_ok=True)

    def save_turn(self, conversation: str, turn: AskReply) -> None:
        """Store a turn; it replaces an earlier state of the turn with the same time.

        Errors of the disk are ignored: the conversation then cannot be continued.
        """
        with self._lock:
            turns = {turn.asked: turn for turn in self._turns(conversation)}
            self._write(conversation, [*{**turns, turn.asked: turn}.values()])

    def delete_turn(self, conversation: str, turn: AskReply) -> None:
        """Delete a turn without an answer, and the conversation if it has no other turn."""
        with self._lock:
            turns = [
                earlier for earlier in self._turns(conversation) if earlier.asked != turn.asked
            ]
            if turns:
                self._write(conversation, turns)
                return
            with suppress(OSError):
                self._file(conversation).unlink(missing_ok=True)

    def _turns(self, conversation: str) -> tuple[AskReply, ...]:
        try:
            return self.read(conversation)
        except NotFoundError:
            return ()

    def _write(self, conversation: str, turns: Sequence[AskReply]) -> None:
        file = self._file(conversation)
        with suppress(OSError):
            disk.replace(file, json.dumps([asdict(turn) for turn in turns]).encode())
            files = sorted(self._folder.glob("*.json"), key=lambda path: path.stat().st_mtime)
            for old in files[:-MOST]:
                old.unlink(missing_ok=True)

    def _file(self, conversation: str) -> Path:
        return self._folder / f"{conversation}.json"


def _turn(stored: Mapping[str, Any]) -> AskReply:
    """A turn from its JSON. Raises KeyError or TypeError if it is not one.

    Answers that an earlier version stored as the model wrote them are made harmless here.
    """
    sources = tuple(AskSource(**source) for source in stored["sources"])
    lists = {"invalid": tuple(stored["invalid"]), "warnings": tuple(stored["warnings"])}
    cited = set(_cited_names(sources))
    answer = harmless(str(stored["answer"]), lambda target: target.casefold() in cited)
    return AskReply(**{**stored, **lists, "sources": sources, "answer": answer})


def as_note(turns: Sequence[AskReply]) -> str:
    """A conversation as Markdown: a heading for each question, the answer's headings below it."""
    parts: list[str] = []
    cited: set[str] = set()
    for turn in turns:
        question = " ".join(turn.question.split())
        answer = _with_lower_headings(turn.answer).strip()
        cited.update(_cited_names(turn.sources))
        if turn.cancelled:
            answer = f"{answer}\n\n{phrases_for(turn.question).partial}".strip()
        sources = "".join(f"- {_link(source)}\n" for source in turn.sources if source.cited)
        parts.append(f"## {question}\n\n{answer}\n" + (sources and f"\n{sources}"))
    # Once more, as a whole: addresses of pages are written by others, too.
    return harmless("\n".join(parts), lambda target: target.casefold() in cited)


def _with_lower_headings(answer: str) -> str:
    """The answer with its headings two levels lower; lines of code stay."""
    parts = _FENCED.split(answer)
    parts[::2] = [_HEADING.sub(r"##\1 ", text) for text in parts[::2]]
    return "".join(parts)


def _cited_names(sources: Sequence[AskSource]) -> Iterator[str]:
    return (name for source in sources if source.cited for name in embed_names(source.path))


def _link(source: AskSource) -> str:
    if "://" in source.path:  # a web page
        return f"[{source.n}] <{source.path}>"
    return f"[{source.n}] [[{link_name(source.path)}]]"


class Agent:
    """Answers the questions of one caller."""

    def __init__(
        self,
        vault: OpenVault,
        providers: Providers,
        conversations: Conversations,
        cancel: Cancel,
        permissions: Permissions | None = None,
    ) -> None:
        """`permissions` has the questions that a person is asked; None: nobody can be asked."""
        self._vault = vault
        self._providers = providers
        self._conversations = conversations
        self._cancel = cancel
        self._permissions = permissions

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
        draft = AnswerDraft(request.question, self._vault.record.name, conversation)
        self._conversations.save_turn(conversation, draft.stopped())
        try:
            asks = self._permissions if request.may_ask else None
            yield from self._begin(draft, past, providers, provider, asks)
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
        self,
        draft: AnswerDraft,
        past: tuple[AskReply, ...],
        providers: Providers,
        provider: ChatModel,
        asks: Permissions | None,
    ) -> Iterator[StreamEvent]:
        """Report the results of a keyword search, then let the model answer."""
        instant = SearchRequest(draft.question, limit=_INSTANT_RESULTS, mode="keyword", door="ask")
        yield StreamEvent("found", AskFound(self._vault.ask(instant).results))
        model = providers.choose(provider)
        parts = (self._vault, providers, provider, model, self._cancel)
        yield from ToolLoop(*parts, permissions=asks).run(draft, past)


def _notice(providers: Providers, conversation: str) -> StreamEvent:
    """The event that says what leaves this computer, and where it goes."""
    rules = providers.rules
    by_code = _LEAVES_BY_CODE if rules.code_tool else ""
    by_search = _LEAVES_BY_SEARCH if rules.web and "{query}" in rules.web_search_url else ""
    leaves = _LEAVES + by_code + (_LEAVES_BY_WEB if rules.web else "") + by_search
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
        self._vault = vault
        self._conversations = Conversations(vault.folder)
        self._permissions = Permissions()

    def answer(self, request: AskRequest, cancel: Cancel) -> Iterator[StreamEvent]:
        """The events of an answer; an `answer` or an `error` is the last."""
        chat = self._vault.chat()
        try:
            with self._vault.for_assistants(self._vault) as seen:
                agent = Agent(seen, chat, self._conversations, cancel, self._permissions)
                yield from agent.answer(request)
        except NotewellError as error:
            yield StreamEvent("error", AskFailed(error.code, error.message))

    def permit(self, request: PermitAddressRequest) -> AskPermittedReply:
        """Take the person's answer about an address. NotFoundError where nobody waits for it."""
        self._permissions.answer(request.id, allow=request.allow)
        return AskPermittedReply(request.id, request.allow)

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


def open_feature(vault: OpenVault) -> OpenFeature:
    """Questions about a vault, as its engine asks for them."""
    asking = AskService(vault)
    return OpenFeature(
        answers={
            AskModelsRequest: asking.models,
            ConversationRequest: asking.conversation,
            ConversationsRequest: asking.conversations,
            ForgetConversationRequest: asking.forget,
            SaveConversationRequest: asking.save,
            PermitAddressRequest: asking.permit,
        },
        streams={AskRequest: asking.answer},
        searches={"llm": Expander(vault.chat).search},
    )
