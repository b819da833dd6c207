"""Records made by `frozen` are what the standard library's frozen dataclasses are."""

from __future__ import annotations

import copy
import inspect
import pickle
from collections.abc import Mapping
from dataclasses import MISSING, FrozenInstanceError, dataclass, field, fields, replace
from typing import Any, get_type_hints

import orjson
import pytest

from notewell.base.types.frozen import frozen


@frozen
class Ours:
    """A record."""

    a: int
    b: Mapping[str, int] = field(default_factory=dict)
    c: str = field(default="c", compare=False)
    d: str | None = field(default=None, repr=False)
    e: bool = field(default=True, kw_only=True)

    def __post_init__(self) -> None:
        """Refuse what is below zero."""
        if self.a < 0:
            raise ValueError("below zero")


@dataclass(frozen=True, slots=True)
class Theirs:
    """The same record."""

    a: int
    b: Mapping[str, int] = field(default_factory=dict)
    c: str = field(default="c", compare=False)
    d: str | None = field(default=None, repr=False)
    e: bool = field(default=True, kw_only=True)

    def __post_init__(self) -> None:
        """Refuse what is below zero."""
        if self.a < 0:
            raise ValueError("below zero")


@frozen
class Nothing:
    """A record without fields."""


@frozen
class One:
    """A record with one field."""

    a: float


@frozen
class Own:
    """A record with a comparison of its own."""

    a: str

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Own) and self.a.lower() == other.a.lower()

    def __hash__(self) -> int:
        return hash(self.a.lower())


@frozen
class Longer(Ours):
    """A record that inherits from a record."""

    f: int = 0


VALUES: list[tuple[tuple[Any, ...], dict[str, Any]]] = [
    ((1,), {}),
    ((1, {"x": 2}, "d"), {}),
    ((1, {"x": 2}, "e"), {"d": "secret"}),
    ((2,), {"e": False}),
]


def test_signature_fields_slots_and_hints_are_those_of_a_dataclass() -> None:
    missing = repr(MISSING)  # the standard library has another sign for it
    assert str(inspect.signature(Ours)).replace(missing, "<factory>") == str(
        inspect.signature(Theirs)
    )
    assert [(field.name, field.default) for field in fields(Ours)] == [
        (field.name, field.default) for field in fields(Theirs)
    ]
    assert Ours.__match_args__ == Theirs.__match_args__
    assert Ours.__slots__ == Theirs.__slots__
    assert get_type_hints(Ours) == get_type_hints(Theirs)
    assert get_type_hints(Ours.__init__) == get_type_hints(Theirs.__init__)
    assert Ours.__init__.__qualname__ == "Ours.__init__"


@pytest.mark.parametrize(("given", "named"), VALUES)
def test_a_record_shows_itself_and_becomes_json_as_a_dataclass(given: Any, named: Any) -> None:
    ours, theirs = Ours(*given, **named), Theirs(*given, **named)

    assert repr(ours) == repr(theirs).replace("Theirs", "Ours")
    assert orjson.dumps(ours) == orjson.dumps(theirs)


def test_records_are_equal_where_dataclasses_are() -> None:
    ours = [Ours(*given, **named) for given, named in VALUES]
    theirs = [Theirs(*given, **named) for given, named in VALUES]

    assert [[a == b for a in ours] for b in ours] == [[a == b for a in theirs] for b in theirs]
    assert ours[0] != theirs[0]
    assert One(1.0) == One(1) != One(2.0)
    assert Nothing() == Nothing()
    assert len({One(1.0), One(1), Own("A"), Own("a"), Nothing(), Nothing()}) == 3
    with pytest.raises(TypeError, match="unhashable"):
        hash(ours[0])  # of the dictionary inside


def test_values_that_are_made_are_made_anew() -> None:
    assert Ours(1).b is not Ours(1).b


def test_a_record_does_not_change() -> None:
    record: Any = Ours(1)
    for change in (
        lambda: setattr(record, "a", 2),
        lambda: setattr(record, "z", 2),
        lambda: delattr(record, "a"),
    ):
        with pytest.raises(FrozenInstanceError):
            change()
    assert record == Ours(1)


def test_copies_replacements_and_pickles() -> None:
    record = Ours(1, {"x": 2}, d="d")
    for copied in (copy.copy(record), copy.deepcopy(record), pickle.loads(pickle.dumps(record))):
        assert copied == record
        assert copied.c == record.c
    assert replace(record, a=3) == Ours(3, {"x": 2}, d="d")
    with pytest.raises(ValueError, match="below zero"):
        replace(record, a=-1)


def test_wrong_arguments_are_refused_by_name() -> None:
    make: Any = Ours
    with pytest.raises(TypeError, match=r"Ours.__init__\(\) missing 1 required .* 'a'"):
        make()


def test_a_record_may_inherit() -> None:
    longer = Longer(1, f=2)
    assert (longer.a, longer.c, longer.f) == (1, "c", 2)
    assert longer == Longer(1, f=2) != Longer(1, f=3)
    assert longer != Ours(1)
