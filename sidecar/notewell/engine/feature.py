"""Features: capabilities beside reading, indexing and searching, each a folder and a row.

A row names the modules of its feature as text, `module:attribute`, so that nothing is imported
before it is used. The doors read everything from the rows, in their order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypeVar

from notewell.base.errors import ProtectedError, ReadOnlyError
from notewell.base.types.frozen import frozen

if TYPE_CHECKING:  # a command beside a running server needs the rows alone
    from notewell.base.querylog import Judgements
    from notewell.base.support.http import Cancel
    from notewell.base.types import Embedder, Settings, VaultRecord
    from notewell.base.types.settings import Section
    from notewell.contract.request import Request, StreamEvent
    from notewell.contract.search import SearchReply, SearchRequest
    from notewell.contract.status import RunKind
    from notewell.engine.ingest.approximate import FitPassages
    from notewell.engine.ingest.token_counter import TokenCounter
    from notewell.engine.runs import Runs
    from notewell.engine.scheduler import Scheduler
    from notewell.index.engines import Engines
    from notewell.index.port import IndexReader
    from notewell.models.chat.providers import Providers
    from notewell.models.query_table_file import FindTable
    from notewell.vault.sources import Source
    from notewell.vault.write import VaultWriter

R = TypeVar("R")
FEATURE_API = 1  # the version of `Feature`, and of what a feature is given
_DATABASE = ".db"
Requests: TypeAlias = "tuple[type[Request[Any]], ...]"
Answers: TypeAlias = "Mapping[type[Request[Any]], Callable[[Any], object]]"
Streams: TypeAlias = "Mapping[type[Request[Any]], Callable[[Any, Cancel], Iterator[StreamEvent]]]"
Search: TypeAlias = "Callable[[SearchRequest], SearchReply]"
Event = Literal[
    "vault_opened",
    "note_changed",
    "note_shown",
    "search_requested",
    "results_ready",
    "settings_changed",
]


@frozen
class Feature:
    """A row of the table of features.

    Of its parts, each named as `module:attribute`:

    - `requests`: a tuple of the records of its requests;
    - `answers`: a function from `OpenVault` to `OpenFeature`;
    - `handlers`: functions of the HTTP server by request, for what no vault can answer alone;
    - `commands`: those of the command line by name, below a heading of its help or in the group of
      this name;
    - `tools`: a tuple of tools of assistants, and of prompts for them;
    - `settings`: the `Section` of its settings;
    - `provides`: what other parts use by name, `kind:name`, see below.

    `runs` are the kinds of runs that the schedule may begin, each with its usual time. `files` are
    its files of state in the data folder of a vault: saved in backups, deleted with the vault;
    `talks/*.json` are those of a folder of its own, whose names are hexadecimal numbers, and a
    database of SQLite ends in `.db`. `events` are those that it follows: it is opened when the
    first of them happens. `api` is the version that the row was written for.

    Kinds of `provides`:

    - `source:roam`: the class of a `Source` of the notes of such vaults. A feature with sources
      begins runs, and follows events, of vaults of these kinds alone;
    - `files:documents`: a function from the `Source` of a vault's notes, its record and its
      settings to a `Source` that has further files, to be indexed with the notes;
    - `search:llm`: it does searches with this value of `expand`; `search:past` are those with
      `as_of` and `ever`, with a function that tells whether a folder has a past, or "";
    - `engine:postgres`: the `IndexEngine` of indexes with addresses of this scheme;
    - `measure:corpus`, `measure:against`: what `notewell eval` does with these options;
    - `vectors:approximate`: `FitPassages`, which gives approximate vectors to a large first index.
    """

    name: str
    requests: str = ""
    answers: str = ""
    handlers: str = ""
    commands: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    tools: str = ""
    settings: str = ""
    provides: Mapping[str, str] = field(default_factory=dict)
    runs: Mapping[RunKind, str] = field(default_factory=dict)
    files: tuple[str, ...] = ()
    events: tuple[Event, ...] = ()
    api: int = FEATURE_API

    def provided(self, kind: str) -> Mapping[str, str]:
        """Places of the parts that it provides of one kind, by name."""
        named = ((key.partition(":"), place) for key, place in self.provides.items())
        return {name: place for (part, _, name), place in named if part == kind}

    @property
    def is_optional(self) -> bool:
        """True if it can be switched off: it is more than requests that the core answers."""
        return bool(self.answers or self.handlers or self.commands or self.tools or self.provides)

    @property
    def command_names(self) -> tuple[str, ...]:
        """The names of its commands."""
        return tuple(name for named in self.commands.values() for name in named)


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
    `for_assistants` gives, while its block runs, this vault as assistants are to see it.
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
    for_assistants: Callable[[OpenVault], AbstractContextManager[OpenVault]] = nullcontext

    @property
    def folder(self) -> Path:
        """The data folder of the vault, even if a setting puts the index elsewhere."""
        return self.record.data_folder(self.settings().data_dir)

    def editable_path(self, name: str) -> str:
        """The path of a note that may be edited; its `.md` may be left out.

        Raises:
            NotFoundError: the index has no such note.
            ProtectedError: it is in a folder whose notes only one feature edits.

        """
        # Every command reads the rows of features, and few edit notes.
        from notewell.search.query.find_note import find_note  # noqa: PLC0415

        path = name if name.lower().endswith(".md") else find_note(self.index, name).path
        for named, owner in self.own_folders().items():
            folder = named.strip("/").casefold()
            if folder and path.casefold().startswith(f"{folder}/"):
                raise ProtectedError(
                    f"{path} is in the folder {named}, whose notes are Notewell's. Use the"
                    f" commands of `{owner}`, or edit the note by hand."
                )
        return path

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
    waiting for its end. `searches` are those it provides, by name: each searches by the search
    function it is given. `close` is called at the end.

    `events` has a function for each event that the row names:

    - `vault_opened()`: a writer begins to serve the vault;
    - `note_changed(path)`: the index has a new, changed or moved note, or has one no more. Called
      by the writer, which waits for it;
    - `note_shown(path)` returns a short line about the note for those who read it, or None;
    - `search_requested(request)` returns the request that is searched for: the same or another;
    - `results_ready(request, reply)` returns the reply as it is shown;
    - `settings_changed(settings)`: other settings are in force.
    """

    answers: Answers = field(default_factory=dict)
    streams: Streams = field(default_factory=dict)
    runs: Mapping[RunKind, Callable[[], object]] = field(default_factory=dict)
    searches: Mapping[str, Callable[[SearchRequest, Search], SearchReply]] = field(
        default_factory=dict
    )
    events: Mapping[Event, Callable[..., Any]] = field(default_factory=dict)
    close: Callable[[], None] = lambda: None


