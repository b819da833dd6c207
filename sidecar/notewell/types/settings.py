"""Everything that can be configured, as `config` hands it on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from notewell.types.values import (
    FusionMethod,
    LogFormat,
    LogLevel,
    ProviderKind,
    Quantisation,
    WatchMode,
)

# The endings of files that become notes where nobody says otherwise. What can be read at all is
# the list of readers in `vault/readers`.
NOTE_TYPES: tuple[str, ...] = (".md",)


@dataclass(frozen=True, slots=True)
class VaultRules:
    """Which files of a vault are notes to index."""

    types: tuple[str, ...] = NOTE_TYPES  # endings of the files that are read
    include: tuple[str, ...] = ()  # globs; empty means everything readable
    exclude: tuple[str, ...] = ()  # globs, gitignore style; they win over `include`
    max_note_bytes: int = 10 * 1024 * 1024
    watch: WatchMode = "auto"  # how a server learns of changes; auto polls network mounts
    reconcile_at: str = "03:30"  # local time of the daily look at everything; "" is never


@dataclass(frozen=True, slots=True)
class ChunkRules:
    """Sizes of chunks, in tokens of the model. None: what the model's catalogue entry says."""

    max_tokens: int | None = None
    min_tokens: int | None = None
    overlap_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class ModelRules:
    """Which embedding model a vault uses and how hard it may work."""

    name: str = "all-MiniLM-L6-v2"
    quantisation: Quantisation = "int8"
    threads: int = 0  # callers of one thread each; 0 means one per processor
    folder: str | None = None  # a folder that already holds the weights


@dataclass(frozen=True, slots=True)
class SearchRules:
    """Defaults of a search, for requests that do not say."""

    fusion: FusionMethod = "auto"
    passages: int = 3  # further passages shown beneath a note's best one
    snippet_chars: int = 240
    min_score: float = 0.0
    # What lifts a note, at most by this part of its score; 0 switches it off (docs/search.md).
    name_boost: float = 0.5  # the query is its title or an alias
    tag_boost: float = 0.1
    graph_boost: float = 0.25  # the best notes link to it
    centrality_boost: float = 0.0  # many notes link to it
    recency_boost: float = 0.0
    recency_days: float = 90.0  # until half of it is left
    recency_date: Literal["modified", "created"] = "modified"
    folder_boost: float = 0.0  # others on top stand in its folder
    folder_weights: Mapping[str, float] = field(default_factory=dict)  # folder: times its score
    collapse: bool = False  # near-duplicates of a better result are left out
    expand: bool = False  # whether a short query asks for what it found first as well
    rerank: bool = False  # whether a model reads the first results
    reranker: str = "ms-marco-MiniLM-L-6-v2"
    rerank_folder: str | None = None  # a folder that already holds its weights
    rerank_ms: int = 300  # how long it may read
    # What is left out unless the query names it.
    shelved_status: tuple[str, ...] = ("inactive", "hidden")
    daily_notes: Literal["named", "always"] = "named"  # when daily notes are searched


@dataclass(frozen=True, slots=True)
class ServerRules:
    """Where the HTTP door listens and whom it answers."""

    host: str = "127.0.0.1"
    port: int = 8765
    allowed_hosts: tuple[str, ...] = ()
    allowed_origins: tuple[str, ...] = ()
    open_vaults: int = 3  # vaults kept open at once, at least 1; others open when asked for
    public_url: str = ""  # how devices reach it, where that is not its own address
    trusted_proxies: tuple[str, ...] = ()  # whose word on a caller's address counts
    tls_cert: str = ""  # a PEM file with the certificate and its chain; with it, HTTPS
    tls_key: str = ""  # a PEM file with the key; "" where the certificate's file has it


@dataclass(frozen=True, slots=True)
class LimitRules:
    """What one caller may take, and all together. Rates are requests in 10 seconds; 0: no limit."""

    search: int = 600  # search, similar, complete, note
    read: int = 600  # other questions
    heavy: int = 60  # questions about a vault as a whole
    write: int = 300  # what changes something
    guesses: int = 20  # wrong tokens from one address in 60 seconds
    routes: tuple[str, ...] = ()  # of single routes, such as "graph_hubs=10"
    concurrent: int = 16  # requests at work at once
    waiting: int = 128  # requests that wait for their turn; more are sent away
    connections: int = 512  # open at once
    query_timeout_s: float = 10.0  # for one answer
    body_timeout_s: float = 30.0  # for a request to arrive


@dataclass(frozen=True, slots=True)
class LogRules:
    """How events are logged: `format` everywhere, `level` in a server's files.

    `queries`: whether searches and what was opened of them are kept, on this computer alone.
    """

    format: LogFormat = "text"
    level: LogLevel = "info"
    queries: bool = True


@dataclass(frozen=True, slots=True)
class MemoryRules:
    """Where memories are kept. `folder` is one of the vault; None: nothing is ever written."""

    folder: str | None = None


@dataclass(frozen=True, slots=True)
class AskRules:
    """Which language model answers questions. Nothing is sent anywhere without a `provider`.

    Keys are never a setting: they come from the environment or the system's keyring.
    """

    provider: ProviderKind = "none"
    base_url: str = ""  # "": the provider's own
    model: str = ""  # "": the best that the provider lists
    context_tokens: int = (
        0  # where the provider does not tell; 0: as models/chat/model_ranking.py has it
    )
    budget_share: float = 0.25  # of what the model reads at most, for notes
    answer_tokens: int = 1500  # of one answer, at most
    steps: int = 5  # rounds of tools, at most
    general_knowledge: bool = False  # whether it may answer what the notes do not, marked so
    web: bool = False  # whether it may read public web pages
    web_search_url: str = ""  # with {query} in it, answering as SearXNG does in JSON


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything configurable, after all layers are merged (see `config.load`)."""

    data_dir: Path
    model_dir: Path
    state_dir: Path
    index_dir: Path | None = None  # where this vault's index lives; None: under data_dir
    offline: bool = False
    vault: VaultRules = field(default_factory=VaultRules)
    chunking: ChunkRules = field(default_factory=ChunkRules)
    model: ModelRules = field(default_factory=ModelRules)
    search: SearchRules = field(default_factory=SearchRules)
    server: ServerRules = field(default_factory=ServerRules)
    limits: LimitRules = field(default_factory=LimitRules)
    log: LogRules = field(default_factory=LogRules)
    memory: MemoryRules = field(default_factory=MemoryRules)
    ask: AskRules = field(default_factory=AskRules)
