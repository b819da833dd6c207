"""Has a language model look at notes for a plan, and tells before what that would send."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from functools import cached_property

from notewell.api import OpenVault
from notewell.api.errors import ConfigError, ProviderError, UsageError
from notewell.api.notes import link_name
from notewell.api.vault import RunProgress
from notewell.base.support.http import Cancel
from notewell.contract.context import ModelView
from notewell.features.gardener import GardenRules
from notewell.features.gardener.checks import ARCHIVE, DESCRIBE, MERGE, UPDATE
from notewell.features.gardener.checks.similar_topics import MOST_NOTES, PROPERTY, merge_edits
from notewell.features.gardener.garden import Garden, NoteFacts
from notewell.features.gardener.mentions import property_link
from notewell.features.gardener.model_prompt import (
    SPEC,
    Advice,
    ModelRequest,
    NewTopic,
    NoteAdvice,
    RequestSizes,
    TopicAdvice,
    halves,
    read_advice,
    requests,
)
from notewell.features.gardener.plans import CheckedNote, suggestion
from notewell.features.gardener.requests import (
    GardenCheck,
    GardenModelReply,
    SuggestedEdit,
    SuggestionView,
)
from notewell.models.chat import ChatModel, Turn
from notewell.models.chat.providers import PRICES_OF, price
from notewell.vault.link_targets import NoteNames
from notewell.vault.topics import Topic, alike_in_name, topic_values

# A language model says nothing reliable of how sure it is, so these only order its suggestions.
_KNOWN, _NEW, _DESCRIBED, _OF_TOPICS = 0.6, 0.5, 0.6, 0.5
_UNTOUCHED_S = 7 * 24 * 3600.0  # a topic that is being written is not archived
_PROPERTIES = frozenset({"topics", "topic"})
_DESCRIPTION = "description"
AGAIN = timedelta(days=1)  # the earliest that a changed note is looked at again
SKIPPED = timedelta(days=7)  # the same for a note of which the model said nothing usable
MOST_REMEMBERED = 20_000  # notes
MOST_NOTES_SENT = 50  # of one plan
_SENT = (
    "paths, titles, topics, descriptions and the beginnings of these notes, the names of your"
    " topics, what their folders are for, and your instructions for them"
)
_MALFORMED = "The model's answer for this note was not as asked; it is tried again in a week."


@dataclass(frozen=True)
class AdvisedSuggestions:
    """The advice of a model on some notes. `problem` is called for what cannot be followed."""

    garden: Garden
    folder: str  # of topics, as the settings name it
    advice: Advice
    notes: Mapping[str, NoteFacts]  # those that were sent, by path
    proposed: dict[str, NewTopic]  # new topics of earlier advice, by name; those of this are added
    problem: Callable[[str | None, str], None]

    def suggestions(self) -> Iterator[SuggestionView]:
        for advice in self.advice.notes:
            note = self.notes.get(advice.path)
            if note is None:
                self.problem(None, "The model named a note that it was not sent.")
                continue
            yield from self._topics(note, advice)
            yield from self._describe(note, advice)
        for merge in self.advice.merge:
            yield from self._merge(merge)
        for archive in self.advice.archive:
            yield from self._archive(archive)

    # --- topics of a note ------------------------------------------------------------------

    def _topics(self, note: NoteFacts, advice: NoteAdvice) -> Iterator[SuggestionView]:
        has = {value.topic for value in topic_values([note], self.garden.ontology)}
        for name in advice.topics:
            topic = self._known(name)
            if topic is not None:
                if topic.path not in has:
                    has.add(topic.path)
                    link = property_link(self.garden, topic.path)
                    yield self._update(note, topic.name, link, topic.path, advice.why)
            elif (new := self._new.get(name.casefold())) is not None:
                path, create = self._creation(new)
                link = self._link_to_new(note, path, new.name)
                edit = self._update(note, new.name, link, path, advice.why)
                why = f"{edit.evidence} A new topic: {new.definition}"
                edits = (*edit.edit, create)
                yield replace(edit, evidence=why, edit=edits, confidence=_NEW)
            else:
                self.problem(note.path, f"The model named “{name}”, which is no topic.")

    def _known(self, name: str) -> Topic | None:
        path = self._names.resolve(name, "")
        if path is None:
            asked = Topic(-1, name, "", ())
            alike = alike_in_name([asked, *self.garden.ontology.topics])
            pairs = [(score, other) for first, other, score in alike if first is asked]
            if not pairs:
                return None
            path = max(pairs, key=lambda pair: pair[0])[1].path
        return next((topic for topic in self._usable if topic.path == path), None)

    @cached_property
    def _usable(self) -> Sequence[Topic]:
        return [topic for topic in self.garden.ontology.topics if topic.path in self.garden.tended]

    @cached_property
    def _names(self) -> NoteNames:
        names = NoteNames()
        for topic in self.garden.ontology.topics:
            names.add(topic.path, topic.aliases)
        return names

    @cached_property
    def _new(self) -> Mapping[str, NewTopic]:
        """The new topics that have a definition and are none that exists, by name."""
        for topic in self.advice.new:
            if self._known(topic.name) is None:
                self.proposed.setdefault(topic.name.casefold(), topic)
        return self.proposed

    def _creation(self, new: NewTopic) -> tuple[str, SuggestedEdit]:
        """The note of a new topic: its path, and the edit that makes it."""
        folders = {*self.garden.ontology.index_notes, self.folder.strip("/")}
        folders |= {topic.path.rpartition("/")[0] for topic in self._usable}
        default = next((folder for folder in sorted(folders) if folder.endswith("/Concepts")), None)
        folder = new.folder.strip("/")
        if folder not in folders:
            folder = default or self.folder.strip("/")
        path = f"{folder}/{new.name}.md"
        return path, SuggestedEdit(path, "", create=f"{new.definition}\n")

    def _link_to_new(self, note: NoteFacts, path: str, name: str) -> str:
        is_free = self.garden.names.resolve(name, note.path) is None
        return f"[[{name if is_free else link_name(path)}]]"

    def _update(
        self, note: NoteFacts, name: str, link: str, subject: str, why: str
    ) -> SuggestionView:
        key = next(
            (property_ for property_ in note.properties if property_.lower() in _PROPERTIES),
            "topics",
        )
        return suggestion(
            UPDATE,
            note.path,
            f"topic {name}",
            _because(f"The language model gives {note.path} this topic", why),
            _KNOWN,
            edits=(SuggestedEdit(note.path, note.hash, add={key: (link,)}),),
            subject=subject,
        )

    # --- the rest --------------------------------------------------------------------------

    def _describe(self, note: NoteFacts, advice: NoteAdvice) -> Iterator[SuggestionView]:
        if not advice.description or note.properties.get(_DESCRIPTION):
            return
        edit = SuggestedEdit(note.path, note.hash, set={_DESCRIPTION: advice.description})
        yield suggestion(
            DESCRIBE,
            note.path,
            "a description",
            f"The language model wrote it: {advice.description}",
            _DESCRIBED,
            edits=(edit,),
            # Another wording is the same suggestion, so that a no holds until the note changes.
            subject=note.hash,
        )

    def _merge(self, advice: TopicAdvice) -> Iterator[SuggestionView]:
        left, kept = self._known(advice.topic), self._known(advice.target)
        if left is None or kept is None or left.path == kept.path:
            self.problem(None, f"The model wants to merge “{advice.topic}”, and not into a topic.")
            return
        values = self._uses.get(left.path, [])
        edits = tuple(merge_edits(self.garden, kept, left, values))
        named = {path for path, _ in values}
        if PROPERTY in self.garden.notes[left.path].properties or len(named) > MOST_NOTES:
            return
        if all(edit.path in self.garden.tended for edit in edits):
            yield suggestion(
                MERGE,
                left.path,
                f"topic {left.name} → {kept.name}",
                _because(
                    f"The language model takes both for one; {len(named)} notes name"
                    f" {left.name}: {', '.join(sorted(named)) or 'none'}",
                    advice.why,
                ),
                _OF_TOPICS,
                edits=edits,
                subject=kept.path,
            )

    def _archive(self, advice: TopicAdvice) -> Iterator[SuggestionView]:
        topic = self._known(advice.topic)
        if topic is None:
            self.problem(None, f"The model wants to archive “{advice.topic}”, which is no topic.")
            return
        note = self.garden.notes[topic.path]
        if self._uses.get(topic.path) or self.garden.now - note.touched < _UNTOUCHED_S:
            return
        yield suggestion(
            ARCHIVE,
            topic.path,
            f"archive topic {topic.name}",
            _because(
                f"No note names {topic.name}, and the language model has no use for it", advice.why
            ),
            _OF_TOPICS,
            edits=(SuggestedEdit(topic.path, note.hash, set={"gardener": "ignore"}),),
            subject="archive",
        )

    @cached_property
    def _uses(self) -> Mapping[str, list[tuple[str, str]]]:
        """The notes that name each topic, and what they write."""
        uses: dict[str, list[tuple[str, str]]] = {}
        for value in topic_values(self.garden.notes.values(), self.garden.ontology):
            if value.topic is not None:
                uses.setdefault(value.topic, []).append((value.note, value.written))
        return uses


def _because(what: str, why: str) -> str:
    return f"{what}: {why}" if why else f"{what}."


@dataclass(slots=True)
class ModelLook:
    """The result of a look: suggestions, and its notes, `skipped` those without a use."""

    suggestions: list[SuggestionView] = field(default_factory=list)
    notes: list[NoteFacts] = field(default_factory=list)
    skipped: set[str] = field(default_factory=set)
    new: dict[str, NewTopic] = field(default_factory=dict)  # topics proposed so far, by name

    def of(self, check: GardenCheck) -> Iterator[SuggestionView]:
        return (view for view in self.suggestions if view.check == check)

    def checked(self, before: Mapping[str, CheckedNote]) -> Mapping[str, CheckedNote]:
        """The notes that are known to have been looked at afterwards."""
        return remember_checked(before, self.notes, self.skipped, datetime.now(UTC))


class ModelGardener:
    """One look at one vault with the configured language model."""

    def __init__(self, vault: OpenVault, rules: GardenRules) -> None:
        self._vault = vault
        self._rules = rules
        self._providers = vault.chat()
        self._topics = vault.settings().topics.folder

    def estimate(self, garden: Garden, checked: Mapping[str, CheckedNote]) -> GardenModelReply:
        """An estimate of a look now; no note is sent. Raises as `look` before it sends."""
        _, model = self._open(Cancel())
        waiting = due(garden, self._topics, checked, datetime.now(UTC))
        planned = list(self._requests(garden, waiting, model, []))
        read = sum(request.tokens for request in planned)
        written = sum(request.answer_tokens for request in planned)
        host, local = self._providers.host, self._providers.local
        dollars = price(host, model.name, read=read, written=written, local=local)
        return GardenModelReply(
            vault=self._vault.record.name,
            provider=self._providers.rules.provider,
            host=host,
            local=local,
            model=model.name,
            notes=sum(len(request.notes) for request in planned),
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
    ) -> ModelLook:
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
        if self._vault.settings().offline and not self._providers.local:
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
        return requests(garden, waiting, sizes, budget=budget, most=MOST_NOTES_SENT, empty=empty)


@dataclass(slots=True)
class _ModelCalls:
    """Sends requests to one model, and gathers what comes of them in `looked`."""

    garden: Garden
    topics: str
    provider: ChatModel
    model: str
    progress: RunProgress
    budget: int  # tokens that all requests together may read
    looked: ModelLook = field(default_factory=ModelLook)

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
        looked.skipped |= sent.keys() - {note.path for note in advice.notes}
        advised = AdvisedSuggestions(
            self.garden, self.topics, advice, sent, looked.new, self.progress.problem
        )
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
    waiting = [
        note
        for note in garden.tended_notes()
        if not note.path.casefold().startswith(own)
        and not garden.is_daily(note)
        and _is_due(note, checked.get(note.path), now)
    ]
    return tuple(sorted(waiting, key=lambda note: (-note.touched, note.path)))


def _is_due(note: NoteFacts, before: CheckedNote | None, now: datetime) -> bool:
    if before is None:
        return True
    waited = now - datetime.fromisoformat(before.at)
    if before.skipped:
        return waited >= SKIPPED
    return before.hash != note.hash and waited >= AGAIN


def remember_checked(
    before: Mapping[str, CheckedNote],
    notes: Iterable[NoteFacts],
    skipped: Iterable[str],
    now: datetime,
) -> Mapping[str, CheckedNote]:
    """The notes looked at, after a check of some; the longest known ones are forgotten."""
    left = set(skipped)
    at = now.isoformat(timespec="seconds")
    fresh = {note.path: CheckedNote(note.hash, at, skipped=note.path in left) for note in notes}
    after = {**{path: entry for path, entry in before.items() if path not in fresh}, **fresh}
    return dict(list(after.items())[-MOST_REMEMBERED:])
