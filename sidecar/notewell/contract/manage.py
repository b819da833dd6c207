"""Administration of a server: its models, its settings, statistics of a vault."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Annotated, Literal, TypeAlias

from notewell.base.types import LedgerState
from notewell.base.types.frozen import frozen
from notewell.base.types.hints import Ge, Le, MaxLen, MinLen
from notewell.contract.fields import Doc
from notewell.contract.request import Endpoint, Request, request_to

SettingSource = Literal["default", "user", "vault", "environment", "flag"]
SettingValue = (
    str | int | float | bool | tuple[str, ...] | Mapping[str, str | int | float | bool] | None
)


@frozen
class SessionReply:
    """The caller: the name of its device, and what it may do."""

    name: str
    scope: Literal["read", "write", "admin"]


@frozen
class CatalogueModel:
    """A model of the catalogue. `present`: it is downloaded.

    `time` is how long a passage takes, where the default model takes 1; null: not measured.
    `quality` is nDCG@10 by meaning alone, by language code (docs/models.md); empty: not measured.
    """

    name: str
    dimensions: int
    max_tokens: int
    languages: tuple[str, ...]
    licence: str
    download_mb: int
    runtime: str
    configured: bool
    present: bool
    time: float | None = None
    quality: Mapping[str, float] = field(default_factory=dict)


@frozen
class CatalogueReply:
    """`GET /api/models`. `answering` is the model in use, null while there is none."""

    vault: str
    configured: str
    answering: str | None
    models: tuple[CatalogueModel, ...]


@frozen
class LanguageShare:
    """The share, 0..1, of notes in a language: its ISO 639-1 code and its English name."""

    code: str
    name: str
    share: float


@frozen
class SuggestedModel:
    """A model that reads the vault better. `minutes` estimates how long embedding takes here."""

    name: str
    download_mb: int
    minutes: int
    reason: str


@frozen
class ServiceCost:
    """Amount and cost of what is sent to embed the whole vault by the configured service.

    `sent` says it in words; `allowed`: whether a person has allowed the host. `dollars` is null
    where the price is not known; `prices_of` is the month of the prices.
    """

    host: str
    allowed: bool
    sent: str
    passages: int
    tokens: int
    dollars: float | None
    prices_of: str


@frozen
class SuggestReply:
    """`GET /api/models/suggest`. `suggestion` is null if the configured model reads the notes.

    `languages` are estimated from scripts and common words. `service` is set for a model behind an
    API. `further_models` are models that read the same languages and are better by their authors'
    figures, which we have not measured.
    """

    vault: str
    model: str
    languages: tuple[LanguageShare, ...]
    suggestion: SuggestedModel | None
    service: ServiceCost | None
    further_models: tuple[SuggestedModel, ...] = ()


@frozen
class AllowedHostReply:
    """A host, and whether notes may be sent to it now."""

    vault: str
    host: str
    allowed: bool


@frozen
class SettingView:
    """A setting. `running` applies now, `value` from the next start on; `source` set `value`.

    `reason` says why it is not `writable` here.
    """

    key: str
    value: SettingValue
    running: SettingValue
    default: SettingValue
    source: SettingSource
    writable: bool
    reason: str | None


@frozen
class SettingType:
    """What a setting takes, so that a page can offer it: `words` are the values of a `choice`.

    A `folder` is one of the vault. A `table` has names with values.
    """

    kind: Literal["switch", "choice", "number", "text", "list", "table", "folder", "folders"]
    words: tuple[str, ...] = ()


@frozen
class ConfigReply:
    """`GET` and `PATCH /api/config`. `restart`: some values apply after a restart only.

    `types` has what each setting takes. The settings `confirmable` are not `writable`, and this
    caller may change them all the same with `confirmed`. Changed settings of `search` apply to the
    next search.
    """

    vault: str
    file: str | None
    restart: bool
    settings: tuple[SettingView, ...]
    types: Mapping[str, SettingType] = field(default_factory=dict)
    confirmable: tuple[str, ...] = ()


@frozen
class NamedCount:
    """Number of notes with a type, folder or tag; `name` is null for notes without one."""

    name: str | None
    notes: int


@frozen
class MonthCount:
    """Notes created and last modified in a month, such as `2026-03` (UTC)."""

    month: str
    created: int
    modified: int


@frozen
class SizedNote:
    """A note and the size of its file in bytes."""

    path: str
    bytes: int


@frozen
class Sizes:
    """Bytes: of all notes, of the median note, and of the index on disk."""

    notes: int
    median_note: int
    index: int
    largest: tuple[SizedNote, ...]


@frozen
class ModelVectors:
    """The stored vectors of a model, whether they are needed now or not."""

    model: str
    quantisation: str
    dimensions: int
    vectors: int
    answering: bool


@frozen
class ModelWorkDone:
    """Work of the model for the index in its whole life.

    `embedded` counts texts sent to the model, `seconds` is the time they took, `reused` counts
    passages whose vectors were there already, `saved_s` is the time that these would have taken.
    """

    embedded: int = 0
    reused: int = 0
    seconds: float = 0.0
    saved_s: float = 0.0


@frozen
class StatsReply:
    """`GET /api/stats`. Names come with the most notes first, months in order.

    A note tagged `a/b` counts for `a` and for `a/b`; folders are top-level folders.
    """

    vault: str
    generation: int
    notes: int
    chunks: int
    links: int
    files: Mapping[LedgerState, int]
    sizes: Sizes
    types: tuple[NamedCount, ...]
    folders: tuple[NamedCount, ...]
    tags: tuple[NamedCount, ...]
    months: tuple[MonthCount, ...]
    models: tuple[ModelVectors, ...]
    model_work: ModelWorkDone = field(default_factory=ModelWorkDone)


NewText = Annotated[str, MaxLen(4096)]
NewScalar: TypeAlias = bool | int | float | NewText
NewValue: TypeAlias = (
    NewScalar
    | Annotated[tuple[NewText, ...], MaxLen(1000)]
    | Annotated[Mapping[NewText, NewScalar], MaxLen(1000)]
    | None
)


@request_to(
    Endpoint(
        "GET",
        "/api/session",
        "session",
        "The name of the caller, and what it may do",
        of_vault=False,
    )
)
class SessionRequest(Request[SessionReply]):
    """Who the caller is."""


@request_to(
    Endpoint(
        "GET",
        "/api/models",
        "models",
        "The models of the catalogue, which of them is used, and which are on disk",
    )
)
class ModelsRequest(Request[CatalogueReply]):
    """The embedding models of the catalogue."""


@request_to(
    Endpoint(
        "GET",
        "/api/models/suggest",
        "models_suggest",
        "The languages of a vault, a model that reads them, and the cost of a service",
        rate_class="heavy",
    )
)
class SuggestRequest(Request[SuggestReply]):
    """A model that reads the vault's languages, if the configured one does not."""


