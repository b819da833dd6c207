"""Records that cannot change, made in less than half of the time that a dataclass takes.

The server knows hundreds of records before it answers. For each frozen dataclass the standard
library compiles six functions (until Python 3.13), which was a third of the time that a start
takes. Here only `__init__` is compiled, because it runs often; the others are functions that exist.
"""

from __future__ import annotations

import sys
from dataclasses import MISSING, FrozenInstanceError, dataclass, field, fields
from operator import attrgetter
from reprlib import recursive_repr
from typing import Any, TypeVar, dataclass_transform

T = TypeVar("T")


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def frozen(cls: type[T]) -> type[T]:
    """Make a class what `dataclass(frozen=True, slots=True)` makes of it.

    It is a dataclass for `fields`, `replace`, `match` and whatever else looks at one. A method
    that the class itself defines stays. Every field is one of `__init__`. Only such records may
    inherit from it.
    """
    record_class: Any = dataclass(init=False, repr=False, eq=False, slots=True)(cls)
    own = vars(cls)
    for name, method in {
        **_METHODS,
        **_comparison(record_class),
        "__init__": _init(record_class),
    }.items():
        if own.get(name) is None:  # a class with __eq__ has None for __hash__
            setattr(record_class, name, method)
    record: type[T] = record_class
    return record


def _init(cls: Any) -> Any:
    """Compile `__init__`; each value goes straight to its slot, past `__setattr__`.

    Annotations are looked up where the class is defined, as those of its own methods.
    """
    known: dict[str, object] = {"_MISSING": MISSING}
    by_order: list[str] = []
    by_name: list[str] = []
    body: list[str] = []
    for declared in fields(cls):
        known[f"_set_{declared.name}"] = getattr(cls, declared.name).__set__
        given = declared.name
        parameter = declared.name
        if declared.default_factory is not MISSING:
            known[f"_make_{declared.name}"] = declared.default_factory
            parameter += "=_MISSING"
            given = f"_make_{declared.name}() if {declared.name} is _MISSING else {declared.name}"
        elif declared.default is not MISSING:
            known[f"_default_{declared.name}"] = declared.default
            parameter += f"=_default_{declared.name}"
        (by_name if declared.kw_only else by_order).append(parameter)
        body.append(f"  _set_{declared.name}(self, {given})")
    if hasattr(cls, "__post_init__"):
        body.append("  self.__post_init__()")
    parameters = ", ".join(["self", *by_order, *(["*", *by_name] if by_name else [])])
    head = f"def make({', '.join(known)}):\n def __init__({parameters}):"
    source = "\n".join([head, *(body or ["  pass"]), " return __init__"])
    namespace: dict[str, Any] = {}
    exec(source, vars(sys.modules[cls.__module__]), namespace)  # noqa: S102 - as dataclasses do
    init = namespace["make"](**known)
    init.__annotations__ = {declared.name: declared.type for declared in fields(cls)} | {
        "return": None
    }
    init.__qualname__ = f"{cls.__qualname__}.__init__"
    return init


def _comparison(cls: Any) -> dict[str, Any]:
    """Return `__eq__` and `__hash__`, which read the values of a record at once."""
    names = [declared.name for declared in fields(cls) if declared.compare]

    def one_by_one(record: object) -> tuple[object, ...]:
        return tuple(getattr(record, name) for name in names)

    values = attrgetter(*names) if len(names) > 1 else one_by_one

    def equal(self: Any, other: Any) -> Any:
        return (
            values(self) == values(other) if other.__class__ is self.__class__ else NotImplemented
        )

    def hashed(self: Any) -> int:
        return hash(values(self))

    return {"__eq__": equal, "__hash__": hashed}


@recursive_repr()
def _repr(self: Any) -> str:
    shown = (
        f"{declared.name}={getattr(self, declared.name)!r}"
        for declared in fields(self)
        if declared.repr
    )
    return f"{self.__class__.__qualname__}({', '.join(shown)})"


def _setattr(_self: object, name: str, _value: object) -> None:
    raise FrozenInstanceError(f"cannot assign to field {name!r}")


def _delattr(_self: object, name: str) -> None:
    raise FrozenInstanceError(f"cannot delete field {name!r}")


def _getstate(self: Any) -> list[Any]:
    return [getattr(self, declared.name) for declared in fields(self)]


def _setstate(self: Any, state: list[Any]) -> None:
    for entry, value in zip(fields(self), state, strict=True):
        object.__setattr__(self, entry.name, value)


# The last two are for copies and pickles.
_METHODS = {
    "__repr__": _repr,
    "__setattr__": _setattr,
    "__delattr__": _delattr,
    "__getstate__": _getstate,
    "__setstate__": _setstate,
}