def load(place: str) -> Any:
    """Import what a row names, `module:attribute`."""
    module, _, name = place.partition(":")
    return getattr(import_module(module), name)


def switched_on(features: Sequence[Feature], settings: Settings) -> Sequence[Feature]:
    """The features that the settings do not switch off; the same sequence if these are all."""
    off = settings.features.off
    on = tuple(row for row in features if row.name not in off or not row.is_optional)
    return on if len(on) < len(features) else features


def requests(features: Sequence[Feature]) -> Requests:
    """The requests of all features, in the order of the table."""
    return tuple(
        request for feature in features if feature.requests for request in load(feature.requests)
    )


def commands(
    features: Sequence[Feature], core: Mapping[str, Mapping[str, str]]
) -> Mapping[str, Mapping[str, str]]:
    """All commands as `core` gives its own, which come first: heading, name, place.

    Those below a heading that the core lacks stand below its first one.
    """
    grouped = {heading: dict(names) for heading, names in core.items()}
    first = next(iter(core))
    for feature in features:
        for heading, names in feature.commands.items():
            grouped[heading if heading in grouped else first].update(names)
    return grouped


def sections(features: Sequence[Feature]) -> tuple[Section, ...]:
    """The sections of settings of all features."""
    return tuple(load(feature.settings) for feature in features if feature.settings)


def provided(features: Sequence[Feature], kind: str) -> Mapping[str, str]:
    """Places of the parts that features provide of one kind; the first of a name counts."""
    places: dict[str, str] = {}
    for feature in features:
        for name, place in feature.provided(kind).items():
            places.setdefault(name, place)
    return places


def open_source(features: Sequence[Feature], record: VaultRecord, settings: Settings) -> Source:
    """The source of a vault's notes, with the files that features index with them.

    NotFoundError where no feature reads notes of its kind.
    """
    from notewell.vault.sources import source_of  # noqa: PLC0415 - rows alone need none

    place = provided(features, "source").get(record.source)
    read = source_of if place is None else load(place)
    source: Source = read(record, settings.vault)
    for add_files in reversed([*provided(features, "files").values()]):  # the first is asked first
        source = load(add_files)(source, record, settings)
    return source


def usual_times(features: Sequence[Feature]) -> Mapping[RunKind, str]:
    """The usual time of each kind of runs that the schedule may begin."""
    return {kind: when for feature in features for kind, when in feature.runs.items()}


def own_folders(features: Sequence[Feature], settings: Settings) -> Mapping[str, str]:
    """The folders of a vault whose notes only a feature edits, each with the feature's name."""
    named = {
        section.name: getattr(settings.of(section.rules), section.own_folder)
        for section in sections(features)
        if section.own_folder
    }
    return {folder: name for name, folder in named.items() if folder}


def engines(features: Sequence[Feature]) -> Engines:
    """The engines of indexes by the scheme of their addresses."""
    return {name: load(place) for name, place in provided(features, "engine").items()}


def fit_passages(features: Sequence[Feature]) -> FitPassages | None:
    """The function that gives approximate vectors, imported when called, or None."""
    place = provided(features, "vectors").get("approximate")
    return None if place is None else partial(_load_and_call, place)


def _load_and_call(place: str, *given: Any) -> Any:
    return load(place)(*given)


def has_past(features: Sequence[Feature], folder: Path) -> bool:
    """True if a feature searches in the past of the notes in a folder."""
    place = provided(features, "search").get("past")
    return place is not None and (not place or load(place)(folder))


def files(features: Sequence[Feature]) -> tuple[str, ...]:
    """The names of all files of state but databases."""
    every = (name for feature in features for name in feature.files)
    return tuple(name for name in every if not name.endswith(_DATABASE))


def databases(features: Sequence[Feature]) -> tuple[str, ...]:
    """The names of all databases of state."""
    every = (name for feature in features for name in feature.files)
    return tuple(name for name in every if name.endswith(_DATABASE))
