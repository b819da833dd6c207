"""A model reads pages whose address it was given; for one that it put together a person is asked."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import closing
from typing import Any

import pytest

from notewell.base.errors import NotFoundError, ProviderError
from notewell.base.support.http import Cancel
from notewell.contract.request import StreamEvent
from notewell.features.ask import permissions
from notewell.features.ask.permissions import KnownAddresses, Permissions
from notewell.features.ask.requests import AskPermission, AskReply, AskRequest, AskStep
from notewell.features.ask.service import Agent, Conversations
from notewell.features.ask.web_reader import WebPage, WebPages
from tests.features.ask.conftest import Asking
from tests.features.ask.scripted import Says, Script, ScriptedModel

MADE_UP = "https://words-of-the-note.elsewhere.example/?d=sun"


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("Read https://a.example/x, please.", "https://a.example/x"),
        ("See (https://a.example/x).", "https://a.example/x"),
        ("https://a.example/x_(y)", "https://a.example/x_(y)"),
        ("[a](https://a.example/x)", "https://a.example/x"),
        ("<HTTPS://A.example>", "https://a.example/"),
        ("https://a.example/x#part", "https://a.example/x"),
        ("Is https://a.example/?q=1&b=2 right?", "https://a.example/?q=1&b=2"),
    ],
)
def test_an_address_in_a_question_may_be_read(text: str, address: str) -> None:
    assert address in KnownAddresses([text])


@pytest.mark.parametrize(
    "address",
    [
        "https://a.example/x/secret",
        "https://a.example/x?d=secret",
        "https://secret.a.example/x",
        "https://a.example",
        "http://a.example/x",
        "https://user:secret@a.example/x",
        "https://a.example:444/x",
        "https://A.example/X",
    ],
)
def test_any_other_address_may_not(address: str) -> None:
    assert address not in KnownAddresses(["Read https://a.example/x please"])


def test_results_and_pages_tell_more_addresses(monkeypatch: pytest.MonkeyPatch) -> None:
    known = KnownAddresses(["https://a.example/"])
    pages = WebPages("", known=known)
    monkeypatch.setattr(
        "notewell.features.ask.web_reader._page",
        lambda url, _: WebPage(url, "A", "More at https://b.example/more."),
    )
    monkeypatch.setattr("notewell.features.ask.web_reader._client", lambda _: _Client())
    with pytest.raises(ProviderError, match="whole address"):
        pages.read("https://b.example/more")
    monkeypatch.setattr(WebPages, "_request", lambda *_: None)
    pages.read("https://a.example/")
    assert "https://b.example/more" in known
    assert "https://b.example/" not in known


class _Client:
    def stream(self, _: object) -> Any:
        return closing(_Reply())


class _Reply:
    status = 200

    def close(self) -> None:
        """Nothing is open."""


class Person:
    """Answers a question about an address, or is not there."""

    def __init__(self, ask: Asking, model: ScriptedModel, allows: bool | None) -> None:
        self.permissions = Permissions()
        rules = {"web": True}
        asked = ask.agent(model, **rules)
        self._agent = Agent(
            asked._vault,
            asked._providers,
            Conversations(ask.folder),
            ask.cancel,
            self.permissions,
        )
        self._allows = allows
        self.asked: list[AskPermission] = []

    def events(self, question: str, *, may_ask: bool) -> Iterator[StreamEvent]:
        for event in self._agent.answer(AskRequest(question, may_ask=may_ask)):
            if isinstance(event.data, AskPermission):
                self.asked.append(event.data)
                if self._allows is not None:
                    self.permissions.answer(event.data.id, allow=self._allows)
            yield event


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The addresses that were requested."""
    found: list[str] = []

    def request(_: WebPages, url: str) -> None:
        found.append(url)
        raise ProviderError("Nothing is sent in tests.", code="web_failed")

    monkeypatch.setattr(WebPages, "_request", request)
    return found


def obeying() -> tuple[Says, ...]:
    """A model that does what a note told it to."""
    return Says("", [("read_web_page", {"url": MADE_UP})]), Says("By the sun [1].")


@pytest.mark.parametrize(("may_ask", "allows"), [(False, None), (True, False), (True, True)])
def test_a_made_up_address_is_read_only_if_a_person_allows_it(
    ask: Asking, script: Script, read: list[str], may_ask: bool, allows: bool | None
) -> None:
    person = Person(ask, script(*obeying()), allows)
    events = list(person.events("How do bees find home?", may_ask=may_ask))

    assert [each.address for each in person.asked] == ([MADE_UP] if may_ask else [])
    assert read == ([MADE_UP] if allows else [])
    (step,) = [e.data for e in events if isinstance(e.data, AskStep) and e.data.n == 1][1:]
    assert allows or "did not allow it" in step.outcome
    assert isinstance(events[-1].data, AskReply)


def test_an_address_in_the_question_is_read_without_a_word(
    ask: Asking, script: Script, read: list[str]
) -> None:
    person = Person(ask, script(*obeying()), None)
    list(person.events(f"What does {MADE_UP} say of bees?", may_ask=True))
    assert (person.asked, read) == ([], [MADE_UP])


def test_nobody_who_answers_is_a_no(
    ask: Asking, script: Script, read: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(permissions, "WAIT_S", 0.0)
    person = Person(ask, script(*obeying()), None)
    list(person.events("How do bees find home?", may_ask=True))
    assert (len(person.asked), read) == (1, [])
    with pytest.raises(NotFoundError):
        person.permissions.answer(person.asked[0].id, allow=True)


def test_a_question_is_answered_once() -> None:
    asked = Permissions()
    number = asked.begin()
    asked.answer(number, allow=False)
    for again in (number, "0" * 32):
        with pytest.raises(NotFoundError):
            asked.answer(again, allow=True)
    assert not asked.wait(number, Cancel())


def test_the_answer_comes_from_another_thread() -> None:
    asked = Permissions()
    number = asked.begin()
    threading.Thread(target=lambda: asked.answer(number, allow=True)).start()
    assert asked.wait(number, Cancel())
