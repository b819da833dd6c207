"""Searches of the past of a vault, and the versions of its notes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import date, datetime, time, timedelta
from itertools import islice

from notewell.api import OpenFeature, OpenVault
from notewell.api.errors import UsageError
from notewell.api.requests import iso
from notewell.api.search import Result, SearchReply, SearchRequest
from notewell.api.text import function_words, stem, words
from notewell.api.vault import FileRef
from notewell.engine.several_vaults import VaultAnswer, merge_answers
from notewell.features.history.changes import FileChange
from notewell.features.history.git import GitHistory
from notewell.features.history.gone_lines import gone_lines
from notewell.features.history.past_indexes import PastIndexes
from notewell.features.history.past_notes import PastNotes, PastRules, checked_sizes
from notewell.features.history.requests import HistoryReply, HistoryRequest, NoteVersion
from notewell.vault.read_notes import content_limit

Search = Callable[[SearchRequest], SearchReply]
_MOST_LINES = 12  # of a version that are shown, added and removed
_LONGEST = 400  # characters of a line that are shown
_ENOUGH = 0.6  # of the words of a query, in a line
_WRITTEN = (".md", ".markdown", ".txt")  # whose lines are text


def open_feature(vault: OpenVault) -> OpenFeature:
    """The history of a vault."""
    history = VaultHistory(vault)
    return OpenFeature(
        answers={HistoryRequest: history.versions},
        searches={"past": history.search},
        close=history.close,
    )


class VaultHistory:
    """The history of one vault. Any thread may call."""

    def __init__(self, vault: OpenVault) -> None:
        self._vault = vault
        self._past = PastIndexes(vault)
        self._git = GitHistory(vault.record.path, self._past.git_folder)

    def close(self) -> None:
        self._git.close()
        self._past.close()

    def search(self, request: SearchRequest, search: Search) -> SearchReply:
        """Search as of a day, or what is gone together with what is there."""
        if request.as_of is not None:
            return self._as_of(request, request.as_of)
        now = search(replace(request, ever=False))
        return self._with_gone(request, now)

    def _rules(self) -> PastRules:
        """The rules of today, which hold for all of the past."""
        return PastRules(self._vault.record.path, self._vault.settings().vault)

    def _as_of(self, request: SearchRequest, day: str) -> SearchReply:
        git = self._reader()
        git.head()
        commit = git.commit_before(_end_of(day))
        if commit is None:
            raise UsageError(f"The history of this vault begins after {day}.", code="no_history")
        rules = self._rules()
        engine = self._past.opened(
            f"{commit[:16]}-{rules.digest}", lambda: self._notes_of(git, commit, rules)
        )
        reply = engine.searcher.search(replace(request, as_of=None))
        shown = (replace(result, uri=self._uri(result), as_of=day) for result in reply.results)
        return replace(reply, results=tuple(shown), warnings=(*reply.warnings, *rules.warnings()))

    def _reader(self) -> GitHistory:
        """The repository as it is now: it may have changed since the last question."""
        self._git = self._git.again()
        return self._git

    @contextmanager
    def _notes_of(self, git: GitHistory, commit: str, rules: PastRules) -> Iterator[PastNotes]:
        """The notes of a commit, whose contents are read one by one."""
        files = git.files(commit, rules.reads)
        sizes = checked_sizes(git, files, self._most)
        with git.reading() as content:
            notes = self._notes(sizes, lambda path: content(files[path]))
            try:
                yield notes
            finally:
                notes.close()

    def _notes(self, sizes: Mapping[str, int], content: Callable[[str], bytes]) -> PastNotes:
        source = self._vault.source
        return PastNotes(sizes, content, self._vault.settings().vault, source.types, source.uri)

    def _most(self, path: str) -> int:
        """The most bytes that a note of this path may have."""
        return content_limit(
            FileRef(path, self._vault.record.path, 0, 0), self._vault.settings().vault
        )

    def _with_gone(self, request: SearchRequest, now: SearchReply) -> SearchReply:
        """The present results and those of lines that are gone, each note once."""
        git = self._reader()
        head = git.head()
        rules = self._rules()
        engine = self._past.opened(
            f"gone-{head[:16]}-{rules.digest}", lambda: self._gone(git, head, rules)
        )
        reply = engine.searcher.search(replace(request, ever=False))
        there = {result.path for result in now.results}
        gone = [replace(result, uri=self._uri(result), current=False) for result in reply.results]
        both = merge_answers(
            [
                VaultAnswer("now", now),
                VaultAnswer("gone", replace(reply, vault="gone", results=tuple(gone))),
            ],
            request.limit * 2,
        )
        first = {result.path: result for result in reversed(both.results)}
        shown = [
            replace(result, vault=None) for result in both.results if first[result.path] is result
        ]
        total = now.total + reply.total - sum(result.path in there for result in gone)
        return replace(
            both, vault=now.vault, fusion=now.fusion, results=tuple(shown[: request.limit]),
            total=total, generation=now.generation,
        )  # fmt: skip

    @contextmanager
    def _gone(self, git: GitHistory, head: str, rules: PastRules) -> Iterator[PastNotes]:
        """Notes of the lines that are gone."""

        def is_text(path: str) -> bool:
            return path.lower().endswith(_WRITTEN) and rules.reads(path)

        files = git.files(head, is_text)
        sizes = checked_sizes(git, files, self._most)
        read = [files[path] for path, size in sizes.items() if size <= self._most(path)]
        changes = (change for change in git.changes() if is_text(change.path))
        gone = gone_lines(git.contents(read), changes)
        notes = self._notes({path: len(text) for path, text in gone.items()}, gone.__getitem__)
        try:
            yield notes
        finally:
            notes.close()

    def _uri(self, result: Result) -> str:
        return self._vault.source.uri(result.path, result.block)

    def versions(self, request: HistoryRequest) -> HistoryReply:
        """The changes of a note, or of all, whose lines match; SourceError without a history."""
        git = self._reader()
        git.head()
        rules = self._rules()
        undated = 0
        total, kept = 0, list[NoteVersion]()
        first: NoteVersion | None = None
        if request.path is None or rules.reads(request.path):
            asked = set(words(request.q))
            wanted = {stem(word) for word in (asked - function_words(asked)) or asked}
            for change in git.changes(request.path):
                if not rules.reads(change.path):
                    continue
                if change.at is None:
                    undated += 1
                    continue
                for version in _matching(change, change.at, wanted):
                    total += 1
                    first = version if version.added else first
                    if len(kept) < request.limit:
                        kept.append(version)
        return HistoryReply(
            query=request.q,
            path=request.path,
            vault=self._vault.record.name,
            total=total,
            first=first,
            versions=tuple(kept),
            warnings=(*_warn_of_undated(undated), *rules.warnings()),
        )


def _warn_of_undated(count: int) -> Sequence[str]:
    if not count:
        return ()
    return (f"{count:,} changes were left out, because their commits have no valid time.",)


def _matching(change: FileChange, at: float, wanted: set[str]) -> Iterator[NoteVersion]:
    """The change with its lines that have the words `wanted`, as stems; none if none has."""

    def matching(lines: Iterable[str]) -> tuple[str, ...]:
        has = (line for line in lines if line.strip() and _share(wanted, line) >= _ENOUGH)
        return tuple(line[:_LONGEST] for line in islice(has, _MOST_LINES))

    added, removed = matching(change.added), matching(change.removed)
    if added or removed:
        yield NoteVersion(change.commit, iso(at) or "", change.path, change.subject, added, removed)


def _share(wanted: set[str], line: str) -> float:
    if not wanted:
        return 1.0
    return len(wanted & {stem(word) for word in words(line)}) / len(wanted)


def _end_of(day: str) -> float:
    """The end of a day where this computer is, POSIX seconds."""
    try:
        after = date.fromisoformat(day) + timedelta(days=1)
    except (ValueError, OverflowError) as error:
        raise UsageError(f"{day!r} is no day; write it as 2025-03-01.") from error
    return datetime.combine(after, time()).astimezone().timestamp()
