"""The gardener: plans of suggestions, reviewed, applied and undone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Annotated, Literal

from notewell.api.requests import Doc, Endpoint, Limit, Pattern, Request, request_to
from notewell.api.types import Ge, Le, MaxLen, MinLen, PropertyValue, frozen

GardenCheck = Literal[
    "broken_links",
    "unlinked_mentions",
    "near_duplicates",
    "conflict_copy",
    "disagreements",
    "similar_topics",
    "missing_topics",
    "missing_tags",
    "tag_variants",
    "orphans",
    "untitled",
    "missing_properties",
    "update_topics",
    "missing_descriptions",
    "merge_topics",
    "archive_topic",
]
SuggestionState = Literal["open", "applied", "rejected", "refused"]
PlanId = Annotated[str, Pattern("^[0-9]{8}-[0-9]{6}$"), Doc("Id of the plan")]
SuggestionId = Annotated[str, Pattern("^[0-9a-f]{12}$")]
Only = Annotated[
    tuple[SuggestionId, ...], MaxLen(1000), Doc("Ids of suggestions; left out: all of the plan")
]
Checks = Annotated[
    tuple[GardenCheck, ...], MaxLen(20), Doc("Names of checks; left out: those that are usual")
]
_EXAMPLE_ID = "20261122-103000"
_EXAMPLE_ONLY = ["0123456789ab"]


@frozen
class TextEdit:
    """A text that becomes another. `start` is its offset below the properties of the note."""

    line: int
    start: int
    old: str
    new: str


@frozen
class SuggestedEdit:
    """The changes of one note, whose content has the hash `hash`.

    `set` gives properties a value, `add` appends to lists, `swap` exchanges texts in a property.
    `create` is the text of a new note, whose hash is "".
    """

    path: str
    hash: str
    text: tuple[TextEdit, ...] = ()
    set: Mapping[str, PropertyValue] = field(default_factory=dict)
    add: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    swap: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    create: str = ""


@frozen
class SuggestionView:
    """A suggestion of a plan. `why` says why it was refused, "" if it was not.

    One without an `edit` only shows something: it can be rejected, and not applied.
    """

    id: str
    check: GardenCheck
    path: str
    title: str
    evidence: str
    confidence: float
    edit: tuple[SuggestedEdit, ...]
    diff: str
    state: SuggestionState
    why: str = ""


@frozen
class PlanReply:
    """A plan. `note` is the note it was written to, None if no folder is set for plans.

    `counts` are suggestions by state, and `more` those that were found and left for a later plan.
    """

    vault: str
    id: str
    created: str
    note: str | None
    checks: tuple[GardenCheck, ...]
    suggestions: tuple[SuggestionView, ...]
    counts: Mapping[SuggestionState, int]
    more: int


@frozen
class PlanSummary:
    """A plan without its suggestions."""

    id: str
    created: str
    note: str | None
    checks: tuple[GardenCheck, ...]
    counts: Mapping[SuggestionState, int]
    more: int


@frozen
class CheckView:
    """A check: what it finds, and whether a plan has it that names no checks."""

    name: GardenCheck
    finds: str
    usual: bool


@frozen
class PlansReply:
    """The plans of a vault, newest first, and the checks there are."""

    vault: str
    plans: tuple[PlanSummary, ...]
    checks: tuple[CheckView, ...]


@frozen
class RefusedSuggestion:
    """A suggestion that was left as it is, and why."""

    id: str
    why: str


@frozen
class GardenReply:
    """The result of applying or undoing suggestions: `applied` are the ids of those done.

    `undo` is the number that takes all writes back, None if nothing was written.
    """

    vault: str
    plan: str
    applied: tuple[str, ...]
    refused: tuple[RefusedSuggestion, ...]
    undo: int | None


@frozen
class RejectReply:
    """The suggestions that will not come again. `deleted`: nothing is left of the plan."""

    vault: str
    plan: str
    rejected: tuple[str, ...]
    deleted: bool


@frozen
class RejectionView:
    """A suggestion that a person said no to, and when; it does not come again."""

    id: str
    check: GardenCheck
    path: str
    title: str
    at: str


@frozen
class RejectionsReply:
    """The rejected suggestions, newest first; `total` counts all of them."""

    vault: str
    rejections: tuple[RejectionView, ...]
    total: int


@frozen
class GardenModelReply:
    """An estimate of what a plan with the language model would send now.

    `notes` are those that it would read of the `waiting` ones, `tokens` an estimate of what it
    reads, and `answer_tokens` the most it may write. `dollars` is 0 on this computer (`local`) and
    null where no price is known; prices are of the month `prices_of`. `sent` says what leaves.
    """

    vault: str
    provider: str
    host: str
    local: bool
    model: str
    notes: int
    waiting: int
    requests: int
    tokens: int
    answer_tokens: int
    dollars: float | None
    prices_of: str
    sent: str


@request_to(
    Endpoint(
        "POST",
        "/api/garden/plans",
        "make_garden_plan",
        "Make a plan of what could be tended; nothing is changed",
        rate_class="heavy",
        timed=False,
        example={"checks": ["broken_links"]},
    )
)
class MakePlan(Request[PlanReply]):
    """Look for what could be tended, and make a plan of it; no note of yours is changed."""

    checks: Checks = ()
    limit: Annotated[int, Ge(1), Le(200), Doc("At most this many suggestions")] = 100
    model: Annotated[bool, Doc("Also ask the language model for topics and descriptions")] = False
    host: Annotated[
        Annotated[str, MaxLen(253)] | None,
        Doc("The model's host (GET /api/garden/model): you agree to send notes there"),
    ] = None


@request_to(
    Endpoint(
        "GET",
        "/api/garden/model",
        "garden_model",
        "What a plan with the language model would send, and where",
        rate_class="heavy",
        timed=False,
    )
)
class GardenModelRequest(Request[GardenModelReply]):
    """Estimate what a plan with the language model would send, and where; nothing is sent."""


@request_to(
    Endpoint(
        "GET", "/api/garden/plans", "garden_plans", "The gardener's plans", example={"limit": 20}
    )
)
class PlansRequest(Request[PlansReply]):
    """The plans of a vault; they are kept for 7 days."""

    limit: Limit = 20


@request_to(
    Endpoint(
        "GET",
        "/api/garden/plans/{id}",
        "garden_plan",
        "One plan, with evidence and diff of each suggestion",
        example={"id": _EXAMPLE_ID},
    )
)
class PlanRequest(Request[PlanReply]):
    """One plan with its suggestions."""

    id: PlanId


@request_to(
    Endpoint(
        "POST",
        "/api/garden/plans/{id}/apply",
        "apply_garden_plan",
        "Make the edits of a plan, or of some suggestions of it",
        rate_class="heavy",
        timed=False,
        example={"id": _EXAMPLE_ID, "only": _EXAMPLE_ONLY},
    )
)
class ApplyPlan(Request[GardenReply]):
    """Make the edits of a plan's suggestions, as one write to undo.

    A suggestion whose note has changed since is refused, and the others are applied.
    """

    id: PlanId
    only: Only = ()


@request_to(
    Endpoint(
        "POST",
        "/api/garden/plans/{id}/reject",
        "reject_garden_plan",
        "Reject a plan, or some suggestions of it, for good",
        example={"id": _EXAMPLE_ID, "only": _EXAMPLE_ONLY},
    )
)
class RejectPlan(Request[RejectReply]):
    """Say no to suggestions: they do not come again. A plan that is rejected whole is deleted."""

    id: PlanId
    only: Only = ()


@request_to(
    Endpoint(
        "POST",
        "/api/garden/plans/{id}/undo",
        "undo_garden_plan",
        "Take back what was applied of a plan",
        rate_class="heavy",
        timed=False,
        example={"id": _EXAMPLE_ID},
    )
)
class UndoPlan(Request[GardenReply]):
    """Take back the edits that were applied; their suggestions are open again."""

    id: PlanId
    only: Only = ()


@request_to(
    Endpoint(
        "GET",
        "/api/garden/rejections",
        "garden_rejections",
        "Suggestions that were rejected, newest first",
        example={"limit": 20},
    )
)
class RejectionsRequest(Request[RejectionsReply]):
    """The suggestions that a person rejected."""

    limit: Limit = 100


@request_to(
    Endpoint(
        "POST",
        "/api/garden/rejections/forget",
        "forget_garden_rejections",
        "Let suggestions that were rejected come again",
        example={"ids": _EXAMPLE_ONLY},
    )
)
class ForgetRejections(Request[RejectionsReply]):
    """Let suggestions that were rejected come again with a later plan."""

    ids: Annotated[
        tuple[SuggestionId, ...], MinLen(1), MaxLen(1000), Doc("Ids of rejected suggestions")
    ]


REQUESTS = (
    MakePlan,
    GardenModelRequest,
    PlansRequest,
    PlanRequest,
    ApplyPlan,
    RejectPlan,
    UndoPlan,
    RejectionsRequest,
    ForgetRejections,
)
