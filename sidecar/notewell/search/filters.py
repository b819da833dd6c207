"""Filters notes by the conditions of a query, before scoring.

Conditions on metadata use the notes in memory, words and phrases use the keyword index, and a
phrase of several words is then verified in the text. Of the values of properties the index knows
only which stems they have, so words and phrases are verified in them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from notewell.base.types import FloatArray, IdArray, StoredNote
from notewell.contract.search import Removed
from notewell.index.analyze import words
from notewell.index.lexical import QueryTerm
from notewell.index.note_fields import PROPERTY_BITS
from notewell.index.port import IndexReader
from notewell.search.matching import (
    has_property,
    matcher,
    states_properties,
    text_matcher,
    values_of,
)
from notewell.search.note_dates import modified_time, stated_time
from notewell.search.note_facts import Facts
from notewell.search.phrase_candidates import candidate_chunks
from notewell.search.query import (
    All,
    Dated,
    Either,
    Node,
    Not,
    PathContains,
    Property,
    Tagged,
    Text,
)
from notewell.vault.daily import DailyNotes

_Mask = npt.NDArray[np.bool_]
_MAX_PATHS = 5  # paths of excluded notes per condition


@dataclass(frozen=True, slots=True, eq=False)
class Allowed:
    """Ids of the notes that meet the conditions, and counts of the others by reason."""

    notes: IdArray
    removed: tuple[Removed, ...]

    @property
    def filtered(self) -> Mapping[str, int]:
        """Counts of `removed` by reason, for the reply."""
        return {part.reason: part.count for part in self.removed}


def allowed(
    condition: Node | None,
    index: IndexReader,
    *,
    hidden: frozenset[str] = frozenset(),
    facts: Facts | None = None,
    embeds: Sequence[tuple[int, int]] = (),
) -> Allowed:
    """Apply the parts of `condition` in turn to all notes of the index.

    Of the pairs `embeds`, an attachment and a note that embeds it, the attachment has the tags,
    properties and folder of the note as well.

    `facts` has the times of creation; None: they are read from the notes, which takes longer and
    recognises only daily notes with Obsidian's default names.
    `hidden` are paths that the user judged as no answer to this query; they are removed too.
    """
    notes = index.all_notes()
    ids = np.fromiter((note.id for note in notes), np.int64, len(notes))
    evaluation = _Evaluation(index, notes, ids, facts)
    within = np.ones(len(notes), np.bool_)
    removed: dict[str, Removed] = {}

    def note_removed(reason: str, gone: _Mask) -> None:
        places = np.flatnonzero(gone)
        if len(places):
            before = removed.get(reason, Removed(reason, 0))
            paths = (*before.paths, *(notes[at].path for at in places[:_MAX_PATHS].tolist()))
            removed[reason] = Removed(reason, before.count + len(places), paths[:_MAX_PATHS])

    # Cheap conditions come first, so that text is read only for the remaining notes.
    parts = sorted(_parts(condition), key=_reads_text)
    inherits = np.isin(ids, _inheriting(evaluation, parts, embeds))
    for part in parts:
        kept = evaluation.mask(part, within) | (within & inherits)
        note_removed(_reason(part), within & ~kept)
        within = kept
    if hidden:
        seen = np.fromiter((note.path not in hidden for note in notes), np.bool_, len(notes))
        note_removed("never_for_this", within & ~seen)
        within = within & seen
    return Allowed(ids[within], tuple(removed.values()))


@dataclass(frozen=True, slots=True, eq=False)
class _Evaluation:
    index: IndexReader
    notes: tuple[StoredNote, ...]
    ids: IdArray
    facts: Facts | None

    def mask(self, node: Node, within: _Mask) -> _Mask:
        """Mask (n,) of the notes in `within` that meet `node`."""
        match node:
            case All(parts):
                for part in parts:
                    within = self.mask(part, within)
                return within
            case Either(parts):
                found = np.zeros_like(within)
                for part in parts:
                    found |= self.mask(part, within & ~found)
                return found
            case Not(part):
                return within & ~self.mask(part, within)
            case Text():
                return self.text(node, within)
            case Dated(field, start, end):
                times = self.times(created=field == "created")
                within = within if start is None else within & (times >= start)
                return within & (~np.isnan(times) if end is None else times < end)
            case _:
                met = within.copy()
                for at in np.flatnonzero(within).tolist():
                    met[at] = _meets(node, self.notes[at])
                return met

    def times(self, *, created: bool) -> FloatArray:
        """Times of creation or of modification (n,): as notes state them, or else of their files.

        NaN where unknown.
        """
        if self.facts is not None:
            return self.facts.times(self.ids, created=created)
        daily = DailyNotes()
        times = []
        for note in self.notes:
            time = modified_time(note.properties, note.modified)
            if created:
                stated = stated_time(note.path, note.properties, daily)
                of_file = time if note.created is None else note.created
                time = of_file if stated is None else stated
            times.append(np.nan if time is None else time)
        return np.array(times, np.float64)

    def text(self, node: Text, within: _Mask) -> _Mask:
        """Notes that contain the words in sequence and, if `exact`, as a literal phrase."""
        tokens, keywords = words(node.text.lower()), self.index.keywords
        if len(tokens) == 1:
            found = within & np.isin(self.ids, keywords.notes_with_all(tokens))
        elif node.exact:
            found = self.literal(node.text, within)
        else:
            found = within & np.isin(self.ids, keywords.notes_with_phrase(tokens))
            found |= within & np.isin(self.ids, keywords.notes_with_phrase(words(node.text)))
        states = text_matcher(node.text, exact=node.exact)
        for at in self.may_state(tokens, within & ~found):
            found[at] = any(states(value) for _, value in values_of(self.notes[at]))
        return found

    def literal(self, phrase: str, within: _Mask) -> _Mask:
        """Notes that contain the literal phrase in a name, a heading, a tag or a passage.

        The values of properties are left aside, also those that are a passage.
        """
        holds = matcher(phrase)
        ids = candidate_chunks(phrase, self.index.keywords)
        owners = self.index.note_ids_of(ids)
        met = within & np.isin(self.ids, owners)
        rest: dict[int, int] = {}
        for at in np.flatnonzero(met).tolist():
            note = self.notes[at]
            met[at] = any(map(holds, (note.title, *note.aliases, *note.tags, note.path)))
            if not met[at]:
                rest[note.id] = at
        chunks = self.index.chunks(ids[np.isin(owners, list(rest))].tolist())
        for chunk in chunks.values():
            if not states_properties(chunk) and any(map(holds, (chunk.text, *chunk.headings))):
                met[rest[chunk.note_id]] = True
        return met

    def may_state(self, tokens: Sequence[str], within: _Mask) -> list[int]:
        """Places of the notes of which every token's stem stands in some property."""
        places = np.flatnonzero(within)
        terms = [QueryTerm(token) for token in tokens]
        masks = self.index.keywords.fields_of(terms, self.ids[places]).masks
        held: list[int] = places[((masks & PROPERTY_BITS) != 0).all(axis=1)].tolist()
        return held


