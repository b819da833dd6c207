"""Finds the step of a search that loses a note, by repeating the search without each step.

A note is lost by the first of these: it is not in the index; a condition of the query removes it;
a verdict; the correction of a word; the notes that are hidden by default; the removal of
near-duplicates; the candidates of words and meaning; the cut of weak matches; its place.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import PurePosixPath

from notewell.api import OpenFeature, OpenVault
from notewell.api.errors import NotFoundError
from notewell.api.search import Result, SearchReply, SearchRequest
from notewell.api.text import find_note, function_words, parse, stem, words
from notewell.api.vault import StoredNote
from notewell.base.querylog import fold
from notewell.contract.status import LedgerRequest
from notewell.features.diagnose.requests import DiagnoseRequest, Diagnosis, MendAction, SearchLayer
from notewell.search.query.conditions import allowed
from notewell.search.query.find_note import did_you_mean
from notewell.search.query.language import All, Node, ParsedQuery, describe
from notewell.vault.read_notes import write_text

FIRST = 10  # results that a person looks at, as many as a search has by default
_DEEPEST = 300
# The addends of a score, as people call them.
_PARTS = {
    "words": "the words of the query",
    "meaning": "its meaning",
    "coverage": "how many of the words it has",
    "names": "its names",
    "links": "links from the best results",
}


def open_feature(vault: OpenVault) -> OpenFeature:
    """Answers why a note is missing from a vault's results."""
    return OpenFeature(answers={DiagnoseRequest: lambda one: diagnose(vault, one)})


def diagnose(vault: OpenVault, request: DiagnoseRequest) -> Diagnosis:
    """Why a search does not find a note.

    NotFoundError with similar paths if the vault has no such file.
    """
    try:
        note = find_note(vault.index, request.path)
    except NotFoundError:
        return _explain_unindexed(vault, request)
    return _Search(vault, request, note).diagnosis()


def _explain_unindexed(vault: OpenVault, request: DiagnoseRequest) -> Diagnosis:
    """Why a file is not in the index."""
    path = request.path if PurePosixPath(request.path).suffix else f"{request.path}.md"
    (row,) = vault.ask(LedgerRequest(path=path)).entries
    if row.rule == "missing":
        raise NotFoundError(
            f"no note '{request.path}' in the vault{did_you_mean(vault.index, request.path)}"
        )
    missing = partial(_missing, vault, request, row.path)
    reason = row.reason or "no reason is recorded"
    if row.state == "excluded":
        return missing(
            "excluded",
            f"The file is not read: {reason}",
            mend="Change the rules for files in the settings, and it is read.",
            action="settings",
        )
    verb = "could not be read" if row.state == "failed" else "is not read yet"
    return missing(
        "not_read", f"The file {verb}: {reason}", mend="Read it again now.", action="reindex"
    )


def _missing(
    vault: OpenVault,
    request: DiagnoseRequest,
    path: str,
    layer: SearchLayer | None,
    why: str,
    *,
    mend: str = "",
    action: MendAction | None = None,
    suggested: str | None = None,
) -> Diagnosis:
    return Diagnosis(
        query=request.q,
        path=path,
        vault=vault.record.name,
        found=False,
        rank=None,
        layer=layer,
        why=why,
        mend=mend,
        action=action,
        suggested=suggested,
    )


