"""Plans of suggestions: their edits, and the file that keeps them with a person's decisions."""

from __future__ import annotations

import difflib
import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field, replace
from pathlib import Path
from typing import get_args

from notewell.api.errors import NotFoundError, UsageError, WriteError
from notewell.api.files import StateFile
from notewell.api.notes import PropertyEdit, edit_properties, read_frontmatter
from notewell.api.types import PropertyValue, frozen
from notewell.contract.codec import from_json, to_json
from notewell.features.gardener.requests import (
    GardenCheck,
    PlanReply,
    PlanSummary,
    SuggestedEdit,
    SuggestionState,
    SuggestionView,
    TextEdit,
)
from notewell.vault.parse import one_line_end
from notewell.vault.properties import body_start

_AROUND = 1  # lines of the note that a diff shows around a change
_LONGEST_LINE = 300  # of a diff
NAME = "garden.json"
MOST_REMEMBERED = 20_000  # decisions, the newest
_BUSY_SECONDS = 60.0


def suggestion(
    check: GardenCheck,
    path: str,
    title: str,
    evidence: str,
    confidence: float,
    *,
    edits: Iterable[SuggestedEdit],
    subject: str,
    diff: str = "",
) -> SuggestionView:
    """One thing to tend: why, how sure (0..1), and the edits of all notes that it touches.

    `path` is the note that it is about. `subject` is what it says of that note apart from places
    that move when the note is edited. Its id are 12 hexadecimal digits of the check, the path and
    the subject, so that the same suggestion has the same id again. `diff` is shown for one without
    edits; of others a plan makes it.
    """
    key = json.dumps([check, path, subject], ensure_ascii=False)
    return SuggestionView(
        id=hashlib.blake2b(key.encode("utf-8", "replace"), digest_size=6).hexdigest(),
        check=check,
        path=path,
        title=title,
        evidence=evidence,
        confidence=confidence,
        edit=tuple(edits),
        diff=diff,
        state="open",
    )


def apply_edits(text: str, edits: Iterable[SuggestedEdit]) -> str:
    """The text of a note after edits that were made for it as it is; line ends stay.

    A note that does not exist has the text ""; one that does keeps its text where an edit would
    make it.

    Raises WriteError (code "not_the_note") where a replaced text does not stand in its place, and
    what `edit_properties` raises.
    """
    every = tuple(edits)
    text = text or next((edit.create for edit in every if edit.create), "")
    body = body_start(one_line_end(text))
    texts = (change for edit in every for change in edit.text)
    for change in sorted(texts, key=lambda text: text.start, reverse=True):
        start, end = body + change.start, body + change.start + len(change.old)
        if text[start:end] != change.old:
            raise WriteError(
                f"In line {change.line} the note does not say what it said. Make a new plan.",
                code="not_the_note",
            )
        text = f"{text[:start]}{change.new}{text[end:]}"
    for edit in every:
        text = _with_properties(text, edit)
    return text


def _with_properties(text: str, edit: SuggestedEdit) -> str:
    if edit.swap:
        known = read_frontmatter(one_line_end(text)).properties
        swapped = {
            name: _swap(known[name], words) for name, words in edit.swap.items() if name in known
        }
        text = edit_properties(text, swapped)
    if edit.set or edit.add:
        text = PropertyEdit(set=edit.set, add=edit.add)(text)
    return text


def _swap(value: PropertyValue, words: Mapping[str, str]) -> PropertyValue:
    """A list with texts exchanged, each once; a text that is the value is exchanged itself."""
    if isinstance(value, str):
        return words.get(value, value)
    if not isinstance(value, tuple):
        return value
    items = [words.get(item, item) if isinstance(item, str) else item for item in value]
    return tuple(item for n, item in enumerate(items) if item not in items[:n])


def clash(one: SuggestedEdit, other: SuggestedEdit) -> bool:
    """True if two edits of one note cannot both be made."""
    if one.create != other.create:
        return True
    names = {*one.set, *one.swap} & {*other.set, *other.add, *other.swap}
    if names or {*one.add} & {*other.set, *other.swap}:
        return True
    return any(_overlap(a, b) for a in one.text for b in other.text)


def _overlap(one: TextEdit, other: TextEdit) -> bool:
    if one.start == other.start:
        return True
    first, second = sorted((one, other), key=lambda place: place.start)
    return first.start + len(first.old) > second.start


def diff_of(path: str, before: str, after: str) -> str:
    """The unified diff of two texts of a note; "" if they are the same. Long lines are cut."""
    lines = difflib.unified_diff(_lines(before), _lines(after), path, path, lineterm="", n=_AROUND)
    return "".join(f"{_cut(line)}\n" for line in lines)


def _lines(text: str) -> Sequence[str]:
    return one_line_end(text).split("\n")


def _cut(line: str) -> str:
    line = line.rstrip(" ") if len(line) > 1 else line
    return line if len(line) <= _LONGEST_LINE else f"{line[:_LONGEST_LINE]}…"


def problem_of(text: str, edits: Sequence[SuggestedEdit]) -> str | None:
    """Why edits cannot be made in a text; None if they can."""
    try:
        apply_edits(text, edits)
    except (WriteError, UsageError) as error:
        return error.message
    return None


