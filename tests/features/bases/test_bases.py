"""Bases: expressions as Obsidian's help defines them, views over made notes, and the bases of a real vault."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from datetime import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from notewell.base.errors import NotFoundError, UnreadableNoteError
from notewell.engine.engine import Engine
from notewell.features.bases.evaluate import Evaluator, Frame
from notewell.features.bases.expressions import ExpressionError, read_expression
from notewell.features.bases.requests import BaseReply, BaseRequest
from notewell.features.bases.values import show
from tests.vaults import QUIET, indexed

NOTES = {
    "Films/Alien.md": "---\nkind: '[[Film]]'\nyear: 1979\nrating: 5\nseen: 2024-03-05\n"
    "cast: ['[[Weaver]]', Holm]\ntags: [scifi/horror]\n---\nSee [[Brazil]].",
    "Films/Brazil.md": "---\nkind: '[[Film]]'\nyear: 1985\nrating: 4\ncast: Pryce\n---\n#scifi",
    "Films/Clue.md": "---\nkind: '[[Film]]'\nyear: 1985\n---\nnot rated",
    "Film.md": "What films are",
    "Books/Dune.md": "---\nkind: '[[Book]]'\nRating: 5\n---\nsand",
}
BASE = """
filters:
  and:
    - kind == link("Film")
    - not:
        - file.inFolder("Books")
formulas:
  age: 2000 - year
  label: 'if(rating, rating.toFixed(1) + " of 5", "?")'
  loop: formula.loop
properties:
  note.year: {displayName: Year}
  formula.label: {displayName: Stars}
views:
  - type: table
    name: All
    order: [file.name, year, formula.label, cast, seen]
    sort:
      - {property: year, direction: DESC}
      - {property: rating, direction: DESC}
  - name: Good
    type: cards
    filters: rating > 4 || file.hasTag("scifi")
    order: [file.name, formula.age]
  - name: First
    limit: 1
    sort: [{property: rating, direction: ASC}]
  - name: Here
    filters: {and: ['cast.contains(this)']}
  - name: Odd
    filters: '/x/.matches(file.name)'
  - name: Circle
    order: [formula.loop]
