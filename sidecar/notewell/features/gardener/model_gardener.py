"""Has a language model look at notes for a plan, and tells before what that would send."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from notewell.base.errors import ConfigError, ProviderError, UsageError
from notewell.base.support.http import Cancel
from notewell.contract.chat import ModelView
from notewell.engine.runs import RunProgress
from notewell.features.gardener.garden import Garden, NoteFacts
from notewell.features.gardener.model_prompt import (
    SPEC,
    ModelRequest,
    RequestSizes,
    halves,
    requests,
)
from notewell.features.gardener.model_reply import Advice, NewTopic, read_advice
from notewell.features.gardener.model_suggestions import Advised
from notewell.features.gardener.requests import GardenCheck, GardenModelReply
from notewell.features.gardener.rules import GardenRules
from notewell.features.gardener.state import CheckedNote
from notewell.features.gardener.suggestion import Suggestion
from notewell.models.chat.messages import ChatModel, Turn
from notewell.models.chat.prices import PRICES_OF, price
from notewell.models.chat.providers import Providers

AGAIN = timedelta(days=1)  # the earliest that a changed note is looked at again
SKIPPED = timedelta(days=7)  # the same for a note of which the model said nothing usable
MOST_REMEMBERED = 20_000  # notes
MOST_NOTES = 50  # of one plan
_SENT = (
    "paths, titles, topics, descriptions and the beginnings of these notes, the names of your"
    " topics, what their folders are for, and your instructions for them"
)
_MALFORMED = "The model's answer for this note was not as asked; it is tried again in a week."


@dataclass(slots=True)
class Looked:
    """The result of a look: suggestions, and its notes, `skipped` those without a use."""

    suggestions: list[Suggestion] = field(default_factory=list)
    notes: list[NoteFacts] = field(default_factory=list)
    skipped: set[str] = field(default_factory=set)
    new: dict[str, NewTopic] = field(default_factory=dict)  # topics proposed so far, by name

    def of(self, check: GardenCheck) -> Iterator[Suggestion]:
        """The suggestions of one check."""
        return (one for one in self.suggestions if one.check == check)

    def checked(self, before: Mapping[str, CheckedNote]) -> Mapping[str, CheckedNote]:
        """The notes that are known to have been looked at afterwards."""
        return remembered(before, self.notes, self.skipped, datetime.now(UTC))


class ModelGardener:
    """One look at one vault with the configured language model."""

    def __init__(
        self, vault: str, providers: Providers, rules: GardenRules, topics: str, *, offline: bool
    ) -> None:
        """`topics` is the folder of topics. Nothing is sent yet."""
        self._vault = vault
        self._providers = providers
        self._rules = rules
        self._topics = topics
        self._offline = offline

    def estimate(self, garden: Garden, checked: Mapping[str, CheckedNote]) -> GardenModelReply:
        """An estimate of a look now; no note is sent. Raises as `look` before it sends."""
        _, model = self._open(Cancel())
        waiting = due(garden, self._topics, checked, datetime.now(UTC))
        planned = list(self._requests(garden, waiting, model, []))
        read = sum(one.tokens for one in planned)
        written = sum(one.answer_tokens for one in planned)
        host, local = self._providers.host, self._providers.local
        dollars = price(host, model.name, read=read, written=written, local=local)
        return GardenModelReply(
            vault=self._vault,
            provider=self._providers.rules.provider,
            host=host,
            local=local,
            model=model.name,
            notes=sum(len(one.notes) for one in planned),
            waiting=len(waiting),
            requests=len(planned),
            tokens=read,
            answer_tokens=written,
            dollars=None if dollars is None else round(dollars, 4),
            prices_of=PRICES_OF,
            sent=_SENT,
        )

    def agree(self, host: str | None) -> None:
        """Raise UsageError unless the person agreed to send notes to this host.

        Raises ConfigError where there is no model, or none that may be reached.
        """
        self._open(Cancel(), choose=False)
        if not self._providers.local and host != self._providers.host:
            raise UsageError(
                f"A plan with the language model sends notes to {self._providers.host}. `notewell"
                " garden plan --model` in a terminal says what that takes and asks; a request"
                " agrees by naming the host.",
                code="consent_required",
            )

    def look(
        self, garden: Garden, checked: Mapping[str, CheckedNote], progress: RunProgress
    ) -> Looked:
        """Send the notes that are due, and make suggestions of what comes back.

        A provider that fails ends the look; what came before it stays. Raises ConfigError,
        ProviderError where nothing came, and CancelledError.
        """
        provider, model = self._open(Cancel())
        budget = self._rules.model_tokens
        asking = _ModelCalls(garden, self._topics, provider, model.name, progress, budget)
        waiting = due(garden, self._topics, checked, datetime.now(UTC))
        empty: list[NoteFacts] = []
        for request in self._requests(garden, waiting, model, empty):
            try:
                asking.send(request)
            except ProviderError as error:
                if not asking.looked.notes:
                    raise
                progress.problem(None, error.message)
                break
        asking.looked.notes += empty
        return asking.looked

    def _open(self, cancel: Cancel, *, choose: bool = True) -> tuple[ChatModel, ModelView]:
        provider = self._providers.open(cancel)
        if self._offline and not self._providers.local:
            raise ConfigError(
                f"The setting `offline` forbids to send notes to {self._providers.host}."
            )
        none = ModelView("", 0, 0, None, known=False)
        return provider, self._providers.choose(provider) if choose else none

    def _requests(
        self,
        garden: Garden,
        waiting: tuple[NoteFacts, ...],
        model: ModelView,
        empty: list[NoteFacts],
    ) -> Iterator[ModelRequest]:
        sizes = RequestSizes.of(model.input_limit, model.output_limit)
        budget = self._rules.model_tokens
        return requests(garden, waiting, sizes, budget=budget, most=MOST_NOTES, empty=empty)


@dataclass(slots=True)
class _ModelCalls:
    """Sends requests to one model, and gathers what comes of them in `looked`."""

    garden: Garden
    topics: str
    provider: ChatModel
    model: str
    progress: RunProgress
    budget: int  # tokens that all requests together may read
    looked: Looked = field(default_factory=Looked)

    def send(self, request: ModelRequest) -> None:
        """Send one request, if it is within the budget.

        An answer that was too long is asked for again in two parts.
        """
        counts = self.progress.counts
        self.progress.check()
        if counts["model_tokens"] + request.tokens > self.budget:
            return
        turn = self._turn(request)
        counts["model_requests"] += 1
        counts["model_tokens"] += request.tokens
        if turn.cut and (parts := halves(request)):
            for part in parts:
                self.send(part)
        else:
            counts["model_notes"] += len(request.notes)
            self._follow(request, read_advice(turn))

    def _turn(self, request: ModelRequest) -> Turn:
        """The model's turn; a run that is cancelled ends at its next piece."""
        turn = Turn("")
        most = request.answer_tokens
        for piece in self.provider.stream(self.model, request.messages, (SPEC,), most):
            self.progress.check()
            if isinstance(piece, Turn):
                turn = piece
        return turn

    def _follow(self, request: ModelRequest, advice: Advice | None) -> None:
        looked, sent = self.looked, {note.path: note for note in request.notes}
        looked.notes += request.notes
        if advice is None:
            looked.skipped |= sent.keys()
            for path in sent:
                self.progress.problem(path, _MALFORMED)
            return
        self.progress.counts["model_ignored"] += advice.ignored
        looked.skipped |= sent.keys() - {one.path for one in advice.notes}
        advised = Advised(self.garden, self.topics, advice, sent, looked.new, self.progress.problem)
        looked.suggestions += advised.suggestions()


