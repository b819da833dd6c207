"""Searches of the past of a vault, and the versions of its notes."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from datetime import date, datetime, time, timedelta
from itertools import islice

from notewell.base.errors import UsageError
from notewell.contract.fields import iso
from notewell.contract.search import Result, SearchReply, SearchRequest
from notewell.engine.feature import OpenFeature, OpenVault
from notewell.engine.several_vaults import VaultAnswer, merged
from notewell.features.history.git import Change, GitHistory
from notewell.features.history.past import Files, PastIndexes, gone_notes
from notewell.features.history.requests import HistoryReply, HistoryRequest, NoteVersion
from notewell.index.analyze import stem, words
from notewell.search.query.terms import function_words

Search = Callable[[SearchRequest], SearchReply]
_MOST_LINES = 12  # of a version that are shown, added and removed
_LONGEST = 400  # characters of a line that are shown
_ENOUGH = 0.6  # of the words of a query, in a line
_TEXT = re.compile(r"(?!```|~~~).*\w.*\w.*\w")  # no mark that would make code of all that follows
_WORD = re.compile(r"\w+")
_HEADING = re.compile(r"#{1,6}\s+")  # what stood below a heading that is gone is not known


def opened(vault: OpenVault) -> OpenFeature:
    """The history of a vault."""
    history = VaultHistory(vault)
    return OpenFeature(
        answers={HistoryRequest: history.versions}, past=history.search, close=history.close
    )


class VaultHistory:
    """The history of one vault. Any thread may call."""

    def __init__(self, vault: OpenVault) -> None:
        self._vault = vault
        self._git = GitHistory(vault.record.path)
        self._past = PastIndexes(vault)

    def close(self) -> None:
        self._past.close()

    def search(self, request: SearchRequest, search: Search) -> SearchReply:
        """Search as of a day, or what is gone together with what is there."""
        if request.as_of is not None:
            return self._as_of(request, request.as_of)
        now = search(replace(request, ever=False))
        return self._with_gone(request, now)

    def _as_of(self, request: SearchRequest, day: str) -> SearchReply:
        self._git.head()
        commit = self._git.commit_before(_end_of(day))
        if commit is None:
            raise UsageError(f"The history of this vault begins after {day}.", code="no_history")
        engine = self._past.opened(commit[:16], lambda: self._files(commit))
        reply = engine.searcher.search(replace(request, as_of=None))
        shown = (replace(one, uri=self._uri(one), as_of=day) for one in reply.results)
        return replace(reply, results=tuple(shown))

    def _files(self, commit: str) -> Files:
        files = self._git.files(commit)
        kept = {path: one for path, one in files.items() if self._is_read(path)}
        yield from zip(kept, self._git.contents(kept.values()), strict=True)

    def _is_read(self, path: str) -> bool:
        """True for notes and, as daily notes are told by them, the settings of Obsidian."""
        return path.endswith(self._vault.source.types) or path.startswith(".obsidian/")

    def _with_gone(self, request: SearchRequest, now: SearchReply) -> SearchReply:
        """The present results and those of lines that are gone, each note once."""
        head = self._git.head()
        engine = self._past.opened(f"gone-{head[:16]}", lambda: gone_notes(self._gone(head)))
        found = engine.searcher.search(replace(request, ever=False))
        there = {one.path for one in now.results}
        gone = [replace(one, uri=self._uri(one), current=False) for one in found.results]
        both = merged(
            [
                VaultAnswer("now", now),
                VaultAnswer("gone", replace(found, vault="gone", results=tuple(gone))),
            ],
            request.limit * 2,
        )
        first = {one.path: one for one in reversed(both.results)}
        shown = [replace(one, vault=None) for one in both.results if first[one.path] is one]
        total = now.total + found.total - sum(one.path in there for one in gone)
        return replace(
            both, vault=now.vault, fusion=now.fusion, results=tuple(shown[: request.limit]),
            total=total, generation=now.generation,
        )  # fmt: skip

    def _gone(self, head: str) -> Mapping[str, list[str]]:
        """The lines that stand in no note any more, by the path of the note they went from last."""
        known = {
            _said(line)
            for content in self._git.contents(
                one for path, one in self._git.files(head).items() if self._is_read(path)
            )
            for line in content.decode("utf-8", "replace").splitlines()
        }
        gone: dict[str, list[str]] = {}
        for change in self._git.changes():
            if change.path.endswith(self._vault.source.types):
                for line in map(str.strip, change.removed):
                    if _TEXT.match(line) and (said := _said(line)) not in known:
                        known.add(said)
                        gone.setdefault(change.path, []).append(_HEADING.sub("", line, 1))
        return gone

    def _uri(self, result: Result) -> str:
        return self._vault.source.uri(result.path, result.block)

    def versions(self, request: HistoryRequest) -> HistoryReply:
        """The changes of a note, or of all, whose lines match; SourceError without a history."""
        self._git.head()
        asked = set(words(request.q))
        wanted = {stem(word) for word in (asked - function_words(asked)) or asked}
        matching = [
            found
            for change in self._git.changes(request.path)
            if change.path.endswith(self._vault.source.types)
            for found in _matching(change, wanted)
        ]
        written = [one for one in matching if one.added]
        return HistoryReply(
            query=request.q,
            path=request.path,
            vault=self._vault.record.name,
            total=len(matching),
            first=written[-1] if written else None,
            versions=tuple(matching[: request.limit]),
        )


def _matching(change: Change, wanted: set[str]) -> Iterator[NoteVersion]:
    """The change with its lines that have the words `wanted`, as stems; none if none has."""

    def found(lines: list[str]) -> tuple[str, ...]:
        has = (line for line in lines if line.strip() and _share(wanted, line) >= _ENOUGH)
        return tuple(line[:_LONGEST] for line in islice(has, _MOST_LINES))

    added, removed = found(change.added), found(change.removed)
    if added or removed:
        yield NoteVersion(
            change.commit, iso(change.at) or "", change.path, change.subject, added, removed
        )


def _said(line: str) -> str:
    """The words of a line: one that had other marks or capitals said the same."""
    return " ".join(_WORD.findall(line.casefold()))


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
