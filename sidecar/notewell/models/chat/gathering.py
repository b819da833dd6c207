"""Shared by the providers' protocols: building a turn from events, and reading lists of models."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from notewell.errors import ProviderError
from notewell.models.chat.messages import ToolCall, Turn
from notewell.support.http import Json


class TurnBuilder(Protocol):
    """Builds a turn from the events of one protocol."""

    @property
    def finished(self) -> bool:
        """Whether the model finished its turn."""
        ...

    def add(self, event: Mapping[str, Json]) -> str:
        """Add an event; returns the text in it."""
        ...

    def turn(self) -> Turn:
        """The complete turn."""
        ...


def collect_turn(
    events: Iterable[Mapping[str, Json]], builder: TurnBuilder
) -> Iterator[str | Turn]:
    """Pieces of text as they arrive, then the turn. Raises ProviderError where it breaks off."""
    for event in events:
        piece = builder.add(event)
        if piece:
            yield piece
    if not builder.finished:
        raise ProviderError("The language model's answer broke off before its end.")
    yield builder.turn()


@dataclass(slots=True)
class CallParts:
    """A tool call that is still arriving: its arguments come in pieces of JSON."""

    id: str = ""
    name: str = ""
    arguments: str = ""

    def whole(self, *, no_id: str = "") -> ToolCall:
        """The complete call; `no_id` replaces a missing id, and {} missing arguments."""
        return ToolCall(self.id or no_id, self.name, self.arguments or "{}")


def listed_models(listing: Json) -> tuple[Mapping[str, Json], ...]:
    """The models of a list that have an id. Raises ProviderError where it is no list of models."""
    found = listing.get("data") if isinstance(listing, Mapping) else None
    if not isinstance(found, Sequence) or isinstance(found, str):
        raise ProviderError("The language model's provider lists no models.")
    return tuple(one for one in found if isinstance(one, Mapping) and "id" in one)


def limit(model: Mapping[str, Json], names: Sequence[str]) -> int | None:
    """The first of these fields that holds a number of tokens; None where none does."""
    for name in names:
        value = model.get(name)
        if isinstance(value, int) and value > 0:
            return value
    return None
