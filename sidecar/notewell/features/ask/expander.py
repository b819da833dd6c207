"""Expands a query with other wordings from the configured language model: `expand=llm`.

Only the query is sent, and only once: the reply is cached. The query and the wordings are
searched for, and the lists are merged by reciprocal rank fusion (Cormack et al. 2009), in which
the list of the query itself has double weight.
"""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from notewell.api.errors import CancelledError, NotewellError, ProviderError
from notewell.api.files import disk
from notewell.api.search import UNLOGGED, Result, SearchReply, SearchRequest
from notewell.api.text import parse
from notewell.base.support.http import Cancel
from notewell.contract.search import Fusion
from notewell.models.chat import Message, Turn
from notewell.models.chat.providers import Providers

NAME = "expansions.json"
MAX_CACHED = 500  # queries
TIMEOUT_S = 8.0  # of the model; the search then goes on without wordings
_VARIANTS, _TERMS = 3, 5
_CHARS = 200  # of one wording
_RANK_CONSTANT = 60.0
_OWN_WEIGHT, _OTHER_WEIGHT = 1.0, 0.5
_DEPTH = 30  # the least number of results of each list that are merged
_OBJECT = re.compile(r"\{.*\}", re.DOTALL)
_PROMPT = (
    "Somebody searches their own notes. Give other wordings of their query, in its language, that"
    f" notes may use: at most {_VARIANTS} short queries, and at most {_TERMS} distinctive words"
    ' that are not in it. Answer with JSON alone: {"queries": ["…"], "terms": ["…"]}'
)
Search = Callable[[SearchRequest], SearchReply]


@dataclass(frozen=True, slots=True)
class Wordings:
    """Other wordings of a query: whole queries, and single terms."""

    queries: tuple[str, ...]
    terms: tuple[str, ...]


class Expander:
    """Expands searches. Safe to use from several threads."""

    def __init__(self, providers: Callable[[], Providers]) -> None:
        """`providers` gives those of the settings now; the cache in their folder is read later."""
        self._providers = providers
        self._file = providers().folder / NAME
        self._lock = threading.Lock()
        self._cache: dict[str, Wordings] | None = None

    def search(self, request: SearchRequest, search: Search) -> SearchReply:
        """Search for the query and its wordings. If there are none, a warning says why."""
        own = replace(request, expand=None)
        if not request.plain and parse(request.q, scopes=True).condition is not None:
            return _add_warning(search(own), "Not expanded: the query has conditions.")
        try:
            wordings = self.wordings(request.q)
        except NotewellError as error:
            return _add_warning(search(own), f"Not expanded: {error.message}")
        others = [*wordings.queries, *([" ".join(wordings.terms)] if wordings.terms else [])]
        deep = replace(own, limit=max(request.limit, _DEPTH))
        reply = search(deep)
        # Searches for wordings are not logged, because the user did not type them.
        more = [
            search(replace(deep, q=text, plain=True, explain=False, door=UNLOGGED))
            for text in others
        ]
        return _merge(reply, more, wordings, request.limit)

    def wordings(self, query: str) -> Wordings:
        """The wordings of a query, from the cache or the model. Raises what the provider raises."""
        key = " ".join(query.casefold().split())
        with self._lock:
            cache = self._cache if self._cache is not None else self._read()
            self._cache = cache
            known = cache.get(key)
        if known is not None:
            return known
        asked = self._ask(query)
        with self._lock:
            cache[key] = asked
            while len(cache) > MAX_CACHED:
                del cache[next(iter(cache))]
            self._write(cache)
        return asked

    def _ask(self, query: str) -> Wordings:
        cancel = Cancel()
        timer = threading.Timer(TIMEOUT_S, cancel.cancel)
        timer.daemon = True
        timer.start()
        try:
            providers = self._providers()
            provider = providers.open(cancel)
            model = providers.choose(provider)
            messages = (Message("system", _PROMPT), Message("user", query))
            turns = provider.stream(model.name, messages, (), providers.rules.answer_tokens)
            text = next((piece.text for piece in turns if isinstance(piece, Turn)), "")
        except CancelledError as error:
            raise ProviderError(
                f"The language model took longer than {TIMEOUT_S:g} seconds."
            ) from error
        finally:
            timer.cancel()
        return _read_wordings(text, query)

    def _read(self) -> dict[str, Wordings]:
        try:
            stored = json.loads(self._file.read_text(encoding="utf-8"))
            return {
                key: Wordings(tuple(wordings[0]), tuple(wordings[1]))
                for key, wordings in stored.items()
            }
        except (OSError, ValueError, TypeError, AttributeError, IndexError):
            return {}

    def _write(self, cache: Mapping[str, Wordings]) -> None:
        text = json.dumps(
            {key: [wordings.queries, wordings.terms] for key, wordings in cache.items()}
        )
        with suppress(OSError):  # then the model is asked again
            disk.replace(self._file, text.encode())


def _read_wordings(text: str, query: str) -> Wordings:
    """The wordings in a reply of the model; whatever is not as requested is ignored."""
    match = _OBJECT.search(text)
    try:
        reply = json.loads(match[0]) if match else {}
    except ValueError:
        reply = {}
    return Wordings(
        _texts(reply.get("queries"), query, _VARIANTS), _texts(reply.get("terms"), query, _TERMS)
    )


def _texts(value: object, query: str, most: int) -> tuple[str, ...]:
    given = value if isinstance(value, list) else []
    texts = (" ".join(text.split())[:_CHARS] for text in given if isinstance(text, str))
    own = query.casefold().strip()
    return tuple(dict.fromkeys(text for text in texts if text and text.casefold() != own))[:most]


def _merge(
    first: SearchReply, more: Sequence[SearchReply], wordings: Wordings, limit: int
) -> SearchReply:
    """Merge all replies into one. Scores are relative to the best one, which has 1."""
    scores: dict[str, float] = {}
    results: dict[str, Result] = {}
    for reply, weight in ((first, _OWN_WEIGHT), *((reply, _OTHER_WEIGHT) for reply in more)):
        for rank, result in enumerate(reply.results, 1):
            scores[result.path] = scores.get(result.path, 0.0) + weight / (_RANK_CONSTANT + rank)
            results.setdefault(result.path, result)
    best = max(scores.values(), default=1.0)
    ordered = sorted(results.values(), key=lambda result: -scores[result.path])
    return replace(
        first,
        fusion=Fusion("llm", {"rank": _RANK_CONSTANT, "own": _OWN_WEIGHT, "other": _OTHER_WEIGHT})
        if more
        else first.fusion,
        expanded=(*first.expanded, *wordings.queries, *wordings.terms),
        total=max(first.total, len(results)),
        took_ms=round(first.took_ms + sum(reply.took_ms for reply in more), 3),
        results=tuple(
            replace(result, score=round(scores[result.path] / best, 6)) if more else result
            for result in ordered[:limit]
        ),
    )


def _add_warning(reply: SearchReply, warning: str) -> SearchReply:
    return replace(reply, warnings=(*reply.warnings, warning))