@request_to(
    Endpoint(
        "POST",
        "/api/models/allow",
        "allow_host",
        "Allow sending notes to the host of the configured service, or forbid it",
        required_scope="admin",
        example={"host": "api.openai.com"},
    )
)
class AllowHostRequest(Request[AllowedHostReply]):
    """Allow or forbid sending notes to the host of the configured service; it applies at once."""

    host: Annotated[str, MinLen(1), MaxLen(255), Doc("The host that models/suggest names")]
    allowed: Annotated[bool, Doc("Allow it; false forbids it")] = True


@request_to(
    Endpoint(
        "GET",
        "/api/stats",
        "stats",
        "Statistics of a vault: types, folders, tags, months, sizes, vectors",
        rate_class="heavy",
        example={"limit": 10},
    )
)
class StatsRequest(Request[StatsReply]):
    """Statistics of a vault."""

    limit: Annotated[int, Ge(1), Le(1000), Doc("Maximum length of each list")] = 50


@request_to(
    Endpoint(
        "GET",
        "/api/config",
        "config",
        "The settings, what set each, and which may be changed here",
        example={"section": "search"},
    )
)
class ConfigRequest(Request[ConfigReply]):
    """The settings of a vault, and what set each."""

    section: Annotated[
        Annotated[str, MaxLen(64)] | None, Doc("Only settings of this section, such as search")
    ] = None


@request_to(
    Endpoint(
        "PATCH",
        "/api/config",
        "change_config",
        "Change settings in the configuration file; the next start uses them",
        required_scope="admin",
        example={"changes": {"search.passages": 5}},
    )
)
class ChangeConfigRequest(Request[ConfigReply]):
    """Change settings in the configuration file."""

    changes: Annotated[
        Mapping[str, NewValue],
        MinLen(1),
        MaxLen(200),
        Doc("Settings by their keys, such as search.passages; null removes one from the file"),
    ]
    confirmed: Annotated[
        bool,
        Doc(
            "A person at the server's computer was asked, and agrees: allows the settings that"
            " the reply lists as confirmable"
        ),
    ] = False
