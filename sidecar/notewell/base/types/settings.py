"""All settings, as `config` reads them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import field, replace
from pathlib import Path
from typing import Annotated, Literal, TypeVar

from notewell.base.types.frozen import frozen
from notewell.base.types.hints import Ge, Gt, Le, MaxLen
from notewell.base.types.values import (
    ChunkMethod,
    Device,
    Direction,
    EmbeddingProvider,
    FusionMethod,
    LogFormat,
    LogLevel,
    ModelPreference,
    NoteField,
    ProviderKind,
    Quantisation,
    RerankProvider,
    WalkMode,
    WatchMode,
)

T = TypeVar("T")
Count = Annotated[int, Ge(0)]
Positive = Annotated[int, Ge(1)]
Port = Annotated[int, Ge(0), Le(65535)]
Weight = Annotated[float, Ge(0)]

# The file endings that become notes by default. `vault/readers` lists all that can be read.
NOTE_TYPES: tuple[str, ...] = (".md", ".markdown", ".canvas", ".base", ".txt", ".pdf")


# The models of the catalogue (`models/catalogue.py`), among which the file in a vault may choose.
MODEL_NAMES: tuple[str, ...] = (
    "all-MiniLM-L6-v2",
    "all-MiniLM-L12-v2",
    "all-mpnet-base-v2",
    "multi-qa-mpnet-base-cos-v1",
    "snowflake-arctic-embed-xs",
    "bge-small-en-v1.5",
    "gte-small",
    "granite-embedding-30m-english",
    "multilingual-e5-small",
    "multilingual-e5-small-q4",
)


@frozen
class VaultRules:
    """The files of a vault that are notes to index."""

    types: tuple[str, ...] = NOTE_TYPES  # endings of the files that are read
    include: tuple[str, ...] = ()  # globs; empty means everything readable
    exclude: tuple[str, ...] = ()  # globs, gitignore style; they win over `include`
    max_note_bytes: Positive = 10 * 1024 * 1024
    max_document_bytes: Positive = 100 * 1024 * 1024  # of PDFs and others that hold more than text
    ocr: bool = False  # whether text in images and scanned PDFs is read, by the program tesseract
    watch: WatchMode = "auto"  # how a server notices changes; auto polls network mounts
    reconcile_at: str = "03:30"  # local time of the daily check of the vault; "" is never


@frozen
class ChunkRules:
    """Method of cutting notes into chunks, and their sizes in tokens of the model.

    `semantic` cuts sections also where the likeness of two neighbouring sentences is below the
    `percentile` of those of the note. A size of None is that of the model's catalogue entry.
    """

    method: ChunkMethod = "headings"
    percentile: Annotated[int, Ge(1), Le(99)] = 20
    max_tokens: Positive | None = None
    min_tokens: Count | None = None
    overlap_tokens: Count | None = None


@frozen
class ModelRules:
    """The embedding model of a vault, and its threads.

    With another `provider` than `local` a service computes the embeddings: passages and queries
    are sent there, except to this computer only after its host is in `consent`. Keys are not
    settings: they come from the environment or the system's keyring.
    """

    name: str = "all-MiniLM-L6-v2"
    quantisation: Quantisation = "int8"
    device: Device = "cpu"  # others run in fp32, whose vectors are others than those of int8
    threads: Count = 0  # 0 means one per processor
    folder: str | None = None  # a folder that already holds the weights
    provider: EmbeddingProvider = "local"
    base_url: str = ""  # "": the provider's own
    dimensions: Annotated[int, Ge(8)] | None = None  # shorter vectors, where the model allows it
    late_chunking: bool = False  # whether a local model reads neighbouring passages together
    query_prefix: str | None = None  # None: as the table of models has it
    passage_prefix: str | None = None
    consent: tuple[str, ...] = ()  # hosts to which notes may be sent


@frozen
class NoteFieldWeights:
    """The weight of a word of a whole note by the fields that hold it.

    In the body it counts as often as it stands there, in another field once.
    """

    title: Weight = 1.0
    file_name: Weight = 0.2
    aliases: Weight = 1.0
    headings: Weight = 1.0
    tags: Weight = 1.0
    path: Weight = 0.2  # the folders
    body: Weight = 1.0
    properties: Weight = 1.0  # values of properties that are not fields of their own
    description: Weight = 1.0
    author: Weight = 1.0
    topics: Weight = 1.0


@frozen
class GarsRules:
    """Weights of `fusion=gars`, and how activation spreads from the first results along links.

    `mode`: to the notes linked with them (`simple`), or also to their topics, to the notes that
    name them as a topic, and to notes that have a topic or a linked note in common with them
    (`ontology`). `decay` is the share of activation that is left after each hop.
    """

    similarity: Annotated[float, Ge(0)] = 0.6
    centrality: Annotated[float, Ge(0)] = 0.2
    activation: Annotated[float, Ge(0)] = 0.2
    decay: Annotated[float, Ge(0), Le(1)] = 0.5
    mode: WalkMode = "simple"
    direction: Direction = "out"


@frozen
class SearchRules:
    """Defaults of searches, for what a request does not set."""

    fusion: FusionMethod = "auto"
    keyword_weight: Annotated[float, Gt(0)] = 1.2  # w of `blend`, which takes BM25 as s / (s + w)
    gars: GarsRules = field(default_factory=GarsRules)
    passages: Count = 3  # further passages of a note that are shown with its best one
    snippet_chars: Positive = 240
    min_score: float = 0.0
    # Each boost raises a score by at most this share of it; 0 switches it off (docs/search.md).
    name_boost: Weight = 0.5  # the query is its title or an alias
    tag_boost: Weight = 0.1
    graph_boost: Weight = 0.2  # the best notes link to it
    centrality_boost: Weight = 0.0  # many notes link to it
    # How much notes of today are boosted, 0..1; auto: a little, unless the times mean nothing.
    recency: Literal["auto", "off"] | float = "auto"
    recency_days: Annotated[float, Gt(0)] = 90.0  # half-life of the boost
    recency_date: Literal["modified", "created"] = "modified"
    folder_boost: Weight = 0.0  # other top results are in its folder
    folder_weights: Mapping[str, float] = field(default_factory=dict)  # folder: factor of the score
    # Weights of a note's words by the field that holds them; `field_weights` changes single ones.
    field_preset: Literal["default", "copilot"] = "default"
    field_weights: Mapping[NoteField, float] = field(default_factory=dict)
    collapse: bool = False  # whether near-duplicates of a better result are left out
    expand: bool = False  # whether a short query is expanded with terms of its first results
    rerank: bool = False  # whether a model reorders the first results
    reranker: str = "ms-marco-MiniLM-L-6-v2"
    rerank_folder: str | None = None  # a folder that already holds its weights
    rerank_ms: Positive = 300  # time limit of the reranker
    rerank_provider: RerankProvider = "local"  # where it runs; others than local get passages
    rerank_url: str = ""  # "": the provider's own
    # Notes with these values of `status` are left out unless the query names them.
    shelved_status: tuple[str, ...] = ("inactive", "hidden")
    exclude_types: tuple[str, ...] = ()  # the same with values of `type`
    daily_notes: Literal["named", "always"] = "named"  # when daily notes are searched
    # Names that mean the same, as "k8s = kubernetes", and notes that list such names.
    synonyms: tuple[str, ...] = ()


@frozen
class ServerRules:
    """Where the HTTP server listens, and for whom."""

    host: str = "127.0.0.1"
    port: Port = 8765
    allowed_hosts: tuple[str, ...] = ()
    allowed_origins: tuple[str, ...] = ()
    open_vaults: Positive = (
        3  # vaults kept open at the same time, at least 1; others are opened on demand
    )
    allow_vaults: bool = False  # administrators may add and remove vaults over loopback
    read_only: bool = False  # indexes are searched, and written by other servers alone
    # Processes that search beside the server while many ask; "auto": one fewer than processors.
    readers: Literal["auto"] | Annotated[int, Ge(0)] = "auto"
    public_url: str = ""  # the address for other devices, if it is not its own
    trusted_proxies: tuple[str, ...] = ()  # proxies whose forwarded client addresses are trusted
    tls_cert: str = ""  # a PEM file with the certificate and its chain; with it, HTTPS
    tls_key: str = ""  # a PEM file with the key; "" if it is in the certificate's file


@frozen
class LimitRules:
    """Limits of one caller and of all. Rates are requests per 10 seconds; 0 means no limit."""

    search: Count = 600  # search, similar, complete, note
    read: Count = 600  # other reading requests
    heavy: Count = 60  # requests about a whole vault
    write: Count = 300  # requests that change something
    guesses: Positive = 20  # wrong tokens from one address in 60 seconds
    routes: tuple[str, ...] = ()  # rates of single routes, such as "graph_hubs=10"
    concurrent: Positive = 16  # requests handled at the same time
    waiting: Count = 128  # requests in the queue; further ones are refused
    connections: Positive = 512  # open at the same time
    query_timeout_s: Annotated[float, Gt(0)] = 10.0  # of one request
    body_timeout_s: Annotated[float, Gt(0)] = 30.0  # until a request has arrived


@frozen
class LogRules:
    """Logging of events: `format` everywhere, `level` in a server's files.

    `queries`: whether searches and opened results are logged, on this computer only.
    """

    format: LogFormat = "text"
    level: LogLevel = "info"
    queries: bool = True


@frozen
class DocumentRules:
    """Folders outside vaults of which documents may be indexed, each with all that is below it."""

    allow: tuple[str, ...] = ()


@frozen
class AskRules:
    """The language model that answers questions. Nothing is sent without a `provider`.

    Keys are not settings: they come from the environment or the system's keyring.
    """

    provider: ProviderKind = "none"
    base_url: str = ""  # "": the provider's own
    model: str = ""  # "": the best that the provider lists
    prefer: ModelPreference = "capable"  # which of the provider's models is the best
    # Used if the provider does not list the context of the model; 0: as model_ranking.py has it.
    context_tokens: Count = 0
    budget_share: Annotated[float, Gt(0), Le(1)] = 0.25  # of the model's context, for notes
    answer_tokens: Positive = 1500  # the most tokens of an answer
    steps: Positive = 5  # the most rounds of tool calls
    general_knowledge: bool = False  # whether it may answer from its own knowledge, marked so
    # What the person asks of every answer: its tone, length, language or form.
    instructions: Annotated[str, MaxLen(4000)] = ""
    web: bool = False  # whether it may read public web pages
    web_search_url: str = ""  # contains {query}; has to reply in the JSON of SearXNG
    code_tool: bool = False  # whether it may calculate with code, where the system confines that


@frozen
class AssistantRules:
    """Rules for assistants: the notes that they see, and where they write.

    Notes whose path matches a glob of `exclude`, or that have a tag of `exclude_tags`, are not
    there for them; neither are those with the property `assistants: false`, whatever is set here.
    """

    exclude: tuple[str, ...] = ()  # globs, gitignore style; upper and lower case are the same
    exclude_tags: tuple[str, ...] = ()  # a tag stands for those below it too
    write_folder: str = ""  # the only folder that they may write in; "": any


@frozen
class TopicRules:
    """Where topics are: the notes of `folder`, which other notes name in the property `topics`."""

    folder: str = "Ontology"


@frozen
class ScheduleRules:
    """Times at which a server begins runs: "23:00", "sunday 02:00" or a cron expression, local.

    "" is never, and "on" the usual time: 23:00 for `extract`, Sunday 02:00 for `maintain`, 04:00
    for `sync` and Sunday 03:00 for `plan`. `reconcile` None: as `vault.reconcile_at` says.
    """

    reconcile: str | None = None  # compares the whole vault with the index
    extract: str = ""  # makes notes of gleanings
    maintain: str = ""  # checks the links of gleanings
    sync: str = ""  # brings notes that come from another program up to date
    plan: str = ""  # makes a plan of the gardener


@frozen
class FeatureRules:
    """The features in use. `off` are those that are not, by name (`notewell features`)."""

    off: tuple[str, ...] = ()


@frozen
class Section:
    """A section of the settings, `[name]` in the configuration file.

    The file in a vault may set the keys `in_vault` and no others. Over HTTP the keys
    `safe` may be changed, and `here` by an administrator on the server's computer who confirmed
    it. `live`: a server uses changes at once. `usual` are the keys that people change.
    `own_folder` is the key with the folder of notes that this feature alone edits, if it has one.
    """

    name: str
    rules: type
    in_vault: tuple[str, ...] = ()
    safe: tuple[str, ...] = ()
    here: tuple[str, ...] = ()
    live: bool = False
    usual: tuple[str, ...] = ()
    own_folder: str = ""


@frozen
class Settings:
    """All settings, after all layers are merged (see `base.config`).

    `of_features` has the sections of features by name; `of` gives one by its record.
    """

    data_dir: Path
    model_dir: Path
    state_dir: Path
    index_dir: Path | None = None  # the folder of this vault's index; None: below data_dir
    offline: bool = False
    vault: VaultRules = field(default_factory=VaultRules)
    chunking: ChunkRules = field(default_factory=ChunkRules)
    model: ModelRules = field(default_factory=ModelRules)
    search: SearchRules = field(default_factory=SearchRules)
    server: ServerRules = field(default_factory=ServerRules)
    limits: LimitRules = field(default_factory=LimitRules)
    log: LogRules = field(default_factory=LogRules)
    ask: AskRules = field(default_factory=AskRules)
    topics: TopicRules = field(default_factory=TopicRules)
    assistants: AssistantRules = field(default_factory=AssistantRules)
    schedule: ScheduleRules = field(default_factory=ScheduleRules)
    documents: DocumentRules = field(default_factory=DocumentRules)
    features: FeatureRules = field(default_factory=FeatureRules)
    of_features: Mapping[str, object] = field(default_factory=dict)

    def of(self, rules: type[T]) -> T:
        """The section of a feature; its defaults where nothing is set."""
        own = (feature for feature in self.of_features.values() if isinstance(feature, rules))
        return next(own, None) or rules()

    def with_sections(self, names: Iterable[str], other: Settings) -> Settings:
        newer = {name: other.of_features[name] for name in names if name in other.of_features}
        own = {name: getattr(other, name) for name in names if name not in newer}
        return replace(self, of_features={**self.of_features, **newer}, **own)
