"""Features: capabilities beside reading, indexing and searching, each a folder and a row.

A row names the modules of its feature as text, `module:attribute`, so that nothing is imported
before it is used. The doors read everything from the rows, in their order.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from notewell.base.errors import NotewellError, NotFoundError, ReadOnlyError
from notewell.base.types.frozen import frozen

if TYPE_CHECKING:  # a command beside a running server needs the rows alone
    from notewell.base.querylog import Judgements
    from notewell.base.support.http import Cancel
    from notewell.base.types import Embedder, Settings, VaultRecord, VaultSource
    from notewell.base.types.settings import Section
    from notewell.contract.request import Request, StreamEvent
    from notewell.contract.search import SearchReply, SearchRequest
    from notewell.contract.status import RunKind
    from notewell.engine.ingest.token_counter import TokenCounter
    from notewell.engine.runs import Runs
    from notewell.engine.scheduler import Scheduler
    from notewell.index.engines import Engines
    from notewell.index.port import IndexReader
    from notewell.models.chat.providers import Providers
    from notewell.models.query_table_file import FindTable
    from notewell.search.weights import Tuning
    from notewell.vault.sources import Source
    from notewell.vault.write import VaultWriter

R = TypeVar("R")
log = logging.getLogger(__name__)
Requests: TypeAlias = "tuple[type[Request[Any]], ...]"
Answers: TypeAlias = "Mapping[type[Request[Any]], Callable[[Any], object]]"
Streams: TypeAlias = "Mapping[type[Request[Any]], Callable[[Any, Cancel], Iterator[StreamEvent]]]"
Search: TypeAlias = "Callable[[SearchRequest], SearchReply]"


@frozen
class Feature:
    """A row of the table of features.

    Of its parts, each named as `module:attribute`:

    - `requests`: a tuple of the records of its requests;
    - `answers`: a function from `OpenVault` to `OpenFeature`;
    - `handlers`: functions of the HTTP server by request, for what no vault can answer alone;
    - `commands`: those of the command line by name, below `heading` of its help, or in the group
      of this name;
    - `tools` and `prompts`: tuples of tools of assistants, and of prompts for them;
    - `settings`: the `Section` of its settings;
    - `sources`: classes of a `Source` by the kind of vaults whose notes they read;
    - `beside`: a function from the `Source` of a vault's notes, its record and its settings to a
      `Source` that has further files, to be indexed with the notes;
    - `own_folders`: a function from `Settings` to the folders of notes that it alone edits;
    - `tuning`: a function from the data folder of a vault to one that gives the factors on the
      weights of its next search;
    - `query_table`: a function from the data folder of a vault to one that gives the table by which
      queries of a model are answered without it, None if there is none;
    - `searches_history`: a function that tells whether a folder has a history of its notes, in
      which the feature searches for `as_of` and `ever`;
    - `engines`: an `IndexEngine` for each scheme of the addresses of indexes that it stores.

    `runs` are the kinds of runs that the schedule may begin, each with its usual time; `starts`
    says that it has work to do when a vault begins to be served. `files` are its files of state in
    the data folder of a vault: saved in backups, deleted with the vault; `talks/*.json` are those
    of a folder of its own, whose names are hexadecimal numbers, and `databases` those that are
    SQLite's. `expands` are the values of a search's `expand` for which it searches.
    A feature with `sources` begins runs of vaults of these kinds alone, and is shown the results of
    their searches.
    """

    name: str
    requests: str = ""
    answers: str = ""
    handlers: str = ""
    commands: Mapping[str, str] = field(default_factory=dict)
    heading: str = ""
    tools: str = ""
    prompts: str = ""
    settings: str = ""
    sources: Mapping[VaultSource, str] = field(default_factory=dict)
    beside: str = ""
    own_folders: str = ""
    runs: Mapping[RunKind, str] = field(default_factory=dict)
    starts: bool = False
    files: tuple[str, ...] = ()
    expands: tuple[str, ...] = ()
    databases: tuple[str, ...] = ()
    tuning: str = ""
    searches_history: str = ""
    query_table: str = ""
    engines: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class OpenVault:
    """One vault at work, as its features see it.

    `settings` gives those that are in force now, which may change while the vault is open. With
    `writer` None the vault is never written. `changed` is called with the path of each note
    written. `schedule` tells which runs are due, and follows a feature's at times that may change.
    `reindex` has the paths given, or without any the whole vault, compared with the index:
    by the writer that serves the vault, else before it returns. `embedder` gives the model that
    answers searches, `query_table` the table of a model, `chat` the language model that is
    configured now. `own_folders` gives those whose notes only one feature edits, with its name.
    `ask` answers any request about the vault, also those of other features; NotFoundError where
    such a feature is absent. `judgements` are the results that were opened and the verdicts.
    `give_way` is called between the steps of long work: it pauses while searches run.
    """

    record: VaultRecord
    settings: Callable[[], Settings]
    index: IndexReader
    source: Source
    writer: VaultWriter | None
    runs: Runs
    schedule: Scheduler
    changed: Callable[[str], None]
    reindex: Callable[..., None]
    embedder: Callable[[], Embedder | None]
    query_table: FindTable
    chat: Callable[[], Providers]
    count_tokens: TokenCounter
    own_folders: Callable[[], Mapping[str, str]]
    ask: Callable[[Request[R]], R]
    judgements: Callable[[], Judgements]
    give_way: Callable[[], None]

    @property
    def folder(self) -> Path:
        """The data folder of the vault, even if a setting puts the index elsewhere."""
        return self.record.data_folder(self.settings().data_dir)

    def open_writer(self) -> VaultWriter:
        """The writer; ReadOnlyError where the vault is never written."""
        if self.writer is None:
            raise ReadOnlyError(
                "This vault is only read: its notes come from another program, or Notewell's data"
                " directory is inside it."
            )
        return self.writer


@dataclass(frozen=True, slots=True)
class OpenFeature:
    """One feature at work in one vault. Any thread may call what is here.

    `answers` has a function for each request, `streams` one for each that is answered by a stream,
    whose thread the caller lends, and `runs` one for each kind of run, which begins it without
    waiting for its end. `expand_query` and `search_history` search by the search function they are
    given. `start` is called once where a writer serves the vault, `close` at the end. `refresh`
    gives the reply to a search as it is shown.
    """

    answers: Answers
    streams: Streams = field(default_factory=dict)
    expand_query: Callable[[SearchRequest, Search], SearchReply] | None = None
    search_history: Callable[[SearchRequest, Search], SearchReply] | None = None
    runs: Mapping[RunKind, Callable[[], object]] = field(default_factory=dict)
    start: Callable[[], None] = lambda: None
    close: Callable[[], None] = lambda: None
    refresh: Callable[[SearchRequest, SearchReply], SearchReply] | None = None


class OpenFeatures:
    """The features of one vault, each opened by its first request. Any thread may call."""

    def __init__(self, features: Sequence[Feature], vault: OpenVault) -> None:
        self._features = tuple(features)
        self._vault = vault
        self._opened: dict[str, OpenFeature] = {}
        self._of_source = [
            feature for feature in features if vault.record.source in feature.sources
        ]
        self._opening = threading.RLock()  # a feature may ask another while it is opened

    def answer(self, request: Request[R]) -> R:
        """Answer a request; NotFoundError where no feature does."""
        answer = self._opened_for(type(request)).answers.get(type(request))
        if answer is None:  # a server does
            raise _missing(request.endpoint.name)
        reply: Any = answer(request)
        answered: R = reply
        return answered

    def stream(self, request: Request[Any], cancel: Cancel) -> Iterator[StreamEvent]:
        """The events of a stream that answers a request, until it ends or `cancel` ends it."""
        yield from self._opened_for(type(request)).streams[type(request)](request, cancel)

    def search(self, request: SearchRequest, search: Search) -> SearchReply:
        """Search by `search`, or by the feature that does what else the request wants."""
        of_past = request.as_of is not None or request.ever
        if not of_past and not isinstance(request.expand, str):
            return search(request)
        for feature in self._features:
            if feature.searches_history if of_past else request.expand in feature.expands:
                opened = self.open(feature)
                found = opened.search_history if of_past else opened.expand_query
                if found is not None:
                    return found(request, search)
        raise _missing(
            "A search of the past" if of_past else f"A search with `expand={request.expand}`"
        )

    def _opened_for(self, request: type[Request[Any]]) -> OpenFeature:
        for feature in self._features:
            asked = feature.answers and feature.requests
            if asked and request in load(feature.requests):
                return self.open(feature)
        raise _missing(request.endpoint.name)

    def refreshed(self, request: SearchRequest, reply: SearchReply) -> SearchReply:
        """Let the feature of the source refresh the results; without one they stay as they are."""
        for feature in self._of_source:
            refresh = self.open(feature).refresh
            reply = reply if refresh is None else refresh(request, reply)
        return reply

    def open(self, feature: Feature) -> OpenFeature:
        """Open a feature, once."""
        with self._opening:
            if feature.name not in self._opened:
                self._opened[feature.name] = load(feature.answers)(self._vault)
            return self._opened[feature.name]

    def start(self) -> None:
        """Begin what has to be done when the vault is served."""
        for feature in self._features:
            if feature.starts:
                try:
                    self.open(feature).start()
                except NotewellError as error:
                    log.warning("%s could not be started: %s", feature.name, error.message)

    def close(self) -> None:
        with self._opening:
            for feature in self._opened.values():
                feature.close()

    def runs(self) -> Mapping[RunKind, Callable[[], object]]:
        """Functions that begin a run of each kind; a feature is opened when its run is due."""
        return {
            kind: partial(self._begin, feature, kind)
            for feature in self._features
            if not feature.sources or feature in self._of_source
            for kind in feature.runs
        }

    def _begin(self, feature: Feature, kind: RunKind) -> None:
        self.open(feature).runs[kind]()


def _missing(name: str) -> NotFoundError:
    return NotFoundError(f"{name} needs a feature that is not installed.", code="feature_missing")


def load(place: str) -> Any:
    """Import what a row names, `module:attribute`."""
    module, _, name = place.partition(":")
    return getattr(import_module(module), name)


def requests(features: Sequence[Feature]) -> Requests:
    """The requests of all features, in the order of the table."""
    return tuple(
        request for feature in features if feature.requests for request in load(feature.requests)
    )


def commands(
    features: Sequence[Feature], core: Mapping[str, Mapping[str, str]]
) -> Mapping[str, Mapping[str, str]]:
    """All commands as `core` gives its own, which come first: heading, name, place."""
    found = {heading: dict(names) for heading, names in core.items()}
    for feature in features:
        if feature.commands:
            found[feature.heading].update(feature.commands)
    return found


def sections(features: Sequence[Feature]) -> tuple[Section, ...]:
    """The sections of settings of all features."""
    return tuple(load(feature.settings) for feature in features if feature.settings)


def open_source(features: Sequence[Feature], record: VaultRecord, settings: Settings) -> Source:
    """The source of a vault's notes, with the files that features index with them.

    NotFoundError where no feature reads notes of its kind.
    """
    from notewell.vault.sources import source_of  # noqa: PLC0415 - rows alone need none

    places = (
        feature.sources[record.source] for feature in features if record.source in feature.sources
    )
    place = next(places, None)
    read = source_of if place is None else load(place)
    source: Source = read(record, settings.vault)
    for feature in reversed(features):  # the first one is asked first
        if feature.beside:
            source = load(feature.beside)(source, record, settings)
    return source


def usual_times(features: Sequence[Feature]) -> Mapping[RunKind, str]:
    """The usual time of each kind of runs that the schedule may begin."""
    return {kind: when for feature in features for kind, when in feature.runs.items()}


def own_folders(features: Sequence[Feature], settings: Settings) -> Mapping[str, str]:
    """The folders of a vault whose notes only a feature edits, each with the feature's name."""
    return {
        folder: feature.name
        for feature in features
        if feature.own_folders
        for folder in load(feature.own_folders)(settings)
    }


def tuning(features: Sequence[Feature], folder: Path) -> Callable[[], Tuning] | None:
    """The function that gives the factors on the weights of a vault's next search."""
    places = (feature.tuning for feature in features if feature.tuning)
    found: Callable[[], Tuning] | None = next((load(place)(folder) for place in places), None)
    return found


def query_table(features: Sequence[Feature], folder: Path) -> FindTable:
    """The function that gives the query table of a vault for a model."""
    places = (feature.query_table for feature in features if feature.query_table)
    found: FindTable = next((load(place)(folder) for place in places), lambda _: None)
    return found


def engines(features: Sequence[Feature]) -> Engines:
    """The engines of indexes by the scheme of their addresses."""
    return {name: load(place) for feature in features for name, place in feature.engines.items()}


def files(features: Sequence[Feature]) -> tuple[str, ...]:
    """The names of all files of state."""
    return tuple(name for feature in features for name in feature.files)


def databases(features: Sequence[Feature]) -> tuple[str, ...]:
    """The names of all databases of state."""
    return tuple(name for feature in features for name in feature.databases)