def edits_of(suggestions: Iterable[SuggestionView], path: str) -> tuple[SuggestedEdit, ...]:
    """The edits of one note that suggestions make."""
    return tuple(edit for view in suggestions for edit in view.edit if edit.path == path)


def paths_of(view: SuggestionView) -> tuple[str, ...]:
    """The notes that a suggestion changes."""
    return tuple(dict.fromkeys(edit.path for edit in view.edit))


def counts_of(plan: GardenPlan) -> Mapping[SuggestionState, int]:
    """The number of suggestions of a plan in each state."""
    counts = Counter(view.state for view in plan.suggestions)
    return {state: counts[state] for state in get_args(SuggestionState)}


def summary_of(plan: GardenPlan) -> PlanSummary:
    """A plan without its suggestions."""
    return PlanSummary(plan.id, plan.created, plan.note, plan.checks, counts_of(plan), plan.more)


def reply_of(vault: str, plan: GardenPlan) -> PlanReply:
    """A plan as it is shown."""
    return PlanReply(
        vault,
        plan.id,
        plan.created,
        plan.note,
        plan.checks,
        plan.suggestions,
        counts_of(plan),
        plan.more,
    )


@frozen
class GardenPlan:
    """A plan. `hashes` has the content hash of each of its notes as it knows the note.

    That is the hash before, and after applying the one that was written. The plan's own note is
    among them.
    """

    id: str
    created: str
    note: str | None
    checks: tuple[GardenCheck, ...]
    suggestions: tuple[SuggestionView, ...]
    hashes: Mapping[str, str]
    more: int = 0

    def with_states(self, changed: Mapping[str, SuggestionView]) -> GardenPlan:
        """The plan with some suggestions replaced, by id."""
        return replace(
            self, suggestions=tuple(changed.get(view.id, view) for view in self.suggestions)
        )


@frozen
class Decision:
    """A person's decision on a suggestion, and its time."""

    check: GardenCheck
    path: str
    title: str
    at: str


@frozen
class Unfinished:
    """Writes that were begun: if the process dies, the next one ends them.

    `seen` has the hash of each note before them. `undoing`: they take suggestions back.
    """

    plan: str
    ids: tuple[str, ...]
    seen: Mapping[str, str]
    undoing: bool


@frozen
class CheckedNote:
    """A note that a language model has looked at: its content hash then, and when that was.

    `skipped`: nothing usable came of it.
    """

    hash: str
    at: str
    skipped: bool = False


@frozen
class GardenState:
    """Plans, oldest first; decisions by suggestion; and what was begun and not ended.

    `checked` are the notes that a language model has looked at.
    """

    format: int = 1
    plans: tuple[GardenPlan, ...] = ()
    rejected: Mapping[str, Decision] = field(default_factory=dict)
    applied: Mapping[str, Decision] = field(default_factory=dict)
    unfinished: Unfinished | None = None
    checked: Mapping[str, CheckedNote] = field(default_factory=dict)

    def plan(self, key: str) -> GardenPlan:
        """One plan; NotFoundError if there is none of this id."""
        for plan in self.plans:
            if plan.id == key:
                return plan
        raise NotFoundError(
            f"There is no plan {key}. `notewell garden show` shows the newest; plans are kept for"
            " 7 days.",
            code="plan_not_found",
        )

    def with_plan(self, plan: GardenPlan) -> GardenState:
        others = tuple(other for other in self.plans if other.id != plan.id)
        return replace(self, plans=tuple(sorted((*others, plan), key=lambda other: other.id)))

    def without_plan(self, key: str) -> GardenState:
        return replace(self, plans=tuple(plan for plan in self.plans if plan.id != key))


class GardenFile(StateFile[GardenState]):
    """The gardener's file of one vault. Any thread and any process may use it."""

    def __init__(self, folder: Path) -> None:
        """`folder` is created with the first change."""
        super().__init__(folder / NAME, busy_seconds=_BUSY_SECONDS)

    def empty(self) -> GardenState:
        return GardenState()

    def decode(self, raw: bytes) -> GardenState:
        """The state of a file; raises ServerError if it is damaged."""
        return from_json(GardenState, raw)

    def encode(self, state: GardenState) -> bytes:
        """The file of a state, without what was decided long ago."""
        kept = replace(state, rejected=_newest(state.rejected), applied=_newest(state.applied))
        readable = json.dumps(json.loads(to_json(kept)), ensure_ascii=False, indent=1)
        return readable.encode("utf-8", "replace")

    def unusable(self, error: Exception) -> WriteError:
        return WriteError(
            f"The gardener's file cannot be used ({self.file}: {error}). Check the data"
            " directory's disk, or move the file away: then plans and rejections are forgotten.",
            code="garden_unusable",
        )


def _newest(decisions: Mapping[str, Decision]) -> Mapping[str, Decision]:
    if len(decisions) <= MOST_REMEMBERED:
        return decisions
    newest = sorted(decisions.items(), key=lambda one: one[1].at)[-MOST_REMEMBERED:]
    return dict(newest)
