"""Other wordings of a query, by the configured language model: `expand=llm`.

The query alone is sent, and each query once: what came back is kept. The wordings are searched for
beside the query, and the lists are merged by reciprocal rank (Cormack et al. 2009), the query's own
counting double.
"""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from notewell.contract.search import UNLOGGED, Fusion, Result, SearchReply, SearchRequest
from notewell.errors import CancelledError, NotewellError, ProviderError
from notewell.models.chat.messages import Message, Turn
from notewell.models.chat.providers import Providers
from notewell.search.query import parse
from notewell.support import atomic
from notewell.support.http import Cancel

NAME = "expansions.json"
MOST_KEPT = 500  # queries
SECONDS = 8.0  # a search waits no longer
_VARIANTS, _TERMS = 3, 5
_CHARS = 200  # of one wording
_RANK = 60.0
_OWN, _OTHER = 1.0, 0.5
_DEPTH = 30  # results of each list that are merged, at least
_OBJECT = re.compile(r"\{.*\}", re.DOTALL)
_PROMPT = (
    "Somebody searches their own notes. Give other wordings of their query, in its language, that"
    f" notes may use: at most {_VARIANTS} short queries, and at most {_TERMS} telling words"
    ' that are not in it. Answer with JSON alone: {"queries": ["…"], "terms": ["…"]}'
)

Search = Callable[[SearchRequest], SearchReply]


@dataclass(frozen=True, slots=True)
class Wordings:
    """What a model made of a query."""

    queries: tuple[str, ...]
    terms: tuple[str, ...]


class Expander:
    """Widens searches of one data directory. Any thread may call."""

    def __init__(self, providers: Providers) -> None:
        """What was asked before is read when it is first needed."""
        self._providers = providers
        self._file = providers.folder / NAME
        self._lock = threading.Lock()
        self._kept: dict[str, Wordings] | None = None

    def search(self, request: SearchRequest, search: Search) -> SearchReply:
        """Search for the query and its wordings; whatever prevents that is a warning."""
        own = replace(request, expand=None)
        if not request.plain and parse(request.q).condition is not None:
            return _warned(search(own), "Not expanded: the query has conditions.")
        try:
            wordings = self.wordings(request.q)
        except NotewellError as error:
            return _warned(search(own), f"Not expanded: {error.message}")
        others = [*wordings.queries, *([" ".join(wordings.terms)] if wordings.terms else [])]
        deep = replace(own, limit=max(request.limit, _DEPTH))
        found = search(deep)
        # The same search in every other way, but nobody's: the log has the query alone.
        more = [
            search(replace(deep, q=text, plain=True, explain=False, door=UNLOGGED))
            for text in others
        ]
        return _merged(found, more, wordings, request.limit)

    def wordings(self, query: str) -> Wordings:
        """The wordings of a query, asked for once. Raises what a provider raises."""
        key = " ".join(query.casefold().split())
        with self._lock:
            kept = self._kept if self._kept is not None else self._read()
            self._kept = kept
            known = kept.get(key)
        if known is not None:
            return known
        made = self._ask(query)
        with self._lock:
            kept[key] = made
            while len(kept) > MOST_KEPT:
                del kept[next(iter(kept))]
            self._write(kept)
        return made

    def _ask(self, query: str) -> Wordings:
        cancel = Cancel()
        waiting = threading.Timer(SECONDS, cancel.cancel)
        waiting.daemon = True
        waiting.start()
        try:
            provider = self._providers.open(cancel)
            model = self._providers.choose(provider)
            said = (Message("system", _PROMPT), Message("user", query))
            turns = provider.stream(model.name, said, (), self._providers.rules.answer_tokens)
            text = next((piece.text for piece in turns if isinstance(piece, Turn)), "")
        except CancelledError as error:
            raise ProviderError(
                f"The language model took longer than {SECONDS:g} seconds."
            ) from error
        finally:
            waiting.cancel()
        return _read_wordings(text, query)

    def _read(self) -> dict[str, Wordings]:
        try:
            kept = json.loads(self._file.read_text(encoding="utf-8"))
            return {key: Wordings(tuple(one[0]), tuple(one[1])) for key, one in kept.items()}
        except (OSError, ValueError, TypeError, AttributeError, IndexError):
            return {}

    def _write(self, kept: Mapping[str, Wordings]) -> None:
        text = json.dumps({key: [one.queries, one.terms] for key, one in kept.items()})
        with suppress(OSError):  # then it is asked for again
            atomic.replace(self._file, text.encode())


def _read_wordings(text: str, query: str) -> Wordings:
    """What a model answered, as far as it keeps to what it was asked for."""
    found = _OBJECT.search(text)
    try:
        said = json.loads(found[0]) if found else {}
    except ValueError:
        said = {}
    return Wordings(
        _texts(said.get("queries"), query, _VARIANTS), _texts(said.get("terms"), query, _TERMS)
    )


def _texts(value: object, query: str, most: int) -> tuple[str, ...]:
    given = value if isinstance(value, list) else []
    texts = (" ".join(one.split())[:_CHARS] for one in given if isinstance(one, str))
    own = query.casefold().strip()
    return tuple(dict.fromkeys(text for text in texts if text and text.casefold() != own))[:most]


def _merged(
    found: SearchReply, more: Sequence[SearchReply], wordings: Wordings, limit: int
) -> SearchReply:
    """One list of all; scores are shares of the best."""
    scores: dict[str, float] = {}
    results: dict[str, Result] = {}
    for reply, weight in ((found, _OWN), *((one, _OTHER) for one in more)):
        for rank, result in enumerate(reply.results, 1):
            scores[result.path] = scores.get(result.path, 0.0) + weight / (_RANK + rank)
            results.setdefault(result.path, result)
    best = max(scores.values(), default=1.0)
    ordered = sorted(results.values(), key=lambda one: -scores[one.path])
    return replace(
        found,
        fusion=Fusion("llm", {"rank": _RANK, "own": _OWN, "other": _OTHER})
        if more
        else found.fusion,
        expanded=(*found.expanded, *wordings.queries, *wordings.terms),
        total=max(found.total, len(results)),
        took_ms=round(found.took_ms + sum(one.took_ms for one in more), 3),
        results=tuple(
            replace(one, score=round(scores[one.path] / best, 6)) if more else one
            for one in ordered[:limit]
        ),
    )


def _warned(reply: SearchReply, warning: str) -> SearchReply:
    return replace(reply, warnings=(*reply.warnings, warning))
