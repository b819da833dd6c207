"""Applies suggestions of a plan and takes them back, as one write to undo each time.

What is about to be written is recorded first, so that a process that was killed between two notes
is followed by one that ends its work: each note is by its hash either as it was, and then it is
written, or as it was to be.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime

from notewell.api import OpenVault
from notewell.api.errors import NotFoundError, UnreadableNoteError, UsageError, WriteError
from notewell.api.types import frozen
from notewell.base.errors import VaultError
from notewell.contract.codec import to_json
from notewell.features.gardener.checks import CHECKS, MODEL_CHECKS
from notewell.features.gardener.plans import (
    Decision,
    GardenFile,
    GardenPlan,
    GardenState,
    Unfinished,
    apply_edits,
    counts_of,
    edits_of,
    paths_of,
)
from notewell.features.gardener.requests import SuggestedEdit, SuggestionView
from notewell.vault.write import TextForm
from notewell.vault.write_journal import MOST, JournalEntry

MOST_NOTES = 400  # written at once: the journal keeps 500 writes, and a batch has to fit
MOST_BYTES = 48 * 1024 * 1024  # of notes written at once: the journal keeps 64 MiB
_CHANGED = "{} was changed since the plan was made. Make a new plan."
_BY_HAND = "Nothing is written for it: settle it in the two notes, or reject it."
_OF_ONE_NOTE = (UsageError, NotFoundError, VaultError, UnreadableNoteError, WriteError)
_FENCE = "gardener-plan"
_HOW = (
    "{} suggestions: {}. Nothing is changed before you apply it: `notewell garden apply {}`, with"
    " `--only ID` for some of them."
)
_STATES = {"open": " ", "applied": "x", "rejected": "-", "refused": "!"}


def action_of(plan: str) -> str:
    """The name of a plan's writes in the journal."""
    return f"garden {plan}"


@frozen
class Done:
    """Suggestions that were written, the others with the reason, and the number to undo it."""

    ids: tuple[str, ...] = ()
    refused: tuple[tuple[str, str], ...] = ()
    number: int | None = None


