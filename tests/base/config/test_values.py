"""Values of settings: what each type takes, what text stands for, and what the errors say."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from notewell.base.config import known_keys
from notewell.base.config.values import parse_record
from notewell.base.errors import ConfigError
from notewell.base.types import AskRules, GarsRules, LogRules, SearchRules, ServerRules, Settings

PLACES = {"data_dir": Path("/d"), "model_dir": Path("/m"), "state_dir": Path("/s")}
REFERENCE = TypeAdapter(Settings)
WRITTEN = st.one_of(
    st.booleans(),
    st.integers(-3, 10**20),
    st.floats(-1e15, 1e15),  # beyond, pydantic takes no float for an integer
    st.text(max_size=6),
    st.sampled_from(["1", "-2", "0.5", "1e3", "1_000", "true", "No", "auto", "off", "int8", "md"]),
    st.lists(st.one_of(st.text(max_size=3), st.integers()), max_size=2),
    st.dictionaries(st.sampled_from(["title", "body", "x"]), st.one_of(st.floats(0, 2), st.text())),
)


def tree(key: str, value: object) -> dict[str, object]:
    """The values by section with one that is set."""
    *sections, field = key.split(".")
    inner: dict[str, object] = {field: value}
    for section in reversed(sections):
        inner = {section: inner}
    return {**PLACES, **inner}


def contains_truth(value: object) -> bool:
    if isinstance(value, dict):
        return any(map(contains_truth, value.values()))
    return isinstance(value, bool)


@given(key=st.sampled_from(known_keys()), value=WRITTEN)
def test_what_is_valid_and_what_it_means_agree_with_pydantic(key: str, value: object) -> None:
    try:
        expected = REFERENCE.validate_python(tree(key, value))
    except ValidationError:
        with pytest.raises(ConfigError):
            parse_record(Settings, tree(key, value))
        return
    try:
        found = parse_record(Settings, tree(key, value))
    except ConfigError:
        # Stricter: true is no number, 1.0 is not true, "1.0" is not whole, "inf" is no number.
        written = str(value).lower()
        stricter = contains_truth(value) or isinstance(value, float)
        assert stricter or any(part in written for part in (".", "inf", "nan"))
        return
    assert found == expected


@pytest.mark.parametrize(
    ("kind", "values", "said"),
    [
        (
            ServerRules,
            {"port": "many"},
            "'port' is invalid: it must be a whole number (got 'many')",
        ),
        (ServerRules, {"port": 80.5}, "'port' is invalid: it must be a whole number (got 80.5)"),
        (ServerRules, {"port": True}, "'port' is invalid: it must be a whole number (got True)"),
        (ServerRules, {"allowed_hosts": "a"}, "it must be a list"),
        (
            ServerRules,
            {"allowed_hosts": [1]},
            "'allowed_hosts' is invalid: it must be text (got 1)",
        ),
        (SearchRules, {"recency": "soon"}, "it must be one of auto, off or a number (got 'soon')"),
        (SearchRules, {"recency": "nan"}, "it must be one of auto, off or a number"),
        (SearchRules, {"name_boost": float("inf")}, "it must be a number (got inf)"),
        (SearchRules, {"keyword_weight": 0}, "it must be above 0"),
        (SearchRules, {"gars": {"decay": 1.5}}, "'gars.decay' is invalid: it must be at most 1"),
        (SearchRules, {"gars": 3}, "'gars' is invalid: it must be a section"),
        (SearchRules, {"field_weights": {"title": "x"}}, "'field_weights.title' is invalid"),
        (SearchRules, {"field_weights": {"headline": 2}}, "it must be one of title, "),
        (SearchRules, {"field_weights": 2}, "it must be a table of names and values"),
        (GarsRules, {"similarity": -1}, "it must be at least 0"),
        (LogRules, {"queries": "perhaps"}, "it must be true or false (got 'perhaps')"),
        (AskRules, {"model": 4}, "it must be text (got 4)"),
        (AskRules, {"model": ["x" * 500]}, "it must be text (got ['xxx"),
    ],
)
def test_an_error_names_the_setting_and_says_what_it_must_be(
    kind: type, values: dict[str, object], said: str
) -> None:
    with pytest.raises(ConfigError) as caught:
        parse_record(kind, values)

    assert said in caught.value.message
    assert len(caught.value.message) < 250


def test_a_section_without_values_has_its_defaults() -> None:
    assert parse_record(Settings, {**PLACES, "search": {}}) == Settings(**PLACES)
