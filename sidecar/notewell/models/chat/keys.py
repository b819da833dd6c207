"""The key of a provider: from the environment, else from the operating system's keyring."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from importlib import import_module
from typing import Protocol, cast

from notewell.config.load import ENV_KEY, provider_key
from notewell.errors import MissingExtraError, ProviderError
from notewell.types import AskRules

SERVICE = "notewell"


class _Keyring(Protocol):
    def get_password(self, service: str, name: str) -> str | None: ...
    def set_password(self, service: str, name: str, value: str) -> None: ...
    def delete_password(self, service: str, name: str) -> None: ...


def find_key(rules: AskRules, environ: Mapping[str, str] | None) -> str:
    """The key to send, "" where there is none, as for most local servers."""
    found = provider_key(rules, environ)
    if found is not None:
        return found
    ring = _keyring()
    if ring is None:
        return ""
    with suppress(Exception):  # keyring's backends raise errors of their own; without one, no key
        return ring.get_password(SERVICE, _name(rules)) or ""
    return ""


def keep_key(rules: AskRules, key: str) -> None:
    """Store a key in the keyring; "" removes it.

    Raises MissingExtraError without the `keyring` extra, ProviderError where the keyring refuses.
    """
    ring = _keyring()
    if ring is None:
        raise MissingExtraError(
            "The system's keyring is reached through an extra: run pip install '.[keyring]'"
            " in Notewell's source folder."
            f" Or give the key in the environment, as {ENV_KEY}."
        )
    try:
        if key:
            ring.set_password(SERVICE, _name(rules), key)
        elif ring.get_password(SERVICE, _name(rules)) is not None:
            ring.delete_password(SERVICE, _name(rules))
    except Exception as error:  # a boundary: each system's keyring has errors of its own
        raise ProviderError(
            f"The system's keyring refuses ({type(error).__name__}). Give the key in the"
            f" environment instead, as {ENV_KEY}.",
            code="keyring_refused",
        ) from error


def _name(rules: AskRules) -> str:
    """The name under which a key is stored; each address has its own, so no key goes elsewhere."""
    return f"{rules.provider} {rules.base_url}".strip()


def _keyring() -> _Keyring | None:
    try:
        return cast("_Keyring", import_module("keyring"))
    except ImportError:
        return None