class SuggestionWriter:
    """Writes the suggestions of one vault's plans."""

    def __init__(self, vault: OpenVault, file: GardenFile) -> None:
        """ReadOnlyError where the vault is never written."""
        self._vault = vault
        self.writer = vault.open_writer()
        self.file = file

    def apply(self, key: str, only: Sequence[str]) -> Done:
        """Make the edits of a plan's open suggestions, or of some of them."""
        with self.file.alone():
            self.resume()
            plan = self.seen(key)
            chosen = [view for view in _choose(plan, only) if view.state in {"open", "refused"}]
            shown = {view.id: _BY_HAND for view in chosen if not view.edit}
            done = self._start(plan, [view for view in chosen if view.edit], undoing=False)
            # What all were asked for leaves these as they are; who names one is told.
            return replace(done, refused=(*done.refused, *shown.items())) if only else done

    def undo(self, key: str, only: Sequence[str]) -> Done:
        """Take back the edits of a plan's applied suggestions, or of some of them."""
        with self.file.alone():
            self.resume()
            plan = self.seen(key)
            chosen = [view for view in _choose(plan, only) if view.state == "applied"]
            return self._start(plan, chosen, undoing=True)

    def resume(self) -> None:
        """End what a process began that was killed; nothing else."""
        with self.file.alone():
            begun = self.file.load().unfinished
            if begun is not None:
                self._finish(begun, {})

    def seen(self, key: str) -> GardenPlan:
        """A plan; suggestions whose writes were undone by `notewell undo` are open again."""
        plan = self.file.load().plan(key)
        undone = {}
        for path, entries in self._entries(plan.id).items():
            if all(entry.undone for entry in entries):
                undone[path] = entries[0].before_hash
        reopened = {
            suggestion.id: replace(suggestion, state="open")
            for suggestion in plan.suggestions
            if suggestion.state == "applied" and not undone.keys().isdisjoint(paths_of(suggestion))
        }
        if not reopened:
            return plan
        hashes = {path: (known or b"").hex() for path, known in undone.items()}
        fresh = replace(plan.with_states(reopened), hashes={**plan.hashes, **hashes})
        self.file.change(lambda state: _forget(state, reopened).with_plan(fresh))
        return fresh

    # --- one batch -------------------------------------------------------------------------

    def _start(self, plan: GardenPlan, chosen: list[SuggestionView], *, undoing: bool) -> Done:
        """Record what is to be written, and write it."""
        refused: dict[str, str] = {}
        while True:  # a suggestion that is refused is so in all its notes
            left = [view for view in chosen if view.id not in refused]
            refusals = self._refusal(plan, left, undoing=undoing)
            if not refusals:
                break
            refused |= refusals
        paths = dict.fromkeys(path for view in left for path in paths_of(view))
        begun = Unfinished(
            plan.id,
            tuple(view.id for view in left),
            {path: plan.hashes[path] for path in paths},
            undoing,
        )
        self.file.change(lambda state: replace(state, unfinished=begun))
        return self._finish(begun, refused)

    def _refusal(
        self, plan: GardenPlan, chosen: list[SuggestionView], *, undoing: bool
    ) -> dict[str, str]:
        """Why suggestions cannot be written; the first reasons that are found."""
        size = 0
        paths = dict.fromkeys(path for view in chosen for path in paths_of(view))
        for number, path in enumerate(paths):
            mine = [view for view in chosen if path in paths_of(view)]
            try:
                known, text = self._now(plan, path)
                if known != plan.hashes[path]:
                    return {view.id: _CHANGED.format(path) for view in mine}
                size += len(text)
                if size > MOST_BYTES or number >= MOST_NOTES:
                    many = "Too many notes for one undo. Apply the rest by itself."
                    return {view.id: many for view in mine}
                self._after(plan, path, text, mine, undoing=undoing)
            except _OF_ONE_NOTE as error:
                return self._culprits(plan, path, mine, error.message, undoing=undoing)
        return {}

    def _culprits(
        self, plan: GardenPlan, path: str, mine: list[SuggestionView], why: str, *, undoing: bool
    ) -> dict[str, str]:
        """Those suggestions of a note that cannot be written by themselves, or else all."""
        culprits = {}
        for edit in mine if len(mine) > 1 else ():
            try:
                self._after(plan, path, self._now(plan, path)[1], [edit], undoing=undoing)
            except _OF_ONE_NOTE as error:
                culprits[edit.id] = error.message
        return culprits or {view.id: why for view in mine}

    def _finish(self, begun: Unfinished, refused: Mapping[str, str]) -> Done:
        """Write what was begun, and record it."""
        plan = self.file.load().plan(begun.plan)
        chosen = [suggestion for suggestion in plan.suggestions if suggestion.id in begun.ids]
        failed = dict(refused)
        written: dict[str, str] = {}
        numbers: list[int] = []
        write_numbers = self._make(begun)
        with self.writer.journal.batch(joining=max(write_numbers.values(), default=None)):
            for path in begun.seen:
                mine = [view for view in chosen if path in paths_of(view)]
                try:
                    number = write_numbers.get(path) or self._write(plan, begun, path, mine)
                    now, _ = self._now(plan, path)
                except _OF_ONE_NOTE as error:
                    failed |= {view.id: error.message for view in mine}
                    continue
                written[path] = now
                numbers += [] if number is None else [number]
            ids = tuple(view.id for view in chosen if view.id not in failed)
            after = self.noted(_after(plan, ids, failed, written, undoing=begun.undoing))
            self.file.change(lambda state: _end_batch(state, after, ids, undoing=begun.undoing))
        for path in written:
            self._vault.changed(path)
        return Done(ids, tuple(failed.items()), max(numbers, default=None))

    def _write(
        self, plan: GardenPlan, begun: Unfinished, path: str, mine: list[SuggestionView]
    ) -> int | None:
        def edit(text: str) -> str:
            return self._after(plan, path, text, mine, undoing=begun.undoing)

        seen = bytes.fromhex(begun.seen[path])
        action = "undo" if begun.undoing else action_of(plan.id)
        if not seen:
            written = self.writer.create(path, edit(""), action=action)
        elif path in _created_notes(plan) and not edit(self._now(plan, path)[1]):
            written = self.writer.delete(path, seen=seen, action=action)
        else:
            written = self.writer.edit(path, edit, seen=seen, action=action)
        if begun.undoing and not _apply_in(plan, path, but=mine):
            for entry in self._entries(plan.id).get(path, ()):
                self.writer.journal.mark_undone(entry.number)
        return written.number

    def _after(
        self, plan: GardenPlan, path: str, text: str, mine: list[SuggestionView], *, undoing: bool
    ) -> str:
        """The text of a note with suggestions applied, or taken back."""
        if not undoing:
            applied = edits_of(_apply_in(plan, path), path)
            return apply_edits(text, [_shift(edit, applied) for edit in edits_of(mine, path)])
        kept = _apply_in(plan, path, but=mine)
        return apply_edits(self._original(plan, path), edits_of(kept, path))

    def _original(self, plan: GardenPlan, path: str) -> str:
        """The text of a note before the first write of a plan."""
        entries = [entry for entry in self._entries(plan.id).get(path, ()) if not entry.undone]
        if entries and entries[0].before_hash is None:
            return ""
        raw = self.writer.journal.before(entries[0].number) if entries else None
        if raw is None:
            raise NotFoundError(
                f"The journal no longer has {path} as it was before; it keeps the newest {MOST}"
                " writes."
            )
        return TextForm.of(path, raw).decode(raw)

    def _now(self, plan: GardenPlan, path: str) -> tuple[str, str]:
        """The hash and the text of a note; both "" of one that the plan makes and is not there."""
        try:
            source = self.writer.read(path)
        except UnreadableNoteError as error:
            if error.code != "vanished" or path not in _created_notes(plan):
                raise
            return "", ""
        return source.content_hash.hex(), source.text

    def _entries(self, key: str) -> Mapping[str, list[JournalEntry]]:
        """The writes of a plan by note, oldest first."""
        by_path: dict[str, list[JournalEntry]] = {}
        for entry in reversed(self.writer.entries(MOST)):
            if entry.action == action_of(key):
                by_path.setdefault(entry.path, []).append(entry)
        return by_path

    def _make(self, begun: Unfinished) -> Mapping[str, int]:
        """The writes that a killed process had made, by note."""
        numbers: dict[str, int] = {}
        for entry in self.writer.entries(MOST):
            seen = begun.seen.get(entry.path)
            mine = entry.action in {"undo", action_of(begun.plan)}
            if seen is None or not mine or (entry.before_hash or b"").hex() != seen:
                continue
            try:
                now: bytes | None = self.writer.read(entry.path).content_hash
            except _OF_ONE_NOTE as error:
                if error.code != "vanished":
                    continue
                now = None
            if now == entry.after_hash and (now or b"").hex() != seen:
                numbers.setdefault(entry.path, entry.number)
        return numbers

    def noted(self, plan: GardenPlan) -> GardenPlan:
        """The plan after its note was written anew, unless a person has changed the note."""
        if plan.note is None:
            return plan
        try:
            written = self.writer.replace(
                plan.note,
                note_text(plan),
                seen=self.note_seen(plan, plan.note),
                action=action_of(plan.id),
            )
        except _OF_ONE_NOTE:
            return plan
        now = (written.content_hash or b"").hex()
        return replace(plan, hashes={**plan.hashes, plan.note: now})

    def note_seen(self, plan: GardenPlan, note: str) -> bytes:
        """The hash of a plan's own note: that on disk if it was written here, also by an undo."""
        known = bytes.fromhex(plan.hashes[note])
        ours = {entry.before_hash for entry in self._entries(plan.id).get(note, ())}
        now = self.writer.read(note).content_hash
        return now if now in ours else known