@dataclass(frozen=True)
class _Search:
    """A search whose results lack a note."""

    vault: OpenVault
    request: DiagnoseRequest
    note: StoredNote

    def diagnosis(self) -> Diagnosis:
        """The first step that loses the note; `found` if none does."""
        if (by_filter := self.by_condition()) is not None:
            return by_filter
        if self.has_verdict():
            return self.lost(
                "verdict",
                "You said that this note never answers this query.",
                mend="Take the verdict back in the log of searches.",
                action="log",
            )
        place = self.place_in(self.usual)
        if place is not None:
            return self.by_place(place)
        return next(self.without_one_step(), None) or self.by_candidates()

    @cached_property
    def parsed(self) -> ParsedQuery:
        return parse(self.request.q, scopes=True)

    @cached_property
    def usual(self) -> SearchReply:
        """The results of the search, weak ones included, as far as anybody looks."""
        return self.search(SearchRequest(self.request.q))

    def search(self, request: SearchRequest) -> SearchReply:
        return self.vault.ask(replace(request, limit=_DEEPEST, weak=True, passages=0))

    def place_in(self, reply: SearchReply) -> int | None:
        """The index of the note among results; None: it is not there."""
        paths = [result.path for result in reply.results]
        return paths.index(self.note.path) if self.note.path in paths else None

    def by_condition(self) -> Diagnosis | None:
        """The condition of the query that the note does not meet."""
        condition = self.parsed.condition
        parts = condition.parts if isinstance(condition, All) else (condition,)
        for part in parts:
            if part is not None and not self.meets(part):
                return self.lost(
                    "filter",
                    f"The note does not meet {describe(part)}.",
                    mend="Search without this condition.",
                    action="query",
                    suggested=self.parsed.text or None,
                )
        return None

    def meets(self, part: Node) -> bool:
        read = partial(write_text, self.vault.record.path)
        return self.note.id in allowed(part, self.vault.index, read=read).notes.tolist()

    def has_verdict(self) -> bool:
        verdicts = [
            verdict.verdict
            for verdict in self.vault.judgements().verdicts
            if fold(verdict.query) == fold(self.request.q) and verdict.path == self.note.path
        ]
        return verdicts[-1:] == ["never_for_this"]

    def without_one_step(self) -> Iterator[Diagnosis]:
        """A diagnosis for each step without which the note is found."""
        request = SearchRequest(self.request.q)
        corrected = self.usual.corrected
        if corrected is not None and self.finds(replace(request, ignore=frozenset(("spelling",)))):
            wrong = corrected["from"]
            quoted = (f'"{word}"' if word in wrong else word for word in self.request.q.split())
            yield self.lost(
                "corrected",
                f"{_list(wrong)} was taken for a mistake; “{corrected['text']}” was searched.",
                mend="Put the word in quotation marks.",
                action="query",
                suggested=" ".join(quoted),
            )
        if self.finds(replace(request, everything=True)):
            yield self.lost(
                "hidden",
                "The note is shelved or a daily note, and such notes are hidden by default.",
                mend="Search everything.",
                action="everything",
            )
        if self.finds(replace(request, collapse=False)):
            yield self.lost(
                "duplicate",
                "A note with nearly the same text is shown in its place.",
                mend="Near-duplicates are shown if `search.collapse` is off.",
                action="settings",
            )

    def finds(self, request: SearchRequest) -> bool:
        return self.place_in(self.search(request)) is not None

    def by_place(self, place: int) -> Diagnosis:
        """The diagnosis of a note that is among the results, at an index."""
        results = self.usual.results
        result = results[place]
        rank = 1 + sum(result.match != "weak" for result in results[:place])
        if result.match == "weak":
            return self.lost(
                "weak",
                f"The note hardly matches{self.lacking}, and weak matches are not shown.",
                mend="Show weak matches too.",
                action="weak",
            )
        if rank <= FIRST:
            return replace(self.lost(None, f"It is result {rank}."), found=True, rank=rank)
        part = _weakest(result, [result for result in results if result.match != "weak"][FIRST - 1])
        return replace(
            self.lost(
                "ranked_low",
                f"It is result {rank}: by {part}, {FIRST} or more notes are ahead of it."
                if part
                else f"It is result {rank}; its score is lower than that of {FIRST} other notes.",
                mend="Add a word that only this note has, or a condition such as its folder.",
                action="query",
                suggested=f"{self.request.q} {_within(self.note.path)}",
            ),
            rank=rank,
        )

    def by_candidates(self) -> Diagnosis:
        """The diagnosis of a note that neither words nor meaning find."""
        alone = SearchRequest(f'{self.parsed.text} path:"{self.note.path}"', everything=True)
        results = self.vault.ask(replace(alone, weak=True, limit=FIRST)).results
        result = next((result for result in results if result.path == self.note.path), None)
        (row,) = self.vault.ask(LedgerRequest(path=self.note.path)).entries
        if row.state == "keyword_only":
            return self.lost(
                "no_candidate",
                f"It can be found by its words alone until its text is embedded{self.lacking}.",
                mend="Wait until the index is ready.",
            )
        if result is not None and result.match != "weak":
            return self.lost(
                "ranked_low",
                f"At least {_DEEPEST} notes match better.",
                mend="Add a word that only this note has, or a condition such as its folder.",
                action="query",
                suggested=f"{self.request.q} {_within(self.note.path)}",
            )
        return self.lost(
            "no_candidate",
            f"Its meaning is not near that of the query{self.lacking}.",
            mend="Use words that are in the note, or add the words you look for to it as aliases.",
        )

    @property
    def lacking(self) -> str:
        """The words of the query that the note lacks, to be added to a sentence; "" for none."""
        asked = dict.fromkeys(words(self.parsed.text))
        light = function_words(asked)
        passages = self.vault.index.chunks_of(self.note.id)
        names = (self.note.title, *self.note.aliases, *self.note.tags, self.note.path)
        there = " ".join((*names, *(passage.text for passage in passages)))
        stems = {stem(word) for word in words(there)}
        missing = [word for word in asked if word not in light and stem(word) not in stems]
        return f": it lacks {_list(missing)}" if missing else ""

    @cached_property
    def lost(self) -> Callable[..., Diagnosis]:
        """Makes a diagnosis of the layer, why, the mend, and what a client can do."""
        return partial(_missing, self.vault, self.request, self.note.path)


def _weakest(result: Result, ahead: Result) -> str:
    """The part of the score by which a result falls furthest behind another; "" if none does."""
    behind = {
        name: (getattr(ahead.scores, name) or 0.0) - (getattr(result.scores, name) or 0.0)
        for name in _PARTS
    }
    worst = max(behind, key=lambda name: behind[name])
    return _PARTS[worst] if behind[worst] > 0 else ""


def _within(path: str) -> str:
    folder, _, name = path.rpartition("/")
    return f'path:"{folder}"' if folder else f'file:"{name}"'


def _list(missing: Sequence[str]) -> str:
    quoted = [f"“{word}”" for word in missing]
    return quoted[0] if len(quoted) == 1 else f"{', '.join(quoted[:-1])} and {quoted[-1]}"
