"""What a check of the gardener is."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from notewell.contract.garden import GardenCheck
from notewell.gardener.garden import Garden
from notewell.gardener.suggestion import Suggestion
from notewell.types.frozen import frozen


@frozen
class Check:
    """A check: its name, what it finds, and whether it runs unless a person chooses.

    `find` looks at a whole vault and changes nothing. A check that was not measured to
    reach a precision of 0.7 (docs/gardener.md) is not `usual`.
    """

    name: GardenCheck
    finds: str
    find: Callable[[Garden], Iterable[Suggestion]]
    usual: bool = True
