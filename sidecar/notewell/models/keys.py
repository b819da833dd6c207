"""Keys of services in the keyring of the system."""

from __future__ import annotations

from contextlib import suppress
from importlib import import_module
from typing import Protocol, cast

from notewell.base.errors import MissingExtraError, ProviderError

# Keys of model services, in the system's keyring, which is an extra.
_KEYRING = "notewell"


class _Keyring(Protocol):
    def get_password(self, service: str, name: str) -> str | None: ...
    def set_password(self, service: str, name: str, value: str) -> None: ...
    def delete_password(self, service: str, name: str) -> None: ...


def find_kept_key(name: str) -> str:
    """The key that is stored under `name`; "" if there is none, or no keyring."""
    ring = _keyring()
    if ring is None:
        return ""
    with suppress(Exception):  # a boundary, as below; without a keyring, no key
        return ring.get_password(_KEYRING, name) or ""
    return ""


def has_keyring() -> bool:
    """True if the `keyring` extra is installed; the system may still refuse to store a key."""
    return _keyring() is not None


def write_key(name: str, key: str, variable: str) -> None:
    """Store a key under `name`; "" removes it. `variable` of the environment may have it instead.

    Raises MissingExtraError without the `keyring` extra, ProviderError if the keyring fails.
    """
    ring = _keyring()
    if ring is None:
        raise MissingExtraError(
            "The system's keyring needs an extra: run pip install '.[keyring]'"
            " in Notewell's source folder."
            f" Or set the key in the environment, as {variable}."
        )
    try:
        if key:
            ring.set_password(_KEYRING, name, key)
        elif ring.get_password(_KEYRING, name) is not None:
            ring.delete_password(_KEYRING, name)
    except Exception as error:  # a boundary: each system's keyring has errors of its own
        raise ProviderError(
            f"The system's keyring did not store the key ({type(error).__name__}). Set the key in"
            f" the environment instead, as {variable}.",
            code="keyring_refused",
        ) from error


def _keyring() -> _Keyring | None:
    try:
        return cast("_Keyring", import_module("keyring"))
    except ImportError:
        return None
