"""Statements of two notes that disagree: numbers, dates, states and negations of the same thing.

Two sentences are about the same thing if they have nearly the same words, the values apart. A form
of sentence that several notes have is a template's, such as "Version 1.2, 300 downloads", and what
a note says of its own number or day is no statement about another. The note that was changed
earlier is marked; a person decides. So is a note of which a later one says that it replaces it.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from notewell.api.text import stem
from notewell.features.gardener.garden import Garden, NoteFacts
from notewell.features.gardener.mentions import HIDDEN, WORD, code_hidden, property_link
from notewell.features.gardener.plans import suggestion
from notewell.features.gardener.requests import GardenCheck, SuggestedEdit, SuggestionView
from notewell.search.query.terms import says_little

NAME: GardenCheck = "disagreements"
PROPERTY, REPLACED = "disagrees_with", "superseded_by"
_FEWEST = 4  # words of a statement, values and function words apart
_MOST = 40
_ALIKE = 0.85  # of the words of two statements that both have
_TEMPLATE = 3  # other notes with such a sentence: it is a template's
_RAREST = 3  # of the words of a statement: two that are about the same share one of them
_OFTEN = 30  # statements that have a word; one that more have says little of what they are about
_CONFIDENCE = 0.8
_SENTENCE = re.compile(r"\n|(?<=[.!?。！？])\s+")  # noqa: RUF001 - their full stops
_MARK = re.compile(r"^\s*(?:[-*+>]|\d+[.)])(?:\s+\[.\])?\s+")
_MONTHS = (
    "january", "february", "march", "april", "june", "july", "august", "september",
    "october", "november", "december", "jan", "feb", "mar", "apr", "jun", "jul", "aug", "sep",
    "oct", "nov", "dec", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday",
    "sunday",
)  # fmt: skip
_STATES = (
    ("open", "closed"), ("active", "inactive"), ("enabled", "disabled"),
    ("done", "pending"), ("finished", "unfinished"), ("draft", "final"), ("public", "private"),
    ("required", "optional"), ("allowed", "forbidden"), ("supported", "unsupported"),
    ("accepted", "rejected"), ("true", "false"), ("free", "paid"), ("always", "never"),
    ("before", "after"), ("increase", "decrease"), ("increases", "decreases"), ("first", "last"),
    ("minimum", "maximum"), ("online", "offline"), ("encrypted", "unencrypted"),
)  # fmt: skip
_OPPOSITE = {state: "/".join(pair) for pair in _STATES for state in pair}
_NEGATIONS = frozenset(("not", "no", "cannot", "without", "neither", "nor"))
_CONTRACTED = re.compile(r"n['\u2019]t$")
# "This replaces the earlier plan" right before a link.
_REPLACES = re.compile(r"(?i)\b(?:supersedes|replaces|obsoletes)\b\W+(?:\w+\W+){0,3}$")
_VALUE = re.compile(r"^\d")
_NO_TEXT = re.compile(r"\||^#|https?:|</?\w|\w+=\"")  # tables, headings, addresses, HTML


@dataclass(frozen=True, slots=True)
class Statement:
    """A sentence of a note, by what it is about and what it says of it."""

    path: str
    line: int
    text: str
    about: frozenset[str]
    numbers: tuple[str, ...]
    states: tuple[tuple[str, str], ...]  # pairs of opposites, with the one that it has
    negated: bool


def find(garden: Garden) -> Iterator[SuggestionView]:
    """Suggest to mark notes that are replaced, and the earlier of two that disagree."""
    yield from _find_replaced(garden)
    told: set[frozenset[str]] = set()
    for one, other, kind in disagreements(statements(garden)):
        pair = frozenset((one.path, other.path))
        if pair not in told:
            told.add(pair)
            yield _suggest(garden, one, other, kind)


def _find_replaced(garden: Garden) -> Iterator[SuggestionView]:
    """Suggest to mark each note of which another says, before a link to it, that it replaces it."""
    for note in garden.tended_notes():
        body = garden.read(note.path) if note.links else None
        prose = "" if body is None else code_hidden(body)
        for link, target in note.links:
            said = _REPLACES.search(prose, prose.rfind("\n", 0, link.start) + 1, link.start)
            old = garden.notes.get(target or "")
            if said and old is not None and old.path in garden.tended and old.path != note.path:
                if REPLACED in old.properties or body is None:
                    continue
                value = property_link(garden, note.path)
                yield suggestion(
                    NAME,
                    old.path,
                    f"{note.name} replaces {old.name}",
                    f"{note.path}, line {body.line_at(link.start)}, says so: {said[0].strip()}",
                    _CONFIDENCE,
                    edits=(SuggestedEdit(old.path, old.hash, set={REPLACED: value}),),
                    subject=note.path,
                )


def statements(garden: Garden) -> Iterator[Statement]:
    """The statements of all notes that are tended, daily notes apart, which tell of their day."""
    for note in garden.tended_notes():
        is_text = "excalidraw-plugin" not in note.properties and not garden.is_daily(note)
        body = garden.read(note.path) if is_text and PROPERTY not in note.properties else None
        if body is not None:
            prose = code_hidden(body)[body.start :]
            yield from statements_of(note.path, prose, line=body.line_at(body.start))


def statements_of(path: str, prose: str, *, line: int = 1) -> Iterator[Statement]:
    """The sentences of a text that say something of something; those of tables are left out.

    `line` is the number of its first line.
    """
    own = {word[0].casefold() for word in WORD.finditer(path) if _VALUE.match(word[0])}
    at = 0
    for end in [*(match.end() for match in _SENTENCE.finditer(prose)), len(prose)]:
        raw, first = prose[at:end], line
        line, at = line + raw.count("\n"), end
        text = _MARK.sub("", raw).strip()
        if _NO_TEXT.search(text):
            continue
        made = _statement(path, first, text)
        if own.intersection(made.numbers):
            continue
        if _FEWEST <= len(made.about) <= _MOST:
            yield made


def _statement(path: str, line: int, text: str) -> Statement:
    about, numbers, states = set[str](), list[str](), list[tuple[str, str]]()
    negated = False
    for match in WORD.finditer(text.replace(HIDDEN, " ")):
        word = match[0].casefold()
        if _VALUE.match(word) or word in _MONTHS:
            numbers.append(word)
        elif word in _NEGATIONS or _CONTRACTED.search(word):
            negated = not negated
        elif (pair := _OPPOSITE.get(word)) is not None:
            states.append((pair, word))
        elif not says_little(word):
            about.add(stem(word))
    return Statement(path, line, text, frozenset(about), tuple(numbers), tuple(states), negated)


def disagreements(said: Iterable[Statement]) -> Iterator[tuple[Statement, Statement, str]]:
    """Pairs of statements of different notes that disagree, and about what: best pairs first."""
    every = list(said)
    counts = Counter(word for statement in every for word in statement.about)
    having: dict[str, list[int]] = defaultdict(list)
    found: list[tuple[float, int, int, str]] = []
    notes: dict[int, set[str]] = defaultdict(set)  # with statements like each
    for at, one in enumerate(every):
        rare = [word for word in one.about if counts[word] <= _OFTEN]
        near: set[int] = set()
        for word in sorted(rare, key=lambda each: (counts[each], each))[:_RAREST]:
            near.update(having[word])
            having[word].append(at)
        for before in near:
            other = every[before]
            alike = len(one.about & other.about) / len(one.about | other.about)
            if alike < _ALIKE or one.path == other.path:
                continue
            notes[at].add(other.path)
            notes[before].add(one.path)
            if kind := _difference(other, one):
                found.append((-alike, before, at, kind))
    for _, before, at, kind in sorted(found):
        if max(len(notes[before]), len(notes[at])) < _TEMPLATE:
            yield every[before], every[at], kind


def _difference(one: Statement, other: Statement) -> str:
    """The part in which two statements about one thing differ; "" if nothing, or too much."""
    kinds = []
    if one.numbers != other.numbers:
        if len(one.numbers) != len(other.numbers):
            return ""
        unlike = sum(a != b for a, b in zip(one.numbers, other.numbers, strict=True))
        if unlike > 1:
            return ""
        kinds.append("numbers or dates")
    if one.states != other.states:
        if [pair for pair, _ in one.states] != [pair for pair, _ in other.states]:
            return ""
        kinds.append("states")
    if one.negated != other.negated:
        kinds.append("what is and what is not")
    return kinds[0] if len(kinds) == 1 else ""


def _suggest(garden: Garden, one: Statement, other: Statement, kind: str) -> SuggestionView:
    lines: Mapping[str, Statement] = {one.path: one, other.path: other}
    marked, kept = sorted(
        (garden.notes[one.path], garden.notes[other.path]),
        key=lambda note: (note.touched, note.path),
    )
    link = property_link(garden, kept.path)
    return suggestion(
        NAME,
        marked.path,
        f"{marked.name} and {kept.name} disagree",
        f"They differ in {kind}. {_quote(marked, lines)} {_quote(kept, lines)}",
        _CONFIDENCE,
        edits=(SuggestedEdit(marked.path, marked.hash, set={PROPERTY: link}),),
        subject=f"{kept.path}\n{one.text}\n{other.text}",
    )


def _quote(note: NoteFacts, lines: Mapping[str, Statement]) -> str:
    said = lines[note.path]
    return f"{note.path}, line {said.line}: “{said.text}”"
