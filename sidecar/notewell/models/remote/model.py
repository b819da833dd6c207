"""The model behind an API that the settings choose: its address, its key, and what it accepts.

`chosen` and `remote_model` lead from the settings to a service. Nothing is sent to another computer
before a person has allowed its host: `consent_text` says what would be sent, for the terminal and
the interfaces.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from urllib.parse import urlsplit

from notewell.base.config import ENV_MODEL_KEY, secret
from notewell.base.errors import ConfigError, ModelUnavailableError
from notewell.base.support.http import is_loopback
from notewell.base.types import (
    ChunkSizes,
    ModelRules,
)
from notewell.base.types.frozen import frozen
from notewell.models.keys import find_kept_key, write_key
from notewell.models.remote.services import (
    OWN_SERVER,
    EmbeddingEndpoint,
    Limits,
    ModelRow,
    Service,
    row_of,
    service_named,
)


@frozen
class Chosen:
    """The service and the model that the settings name."""

    service: Service
    row: ModelRow
    base_url: str
    rules: ModelRules

    @property
    def host(self) -> str:
        return urlsplit(self.base_url).hostname or ""

    @property
    def local(self) -> bool:
        """True if they stay on this computer."""
        return is_loopback(self.host)

    @property
    def own(self) -> bool:
        """True if the address is another than the service's own."""
        return urlsplit(self.base_url).netloc != urlsplit(self.service.base_url).netloc


def choose_model(rules: ModelRules) -> Chosen:
    """The service and model of the settings. Raises ConfigError if it has no such model."""
    service = service_named(rules.provider)
    if service is None:
        raise ConfigError(f"model.provider {rules.provider!r} is no service of embeddings.")
    if rules.name == ModelRules().name and not rules.base_url:
        examples = ", ".join(row.name for row in service.models[:2]) or "nomic-embed-text"
        raise ConfigError(
            f"Name a model of {service.name} in the setting model.name, such as {examples}."
        )
    base_url = (rules.base_url or service.base_url).rstrip("/")
    return Chosen(service, row_of(service, rules.name), base_url, rules)


def remote_model(rules: ModelRules, environ: Mapping[str, str] | None = None) -> RemoteModel:
    """The model of the settings with its key. Raises ConfigError."""
    one = choose_model(rules)
    row = one.row
    asked, keep_first = _dimensions(one)
    endpoint = EmbeddingEndpoint(
        one.base_url,
        rules.name,
        key=_key(one, environ),
        dimensions=asked,
        family=one.service.family,
        types=None if one.own and one.service.family == "openai" else row.field,
        contextual=row.contextual,
    )
    plain = OWN_SERVER if one.own and one.service.family == "openai" else one.service.limits
    given = (rules.query_prefix, rules.passage_prefix)
    listed = (row.query_prefix, row.passage_prefix)
    query, passage = (
        known if text is None else text for text, known in zip(given, listed, strict=True)
    )
    return RemoteModel(
        endpoint,
        query_prefix=query,
        passage_prefix=passage,
        limits=one.service.contextual or plain if row.contextual else plain,
        keep=keep_first,
        dimensions=row.dimensions or None,
    )


def _dimensions(one: Chosen) -> tuple[int | None, int | None]:
    """The length to ask the server for, and the length to cut vectors to; None: as they come."""
    wanted, row = one.rules.dimensions, one.row
    if wanted is None or wanted == row.dimensions:
        return None, None
    if row.dimensions and (not row.cut or wanted > row.dimensions):
        raise ConfigError(
            f"The vectors of {one.rules.name} have {row.dimensions} numbers, which cannot be"
            f" {wanted}. Remove model.dimensions, or choose another model."
        )
    if row.cut and (one.own or not one.service.by_server):
        return None, wanted
    return wanted, None


def require_consent(rules: ModelRules, *, offline: bool) -> None:
    """Raise ModelUnavailableError if nothing may be sent to the host of the settings."""
    one = choose_model(rules)
    if one.local:
        return
    if offline:
        raise ModelUnavailableError(
            f"The model {rules.name} is at {one.host}, and the setting `offline` forbids to send"
            " anything there. Keyword search works without it."
        )
    if one.host not in rules.consent:
        raise ModelUnavailableError(
            f"{consent_text(one)} Nothing is sent until you allow it:"
            f" notewell models allow {one.host}",
            brief=f"nothing is sent to {one.host} until you allow it:"
            f" `notewell models allow {one.host}`",
        )


def consent_text(one: Chosen) -> str:
    """Tells people which texts leave this computer, and where they go."""
    return (
        f"With {one.rules.name}, the text of every indexed note (not of those that vault.exclude"
        f" names) and of every search is sent to {one.host}."
    )


def store_key(rules: ModelRules, key: str) -> None:
    """Store the key of the service in the keyring; "" removes it. Raises as `write_key` does."""
    write_key(_key_name(choose_model(rules)), key, ENV_MODEL_KEY)


def _key(one: Chosen, environ: Mapping[str, str] | None) -> str:
    """The key to send; the usual variables only count for the service's own address."""
    variables = () if one.own else one.service.variables
    return secret(ENV_MODEL_KEY, *variables, environ=environ) or find_kept_key(_key_name(one))


def _key_name(one: Chosen) -> str:
    """Each address has a name of its own, so that no key goes elsewhere."""
    return f"embeddings {one.service.name} {one.base_url}"


@frozen
class RemoteModel:
    """A model behind an API, and what it accepts.

    The prefixes are put before each query and each passage, as the model was trained. `keep` is
    how many numbers of each vector are kept, for models whose vectors may be cut; None: all.
    """

    endpoint: EmbeddingEndpoint
    query_prefix: str = ""
    passage_prefix: str = ""
    limits: Limits = OWN_SERVER
    sizes: ChunkSizes = field(default_factory=ChunkSizes)
    keep: int | None = None
    dimensions: int | None = None  # of the vectors that are kept; None: a sample tells


def check_address(endpoint: EmbeddingEndpoint) -> None:
    """Raise ConfigError for a malformed address, and for one to which a key must not be sent."""
    scheme = urlsplit(endpoint.base_url).scheme
    if scheme not in {"http", "https"} or not endpoint.host:
        raise ConfigError(
            f"The address of the model's server is not a web address: {endpoint.base_url!r}."
        )
    if endpoint.key and scheme == "http" and not is_loopback(endpoint.host):
        raise ConfigError(f"The key would be sent unencrypted to {endpoint.host}: use https.")
