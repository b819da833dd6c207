"""The query language: what is scored, what is required, and what is plain text."""

from __future__ import annotations

from datetime import datetime

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from notewell.base.errors import QueryTooLongError
from notewell.contract.fields import MAX_QUERY_CHARS
from notewell.search.query.language import (
    All,
    Dated,
    Either,
    Node,
    Not,
    PathContains,
    Property,
    Tagged,
    Text,
    ValueTest,
    describe,
)
from notewell.search.query.parser import parse

NOW = datetime(2026, 3, 15, 12).astimezone().timestamp()


def condition(text: str) -> Node | None:
    return parse(text, now=NOW).condition


def stamp(*date: int) -> float:
    return datetime(*date).astimezone().timestamp()


def test_words_are_scored_and_nothing_is_required() -> None:
    parsed = parse("how do I sync  my notes?")
    assert parsed.text == "how do I sync  my notes?"
    assert parsed.condition is None
    assert parsed.warnings == ()


def test_a_phrase_is_required_and_scored() -> None:
    parsed = parse('budget "annual  report" 2025')
    assert parsed.text == "budget annual report 2025"
    assert parsed.condition == Text("annual report", exact=True)
    assert parsed.phrases == ("annual report",)


def test_a_quote_inside_a_phrase_is_escaped() -> None:
    assert parse(r'"they said \"hello\" twice"').phrases == ('they said "hello" twice',)


def test_excluded_words_and_phrases_are_required_and_not_scored() -> None:
    parsed = parse('plan -draft -"old version"')
    assert parsed.text == "plan"
    assert parsed.condition == All(
        (Not(Text("draft", exact=False)), Not(Text("old version", exact=True)))
    )


@pytest.mark.parametrize("text", ["well-known", "a - b", "-- flag", "->", "co-op e-mail", "5 -"])
def test_a_hyphen_within_or_between_words_excludes_nothing(text: str) -> None:
    assert condition(text) is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("path:Projects/A", PathContains("path", "projects/a")),
        ('path:"My Folder/x"', PathContains("path", "my folder/x")),
        ("file:2026", PathContains("file", "2026")),
        ("tag:#Area/Work", Tagged("area/work")),
        ("tag:work", Tagged("work")),
        ("TAG:work", Tagged("work")),
        ("type:book", Property("type", (ValueTest("=", "book"),), "type")),
        ("status:done", Property("status", (ValueTest("=", "done"),), "status")),
        ("[rating]", Property("rating", (), "property")),
        ("[rating:>=4]", Property("rating", (ValueTest(">=", "4"),), "property")),
        ("[Author:Jane Doe]", Property("author", (ValueTest("=", "Jane Doe"),), "property")),
        ("[due:null]", Property("due", (ValueTest("=", None),), "property")),
        (
            "[status:draft OR done]",
            Property("status", (ValueTest("=", "draft"), ValueTest("=", "done")), "property"),
        ),
        ("created:2026-01..2026-02", Dated("created", stamp(2026, 1, 1), stamp(2026, 3, 1))),
        ("created:2026-01-05", Dated("created", stamp(2026, 1, 5), stamp(2026, 1, 6))),
        ("created:2025", Dated("created", stamp(2025, 1, 1), stamp(2026, 1, 1))),
        ("modified:>2026-01-01", Dated("modified", stamp(2026, 1, 2), None)),
        ("modified:>=2026-01-01", Dated("modified", stamp(2026, 1, 1), None)),
        ("modified:<2026-01", Dated("modified", None, stamp(2026, 1, 1))),
        ("modified:..2025-12-31", Dated("modified", None, stamp(2026, 1, 1))),
        ("modified:7d", Dated("modified", NOW - 7 * 86400, None)),
        ("modified:today", Dated("modified", stamp(2026, 3, 15), stamp(2026, 3, 16))),
        ("-tag:work", Not(Tagged("work"))),
        ("-[rating]", Not(Property("rating", (), "property"))),
        ("-modified:2025", Not(Dated("modified", stamp(2025, 1, 1), stamp(2026, 1, 1)))),
    ],
)
def test_every_filter(text: str, expected: Node) -> None:
    parsed = parse(text, now=NOW)
    assert parsed.condition == expected
    assert parsed.text == ""
    assert parsed.warnings == ()


def test_or_and_parentheses_join_filters() -> None:
    assert condition('(tag:a OR path:b) -"x y"') == All(
        (Either((Tagged("a"), PathContains("path", "b"))), Not(Text("x y", exact=True)))
    )


def test_or_has_lower_precedence_than_a_space() -> None:
    assert condition("tag:a path:b OR tag:c") == Either(
        (All((Tagged("a"), PathContains("path", "b"))), Tagged("c"))
    )


def test_words_joined_by_or_are_scored_like_any() -> None:
    parsed = parse("meeting OR work")
    assert parsed.text == "meeting work"
    assert parsed.condition is None


