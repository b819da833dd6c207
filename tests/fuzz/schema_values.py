"""Random JSON values of a schema, and values just outside it; made in microseconds.

Only what the OpenAPI document uses is known: types, choices, bounds, lists, objects and references.
Strings of a pattern come from `known`, which other generators fill.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tests.fuzz.mutation import ODD, change_json

Schema = Mapping[str, Any]
_WORDS = (
    "garden", "bees", "Compost", "spring water", "tag:garden", '"find home"', "-sun", "path:Garden", "a",
    "Zürich", "Home", "Papers", "golden_rule", "2026-03-01", "[[Compost]]", "title", "status", "x" * 300,
)  # fmt: skip
_DEEPEST = 4
_LONGEST = 8000  # of a string beyond the bound of its schema
_MOST_ITEMS = 300


@dataclass(slots=True)
class Values:
    """Makes values. `components` are the schemas that others refer to by name.

    `paths` stand where a name says that a note is meant. `known` are values of the same name that
    fitted elsewhere.
    """

    components: Mapping[str, Schema]
    paths: Sequence[str] = ()
    named_by_path: frozenset[str] = frozenset()
    known: dict[str, list[Any]] = field(default_factory=dict)

    def learn(self, name: str, value: object) -> None:
        """Keep a value for the name, and those inside it for theirs."""
        self.known.setdefault(name, []).append(value)
        if isinstance(value, dict):
            for inner, part in value.items():
                self.learn(inner, part)
        elif isinstance(value, list):
            for part in value:
                self.learn(name, part)

    def value(self, rng: random.Random, name: str, schema: Schema, depth: int = 0) -> Any:
        """A value for a parameter or property: most fit, some are at a bound, a few are wrong."""
        kind = rng.random()
        if kind < 0.5 and name in self.named_by_path:
            return rng.choice(self.paths)
        if kind < 0.35 and name in self.known:
            return rng.choice(self.known[name])
        made = self._made(rng, name, schema, depth)
        return change_json(rng, made) if kind > 0.93 else made

    def _made(self, rng: random.Random, name: str, schema: Schema, depth: int) -> Any:
        schema = self._one(rng, schema)
        if "const" in schema:
            return schema["const"]
        if "enum" in schema:
            return rng.choice(schema["enum"])
        kind = schema.get("type")
        if kind == "object":
            return self.object(rng, schema, depth)
        if kind == "array":
            return self._array(rng, name, schema, depth)
        simple = _SIMPLE.get(str(kind))
        return change_json(rng, rng.choice(_WORDS)) if simple is None else simple(rng, schema)

    def _one(self, rng: random.Random, schema: Schema) -> Schema:
        """The schema itself, or one that it offers."""
        for _ in range(_DEEPEST):
            if "$ref" in schema:
                schema = self.components[schema["$ref"].rsplit("/", 1)[-1]]
            elif "anyOf" in schema:
                schema = rng.choice(schema["anyOf"])
            else:
                break
        return schema

    def object(self, rng: random.Random, schema: Schema, depth: int = 0) -> dict[str, Any]:
        """An object: nearly always with what is required, and with some of the rest."""
        required = schema.get("required", ())
        made = {
            name: self.value(rng, name, part, depth + 1)
            for name, part in schema.get("properties", {}).items()
            if rng.random() < (0.98 if name in required else 0.3)
        }
        free = schema.get("additionalProperties")
        if isinstance(free, Mapping) and depth < _DEEPEST:
            for _ in range(rng.choice((0, 1, 1, 2, 5))):
                key = rng.choice(_WORDS) + rng.choice(("", "", rng.choice(ODD)))
                made[key] = self.value(rng, key, free, depth + 1)
        return made

    def _array(self, rng: random.Random, name: str, schema: Schema, depth: int) -> list[Any]:
        most = min(schema.get("maxItems", 5), _MOST_ITEMS)
        size = rng.choice((1, 1, 2, 3, schema.get("minItems", 0)))
        if rng.random() < 0.02:
            return [self.value(rng, name, schema.get("items", {}), _DEEPEST)] * (most + 1)
        items = schema.get("items", {})
        return (
            []
            if depth > _DEEPEST
            else [self.value(rng, name, items, depth + 1) for _ in range(size)]
        )


def _integer(rng: random.Random, schema: Schema) -> int:
    low, high = schema.get("minimum", -(2**31)), schema.get("maximum", 2**31)
    if rng.random() < 0.8:
        return rng.randint(low, min(high, low + 50))
    return int(rng.choice((low, high, low - 1, high + 1, 0, 2**63, -(2**63) - 1)))


def _number(rng: random.Random, schema: Schema) -> float:
    low = schema.get("minimum", schema.get("exclusiveMinimum", -1000.0))
    high = schema.get("maximum", 1000.0)
    if rng.random() < 0.8:
        return rng.uniform(low, high)
    return float(rng.choice((low, high, low - 1e-9, high + 1e-9, 0.0, -0.0, 1e-320, 1e308)))


def _string(rng: random.Random, schema: Schema) -> str:
    least, most = schema.get("minLength", 0), schema.get("maxLength", _LONGEST)
    kind = rng.random()
    if kind < 0.03:
        return "x" * min(rng.choice((least, most, most + 1)), 2 * _LONGEST)
    if kind < 0.2:
        return "".join(rng.choices(ODD, k=rng.randint(max(least, 0), 6)))
    if kind < 0.3:
        return f"{rng.getrandbits(rng.choice((48, 64, 128))):x}"
    return " ".join(rng.choices(_WORDS[:-1], k=rng.choice((1, 1, 2, 4))))


_SIMPLE: Mapping[str, Callable[[random.Random, Schema], object]] = {
    "string": _string,
    "integer": _integer,
    "number": _number,
    "boolean": lambda rng, _schema: rng.random() < 0.5,
    "null": lambda _rng, _schema: None,
}
