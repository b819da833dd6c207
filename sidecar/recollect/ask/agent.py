"""Answering a question: a bounded number of rounds of a language model with tools.

Everything that happens is an event. Nothing is sent before the notice of what leaves the computer
was given. Text is held back until there is a source for it: without any, the answer is that the
notes do not have it, whatever the model would have said.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass, field

from recollect.ask import prompts
from recollect.ask.catalogue import Catalogue
from recollect.ask.citations import check
from recollect.ask.conversations import Conversations, Exchange, cited, within
from recollect.ask.messages import Cancel, Message, Provider, ToolSpec, Turn
from recollect.ask.pages import Pages
from recollect.ask.phrases import Phrases, phrases_for
from recollect.ask.providers import Providers
from recollect.ask.tools import Tools, Vault
from recollect.errors import ProviderError
from recollect.replies.ask import (
    AskEvent,
    AskFound,
    AskNotice,
    AskReply,
    AskStep,
    AskText,
    ModelView,
)
from recollect.types import AskRules, SearchRequest

_INSTANT = 5  # results shown while the model thinks
_CALLS_A_ROUND = 4
_MARK = len(prompts.NOT_THERE)
_QUESTION_CHARS = 500  # of a rewritten question
_LEAVES = "your question, this conversation so far, and passages of the notes that are found for it"


@dataclass(frozen=True, slots=True)
class Asked:
    """A question, the conversation that it goes on with, and a model other than the one set."""

    question: str
    conversation: str | None = None
    model: str | None = None


@dataclass(slots=True)
class _State:
    """What is known so far of an answer."""

    messages: list[Message]
    text: str = ""
    partial: bool = False
    steps: int = 0
    warnings: list[str] = field(default_factory=list)


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

    def answer(self, asked: Asked) -> Iterator[AskEvent]:
        """The events of an answer, an `answer` last.

        Raises:
            ConfigError: no provider is configured (code "ask_off"), or not rightly.
            ProviderError: it does not answer; what was said before is lost.
            NotFoundError: the conversation is not there.
            CancelledError: the caller gave up.

        """
        past = self._conversations.read(asked.conversation) if asked.conversation else ()
        providers = self._providers.using(asked.model)
        provider = providers.open(self._cancel)
        yield _notice(providers)
        found = self._vault.search(
            SearchRequest(asked.question, limit=_INSTANT, mode="keyword", door="ask")
        )
        yield AskEvent("found", AskFound(found.results))
        model = providers.choose(provider)
        one = _Answering(self._vault, providers, provider, model, self._cancel)
        reply = yield from one.run(
            asked.question, past, asked.conversation or self._conversations.fresh()
        )
        self._conversations.keep(
            reply.conversation,
            [*past, Exchange(asked.question, reply.answer, cited(reply.sources))],
        )
        yield AskEvent("answer", reply)


def _notice(providers: Providers) -> AskEvent:
    """What leaves this computer, and where to."""
    rules = providers.rules
    leaves = _LEAVES if not rules.web else f"{_LEAVES}; pages of the web are read"
    return AskEvent(
        "notice",
        AskNotice(
            provider=rules.provider,
            host=providers.host,
            model=rules.model or "(the best that is offered)",
            local=providers.local,
            leaves=leaves,
        ),
    )


class _Answering:
    """One answer by one model."""

    def __init__(
        self,
        vault: Vault,
        providers: Providers,
        provider: Provider,
        model: ModelView,
        cancel: Cancel,
    ) -> None:
        self._vault = vault
        self._rules: AskRules = providers.rules
        self._provider = provider
        self._model = model
        self._cancel = cancel
        self._budget = providers.budget(model)
        self._catalogue = Catalogue()
        pages = Pages(self._rules.web_search_url) if self._rules.web else None
        self._tools = Tools(vault, self._catalogue, pages, budget=max(self._budget // 4, 256))

    def run(
        self, question: str, past: Sequence[Exchange], conversation: str
    ) -> Generator[AskEvent, None, AskReply]:
        """Events of the way; returns the reply."""
        kept = within(past, self._budget // 4, self._vault.count_tokens)
        standalone = question
        if kept:
            standalone = self._standalone(question, kept)
            yield AskEvent("step", AskStep(1, "rewrite", question, standalone))
        begun = self._tools.begin(standalone, self._budget // 2)
        yield AskEvent("step", AskStep(1, "context", begun.about, begun.outcome))
        state = _State(self._messages(question, kept, begun.text))
        yield from self._rounds(state, standalone)
        return self._reply(state, question, standalone, conversation)

    def _messages(self, question: str, past: Sequence[Exchange], sources: str) -> list[Message]:
        said = [Message("system", prompts.system(general=self._rules.general_knowledge))]
        for exchange in past:
            said += [Message("user", exchange.question), Message("assistant", exchange.answer)]
        return [*said, Message("user", prompts.asked(question, sources))]

    def _standalone(self, question: str, past: Sequence[Exchange]) -> str:
        said = [Message("system", prompts.rewriting())]
        for exchange in past[-3:]:
            said += [Message("user", exchange.question), Message("assistant", exchange.answer)]
        turn = _whole(self._stream([*said, Message("user", question)], ()))
        rewritten = " ".join(turn.text.split())
        return rewritten if 0 < len(rewritten) <= _QUESTION_CHARS else question

    def _rounds(self, state: _State, question: str) -> Iterator[AskEvent]:
        """Let the model use tools until it answers, or until its rounds are used up."""
        for n in range(1, max(self._rules.steps, 1) + 1):
            state.steps = n
            turn = yield from self._round(state, self._tools.specs)
            if not turn.calls:
                return
            state.messages.append(Message("assistant", turn.text, turn.calls))
            state.text = ""
            for at, call in enumerate(turn.calls):
                self._cancel.check()
                if at >= _CALLS_A_ROUND:
                    state.messages.append(Message("tool", "Too many at once.", call_id=call.id))
                    continue
                used = self._tools.use(call)
                yield AskEvent("step", AskStep(n, call.name, used.about, used.outcome))
                state.messages.append(Message("tool", used.text, call_id=call.id))
        state.partial = True
        state.warnings.append(f"The answer was ended after {state.steps} rounds (`ask.steps`).")
        state.messages.append(Message("user", prompts.last_round(question)))
        yield from self._round(state, ())

    def _round(self, state: _State, tools: Sequence[ToolSpec]) -> Generator[AskEvent, None, Turn]:
        """One turn of the model. Text goes out once there is a source for it."""
        said, waiting = "", ""
        turn = Turn("")
        may_say = bool(self._catalogue.numbers) or self._rules.general_knowledge
        try:
            for piece in self._stream(state.messages, tools):
                if isinstance(piece, Turn):
                    turn = piece
                    continue
                said += piece
                waiting += piece
                # What may become our own word for "not there" is not shown.
                if may_say and not prompts.NOT_THERE.startswith(said.lstrip()[:_MARK]):
                    yield AskEvent("text", AskText(waiting))
                    waiting = ""
        except ProviderError as error:
            if not said.strip():
                raise
            state.partial = True
            state.warnings.append(error.message)
            turn = Turn(said)
        if turn.cut:
            state.partial = True
            state.warnings.append("The answer was too long for `ask.answer_tokens`.")
        state.text = turn.text
        return turn

    def _stream(
        self, messages: Sequence[Message], tools: Sequence[ToolSpec]
    ) -> Iterator[str | Turn]:
        self._cancel.check()
        most = self._rules.answer_tokens
        if self._model.output_limit is not None:
            most = min(most, self._model.output_limit)
        return self._provider.stream(self._model.name, messages, tools, most)

    # --- the end ---------------------------------------------------------------------------

    def _reply(self, state: _State, question: str, standalone: str, conversation: str) -> AskReply:
        phrases = phrases_for(question)
        numbers = self._catalogue.numbers
        said = state.text.strip()
        missing = said.startswith(prompts.NOT_THERE)
        checked = check(said.removeprefix(prompts.NOT_THERE).strip(), numbers)
        text = checked.text
        general = not checked.cited and self._rules.general_knowledge and bool(text)
        if general:
            text = f"{phrases.general}\n\n{text}"
        elif not numbers or not text or missing:
            text = phrases.nothing
        elif not checked.cited:
            text = f"{text}\n\n{self._listed(phrases)}"
        if state.partial:
            text = f"{text}\n\n{phrases.partial}"
        return AskReply(
            question=question,
            standalone=standalone,
            vault=self._vault.name,
            conversation=conversation,
            model=self._model.name,
            answer=text,
            sources=self._catalogue.sources(checked.cited),
            grounded=bool(checked.cited) and not missing,
            general=general,
            partial=state.partial,
            invalid=checked.invalid,
            steps=state.steps,
            warnings=tuple(state.warnings),
        )

    def _listed(self, phrases: Phrases) -> str:
        """The sources under a heading, for a model that forgot to cite them."""
        lines = (f"[{one.n}] {one.title} ({one.path})" for one in self._catalogue.sources(()))
        return "\n".join([f"## {phrases.sources}", "", *lines])


def _whole(pieces: Iterator[str | Turn]) -> Turn:
    return next((piece for piece in pieces if isinstance(piece, Turn)), Turn(""))