def _inheriting(
    evaluation: _Evaluation, parts: Sequence[Node], embeds: Sequence[tuple[int, int]]
) -> IdArray:
    """Ids of the attachments that meet all parts together with one of the notes that embed them."""
    pairs = np.array(embeds, np.int64).reshape(-1, 2)
    for part in parts:
        if not len(pairs):
            break
        met = evaluation.ids[evaluation.mask(part, np.isin(evaluation.ids, pairs))]
        file, note = np.isin(pairs, met).T
        # What a person leaves out must be true of neither, and words are those of the file.
        if _is_of_the_note(part):
            pairs = pairs[file | note]
        else:
            pairs = pairs[file & note] if isinstance(part, Not) else pairs[file]
    return pairs[:, 0]


def _is_of_the_note(part: Node) -> bool:
    """Whether a condition is about what a note says of the files in it."""
    match part:
        case Tagged():
            return True
        case Property(_, _, kind):
            return kind != "type"
        case PathContains(field, _):
            return field == "path"
        case All(parts) | Either(parts):
            return all(_is_of_the_note(each) for each in parts)
        case _:
            return False


def _meets(node: PathContains | Tagged | Property, note: StoredNote) -> bool:
    match node:
        case PathContains(field, text):
            where = note.path if field == "path" else note.path.rpartition("/")[2]
            return text in where.casefold()
        case Tagged(tag):
            return any(_is_within(own.casefold(), tag) for own in note.tags)
        case Property():
            return has_property(note, node)


def _is_within(own: str, tag: str) -> bool:
    return own == tag or own.startswith(f"{tag}/")


def _parts(condition: Node | None) -> tuple[Node, ...]:
    if condition is None:
        return ()
    return condition.parts if isinstance(condition, All) else (condition,)


def _reads_text(node: Node) -> bool:
    match node:
        case Text():
            return True
        case Not(part):
            return _reads_text(part)
        case All(parts) | Either(parts):
            return any(_reads_text(part) for part in parts)
        case _:
            return False


def _reason(node: Node) -> str:
    """The reason under which the reply counts the notes that a condition excludes."""
    match node:
        case Text(_, exact):
            reason = "phrase" if exact else "word"
        case PathContains(field, _) | Dated(field, _, _):
            reason = field
        case Property(_, _, kind):
            reason = kind
        case Tagged():
            reason = "tag"
        case Not():
            reason = "excluded"
        case All() | Either():
            reason = "alternatives"
    return reason
