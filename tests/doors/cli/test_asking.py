"""Commands declared beside their request: options from the record, output from templates."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import pytest
from click.testing import CliRunner

from notewell.base.types import VaultRecord
from notewell.base.types.frozen import frozen
from notewell.contract.codec import to_json
from notewell.contract.fields import Doc
from notewell.contract.request import Endpoint, Request, request_to
from notewell.doors.cli import asking as module
from notewell.doors.cli.asking import (
    EachLine,
    FactList,
    Say,
    SayCount,
    Table,
    TextLine,
    asking,
    group,
)


@frozen
class Hive:
    name: str
    bees: int
    seen: str | None
    colours: tuple[str, ...] = ()


@frozen
class HivesReply:
    place: str
    total: int
    hives: tuple[Hive, ...]
    warning: str = ""


@request_to(Endpoint("GET", "/api/hives", "hives", "Hives"))
class HivesRequest(Request[HivesReply]):
    place: str
    limit: Annotated[int, Doc("How many")] = 5
    door: str = ""


class Hives:
    """A backend that answers with two hives, and keeps what it was asked."""

    def __init__(self) -> None:
        self.asked: list[object] = []

    def answer(self, request: HivesRequest) -> HivesReply:
        self.asked.append(request)
        hives = (
            Hive("North\x1b[31m", 1200, "2026-03-01T12:00:00Z", ("brown", "black")),
            Hive("South", 3, None),
        )
        return HivesReply(request.place, 7, hives)

    def document(self, request: HivesRequest) -> bytes:
        return to_json(self.answer(request))


HIVES = asking(
    "hives",
    HivesRequest,
    "List the hives of PLACE.",
    Table("hives", {"hive": "{name}", ">bees": "{bees:,}", "seen": "{seen:day}"}),
    EachLine("hives", "{name}: {colours}"),
    FactList({"place": "{place}", "warning": "{warning}"}),
    TextLine("never printed", when="warning"),
    SayCount("hives", "hives in {place}"),
    Say("{hives:count hive}"),
    arguments={"place": "PLACE"},
    options=("limit",),
    fixed={"door": "cli"},
)


@pytest.fixture
def hives(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Hives:
    backend = Hives()

    @contextmanager
    def opened(_invocation: object, _vault: str | None) -> Iterator[tuple[VaultRecord, Hives]]:
        yield VaultRecord("a1b2", "Home", tmp_path), backend

    monkeypatch.setattr(module, "backend_for", opened)
    return backend


def test_a_declared_command_sends_its_request_and_prints_the_parts(hives: Hives) -> None:
    result = CliRunner().invoke(HIVES, ["garden", "--limit", "2"])

    assert hives.asked == [HivesRequest("garden", 2, "cli")]
    assert result.stdout == (
        "hive            bees  seen\n"
        "North\\x1b[31m  1,200  2026-03-01\n"
        "South              3\n"
        "North\\x1b[31m: brown, black\n"
        "South: \n"
        "place  garden\n"
    )
    assert result.stderr == "2 of 7 hives in garden\n2 hives\n"


@pytest.mark.usefixtures("hives")
def test_a_declared_command_prints_the_reply_as_json() -> None:
    assert CliRunner().invoke(HIVES, ["garden", "--json"]).stdout.startswith('{"place":"garden"')


def test_help_is_of_the_record() -> None:
    text = CliRunner().invoke(group("bees", "Keep bees.", HIVES), ["hives", "--help"]).stdout

    assert "List the hives of PLACE." in text
    assert "--limit INTEGER" in text
    assert "How many." in text
    assert text.index("--limit") < text.index("--vault") < text.index("--json")
