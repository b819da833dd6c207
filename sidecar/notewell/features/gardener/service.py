"""The gardener of one vault as the contract shows it: makes plans, applies, rejects and undoes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from itertools import zip_longest
from typing import TYPE_CHECKING

from notewell.api import OpenFeature, OpenVault
from notewell.api.errors import ChangedNoteError, NotFoundError, UnreadableNoteError, UsageError
from notewell.api.vault import RunProgress
from notewell.contract.status import Trigger
from notewell.features.gardener import GardenRules
from notewell.features.gardener.changes import (
    MOST_NOTES,
    Done,
    SuggestionWriter,
    decisions,
    note_name,
    note_text,
)
from notewell.features.gardener.checks import CHECKS, MODEL_CHECKS
from notewell.features.gardener.garden import Garden, read_garden
from notewell.features.gardener.plans import (
    GardenFile,
    GardenPlan,
    GardenState,
    apply_edits,
    clash,
    diff_of,
    problem_of,
    reply_of,
    summary_of,
)
from notewell.features.gardener.requests import (
    ApplyPlan,
    CheckView,
    ForgetRejections,
    GardenCheck,
    GardenModelReply,
    GardenModelRequest,
    GardenReply,
    MakePlan,
    PlanReply,
    PlanRequest,
    PlansReply,
    PlansRequest,
    RefusedSuggestion,
    RejectionsReply,
    RejectionsRequest,
    RejectionView,
    RejectPlan,
    RejectReply,
    SuggestedEdit,
    SuggestionView,
    UndoPlan,
)

if TYPE_CHECKING:  # loaded where a language model is asked
    from notewell.features.gardener.model_gardener import ModelGardener

KEPT = timedelta(days=7)  # plans
_ID = "%Y%m%d-%H%M%S"
_MOST_DIFF = 20_000  # characters of one suggestion
_DRAFT = "gardener plan"


def open_feature(vault: OpenVault) -> OpenFeature:
    """The plans of a vault and what was rejected of them, with what answers each request."""
    plans = Plans(vault)
    return OpenFeature(
        answers={
            MakePlan: plans.make,
            GardenModelRequest: plans.estimate,
            PlansRequest: plans.plans,
            PlanRequest: plans.show,
            ApplyPlan: plans.apply,
            RejectPlan: plans.reject,
            UndoPlan: plans.undo,
            RejectionsRequest: plans.rejections,
            ForgetRejections: plans.forget,
        },
        runs={"plan": plans.begin},
        events={"vault_opened": plans.resume},
    )


class Plans:
    """The plans of one vault. Any thread may call."""

    def __init__(self, vault: OpenVault) -> None:
        self._open = vault
        self._vault = vault.record.name
        self.file = GardenFile(vault.folder)

    @property
    def _rules(self) -> GardenRules:
        return self._open.settings().of(GardenRules)

    # --- reading ---------------------------------------------------------------------------

    def plans(self, request: PlansRequest) -> PlansReply:
        """The plans, newest first, and the checks."""
        usual = self._usual()
        checks = tuple(CheckView(row.name, row.finds, row.name in usual) for row in CHECKS.values())
        newest = reversed(self.file.load().plans[-request.limit :])
        return PlansReply(self._vault, tuple(map(summary_of, newest)), checks)

    def show(self, request: PlanRequest) -> PlanReply:
        return reply_of(self._vault, self._known(request.id))

    def _known(self, key: str) -> GardenPlan:
        if self._open.writer is None:
            return self.file.load().plan(key)
        return self._changes().seen(key)

    # --- making ----------------------------------------------------------------------------

    def make(self, request: MakePlan, trigger: Trigger = "manual") -> PlanReply:
        """Make a plan; raises AlreadyRunningError while another is made."""
        plans: list[GardenPlan] = []
        checks, limit = self._checks(request.checks, model=request.model), request.limit
        if request.model:
            self._model_gardener().agree(request.host)
        self._open.runs.now(
            "plan", trigger, lambda progress: plans.append(self._make(progress, checks, limit))
        )
        return reply_of(self._vault, plans[0])

    def begin(self) -> None:
        """Make a plan in a thread, as the schedule does; no language model is asked."""
        checks, limit = self._usual(), MakePlan().limit
        self._open.runs.begin(
            "plan", "schedule", lambda progress: self._make(progress, checks, limit)
        )

    def estimate(self, _: GardenModelRequest) -> GardenModelReply:
        """An estimate of what a plan with the language model would send now; nothing is sent.

        Raises ConfigError where none is configured, and ProviderError where it does not answer.
        """
        garden, state = read_garden(self._open, self._rules), self.file.load()
        return self._model_gardener().estimate(garden, state.checked)

    def _model_gardener(self) -> ModelGardener:
        # Loaded here because few vaults are tended with a language model.
        from notewell.features.gardener.model_gardener import ModelGardener  # noqa: PLC0415

        return ModelGardener(self._open, self._rules)

    def _checks(self, names: Sequence[GardenCheck], *, model: bool) -> tuple[GardenCheck, ...]:
        named = tuple(dict.fromkeys(names))
        of_model = [name for name in named if name in MODEL_CHECKS]
        if of_model and not model:
            raise UsageError(
                f"{of_model[0]} needs the language model: add --model, or `model` over HTTP."
            )
        added = tuple(MODEL_CHECKS) if model and not of_model else ()
        return (named or self._usual()) + added

    def _usual(self) -> tuple[GardenCheck, ...]:
        """The checks of a plan that names none: those of the settings, or else those by default."""
        rules = self._rules.checks
        if unknown := [name for name in rules if name not in CHECKS]:
            raise UsageError(
                f"The setting `garden.checks` names {unknown[0]}, which is no check. There are"
                f" {', '.join(CHECKS)}."
            )
        return tuple(
            row.name for row in CHECKS.values() if (row.name in rules if rules else row.usual)
        )

    def _make(
        self, progress: RunProgress, checks: tuple[GardenCheck, ...], limit: int
    ) -> GardenPlan:
        if self._open.writer is not None:
            self.resume()
        self._purge()
        self._open.embedder()  # makes its vectors known, where a process has not loaded it
        garden = read_garden(self._open, self._rules)
        state = self.file.load()
        decided = state.rejected.keys() | state.applied.keys()
        suggestions: list[list[SuggestionView]] = []
        for name in (check for check in checks if check in CHECKS):
            progress.check()
            mine = {view.id: view for view in CHECKS[name].find(garden) if view.id not in decided}
            suggestions.append(sorted(mine.values(), key=lambda one: (-one.confidence, one.path)))
            progress.counts[name] = len(mine)
        checked = state.checked
        if wanted := [name for name in checks if name in MODEL_CHECKS]:
            looked = self._model_gardener().look(garden, checked, progress)
            checked = looked.checked(checked)
            for name in wanted:
                mine = {view.id: view for view in looked.of(name) if view.id not in decided}
                suggestions.append(list(mine.values()))
                progress.counts[name] = len(mine)
        chosen = _fitting(garden, suggestions, limit)
        total = sum(map(len, suggestions))
        created = datetime.now().astimezone()
        while any(plan.id == created.strftime(_ID) for plan in state.plans):
            created += timedelta(seconds=1)
        edits = [edit for view in chosen for edit in view.edit]
        plan = GardenPlan(
            id=created.strftime(_ID),
            created=created.isoformat(timespec="seconds"),
            note=None,
            checks=checks,
            suggestions=tuple(chosen),
            hashes={edit.path: edit.hash for edit in edits},
            more=total - len(chosen),
        )
        progress.check()
        plan = self._with_note(plan, created) if chosen else plan
        self.file.change(lambda before: replace(before.with_plan(plan), checked=checked))
        return plan

    def _with_note(self, plan: GardenPlan, created: datetime) -> GardenPlan:
        """The plan after it was written to a note, if a person chose a folder for plans."""
        folder, writer = self._rules.folder.strip("/"), self._open.writer
        if not folder or writer is None:
            return plan
        for seconds in (False, True):
            path = f"{folder}/{note_name(created, seconds=seconds)}"
            noted = replace(plan, note=path)
            try:
                written = writer.create(path, note_text(noted), action=_DRAFT)
            except ChangedNoteError:  # another plan of this minute
                continue
            known = (written.content_hash or b"").hex()
            return replace(noted, hashes={**plan.hashes, path: known})
        return plan

    def _purge(self) -> None:
        """Delete plans that are older than `KEPT`, and their notes unless a person changed them."""
        limit = datetime.now().astimezone() - KEPT
        for plan in self.file.load().plans:
            if datetime.fromisoformat(plan.created) < limit:
                self._delete(plan)

    def _delete(self, plan: GardenPlan) -> None:
        writer = self._open.writer
        if plan.note is not None and writer is not None:
            try:
                seen = self._changes().note_seen(plan, plan.note)
                writer.delete(plan.note, seen=seen, action=_DRAFT)
            except (ChangedNoteError, UnreadableNoteError):
                pass  # a person has made it a note of theirs
        self.file.change(lambda state: state.without_plan(plan.id))

    # --- deciding --------------------------------------------------------------------------

    def apply(self, request: ApplyPlan) -> GardenReply:
        """Make the edits of a plan's open suggestions, or of some of them."""
        return self._reply(request.id, self._changes().apply(request.id, request.only))

    def undo(self, request: UndoPlan) -> GardenReply:
        """Take back the edits of a plan's applied suggestions, or of some of them."""
        return self._reply(request.id, self._changes().undo(request.id, request.only))

    def reject(self, request: RejectPlan) -> RejectReply:
        """Reject suggestions for good; a plan of which nothing else is left is deleted."""
        key, only = request.id, request.only
        with self.file.alone():
            plan = self._known(key)
            chosen = [
                suggestion
                for suggestion in plan.suggestions
                if suggestion.state in {"open", "refused"} and (not only or suggestion.id in only)
            ]
            changed = {view.id: replace(view, state="rejected", why="") for view in chosen}
            after = plan.with_states(changed)
            self.file.change(
                lambda state: replace(
                    state.with_plan(after), rejected={**state.rejected, **decisions(chosen)}
                )
            )
            deleted = all(suggestion.state == "rejected" for suggestion in after.suggestions)
            if deleted:
                self._delete(after)
            elif self._open.writer is not None:
                noted = self._changes().noted(after)
                self.file.change(lambda state: state.with_plan(noted))
        return RejectReply(self._vault, key, tuple(changed), deleted)

    def resume(self) -> None:
        """End what was begun by a process that was killed."""
        if self._open.writer is not None and self.file.load().unfinished is not None:
            self._changes().resume()

    def _changes(self) -> SuggestionWriter:
        return SuggestionWriter(self._open, self.file)

    def _reply(self, key: str, done: Done) -> GardenReply:
        refused = tuple(RefusedSuggestion(suggestion, why) for suggestion, why in done.refused)
        return GardenReply(self._vault, key, done.ids, refused, done.number)

    # --- rejections ------------------------------------------------------------------------

    def rejections(self, request: RejectionsRequest) -> RejectionsReply:
        """The rejections, newest first."""
        return self._rejections(self.file.load(), request.limit)

    def forget(self, request: ForgetRejections) -> RejectionsReply:
        """Let suggestions come again; returns the rejections that are left.

        In plans that are kept they stay rejected. Raises NotFoundError if one was not rejected.
        """
        ids = request.ids

        def without(state: GardenState) -> GardenState:
            if missing := [id_ for id_ in ids if id_ not in state.rejected]:
                raise NotFoundError(
                    f"No suggestion {missing[0]} was rejected. `notewell garden rejections` lists"
                    " those that were.",
                    code="suggestion_not_found",
                )
            kept = {key: rejection for key, rejection in state.rejected.items() if key not in ids}
            return replace(state, rejected=kept)

        return self._rejections(self.file.change(without), RejectionsRequest().limit)

    def _rejections(self, state: GardenState, limit: int) -> RejectionsReply:
        newest = sorted(state.rejected.items(), key=lambda one: one[1].at, reverse=True)
        views = tuple(
            RejectionView(key, rejection.check, rejection.path, rejection.title, rejection.at)
            for key, rejection in newest[:limit]
        )
        return RejectionsReply(self._vault, views, len(state.rejected))


