"""Options made from the fields of a request: names, types, bounds, defaults and help."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal

import click
import pytest
from click.testing import CliRunner

from notewell.base.types.hints import Ge, Gt, Le
from notewell.contract.fields import Doc
from notewell.contract.request import Endpoint, Request
from notewell.doors.cli.asking import request_argument, request_option, request_options


@dataclass(frozen=True, slots=True)
class Example(Request[str]):
    endpoint: ClassVar[Endpoint] = Endpoint("GET", "/api/example", "example", "An example")
    text: Annotated[str, Doc("What to look for")]
    helped: Annotated[bool, Doc("Whether it helped")]
    limit: Annotated[int, Ge(1), Le(9), Doc("Maximum number of results")] = 5
    share: Annotated[Annotated[float, Gt(0), Le(1)] | None, Doc("How much")] = None
    min_score: Annotated[float, Doc("Lowest score")] = 0.0
    mode: Annotated[Literal["fast", "slow"], Doc("How")] = "fast"
    daily: Annotated[bool, Doc("Include daily notes")] = True
    plain: Annotated[bool, Doc("Plain text")] = False
    rerank: Annotated[bool | Literal["llm"] | None, Doc("Read the results")] = None
    path: Annotated[str | None, Doc("Only this note")] = None


Decorator = Callable[[Any], Any]


def values(decorator: Decorator, *args: str) -> dict[str, Any]:
    """What a command with these options is given."""
    given: dict[str, Any] = {}
    command = click.command()(decorator(lambda **fields: given.update(fields)))
    result = CliRunner().invoke(command, args)
    if result.exit_code:
        raise click.UsageError(result.output)
    return given


OPTIONAL = request_options(
    Example, "limit", "share", "min_score", "mode", "daily", "plain", "rerank"
)


def test_an_option_left_out_has_the_default_of_the_record() -> None:
    example = Example("bees", helped=True)
    for name, value in values(OPTIONAL).items():
        assert value == getattr(example, name), name


def test_a_value_arrives_under_the_name_of_its_field() -> None:
    args = "--limit 9 --share 0.5 --min-score 0.1 --mode slow --no-daily --plain --rerank"

    assert values(OPTIONAL, *args.split()) == {
        "limit": 9,
        "share": 0.5,
        "min_score": 0.1,
        "mode": "slow",
        "daily": False,
        "plain": True,
        "rerank": True,
    }


@pytest.mark.parametrize("args", ["--limit 0", "--limit 10", "--share 0", "--mode other"])
def test_a_value_outside_the_bounds_is_refused(args: str) -> None:
    with pytest.raises(click.UsageError, match="Invalid value"):
        values(OPTIONAL, *args.split())


def test_a_field_without_a_default_is_a_required_option() -> None:
    helped = request_option(Example, "helped", "--helped/--failed")

    assert values(helped, "--failed") == {"helped": False}
    with pytest.raises(click.UsageError, match="Missing option"):
        values(helped)


def test_names_and_attributes_can_be_replaced() -> None:
    assert values(request_option(Example, "limit", "--most", default=7)) == {"limit": 7}


def test_an_argument_is_required_if_its_field_is() -> None:
    assert values(request_argument(Example, "text", "QUERY"), "bees") == {"text": "bees"}
    with pytest.raises(click.UsageError, match="Missing argument 'QUERY'"):
        values(request_argument(Example, "text", "QUERY"))
    for args in ((), ("",)):
        assert values(request_argument(Example, "path", "NOTE"), *args) == {"path": None}


def test_the_help_is_the_text_of_the_field() -> None:
    command = click.command()(OPTIONAL(lambda **_: None))
    shown = " ".join(CliRunner().invoke(command, ["--help"]).output.split())

    assert "Maximum number of results. [default: 5; 1<=x<=9]" in shown
    assert "--daily / --no-daily Include daily notes. [default: daily]" in shown
    assert "--plain Plain text. --rerank" in shown
