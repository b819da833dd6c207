"""One answer: a bounded number of rounds of a language model with tools.

Text is held back until there is a source for it: without any, the answer is that the notes do not
have it, whatever the model would have said.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

from notewell.ask import prompts
from notewell.ask.conversations import within
from notewell.ask.prompts import Phrases, phrases_for
from notewell.ask.sources import NumberedSources, check
from notewell.ask.tools import Tools, Vault
from notewell.ask.web_reader import Pages
from notewell.contract.ask import AskEvent, AskReply, AskStep, AskText, ModelView
from notewell.errors import ProviderError
from notewell.models.chat.messages import ChatModel, Message, ToolSpec, Turn
from notewell.models.chat.providers import Providers
from notewell.support.http import Cancel
from notewell.types import AskRules

_CALLS_A_ROUND = 4
_MARK = len(prompts.NOT_THERE)
_QUESTION_CHARS = 500  # of a rewritten question


def _now() -> str:
    return datetime.now(UTC).isoformat()


@dataclass(slots=True)
class Draft:
    """What is known so far of an answer. `text` is the last round's, as far as it was shown."""

    question: str
    vault: str
    conversation: str
    asked: str = field(default_factory=_now)
    standalone: str = ""
    model: str = ""
    text: str = ""
    partial: bool = False
    steps: int = 0
    warnings: list[str] = field(default_factory=list)
    catalogue: NumberedSources = field(default_factory=NumberedSources)

    def reply(self, *, general: bool) -> AskReply:
        """The answer with its citations checked; `general`: the model's own knowledge may do."""
        phrases = phrases_for(self.question)
        numbers = self.catalogue.numbers
        said = self.text.strip()
        missing = said.startswith(prompts.NOT_THERE)
        checked = check(said.removeprefix(prompts.NOT_THERE).strip(), numbers)
        text = checked.text
        general = not checked.cited and general and bool(text)
        if general:
            text = f"{phrases.general}\n\n{text}"
        elif not numbers or not text or missing:
            text = phrases.nothing
        elif not checked.cited:
            text = f"{text}\n\n{self._listed(phrases)}"
        if self.partial:
            text = f"{text}\n\n{phrases.partial}"
        grounded = bool(checked.cited) and not missing
        return self._as(text, checked.cited, checked.invalid, grounded=grounded, general=general)

    def stopped(self) -> AskReply:
        """What had come of the answer when it was stopped."""
        checked = check(self.text.strip(), self.catalogue.numbers)
        return self._as(
            checked.text, checked.cited, checked.invalid, grounded=bool(checked.cited), stopped=True
        )

    def _as(
        self,
        text: str,
        cited: Sequence[int],
        invalid: tuple[int, ...],
        *,
        grounded: bool,
        general: bool = False,
        stopped: bool = False,
    ) -> AskReply:
        return AskReply(
            question=self.question,
            standalone=self.standalone or self.question,
            vault=self.vault,
            conversation=self.conversation,
            model=self.model,
            answer=text,
            sources=self.catalogue.sources(cited),
            grounded=grounded,
            general=general,
            partial=self.partial,
            invalid=invalid,
            steps=self.steps,
            warnings=tuple(self.warnings),
            asked=self.asked,
            cancelled=stopped,
        )

    def _listed(self, phrases: Phrases) -> str:
        """The sources under a heading, for a model that forgot to cite them."""
        lines = (f"[{one.n}] {one.title} ({one.path})" for one in self.catalogue.sources(()))
        return "\n".join([f"## {phrases.sources}", "", *lines])


