"""Statements of two notes that disagree: numbers, dates, states and negations of the same thing.

Two sentences are about the same thing if they have nearly the same words, the values apart; of few
words, exactly the same, one of which names the note of either ("The pool opens on 3 May"). A form
of sentence that several notes have is a template's, such as "Version 1.2, 300 downloads", and what
a note says of its own number or day is no statement about another. The note that was changed
earlier is marked; a person decides. So is a note that says which one replaces it, and one of which
another says that it replaces it.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from notewell.api.text import stem
from notewell.features.gardener.garden import Garden, NoteFacts
from notewell.features.gardener.mentions import HIDDEN, WORD, code_hidden, property_link
from notewell.features.gardener.plans import suggestion
from notewell.features.gardener.requests import GardenCheck, SuggestedEdit, SuggestionView
from notewell.search.query.terms import says_little
from notewell.vault.parse import file_title

NAME: GardenCheck = "disagreements"
PROPERTY, REPLACED = "disagrees_with", "superseded_by"
_FEWEST = 4  # words of a statement, values and function words apart
_FEWEST_NAMED = 2  # where one of them names the note
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
_MAY = re.compile(r"(?i)\bmay\b(?=\W{0,2}\d)|(?<=\d )may\b|(?<=\d\. )may\b")  # else it is the verb
_STATES = (
    ("open", "closed"), ("active", "inactive"), ("enabled", "disabled"),
    ("done", "pending"), ("finished", "unfinished"), ("draft", "final"), ("public", "private"),
    ("required", "optional"), ("allowed", "forbidden"), ("supported", "unsupported"),
    ("accepted", "rejected"), ("true", "false"), ("free", "paid"), ("always", "never"),
    ("before", "after"), ("increase", "decrease"), ("increases", "decreases"), ("first", "last"),
    ("minimum", "maximum"), ("online", "offline"), ("encrypted", "unencrypted"),
    ("confirmed", "cancelled"), ("approved", "denied"), ("available", "unavailable"),
    ("planned", "completed"),
)  # fmt: skip
_OPPOSITE = {state: "/".join(pair) for pair in _STATES for state in pair}
_NEGATIONS = frozenset(("not", "no", "cannot", "without", "neither", "nor"))
_CONTRACTED = re.compile(r"n['\u2019]t$")
# "This replaces the earlier plan" right before a link.
_REPLACES = re.compile(r"(?i)\b(?:supersedes|replaces|obsoletes)\b\W+(?:\w+\W+){0,3}$")
# "Superseded by", "This page has been replaced by the newer" from the beginning of a line to a
# link: further within a sentence, something else than the note may be replaced.
_REPLACED = re.compile(
    r"(?i)^\W*(?:\[!\w+\]\W*)?"
    r"(?:this(?: (?!is|was|has)\w+)?(?: is| was| has been)?(?: now)? )?"
    r"(?:superseded|replaced|obsoleted) by\b\W+(?:\w+\W+){0,3}$"
)
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
    named: bool  # a word that it is about is in the name of its note

    @property
    def is_short(self) -> bool:
        return len(self.about) < _FEWEST

    def nearness(self, other: Statement) -> float:
        """The share of their words that two statements have in common, 0..1."""
        return len(self.about & other.about) / len(self.about | other.about)


def find(garden: Garden) -> Iterator[SuggestionView]:
    """Suggest to mark notes that are replaced, and the earlier of two that disagree."""
    yield from _find_replaced(garden)
    told: set[frozenset[str]] = set()
    for first, other, kind in disagreements(statements(garden)):
        pair = frozenset((first.path, other.path))
        if pair not in told:
            told.add(pair)
            yield _suggest(garden, first, other, kind)


def _find_replaced(garden: Garden) -> Iterator[SuggestionView]:
    """Suggest to mark each note that is replaced, as the words before a link say in either note."""
    told: set[tuple[str, str]] = set()
    for note in garden.tended_notes():
        body = garden.read(note.path) if note.links else None
        if body is None:
            continue
        prose = code_hidden(body)
        for link, target in note.links:
            linked = garden.notes.get(target or "")
            if linked is None or linked.path == note.path:
                continue
            before = prose[prose.rfind("\n", 0, link.start) + 1 : link.start]
            if said := _REPLACES.search(before):
                old, new = linked, note
            elif said := _REPLACED.search(before):
                old, new = note, linked
            else:
                continue
            pair = old.path, new.path
            if old.path in garden.tended and REPLACED not in old.properties and pair not in told:
                told.add(pair)
                where = f"{note.path}, line {body.line_at(link.start)}"
                yield _suggest_replaced(garden, old, new, f"{where}, says so: {said[0].strip()}")


def _suggest_replaced(
    garden: Garden, old: NoteFacts, new: NoteFacts, evidence: str
) -> SuggestionView:
    value = property_link(garden, new.path)
    return suggestion(
        NAME,
        old.path,
        f"{new.name} replaces {old.name}",
        evidence,
        _CONFIDENCE,
        edits=(SuggestedEdit(old.path, old.hash, set={REPLACED: value}),),
        subject=new.path,
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
    named = [word[0].casefold() for word in WORD.finditer(file_title(path, ".md"))]
    own = {word[0].casefold() for word in WORD.finditer(path) if _VALUE.match(word[0])}
    names = frozenset(stem(word) for word in named if len(word) > 2 and not says_little(word))
    at = 0
    for end in [*(match.end() for match in _SENTENCE.finditer(prose)), len(prose)]:
        raw, first = prose[at:end], line
        line, at = line + raw.count("\n"), end
        text = _MARK.sub("", raw).strip()
        if _NO_TEXT.search(text):
            continue
        statement = _statement(path, first, text, names)
        if own.intersection(statement.numbers):
            continue
        if _FEWEST_NAMED <= len(statement.about) <= _MOST:
            yield statement


def _statement(path: str, line: int, text: str, names: frozenset[str]) -> Statement:
    about, numbers, states = set[str](), list[str](), list[tuple[str, str]]()
    negated = False
    months = {match.start() for match in _MAY.finditer(text)}
    for match in WORD.finditer(text.replace(HIDDEN, " ")):
        word = match[0].casefold()
        if _VALUE.match(word) or word in _MONTHS or match.start() in months:
            numbers.append(word)
        elif word in _NEGATIONS or _CONTRACTED.search(word):
            negated = not negated
        elif (pair := _OPPOSITE.get(word)) is not None:
            states.append((pair, word))
        elif not says_little(word):
            about.add(stem(word))
    return Statement(
        path,
        line,
        text,
        frozenset(about),
        tuple(numbers),
        tuple(states),
        negated,
        named=not names.isdisjoint(about),
    )


def disagreements(said: Iterable[Statement]) -> Iterator[tuple[Statement, Statement, str]]:
    """Pairs of statements of different notes that disagree, and about what: best pairs first."""
    every = list(said)
    disagreeing: list[tuple[float, int, int, str]] = []
    notes: dict[int, set[str]] = defaultdict(set)  # with statements like each
    for before, at in (*_pairs_of_many_words(every), *_pairs_of_few_words(every)):
        one, other = every[before], every[at]
        notes[at].add(one.path)
        notes[before].add(other.path)
        if kind := _difference(one, other):
            disagreeing.append((-one.nearness(other), before, at, kind))
    for _, before, at, kind in sorted(disagreeing):
        if max(len(notes[before]), len(notes[at])) < _TEMPLATE:
            yield every[before], every[at], kind


def _pairs_of_many_words(every: Sequence[Statement]) -> Iterator[tuple[int, int]]:
    """Places of statements of different notes that have nearly the same words."""
    places = [at for at, statement in enumerate(every) if not statement.is_short]
    counts = Counter(word for at in places for word in every[at].about)
    having: dict[str, list[int]] = defaultdict(list)
    for at in places:
        one = every[at]
        rare = [word for word in one.about if counts[word] <= _OFTEN]
        near: set[int] = set()
        for word in sorted(rare, key=lambda each: (counts[each], each))[:_RAREST]:
            near.update(having[word])
            having[word].append(at)
        for before in near:
            other = every[before]
            if one.path != other.path and one.nearness(other) >= _ALIKE:
                yield before, at


def _pairs_of_few_words(every: Sequence[Statement]) -> Iterator[tuple[int, int]]:
    """Places of statements of different notes with the same words, which name one of the notes."""
    alike: dict[frozenset[str], list[int]] = defaultdict(list)
    for at, statement in enumerate(every):
        if statement.is_short:
            alike[statement.about].append(at)
    for places in alike.values():
        if 1 < len({every[at].path for at in places}) <= _TEMPLATE:
            for before, at in combinations(places, 2):
                one, other = every[before], every[at]
                if one.path != other.path and (one.named or other.named):
                    yield before, at


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
