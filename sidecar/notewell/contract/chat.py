"""The language models of a provider."""

from __future__ import annotations

from notewell.base.types.frozen import frozen


@frozen
class ModelView:
    """A model of the provider; limits in tokens. `rank` 1 is used if no model is named."""

    name: str
    rank: int
    input_limit: int
    output_limit: int | None
    known: bool  # whether the limit is known, from the provider or a table


@frozen
class AskModelsReply:
    """The models of the configured provider, best first; the list is `age_s` seconds old."""

    provider: str
    host: str
    chosen: str | None
    budget_tokens: int | None
    age_s: float
    models: tuple[ModelView, ...]
