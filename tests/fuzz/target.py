"""What is fuzzed: a function that takes an input and raises only for a fault."""

from __future__ import annotations

import random
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import TypeAlias

Check: TypeAlias = Callable[[bytes], None]
Generate: TypeAlias = Callable[[random.Random], bytes]


class FaultError(AssertionError):
    """An input that broke a promise without an exception: a wrong status, a missing answer."""


@dataclass(frozen=True, slots=True)
class Target:
    """A way to generate inputs and to check one.

    `opened` yields the check and keeps what it needs (an index, a server) while the context lasts.
    `generator(seed, inputs)` prepares for a run of so many inputs; the function that it returns
    makes one input of a random source, and the same one of the same source.
    """

    name: str
    opened: Callable[[], AbstractContextManager[Check]]
    generator: Callable[[int, int], Generate]