def _created_notes(plan: GardenPlan) -> frozenset[str]:
    return frozenset(
        edit.path for suggestion in plan.suggestions for edit in suggestion.edit if edit.create
    )


def _choose(plan: GardenPlan, only: Sequence[str]) -> list[SuggestionView]:
    known = {suggestion.id for suggestion in plan.suggestions}
    if missing := [key for key in only if key not in known]:
        raise NotFoundError(
            f"Plan {plan.id} has no suggestion {missing[0]}. `notewell garden show {plan.id}` lists"
            " them.",
            code="suggestion_not_found",
        )
    return [suggestion for suggestion in plan.suggestions if not only or suggestion.id in only]


def _apply_in(
    plan: GardenPlan, path: str, *, but: Iterable[SuggestionView] = ()
) -> list[SuggestionView]:
    left = {view.id for view in but}
    return [
        suggestion
        for suggestion in plan.suggestions
        if suggestion.state == "applied"
        and path in paths_of(suggestion)
        and suggestion.id not in left
    ]


def _shift(edit: SuggestedEdit, applied: Iterable[SuggestedEdit]) -> SuggestedEdit:
    """An edit with its places moved by what edits of the same note have replaced before them."""
    done = [edit for other in applied for edit in other.text]
    return replace(
        edit,
        text=tuple(
            replace(
                change,
                start=change.start
                + sum(len(past.new) - len(past.old) for past in done if past.start < change.start),
            )
            for change in edit.text
        ),
    )


