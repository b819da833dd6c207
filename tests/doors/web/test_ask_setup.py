"""Choosing the service that answers questions, with consent, and its key in the keyring."""

from __future__ import annotations

import sys
from types import ModuleType

import pytest

from notewell.base.types import AskRules
from tests.doors.web.fakes import Client, FakeEngine

GEMINI = "generativelanguage.googleapis.com"


class Ring(ModuleType):
    """A keyring in memory, in the shape of the library's module."""

    def __init__(self) -> None:
        super().__init__("keyring")
        self.kept: dict[tuple[str, str], str] = {}

    def get_password(self, service: str, name: str) -> str | None:
        return self.kept.get((service, name))

    def set_password(self, service: str, name: str, value: str) -> None:
        self.kept[service, name] = value

    def delete_password(self, service: str, name: str) -> None:
        del self.kept[service, name]


@pytest.fixture
def ring(monkeypatch: pytest.MonkeyPatch) -> Ring:
    for name in ("NOTEWELL_ASK_KEY", "OPENAI_API_KEY", "ANTHROPIC_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    made = Ring()
    monkeypatch.setitem(sys.modules, "keyring", made)
    return made


async def test_a_service_answers_from_now_on_with_a_key_that_is_never_told(
    client: Client, engine: FakeEngine, ring: Ring
) -> None:
    before = await (await client.get("/api/ask/setup")).json()
    assert (before["host"], before["service"], before["key"]) == (None, None, "none")
    hosts = {service["name"]: service["host"] for service in before["services"]}
    assert hosts["gemini"] == GEMINI
    wanted = {"service": "gemini", "host": GEMINI, "model": "gemini-3-flash", "key": " secret-1 "}
    response = await client.post("/api/ask/setup", json=wanted)
    text = await response.text()
    assert response.status == 200, text
    assert "secret-1" not in text
    reply = await (await client.get("/api/ask/setup")).json()
    assert (reply["service"], reply["host"], reply["key"]) == ("gemini", GEMINI, "keyring")
    assert (reply["model"], reply["local"], reply["keyring"]) == ("gemini-3-flash", False, True)
    rules = engine.asked[-1]
    assert isinstance(rules, AskRules)
    assert rules.base_url == f"https://{GEMINI}/v1beta/openai"
    assert list(ring.kept.values()) == ["secret-1"]


async def test_nothing_is_sent_and_the_key_is_gone_when_a_person_says_so(
    client: Client, engine: FakeEngine, ring: Ring
) -> None:
    agreed = {"service": "anthropic", "host": "api.anthropic.com"}
    await client.post("/api/ask/setup", json={**agreed, "key": "secret-2"})
    reply = await (await client.post("/api/ask/setup", json={**agreed, "key": ""})).json()
    assert (reply["key"], ring.kept) == ("none", {})
    reply = await (await client.post("/api/ask/setup", json={})).json()
    assert (reply["service"], reply["host"]) == (None, None)
    rules = engine.asked[-1]
    assert isinstance(rules, AskRules)
    assert rules.provider == "none"


@pytest.mark.parametrize(
    "wrong",
    [
        {"service": "anthropic"},
        {"service": "anthropic", "host": "evil.example"},
        {"service": "http://evil.example"},
        {"service": "openai", "host": "api.openai.com", "base_url": "http://evil.example"},
    ],
)
async def test_without_consent_to_its_host_nothing_changes(
    client: Client, engine: FakeEngine, ring: Ring, wrong: dict[str, str]
) -> None:
    response = await client.post("/api/ask/setup", json={**wrong, "key": "secret-3"})
    assert response.status == 400
    assert (engine.asked, ring.kept) == ([], {})


async def test_without_a_keyring_the_key_is_not_written_anywhere(
    client: Client, engine: FakeEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "keyring", None)
    wanted = {"service": "anthropic", "host": "api.anthropic.com", "key": "secret-4"}
    response = await client.post("/api/ask/setup", json=wanted)
    assert "NOTEWELL_ASK_KEY" in (await response.json())["detail"]
    assert engine.asked == []
