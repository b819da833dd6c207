"""Keys: the environment first, then the system's keyring, one for each address."""

from __future__ import annotations

import sys
from types import ModuleType

import pytest

from notewell.base.errors import MissingExtraError, ProviderError
from notewell.base.types import AskRules
from notewell.models.chat.providers import find_key, keep_key

RULES = AskRules(provider="openai", base_url="https://example.com/v1")


class Ring(ModuleType):
    """A keyring in memory, in the shape of the library's module."""

    def __init__(self) -> None:
        super().__init__("keyring")
        self.kept: dict[tuple[str, str], str] = {}
        self.locked = False

    def get_password(self, service: str, name: str) -> str | None:
        if self.locked:
            raise OSError("locked")
        return self.kept.get((service, name))

    def set_password(self, service: str, name: str, value: str) -> None:
        if self.locked:
            raise OSError("locked")
        self.kept[service, name] = value

    def delete_password(self, service: str, name: str) -> None:
        del self.kept[service, name]


@pytest.fixture
def ring(monkeypatch: pytest.MonkeyPatch) -> Ring:
    made = Ring()
    monkeypatch.setitem(sys.modules, "keyring", made)
    return made


def test_a_key_is_stored_found_and_removed(ring: Ring) -> None:
    keep_key(RULES, "secret")

    assert find_key(RULES, {}) == "secret"
    assert find_key(RULES, {"NOTEWELL_ASK_KEY": "other"}) == "other"
    assert find_key(AskRules(provider="openai"), {}) == ""
    keep_key(RULES, "")
    keep_key(RULES, "")
    assert find_key(RULES, {}) == ""
    assert not ring.kept


def test_a_failing_keyring_is_an_error_when_storing_and_no_key_when_reading(ring: Ring) -> None:
    ring.locked = True

    assert find_key(RULES, {}) == ""
    with pytest.raises(ProviderError, match="NOTEWELL_ASK_KEY"):
        keep_key(RULES, "secret")


def test_without_the_extra_the_environment_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "keyring", None)

    assert find_key(RULES, {}) == ""
    with pytest.raises(MissingExtraError, match="pip install"):
        keep_key(RULES, "secret")