def _after(
    plan: GardenPlan,
    ids: tuple[str, ...],
    failed: Mapping[str, str],
    written: Mapping[str, str],
    *,
    undoing: bool,
) -> GardenPlan:
    """A plan after its suggestions were applied or taken back, with the hashes of its notes."""
    changed = {}
    for suggestion in plan.suggestions:
        if suggestion.id in ids:
            changed[suggestion.id] = replace(
                suggestion, state="open" if undoing else "applied", why=""
            )
        elif suggestion.id in failed and suggestion.state != "applied":
            changed[suggestion.id] = replace(suggestion, state="refused", why=failed[suggestion.id])
    return replace(plan.with_states(changed), hashes={**plan.hashes, **written})


def _end_batch(
    state: GardenState, plan: GardenPlan, ids: tuple[str, ...], *, undoing: bool
) -> GardenState:
    """The state after a batch: nothing unfinished, and what was applied does not come again."""
    chosen = {suggestion.id: suggestion for suggestion in plan.suggestions if suggestion.id in ids}
    ended = replace(state.with_plan(plan), unfinished=None)
    if undoing:
        return _forget(ended, chosen)
    return replace(ended, applied={**ended.applied, **decisions(chosen.values())})


def _forget(state: GardenState, ids: Iterable[str]) -> GardenState:
    gone = set(ids)
    return replace(
        state, applied={key: entry for key, entry in state.applied.items() if key not in gone}
    )


def decisions(chosen: Iterable[SuggestionView]) -> dict[str, Decision]:
    """A decision made now on each of some suggestions, by id."""
    now = datetime.now(UTC).isoformat(timespec="seconds")
    return {view.id: Decision(view.check, view.path, view.title, now) for view in chosen}


def note_name(created: datetime, *, seconds: bool) -> str:
    """The name of the note of a plan; `vault.paths` knows it and leaves it out of the index."""
    form = "%Y-%m-%d %H-%M-%S" if seconds else "%Y-%m-%d %H-%M"
    return f"Gardener Plan {created.strftime(form)}.md"


def note_text(plan: GardenPlan) -> str:
    """The Markdown of a plan."""
    counts = ", ".join(f"{count} {state}" for state, count in counts_of(plan).items() if count)
    lines = [
        f"# Gardener plan of {plan.created[:16].replace('T', ' ')}",
        "",
        _HOW.format(len(plan.suggestions), counts, plan.id),
        *_sections(plan),
        "",
        f"```{_FENCE}",
        json.dumps(json.loads(to_json(plan)), ensure_ascii=False, indent=1),
        "```",
        "",
    ]
    return "\n".join(lines)


def _sections(plan: GardenPlan) -> Iterator[str]:
    for check in plan.checks:
        chosen = [suggestion for suggestion in plan.suggestions if suggestion.check == check]
        if chosen:
            finds = MODEL_CHECKS[check] if check in MODEL_CHECKS else CHECKS[check].finds
            yield from ("", f"## {finds.capitalize()}", "")
            for view in chosen:
                yield from _item(view)


def _item(one: SuggestionView) -> Iterator[str]:
    mark = _STATES[one.state]
    yield f"- [{mark}] `{one.path}` {_plain(one.title)} ({one.confidence:.0%}, id {one.id})"
    yield f"  {_plain(one.evidence)}{f' Refused: {_plain(one.why)}' if one.why else ''}"


def _plain(text: str) -> str:
    """A text that makes no links, tags or other markup in the note."""
    return "".join(
        f"\\{letter}" if letter in "[]#*_`<>|" else letter for letter in " ".join(text.split())
    )
