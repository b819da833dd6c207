"""The commands shown in docs/api.md work against a real server."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.doors.web.fakes import TOKEN, Client

GUIDE = Path(__file__).parents[3] / "docs" / "api.md"
SERVER = "http://127.0.0.1:8765"


@dataclass
class Curl:
    """What a curl command asks for, as far as the guide uses it."""

    url: str = ""
    method: str = ""
    body: str | None = None
    headers: dict[str, str] = field(default_factory=dict)
    query: dict[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, command: str) -> Curl:
        """Read a command; an option that is not known here fails the test."""
        curl, words = cls(), iter(shlex.split(command, comments=True)[1:])
        for word in words:
            match word:
                case "-H":
                    name, _, value = next(words).partition(": ")
                    curl.headers[name] = value.replace("$TOKEN", TOKEN)
                case "-d":
                    curl.body = next(words)
                case "-X":
                    curl.method = next(words)
                case "--data-urlencode":
                    name, _, value = next(words).partition("=")
                    curl.query[name] = value
                case "-N" | "-G":
                    pass
                case address if address.startswith(SERVER):
                    curl.url = address.removeprefix(SERVER)
                case other:
                    raise ValueError(f"the guide uses {other}, which this test does not know")
        return curl


def commands() -> Iterator[str]:
    """Every curl command of the guide, on one line."""
    for block in re.findall(r"(?ms)^```sh\n(.*?)^```", GUIDE.read_text(encoding="utf-8")):
        text = block.replace("\\\n", " ")
        yield from (part for part in re.split(r"(?m)^(?=\S)", text) if part.startswith("curl "))


def test_the_guide_has_commands() -> None:
    assert len(list(commands())) >= 5


@pytest.mark.parametrize(
    "command", list(commands()), ids=lambda command: command.split("/api/")[-1][:20]
)
async def test_a_command_of_the_guide_works_as_it_stands(client: Client, command: str) -> None:
    curl = Curl.of(command)
    method = curl.method or ("POST" if curl.body is not None else "GET")

    response = await client.session.request(
        method,
        client.make_url(curl.url),
        params=curl.query,
        data=curl.body,
        headers={"Content-Type": "application/x-www-form-urlencoded", **curl.headers},
    )

    assert response.status in {200, 202}, await response.text()
    response.close()
