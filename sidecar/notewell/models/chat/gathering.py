"""What providers' protocols have in common: a turn told event by event, and a list of models."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from notewell.errors import ProviderError
from notewell.models.chat.messages import ToolCall, Turn
from notewell.support.http import Json


class Gathering(Protocol):
    """Puts a turn together from one protocol's events."""

    @property
    def finished(self) -> bool:
        """Whether the model came to its end."""
        ...

    def take(self, event: Mapping[str, Json]) -> str:
        """Take an event; gives the text in it."""
        ...

    def turn(self) -> Turn:
        """Everything that was said."""
        ...


def gather(events: Iterable[Mapping[str, Json]], gathering: Gathering) -> Iterator[str | Turn]:
    """Pieces of text as they arrive, then the turn. ProviderError where it has no end."""
    for event in events:
        piece = gathering.take(event)
        if piece:
            yield piece
    if not gathering.finished:
        raise ProviderError("The language model's answer broke off before its end.")
    yield gathering.turn()


@dataclass(slots=True)
class CallParts:
    """A use of a tool as far as it is told: its arguments arrive in pieces of JSON."""

    id: str = ""
    name: str = ""
    arguments: str = ""

    def whole(self, *, no_id: str = "") -> ToolCall:
        """The call; `no_id` stands for an id that was not told, as {} does for the arguments."""
        return ToolCall(self.id or no_id, self.name, self.arguments or "{}")


def offered(listing: Json) -> tuple[Mapping[str, Json], ...]:
    """The models of a list, those with an id. ProviderError where it is no list of models."""
    found = listing.get("data") if isinstance(listing, Mapping) else None
    if not isinstance(found, Sequence) or isinstance(found, str):
        raise ProviderError("The language model's provider lists no models.")
    return tuple(one for one in found if isinstance(one, Mapping) and "id" in one)


def limit(model: Mapping[str, Json], names: Sequence[str]) -> int | None:
    """The first of these fields that tells a number of tokens; None where none does."""
    for name in names:
        value = model.get(name)
        if isinstance(value, int) and value > 0:
            return value
    return None