"""


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    notes = {**NOTES, "Films.base": BASE, "Torn.base": "views: [", "Weaver.md": "An actor"}
    home = tmp_path_factory.mktemp("bases")
    with indexed(home, notes, vault=QUIET) as opened:
        yield opened


def table(engine: Engine, view: str = "", **more: str) -> BaseReply:
    return engine.answer(BaseRequest("Films.base", view, **more))  # type: ignore[arg-type]


def texts(reply: BaseReply) -> list[list[str]]:
    return [[cell.text for cell in row.cells] for row in reply.rows]


def test_a_view_has_the_rows_columns_and_order_of_the_base(engine: Engine) -> None:
    reply = table(engine)
    assert reply.views == ("All", "Good", "First", "Here", "Odd", "Circle")
    assert reply.columns == ("name", "Year", "Stars", "cast", "seen")
    assert texts(reply) == [
        ["Brazil", "1985", "4.0 of 5", "Pryce", ""],
        ["Clue", "1985", "?", "", ""],
        ["Alien", "1979", "5.0 of 5", "Weaver, Holm", "2024-03-05"],
    ]
    assert reply.rows[0].cells[0].path == "Films/Brazil.md"
    assert reply.problem is None


def test_a_view_adds_its_own_filters_limit_and_the_note_it_stands_in(engine: Engine) -> None:
    good = table(engine, "good")
    assert (good.kind, texts(good)) == ("cards", [["Alien", "21"], ["Brazil", "15"]])
    assert texts(table(engine, "First")) == [["Brazil"]]  # what has no value comes last
    assert texts(table(engine, "Here", within="Weaver.md")) == [["Alien"]]
    assert texts(table(engine, "Here")) == []


@pytest.mark.parametrize(
    ("view", "why"), [("Odd", "“/x”|not expected"), ("Circle", "needs itself")]
)
def test_what_is_not_computed_here_is_said_and_shows_nothing(
    engine: Engine, view: str, why: str
) -> None:
    reply = table(engine, view)
    assert reply.rows == ()
    assert reply.problem is not None
    assert any(part in reply.problem for part in why.split("|"))


def test_a_missing_view_or_base_and_a_torn_file_are_errors(engine: Engine) -> None:
    with pytest.raises(NotFoundError, match="has no view “None such”; it has: All, Good"):
        table(engine, "None such")
    with pytest.raises(NotFoundError):
        engine.answer(BaseRequest("Nowhere.base"))
    with pytest.raises(NotFoundError, match="is no base"):
        engine.answer(BaseRequest("Film.md"))
    with pytest.raises((UnreadableNoteError, NotFoundError)):
        engine.answer(BaseRequest("Torn.base"))


def value(engine: Engine, text: str, note: str = "Films/Alien.md") -> str:
    index = engine.vault.index
    stored = index.note_at(note)
    assert stored is not None
    evaluator = Evaluator(index, {}, stored, datetime(2026, 5, 20, 13, 30))  # noqa: DTZ001 - local, as Obsidian's
    return show(evaluator.value(read_expression(text), Frame(stored)))


@pytest.mark.parametrize(
    ("expression", "expected"),
    [  # the examples of Obsidian's help, and what they say of values that are not there
        ("1 + 2 * 3", "7"),
        ("(1 + 2) * 3", "9"),
        ("-2 + 5", "3"),
        ("7 % 4", "3"),
        ('"a" + 1', "a1"),
        ("1 == 1.0 && !(2 < 1)", "true"),
        ("missing || 3", "3"),
        ("missing > 2", "false"),
        ('"5" > 2', "false"),
        ("rating >= 5", "true"),
        ("RATING", "5"),
        ('note["year"]', "1979"),
        ("missing.isEmpty()", "true"),
        ('missing.contains("x")', "false"),
        ('date("2024-12-01") + "1M" + "4h" + "3m"', "2025-01-01 04:03"),
        ('date("2024-01-31") + "1 month"', "2024-02-29"),
        ('date("2024-02-29") - "1y"', "2023-02-28"),
        ("now() + (duration('1d') * 2)", "2026-05-22 13:30"),
        ('date("2024-01-01") + "99999y"', ""),
        ('now() - "1 day"', "2026-05-19 13:30"),
        ("today()", "2026-05-20"),
        ('seen < date("2024-04-01")', "true"),
        ("seen.year", "2024"),
        ('now().date().format("YYYY-MM-DD HH:mm:ss")', "2026-05-20 00:00:00"),
        ('if(true, "yes", "no")', "yes"),
        ('if(false, "yes")', ""),
        ('list("value").length', "1"),
        ("max(1, 5, 3)", "5"),
        ('number("3.4")', "3.4"),
        ('"hello".contains("ell")', "true"),
        ('"hello".containsAll("h", "e")', "true"),
        ('"hello".containsAny("x", "y", "e")', "true"),
        ('"hello".slice(1, 4)', "ell"),
        ('"hello world".title()', "Hello World"),
        ('"hello".reverse()', "olleh"),
        ('"123".repeat(2)', "123123"),
        ('"example".isType("string") && true.isType("boolean")', "true"),
        ("now().time()", "13:30:00"),
        ('"  hi  ".trim()', "hi"),
        ("(2.5).round()", "3"),
        ("(2.3333).round(2)", "2.33"),
        ("(3.14159).toFixed(2)", "3.14"),
        ("(2.1).ceil() + (2.9).floor()", "5"),
        ("[1,2,3].containsAll(2,3)", "true"),
        ("[1,2,3,4].filter(value > 2)", "3, 4"),
        ("[1,2,3,4].map(value + 1)", "2, 3, 4, 5"),
        ("[1,2,3].reduce(acc + value, 0)", "6"),
        ("[1,[2,3]].flat()", "1, 2, 3"),
        ("[1,2,2,3].unique()", "1, 2, 3"),
        ('[1,2,3].join(",")', "1,2,3"),
        ("[3, 1, 2].sort()[0]", "1"),
        ('file.hasTag("scifi")', "true"),
        ('file.hasTag("sci")', "false"),
        ('file.hasLink("Brazil")', "true"),
        ('file.links.contains(link("Brazil"))', "true"),
        ('file.inFolder("Films")', "true"),
        ('file.inFolder("Film")', "false"),
        ('file.hasProperty("year")', "true"),
        ("file.name + file.ext", "Alienmd"),
        ("file.folder", "Films"),
        ('kind == link("Film")', "true"),
        ('kind == link("Book")', "false"),
        ('link("Brazil").asFile().name', "Brazil"),
        ("this.file.name", "Alien"),
    ],
)
def test_an_expression_means_what_the_help_says(
    engine: Engine, expression: str, expected: str
) -> None:
    assert value(engine, expression) == expected


@pytest.mark.parametrize(
    "expression",
    [
        "1 +",
        "((((",
        "a b",
        "'open",
        "no_such()",
        "file.nothing",
        "(" * 500 + "1" + ")" * 500,
        "!" * 500 + "1",
        "1" + "+1" * 3000,
        "'x'.replace('x', 'yy').replace('y', 'yyyyyyyyyy')" + ".replace('y', 'yyyyyyyyyy')" * 9,
        "[1,2,3,4,5,6,7,8,9]" + ".map([value,value,value,value,value,value]).flat()" * 12,
        "'x'.slice(1, 2, 3)",
        "'xyz'.repeat(99999999)",
    ],
)
def test_what_is_no_expression_or_too_much_ends_with_a_reason(
    engine: Engine, expression: str
) -> None:
    with pytest.raises(ExpressionError):
        value(engine, expression)


@given(st.text(alphabet="abf.()[]!&|=<>+-*/%,'\" 019_\\\n{}é", max_size=60))
def test_any_text_is_an_expression_or_refused(text: str) -> None:
    with suppress(ExpressionError):
        read_expression(text)