def test_a_word_that_is_the_alternative_to_a_filter_is_required_there() -> None:
    parsed = parse("budget OR tag:money")
    assert parsed.condition == Either((Text("budget", exact=False), Tagged("money")))
    assert parsed.text == "budget"


def test_a_negated_group_excludes_what_has_all_of_it() -> None:
    assert condition("plan -(draft old)") == Not(
        All((Text("draft", exact=False), Text("old", exact=False)))
    )


@pytest.mark.parametrize("text", ["[[Daily note]]", "![[Daily note#Part|shown]]"])
def test_links_are_text(text: str) -> None:
    parsed = parse(text)
    assert parsed.condition is None
    assert "Daily note" in parsed.text
    assert "[" not in parsed.text


def test_a_markdown_link_is_text() -> None:
    assert condition("[label](https://example.org)") is None


@pytest.mark.parametrize(
    "text",
    ['"never closed', "(tag:a", "colour:red", "tag:", "created:soon", "[ ]", "a OR", "line:(a b)"],
)
def test_invalid_syntax_is_searched_as_text_with_a_warning(text: str) -> None:
    parsed = parse(text)
    assert parsed.warnings
    assert parsed.text or text == "(tag:a"


@pytest.mark.parametrize("text", ["https://example.org/a", "10:30", "note: this", ":)", "f(x)"])
def test_ordinary_text_is_no_syntax(text: str) -> None:
    parsed = parse(text)
    assert (parsed.text, parsed.condition, parsed.warnings) == (text, None, ())


def test_plain_mode_takes_operators_as_text() -> None:
    parsed = parse('-"a" tag:b', plain=True)
    assert (parsed.text, parsed.condition) == ('-"a" tag:b', None)


def test_an_empty_query_has_no_terms() -> None:
    assert parse("   ").text == ""
    assert parse("   ").condition is None


def test_a_query_of_more_than_4096_characters_is_refused() -> None:
    parse("x" * MAX_QUERY_CHARS)
    with pytest.raises(QueryTooLongError, match="4096"):
        parse("x" * (MAX_QUERY_CHARS + 1))


SYNTAX = st.lists(
    st.sampled_from(
        [*'"()[]-:#\\“”', " ", "OR", "word", "tag:", "path:", "created:", "[a:", "7d", "..", "[["]
    )
).map("".join)


@given(st.one_of(SYNTAX, st.text()).filter(lambda text: len(text) <= MAX_QUERY_CHARS))
@example('"\\' * 100)
@example("-(" * 200)
def test_no_text_makes_the_parser_raise(text: str) -> None:
    parsed = parse(text)
    assert isinstance(describe(parsed.condition), str)
    assert len(parsed.text) <= 3 * len(text)  # nothing is made up


@settings(max_examples=25, deadline=None)
@given(st.sampled_from(['"\\', "(", "-(", "[[", "[a", '"a" ', "tag:a ", "a OR ", "x:", "))(("]))
def test_the_longest_allowed_queries_are_parsed(piece: str) -> None:
    parse((piece * MAX_QUERY_CHARS)[:MAX_QUERY_CHARS])


@pytest.mark.parametrize(
    ("text", "lists"),
    [
        ('"a b" OR path:x', True),
        ("car OR tag:x", True),
        ("tag:y (car OR bus OR tag:x)", True),
        ("((car OR bus) big) OR tag:y", True),
        ("tag:x OR tag:y", True),
        ('"a b"', False),  # whatever meets it has its words
        ("car (bus OR tag:x)", False),
        ("(car tag:y) OR tag:x", False),
        ("car OR bus", False),
        ("-(car OR tag:x)", False),
        ('("a" OR tag:y) OR', False),
        ("tag:a OR OR tag:b", False),
    ],
)
def test_a_query_lists_where_each_word_is_part_of_an_alternative(text: str, lists: bool) -> None:
    assert parse(text).lists is lists


def test_alternatives_of_words_stay_alternatives_beside_a_filter() -> None:
    either = Either((Text("car", exact=False), Text("bus", exact=False)))
    assert condition("(car OR bus) OR tag:x") == Either((either, Tagged("x")))
    assert condition("((car OR bus) big) OR tag:x") == Either(
        (All((either, Text("big", exact=False))), Tagged("x"))
    )


@pytest.mark.parametrize(
    ("text", "phrases", "scored"),
    [
        ('"left hand thr', ("left hand",), "left hand thr"),
        ('"left hand thread ', ("left hand thread",), "left hand thread"),
        ('bolt "left hand thr', ("left hand",), "bolt left hand thr"),
        ('"left', (), "left"),
        ('"left ha', (), "left ha"),
        ('"', (), ""),
        ('"left hand" thr', ("left hand",), "left hand thr"),
    ],
)
def test_a_phrase_that_is_still_typed_is_one_but_for_its_last_word(
    text: str, phrases: tuple[str, ...], scored: str
) -> None:
    parsed = parse(text, typing=True)
    assert (parsed.phrases, " ".join(parsed.text.replace('"', " ").split())) == (phrases, scored)
    assert parsed.warnings == ()