def due(
    garden: Garden, topics: str, checked: Mapping[str, CheckedNote], now: datetime
) -> tuple[NoteFacts, ...]:
    """The notes to look at, those that were written last first.

    Those that were never looked at, and those that changed since and were looked at more than a
    day ago. Notes that were skipped come after seven days, whether they changed or not. Daily notes
    are left out, and so are those of the folder `topics`: topics, index notes and instructions.
    """
    own = f"{topics.strip('/')}/".casefold()
    found = [
        note
        for note in garden.tended_notes()
        if not note.path.casefold().startswith(own)
        and not garden.is_daily(note)
        and _is_due(note, checked.get(note.path), now)
    ]
    return tuple(sorted(found, key=lambda note: (-note.touched, note.path)))


def _is_due(note: NoteFacts, before: CheckedNote | None, now: datetime) -> bool:
    if before is None:
        return True
    waited = now - datetime.fromisoformat(before.at)
    if before.skipped:
        return waited >= SKIPPED
    return before.hash != note.content_hash.hex() and waited >= AGAIN


def remembered(
    before: Mapping[str, CheckedNote],
    notes: Iterable[NoteFacts],
    skipped: Iterable[str],
    now: datetime,
) -> Mapping[str, CheckedNote]:
    """The notes looked at, after a check of some; the longest known ones are forgotten."""
    left = set(skipped)
    at = now.isoformat(timespec="seconds")
    fresh = {
        note.path: CheckedNote(note.content_hash.hex(), at, skipped=note.path in left)
        for note in notes
    }
    after = {**{path: one for path, one in before.items() if path not in fresh}, **fresh}
    return dict(list(after.items())[-MOST_REMEMBERED:])