class ToolLoop:
    """Has one model answer one question."""

    def __init__(
        self,
        vault: Vault,
        providers: Providers,
        provider: ChatModel,
        model: ModelView,
        cancel: Cancel,
    ) -> None:
        """Nothing is sent yet."""
        self._vault = vault
        self._rules: AskRules = providers.rules
        self._provider = provider
        self._model = model
        self._cancel = cancel
        self._budget = providers.budget(model)
        self._messages: list[Message] = []

    def run(self, draft: Draft, past: Sequence[AskReply]) -> Iterator[AskEvent]:
        """Fill in the draft; events of the way."""
        draft.model = self._model.name
        draft.standalone = draft.question
        kept = within(past, self._budget // 4, self._vault.count_tokens)
        if kept:
            draft.standalone = self._standalone(draft.question, kept)
            yield AskEvent("step", AskStep(1, "rewrite", draft.question, draft.standalone))
        pages = Pages(self._rules.web_search_url) if self._rules.web else None
        tools = Tools(self._vault, draft.catalogue, pages, budget=self._budget)
        begun = tools.begin(draft.standalone)
        draft.warnings += [*begun.warnings, *self._missing()]
        yield AskEvent("step", AskStep(1, "context", begun.about, begun.outcome))
        self._messages = [
            Message("system", prompts.system(general=self._rules.general_knowledge)),
            *_said(kept),
            Message("user", prompts.asked(draft.question, begun.text)),
        ]
        yield from self._rounds(draft, tools)

    def _missing(self) -> Iterator[str]:
        """What is not found now may be there later."""
        if waiting := self._vault.waiting():
            yield f"The index is being built: {waiting:,} notes are not searched yet."

    def _standalone(self, question: str, past: Sequence[AskReply]) -> str:
        asked = [Message("system", prompts.rewriting()), *_said(past[-3:])]
        turn = _whole(self._stream([*asked, Message("user", question)], ()))
        rewritten = " ".join(turn.text.split())
        return rewritten if 0 < len(rewritten) <= _QUESTION_CHARS else question

    def _rounds(self, draft: Draft, tools: Tools) -> Iterator[AskEvent]:
        """Let the model use tools until it answers, or until its rounds are used up."""
        for n in range(1, max(self._rules.steps, 1) + 1):
            draft.steps = n
            turn = yield from self._round(draft, tools.specs)
            if not turn.calls:
                return
            self._messages.append(Message("assistant", turn.text, turn.calls))
            draft.text = ""
            for at, call in enumerate(turn.calls):
                self._cancel.check()
                if at >= _CALLS_A_ROUND:
                    self._messages.append(Message("tool", "Too many at once.", call_id=call.id))
                    continue
                used = tools.use(call)
                yield AskEvent("step", AskStep(n, call.name, used.about, used.outcome))
                self._messages.append(Message("tool", used.text, call_id=call.id))
        draft.partial = True
        draft.warnings.append(f"The answer was ended after {draft.steps} rounds (`ask.steps`).")
        self._messages.append(Message("user", prompts.last_round(draft.standalone)))
        yield from self._round(draft, ())

    def _round(self, draft: Draft, tools: Sequence[ToolSpec]) -> Generator[AskEvent, None, Turn]:
        """One turn of the model. Text goes out once there is a source for it."""
        said, waiting = "", ""
        turn = Turn("")
        may_say = bool(draft.catalogue.numbers) or self._rules.general_knowledge
        try:
            for piece in self._stream(self._messages, tools):
                if isinstance(piece, Turn):
                    turn = piece
                    continue
                said += piece
                waiting += piece
                # What may become our own word for "not there" is not shown.
                if may_say and not prompts.NOT_THERE.startswith(said.lstrip()[:_MARK]):
                    draft.text = said
                    yield AskEvent("text", AskText(waiting))
                    waiting = ""
        except ProviderError as error:
            if not said.strip():
                raise
            draft.partial = True
            draft.warnings.append(error.message)
            turn = Turn(said)
        if turn.cut:
            draft.partial = True
            draft.warnings.append("The answer was too long for `ask.answer_tokens`.")
        draft.text = turn.text
        return turn

    def _stream(
        self, messages: Sequence[Message], tools: Sequence[ToolSpec]
    ) -> Iterator[str | Turn]:
        self._cancel.check()
        most = self._rules.answer_tokens
        if self._model.output_limit is not None:
            most = min(most, self._model.output_limit)
        return self._provider.stream(self._model.name, messages, tools, most)


def _said(past: Sequence[AskReply]) -> list[Message]:
    """A conversation as the model was told it."""
    return [
        message
        for turn in past
        for message in (Message("user", turn.question), Message("assistant", turn.answer))
    ]


def _whole(pieces: Iterator[str | Turn]) -> Turn:
    return next((piece for piece in pieces if isinstance(piece, Turn)), Turn(""))
