"""One search over several vaults: which are meant, and their results as one list.

Scores are shares of a vault's best result, so they say nothing about another vault. What does is
the calibrated evidence behind them, of which the best result's is in `fusion.params.best`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, TypeVar

from notewell.base.errors import NotewellError, NotFoundError, UsageError
from notewell.base.types import VaultRecord
from notewell.contract.codec import to_json
from notewell.contract.request import Request, StreamEvent
from notewell.contract.search import Fusion, SearchReply, SearchRequest
from notewell.contract.status import StatusRequest
from notewell.engine.client import Backend

ALL = "all"

R = TypeVar("R")


def find_named(word: str | None, records: Sequence[VaultRecord]) -> tuple[VaultRecord, ...]:
    """The vaults that `word` names: "all", or names and ids with commas between; else none.

    The name of one vault is always that vault. Raises NotFoundError if one of several is unknown.
    """
    if word is None or any(word in {record.id, record.name} for record in records):
        return ()
    if word == ALL:
        return tuple(records)
    if "," not in word:
        return ()
    named = [_one(part.strip(), records) for part in word.split(",") if part.strip()]
    return tuple(dict.fromkeys(named))


def _one(word: str, records: Sequence[VaultRecord]) -> VaultRecord:
    for record in records:
        if word == record.id or word.casefold() == record.name.casefold():
            return record
    known = ", ".join(record.name for record in records)
    raise NotFoundError(f"There is no vault {word!r}; known: {known}.", code="vault_not_found")


@dataclass(frozen=True, slots=True)
class VaultAnswer:
    """The answer of one vault: a reply, or the reason why there is none."""

    vault: str
    reply: SearchReply | None
    problem: NotewellError | None = None


def part_of(vault: str, search: Callable[[], SearchReply]) -> VaultAnswer:
    """The outcome of a search of one vault; an error of the package becomes its problem."""
    try:
        return VaultAnswer(vault, search())
    except NotewellError as error:
        return VaultAnswer(vault, None, error)


def merge_answers(parts: Sequence[VaultAnswer], limit: int) -> SearchReply:
    """The replies of several vaults as one, best results first; each result names its vault.

    `score` is a share of the best result of all vaults. Each vault ranks by itself: `fusion` and
    the stages of an explanation are theirs and not part of the reply. A vault without a reply is
    told in the warnings; the problem of the first one is raised where none has a reply.
    """
    problems = [part.problem for part in parts if part.problem is not None]
    if problems and len(problems) == len(parts):
        raise problems[0]
    replies = [part.reply for part in parts if part.reply is not None]
    best = max(_best(reply) for reply in replies)
    results = [
        replace(result, vault=reply.vault, score=min(result.score * _best(reply) / best, 1.0))
        for reply in replies
        for result in reply.results
    ]
    results.sort(key=lambda one: (-one.score, one.vault or "", one.path))
    counts: Counter[str] = Counter()
    for reply in replies:
        counts.update(reply.filtered)
    sure = [reply.confidence for reply in replies if reply.confidence is not None]
    first = replies[0]
    return SearchReply(
        query=first.query,
        vault=", ".join(part.vault for part in parts),
        mode=first.mode,
        fusion=Fusion(first.fusion.method, {"best": best}),
        expanded=tuple(dict.fromkeys(word for reply in replies for word in reply.expanded)),
        # A word that one vault does not know may be another one's.
        corrected=first.corrected if all(reply.corrected for reply in replies) else None,
        filtered=dict(counts),
        generation=max(reply.generation for reply in replies),
        took_ms=max(reply.took_ms for reply in replies),
        total=sum(reply.total for reply in replies),
        confidence=max(sure, default=None),
        results=tuple(results[:limit]),
        warnings=_warnings(parts),
    )


def _best(reply: SearchReply) -> float:
    """The evidence of a vault's best result; 1 where its scores are no shares of one."""
    best = None if reply.mode == "semantic" else reply.fusion.params.get("best")
    return float(best) if isinstance(best, int | float) and best > 0 else 1.0


def _warnings(parts: Sequence[VaultAnswer]) -> tuple[str, ...]:
    """All warnings; one that not every vault has says which it is of."""
    told: list[str] = []
    shared = set.intersection(
        *(set(part.reply.warnings) for part in parts if part.reply is not None)
    )
    for part in parts:
        if part.reply is None:
            why = part.problem.message if part.problem is not None else ""
            told.append(f"{part.vault} was not searched: {why}")
            continue
        told += [
            text if text in shared else f"{part.vault}: {text}" for text in part.reply.warnings
        ]
    return tuple(dict.fromkeys(told))


class SeveralBackends:
    """Answers searches from several vaults, and whether they are being indexed from the first."""

    def __init__(self, backends: Sequence[tuple[str, Backend]]) -> None:
        """Each with the name of its vault; they stay the caller's, to close."""
        self._backends = tuple(backends)

    def answer(self, request: Request[R]) -> R:
        """Answer a request; UsageError for one that concerns a single vault."""
        reply: Any
        if isinstance(request, SearchRequest):
            reply = self._search(request)
        elif isinstance(request, StatusRequest):
            reply = self._backends[0][1].answer(request)
        else:
            raise UsageError("This works with one vault. Name it.", code="vault_required")
        answered: R = reply
        return answered

    def document(self, request: Request[object]) -> bytes:
        return to_json(self.answer(request))

    def stream(self, request: Request[Any]) -> Iterator[StreamEvent]:
        """Refuse: a stream is of one vault."""
        raise UsageError(
            f"{request.endpoint.name} works with one vault. Name it.", code="vault_required"
        )

    def _search(self, request: SearchRequest) -> SearchReply:
        parts = [
            part_of(vault, partial(backend.answer, request)) for vault, backend in self._backends
        ]
        return merge_answers(parts, request.limit)