def _fitting(
    garden: Garden, suggestions: list[list[SuggestionView]], limit: int
) -> list[SuggestionView]:
    """The best suggestions of each check in turn that fit together, each with its diff."""
    chosen: list[SuggestionView] = []
    edits: dict[str, list[SuggestedEdit]] = {}
    for view in (view for turn in zip_longest(*suggestions) for view in turn if view is not None):
        if len(chosen) == limit:
            break
        if len(edits.keys() | {edit.path for edit in view.edit}) > MOST_NOTES:
            continue
        if any(clash(edit, other) for edit in view.edit for other in edits.get(edit.path, ())):
            continue
        diff = _diff(garden, view) if view.edit else view.diff[:_MOST_DIFF]
        if diff is not None:
            chosen.append(replace(view, diff=diff))
            for edit in view.edit:
                edits.setdefault(edit.path, []).append(edit)
    order = {name: n for n, name in enumerate((*CHECKS, *MODEL_CHECKS))}
    return sorted(chosen, key=lambda view: (order[view.check], -view.confidence))


def _diff(garden: Garden, suggestion: SuggestionView) -> str | None:
    """The diff of a suggestion in all its notes; None if it cannot be made or changes nothing."""
    shown = []
    for edit in suggestion.edit:
        before = _before(garden, edit)
        if before is None or problem_of(before, [edit]) is not None:
            return None
        after = apply_edits(before, [edit])
        if after == before:
            return None
        shown.append(diff_of(edit.path, before, after))
    return "".join(shown)[:_MOST_DIFF]


def _before(garden: Garden, edit: SuggestedEdit) -> str | None:
    """The text of a note, "" of one that is to be made; None if it is not as the index has it."""
    if edit.create:
        return None if edit.path in garden.notes else ""
    body = garden.read(edit.path)
    return None if body is None else body.text
