"""The request that fits the weights of the ranking to one vault."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal

from notewell.api.requests import Doc, Endpoint, Request, request_to
from notewell.api.types import frozen


@frozen
class TunedWeight:
    """A factor on one part of the score; 1 is the default."""

    before: float
    after: float


@frozen
class TuneGain:
    """nDCG@10 on the judged queries, 0..1, and the 95 % interval of the difference.

    `after` and the difference are of queries that the weights were not fitted on.
    """

    before: float
    after: float
    difference: float
    low: float
    high: float


TuneOutcome = Literal["too_few", "no_sure_gain", "better", "applied", "reset"]


@frozen
class TuneReply:
    """The weights that tuning found, and whether the next search uses them.

    `queries` are the judged queries that were used; `missing` is how many more are needed.
    `weights` are factors on the parts of the score, by name; where nothing is surely better or
    weights are not applied, `after` is what was fitted.
    """

    vault: str
    outcome: TuneOutcome
    queries: int
    missing: int
    weights: Mapping[str, TunedWeight]
    gain: TuneGain | None


@request_to(
    Endpoint(
        "POST",
        "/api/tune",
        "tune",
        "Fit the weights of the ranking to your verdicts and opened results",
        required_scope="admin",
        rate_class="heavy",
        example={"apply": False},
    )
)
class TuneRequest(Request[TuneReply]):
    """Fit the weights of the ranking to the verdicts and opened results of this vault."""

    apply: Annotated[bool, Doc("Use the fitted weights from now on, if they are surely better")] = (
        False
    )
    reset: Annotated[bool, Doc("Go back to the default weights")] = False

    def __post_init__(self) -> None:
        """Refuse a request for both."""
        if self.apply and self.reset:
            raise ValueError("send either `apply` or `reset`")


REQUESTS = (TuneRequest,)
