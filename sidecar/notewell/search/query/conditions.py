"""Filters notes by the conditions of a query, before scoring.

Conditions on metadata use columns of the notes in memory, words and phrases the keyword index, and
a phrase of several words is then verified in the text. Of the values of properties the index knows
only which stems they have, so words and phrases are verified in them.

A compound such as `YouTube` is indexed as its parts, one after the other, and as a whole without a
place among them, so `"a youtube video"` need not stand there side by side. Where few passages have
all words of a phrase, these are the candidates. Else they are those with the words side by side,
each word also as two parts if there are such.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial, reduce

import numpy as np
import numpy.typing as npt

from notewell.base.types import (
    FloatArray,
    IdArray,
    NoteFieldWeights,
    StoredNote,
)
from notewell.contract.search import Removed
from notewell.index.analyze import words
from notewell.index.lexical import QueryTerm
from notewell.index.note_terms import PROPERTY_BITS
from notewell.index.port import IndexReader
from notewell.search.facts.note_facts import Facts, modified_time, stated_time
from notewell.search.query.language import (
    All,
    Dated,
    Either,
    Matches,
    Node,
    Not,
    PathContains,
    Property,
    Tagged,
    Text,
    Within,
)
from notewell.search.query.note_columns import NoteColumns, compose_text
from notewell.search.query.scopes import needed_words, written_test
from notewell.search.query.text_matching import (
    candidate_chunks,
    matcher,
    states_properties,
    text_matcher,
    values_of,
)
from notewell.vault.daily import DailyNotes

_Mask = npt.NDArray[np.bool_]
ReadText = Callable[[str], str | None]
_MAX_PATHS = 5  # paths of excluded notes per condition


@dataclass(frozen=True, slots=True, eq=False)
class AllowedNotes:
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
    columns: NoteColumns | None = None,
    embeds: Sequence[tuple[int, int]] = (),
    read: ReadText = lambda _: None,
) -> AllowedNotes:
    """Apply the parts of `condition` in turn to all notes of the index.

    Of the pairs `embeds`, an attachment and a note that embeds it, the attachment has the tags,
    properties and folder of the note as well.

    `facts` has the times of creation; None: they are read from the notes, which takes longer and
    recognises only daily notes with Obsidian's default names. `columns` are those of the notes, if
    they were made before.
    `hidden` are paths that the user judged as no answer to this query; they are removed too.
    `read` gives the text of a note as it is written, None where only the index has it.
    """
    columns = columns or NoteColumns(index.all_notes())
    notes, ids = columns.notes, columns.ids
    evaluation = _Evaluation(index, columns, facts, read)
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
        seen = np.ones(len(notes), np.bool_)
        seen[[columns.places[path] for path in hidden if path in columns.places]] = False
        note_removed("never_for_this", within & ~seen)
        within = within & seen
    return AllowedNotes(ids[within], tuple(removed.values()))


@dataclass(frozen=True, slots=True, eq=False)
class _Evaluation:
    index: IndexReader
    columns: NoteColumns
    facts: Facts | None
    read: ReadText

    @property
    def notes(self) -> tuple[StoredNote, ...]:
        return self.columns.notes

    @property
    def ids(self) -> IdArray:
        return self.columns.ids

    def mask(self, node: Node, within: _Mask) -> _Mask:
        """Mask (n,) of the notes in `within` that meet `node`."""
        match node:
            case All(parts):
                return reduce(lambda left, part: self.mask(part, left), parts, within)
            case Either(parts):
                met = np.zeros_like(within)
                for part in parts:
                    met |= self.mask(part, within & ~met)
                return met
            case Not(part):
                return within & ~self.mask(part, within)
            case Text() | Matches() | Within():
                return self.worded(node, within)
            case Dated():
                return self.dated(node, within)
            case PathContains() | Tagged() | Property():
                return within & self.columns.meeting(node)

    def dated(self, node: Dated, within: _Mask) -> _Mask:
        """Notes whose time lies in the range."""
        times = self.times(created=node.field == "created")
        within = within if node.start is None else within & (times >= node.start)
        return within & (~np.isnan(times) if node.end is None else times < node.end)

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

    def worded(self, node: Text | Matches | Within, within: _Mask) -> _Mask:
        """Notes whose text meets a condition."""
        return self.text(node, within) if isinstance(node, Text) else self.written(node, within)

    def text(self, node: Text, within: _Mask) -> _Mask:
        """Notes that contain a text; those of all notes are remembered.

        Other conditions leave fewer notes of which the passages are read for a phrase.
        """
        if len(words(node.text)) == 1 or within.all():
            everywhere, keywords = np.ones_like(within), self.index.keywords
            find = partial(self.holding, node, everywhere)
            return within & self.columns.with_text(node, keywords, find)
        return self.holding(node, within)

    def holding(self, node: Text, within: _Mask) -> _Mask:
        """Notes that contain the words in sequence and, if `exact`, as a literal phrase."""
        tokens, keywords = words(node.text.lower()), self.index.keywords
        if len(tokens) == 1:
            met = within & np.isin(self.ids, keywords.notes_with_all(tokens))
        elif node.exact:
            met = self.literal(node.text, within)
        else:
            met = within & np.isin(self.ids, keywords.notes_with_phrase(tokens))
            met |= within & np.isin(self.ids, keywords.notes_with_phrase(words(node.text)))
        states = text_matcher(node.text, exact=node.exact)
        for at in self.may_state(tokens, within & ~met):
            met[at] = any(states(value) for _, value in values_of(self.notes[at]))
        return met

    def written(self, node: Matches | Within, within: _Mask) -> _Mask:
        """Notes whose text, as it is written, meets a condition; those with its words are read.

        A pattern may also match the path.
        """
        tokens = needed_words(node)
        test = written_test(node, text_matcher)
        met = np.zeros_like(within)
        may = within
        if tokens:  # each in any passage: a section or a paragraph may be cut into several
            holding = [self.index.keywords.notes_with_all((token,)) for token in tokens]
            may = within & np.logical_and.reduce([np.isin(self.ids, notes) for notes in holding])
            may[self.may_state(tokens, within & ~may)] = True
        for at in np.flatnonzero(may).tolist():
            note = self.notes[at]
            met[at] = isinstance(node, Matches) and test(note.path)
            met[at] = met[at] or test(self.text_of(note))
        return met

    def text_of(self, note: StoredNote) -> str:
        """The text of a note; of a file that is no text, what the index has of it."""
        text = self.read(note.path)
        if text is not None:
            return compose_text(text)
        return "\n".join(chunk.text for chunk in self.index.chunks_of(note.id))

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
        for token in tokens:
            matches = self.index.keywords.match_notes(
                [QueryTerm(token)], weights=NoteFieldWeights()
            )
            stating = matches.note_ids[(matches.fields & PROPERTY_BITS) != 0]
            within = within & np.isin(self.ids, stating)
        places: list[int] = np.flatnonzero(within).tolist()
        return places


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
    """Tell whether a condition is about what a note says of the files in it."""
    match part:
        case Tagged():
            return True
        case Property(_, _, kind):
            return kind != "type"
        case PathContains(field, _):
            return field == "path"
        case All(parts) | Either(parts):
            return all(_is_of_the_note(part) for part in parts)
        case _:
            return False


def _parts(condition: Node | None) -> tuple[Node, ...]:
    if condition is None:
        return ()
    return condition.parts if isinstance(condition, All) else (condition,)


def _reads_text(node: Node) -> bool:
    match node:
        case Text() | Matches() | Within():
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
        case Matches():
            reason = "pattern"
        case Within(scope, _):
            reason = scope
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
